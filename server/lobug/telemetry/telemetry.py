"""``Telemetry``, to which turns, devices and the event loop report; the log of the last turns."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice

from prometheus_client import ProcessCollector
from prometheus_client.exposition import choose_encoder

from lobug.settings.server import TelemetrySettings
from lobug.telemetry.metrics import Metrics, ServerState, StateCollector
from lobug.turn.timeline import STAGES, Timeline

log = logging.getLogger(__name__)

LAG_WINDOW_S = 60.0
"""Seconds over which the longest lag is reported; more than the usual time between two scrapes."""


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """A turn that has ended. Its timeline may still get a late mark, for example of playback."""

    timeline: Timeline
    finished_at: float
    """Seconds since the epoch."""


class TurnLog:
    """Keeps the last ``keep`` turns, in memory only."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._turns: OrderedDict[str, FinishedTurn] = OrderedDict()

    def add(self, turn: FinishedTurn) -> None:
        """Add a turn, and drop the oldest beyond ``keep``."""
        self._turns[turn.timeline.id] = turn
        while len(self._turns) > self._keep:
            self._turns.popitem(last=False)

    def newest(self, limit: int) -> Sequence[FinishedTurn]:
        """Return at most ``limit`` turns, the newest first."""
        return list(islice(reversed(self._turns.values()), limit))

    def get(self, turn_id: str) -> FinishedTurn | None:
        """Return a turn; None: it is unknown or no longer kept."""
        return self._turns.get(turn_id)


class LagWindow:
    """The longest lag of the last ``seconds`` seconds."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        # Decreasing lags: a lag that is shorter than a later one can never be the longest.
        self._lags: deque[tuple[float, float]] = deque()

    def add(self, lag_s: float) -> None:
        """Add a lag that was measured now, seconds."""
        while self._lags and self._lags[-1][1] <= lag_s:
            self._lags.pop()
        self._lags.append((self._clock(), lag_s))
        self._drop_old()

    def longest(self) -> float:
        """Return the longest lag, seconds; 0 when none was measured."""
        self._drop_old()
        return self._lags[0][1] if self._lags else 0.0

    def _drop_old(self) -> None:
        oldest = self._clock() - self._seconds
        while self._lags and self._lags[0][0] < oldest:
            self._lags.popleft()


async def watch_loop(
    observe: Callable[[float], None],
    every_s: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Measure the event loop's lag every ``every_s`` seconds until cancelled.

    ``observe`` gets each lag: the seconds by which a sleep lasted longer than requested.
    """
    while True:
        due = clock() + every_s
        await sleep(every_s)
        observe(max(0.0, clock() - due))


class Telemetry:
    """Telemetry of one server."""

    def __init__(
        self,
        settings: TelemetrySettings,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._wall = wall
        self._sleep = sleep
        self._lags = LagWindow(LAG_WINDOW_S, clock)
        self.turns = TurnLog(settings.turns_kept)
        self.metrics = Metrics(self._lags.longest)
        self._state = StateCollector()
        self.metrics.registry.register(self._state)
        ProcessCollector(registry=self.metrics.registry)

    def finished(self, timeline: Timeline) -> FinishedTurn:
        """Record a turn that has ended, with any outcome. Its later marks are counted too."""
        turn = FinishedTurn(timeline, self._wall())
        self.turns.add(turn)
        self.metrics.turn_finished(timeline)
        timeline.on_late_mark(partial(self.metrics.stage_ended, timeline))
        log.info("turn over: %s", describe(timeline))
        return turn

    @contextmanager
    def connected_device(self) -> Iterator[None]:
        """Count a device as connected while the context is open."""
        with self.metrics.connected_device():
            yield

    @contextmanager
    def talking_device(self) -> Iterator[None]:
        """Count a device as talking while the context is open."""
        with self.metrics.talking_device():
            yield

    def audio_received(self, frames: int = 1) -> None:
        """Count audio frames from a device."""
        self.metrics.frames_in.inc(frames)

    def audio_sent(self, frames: int = 1) -> None:
        """Count audio frames to a device."""
        self.metrics.frames_out.inc(frames)

    async def watch_loop(self) -> None:
        """Measure the event loop's lag until cancelled."""
        every_s = self._settings.loop_lag_every_s
        await watch_loop(self._take_lag, every_s, self._clock, self._sleep)

    async def exposition(self, state: ServerState, accept: str) -> tuple[bytes, str]:
        """Return all metrics in the format that the ``Accept`` header asks for, and its media
        type."""
        self._state.state = state
        encode, media_type = choose_encoder(accept)
        # Thousands of lines: encoded in a thread, so that audio is not delayed.
        return await asyncio.to_thread(encode, self.metrics.registry), media_type

    def _take_lag(self, lag_s: float) -> None:
        self._lags.add(lag_s)
        self.metrics.loop_lag(lag_s)


def describe(timeline: Timeline) -> str:
    """Return a turn as one log line: outcome, counts and stage times in seconds. Pure."""
    counts = timeline.counts
    timings = timeline.timings()
    parts = [f"door={timeline.door}", f"outcome={timeline.outcome}"]
    if timeline.error is not None:
        parts.append(f"error={timeline.error}")
    parts.append(f"heard={counts.heard_characters}")
    parts.append(f"reply={counts.reply_characters}")
    if counts.speculations_started:
        parts.append(f"speculations={counts.speculations_started}")
        parts.append(f"discarded={counts.speculations_discarded}")
    parts += [f"{stage}={timings[stage]:.3f}" for stage in STAGES if stage in timings]
    return " ".join(parts)
