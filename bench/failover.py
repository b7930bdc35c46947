"""What happens to talk when servers, PostgreSQL or the network between them fail.

There are two servers on one PostgreSQL. Somebody tells Lo-Bug something every tenth of a second,
through whichever server is ready, as a proxy would send them there. Then something breaks. Printed
for each fault: for how long nobody was answered, how many of the sentences that were acknowledged
are missing in the end, how often another server got the database, and how often a server noticed
that it had lost it. The engines follow a script, so these are the times of servers and database
alone.

What concerns the network needs root and Linux (bench/networks.py), the slow disk a C compiler.

python bench/failover.py [NAME ...]
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import psycopg
from rich.console import Console
from rich.table import Table

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
class Talker:
    """Says a sentence after the other to whichever server is ready."""

    servers: list[Server]
    patience_s: float
    acknowledged: dict[str, float] = field(default_factory=dict)
    """When each sentence was answered, seconds."""
    took_s: dict[str, float] = field(default_factory=dict)
    """How long each answer took."""
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        number = 0
        at = 0
        while not self.stop.wait(PAUSE_S):
            words = f"Sentence {number} of the test is about walnuts."
            if self._say(self.servers[at], words):
                number += 1
            else:
                at = 1 - at

    def _say(self, server: Server, words: str) -> bool:
        began = time.monotonic()
        if not server.say(words, self.patience_s):
            return False
        self.acknowledged[words] = time.monotonic()
        self.took_s[words] = self.acknowledged[words] - began
        return True

    def answered(self, since: float) -> bool:
        """Whether it had an answer since a moment."""
        return any(at > since for at in list(self.acknowledged.values()))

    def silence_s(self, since: float, until: float) -> float:
        """The longest time without an answer between two moments."""
        times = sorted(t for t in self.acknowledged.values() if t > since)
        return max(b - a for a, b in itertools.pairwise([since, *times, until]))


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


Notes = Callable[[Talker], Iterator[str]]
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
    before = scene.writes()
    time.sleep(lasts_s - 1.0)
    network.heal(first.folder.name, "database")

    def notes(_: Talker) -> Iterator[str]:
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

        def notes(talker: Talker) -> Iterator[str]:
            for said, since, until in (("before", 0.0, began), ("meanwhile", began, ended)):
                took_s = [
                    talker.took_s[words]
                    for words, at in talker.acknowledged.items()
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
    """Let it happen."""
    with (
        tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder,
        kind.scene(Path(folder)) as scene,
        _two_servers(scene, Path(folder)) as servers,
    ):
        talker, watch = Talker(servers, kind.patience_s), Watch(scene)
        threads = [threading.Thread(target=one.run) for one in (talker, watch)]
        for thread in threads:
            thread.start()
        while len(talker.acknowledged) < BEFORE:
            time.sleep(PAUSE_S)
        began = time.monotonic()
        notes = kind.fault(scene)
        broken = time.monotonic()
        time.sleep(AFTER_S)
        while not talker.answered(broken) and time.monotonic() < broken + LONGEST_S:
            time.sleep(PAUSE_S)
        ended = time.monotonic()
        for one in (talker, watch):
            one.stop.set()
        for thread in threads:
            thread.join()
        with scene.look() as raw:
            kept = {
                row[0] for row in raw.execute("SELECT content FROM lobug_memory.conversation_log")
            }
        return Outcome(
            talker.silence_s(began, ended),
            len(talker.acknowledged),
            len(talker.acknowledged.keys() - kept),
            len(watch.holders) - 1,
            sum(server.losses for server in servers),
            [] if notes is None else list(notes(talker)),
        )


@contextmanager
def _two_servers(scene: Scene, folder: Path) -> Iterator[list[Server]]:
    """The first one answers, the other stands ready."""
    scene.servers = [Server(folder / name, scene.url, scene.network) for name in ("a", "b")]
    try:
        for server in scene.servers:
            server.start()
            while server.get("/ready", PATIENCE_S) not in (200, 503):
                time.sleep(PAUSE_S)
        # Not always the one that was started first: on a busy computer it may be late to renew.
        while not any(server.get("/ready", PATIENCE_S) == 200 for server in scene.servers):
            time.sleep(PAUSE_S)
        scene.servers.sort(key=lambda server: server.get("/ready", PATIENCE_S) != 200)
        yield scene.servers
    finally:
        for server in scene.servers:
            if server.process is not None:
                server.process.kill()
                server.process.wait()


def main() -> None:
    """Measure the faults that are named, or all."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what it started ends with it
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FAULTS))
    wanted = parser.parse_args().names or list(FAULTS)
    columns = ("fault", "no answer for, s", "acknowledged", "missing", "changes", "lost")
    table, notes, console = Table(*columns), list[str](), Console()
    for name in wanted:
        kind = FAULTS[name]
        outcome = measure(kind)
        counts = (outcome.acknowledged, outcome.missing, outcome.changes, outcome.losses)
        table.add_row(kind.said, f"{outcome.silence_s:.1f}", *(str(count) for count in counts))
        notes += [f"{name}: {note}" for note in outcome.notes]
        console.print(f"{name}: {outcome}")
    console.print(table)
    for note in notes:
        console.print(note)
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    console.print(f"load of the computer, of {os.cpu_count()} cores: {load}")


if __name__ == "__main__":
    main()
