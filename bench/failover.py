"""What happens to talk when servers, PostgreSQL or the network between them fail.

There are two servers on one PostgreSQL. The engines follow a script, so these are the times of
servers and database alone. What concerns the network needs root and Linux (bench/networks.py), the
slow disk a C compiler.

python bench/failover.py [--servers one|all] [NAME ...]

one: somebody tells Lo-Bug something every tenth of a second, through whichever server is ready, as
a proxy would send them there. Then something breaks. Printed for each fault: for how long nobody
was answered, how many of the sentences that were acknowledged are missing in the end, how often
another server got the database, and how often a server noticed that it had lost it.

all: both servers answer, and at each there are people who talk, with a proxy in between
(bench/failover_people.py). Printed for each fault: for how long any of the people of the server
that is hit, and of the other one, was not answered; acknowledged sentences that are missing;
memories that are another person's; sentences that are there twice or out of order.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import psycopg
from rich.console import Console
from rich.table import Table

from failover_people import Answers, People, Talker, found_of
from failover_scenes import (
    Scene,
    Server,
    alone,
    apart,
    followed,
    followed_apart,
    on_slow_disk,
    present,
)

BEFORE = 20
"""How many sentences are answered before something breaks."""
AFTER_S = 25.0
"""How long the talker goes on after it at least, seconds."""
LONGEST_S = 90.0
"""How long it goes on when nobody answers, seconds."""
PAUSE_S = 0.1
PATIENCE_S = 2.0
"""How long the talker waits for an answer, seconds."""
PROMOTED_AFTER_S = 3.0
"""How long it takes whoever looks after PostgreSQL to notice and to promote the standby."""


@dataclass
class Watch:
    """Looks at who has the database."""

    scene: Scene
    holders: list[str] = field(default_factory=list)
    """One after the other."""
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        while not self.stop.wait(PAUSE_S):
            try:
                with self.scene.look() as raw:
                    row = raw.execute("SELECT holder FROM lobug_lease.lease").fetchone()
            except psycopg.Error:
                continue
            if row and (not self.holders or self.holders[-1] != row[0]):
                self.holders.append(str(row[0]))


Notes = Callable[[Answers], Iterator[str]]
"""What else is worth to be known of a fault, asked for when nobody talks any more."""

Fault = Callable[[Scene], Notes | None]


def _killed(scene: Scene) -> None:
    scene.servers[0].tell(signal.SIGKILL)


def _stopped(scene: Scene) -> None:
    scene.servers[0].tell(signal.SIGTERM)


def _frozen(scene: Scene) -> None:
    """Frozen until another one has taken over for a while, then awake again."""
    scene.servers[0].tell(signal.SIGSTOP)
    threading.Timer(AFTER_S * 0.7, lambda: scene.servers[0].tell(signal.SIGCONT)).start()


def _database_killed(scene: Scene) -> None:
    scene.postgres.stop(signal.SIGKILL)
    scene.postgres.start()


def _database_away(scene: Scene) -> None:
    scene.postgres.stop()
    time.sleep(5.0)
    scene.postgres.start()


def _sessions_ended(scene: Scene) -> None:
    with psycopg.connect(scene.postgres.url, autocommit=True) as raw:
        raw.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name LIKE 'lobug%'"
        )


def _no_connections_left(scene: Scene) -> None:
    """Others take all connections for five seconds, after those of Lo-Bug were ended."""
    taken = []
    _sessions_ended(scene)
    try:
        while True:
            taken.append(psycopg.connect(scene.postgres.url, autocommit=True))
    except psycopg.OperationalError:
        time.sleep(5.0)
    for raw in taken:
        raw.close()


def _cut(scene: Scene, lasts_s: float) -> Notes:
    """The network between PostgreSQL and the server that answers."""
    network = present(scene.network)
    first, second = scene.servers
    network.cut(first.folder.name, "database")
    time.sleep(1.0)  # what was on its way has arrived
    before = scene.writes(first if first.mode == "all" else None)
    time.sleep(lasts_s - 1.0)
    if first.mode == "all":
        cut_off = scene.writes(first)
        network.heal(first.folder.name, "database")

        def notes_of_all(_: Answers) -> Iterator[str]:
            late = sum(cut_off.get(each, 0) - count for each, count in before.items())
            yield f"writes of the first server from 1 s after the cut to its end: {late}"

        return notes_of_all
    network.heal(first.folder.name, "database")

    def notes(_: Answers) -> Iterator[str]:
        after = scene.writes()
        late = sum(after.get(each, 0) - count for each, count in before.items())
        yield f"writes of the first server from 1 s after the cut to the end: {late}"
        ready = [server.get("/ready", PATIENCE_S) for server in scene.servers]
        yield f"/ready of both in the end: {ready}"
        if ready == [503, 200]:
            second.tell(signal.SIGTERM)
            began = time.monotonic()
            while first.get("/ready", PATIENCE_S) != 200 and time.monotonic() < began + AFTER_S:
                time.sleep(PAUSE_S)
            answers = first.say("Do you hear me?", AFTER_S)
            yield f"the second is stopped: the first answers: {answers}"

    return notes


def _cut_for_long(scene: Scene) -> Notes:
    return _cut(scene, AFTER_S)


def _cut_shortly(scene: Scene) -> Notes:
    return _cut(scene, 4.0)


def _promoted(scene: Scene) -> None:
    """The primary is killed."""
    scene.postgres.stop(signal.SIGKILL)
    time.sleep(PROMOTED_AFTER_S)
    present(scene.standby).promote()


def _vanished(scene: Scene) -> None:
    """The primary's computer answers nothing any more."""
    for name in ("a", "b", "standby"):
        present(scene.network).cut(name, "primary")
    time.sleep(PROMOTED_AFTER_S)
    present(scene.standby).promote()


def _slow(milliseconds: int) -> Fault:
    def fault(scene: Scene) -> Notes:
        delay = present(scene.delay)
        began = time.monotonic()
        delay.write_text(str(milliseconds))
        time.sleep(AFTER_S * 2)
        delay.write_text("0")
        ended = time.monotonic()

        def notes(answers: Answers) -> Iterator[str]:
            for said, since, until in (("before", 0.0, began), ("meanwhile", began, ended)):
                took_s = [
                    answers.took_s[words]
                    for words, at in answers.acknowledged.items()
                    if since < at < until
                ]
                if took_s:
                    median, most = statistics.median(took_s), max(took_s)
                    yield f"an answer {said}: {median:.2f} s, at most {most:.2f} s ({len(took_s)})"

        return notes

    return fault


def _stalled(scene: Scene) -> None:
    """What is to be written in one second takes twelve."""
    delay = present(scene.delay)
    delay.write_text("12000")
    time.sleep(1.0)
    delay.write_text("0")


@dataclass(frozen=True)
class Kind:
    """A fault."""

    said: str
    fault: Fault
    scene: Callable[[Path], AbstractContextManager[Scene]] = alone
    patience_s: float = PATIENCE_S


FAULTS: dict[str, Kind] = {
    "stopped": Kind("the server is stopped (SIGTERM), as by an update", _stopped),
    "killed": Kind("the server is killed (kill -9)", _killed),
    "frozen": Kind("the server is frozen (SIGSTOP), and wakes up later", _frozen),
    "database-killed": Kind("PostgreSQL is killed (kill -9) and started again", _database_killed),
    "database-away": Kind("PostgreSQL is stopped for five seconds", _database_away),
    "sessions": Kind("all sessions at PostgreSQL are ended", _sessions_ended),
    "connections": Kind(
        "others take all of PostgreSQL's connections for 5 s", _no_connections_left
    ),
    "cut": Kind("the server is cut off from PostgreSQL for 25 s", _cut_for_long, apart),
    "cut-shortly": Kind("the server is cut off from PostgreSQL for 4 s", _cut_shortly, apart),
    "promoted": Kind(
        "the primary is killed (kill -9), the standby promoted 3 s later", _promoted, followed
    ),
    "vanished": Kind(
        "the primary's computer vanishes, the standby is promoted 3 s later",
        _vanished,
        followed_apart,
    ),
    "slow-disk": Kind("each sync of PostgreSQL's disk takes 0.5 s", _slow(500), on_slow_disk, 60.0),
    "slower-disk": Kind(
        "each sync of PostgreSQL's disk takes 2 s", _slow(2000), on_slow_disk, 60.0
    ),
    "stalled-disk": Kind("PostgreSQL's disk stalls once for 12 s", _stalled, on_slow_disk, 60.0),
}


@dataclass(frozen=True)
class Outcome:
    """What became of it."""

    silence_s: float
    acknowledged: int
    missing: int
    changes: int
    losses: int
    notes: list[str]


def measure(kind: Kind) -> Outcome:
    """Let it happen where one server answers."""
    with _servers(kind, "one") as scene:
        talker, watch = Talker(scene.servers, kind.patience_s), Watch(scene)
        with running(talker, watch):
            began, ended, notes = _let_happen(scene, kind, [talker.answers])
        with scene.look() as raw:
            kept = {
                row[0] for row in raw.execute("SELECT content FROM lobug_memory.conversation_log")
            }
        answers = talker.answers
        return Outcome(
            answers.silence_s(began, ended),
            len(answers.acknowledged),
            len(answers.acknowledged.keys() - kept),
            len(watch.holders) - 1,
            sum(server.losses for server in scene.servers),
            [] if notes is None else list(notes(answers)),
        )


@dataclass(frozen=True)
class OutcomeOfAll:
    """What became of people at two servers that both answered."""

    silence_s: tuple[float, float]
    """Of the people of the server that was hit, and of the other one."""
    acknowledged: int
    missing: int
    crossed: int
    disordered: int
    losses: int
    notes: list[str]


def measure_all(kind: Kind) -> OutcomeOfAll:
    """Let it happen where both servers answer."""
    with _servers(kind, "all") as scene:
        people = People(scene.servers, kind.patience_s)
        everybody = [person.answers for person in people.everybody]
        with running(*people.threads):
            began, ended, notes = _let_happen(scene, kind, everybody)
            while not all(people.proxy.ready[n] for n in _alive(scene)):
                if time.monotonic() > ended + LONGEST_S:
                    break
                time.sleep(PAUSE_S)
        told = list(people.unreachable(ended))
        before = max(answers.silence_s(*answers.until(began)) for answers in everybody)
        told.append(f"the longest pause before anything broke: {before:.1f} s")
        with scene.look() as raw:
            found = found_of(people, raw, [scene.servers[n] for n in _alive(scene)])
        told += found.notes
        merged = Answers.of(everybody)
        if notes is not None:
            told += notes(merged)
        hit, other = (
            max(one.answers.silence_s(began, ended) for one in people.everybody if one.home == n)
            for n in (0, 1)
        )
        return OutcomeOfAll(
            (hit, other),
            len(merged.acknowledged),
            found.missing,
            found.crossed,
            found.disordered,
            sum(server.losses for server in scene.servers),
            told,
        )


def _alive(scene: Scene) -> list[int]:
    """The servers whose processes run."""
    return [
        number
        for number, server in enumerate(scene.servers)
        if server.process is not None and server.process.poll() is None
    ]


def _let_happen(
    scene: Scene, kind: Kind, all_answers: Sequence[Answers]
) -> tuple[float, float, Notes | None]:
    """When it began, when there was nothing more to be seen, and what else is to be said."""
    while min(len(answers.acknowledged) for answers in all_answers) * len(all_answers) < BEFORE:
        time.sleep(PAUSE_S)
    began = time.monotonic()
    notes = kind.fault(scene)
    broken = time.monotonic()
    time.sleep(AFTER_S)
    while (
        not all(answers.answered(broken) for answers in all_answers)
        and time.monotonic() < broken + LONGEST_S
    ):
        time.sleep(PAUSE_S)
    return began, time.monotonic(), notes


class Runs(Protocol):
    """Something that goes on until it is told to stop."""

    stop: threading.Event

    def run(self) -> None: ...


@contextmanager
def running(*parts: Runs) -> Iterator[None]:
    """Each on a thread, until the end."""
    threads = [threading.Thread(target=one.run) for one in parts]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for one in parts:
            one.stop.set()
        for thread in threads:
            thread.join()


@contextmanager
def _servers(kind: Kind, mode: str) -> Iterator[Scene]:
    """Two servers: the first one answers and the other stands ready, or both answer."""
    with (
        tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder,
        kind.scene(Path(folder)) as scene,
    ):
        scene.servers = [
            Server(Path(folder) / name, scene.url, scene.network, mode) for name in ("a", "b")
        ]
        try:
            for server in scene.servers:
                server.start()
                while server.get("/ready", PATIENCE_S) not in (200, 503):
                    time.sleep(PAUSE_S)
            wanted = any if mode == "one" else all
            while not wanted(server.get("/ready", PATIENCE_S) == 200 for server in scene.servers):
                time.sleep(PAUSE_S)
            # Not always the one that was started first: on a busy computer it may be late to renew.
            scene.servers.sort(key=lambda server: server.get("/ready", PATIENCE_S) != 200)
            yield scene
        finally:
            for server in scene.servers:
                if server.process is not None:
                    server.process.kill()
                    server.process.wait()


def _row(outcome: Outcome) -> Sequence[object]:
    return (
        f"{outcome.silence_s:.1f}",
        outcome.acknowledged,
        outcome.missing,
        outcome.changes,
        outcome.losses,
    )


def _row_of_all(outcome: OutcomeOfAll) -> Sequence[object]:
    hit, other = outcome.silence_s
    return (
        f"{hit:.1f}",
        f"{other:.1f}",
        outcome.acknowledged,
        outcome.missing,
        outcome.crossed,
        outcome.disordered,
        outcome.losses,
    )


COLUMNS = {
    "one": ("no answer for, s", "acknowledged", "missing", "changes", "lost"),
    "all": (
        *("hit: no answer for, s", "other, s", "acknowledged"),
        *("missing", "crossed", "twice or disordered", "lost"),
    ),
}


def main() -> None:
    """Measure the faults that are named, or all."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what it started ends with it
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FAULTS))
    parser.add_argument("--servers", choices=("one", "all"), default="one", help="which answer")
    told = parser.parse_args()
    table, notes, console = Table("fault", *COLUMNS[told.servers]), list[str](), Console()
    for name in told.names or list(FAULTS):
        kind = FAULTS[name]
        if told.servers == "one":
            outcome: Outcome | OutcomeOfAll = (one := measure(kind))
            values = _row(one)
        else:
            outcome = (together := measure_all(kind))
            values = _row_of_all(together)
        table.add_row(kind.said, *(str(value) for value in values))
        notes += [f"{name}: {note}" for note in outcome.notes]
        console.print(f"{name}: {outcome}")
    console.print(table)
    for note in notes:
        console.print(note)
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    console.print(f"load of the computer, of {os.cpu_count()} cores: {load}")


if __name__ == "__main__":
    main()
