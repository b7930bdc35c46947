"""Which connections stay open, and which is closed to make room for another. Pure.

A connection costs a descriptor before it has said who it is, and whoever reaches the port can open
thousands. So a new connection always gets in, and where there is no room it replaces the oldest of
the address that holds the most. Whoever fills the room thus pushes out itself, while a caller with
something to say has said it, and shown its token, long before it becomes the oldest.

Connections wait in one of three pools until they show what lets them in. Loopback has a pool of its
own, and so have the addresses from which a good token came lately: strangers cannot fill those.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

from lobug.settings.conversation import LimitSettings

FAMILIAR_FOR_S = 24 * 3600.0
"""How long an address is remembered after a good token came from there, seconds."""

MAX_FAMILIAR = 1_024
"""Addresses remembered at once; the one that was silent longest is forgotten first."""

LOOPBACK = "loopback"
"""The source of all connections from this computer, and the caller behind those without a token."""

WaitingPool = Literal["stranger", "familiar", "loopback"]


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many connections there is room for. Counts."""

    strangers: int
    """Without a good token, from all addresses that are not familiar."""
    familiar: int
    """The same, from addresses from which a good token came lately."""
    loopback: int
    """The same, from this computer."""
    per_address: int
    """Of the first two, from one address."""
    known: int
    """Whose caller is known."""
    reserved: int
    """Of ``known``: those that only the owner and paired devices may take."""
    per_caller: int
    """Of ``known``, for one caller. The owner at this computer is not held to it."""
    accepts_at_once: int
    """Connections that are accepted in one step of the event loop."""


ACCEPT_STEPS = 4
"""Steps of the event loop from a connection's acceptance until it can be closed again: as many
bursts of accepted connections hold descriptors beyond what the pools count."""


def capacity_for(descriptors: int, limits: LimitSettings) -> Capacity:
    """Share out the descriptors that this process may open: at most 256, or half of them, are left
    to files and to connections of its own."""
    accepts_at_once = min(32, max(1, descriptors // 32))
    room = max(0, descriptors - min(256, descriptors // 2) - accepts_at_once * ACCEPT_STEPS)
    strangers = max(2, min(limits.max_unknown_connections, room // 4))
    loopback = max(2, min(64, room // 8))
    known = max(2, room - 2 * strangers - loopback)
    return Capacity(
        strangers=strangers,
        familiar=strangers,
        loopback=loopback,
        per_address=max(1, min(limits.max_unknown_per_address, strangers)),
        known=known,
        reserved=min(64, known // 4),
        per_caller=limits.max_connections_per_caller,
        accepts_at_once=accepts_at_once,
    )


class ConnectionLedger:
    """All open connections. Each has a number, larger than those of all before it."""

    def __init__(self, capacity: Capacity) -> None:
        self._capacity = capacity
        self._size: dict[WaitingPool, int] = {
            "stranger": capacity.strangers,
            "familiar": capacity.familiar,
            "loopback": capacity.loopback,
        }
        self._waiting: dict[WaitingPool, dict[str, dict[int, None]]] = {
            pool: {} for pool in self._size
        }
        """By pool and source, the oldest first."""
        self._known: dict[str, set[int]] = {}
        """By caller."""
        self._pool_of: dict[int, WaitingPool] = {}
        self._caller_of: dict[int, str] = {}
        self._source_of: dict[int, str] = {}
        self._familiar: OrderedDict[str, float] = OrderedDict()
        """By source, when a good token came from there last; the latest at the end."""

    def open(self, number: int, source: str, now: float) -> list[int]:
        """A connection was made. ``source``: ``LOOPBACK``, or what ``access.source_of`` makes of
        the address; ``now``: seconds of a clock that never goes back. Returns which connections
        are to be closed for it."""
        self._source_of[number] = source
        return self._wait(number, now)

    def recognize(
        self, number: int, caller: str, *, now: float, reserved: bool = False, token: bool = False
    ) -> bool:
        """The caller behind a connection is known from now on. False: it has too many already, and
        this one goes on waiting.

        Args:
            number: the connection.
            caller: what its connections are counted by.
            now: as in ``open``.
            reserved: whether it is the owner or a paired device.
            token: whether it showed a good token, or needs none in its network: its address is
                familiar from then on.
        """
        source = self._source_of.get(number)
        if source is None:
            return True  # it was closed to make room; what it asked for ends with it
        if token and source != LOOPBACK:
            self._familiar[source] = now
            self._familiar.move_to_end(source)
            if len(self._familiar) > MAX_FAMILIAR:
                self._familiar.popitem(last=False)
        if self._caller_of.get(number) == caller:
            return True
        if not self._has_room(number, caller, reserved=reserved):
            return False
        self._remove(number)
        self._known.setdefault(caller, set()).add(number)
        self._caller_of[number] = caller
        return True

    def disown(self, number: int, now: float) -> list[int]:
        """The last request of a connection did not show who sent it. Returns which connections are
        to be closed."""
        if number not in self._caller_of:
            return []
        self._remove(number)
        return self._wait(number, now)

    def close(self, number: int) -> None:
        """A connection has ended, or is about to. One that is not counted is passed over."""
        self._remove(number)
        self._source_of.pop(number, None)

    def shed(self, count: int) -> list[int]:
        """At most ``count`` connections to be closed since descriptors ran out: of strangers first,
        of loopback never."""
        victims: list[int] = []
        for pool in ("stranger", "familiar"):
            while len(victims) < count and (self._waiting[pool]):
                victims.append(self._evict(pool))
        return victims

    @property
    def known(self) -> int:
        """Connections whose caller is known."""
        return len(self._caller_of)

    def waiting(self, pool: WaitingPool) -> int:
        """Connections of a pool whose caller is not known."""
        return sum(map(len, self._waiting[pool].values()))

    def source(self, number: int) -> str:
        """Where an open connection comes from; ``unknown`` when it is not counted."""
        return self._source_of.get(number, "unknown")

    def _wait(self, number: int, now: float) -> list[int]:
        source = self._source_of[number]
        pool = self._pool_for(source, now)
        of_source = self._waiting[pool].setdefault(source, {})
        of_source[number] = None
        self._pool_of[number] = pool
        if pool != "loopback" and len(of_source) > self._capacity.per_address:
            return [self._evict(pool, source)]
        if self.waiting(pool) > self._size[pool]:
            return [self._evict(pool)]
        return []

    def _pool_for(self, source: str, now: float) -> WaitingPool:
        if source == LOOPBACK:
            return "loopback"
        seen = self._familiar.get(source)
        return "familiar" if seen is not None and now - seen < FAMILIAR_FOR_S else "stranger"

    def _has_room(self, number: int, caller: str, *, reserved: bool) -> bool:
        known = self.known - (number in self._caller_of)
        kept = 0 if reserved else self._capacity.reserved
        if known >= self._capacity.known - kept:
            return False
        return caller == LOOPBACK or len(self._known.get(caller, ())) < self._capacity.per_caller

    def _evict(self, pool: WaitingPool, source: str | None = None) -> int:
        """Take the oldest connection of a source out, by default of the one with the most; of two
        with as many, of the one that came first."""
        sources = self._waiting[pool]
        if source is None:
            source = max(sources, key=lambda s: (len(sources[s]), -next(iter(sources[s]))))
        victim = next(iter(sources[source]))
        self._remove(victim)
        return victim

    def _remove(self, number: int) -> None:
        pool = self._pool_of.pop(number, None)
        if pool is not None:
            source = self._source_of[number]
            of_source = self._waiting[pool][source]
            del of_source[number]
            if not of_source:
                del self._waiting[pool][source]
        caller = self._caller_of.pop(number, None)
        if caller is not None:
            self._known[caller].discard(number)
            if not self._known[caller]:
                del self._known[caller]
