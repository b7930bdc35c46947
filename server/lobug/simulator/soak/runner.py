"""A soak: devices use a server for a simulated day, and the server's resources are measured.

The server runs in a child process with scripted engines and a temporary data folder, so nobody's
memories are touched. Its wall clock runs ``factor`` times as fast as the real one: by it sessions
end, old data is erased and codes expire. Speech takes its real time.

At evenly spread rests every device hangs up and waits until the server is idle; then the server is
measured. ``flatness`` judges the measurements.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lobug.simulator import requests
from lobug.simulator.http_device import SimulatedDevice
from lobug.simulator.requests import ServerAddress, parse_server
from lobug.simulator.soak import flatness
from lobug.simulator.soak.device import SoakDevice, Sounds, Tally
from lobug.simulator.soak.flatness import Measurement, MeasureVerdict
from lobug.simulator.soak.plan import (
    HOUR_S,
    PlannedAction,
    SoakRunOptions,
)

_START_S = 180.0


REST_S = 60.0
"""Most real seconds until a server has noticed that all devices hung up, and until it ends."""


FAILURES_SHOWN = 5
"""Most failures, and most errors of the log, in a report."""


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
            found = next((line for line in lines if line.startswith("VmRSS:")), None)
            return None if found is None else int(found.split()[1]) * 1024 / 1e6
        asked = subprocess.run(  # noqa: S603 - a number
            ["/bin/ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
        )
        return int(asked.stdout) * 1024 / 1e6
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


_RECORD = re.compile(r"^(?=\d{4}-\d\d-\d\d )", re.MULTILINE)
"""Where a record of a log begins."""


def log_faults(log: Path) -> list[str]:
    """The first errors of a log, each with its stack trace."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    faults = [one for one in _RECORD.split(text) if "ERROR" in one or "Traceback" in one]
    return [fault.rstrip() for fault in faults[:FAILURES_SHOWN]]


@asynccontextmanager
async def own_server(options: SoakRunOptions, folder: Path) -> AsyncIterator[ServerProcess]:
    """Start a server with its data and its log under ``folder``, wait until it is healthy, and end
    it afterwards. Raises SoakError when it does not start."""
    description = json.dumps({"folder": str(folder), "factor": options.factor})
    log = folder / "server.log"
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *options.server,
            description,
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
        raise SoakError("the server ended too early") from error


HEARTBEAT_S = 2.5
"""Least real seconds between two sensor reports of a device, where time is compressed."""

_WORK_S = 10.0
"""Most real seconds that background work gets in a rest: on a busy computer some is left."""
_LOOK_S = 0.2


@dataclass(slots=True)
class SoakResult:
    """Result of a soak."""

    options: SoakRunOptions
    tally: Tally
    measurements: list[Measurement] = field(default_factory=list)
    seconds: float = 0.0
    """Real seconds, rests included."""
    late_s: float = 0.0
    """Longest delay of an action after its planned time, real seconds."""
    log_faults: list[str] = field(default_factory=list)
    """The first errors of the server's log, each with its stack trace."""

    @property
    def verdicts(self) -> list[MeasureVerdict]:
        return flatness.judge(self.measurements)

    @property
    def problems(self) -> list[str]:
        """Why the soak failed, as sentences; none: it did not."""
        found = [f"{verdict.tolerance.name} grows" for verdict in self.verdicts if _grows(verdict)]
        if all(verdict.outcome == "unknown" for verdict in self.verdicts):
            found.append("there are too few measurements for a verdict")
        elif self.tally.turns == 0:
            found.append("nobody talked; run it for more hours")
        for failure, count in self.tally.failures.most_common(FAILURES_SHOWN):
            found.append(f"{failure} ({count} times)" if count > 1 else failure)
        return found + [f"the server logged: {fault}" for fault in self.log_faults]

    @property
    def ok(self) -> bool:
        """Whether all stayed flat and everything worked."""
        return not self.problems

    def record(self) -> dict[str, object]:
        return {
            "event": "summary",
            "ok": self.ok,
            "hours": self.options.hours,
            "factor": self.options.factor,
            "devices": self.options.devices,
            "seconds": round(self.seconds, 1),
            "turns": self.tally.turns,
            "requests": self.tally.requests,
            "actions": dict(self.tally.actions),
            "uneven_audio": self.tally.uneven,
            "repeated": self.tally.repeated,
            "late_s": round(self.late_s, 2),
            "verdicts": {
                verdict.tolerance.name: {
                    "outcome": verdict.outcome,
                    "first": verdict.first,
                    "before": verdict.before,
                    "after": verdict.after,
                    "last": verdict.last,
                    "highest": verdict.highest,
                    "allowed": verdict.allowed,
                }
                for verdict in self.verdicts
            },
            "problems": self.problems,
        }


def _grows(verdict: MeasureVerdict) -> bool:
    return verdict.outcome == "grows"


async def run(
    options: SoakRunOptions,
    on_measured: Callable[[Measurement], None] = lambda _one: None,
    on_progress: Callable[[float], None] = lambda _share: None,
) -> SoakResult:
    """Run a soak. ``on_progress`` gets the share that is done, 0 to 1.

    Raises SoakError when the server does not start or dies, ValueError, as a sentence, for a soak
    beyond its bounds.
    """
    actions = options.plan()
    sounds = await asyncio.to_thread(Sounds.make)
    with tempfile.TemporaryDirectory(prefix="lobug-soak-") as folder:
        async with own_server(options, Path(folder)) as server:
            soak = _Soak(options, server, sounds, on_measured, on_progress)
            await soak.run(actions)
        soak.result.log_faults = log_faults(Path(folder) / "server.log")
        return soak.result


class _Soak:
    """A soak under way."""

    def __init__(
        self,
        options: SoakRunOptions,
        server: ServerProcess,
        sounds: Sounds,
        on_measured: Callable[[Measurement], None],
        on_progress: Callable[[float], None],
    ) -> None:
        self._options = options
        self._server = server
        self._on_measured = on_measured
        self._on_progress = on_progress
        self.result = SoakResult(options, Tally())
        self._devices = [
            SoakDevice(index, server.address, sounds, self.result.tally, options.seed)
            for index in range(options.devices)
        ]
        self._awake = asyncio.Event()
        """Not set while the devices rest."""
        self._at_work = 0
        self._nobody_at_work = asyncio.Event()
        self._nobody_at_work.set()
        self._began = 0.0
        self._rested_s = 0.0
        """Real seconds of rests so far; the simulated day stands still in them."""

    def _now_s(self) -> float:
        """Simulated seconds since the beginning, by the devices' day."""
        return (time.monotonic() - self._began - self._rested_s) * self._options.factor

    async def run(self, actions: Sequence[PlannedAction]) -> None:
        by_device: dict[int, list[PlannedAction]] = {}
        for action in actions:
            by_device.setdefault(action.device, []).append(action)
        self._began = time.monotonic()
        async with AsyncExitStack() as stack:
            for device in self._devices:
                await stack.enter_async_context(device)
            self._awake.set()
            await self._rest()
            async with asyncio.TaskGroup() as group:
                days = [
                    group.create_task(self._run_day(device, by_device.get(device.index, ())))
                    for device in self._devices
                ]
                beats = [
                    group.create_task(self._run_heartbeats(device)) for device in self._devices
                ]
                await self._run_rests()
                await asyncio.wait(days)
                for task in beats:
                    task.cancel()
        self.result.seconds = time.monotonic() - self._began

    async def _run_rests(self) -> None:
        end_s = self._options.hours * HOUR_S
        for number in range(1, self._options.rests + 1):
            due_s = end_s * number / self._options.rests
            while (left_s := due_s - self._now_s()) > 0:
                await asyncio.sleep(min(1.0, left_s / self._options.factor))
                self._on_progress(min(1.0, self._now_s() / end_s))
            await self._rest()

    async def _run_day(self, device: SoakDevice, actions: Sequence[PlannedAction]) -> None:
        for planned in actions:
            while (left_s := planned.at_s - self._now_s()) > 0 or not self._awake.is_set():
                await asyncio.sleep(max(0.0, left_s) / self._options.factor)
                await self._awake.wait()
            late_s = (self._now_s() - planned.at_s) / self._options.factor
            self.result.late_s = max(self.result.late_s, late_s)
            with self._work():
                await device.do(planned.action)

    async def _run_heartbeats(self, device: SoakDevice) -> None:
        period_s = max(requests.SENSOR_PERIOD_S / self._options.factor, HEARTBEAT_S)
        if self._options.factor == 1:
            period_s = requests.SENSOR_PERIOD_S
        beats_per_check = round(requests.HEALTH_PERIOD_S / requests.SENSOR_PERIOD_S)
        await asyncio.sleep(period_s * device.index / self._options.devices)
        beats = 0
        while True:
            await self._awake.wait()
            with self._work():
                await device.beat()
                beats += 1
                if beats % beats_per_check == 0:
                    await device.check_health()
            await asyncio.sleep(period_s)

    @contextmanager
    def _work(self) -> Iterator[None]:
        """An action of a device. A rest waits for its end."""
        self._at_work += 1
        self._nobody_at_work.clear()
        try:
            yield
        finally:
            self._at_work -= 1
            if self._at_work == 0:
                self._nobody_at_work.set()

    async def _rest(self) -> None:
        """Let the devices finish and hang up, wait until the server is idle, measure it."""
        self._awake.clear()
        began, at_s = time.monotonic(), self._now_s()
        await self._nobody_at_work.wait()
        for device in self._devices:
            await device.hang_up()
        before = await self._server.look()
        quiet_since = time.monotonic()
        while time.monotonic() < quiet_since + REST_S:
            await asyncio.sleep(_LOOK_S)
            now = await self._server.look()
            enough = time.monotonic() > quiet_since + _WORK_S
            if at_rest(before, now) and (now["pending_tasks"] == 0 or enough):
                break
            before = now
        values = await self._server.measured()
        one = Measurement(max(0.0, at_s), self.result.tally.turns, values)
        self.result.measurements.append(one)
        self._on_measured(one)
        self._rested_s += time.monotonic() - began
        self._awake.set()
