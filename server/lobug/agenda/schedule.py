"""Lets alerts ring when they fall due, and waiting speech be said when its person can be reached.

One loop wakes at the next due time and whenever something changes, and at least every half minute,
because clocks jump and computers sleep. For each person whose alerts ring there is a task; what it
does next is decided in ``ringing``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Protocol

from lobug.agenda.alerts import Alert, Alerts
from lobug.agenda.ringing import (
    End,
    QuietHours,
    Ring,
    RingLimits,
    Say,
    began_at,
    is_late,
    next_step,
)
from lobug.agenda.waiting_speech import WaitingSpeech, WaitingSpeeches, tellings
from lobug.concurrency import Backoff
from lobug.errors import StorageError, StorageHeldError
from lobug.language.en.alert_sentences import ringing_sentence
from lobug.storage.people import ALL_PEOPLE, People

CHECK_S = 30.0
"""Longest time between two looks at the clock, seconds."""

PAUSES_AFTER_FAILURES = Backoff(3.0, CHECK_S)
"""Before a person's alerts ring on; the first is as long as the silence between two rings."""

log = logging.getLogger(__name__)


class Chime(StrEnum):
    """The sound before speech that nobody asked for."""

    NONE = "none"
    GENTLE = "gentle"
    """Of reminders and announcements."""
    INSISTENT = "insistent"
    """Of timers and alarms."""


@dataclass(frozen=True, slots=True)
class Unasked:
    """Something that is to be said to a person who has asked nothing."""

    user: str
    conversation: str | None
    """Where it is said first; None: anywhere."""
    sentences: tuple[str, ...]
    chime: Chime = Chime.GENTLE
    logged: bool = True
    """Whether it belongs in the conversation log; what is only said again does not."""


@dataclass(frozen=True, slots=True)
class Said:
    """What became of it."""

    places: tuple[str, ...] = ()
    """Conversations in which it was audible; empty: no device could be reached."""
    complete: bool = False
    """Whether all of it was played."""
    silenced: bool = False
    """Whether somebody silenced it by a touch."""

    @property
    def heard(self) -> bool:
        """Whether it need not be said again."""
        return self.complete or self.silenced


class Voice(Protocol):
    """The devices, as far as they speak unasked."""

    def reaches(self, user: str) -> bool:
        """Whether a device of this user is connected."""

    async def elsewhere(self) -> frozenset[str]:
        """The conversations whose devices are connected to other servers. Raises StorageError."""

    async def say(self, what: Unasked) -> Said:
        """Say something once nobody speaks, and return when it has been played. Cancel it to fall
        silent."""


@dataclass(slots=True)
class _Person:
    """A person whose alerts ring."""

    task: asyncio.Task[None]
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class Schedule:
    """Runs alerts and waiting speech. ``run`` until cancelled; it never raises."""

    def __init__(
        self,
        alerts: Alerts,
        waiting: WaitingSpeeches,
        voice: Voice,
        limits: RingLimits,
        *,
        quiet_hours: QuietHours | None,
        wall: Callable[[], float],
        clock: Callable[[], float],
        now: Callable[[str], datetime],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        people: People = ALL_PEOPLE,
    ) -> None:
        """``wall``: seconds since the epoch; ``clock``: seconds, never jumps; ``now``: the time,
        aware, in a user's zone; ``people``: for whom it rings and speaks."""
        self._acts_for = people
        self._alerts = alerts
        self._waiting = waiting
        self._voice = voice
        self._limits = limits
        self._quiet_hours = quiet_hours
        self._wall = wall
        self._clock = clock
        self._now = now
        self._sleep = sleep
        self._changed = asyncio.Event()
        self._rings: dict[int, Ring] = {}
        self._people: dict[str, _Person] = {}
        self._tellers: dict[str, asyncio.Task[None]] = {}
        self._loud: dict[str, Alert] = {}
        self.rings: Callable[[str, Alert | None], None] = lambda _user, _alert: None
        """Called when something else rings for a user than before; None: nothing any more."""
        self.began: Callable[[Alert, bool], None] = lambda _alert, _late: None
        """Called with each alert that begins to ring, again after a restart in the middle; True: it
        fell due while the server was off, and does not ring."""

    def ringing_for(self, user: str) -> Alert | None:
        """The oldest alert of a user that rings and was not silenced; None: there is none."""
        return self._loud.get(user)

    def use(self, limits: RingLimits, quiet_hours: QuietHours | None) -> None:
        """Ring and keep quiet by these from now on, also what rings already."""
        self._limits = limits
        self._quiet_hours = quiet_hours
        self.wake()

    async def give_up(self) -> None:
        """Fall silent and forget what rings, because another server has the agenda; ``step`` takes
        it up again."""
        tasks = [*(person.task for person in self._people.values()), *self._tellers.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._rings = {}
        self._note_loud([])

    def wake(self) -> None:
        """Look again: alerts, waiting speech or connected devices have changed."""
        self._changed.set()
        for person in self._people.values():
            person.changed.set()

    def is_quiet(self, user: str) -> bool:
        """Whether it is in the quiet hours of a user."""
        return self._quiet_until(user) is not None

    async def touched(self, conversation: str) -> None:
        """Somebody touched a device: what rings there, or was said there, is silenced."""
        await self._silence(conversation, ("timer", "alarm", "reminder"))

    async def spoken_to(self, conversation: str) -> None:
        """Somebody talked to a device: who was reminded there has heard it."""
        await self._silence(conversation, ("reminder",))

    async def due_within(self, user: str, seconds: float) -> bool:
        """Whether an alert of a user rings, or will within so many seconds. Raises StorageError."""
        until = self._wall() + seconds
        return any(alert.due_at <= until for alert in await self._alerts.of_user(user))

    async def run(self) -> None:
        """Run until cancelled."""
        try:
            while True:
                self._changed.clear()
                delay_s = CHECK_S
                try:
                    delay_s = await self.step()
                except StorageHeldError:
                    log.debug("another server has the agenda")
                except StorageError as error:
                    log.warning("the agenda cannot be read: %s", error.code)
                except Exception:
                    log.exception("the schedule failed; it goes on")
                await self._wait(self._changed, delay_s)
        finally:
            await self.give_up()

    async def step(self) -> float:
        """Begin what is due. Returns the seconds until there may be more to do. Raises
        StorageError."""
        now = self._wall()
        due_at = await self._alerts.next_due_at()
        if due_at is not None and due_at <= now:
            await self._alerts.take_due(now)
            due_at = await self._alerts.next_due_at()
        ringing = await self._of_mine(await self._alerts.ringing())
        self._rings = {a.id: self._rings[a.id] for a in ringing if a.id in self._rings}
        await self._take_up([alert for alert in ringing if alert.id not in self._rings])
        ringing = [alert for alert in self._still_here(ringing) if alert.id in self._rings]
        for user in {alert.user for alert in ringing}:
            if user not in self._people:
                task = asyncio.ensure_future(self._ring(user))
                self._people[user] = _Person(task)
                task.add_done_callback(partial(self._rang, user))
        self._note_loud([alert for alert in ringing if alert.silenced_at is None])
        await self._tell()
        left_s = CHECK_S if due_at is None else due_at - self._wall()
        return min(max(left_s, 0.0), CHECK_S)

    async def _of_mine(self, alerts: Sequence[Alert]) -> list[Alert]:
        """Those of people for whom this server acts."""
        for user in {alert.user for alert in alerts}:
            await self._acts_for.has(user)
        return self._still_here(alerts)

    def _still_here(self, alerts: Sequence[Alert]) -> list[Alert]:
        """Those of people for whom this server acts now. Whatever was awaited, another server may
        have taken somebody over meanwhile, and rings for them."""
        return [alert for alert in alerts if self._acts_for.here(alert.user)]

    def person_left(self, user: str) -> None:
        """Fall silent for a user whom another server has taken over: it rings on there."""
        person = self._people.get(user)
        if person is not None:
            person.task.cancel()
        teller = self._tellers.get(user)
        if teller is not None:
            teller.cancel()
        self.wake()

    def _note_loud(self, alerts: Sequence[Alert]) -> None:
        """Tell of what has begun or ceased to ring. ``alerts``: all that ring, oldest first."""
        before, self._loud = self._loud, {alert.user: alert for alert in reversed(alerts)}
        for user in before.keys() | self._loud.keys():
            alert = self._loud.get(user)
            if alert != before.get(user):
                self.rings(user, alert)

    async def _take_up(self, alerts: Sequence[Alert]) -> None:
        """Decide about alerts that have begun to ring, or did so when the server was killed."""
        now = self._wall()
        silenced = [alert.id for alert in alerts if alert.silenced_at is not None]
        if silenced:
            await self._alerts.finish(silenced)
        loud = [alert for alert in self._still_here(alerts) if alert.silenced_at is None]
        late = [alert for alert in loud if is_late(alert, now, self._limits)]
        if late:
            log.info("%d alerts fell due while the server was off", len(late))
            await self._waiting.end_ringing(late, missed=True)
        for alert in loud:
            until = self._quiet_until(alert.user) if alert.kind == "reminder" else None
            if alert in late:
                self.began(alert, True)
            elif not self._acts_for.here(alert.user):
                continue
            elif until is not None:
                await self._alerts.snooze([alert.id], until.timestamp())
            else:
                began = began_at(alert, now, self._clock(), self._limits)
                self._rings[alert.id] = Ring(began)
                self.began(alert, False)

    def _quiet_until(self, user: str) -> datetime | None:
        return None if self._quiet_hours is None else self._quiet_hours.end_after(self._now(user))

    # What rings.

    async def _ring(self, user: str) -> None:
        failures = 0
        while True:
            try:
                if not await self._ring_on(user):
                    break
                failures = 0
                continue
            except StorageError as error:
                log.warning("an alert could not ring on: %s", error.code)
            except Exception:
                log.exception("an alert could not ring on")
            failures += 1
            await self._slept(PAUSES_AFTER_FAILURES.pause_s(failures))

    async def _ring_on(self, user: str) -> bool:
        """Do what is next with the alerts that ring for a user. Returns whether there may be more
        to do here. Raises StorageError."""
        alerts = await self._ringing_of(user)
        if not alerts:
            return False
        self._people[user].changed.clear()
        now = self._clock()
        step = next_step(alerts, self._rings, self._limits, now)
        match step:
            case Say(due):
                if not self._voice.reaches(user) and await self._acts_for.seek(user):
                    return False  # it rings where they have a device
                await self._say(user, due)
            case End(over):
                await self._end(over)
            case _:
                await self._wait(self._people[user].changed, step.until - now)
        return True

    def _rang(self, user: str, _task: asyncio.Task[None]) -> None:
        """Called when the task of a person has ended, even if it was cancelled before it began."""
        del self._people[user]
        self._changed.set()  # perhaps it rings here again

    async def _ringing_of(self, user: str) -> list[Alert]:
        found = await self._alerts.ringing()
        return [alert for alert in found if alert.user == user and alert.id in self._rings]

    async def _say(self, user: str, alerts: Sequence[Alert]) -> None:
        reminders = all(alert.kind == "reminder" for alert in alerts)
        sentence = ringing_sentence(alerts, self._wall())
        chime = Chime.GENTLE if reminders else Chime.INSISTENT
        again = all(self._rings[alert.id].times for alert in alerts)
        place = alerts[0].conversation
        what = Unasked(user, place, (sentence,), chime, logged=not again)
        said = await self._unless_over(user, alerts, self._voice.say(what))
        rings = [self._rings[alert.id] for alert in alerts if alert.id in self._rings]
        for ring in rings:
            ring.tried_at = self._clock()
            ring.times += 1 if ring.times or (said is not None and said.places) else 0
        if said is None:
            return
        if not said.places:
            await self._note([alert for alert in alerts if alert.id in self._rings])
            return
        for ring in rings:
            ring.places.update(said.places)
        noted = [a.id for a in alerts if a.id in self._rings and self._may_be_noted(a.id)]
        if noted:
            await self._waiting.drop(noted)
        if said.silenced:
            await self._alerts.silence([alert.id for alert in alerts])

    def _may_be_noted(self, alert_id: int) -> bool:
        """Whether waiting speech tells of an alert that rings, perhaps noted by another server
        where it rang before."""
        ring = self._rings[alert_id]
        return ring.noted or (self._acts_for.server is not None and ring.times == 1)

    async def _unless_over(
        self, user: str, alerts: Sequence[Alert], saying: Coroutine[None, None, Said]
    ) -> Said | None:
        """What became of speech; None: it was stopped because none of its alerts rings any more."""
        changed = self._people[user].changed
        task = asyncio.ensure_future(saying)
        try:
            while not task.done():
                looking = asyncio.ensure_future(changed.wait())
                try:
                    await asyncio.wait([task, looking], return_when=asyncio.FIRST_COMPLETED)
                finally:
                    looking.cancel()
                if not task.done():
                    changed.clear()
                    ringing = {a.id for a in await self._ringing_of(user) if not a.silenced_at}
                    if ringing.isdisjoint(alert.id for alert in alerts):
                        return None
            return task.result()
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])

    async def _note(self, alerts: Collection[Alert]) -> None:
        """Nobody can hear these alerts: the next turn of their person tells of those that nobody
        has heard before."""
        rings = self._rings
        new = [a for a in alerts if not rings[a.id].noted and not rings[a.id].times]
        if new:
            await self._waiting.note(new)
            for alert in new:
                rings[alert.id].noted = True

    async def _end(self, alerts: Sequence[Alert]) -> None:
        """End ringing that is over; a reminder that nobody answered, and what nobody could hear,
        stays as waiting speech. What cannot be stored is tried again later, and nothing else has
        to wait for that."""
        heard = [a.id for a in alerts if self._is_done(a, self._rings[a.id])]
        unanswered = [a for a in alerts if a.id not in heard and self._rings[a.id].times > 0]
        unheard = [a for a in alerts if self._rings[a.id].times == 0 and a.id not in heard]
        try:
            if heard:
                await self._alerts.finish(heard)
            if unanswered:
                await self._waiting.end_ringing(unanswered, said=True)
            if unheard:
                await self._waiting.end_ringing(unheard)
        except StorageError as error:
            log.warning("the end of an alert could not be stored: %s", error.code)
            for alert in alerts:
                if alert.id in self._rings:
                    self._rings[alert.id].end_again_at = self._clock() + CHECK_S

    @staticmethod
    def _is_done(alert: Alert, ring: Ring) -> bool:
        """Whether nothing is left to be told of an alert when its ringing ends."""
        return alert.silenced_at is not None or (ring.times > 0 and alert.kind != "reminder")

    async def _silence(self, conversation: str, kinds: Sequence[str]) -> None:
        rings = {id_ for id_, ring in self._rings.items() if conversation in ring.places}
        if not rings:
            return
        try:
            ringing = await self._alerts.ringing()
            ids = [a.id for a in ringing if a.id in rings and a.kind in kinds]
            if ids:
                await self._alerts.silence(ids)
        except StorageError as error:
            log.warning("an alert could not be silenced: %s", error.code)

    # What waits.

    async def _tell(self) -> None:
        """Say what waits to those who can be reached, unless it is quiet. What is for a device at
        another server is left to that one."""
        by_user: dict[str, list[WaitingSpeech]] = {}
        for one in await self._waiting.sayable():
            by_user.setdefault(one.user, []).append(one)
        elsewhere = await self._voice.elsewhere() if by_user else frozenset()
        for user, waiting in by_user.items():
            here = [one.id for one in waiting if one.conversation not in elsewhere]
            away = next((one.conversation for one in waiting if one.id not in here), None)
            if not here and not self._acts_for.here(user):
                continue  # the server that has the device looks after it
            busy = user in self._tellers and not self._tellers[user].done()
            if busy or not await self._acts_for.has(user):
                continue
            if not self._voice.reaches(user):
                self._acts_for.tell("reach", person=user, conversation=away)
            elif self.is_quiet(user):
                continue
            elif here:
                task = asyncio.ensure_future(self._tell_user(user, here))
                self._tellers[user] = task
                task.add_done_callback(partial(self._told, user))
            elif user not in self._loud:  # what rings here would fall silent
                self._acts_for.tell("reach", person=user, conversation=away)

    def _told(self, user: str, _task: asyncio.Task[None]) -> None:
        self._tellers.pop(user, None)

    async def _tell_user(self, user: str, ids: Sequence[int]) -> None:
        claimed: list[int] = []
        try:
            waiting = await self._waiting.claim(user, ids)
            claimed = [one.id for one in waiting]
            for telling in tellings(waiting, self._wall()):
                place = next(one.conversation for one in waiting if one.id == telling.ids[0])
                said = await self._voice.say(Unasked(user, place, (telling.sentence,)))
                if not said.heard:
                    return
                await self._waiting.heard(telling.ids)
        except StorageError as error:
            log.warning("waiting speech could not be read: %s", error.code)
        except Exception:
            log.exception("waiting speech could not be said")
        finally:
            self._waiting.release(claimed)

    async def _wait(self, changed: asyncio.Event, seconds: float) -> None:
        """Return after so many seconds, at most half a minute, or when something has changed."""
        waiting = [
            asyncio.ensure_future(changed.wait()),
            asyncio.ensure_future(self._slept(min(max(seconds, 0.0), CHECK_S))),
        ]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()

    async def _slept(self, seconds: float) -> None:
        await self._sleep(seconds)
