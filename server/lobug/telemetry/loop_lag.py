"""How late the event loop is: the time by which a sleep lasts longer than it was meant to."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable


class LagWindow:
    """The longest lag of the last ``seconds`` seconds."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        # Lags that fall: whatever is shorter than a later one can never be the longest again.
        self._lags: deque[tuple[float, float]] = deque()

    def add(self, lag_s: float) -> None:
        """Take a lag that was measured now."""
        while self._lags and self._lags[-1][1] <= lag_s:
            self._lags.pop()
        self._lags.append((self._clock(), lag_s))
        self._drop_old()

    def longest(self) -> float:
        """Seconds; 0 when nothing was measured."""
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
    """Give ``observe`` the event loop's lag, seconds, every ``every_s`` seconds until cancelled."""
    while True:
        due = clock() + every_s
        await sleep(every_s)
        observe(max(0.0, clock() - due))
