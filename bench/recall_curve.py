"""`make bench ARGS="--recall"`: the cost of recall as one user's log grows.

Generated turns of one user are logged as in a conversation, embedded in the background, and
searched with questions that are embedded in the measured time. At each size the same questions go
alternately to Lo-Bug's search, to the retrieval of a turn, to plain KNN and to plain full text, so
that other load on the machine slows all of them.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from generated_turns import TurnGenerator
from lobug.engines.base import Embedder, EngineStatus, Vectors
from lobug.evaluation.metrics import percentile
from lobug.evaluation.product import NEVER, Clock, NoChat, started_embedder
from lobug.memory.model import ConversationKey, Filter, MemoryScope
from lobug.memory.service import Memory
from lobug.priority import TurnPriority
from lobug.settings import MemorySettings, Settings
from lobug.storage.driver import connect
from recall_baselines import PlainFullText, PlainKnn

SIZES = (1_000, 10_000, 50_000, 100_000, 200_000)
QUESTIONS = 100
WARM_UP = 10
"""Questions before those that are measured."""

BEGAN = 1_500_000_000.0
"""When the first turn is said, seconds since the epoch."""

TELLER = ConversationKey("teller", "teller-desk")
GOALS = {10_000: 30.0, 100_000: 80.0}
"""Goals by number of turns: p95 of a search on two cores, milliseconds."""
INSERTION_GOAL = 500.0
"""Goal: durable turns a second, without embedding."""

VectorsFrom = Literal["synthetic", "real"]
WAYS = ("search", "a turn's context", "plain KNN", "plain full text")


class MeasuringEmbedder:
    """The embedder; while ``synthetic`` is set, random directions instead, since the cost of a
    turn's vector is known after the first thousand."""

    def __init__(self, inner: Embedder, seed: int = 7) -> None:
        self._inner = inner
        self._numbers = np.random.default_rng(seed)
        self.synthetic = False

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    async def start(self) -> None:
        """Do nothing: the embedder was started before."""

    async def close(self) -> None:
        """Do nothing: whoever started the embedder closes it."""

    def status(self) -> EngineStatus:
        return self._inner.status()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text, or make vectors up. Raises EngineError."""
        return self.made_up(len(texts)) if self.synthetic else await self._inner.embed(texts)

    def made_up(self, count: int) -> Vectors:
        """Random vectors of length 1, shape (count, dimension)."""
        found = self._numbers.standard_normal((count, self.dimension), dtype=np.float32)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return np.asarray(found / np.maximum(lengths, 1e-9), np.float32)


@dataclass(slots=True)
class Point:
    """Measurements at one size of the log."""

    turns: int
    inserted_per_s: float
    cpu_ms_a_turn: float
    """CPU time of storing a turn, milliseconds: its cost on a disk that costs nothing."""
    commits_per_s: float
    """Durable commits of one short row on this disk at the same time: the bound of insertion."""
    embedded_per_s: float
    embedded_for_real: bool
    bytes_a_turn: float
    resident_mb: float
    """Growth of this process since the first turn, MB, with the baselines in it."""
    times_ms: dict[str, list[float]] = field(default_factory=dict)
    """Durations of searches, milliseconds, by way of searching."""
    cpu_ms: dict[str, list[float]] = field(default_factory=dict)
    """CPU time of all threads of this process, milliseconds, by way of searching: the duration on
    an idle machine."""

    def figures(self) -> dict[str, Any]:
        """The figures as ``--json`` prints them."""
        ways = {
            way: {**_spread(times), "cpu_p50": _spread(self.cpu_ms[way])["p50"]}
            for way, times in self.times_ms.items()
        }
        base = ways[WAYS[0]]
        return {
            "turns": self.turns,
            "insertion_turns_per_s": round(self.inserted_per_s),
            "insertion_cpu_ms_a_turn": round(self.cpu_ms_a_turn, 3),
            "bare_commits_per_s": round(self.commits_per_s),
            "embedding_turns_per_s": round(self.embedded_per_s),
            "embedded_for_real": self.embedded_for_real,
            "bytes_a_turn": round(self.bytes_a_turn),
            "resident_mb": round(self.resident_mb, 1),
            "ms": ways,
            "ratios_of_p50": {
                way: round(base["p50"] / spread["p50"], 2)
                for way, spread in ways.items()
                if way != WAYS[0] and spread["p50"] > 0.0
            },
        }


def _spread(times_ms: Sequence[float]) -> dict[str, float]:
    return {
        "p50": round(percentile(times_ms, 0.5) or 0.0, 2),
        "p95": round(percentile(times_ms, 0.95) or 0.0, 2),
        "max": round(max(times_ms, default=0.0), 2),
    }


async def measure(
    sizes: Sequence[int], vectors: VectorsFrom, questions: int, console: Console
) -> dict[str, Any]:
    """Measure at each size, smallest first."""
    with tempfile.TemporaryDirectory(prefix="lobug-recall-") as folder:
        settings = Settings(data_dir=Path(folder))
        async with started_embedder(settings) as inner:
            embedder = MeasuringEmbedder(inner)
            points = await _curve(
                Path(folder), embedder, sorted(sizes), vectors, questions, console
            )
        return {
            "embedder": inner.model_id,
            "vectors": vectors,
            "questions": questions,
            "goals": {"p95_ms": GOALS, "insertion_turns_per_s": INSERTION_GOAL},
            "sizes": [point.figures() for point in points],
        }


async def _curve(
    folder: Path,
    embedder: MeasuringEmbedder,
    sizes: Sequence[int],
    vectors: VectorsFrom,
    questions: int,
    console: Console,
) -> list[Point]:
    talk, clock, path = TurnGenerator(), Clock(), folder / "memory.db"
    clock.now = BEGAN
    knn, full_text = PlainKnn(folder, embedder.dimension), PlainFullText(folder)
    points: list[Point] = []
    stored = 0
    async with _memory(path, embedder, clock) as memory:
        await memory.search(MemoryScope("nobody", None), "anything", Filter(), turns=True)
        before = _resident_mb()
        for size in sizes:
            console.print(f"{size:,} turns: storing {size - stored:,} ...")
            cpu = time.process_time()
            texts, inserted_per_s = await _insert(memory, talk, clock, size - stored)
            cpu_ms = 1_000.0 * (time.process_time() - cpu)
            commits_per_s = _bare_commits_per_s(folder / "bare.db")
            _drop_tasks(path)
            embedder.synthetic = vectors == "synthetic" and stored > 0
            started = time.perf_counter()
            await memory.process_due()
            embedded_per_s = len(texts) / (time.perf_counter() - started)
            real, embedder.synthetic = not embedder.synthetic, False
            for begin in range(0, len(texts), 5_000):
                part = texts[begin : begin + 5_000]
                knn.add(part, embedder.made_up(len(part)))
                full_text.add(part)
            stored = size
            console.print(f"{size:,} turns: {questions} questions in {len(WAYS)} ways ...")
            asked = talk.questions(WARM_UP + questions, seed=size)
            times, cpu_times = await _ask(memory, embedder, knn, full_text, asked)
            points.append(
                Point(
                    turns=size,
                    inserted_per_s=inserted_per_s,
                    cpu_ms_a_turn=cpu_ms / len(texts),
                    commits_per_s=commits_per_s,
                    embedded_per_s=embedded_per_s,
                    embedded_for_real=real,
                    bytes_a_turn=_bytes(path) / size,
                    resident_mb=_resident_mb() - before,
                    times_ms=times,
                    cpu_ms=cpu_times,
                )
            )
    knn.close()
    full_text.close()
    return points


@asynccontextmanager
async def _memory(
    path: Path, embedder: Embedder, clock: Callable[[], float]
) -> AsyncIterator[Memory]:
    memory = Memory(
        MemorySettings(enable_summarization=False, long_term_threshold=NEVER),
        path,
        chat=NoChat(),
        embedder=embedder,
        priority=TurnPriority(),
        clock=clock,
    )
    await memory.start(work=False)
    try:
        yield memory
    finally:
        await memory.close()


async def _insert(
    memory: Memory, talk: TurnGenerator, clock: Clock, count: int
) -> tuple[list[str], float]:
    """Log turns one after another, each durable before the next. Returns them, and turns a
    second."""
    turns = list(talk.turns(count))
    started = time.perf_counter()
    for turn in turns:
        clock.now = BEGAN + turn.after_s
        await memory.log_user_message(TELLER, turn.text)
    return [turn.text for turn in turns], count / (time.perf_counter() - started)


def _bare_commits_per_s(path: Path, commits: int = 500) -> float:
    connection = connect(str(path), timeout_s=30.0)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS said (content TEXT)")
        started = time.perf_counter()
        for _ in range(commits):
            connection.execute("INSERT INTO said VALUES (?)", ("x" * 100,))
        return commits / (time.perf_counter() - started)
    finally:
        connection.close()


def _drop_tasks(path: Path) -> None:
    """Delete the background tasks: here no facts are extracted and nothing is summarised, so the
    rows would stay."""
    connection = connect(str(path), timeout_s=30.0)
    try:
        connection.execute("DELETE FROM background_tasks")
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    finally:
        connection.close()


async def _ask(
    memory: Memory,
    embedder: MeasuringEmbedder,
    knn: PlainKnn,
    full_text: PlainFullText,
    questions: Sequence[str],
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Milliseconds by the clock and of the processors, by way."""
    access = MemoryScope(TELLER.user, TELLER.conversation)

    async def search(question: str) -> None:
        await memory.search(access, question, Filter(), limit=10, turns=True)

    async def context(question: str) -> None:
        await memory.retrieve_context(TELLER, question)

    async def nearest(question: str) -> None:
        (vector,) = await embedder.embed([question])
        await asyncio.to_thread(knn.search, vector)

    async def by_words(question: str) -> None:
        await asyncio.to_thread(full_text.search, question)

    ways = dict(zip(WAYS, (search, context, nearest, by_words), strict=True))
    times: dict[str, list[float]] = {way: [] for way in ways}
    cpu_times: dict[str, list[float]] = {way: [] for way in ways}
    for number, question in enumerate(questions):
        # The order rotates: the first search of a question finds none of its words in a cache.
        turned = number % len(WAYS)
        for way in (*WAYS[turned:], *WAYS[:turned]):
            started, cpu = time.perf_counter(), time.process_time()
            await ways[way](question)
            if number >= WARM_UP:
                times[way].append(1_000.0 * (time.perf_counter() - started))
                cpu_times[way].append(1_000.0 * (time.process_time() - cpu))
    return times, cpu_times


def _bytes(path: Path) -> int:
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))


def _resident_mb() -> float:
    return float(psutil.Process().memory_info().rss) / 1e6


def show(console: Console, document: dict[str, Any]) -> None:
    """The curve as tables."""
    searches = Table(title="Recall by turns of one user, ms with the question's embedding")
    for column in ("turns", "way", "p50", "p95", "max", "CPU p50", "search / this"):
        searches.add_column(column, justify="left" if column == "way" else "right")
    for point in document["sizes"]:
        for way, spread in point["ms"].items():
            ratio = point["ratios_of_p50"].get(way)
            searches.add_row(
                f"{point['turns']:,}",
                way,
                *(f"{spread[name]:.1f}" for name in ("p50", "p95", "max", "cpu_p50")),
                "" if ratio is None else f"{ratio:.2f}",
            )
        searches.add_section()
    console.print(searches)
    storing = Table(title="Storing")
    for column in (
        "turns",
        "stored / s",
        "CPU ms a turn",
        "bare commits / s",
        "embedded / s",
        "bytes a turn",
        "MB resident, added",
    ):
        storing.add_column(column, justify="right")
    for point in document["sizes"]:
        mark = "" if point["embedded_for_real"] else "*"
        storing.add_row(
            f"{point['turns']:,}",
            f"{point['insertion_turns_per_s']:,}",
            f"{point['insertion_cpu_ms_a_turn']:.2f}",
            f"{point['bare_commits_per_s']:,}",
            f"{point['embedding_turns_per_s']:,}{mark}",
            f"{point['bytes_a_turn']:,}",
            f"{point['resident_mb']:.0f}",
        )
    console.print(storing)
    console.print(
        f"Embedder {document['embedder']}; vectors of turns: {document['vectors']}"
        " (synthetic: random directions but for the first size, *; questions always for real)."
        f" Goals: p95 of a search {GOALS[10_000]:g} ms at 10,000 turns, {GOALS[100_000]:g} ms at"
        f" 100,000; {INSERTION_GOAL:g} stored / s.",
        soft_wrap=True,
    )
