"""Several servers of one job: which of them is asked, and in which order. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
    fault: str = ""
    """What the last request failed with, for the owner; empty: it succeeded."""

    def answered(self) -> Replica:
        """A request succeeded."""
        return replace(self, failures=0, rests_until=0.0, fault="")

    def failed(self, now: float, fault: str = "") -> Replica:
        """A request failed. Those that fail together count as one: nobody knew when they began."""
        if now < self.rests_until:
            return self
        failures = self.failures + 1
        rests_until = now + REST.pause_s(failures)
        return replace(self, failures=failures, rests_until=rests_until, fault=fault)

    def is_well(self, now: float) -> bool:
        """Whether it is asked like any other. After its rest one request finds out whether it
        answers again; until then the others go elsewhere."""
        on_trial = self.failures > 0 and self.under_way > 0
        return self.ready and now >= self.rests_until and not on_trial


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


def free(
    replicas: Sequence[Replica],
    lane: str | None,
    now: float,
    most: int | None,
    *,
    tried: Collection[int] = (),
    only_well: bool = False,
) -> list[int]:
    """Return the places of the servers that may be asked now, as ``preferred`` orders them; empty:
    the request has to wait.

    While every server that is well is busy the others are not asked: waiting for a place is better
    than waiting for a time-out.

    Args:
        most: requests that one server works on at a time; None: any number.
        tried: places of servers that the request was sent to already.
        only_well: servers that are not well are not asked at all.
    """
    order = [place for place in preferred(replicas, lane, now) if place not in tried]
    well = [place for place in order if replicas[place].is_well(now)]

    def with_room(places: Sequence[int]) -> list[int]:
        return [place for place in places if most is None or replicas[place].under_way < most]

    if only_well or (well and not with_room(well)):
        return with_room(well)
    return with_room(order)
