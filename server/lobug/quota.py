"""Shares scarce resources between people: how much each may hold, and who comes next. Pure.

There are two kinds of callers. Privileged ones are the owner (at this computer, or with an owner's
token) and the paired devices. All others are guests: people and scripts with an ordinary token, and
callers from a trusted network.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from lobug.errors import BusyError, LobugError, TooManyRequestsError

T = TypeVar("T")

PRIVILEGED_IN_A_ROW = 3
"""Most places given to privileged callers in a row while a guest waits; the next is the guest's."""


@dataclass(frozen=True, slots=True)
class Claimant:
    """A caller that asks for a share."""

    person: str
    """The user's name in memory."""
    privileged: bool = False
    """Whether it is the owner or a paired device."""


@dataclass(frozen=True, slots=True)
class Quota:
    """How much of a resource may be held at once."""

    total: int
    """By all together."""
    per_person: int
    """By one person. A person's devices and ordinary tokens are counted separately, so that a token
    which was passed on cannot block the devices."""
    reserved_part: float
    """Part of ``total``, 0 to 1, that only privileged callers may take."""

    @property
    def for_guests(self) -> int:
        """The most that all guests together may hold."""
        return self.total - int(self.total * self.reserved_part)


class QuotaLedger:
    """Counts how much of a resource each caller holds, and checks it against a quota."""

    def __init__(self, quota: Quota, what: str) -> None:
        """``what``: the resource's name in the plural, for the errors' texts."""
        self._quota = quota
        self._what = what
        self._held: Counter[Claimant] = Counter()
        self._by_guests = 0
        self.held = 0
        """By all together."""

    def refusal(self, claimant: Claimant, amount: int = 1) -> LobugError | None:
        """Why ``claimant`` may not take ``amount`` more; None: it may.

        TooManyRequestsError if it would hold more than one person may, BusyError if others hold too
        much.
        """
        quota = self._quota
        if self._held[claimant] + amount > quota.per_person:
            return TooManyRequestsError(
                f"one caller may have {quota.per_person} {self._what} at once"
            )
        full = self.held + amount > quota.total
        guests_full = not claimant.privileged and self._by_guests + amount > quota.for_guests
        if full or guests_full:
            return BusyError(f"there are {self.held} {self._what} already")
        return None

    def take(self, claimant: Claimant, amount: int = 1) -> None:
        """Count ``amount`` more for ``claimant``, without checking the quota."""
        self._held[claimant] += amount
        self._by_guests += 0 if claimant.privileged else amount
        self.held += amount

    def give_back(self, claimant: Claimant, amount: int = 1) -> None:
        """Count ``amount`` less for ``claimant``."""
        self._held[claimant] -= amount
        if not self._held[claimant]:
            del self._held[claimant]
        self._by_guests -= 0 if claimant.privileged else amount
        self.held -= amount


class Rotation(Generic[T]):
    """The queue of those who wait for a free place.

    Persons are served in rotation, and the requests of one person in order, so that a person with a
    hundred requests delays another one by a single request. Privileged callers come before guests,
    because a person who talks to a device is more urgent than a script. After
    ``PRIVILEGED_IN_A_ROW`` of them a waiting guest is next, so that many devices slow guests down
    but never block them.
    """

    def __init__(self) -> None:
        self._queues: dict[bool, OrderedDict[str, deque[T]]] = {
            True: OrderedDict(),
            False: OrderedDict(),
        }
        self._in_a_row = 0

    def join(self, claimant: Claimant, waiter: T) -> None:
        """Add a waiter after the same person's others; a new person comes after all persons."""
        self._queues[claimant.privileged].setdefault(claimant.person, deque()).append(waiter)

    def leave(self, claimant: Claimant, waiter: T) -> None:
        """Remove a waiter. Does nothing if it does not wait."""
        persons = self._queues[claimant.privileged]
        queue = persons.get(claimant.person)
        if queue is not None and waiter in queue:
            queue.remove(waiter)
            if not queue:
                del persons[claimant.person]

    def pop(self, wanted: Callable[[T], bool] = lambda _: True) -> T | None:
        """Take out the next waiter; None: nobody waits. Waiters for which ``wanted`` is False are
        dropped."""
        while (waiter := self._pop()) is not None:
            if wanted(waiter):
                return waiter
        return None

    def _pop(self) -> T | None:
        guests_turn = self._in_a_row >= PRIVILEGED_IN_A_ROW and bool(self._queues[False])
        privileged = bool(self._queues[True]) and not guests_turn
        persons = self._queues[privileged]
        if not persons:
            return None
        self._in_a_row = self._in_a_row + 1 if privileged else 0
        person, queue = persons.popitem(last=False)
        waiter = queue.popleft()
        if queue:
            persons[person] = queue
        return waiter
