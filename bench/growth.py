"""PostgreSQL as people and turns grow: sizes, recall, writes, opening and forgetting, by step.

python bench/growth.py [--people 1 100 1000 10000 100000] [--folder FOLDER] [--plans FILE]

It starts a PostgreSQL of its own. A few people are made by the product's own code, with the
embedder of the settings; each step has a new database with so many clones of them
(``growth_people``) and one person with a long log. That a search finds the same for a clone as
for its template is checked at each step. The largest step writes about 60 GB; a small run, of 20 s:

python bench/growth.py --people 1 20 --talkative 300 --templates 2 --turns 12 --questions 5
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import psutil
import psycopg
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from generated_turns import TurnGenerator
from growth_people import (
    ENDS,
    TALKATIVE,
    Cloner,
    GrowthError,
    Step,
    Templates,
    check,
    conversation_of,
    found_by,
    make_ordinary,
    make_talkative,
    place_of,
    talk_of,
)
from lobug.engines.base import Embedder
from lobug.errors import LobugError
from lobug.evaluation.metrics import percentile
from lobug.evaluation.product import Clock, NoChat, started_embedder
from lobug.memory.model import MemoryScope, Purge
from lobug.memory.service import Memory
from lobug.priority import TurnPriority
from lobug.settings import MemorySettings, Settings
from support.postgres_server import PostgresServer

MAKING = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "4GB",
    "autovacuum": "off",
}
"""How PostgreSQL runs while people are made."""
MEASURING = {
    "fsync": "on",
    "synchronous_commit": "on",
    "shared_preload_libraries": "pg_stat_statements",
    "max_wal_size": "4GB",
}
COUNTING_S = 600.0
"""Longest wait until everything is counted, seconds."""
CHECKED = 5
"""Clones whose searches are compared with those of their templates."""
CHECK_QUESTIONS = 4
COLD_STARTS = 5
WRITES = 25
PURGED = 5
"""Ordinary people who are forgotten at each step."""
COMPACTED_BYTES = 3_000_000_000
"""Only smaller databases are rewritten: that takes as much room again."""
SLOW_MS = 15.0
"""Plans are noted of statements that take longer."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is measured."""

    people: tuple[int, ...]
    talkative: int
    """Turns of the one with the long log."""
    templates: int
    turns: int
    """Turns of an ordinary person."""
    questions: int
    folder: Path
    keep: Path | None
    """Where PostgreSQL with the templates stays for another run."""
    shared_buffers: str
    plans: Path | None
    json: Path | None


@dataclass
class Times:
    """What one kind of work took."""

    ms: list[float] = field(default_factory=list)
    statements: float = 0.0
    """At PostgreSQL, each time, with BEGIN and COMMIT."""
    slowest: str = ""
    """The statement that took most of the time, and how much in all, ms."""
    cpu_ms: float = 0.0
    """Processor time each time, of this process and of PostgreSQL: the duration on a machine that
    does nothing else. 0: not measured."""

    def add(self, others: Times) -> None:
        """Take in what was measured of another person."""
        before, more = len(self.ms), len(others.ms)
        for name in ("statements", "cpu_ms"):
            mean = (getattr(self, name) * before + getattr(others, name) * more) / (before + more)
            setattr(self, name, mean)
        self.ms += others.ms
        self.slowest = others.slowest

    @property
    def p50(self) -> float:
        return percentile(self.ms, 0.5) or 0.0

    @property
    def p95(self) -> float:
        return percentile(self.ms, 0.95) or 0.0


@dataclass
class StepResult:
    """What was measured at one step."""

    people: int
    turns: int
    filled_s: float
    indexed_s: float
    load: float
    bytes: int
    tables: list[tuple[str, int, int, int]]
    """Name, rows, bytes of the table (with TOAST), bytes of its indexes."""
    indexes: list[tuple[str, int]]
    times: dict[str, Times] = field(default_factory=dict)


class RunningClock(Clock):
    """Goes on by itself: what rests after long work does so."""

    def __init__(self, now: float) -> None:
        super().__init__()
        self.now = now
        self._began = time.monotonic()

    def __call__(self) -> float:
        return self.now + time.monotonic() - self._began


class Bench:
    """A PostgreSQL, and the templates in one of its databases."""

    def __init__(self, server: PostgresServer, options: Options, embedder: Embedder) -> None:
        self._server = server
        self._options = options
        self._embedder = embedder
        self._folder = options.folder

    def restart(self, settings: dict[str, str], *, cold: bool = False) -> None:
        """Start PostgreSQL anew; ``cold``: with nothing of its files in main memory."""
        if self._server.process is not None:
            self._server.stop()
        if cold:
            _drop_from_memory(self._server.data)
        self._server.settings = {"shared_buffers": self._options.shared_buffers, **settings}
        self._server.start()

    @asynccontextmanager
    async def memory(self, url: str, clock: Clock) -> AsyncIterator[Memory]:
        """The memory in a database, without its worker."""
        memory = Memory(
            # A busy machine must not change what is found.
            MemorySettings(recall_timeout_s=60.0),
            self._folder / "unused.db",
            chat=NoChat(),
            embedder=self._embedder,
            priority=TurnPriority(),
            clock=clock,
            place=place_of(url),
        )
        try:
            await memory.start(work=False)
            yield memory
        finally:
            await memory.close()

    async def templates(self, step: Step) -> Templates:
        """The people of whom the others are clones, in a database of their own."""
        kept = self._server.folder / "templates.json"
        if await asyncio.to_thread(kept.exists):
            return Templates.of(json.loads(await asyncio.to_thread(kept.read_text)))
        made = await self._make_templates(step)
        await asyncio.to_thread(kept.write_text, json.dumps(asdict(made)))
        return made

    async def _make_templates(self, step: Step) -> Templates:
        self.restart(MAKING)
        url, clock = self._server.database("people"), Clock()
        clock.now = ENDS
        options = self._options
        async with self.memory(url, clock) as memory:
            await make_ordinary(memory, clock, options.templates, options.turns, step)
            await make_talkative(memory, self._embedder, clock, url, options.talkative, step)
            clock.now = ENDS
            ordinary = [
                await found_by(
                    memory, f"template-{number}", talk_of(number).questions(CHECK_QUESTIONS, 1)
                )
                for number in range(options.templates)
            ]
            asked = TurnGenerator().questions(CHECK_QUESTIONS, 1)
            talkative = await found_by(memory, TALKATIVE.user, asked)
        if not any(any(one.found) for one in (*ordinary, talkative)):
            raise GrowthError("the templates' searches found nothing: there is nothing to compare")
        return Templates(tuple(ordinary), talkative)

    async def step(self, people: int, templates: Templates, step: Step) -> StepResult:
        """Fill a database for so many people, and measure."""
        name = f"people_{people}"
        self.restart(MAKING)
        began = filled = indexed = time.perf_counter()
        url = self._server.url_of(name)
        if not self._is_filled(name):
            self._drop(name)
            self._server.database(name, "people")
            cloner = Cloner(url, people - 1, self._options.templates, step)
            await cloner.prepare(self._embedder.model_id, self._embedder.dimension)
            cloner.fill()
            filled = time.perf_counter()
            cloner.finish()
            indexed = time.perf_counter()
        self.restart(MEASURING)
        with psycopg.connect(url, autocommit=True) as raw:
            raw.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA public")
            result = sizes(raw, people, filled - began, indexed - filled)
        await self._measure(url, people, templates, result, step)
        self.restart(MAKING)
        self._drop(name)
        return result

    def _is_filled(self, name: str) -> bool:
        """Whether a run that was broken off has left the database whole (``--keep``)."""
        with psycopg.connect(self._server.url, autocommit=True) as raw:
            known = raw.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone()
        if known is None:
            return False
        with psycopg.connect(self._server.url_of(name), autocommit=True) as raw:
            state = raw.execute(
                "SELECT to_regnamespace('template') IS NULL AND EXISTS (SELECT 1"
                " FROM lobug_memory.turn_owners WHERE \"user\" = 'talkative')"
            ).fetchone()
        return state == (True,)

    def _drop(self, name: str) -> None:
        with psycopg.connect(self._server.url, autocommit=True) as raw:
            raw.execute(f"DROP DATABASE IF EXISTS {name}".encode())

    async def _measure(
        self, url: str, people: int, templates: Templates, result: StepResult, step: Step
    ) -> None:
        clock, options = RunningClock(ENDS + 60.0), self._options
        ordinary = _spread(people - 1, max(2, options.questions // 3))
        times = result.times
        step("cold starts")
        await self._cold(url, clock, ordinary, times)
        with taken(url, times.setdefault("opening, warm", Times())):
            async with self.memory(url, clock):
                pass
        async with self.memory(url, clock) as memory:
            step("counting")
            with taken(url, times.setdefault("counting everything, beside what follows", Times())):
                await _until_counted(memory)
            step("searches of clones and of their templates")
            for number in _spread(people - 1, CHECKED):
                await check(
                    memory, f"person-{number:06d}", templates.ordinary[number % options.templates]
                )
            await check(memory, TALKATIVE.user, templates.talkative)
            step("recall")
            await self._recall(memory, url, ordinary, times)
            step("writes")
            await self._write(memory, clock, url, ordinary, times)
            for _ in range(3):
                with taken(url, times.setdefault("looking for background work", Times())):
                    await memory.process_due()
        if options.plans is not None:
            await self._note_plans(url, clock, ordinary, options.plans)
        async with self.memory(url, clock) as memory:
            step("forgetting")
            await self._forget(memory, url, people, times)
            if result.bytes < COMPACTED_BYTES:
                with taken(url, times.setdefault("rewriting all tables after that", Times())):
                    await memory.compact()

    async def _cold(
        self, url: str, clock: Clock, ordinary: Sequence[int], times: dict[str, Times]
    ) -> None:
        for number in range(COLD_STARTS):
            self.restart(MEASURING, cold=True)
            opening = times.setdefault("opening, cold", Times())
            began = time.perf_counter()
            async with self.memory(url, clock) as memory:
                opening.ms.append(1000.0 * (time.perf_counter() - began))
                for kind, user, talk in self._askers(
                    ordinary[number % max(1, len(ordinary)) :][:1]
                ):
                    (question,) = talk.questions(1, 50 + number)
                    await one_recall(
                        memory, times.setdefault(f"{kind}, cold", Times()), user, question
                    )

    async def _recall(
        self, memory: Memory, url: str, ordinary: Sequence[int], times: dict[str, Times]
    ) -> None:
        for kind, user, talk in self._askers(ordinary):
            talks = user == TALKATIVE.user
            asked = talk.questions(self._options.questions if talks else 4, 2)
            # The first one finds the pages of this person nowhere near.
            first, warm = times.setdefault(f"{kind}, first question", Times()), Times()
            await one_recall(memory, first, user, asked[0])
            for question in asked[1:10] if talks else ():
                await one_recall(memory, Times(), user, question)
            with self._counted(url, warm):
                for question in asked[10 if talks else 1 :]:
                    await one_recall(memory, warm, user, question)
            times.setdefault(f"{kind}, warm", Times()).add(warm)

    @contextmanager
    def _counted(self, url: str, times: Times) -> Iterator[None]:
        """Note what PostgreSQL is asked meanwhile, and what it costs the processors."""
        with counted(url, times):
            before = self._cpu_ms()
            yield
            times.cpu_ms = (self._cpu_ms() - before) / max(1, len(times.ms))

    def _cpu_ms(self) -> float:
        """Processor time of this process and of PostgreSQL, so far."""
        used = 1000.0 * time.process_time()
        if self._server.process is not None:
            parent = psutil.Process(self._server.process.pid)
            for one in [parent, *parent.children()]:
                with suppress(psutil.NoSuchProcess):
                    cpu = one.cpu_times()
                    used += 1000.0 * (cpu.user + cpu.system)
        return used

    async def _write(
        self,
        memory: Memory,
        clock: Clock,
        url: str,
        ordinary: Sequence[int],
        times: dict[str, Times],
    ) -> None:
        for kind, user, talk in self._askers(ordinary):
            said = list(talk.turns(WRITES if user == TALKATIVE.user else 2))
            for turn in said:
                clock.now += 5.0
                logging = times.setdefault(f"{kind}, a turn's write", Times())
                with taken(url, logging):
                    await memory.log_user_message(conversation_of(user), turn.text)
            embedding = times.setdefault(f"{kind}, its vectors and what else follows", Times())
            before = len(embedding.ms)
            with taken(url, embedding):
                await memory.process_due()
            embedding.ms[before:] = [one / len(said) for one in embedding.ms[before:]]

    async def _forget(self, memory: Memory, url: str, people: int, times: dict[str, Times]) -> None:
        for number in _spread(people - 1, PURGED):
            with taken(url, times.setdefault("forgetting an ordinary person", Times())):
                scope = MemoryScope(f"person-{number:06d}", None)
                await memory.purge(scope, Purge(user=True))
        with taken(url, times.setdefault("forgetting the talkative one", Times())):
            await memory.purge(MemoryScope(TALKATIVE.user, None), Purge(user=True))

    async def _note_plans(
        self, url: str, clock: Clock, ordinary: Sequence[int], plans: Path
    ) -> None:
        """Let PostgreSQL note the plans of slow statements, and append them to a file."""
        log = self._server.folder / "log"
        with psycopg.connect(url, autocommit=True) as raw:
            name = raw.info.dbname
            for setting in (
                "session_preload_libraries = 'auto_explain'",
                f"auto_explain.log_min_duration = {SLOW_MS:.0f}",
                "auto_explain.log_analyze = on",
                "auto_explain.log_buffers = on",
                "auto_explain.log_nested_statements = on",
            ):
                raw.execute(f"ALTER DATABASE {name} SET {setting}".encode())
        before = log.stat().st_size
        async with self.memory(url, clock) as memory:
            for _, user, talk in self._askers(ordinary[:2]):
                for question in talk.questions(4, 2):
                    await one_recall(memory, Times(), user, question)
                (turn,) = talk.turns(1)
                clock.now += 5.0
                await memory.log_user_message(conversation_of(user), turn.text)
            await memory.process_due()
        with psycopg.connect(url, autocommit=True) as raw:
            raw.execute(f"ALTER DATABASE {name} RESET ALL".encode())
        with log.open(encoding="utf-8", errors="replace") as noted, plans.open("a") as file:
            noted.seek(before)
            file.write(f"\n==== {name}\n{noted.read()}")

    def _askers(self, ordinary: Sequence[int]) -> Iterator[tuple[str, str, TurnGenerator]]:
        """What somebody is called in the results, their name, and what they talk of."""
        for number in ordinary:
            yield "ordinary", f"person-{number:06d}", talk_of(number % self._options.templates)
        yield "talkative", TALKATIVE.user, TurnGenerator()


async def one_recall(memory: Memory, times: Times, user: str, question: str) -> None:
    """What a turn does before it asks the chat model, with the question's embedding."""
    began = time.perf_counter()
    await memory.retrieve_context(conversation_of(user), question)
    times.ms.append(1000.0 * (time.perf_counter() - began))


async def _until_counted(memory: Memory) -> None:
    """Wait until everything is counted. Raises GrowthError after ``COUNTING_S``."""
    try:
        async with asyncio.timeout(COUNTING_S):
            while not memory.stats().counted:  # noqa: ASYNC110 - nobody tells of it
                await asyncio.sleep(0.1)
    except TimeoutError as error:
        raise GrowthError(f"not counted within {COUNTING_S:.0f} s") from error


@contextmanager
def counted(url: str, times: Times) -> Iterator[None]:
    """Count what PostgreSQL is asked meanwhile."""
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("SELECT pg_stat_statements_reset()")
        done = len(times.ms)
        yield
        rows = raw.execute(
            "SELECT query, calls, total_exec_time FROM pg_stat_statements"
            " JOIN pg_database d ON d.oid = dbid WHERE d.datname = current_database()"
            " AND query NOT LIKE '%pg_stat_statements%' ORDER BY total_exec_time DESC"
        ).fetchall()
    times.statements = sum(int(row[1]) for row in rows) / max(1, len(times.ms) - done)
    if rows:
        times.slowest = f"{float(rows[0][2]):.1f} ms: {' '.join(str(rows[0][0]).split())[:160]}"


@contextmanager
def taken(url: str, times: Times) -> Iterator[None]:
    """Note how long something takes, and what PostgreSQL is asked meanwhile."""
    with counted(url, times):
        began = time.perf_counter()
        yield
        times.ms.append(1000.0 * (time.perf_counter() - began))


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def sizes(
    raw: psycopg.Connection[Any], people: int, filled_s: float, indexed_s: float
) -> StepResult:
    """Rows and bytes of everything."""
    tables = [
        (str(name), int(rows), int(table), int(indexes))
        for name, rows, table, indexes in raw.execute(
            "SELECT relname, greatest(reltuples, 0)::bigint, pg_table_size(oid),"
            " pg_indexes_size(oid) FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'lobug_memory'::regnamespace"
            " ORDER BY pg_total_relation_size(oid) DESC"
        )
    ]
    indexes = [
        (str(name), int(size))
        for name, size in raw.execute(
            "SELECT relname, pg_relation_size(oid) FROM pg_class"
            " WHERE relkind = 'i' AND relnamespace = 'lobug_memory'::regnamespace"
            " ORDER BY 2 DESC LIMIT 20"
        )
    ]
    turns = next((rows for name, rows, _, _ in tables if name == "conversation_log"), 0)
    total = sum(table + index for _, _, table, index in tables)
    load = os.getloadavg()[0]
    return StepResult(people, turns, filled_s, indexed_s, load, total, tables, indexes)


def _spread(people: int, count: int) -> list[int]:
    """Numbers of people, from among all of them."""
    return sorted({place * people // count for place in range(count)}) if people > 0 else []


def _drop_from_memory(folder: Path) -> None:
    """Let the kernel forget what it holds of these files alone."""
    for path in folder.rglob("*"):
        if path.is_file():
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fdatasync(descriptor)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)


def markdown(results: Sequence[StepResult]) -> str:
    """The figures as tables to be read."""
    lines = [
        "| people | turns | bytes | bytes a turn | filled in | load |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.people:,} | {one.turns:,} | {_size(one.bytes)}"
        f" | {one.bytes / max(1, one.turns):,.0f} | {one.filled_s + one.indexed_s:,.0f} s"
        f" | {one.load:.1f} |"
        for one in results
    ]
    names = list(dict.fromkeys(name for one in results for name in one.times))
    lines += ["", "| ms (p50 / p95) | " + " | ".join(f"{one.people:,}" for one in results) + " |"]
    lines.append("|---" * (len(results) + 1) + "|")
    for name in names:
        cells = (_cell(one.times.get(name)) for one in results)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    last = results[-1]
    lines += ["", "| table | rows | table, MB | indexes, MB |", "|---|---|---|---|"]
    lines += [
        f"| {name} | {rows:,} | {table / 1e6:,.0f} | {index / 1e6:,.0f} |"
        for name, rows, table, index in last.tables[:12]
    ]
    lines += ["", "| index | MB |", "|---|---|"]
    lines += [f"| {name} | {size / 1e6:,.0f} |" for name, size in last.indexes[:12]]
    lines += ["", "The statement that took most, at the last step:", ""]
    lines += [
        f"- {name} ({times.statements:.0f} statements): {times.slowest}"
        for name, times in last.times.items()
    ]
    return "\n".join(lines)


def _cell(times: Times | None) -> str:
    if times is None or not times.ms:
        return ""
    if len(times.ms) < 3:
        return f"{times.ms[0]:,.0f}"
    cpu = f" (CPU {times.cpu_ms:,.0f})" if times.cpu_ms else ""
    return f"{times.p50:,.0f} / {times.p95:,.0f}{cpu}"


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count > 1e9 else f"{count / 1e6:,.0f} MB"


async def measure(options: Options, console: Console) -> list[StepResult]:
    """Measure at each step, smallest first."""
    results: list[StepResult] = []
    folder = options.keep or Path(tempfile.mkdtemp(prefix="pg", dir=options.folder))
    await asyncio.to_thread(folder.mkdir, exist_ok=True)
    await asyncio.to_thread(folder.chmod, 0o711)
    server = PostgresServer(folder)
    settings = Settings(data_dir=options.folder)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    try:
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("templates", total=None)
            prefix = "templates"

            def step(what: str) -> None:
                progress.update(task, description=f"{prefix}: {what}")
                if not console.is_terminal:
                    console.print(f"{time.strftime('%H:%M:%S')} {prefix}: {what}")

            async with started_embedder(settings) as embedder:
                bench = Bench(server, options, embedder)
                templates = await bench.templates(step)
                for people in options.people:
                    prefix = f"{people:,} people"
                    results.append(await bench.step(people, templates, step))
                    if options.json is not None:
                        figures = json.dumps([asdict(one) for one in results], indent=1)
                        await asyncio.to_thread(options.json.write_text, figures)
                    console.print(markdown(results[-1:]), markup=False, soft_wrap=True)
    finally:
        if server.process is not None:
            server.stop()
        if options.keep is None:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return results


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, nargs="+", default=[1, 100, 1_000, 10_000, 100_000])
    parser.add_argument(
        "--talkative", type=int, default=100_000, help="turns of the one with the long log"
    )
    parser.add_argument("--turns", type=int, default=100, help="turns of an ordinary person")
    parser.add_argument("--templates", type=int, default=8, help="people of whom clones are made")
    parser.add_argument("--questions", type=int, default=110, help="asked of the talkative one")
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()), help="where the data lies"
    )
    parser.add_argument(
        "--keep",
        type=Path,
        help="where PostgreSQL with the templates stays, to be used again by runs with the same"
        " --talkative, --turns and --templates",
    )
    parser.add_argument("--shared-buffers", default="4GB", help="PostgreSQL's own cache")
    parser.add_argument("--plans", type=Path, help="a file for the plans of slow statements")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    given = parser.parse_args()
    small = min(given.people) < 1 or given.templates < 1 or given.turns < 2 or given.talkative < 1
    if small or given.questions < 2:
        parser.error("people, templates and talkative are at least 1, turns and questions 2")
    if not given.folder.is_dir():
        parser.error(f"{given.folder} is no folder")
    options = Options(
        tuple(sorted(given.people)),
        given.talkative,
        given.templates,
        given.turns,
        given.questions,
        given.folder.resolve(),
        None if given.keep is None else given.keep.resolve(),
        given.shared_buffers,
        given.plans,
        given.json,
    )
    console = Console()
    try:
        results = asyncio.run(measure(options, console))
    except (GrowthError, LobugError, psycopg.Error, OSError) as error:
        console.print(f"growth: {error}", markup=False)
        raise SystemExit(1) from error
    console.print(markdown(results), markup=False, soft_wrap=True)
    console.print(f"{os.cpu_count()} cores; shared_buffers {options.shared_buffers}.")


if __name__ == "__main__":
    main()
