"""What happens to talk when servers or PostgreSQL fail: two servers on one PostgreSQL.

Somebody tells Lo-Bug something every tenth of a second, through whichever server is ready, as a
proxy would send them there. Then something breaks. Printed for each fault: for how long nobody was
answered, and how many of the sentences that were acknowledged are missing in the end. The engines
follow a script, so these are the times of servers and database alone.

python bench/failover.py [NAME ...]
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import httpx
import psycopg
from rich.console import Console
from rich.table import Table

from support.postgres_server import PostgresServer, started
from support.programs import Program

PROGRAM = Path(__file__).parents[1] / "tests" / "support" / "leased_server.py"
BEFORE_S = 3.0
AFTER_S = 25.0
PAUSE_S = 0.1
PATIENCE_S = 2.0
"""How long the talker waits for an answer, seconds."""


@dataclass
class Server:
    """One of the two."""

    folder: Path
    url: str
    port: int = 0
    program: Program | None = None

    def start(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        arguments = [str(PROGRAM), str(self.folder), str(self.port), self.url]
        self.program = Program(arguments, output=self.folder.with_suffix(".log"))

    def tell(self, sign: signal.Signals) -> None:
        if self.program is not None:
            self.program.send_signal(sign)

    def get(self, path: str) -> int:
        """The status of an answer; 0: there is none."""
        try:
            return httpx.get(
                f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE_S, trust_env=False
            ).status_code
        except httpx.HTTPError:
            return 0


@dataclass
class Talker:
    """Says a sentence after the other to whichever server is ready."""

    servers: list[Server]
    acknowledged: dict[str, float] = field(default_factory=dict)
    """When each sentence was answered, seconds."""
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
        try:
            answer = httpx.post(
                f"http://127.0.0.1:{server.port}/chat/text",
                json={"text": words},
                timeout=PATIENCE_S,
                trust_env=False,
            )
        except httpx.HTTPError:
            return False
        if answer.status_code == 200:
            self.acknowledged[words] = time.monotonic()
        return answer.status_code == 200

    def silence_s(self, since: float, until: float) -> float:
        """The longest time without an answer between two moments."""
        times = sorted(t for t in self.acknowledged.values() if t > since)
        return max(b - a for a, b in itertools.pairwise([since, *times, until]))


Fault = Callable[[PostgresServer, list[Server]], None]


def _killed(_: PostgresServer, servers: list[Server]) -> None:
    servers[0].tell(signal.SIGKILL)


def _stopped(_: PostgresServer, servers: list[Server]) -> None:
    servers[0].tell(signal.SIGTERM)


def _frozen(_: PostgresServer, servers: list[Server]) -> None:
    """Frozen until another one has taken over for a while, then awake again."""
    servers[0].tell(signal.SIGSTOP)
    threading.Timer(AFTER_S * 0.7, lambda: servers[0].tell(signal.SIGCONT)).start()


def _database_killed(postgres: PostgresServer, _: list[Server]) -> None:
    postgres.stop(signal.SIGKILL)
    postgres.start()


def _database_away(postgres: PostgresServer, _: list[Server]) -> None:
    postgres.stop()
    time.sleep(5.0)
    postgres.start()


def _sessions_ended(postgres: PostgresServer, _: list[Server]) -> None:
    with psycopg.connect(postgres.url, autocommit=True) as raw:
        raw.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name LIKE 'lobug%'"
        )


def _no_connections_left(postgres: PostgresServer, _: list[Server]) -> None:
    """Others take all connections for five seconds, after those of Lo-Bug were ended."""
    taken = []
    _sessions_ended(postgres, [])
    try:
        while True:
            taken.append(psycopg.connect(postgres.url, autocommit=True))
    except psycopg.OperationalError:
        time.sleep(5.0)
    for raw in taken:
        raw.close()


FAULTS: dict[str, tuple[str, Fault]] = {
    "stopped": ("the server is stopped (SIGTERM), as by an update", _stopped),
    "killed": ("the server is killed (kill -9)", _killed),
    "frozen": ("the server is frozen (SIGSTOP), and wakes up later", _frozen),
    "database-killed": ("PostgreSQL is killed (kill -9) and started again", _database_killed),
    "database-away": ("PostgreSQL is stopped for five seconds", _database_away),
    "sessions": ("all sessions at PostgreSQL are ended", _sessions_ended),
    "connections": ("others take all of PostgreSQL's connections for 5 s", _no_connections_left),
}


def measure(fault: Fault) -> tuple[float, int, int]:
    """Seconds without an answer, sentences acknowledged, and how many of them are missing."""
    postgres = started(shared_buffers="64MB", max_connections="40")
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        url = postgres.database("house")
        servers = [Server(Path(folder) / name, url) for name in ("a", "b")]
        try:
            for server in servers:
                server.start()
                wanted = {200} if server is servers[0] else {503}
                while server.get("/ready") not in wanted:
                    time.sleep(0.1)
            talker = Talker(servers)
            thread = threading.Thread(target=talker.run)
            thread.start()
            time.sleep(BEFORE_S)
            began = time.monotonic()
            fault(postgres, servers)
            time.sleep(AFTER_S)
            talker.stop.set()
            thread.join()
            ended = time.monotonic()
            with psycopg.connect(url) as raw:
                kept = {
                    row[0]
                    for row in raw.execute("SELECT content FROM lobug_memory.conversation_log")
                }
            acknowledged = talker.acknowledged
            missing = acknowledged.keys() - kept
            return talker.silence_s(began, ended), len(acknowledged), len(missing)
        finally:
            for server in servers:
                if server.program is not None:
                    server.program.kill()
            postgres.stop(signal.SIGQUIT)


def main() -> None:
    """Measure the faults that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FAULTS))
    wanted = parser.parse_args().names or list(FAULTS)
    table = Table("fault", "no answer for, s", "acknowledged", "missing")
    for name in wanted:
        said, fault = FAULTS[name]
        silence_s, acknowledged, missing = measure(fault)
        table.add_row(said, f"{silence_s:.1f}", str(acknowledged), str(missing))
    Console().print(table)


if __name__ == "__main__":
    main()
