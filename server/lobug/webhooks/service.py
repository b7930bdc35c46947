"""Webhooks of one server: takes what happens, keeps it until the receiver has it, forgets words.

Whatever tells something returns at once: events go through a bounded queue in main memory, a task
writes them into the outbox, and another one delivers them. Without a URL nothing of that runs.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from lobug.agenda.alerts import Alert
from lobug.concurrency import Backoff
from lobug.errors import StorageError
from lobug.memory.model import ConversationKey
from lobug.settings.webhooks import WebhookSettings
from lobug.storage.database import Checkpoint, no_checkpoint
from lobug.storage.people import SHARED_WORK
from lobug.storage.places import FILES, DatabasePlace
from lobug.turn.timeline import Outcome, Timeline
from lobug.webhooks.delivery import FIRST_PAUSE_S, Attempt, DeliveryVerdict, Sender
from lobug.webhooks.events import (
    AlertData,
    DeviceData,
    HeardData,
    QueuedEvent,
    RepliedData,
    body_of,
    queued,
)
from lobug.webhooks.outbox import FILE, Outbox, WaitingEvent

log = logging.getLogger(__name__)

Ended = Literal["delivered", "refused", "expired", "dropped"]
"""What becomes of an event. ``dropped``: too many were waiting."""

PASSED_ON = frozenset({Outcome.RESPOND, Outcome.REACT, Outcome.INTERRUPTED, Outcome.FAILED})
"""Turns that are sent: what was not meant for Lo-Bug is nobody's business."""

LONGEST_WAIT_S = 30.0
"""Between two looks at the clock, seconds: clocks jump and computers sleep."""

WRITE_AGAIN_S = 5.0
"""Pause after the outbox could not be written, seconds."""

TELL_AFTER = 3
"""Failures in a row from which health tells of them."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn under way."""

    user: str
    heard: str = ""
    replied: str = ""
    withheld: bool = False
    """Something of its person was forgotten meanwhile, perhaps by the turn itself: its words are
    told to nobody."""


class Webhooks:
    """``start`` first, ``close`` last. All calls are made on one event loop. What is told has the
    form of ``TurnObserver`` and of the hooks of the schedule and of the devices."""

    def __init__(
        self,
        settings: WebhookSettings,
        data_dir: Path,
        *,
        wall: Callable[[], float],
        clock: Callable[[], float],
        name_of: Callable[[str], str] = lambda _: "",
        counted: Callable[[Ended, int], None] = lambda _ended, _count: None,
        chance: Callable[[], float] = random.random,
        checkpoint: Checkpoint = no_checkpoint,
        place: DatabasePlace = FILES,
    ) -> None:
        """``wall``: seconds since the epoch; ``clock``: seconds, never jumps; ``name_of``: what the
        owner calls a device; ``counted`` is called with what became of events."""
        self._settings = settings
        self._wall = wall
        self._clock = clock
        self._name_of = name_of
        self._counted = counted
        self._chance = chance
        self._outbox = Outbox(data_dir / FILE, clock=wall, checkpoint=checkpoint, place=place)
        self._people = place.people
        self._turns: dict[str, _Turn] = {}
        self._new: deque[QueuedEvent] = deque()
        self._writing = asyncio.Lock()
        """Held while the outbox gets events or loses words, so that none slip in between."""
        self._fresh = asyncio.Event()
        self._due = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._sending: dict[asyncio.Task[Attempt], str | None] = {}
        """Attempts under way, and whose words they may send."""
        self._erasures = 0
        """Times that words were erased: what was read before is read again."""
        self._failures = 0
        """Rounds in a row in which nothing was delivered."""
        self._resume_at = 0.0
        self._problem = ""
        self._dropped = 0
        self._discarded = False
        """Whether there is no receiver, and nothing is left of what an earlier one was to be told.
        """
        self.waiting = 0
        """Events in the outbox, as last known."""

    @property
    def enabled(self) -> bool:
        """Whether there is a receiver."""
        return bool(self._settings.url)

    def fault(self) -> str | None:
        """What does not work as it should, a sentence; None: nothing."""
        if not self.enabled:
            return None
        if self._outbox.fault is not None:
            return str(self._outbox.fault)
        if self._failures >= TELL_AFTER:
            return (
                f"the receiver has taken nothing in the last {self._failures} attempts"
                f" ({self._problem}); {self.waiting} events wait"
            )
        if self._dropped:
            return (
                f"{self._dropped} events were dropped since the start, because"
                f" {self._settings.max_waiting} were waiting"
            )
        return None

    # ---- life

    async def start(self) -> None:
        """Open the outbox and deliver what waits. Without a receiver, delete what an earlier one
        was to be told. Raises StorageError."""
        if not self.enabled:
            await self._discard()
            return
        if not self._tasks:
            work = (self._write_on(), self._deliver_on())
            self._tasks = [asyncio.ensure_future(one) for one in work]
        await self._open()

    async def give_up(self) -> None:
        """Close the outbox and drop what is not in it yet, because another server has it;
        ``refresh`` opens it again. Raises StorageError."""
        async with self._writing:
            self._new.clear()
            await self._outbox.close()

    async def refresh(self) -> None:
        """Open an outbox that could not be opened, or delete what could not be deleted at the
        start. Raises StorageError."""
        if not self.enabled:
            if not self._discarded:
                await self._discard()
        elif not self._outbox.is_open:
            await self._open()
            log.info("the outbox of webhooks can be used again")

    async def _discard(self) -> None:
        async with self._writing:
            await self._outbox.discard()
            self._discarded = True

    async def _open(self) -> None:
        async with self._writing:
            if self._outbox.is_open:
                return
            await self._outbox.start()
            try:
                if not self._settings.include_text:
                    await self._outbox.erase(None)
                self.waiting = await self._outbox.waiting()
            except StorageError:
                await self._outbox.close()  # tried again: nothing is sent before it is erased
                raise
        self._fresh.set()
        self._due.set()

    async def close(self) -> None:
        """Write what is new into the outbox, and close it. Raises StorageError."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        try:
            if self._outbox.is_open:
                await self._write()
        finally:
            await self._outbox.close()

    def look_again(self) -> None:
        """Another server has changed what waits: look whether it is to be delivered here."""
        self._due.set()

    # ---- what happens

    def heard(self, timeline: Timeline, conversation_key: ConversationKey, text: str) -> None:
        """The words of a turn are known; empty: there were none. Told when it is over, because it
        may be one that asks to forget."""
        if self.enabled:
            known = self._turns.get(timeline.id, _Turn(conversation_key.user))
            self._turns[timeline.id] = replace(known, heard=text)

    def replied(self, timeline: Timeline, conversation_key: ConversationKey, text: str) -> None:
        """The reply of a turn is known."""
        if self.enabled:
            known = self._turns.get(timeline.id, _Turn(conversation_key.user))
            self._turns[timeline.id] = replace(known, replied=text)

    def finished(self, timeline: Timeline) -> None:
        """A turn is over."""
        turn = self._turns.pop(timeline.id, None)
        if turn is None or timeline.outcome not in PASSED_ON:
            return
        common = {
            "user": turn.user,
            "device": timeline.device or None,
            "door": timeline.door,
            "turn": timeline.id,
            "outcome": timeline.outcome.value,
        }
        if turn.heard:
            text = None if turn.withheld else turn.heard
            self._tell("heard", HeardData.model_validate({**common, "text": text}))
        if turn.replied:
            text = None if turn.withheld else turn.replied
            answered_by = timeline.answered_by
            more: Mapping[str, object] = {"answered_by": answered_by, "text": text}
            self._tell("replied", RepliedData.model_validate({**common, **more}))

    def alert_began(self, alert: Alert, late: bool) -> None:  # noqa: FBT001 - a callback
        """An alert has begun to ring, or (``late``) has fallen due while the server was off."""
        self._tell(
            "alert",
            AlertData(
                user=alert.user,
                alert=alert.id,
                kind=alert.kind,
                due_at=datetime.fromtimestamp(alert.due_at, UTC),
                late=late,
                text=alert.label or None,
            ),
        )

    def device(self, device_id: str, connected: bool) -> None:  # noqa: FBT001 - a callback
        """A device has connected or gone."""
        if self.enabled:
            name = self._name_of(device_id)
            self._tell("device", DeviceData(device=device_id, name=name, connected=connected))

    def _tell(self, kind: str, data: HeardData | RepliedData | AlertData | DeviceData) -> None:
        if not self.enabled or kind not in self._settings.events:
            return
        self._new.append(queued(data, self._wall(), include_text=self._settings.include_text))
        self._limit_new()
        self._fresh.set()

    def _limit_new(self) -> None:
        while len(self._new) > self._settings.max_waiting:
            self._new.popleft()
            self._count_dropped(1)

    def _count_dropped(self, events: int) -> None:
        if events:
            if not self._dropped:
                log.warning("webhooks are dropped: too many wait for the receiver")
            self._dropped += events
            self._counted("dropped", events)

    # ---- forgetting

    def forget(self, user: str | None) -> None:
        """Something of a user, or of everybody (None), was forgotten: withhold the words of what is
        under way."""
        self._turns = {
            turn: replace(one, withheld=True) if user in {None, one.user} else one
            for turn, one in self._turns.items()
        }
        self._new = deque(
            event.without_words() if user in {None, event.user} else event for event in self._new
        )

    async def erase(self, user: str | None) -> None:
        """Erase the words of a user, or of everybody (None), from what waits; durable on return.
        Raises StorageError."""
        async with self._writing:
            self.forget(user)
            await self._outbox.erase(user)
            await self._call_off(user)

    async def delete_user(self, user: str) -> None:
        """Delete all that waits of a user; durable on return. Raises StorageError."""
        async with self._writing:
            self.forget(user)
            self._new = deque(event for event in self._new if event.user != user)
            await self._outbox.delete_user(user)
            await self._call_off(user)

    async def _call_off(self, user: str | None) -> None:
        """Stop attempts that have read words which are erased by now; they are made again."""
        self._erasures += 1
        stopped = [task for task, whose in self._sending.items() if user in {None, whose}]
        for task in stopped:
            task.cancel()
        if stopped:
            await asyncio.wait(stopped)

    # ---- the outbox

    async def _write_on(self) -> None:
        works = True
        while True:
            await self._fresh.wait()
            self._fresh.clear()
            if not self._outbox.is_open:
                continue  # begins again when it was opened
            try:
                await self._write()
            except StorageError as error:
                if works:
                    log.warning("webhooks cannot be kept: %s", error)
                works = False
                await asyncio.sleep(WRITE_AGAIN_S)
                self._fresh.set()
            else:
                works = True

    async def _write(self) -> None:
        async with self._writing:
            events, self._new = self._new, deque()
            if not events:
                return
            try:
                dropped = await self._outbox.add(events, self._settings.max_waiting)
            except BaseException:
                self._new.extendleft(reversed(events))
                self._limit_new()
                raise
        self._count_dropped(dropped)
        self.waiting = await self._outbox.waiting()
        self._due.set()

    # ---- delivery

    async def _deliver_on(self) -> None:
        sender = Sender(self._settings, wall=self._wall)
        works = True
        try:
            while True:
                self._due.clear()
                try:
                    delivers = self._outbox.is_open and await self._people.has(SHARED_WORK)
                    wait_s = await self._deliver(sender) if delivers else LONGEST_WAIT_S
                    works = True
                except StorageError as error:
                    if works:
                        log.warning("webhooks cannot be read: %s", error)
                    works = False
                    wait_s = WRITE_AGAIN_S
                try:
                    async with asyncio.timeout(min(wait_s, LONGEST_WAIT_S)):
                        await self._due.wait()
                except TimeoutError:
                    pass
        finally:
            await sender.close()

    async def _deliver(self, sender: Sender) -> float:
        """Deliver what is due, at most ``concurrency`` events at once. Returns the seconds until
        there may be more to do. After a failure one event is tried until one was taken."""
        settings, now = self._settings, self._wall()
        expired = await self._outbox.expire(now - settings.keep_s)
        if expired:
            self.waiting = await self._outbox.waiting()
            self._counted("expired", expired)
        left_s = self._resume_at - self._clock()
        if left_s > 0:
            return left_s
        erasures = self._erasures
        events = await self._outbox.due(
            now,
            1 if self._failures else settings.concurrency,
            longest_pause_s=settings.longest_pause_s,
        )
        if not events:
            due_at = await self._outbox.next_due_at()
            return LONGEST_WAIT_S if due_at is None else max(0.0, due_at - now)
        taken = await asyncio.gather(*(self._attempt(sender, event, erasures) for event in events))
        self.waiting = await self._outbox.waiting()
        if any(taken):
            if self._failures >= TELL_AFTER:
                log.info("the receiver of webhooks takes them again")
            self._failures = 0
            return 0.0
        if None in taken:
            return 0.0
        self._failures += 1
        if self._failures == TELL_AFTER:
            log.warning("the receiver of webhooks does not take them: %s", self._problem)
        pause_s = self._pause_s(self._failures)
        self._resume_at = self._clock() + pause_s
        return pause_s

    async def _attempt(self, sender: Sender, event: WaitingEvent, erasures: int) -> bool | None:
        """Try to deliver one event. Returns whether the receiver answers as one that works; None:
        the attempt was called off. ``erasures``: how many there were before it was read."""
        if erasures != self._erasures:
            return None
        body = body_of(event.body, event.content)
        sending = asyncio.create_task(sender.send(event.event_id, body))
        self._sending[sending] = event.user
        try:
            await asyncio.wait({sending})
        finally:
            del self._sending[sending]
            sending.cancel()
        if sending.cancelled():
            return None
        attempt = sending.result()
        match attempt.verdict:
            case DeliveryVerdict.DELIVERED:
                await self._outbox.remove(event.id)
                self._counted("delivered", 1)
                return True
            case DeliveryVerdict.REFUSED:
                log.warning("a webhook was refused: %s", attempt.described)
                await self._outbox.remove(event.id)
                self._counted("refused", 1)
                return True
            case DeliveryVerdict.AGAIN:
                self._problem = attempt.described
                pause_s = self._pause_s(event.attempts + 1)
                await self._outbox.put_off(event.id, self._wall() + pause_s)
        return False

    def _pause_s(self, failures: int) -> float:
        """Seconds until the next attempt. Random, so that many events that failed together do not
        come back together."""
        backoff = Backoff(FIRST_PAUSE_S, self._settings.longest_pause_s)
        return backoff.pause_s(failures, chance=self._chance())
