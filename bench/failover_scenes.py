"""Two servers on one PostgreSQL, and what is to break around them (bench/failover.py)."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg import sql

from networks import Network
from support.postgres_server import PostgresServer, started

T = TypeVar("T")

PROGRAM = Path(__file__).parents[1] / "tests" / "support" / "leased_server.py"
SLOW_SYNC = Path(__file__).with_name("slow_sync.c")
NAME = "house"
PORT = 5432
POSTGRES = {"shared_buffers": "64MB", "max_connections": "40"}


@dataclass
class Server:
    """One of the two."""

    folder: Path
    url: str
    network: Network | None = None
    """Where it is a computer, with the name of its folder; None: it is on this one."""
    mode: str = "one"
    """Its ``database.servers``."""
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._there(), socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        arguments = [str(PROGRAM), str(self.folder), str(self.port), self.url, self.mode]
        with self._there(), self._log.open("ab") as log:
            self.process = subprocess.Popen([sys.executable, *arguments], stdout=log, stderr=log)

    def tell(self, sign: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(sign)

    def get(self, path: str, patience_s: float) -> int:
        """The status of an answer; 0: there is none."""
        return self._ask("GET", path, patience_s)[0]

    def say(self, words: str, patience_s: float, device: str = "") -> str | None:
        """The answer to what it is told by a device; None: it does not acknowledge it."""
        body = json.dumps({"text": words})
        status, answer = self._ask("POST", "/chat/text", patience_s, body=body, device=device)
        return str(json.loads(answer)["response"]) if status == 200 else None

    def export(self, patience_s: float, device: str) -> str | None:
        """All that it remembers of whom a device belongs to; None: it does not tell."""
        status, answer = self._ask("GET", "/memory/export", patience_s, device=device)
        return answer.decode() if status == 200 else None

    def _ask(
        self, method: str, path: str, patience_s: float, *, body: str = "", device: str = ""
    ) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json"} | ({"Device-Id": device} if device else {})
        with self._there():
            http = HTTPConnection("127.0.0.1", self.port, timeout=patience_s)
            try:
                http.request(method, path, body, headers)
                answer = http.getresponse()
                return answer.status, answer.read()
            except (OSError, HTTPException):
                return 0, b""
            finally:
                http.close()

    @property
    def losses(self) -> int:
        """How often it has noticed that it does not have the database any more."""
        return self._log.read_text().count("does not have the database any more")

    @property
    def _log(self) -> Path:
        return self.folder.with_suffix(".log")

    def _there(self) -> AbstractContextManager[None]:
        return nullcontext() if self.network is None else self.network.inside(self.folder.name)


@dataclass
class Scene:
    """What there is."""

    postgres: PostgresServer
    url: str
    """How the servers reach it."""
    standby: PostgresServer | None = None
    network: Network | None = None
    delay: Path | None = None
    """The file that says how many milliseconds longer its disk takes."""
    servers: list[Server] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)
    """What the sessions of a server are called, by its computer."""

    def look(self) -> psycopg.Connection[tuple[Any, ...]]:
        """A connection to the primary that no fault concerns."""
        # The standby first: as soon as it is promoted, that is the primary.
        folders = [str(one.folder) for one in (self.standby, self.postgres) if one is not None]
        ports = [
            one.settings.get("port", str(PORT))
            for one in (self.standby, self.postgres)
            if one is not None
        ]
        return psycopg.connect(
            host=",".join(folders),
            port=",".join(ports),
            user="lobug",
            dbname=NAME,
            autocommit=True,
            target_session_attrs="primary",
        )

    def writes(self, of: Server | None = None) -> dict[tuple[str, str], int]:
        """How often each server's databases have written, by schema and database; ``of``: of this
        one alone, which is at a computer of a network and answers beside another one."""
        found = {}
        query = sql.SQL("SELECT server, writes FROM {}.written")
        with self.look() as raw:
            names = "" if of is None else self._sessions_of(raw, of)
            schemas = raw.execute(
                "SELECT table_schema FROM information_schema.tables WHERE table_name = 'written'"
            ).fetchall()
            for (schema,) in schemas:
                for server, count in raw.execute(query.format(sql.Identifier(schema))):
                    if server.startswith(names):
                        found[schema, server] = int(count)
        return found

    def _sessions_of(self, raw: psycopg.Connection[tuple[Any, ...]], server: Server) -> str:
        """What the sessions of a server are called."""
        address = present(self.network).address(server.folder.name)
        if server.folder.name not in self._names:
            row = raw.execute(
                "SELECT min(application_name) FROM pg_stat_activity"
                " WHERE client_addr = %s::inet AND application_name LIKE 'lobug %%'",
                (address,),
            ).fetchone()
            self._names[server.folder.name] = str(present(row)[0])
        return self._names[server.folder.name]


def present(part: T | None) -> T:
    """What a fault needs of its scene."""
    if part is None:
        raise LookupError("this scene has nothing of that kind")
    return part


@contextmanager
def alone(_: Path) -> Iterator[Scene]:
    """One PostgreSQL, on this computer."""
    with _running(None, **POSTGRES) as postgres:
        yield Scene(postgres, postgres.database(NAME))


@contextmanager
def apart(_: Path) -> Iterator[Scene]:
    """PostgreSQL and both servers on computers of their own."""
    with ExitStack() as stack:
        network = Network("a", "b", "database")
        stack.callback(network.close)
        postgres = stack.enter_context(_running_at(network, "database"))
        postgres.database(NAME)
        url = f"postgresql://lobug@{network.address('database')}:{PORT}/{NAME}"
        yield Scene(postgres, url, network=network)


@contextmanager
def followed(_: Path) -> Iterator[Scene]:
    """A primary and a standby, on this computer."""
    ports = [_free_port(), _free_port()]
    with (
        _running(None, **POSTGRES, listen_addresses="127.0.0.1", port=str(ports[0])) as postgres,
        _following(postgres, port=str(ports[1])) as standby,
    ):
        postgres.database(NAME)
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        yield Scene(postgres, f"postgresql://lobug@{hosts}/{NAME}", standby)


@contextmanager
def followed_apart(_: Path) -> Iterator[Scene]:
    """A primary, a standby and both servers on computers of their own."""
    with ExitStack() as stack:
        network = Network("a", "b", "primary", "standby")
        stack.callback(network.close)
        postgres = stack.enter_context(_running_at(network, "primary"))
        address = network.address("primary")
        with network.inside("standby"):
            standby = stack.enter_context(
                _following(
                    postgres,
                    source=f"host={address} port={PORT} user=lobug",
                    listen_addresses=network.address("standby"),
                )
            )
        postgres.database(NAME)
        hosts = ",".join(f"{network.address(one)}:{PORT}" for one in ("primary", "standby"))
        yield Scene(postgres, f"postgresql://lobug@{hosts}/{NAME}", standby, network)


@contextmanager
def on_slow_disk(folder: Path) -> Iterator[Scene]:
    """A PostgreSQL whose disk can be made slow. It is no device that is slow: each fsync and
    fdatasync of PostgreSQL takes longer."""
    library, delay = folder / "slow_sync.so", folder / "delay"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, SLOW_SYNC, "-ldl"], check=True)
    delay.write_text("0")
    folder.chmod(0o755)
    environment = {"LD_PRELOAD": str(library), "SLOW_SYNC": str(delay)}
    with _running(environment, **POSTGRES) as postgres:
        yield Scene(postgres, postgres.database(NAME), delay=delay)


@contextmanager
def _running(
    environment: Mapping[str, str] | None = None, **settings: str
) -> Iterator[PostgresServer]:
    postgres = started(environment, **settings)
    try:
        yield postgres
    finally:
        postgres.stop(signal.SIGQUIT)


@contextmanager
def _running_at(network: Network, name: str) -> Iterator[PostgresServer]:
    """At a computer of a network; everybody there may log in."""
    with network.inside(name):
        postgres = started(None, **POSTGRES, listen_addresses=network.address(name))
    try:
        with (postgres.data / "pg_hba.conf").open("a") as rules:
            rules.write("host all all 10.77.0.0/16 trust\n")
            rules.write("host replication all 10.77.0.0/16 trust\n")
        with psycopg.connect(postgres.url, autocommit=True) as raw:
            raw.execute("SELECT pg_reload_conf()")
        yield postgres
    finally:
        postgres.stop(signal.SIGQUIT)


@contextmanager
def _following(
    postgres: PostgresServer, source: str = "", **settings: str
) -> Iterator[PostgresServer]:
    standby = postgres.standby(source, **settings)
    try:
        yield standby
    finally:
        standby.stop(signal.SIGQUIT)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
