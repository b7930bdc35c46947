"""The ledger of connections: which stay open, and which is evicted for another. Pure.

A connection takes a descriptor before its caller is known, and anyone who reaches the port can open
thousands. So a new connection is always accepted; when its pool is full it replaces the oldest
connection of the address that has the most. A flooding address thus evicts its own connections,
while an honest caller has sent its token long before its connection becomes the oldest.

A connection is in one of three pools until its caller is known. Loopback has its own pool, and
so have familiar addresses, from which a good token came lately; strangers cannot fill those.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

from lobug.settings.conversation import LimitSettings

FAMILIAR_FOR_S = 24 * 3600.0
"""How long an address is familiar after a good token came from it, seconds."""

MAX_FAMILIAR = 1_024
"""Most familiar addresses; the one whose last token is oldest is dropped first."""

LOOPBACK = "loopback"
"""The source of all connections from this computer, and the caller of those without a token."""

WaitingPool = Literal["stranger", "familiar", "loopback"]


@dataclass(frozen=True, slots=True)
class Capacity:
    """Most connections of each kind."""

    strangers: int
    """Without a good token, from addresses that are not familiar."""
    familiar: int
    """Without a good token, from familiar addresses."""
    loopback: int
    """Without a good token, from this computer."""
    per_address: int
    """Of strangers and of familiar connections, from one address."""
    known: int
    """With a known caller."""
    reserved: int
    """Of ``known``, for the owner and paired devices only."""
    per_caller: int
    """Of ``known``, for one caller. It does not apply to the owner at this computer."""
    accepts_at_once: int
    """Accepted in one step of the event loop."""


ACCEPT_STEPS = 4
"""Steps of the event loop from a connection's acceptance until it can be closed again; the
connections accepted in these steps hold descriptors beyond those that the pools count."""


def capacity_for(descriptors: int, limits: LimitSettings) -> Capacity:
    """Divide this process's file descriptors among the kinds of connections. 256, but at most half
    of them, remain for files and for outgoing connections."""
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
    """All open connections. Each has a number larger than those of earlier ones."""

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
        """By source, the time of its last good token; the latest at the end."""

    def open(self, number: int, source: str, now: float) -> list[int]:
        """Add a connection; return the connections to close for it. ``source``: ``LOOPBACK``, or
        ``access.addresses.source_of`` the address; ``now``: monotonic seconds."""
        self._source_of[number] = source
        return self._wait(number, now)

    def recognize(
        self, number: int, caller: str, *, now: float, reserved: bool = False, token: bool = False
    ) -> bool:
        """Record the caller of a connection. False: the caller has too many connections, and this
        one stays in its pool.

        Args:
            number: the connection.
            caller: the key by which the caller's connections are counted.
            now: as in ``open``.
            reserved: whether it is the owner or a paired device.
            token: whether it sent a good token, or needs none in its network, so that its address
                becomes familiar.
        """
        source = self._source_of.get(number)
        if source is None:
            return True  # evicted already; its request ends with it
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
        """Record that the caller of a connection's last request is unknown. Returns the connections
        to close."""
        if number not in self._caller_of:
            return []
        self._remove(number)
        return self._wait(number, now)

    def close(self, number: int) -> None:
        """Remove a connection; ignores one that is not counted."""
        self._remove(number)
        self._source_of.pop(number, None)

    def shed(self, count: int) -> list[int]:
        """Evict at most ``count`` connections because no descriptor is free, strangers first;
        never evicts loopback. Returns the connections to close."""
        victims: list[int] = []
        for pool in ("stranger", "familiar"):
            while len(victims) < count and (self._waiting[pool]):
                victims.append(self._evict(pool))
        return victims

    @property
    def known(self) -> int:
        """Number of connections with a known caller."""
        return len(self._caller_of)

    def waiting(self, pool: WaitingPool) -> int:
        """Number of connections in a pool."""
        return sum(map(len, self._waiting[pool].values()))

    def source(self, number: int) -> str:
        """Return the source of a connection; ``unknown`` when it is not counted."""
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
        """Remove the oldest connection of a source and return it. By default the source is the one
        with the most connections, and of equals the one whose oldest connection is oldest."""
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
