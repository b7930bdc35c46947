"""Server processes of a bench that share one PostgreSQL, and what they use."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import psycopg

from support.postgres_server import PostgresServer
from support.programs import Program


@dataclass
class Server:
    """One server process."""

    program_file: Path
    """Is run with a folder, a port, the database's URL and ``database.servers``."""
    folder: Path
    url: str
    port: int = 0
    program: Program | None = None

    def start(self) -> None:
        """Start it on a port that is free."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        arguments = [str(self.program_file), str(self.folder), str(self.port), self.url, "all"]
        self.program = Program(arguments, output=self.folder.with_suffix(".log"))

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def process(self) -> psutil.Process:
        """Its process, to be measured."""
        if self.program is None:
            raise RuntimeError("the server was not started")
        return psutil.Process(self.program.pid)

    def end(self) -> None:
        """Kill it, and wait until it is gone."""
        if self.program is not None:
            self.program.kill()
            self.program.wait(10)

    async def until_ready(self) -> None:
        """Return once it answers. Raises SystemExit where it has ended before."""
        async with httpx.AsyncClient(base_url=self.address, trust_env=False) as http:
            while True:
                if self.program is None or self.program.poll() is not None:
                    raise SystemExit(self.folder.with_suffix(".log").read_text(encoding="utf-8"))
                try:
                    if (await http.get("/ready")).status_code == 200:
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.1)


@dataclass
class Cost:
    """What was used since another reading."""

    servers_s: float
    """Processor time of all servers, seconds."""
    postgres_s: float
    commits: int
    wal_bytes: int

    def since(self, before: Cost) -> Cost:
        """What was used since an earlier reading."""
        return Cost(
            self.servers_s - before.servers_s,
            self.postgres_s - before.postgres_s,
            self.commits - before.commits,
            self.wal_bytes - before.wal_bytes,
        )


def reading(servers: Sequence[Server], postgres: PostgresServer, url: str) -> Cost:
    """What all of it has used so far. ``url``: the database whose commits count; the bytes of the
    write-ahead log are those of all databases."""
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("SELECT pg_stat_force_next_flush()")
        row = raw.execute(
            "SELECT xact_commit, pg_current_wal_lsn() - '0/0'::pg_lsn FROM pg_stat_database"
            " WHERE datname = current_database()"
        ).fetchone()
    if row is None or postgres.process is None:
        raise RuntimeError("PostgreSQL has ended")
    return Cost(
        sum(_used_s([one.process]) for one in servers),
        _used_s(_family(psutil.Process(postgres.process.pid))),
        int(row[0]),
        int(row[1]),
    )


def _family(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]


def _used_s(processes: Sequence[psutil.Process]) -> float:
    used = 0.0
    for one in processes:
        try:
            times = one.cpu_times()
        except psutil.NoSuchProcess:
            continue
        used += times.user + times.system
    return used


@contextmanager
def running(program: Path, count: int, url: str, folder: Path) -> Iterator[list[Server]]:
    """Some servers on one database, each in a process of its own; killed at the end."""
    servers = [Server(program, folder / f"{count}-{number}", url) for number in range(count)]
    try:
        for one in servers:
            one.start()
        yield servers
    finally:
        for one in servers:
            one.end()
