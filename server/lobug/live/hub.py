"""Passes notices of what happens to those who watch: the pages of the web house.

A notice says that something has changed; a page fetches what it shows. Publishing never waits: a
watcher that falls behind is cut off, and its page begins again.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lobug.agenda.alerts import Alert
from lobug.live.heard import HeardUtterance
from lobug.memory.model import HOUSEHOLD
from lobug.quota import Claimant, Quota, QuotaLedger
from lobug.telemetry.telemetry import FinishedTurn

Topic = Literal[
    "devices", "alerts", "lists", "notes", "memory", "settings", "health", "browsers", "tokens"
]
"""What may have changed."""

OWNERS_TOPICS: frozenset[Topic] = frozenset({"devices", "settings", "browsers", "tokens"})
"""Topics that only the owner is told of."""

CHANGED_EVERY_S = 0.25
"""Least time between two notices of the same topic, seconds."""

MAX_WAITING = 200
"""Notices that may wait for a watcher; with more it is cut off."""

WATCHERS = Quota(total=64, per_person=16, reserved_part=0.25)
"""How many may watch at once."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Something of a topic has changed."""

    topic: Topic
    user: str | None = None
    """Whose it is, a person or the household; None: nobody's alone, or it is not known."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn is over."""

    turn: FinishedTurn


@dataclass(frozen=True, slots=True)
class WasHeard:
    """An utterance was heard, and what became of it is known."""

    utterance: HeardUtterance


@dataclass(frozen=True, slots=True)
class Rings:
    """What rings for a person has changed."""

    user: str
    alert: Alert | None
    """The oldest that rings and was not silenced; None: nothing rings any more."""


Notice = Changed | TurnEnded | WasHeard | Rings


@dataclass(frozen=True, slots=True)
class Audience:
    """Who watches."""

    user: str
    """The person whose notices are wanted."""
    owner: bool = False
    everybody: bool = False
    """Whether notices of all people are wanted: at the computer that Lo-Bug runs on."""
    household: bool = False
    """Whether the person may see what belongs to the household."""


def concerns(notice: Notice, audience: Audience) -> bool:
    """Whether a watcher is told of a notice. Pure."""
    match notice:
        case TurnEnded():
            return audience.owner
        case Changed(topic=topic) if topic in OWNERS_TOPICS:
            return audience.owner
        case Changed(user=None):
            return True
        case Changed(user=user):
            shared = user == HOUSEHOLD and audience.household
            return shared or audience.everybody or user == audience.user
        case WasHeard(utterance=utterance):
            return audience.everybody or utterance.user == audience.user
        case Rings(user=user):
            return user == audience.user


class Coalescer:
    """Joins notices of changes: at most one of each kind in ``every_s`` seconds. Pure; times are
    readings of one clock, in seconds."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._due_at: dict[Changed, float] = {}
        self._told_at: dict[Changed, float] = {}

    def __len__(self) -> int:
        """Number of changes that nobody was told of yet."""
        return len(self._due_at)

    def note(self, change: Changed, now: float) -> None:
        """Note a change. It is due at once, unless its kind was told of a moment ago."""
        self._due_at.setdefault(change, self._told_at.get(change, now - self._every_s))

    def take(self, now: float) -> Changed | None:
        """Take out a change that is due; None: none is."""
        for change, told_at in self._due_at.items():
            if told_at + self._every_s <= now:
                del self._due_at[change]
                older = now - self._every_s
                self._told_at = {one: at for one, at in self._told_at.items() if at > older}
                self._told_at[change] = now
                return change
        return None

    def next_at(self) -> float | None:
        """When the next change is due; None: there is none."""
        return min(self._due_at.values()) + self._every_s if self._due_at else None


class Subscription:
    """The notices of one watcher, as an async iterator. It ends when ``close`` was called, or when
    the watcher has fallen too far behind."""

    def __init__(
        self, audience: Audience, clock: Callable[[], float], ended: Callable[[Subscription], None]
    ) -> None:
        self._audience = audience
        self._clock = clock
        self._ended = ended
        self._rows: deque[Notice] = deque()
        self._changes = Coalescer(CHANGED_EVERY_S)
        self._news = asyncio.Event()
        self._closed = False

    def put(self, notice: Notice) -> None:
        """Take a notice, if it concerns the watcher. Never waits."""
        if self._closed or not concerns(notice, self._audience):
            return
        if isinstance(notice, Changed):
            self._changes.note(notice, self._clock())
        else:
            self._rows.append(notice)
        if len(self._rows) + len(self._changes) > MAX_WAITING:
            self.close()
        self._news.set()

    def forget(self, user: str | None) -> None:
        """Drop the utterances of a user, or of everybody (None), that still wait."""
        self._rows = deque(
            row
            for row in self._rows
            if not isinstance(row, WasHeard) or user not in {None, row.utterance.user}
        )

    def close(self) -> None:
        """Drop what waits, and end the iteration. Safe to call twice."""
        if not self._closed:
            self._closed = True
            self._rows.clear()
            self._news.set()
            self._ended(self)

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Notice:
        while not self._closed:
            if self._rows:
                return self._rows.popleft()
            now = self._clock()
            change = self._changes.take(now)
            if change is not None:
                return change
            self._news.clear()
            await self._wait(self._changes.next_at(), now)
        raise StopAsyncIteration

    async def _wait(self, until: float | None, now: float) -> None:
        try:
            async with asyncio.timeout(None if until is None else until - now):
                await self._news.wait()
        except TimeoutError:
            pass


class Hub:
    """Passes notices to all watchers. One for each server; all calls are made on its event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._watchers = QuotaLedger(WATCHERS, "event streams")
        self._subscriptions: dict[Subscription, Claimant] = {}

    def __len__(self) -> int:
        """Number of watchers."""
        return len(self._subscriptions)

    def publish(self, topic: Topic, user: str | None = None) -> None:
        """Tell those whom it concerns that something of a topic has changed. ``user`` as of
        ``Changed``."""
        self.notify(Changed(topic, user))

    def notify(self, notice: Notice) -> None:
        """Tell those whom a notice concerns."""
        for subscription in tuple(self._subscriptions):
            subscription.put(notice)

    def forget(self, user: str | None) -> None:
        """Keep no words of a user, or of everybody (None), for watchers that read slowly."""
        for subscription in self._subscriptions:
            subscription.forget(user)

    def subscribe(self, audience: Audience, claimant: Claimant) -> Subscription:
        """A watcher's notices, from now until it is closed. Raises TooManyRequestsError,
        BusyError."""
        refusal = self._watchers.refusal(claimant)
        if refusal is not None:
            raise refusal
        subscription = Subscription(audience, self._clock, self._ended)
        self._watchers.take(claimant)
        self._subscriptions[subscription] = claimant
        return subscription

    def close(self) -> None:
        """End all subscriptions."""
        for subscription in tuple(self._subscriptions):
            subscription.close()

    def _ended(self, subscription: Subscription) -> None:
        self._watchers.give_back(self._subscriptions.pop(subscription))
