"""Several servers of one job: which of them is asked, and in which order. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from lobug.concurrency import Backoff

REST = Backoff(first_s=2.0, longest_s=300.0)
"""How long a server that failed a request is asked only when no other can be. Servers for speech
are left alone for as long (``availability``)."""


@dataclass(frozen=True, slots=True)
class Replica:
    """What is known of one server. Each method returns the next state; ``now`` is a reading of a
    clock, seconds."""

    address: str
    """Identifies it: the same address gets the same lanes, on every server and after each start."""
    ready: bool = True
    """Whether it answered its last probe."""
    under_way: int = 0
    """Requests that it works on."""
    failures: int = 0
    """Requests that failed, since the last that succeeded."""
    rests_until: float = 0.0

    def answered(self) -> Replica:
        """A request succeeded."""
        return replace(self, failures=0, rests_until=0.0)

    def failed(self, now: float) -> Replica:
        """A request failed. Those that fail together count as one: nobody knew when they began."""
        if now < self.rests_until:
            return self
        failures = self.failures + 1
        return replace(self, failures=failures, rests_until=now + REST.pause_s(failures))

    def is_well(self, now: float) -> bool:
        """Whether it is asked like any other."""
        return self.ready and now >= self.rests_until


def rank(lane: str, address: str) -> bytes:
    """How much a lane prefers a server; the highest is asked first (rendezvous hashing). A server
    that goes or comes moves only the lanes that it had or gets."""
    key = f"{len(lane)}:{lane}{address}".encode("utf-8", "surrogatepass")
    return blake2b(key, digest_size=8).digest()


def preferred(replicas: Sequence[Replica], lane: str | None, now: float) -> list[int]:
    """Return the places of all servers, the one to ask first first: those that are well come before
    the others, among these the ones that the lane prefers; without a lane the ones that work on the
    fewest requests, and of several the one that is named first."""

    def liking(place: int) -> int:
        """Lower is better."""
        replica = replicas[place]
        if lane is None:
            return replica.under_way
        return -int.from_bytes(rank(lane, replica.address))

    def order(place: int) -> tuple[bool, int, int]:
        return (not replicas[place].is_well(now), liking(place), place)

    return sorted(range(len(replicas)), key=order)


def free(replicas: Sequence[Replica], lane: str | None, now: float, most: int | None) -> list[int]:
    """Return the places of the servers that may be asked now, as ``preferred`` orders them; empty:
    the request has to wait. ``most``: requests that one works on at a time; None: any number.

    While every server that is well is busy the others are not asked: waiting for a place is better
    than waiting for a time-out.
    """
    order = preferred(replicas, lane, now)
    found = [place for place in order if most is None or replicas[place].under_way < most]
    only_unwell = found and not replicas[found[0]].is_well(now)
    return [] if only_unwell and replicas[order[0]].is_well(now) else found
