"""Timers, alarms and reminders: rows of ``alerts``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence, Set
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Literal, TypeVar
from zoneinfo import ZoneInfo

from sqlalchemy import Integer, and_, bindparam, delete, func, insert, select, update

from lobug.agenda.tables import alerts, waiting_speech
from lobug.errors import AlertLimitError
from lobug.language.moments import ClockTime, Impossible, Recurrence
from lobug.language.occurrences import next_occurrence
from lobug.storage.columns import Number
from lobug.storage.connection import Connection
from lobug.storage.database import Database
from lobug.storage.statements import among, columns_of, records, run

OVER_KEPT_S = 86_400.0
"""How long an alert that is over is kept, seconds; with it go its words."""

AlertKind = Literal["timer", "alarm", "reminder"]
AlertState = Literal["pending", "ringing", "over"]


@dataclass(frozen=True, slots=True)
class NewAlert:
    """An alert that is to be set."""

    user: str
    conversation: str
    kind: AlertKind
    label: str
    due_at: float
    """Seconds since the epoch."""
    zone: str
    """IANA name."""
    span_s: float | None = None
    """A timer's length, seconds."""
    rule: str | None = None
    """RFC 5545 recurrence rule; None: it rings once."""
    starts: str | None = None
    """Wall time in the zone at which the rule begins, ISO 8601."""


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert that is set, rings, or is over."""

    id: int
    user: str
    conversation: str
    kind: AlertKind
    label: str
    due_at: float
    span_s: float | None
    rule: str | None
    starts: str | None
    zone: str
    state: AlertState
    rang_at: float | None
    missed: bool
    created_at: float
    silenced_at: float | None = None
    """When somebody silenced its ringing; None: nobody has."""

    @property
    def recurrence(self) -> Recurrence | None:
        """How it comes again; None: it rings once."""
        if self.rule is None:
            return None
        return recurrence_of(self.rule, self.starts)


def recurrence_of(rule: str, starts: str | None) -> Recurrence:
    """The recurrence of a stored rule. A rule of days and longer rings at the time of day at which
    it starts, whatever the clocks do; one of hours, minutes or seconds is counted from there."""
    if starts is None or rule.startswith(("FREQ=HOURLY", "FREQ=MINUTELY", "FREQ=SECONDLY")):
        return Recurrence(rule)
    return Recurrence(rule, ClockTime.of(datetime.fromisoformat(starts).time()))


def next_due(alert: Alert, after: float) -> float | None:
    """When a recurring alert rings next after a time, both seconds since the epoch; None: never."""
    recurrence = alert.recurrence
    if recurrence is None:
        return None
    zone = ZoneInfo(alert.zone)
    start = None
    if alert.starts is not None:
        start = datetime.fromisoformat(alert.starts).replace(tzinfo=zone)
    found = next_occurrence(recurrence, datetime.fromtimestamp(after, zone), start=start)
    return None if isinstance(found, Impossible) else found.timestamp()


def label_of(words: str, most: int) -> str:
    """Words as a label: one line of printable characters, at most ``most`` of them."""
    line = " ".join(words.split())
    return "".join(one for one in line if one.isprintable())[:most].strip()


_alert = alerts.c
_INSERT = insert(alerts)
_BY_ID = and_(_alert.id == bindparam("of_id"), _alert.state != "over")
_OF_USER = _alert.user == bindparam("of_user")
_ALIVE = _alert.state.in_(("pending", "ringing"))
_AMONG = among(_alert.id, "ids")
_ALERT = select(*columns_of(alerts, Alert))
_SOONEST_FIRST = (_alert.due_at, _alert.id)

_COUNT = select(func.count()).select_from(alerts).where(_OF_USER, _ALIVE)
_LIST = _ALERT.where(_OF_USER, _ALIVE).order_by(*_SOONEST_FIRST)
_FIND = _ALERT.where(_AMONG).order_by(*_SOONEST_FIRST)
_FIND_OWN = _ALERT.where(_OF_USER, _ALIVE, _AMONG).order_by(*_SOONEST_FIRST)
_UPDATE = update(alerts).where(_BY_ID, _OF_USER)
_DELETE = delete(alerts).where(_AMONG)
_DELETE_USER = delete(alerts).where(_OF_USER)
_DUE = _ALERT.where(
    _alert.state == "pending", _alert.due_at <= bindparam("now", type_=Number)
).order_by(*_SOONEST_FIRST)
_RINGING = _ALERT.where(_alert.state == "ringing").order_by(_alert.rang_at, _alert.id)
_SET = update(alerts).where(_BY_ID)
_FINISH = update(alerts).values(state="over").where(_AMONG, _alert.state == "ringing")
_SNOOZE = (
    update(alerts)
    .values(state="pending", missed=False, silenced_at=None)
    .where(_AMONG, _alert.state == "ringing")
)
_SILENCE = update(alerts).where(_AMONG, _alert.state == "ringing", _alert.silenced_at.is_(None))
_UNNAMED = _ALERT.where(_ALIVE, _alert.zone == "UTC")
_FIRST_DUE = select(func.min(_alert.due_at)).where(_alert.state == "pending")
_FORGETTABLE = and_(
    _alert.state == "over",
    _alert.id.not_in(
        select(waiting_speech.c.alert_id).where(waiting_speech.c.alert_id.is_not(None))
    ),
)
"""What is over, unless it has yet to be told."""
_ENDED_AT = func.coalesce(_alert.rang_at, _alert.due_at)
_FORGET = delete(alerts).where(_FORGETTABLE, bindparam("before", type_=Number) >= _ENDED_AT)
_FIRST_OVER = select(func.min(_ENDED_AT)).where(_FORGETTABLE)

T = TypeVar("T")


def add(connection: Connection, new: Sequence[NewAlert], now: float, most: int) -> list[Alert]:
    """Insert alerts. Raises AlertLimitError where a user would have more than ``most``."""
    for user in {alert.user for alert in new}:
        there = run(connection, _COUNT, of_user=user).scalar()
        wanted = sum(alert.user == user for alert in new)
        if there + wanted > most:
            raise AlertLimitError(f"{there} are set, and {most} are allowed")
    before = run(connection, _LAST_ID).scalar() or 0
    for alert in new:
        run(connection, _INSERT, **asdict(alert), created_at=now)
    return records(Alert, run(connection, _SINCE, before=before))


_LAST_ID = select(func.max(_alert.id))
_SINCE = _ALERT.where(_alert.id > bindparam("before", type_=Integer)).order_by(_alert.id)


def ring(connection: Connection, alert: Alert, now: float) -> int:
    """Let an alert ring. A recurring one stays pending for its next time, and a new row rings in
    its place. Returns the id of the row that rings."""
    again = next_due(alert, max(now, alert.due_at))
    if again is None:
        run(connection, _SET, of_id=alert.id, state="ringing", rang_at=now)
        return alert.id
    run(connection, _SET, of_id=alert.id, due_at=again)
    once = asdict(alert) | {"state": "ringing", "rang_at": now, "rule": None, "starts": None}
    del once["id"]
    run(connection, _INSERT, **once)
    return int(run(connection, _LAST_ID).scalar())


def all_have_zones(connection: Connection) -> bool:
    """Whether there is no alert for ``name_zones``."""
    return not records(Alert, run(connection, _UNNAMED))


def name_zones(connection: Connection, zone: str, now: float) -> None:
    """Give their zone to alerts that have "UTC". Earlier versions stored that with the wall time of
    a computer whose zone they did not know, and what recurs was due at that time of UTC. "UTC" is
    not stored any more, so this changes an alert once."""
    for alert in records(Alert, run(connection, _UNNAMED)):
        due_at = None
        if alert.state == "pending" and alert.due_at > now:
            due_at = next_due(replace(alert, zone=zone), now)
        run(connection, _SET, of_id=alert.id, zone=zone, due_at=due_at or alert.due_at)


class Alerts:
    """The alerts of all users. Every method raises StorageError subclasses.

    When a method that changes something returns, the change is durable.
    """

    def __init__(
        self,
        database: Database,
        *,
        max_per_user: int,
        max_label_chars: int = 200,
        clock: Callable[[], float],
    ) -> None:
        """``clock``: seconds since the epoch."""
        self._database = database
        self._max_per_user = max_per_user
        self._max_label_chars = max_label_chars
        self._clock = clock
        self.changed: Callable[[Set[str]], None] = lambda _: None
        """Called on the event loop after each change, with the users whose alerts it changed."""

    async def add(self, new: Sequence[NewAlert]) -> list[Alert]:
        """Set alerts, all or none, in their order. Labels become one line of printable characters.
        Raises AlertLimitError when the user would have too many."""
        clean = [replace(one, label=self._label(one.label)) for one in new]
        return await self._write(
            "add_alerts",
            lambda connection: add(connection, clean, self._clock(), self._max_per_user),
            _users,
        )

    async def of_user(self, user: str) -> list[Alert]:
        """Pending and ringing alerts of a user, the soonest first."""
        return await self._database.read(
            lambda connection: records(Alert, run(connection, _LIST, of_user=user))
        )

    async def replace(self, alert: Alert) -> bool:
        """Write an alert's changed fields. False: it is gone or over."""
        values = asdict(replace(alert, label=self._label(alert.label)))
        for fixed in ("id", "user", "created_at"):
            del values[fixed]

        def work(connection: Connection) -> bool:
            return bool(
                run(connection, _UPDATE, of_id=alert.id, of_user=alert.user, **values).rowcount
            )

        return await self._write("replace_alert", work, lambda _: {alert.user})

    async def cancel(self, user: str, ids: Sequence[int]) -> list[Alert]:
        """Delete pending or ringing alerts of a user. Returns those that were there."""

        def work(connection: Connection) -> list[Alert]:
            found = records(Alert, run(connection, _FIND_OWN, of_user=user, ids=ids))
            run(connection, _DELETE, ids=[alert.id for alert in found])
            return found

        return await self._write("cancel_alerts", work, _users, erases=True)

    async def delete_user(self, user: str) -> int:
        """Delete every alert of a user. Returns their number."""
        return await self._write(
            "delete_user_alerts",
            lambda connection: run(connection, _DELETE_USER, of_user=user).rowcount,
            lambda _: {user},
        )

    async def next_due_at(self) -> float | None:
        """When ``take_due`` has something to do next: the soonest pending alert of anybody falls
        due, or one that is over is to be deleted. None: never."""

        def work(connection: Connection) -> float | None:
            over = run(connection, _FIRST_OVER).scalar()
            times = (
                run(connection, _FIRST_DUE).scalar(),
                None if over is None else over + OVER_KEPT_S,
            )
            return min((at for at in times if at is not None), default=None)

        return await self._database.read(work)

    async def take_due(self, now: float) -> list[Alert]:
        """Let every pending alert that is due by ``now`` ring, in one transaction. A recurring one
        stays pending for its next time after ``now``; what rings is a new row without a rule. What
        has been over for a day is deleted."""

        def work(connection: Connection) -> list[Alert]:
            run(connection, _FORGET, before=now - OVER_KEPT_S)
            due = records(Alert, run(connection, _DUE, now=now))
            ids = [ring(connection, alert, now) for alert in due]
            return records(Alert, run(connection, _FIND, ids=ids))

        return await self._write("take_due_alerts", work, _users)

    async def ringing(self) -> list[Alert]:
        """All alerts that ring, oldest first."""
        return await self._database.read(
            lambda connection: records(Alert, run(connection, _RINGING))
        )

    async def finish(self, ids: Sequence[int], *, missed: bool = False) -> None:
        """End the ringing of alerts."""

        def work(connection: Connection) -> list[Alert]:
            run(connection, _FINISH, ids=ids, missed=missed)
            return records(Alert, run(connection, _FIND, ids=ids))

        await self._write("finish_alerts", work, _users)

    async def silence(self, ids: Sequence[int]) -> None:
        """Note that somebody silenced alerts that ring. They make no sound any more, also after a
        restart, but can still be snoozed until they are finished."""

        def work(connection: Connection) -> list[Alert]:
            run(connection, _SILENCE, ids=ids, silenced_at=self._clock())
            return records(Alert, run(connection, _FIND, ids=ids))

        await self._write("silence_alerts", work, _users)

    async def snooze(self, ids: Sequence[int], due_at: float) -> list[Alert]:
        """Let ringing alerts ring again at ``due_at``. Returns those that did ring."""

        def work(connection: Connection) -> list[Alert]:
            rang = [
                alert.id
                for alert in records(Alert, run(connection, _FIND, ids=ids))
                if alert.state == "ringing"
            ]
            run(connection, _SNOOZE, ids=rang, due_at=due_at)
            return records(Alert, run(connection, _FIND, ids=rang))

        return await self._write("snooze_alerts", work, _users)

    def _label(self, words: str) -> str:
        return label_of(words, self._max_label_chars)

    async def _write(
        self,
        name: str,
        work: Callable[[Connection], T],
        users: Callable[[T], Set[str]],
        *,
        erases: bool = False,
    ) -> T:
        """``users``: whose alerts were changed, by the result of ``work``."""
        # Shielded: the scheduler must know what was written even if the caller has gone.
        return await asyncio.shield(self._change(name, work, users, erases=erases))

    async def _change(
        self,
        name: str,
        work: Callable[[Connection], T],
        users: Callable[[T], Set[str]],
        *,
        erases: bool,
    ) -> T:
        result = await self._database.write(name, work)
        self.changed(users(result))
        if erases:
            await self._database.fold_log()
        return result


def _users(changed: Sequence[Alert]) -> Set[str]:
    return {alert.user for alert in changed}
