"""A soak: devices use a server for a simulated day, and the server's resources are measured.

The server runs in a child process with scripted engines and a temporary data folder, so nobody's
memories are touched. Its wall clock runs ``factor`` times as fast as the real one: by it sessions
end, old data is erased and codes expire. Speech takes its real time.

At evenly spread rests every device hangs up and waits until the server is idle; then the server is
measured. ``flatness`` judges the measurements.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from lobug.simulator.http import wire
from lobug.simulator.soak import flatness
from lobug.simulator.soak.device import SoakDevice, Sounds, Tally
from lobug.simulator.soak.flatness import Measurement, Verdict
from lobug.simulator.soak.plan import (
    HOUR_S,
    PlannedAction,
    SoakRunOptions,
)
from lobug.simulator.soak.server import (
    FAILURES_SHOWN,
    REST_S,
    ServerProcess,
    at_rest,
    log_faults,
    own_server,
)

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
    log_lines: list[str] = field(default_factory=list)
    """The first errors and stack traces of the server's log."""

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdict on each measure."""
        return flatness.judge(self.measurements)

    @property
    def problems(self) -> list[str]:
        """Why the soak failed, as sentences; none: it did not."""
        found = [f"{verdict.tolerance.name} grows" for verdict in self.verdicts if _grows(verdict)]
        if all(verdict.outcome == "unknown" for verdict in self.verdicts):
            found.append("there are too few measurements to tell anything")
        elif self.tally.turns == 0:
            found.append("nobody talked: give it more hours")
        for failure, count in self.tally.failures.most_common(FAILURES_SHOWN):
            found.append(f"{failure} ({count} times)" if count > 1 else failure)
        return found + [f"the server logged: {line}" for line in self.log_lines]

    @property
    def ok(self) -> bool:
        """Whether all stayed flat and everything worked."""
        return not self.problems

    def record(self) -> dict[str, object]:
        """As one JSON object."""
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


def _grows(verdict: Verdict) -> bool:
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
        soak.result.log_lines = log_faults(Path(folder) / "server.log")
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
        period_s = max(wire.SENSOR_PERIOD_S / self._options.factor, HEARTBEAT_S)
        if self._options.factor == 1:
            period_s = wire.SENSOR_PERIOD_S
        beats_per_check = round(wire.HEALTH_PERIOD_S / wire.SENSOR_PERIOD_S)
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

    def _work(self) -> _Work:
        return _Work(self)

    def begin_work(self) -> None:
        """Count an action that begins."""
        self._at_work += 1
        self._nobody_at_work.clear()

    def end_work(self) -> None:
        """Count an action that has ended."""
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


class _Work:
    """An action of a device. A rest waits for its end."""

    def __init__(self, soak: _Soak) -> None:
        self._soak = soak

    def __enter__(self) -> None:
        self._soak.begin_work()

    def __exit__(self, *_error: object) -> None:
        self._soak.end_work()
