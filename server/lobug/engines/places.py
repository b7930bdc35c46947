"""The places at several servers of one job: how many requests each works on, who waits for a place,
and which servers rest because they failed. ``replicas`` decides who goes where.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from lobug.engines.base import Engine
from lobug.engines.model_server import without_password
from lobug.engines.replicas import Replica, free, preferred
from lobug.errors import EngineBusyError, EngineError, EngineUnavailableError

log = logging.getLogger(__name__)

LOOK_EVERY_S = 0.25
"""How often those who wait look whether a server is well again that they may go to, seconds: no
request ends when it recovers."""


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """How much a pool asks of its servers."""

    max_requests: int | None = None
    """Requests that one server works on at a time; None: any number."""
    max_waiting: int | None = None
    """Requests that may wait for a place, for each server; None: any number."""
    wait_s: float = math.inf
    """Longest wait for a place, seconds."""
    hedge_s: float = 0.0
    """A second server is asked when the first has not begun its answer after this long, seconds;
    0: never."""
    whole_s: float = 60.0
    """How long after the beginning of a request further servers are asked, seconds."""
    rests: bool = True
    """Whether a server that failed a request rests (``Replica.failed``). False: its engine's status
    says when it is to be asked again."""

    @property
    def fair_s(self) -> float:
        """A server that had this long and did not answer has failed, seconds."""
        return min(self.wait_s, self.whole_s)


@dataclass(frozen=True, slots=True)
class Wish:
    """Where a request may go."""

    lane: str | None = None
    tried: Collection[int] = ()
    """Places of the servers that it was sent to already."""
    only_well: bool = False
    """Whether it goes to no server that is not well."""


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    wish: Wish
    place: asyncio.Future[int]


class Places:
    """The places at the servers of one pool."""

    def __init__(
        self,
        job: str,
        engines: Mapping[str, Engine],
        limits: PoolLimits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``engines``: by address. ``job`` is what errors and log lines name."""
        self._job = job
        self._engines = tuple(engines.values())
        self._limits = limits
        self._clock = clock
        self._states = [Replica(address) for address in engines]
        self._waiters: deque[_Waiter] = deque()
        """The first came first."""
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def waiting(self) -> int:
        """Requests that wait for a place."""
        return len(self._waiters)

    def open(self) -> None:
        """Let requests in, again after ``close``."""
        self._closed = False

    def close(self) -> None:
        """Refuse those who wait, and those who come."""
        self._closed = True
        self._serve()

    def known(self) -> list[Replica]:
        """The state of each server, with what its engine's own probes have found."""
        return [
            replace(state, ready=engine.status().ready)
            for state, engine in zip(self._states, self._engines, strict=True)
        ]

    @property
    def any_well(self) -> bool:
        """Whether a server is expected to answer."""
        now = self._clock()
        return any(state.is_well(now) for state in self.known())

    def first_choice(self, lane: str | None) -> int:
        """Where a request of ``lane`` would go if all servers had a place."""
        return preferred(self.known(), lane, self._clock())[0]

    async def take(self, wish: Wish, wait_s: float) -> int:
        """Return a server's place, which is taken until ``give_back``. Who came first is served
        first, of those who wait for the same server.

        Raises EngineBusyError when too many wait already, or nothing is free for ``wait_s``
        seconds; EngineUnavailableError when there is no server left that it may go to, or the pool
        is closed.
        """
        waiter = _Waiter(wish, asyncio.get_running_loop().create_future())
        before = len(self._waiters)
        self._waiters.append(waiter)
        self._serve()
        if waiter.place.done():
            return waiter.place.result()
        most = self._limits.max_waiting
        if most is not None and before >= most * len(self._states):
            self._waiters.remove(waiter)
            raise EngineBusyError(self._job, f"{before} requests wait already")
        self._look_later()
        try:
            async with asyncio.timeout(wait_s if math.isfinite(wait_s) else None):
                return await waiter.place
        except TimeoutError:
            self._leave(waiter)
            why = f"all servers are busy for longer than {wait_s:.3g} s"
            raise EngineBusyError(self._job, why) from None
        except BaseException:
            self._leave(waiter)
            raise

    def take_now(self, wish: Wish) -> int | None:
        """Take a place at a server that is well, if there is one at once."""
        now = self._clock()
        found = free(
            self.known(),
            wish.lane,
            now,
            self._limits.max_requests,
            tried=wish.tried,
            only_well=True,
        )
        if not found or self._closed:
            return None
        self._change(found[0], +1)
        return found[0]

    def give_back(self, places: Sequence[int]) -> None:
        """Give places back, which may be the next ones' at once."""
        for place in places:
            self._change(place, -1)
        self._serve()

    def failed(self, place: int, error: EngineError) -> None:
        """Note that a server failed a request."""
        if not self._limits.rests:
            return
        before = self._states[place]
        self._states[place] = before.failed(self._clock(), str(error))
        if not before.failures:
            where = without_password(before.address)
            what = str(error) if where in str(error) else f"{error} ({where})"
            log.warning("%s; the other servers are asked first", what)

    def answered(self, place: int) -> None:
        """Note that a server answered a request."""
        before = self._states[place]
        self._states[place] = before.answered()
        if before.failures:
            where = without_password(before.address)
            log.info("%s: %s answers again", self._job, where)

    def _serve(self) -> None:
        """Give what is free to those who wait, in the order in which they came."""
        most, now = self._limits.max_requests, self._clock()
        known = self.known()
        for waiter in tuple(self._waiters):
            if waiter.place.done():
                continue  # it has given up, and says so soon
            wish = waiter.wish
            if self._closed:
                self._refuse(waiter, "it is being stopped")
                continue
            full = most is not None and all(state.under_way >= most for state in known)
            if full and any(state.is_well(now) for state in known):
                return  # spares looking at each of a long queue
            found = free(known, wish.lane, now, most, tried=wish.tried, only_well=wish.only_well)
            if found:
                self._change(found[0], +1)
                known[found[0]] = replace(
                    known[found[0]], under_way=self._states[found[0]].under_way
                )
                self._waiters.remove(waiter)
                waiter.place.set_result(found[0])
            elif wish.only_well and not any(
                state.is_well(now) for place, state in enumerate(known) if place not in wish.tried
            ):
                self._refuse(waiter, "no server answers")

    def _refuse(self, waiter: _Waiter, why: str) -> None:
        self._waiters.remove(waiter)
        waiter.place.set_exception(EngineUnavailableError(self._job, why))

    def _leave(self, waiter: _Waiter) -> None:
        """Stop waiting. A place that was given in the same moment goes to the next."""
        place = waiter.place
        if waiter in self._waiters:
            self._waiters.remove(waiter)
        elif place.done() and not place.cancelled() and place.exception() is None:
            self.give_back([place.result()])

    def _look_later(self) -> None:
        if self._timer is None and self._waiters:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(LOOK_EVERY_S, self._look)

    def _look(self) -> None:
        self._timer = None
        self._serve()
        self._look_later()

    def _change(self, place: int, by: int) -> None:
        state = self._states[place]
        self._states[place] = replace(state, under_way=state.under_way + by)
