"""The server of a soak, in a process of its own, as the soak sees it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from lobug.simulator.address import ServerAddress, parse_server
from lobug.simulator.http.device import SimulatedDevice
from lobug.simulator.soak.plan import SoakRunOptions

_START_S = 180.0


REST_S = 60.0
"""Most real seconds until a server has noticed that all devices hung up, and until it ends."""


FAILURES_SHOWN = 5
"""Most failures, and most lines of the log, in a report."""


class SoakError(Exception):
    """The soak could not be run; the text says why."""


class ServerProcess:
    """The server's process. It answers each line on its standard input with a line of JSON."""

    def __init__(
        self, process: asyncio.subprocess.Process, address: ServerAddress, data: Path
    ) -> None:
        self._process = process
        self.address = address
        self._data = data

    async def look(self) -> dict[str, float]:
        """The measures that cost nothing to take. Raises SoakError when the process has ended."""
        return await self._ask(b"look\n")

    async def measured(self) -> dict[str, float]:
        """All measures, with those from outside: memory and files. Raises SoakError."""
        values = await self._ask(b"measure\n")
        outside = await asyncio.to_thread(outside_of, self._process.pid, self._data)
        return {**values, **outside}

    async def _ask(self, question: bytes) -> dict[str, float]:
        assert self._process.stdin is not None  # noqa: S101 - for the type checker
        self._process.stdin.write(question)
        values: dict[str, float] = await _read(self._process)
        return values


def at_rest(before: Mapping[str, float], now: Mapping[str, float]) -> bool:
    """Whether a server is idle, by two looks in a row. Pure."""
    steady = all(
        now.get(name) == before.get(name) for name in ("tasks", "descriptors", "connections")
    )
    return steady and now["connections"] == 0


def outside_of(pid: int, data: Path) -> dict[str, float]:
    """Measures of a server's process from outside: resident memory, files, rows. A measure that
    this system does not provide is missing."""
    values: dict[str, float] = {"files": sum(1 for path in data.rglob("*") if path.is_file())}
    rows, kilobytes = 0, 0.0
    for path in data.rglob("*.db"):
        counted = _database(path)
        rows, kilobytes = rows + counted[0], kilobytes + counted[1]
    values |= {"rows": rows, "database_kb": kilobytes}
    resident_mb = _resident_mb(pid)
    return values if resident_mb is None else {**values, "resident_mb": resident_mb}


def _database(path: Path) -> tuple[int, float]:
    """Rows and kilobytes. Read only, so that the server's file stays its own."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
            " AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        rows = sum(
            connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]  # noqa: S608 - its own names
            for (name,) in names
        )
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    return rows, pages * size / 1000


def _resident_mb(pid: int) -> float | None:
    """Resident memory of a process by /proc, else by ``ps``; None: neither knows."""
    status = Path(f"/proc/{pid}/status")
    try:
        if status.is_file():
            lines = status.read_text(encoding="ascii", errors="replace").splitlines()
            told = next((line for line in lines if line.startswith("VmRSS:")), None)
            return None if told is None else int(told.split()[1]) * 1024 / 1e6
        asked = subprocess.run(  # noqa: S603 - a number
            ["/bin/ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
        )
        return int(asked.stdout) * 1024 / 1e6
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def log_faults(log: Path) -> list[str]:
    """The first lines of a log with an error or a stack trace."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if "ERROR" in line or "Traceback" in line][:FAILURES_SHOWN]


@asynccontextmanager
async def own_server(options: SoakRunOptions, folder: Path) -> AsyncIterator[ServerProcess]:
    """Start a server with its data and its log under ``folder``, wait until it is healthy, and end
    it afterwards. Raises SoakError when it does not start."""
    told = json.dumps({"folder": str(folder), "factor": options.factor})
    log = folder / "server.log"
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *options.server,
            told,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
        )
    try:
        yield ServerProcess(process, await _healthy(process), folder / "data")
    except SoakError as error:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-1:]
        raise SoakError(" ".join([f"{error}.", *lines])) from error
    finally:
        await _end(process)


async def _healthy(process: asyncio.subprocess.Process) -> ServerAddress:
    """The address of a server, once it is healthy. Raises SoakError."""
    try:
        async with asyncio.timeout(_START_S):
            address = parse_server((await _read(process))["url"])
    except TimeoutError as error:
        raise SoakError("the server did not start") from error
    async with SimulatedDevice(address) as early:
        health = await early.wait_until_healthy(_START_S)
    if health.problems:
        raise SoakError(f"the server did not become healthy: {'; '.join(health.problems)}")
    return address


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the process by closing its standard input, or kill it when that does not help."""
    assert process.stdin is not None  # noqa: S101 - for the type checker
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), REST_S)
    except TimeoutError:
        process.kill()
        await process.wait()


async def _read(process: asyncio.subprocess.Process) -> Any:
    """The process's next line, parsed. Raises SoakError when there is none."""
    assert process.stdout is not None  # noqa: S101 - for the type checker
    line = await process.stdout.readline()
    try:
        return json.loads(line)
    except ValueError as error:
        raise SoakError("the server ended before its time") from error
