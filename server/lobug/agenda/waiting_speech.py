"""Speech that waits for its person: rows of ``waiting_speech``.

It is said on a device as soon as one of the person's can be reached, or before the reply of the
person's next turn, whichever comes first, and once. What was audible and got no answer waits for
the next turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, bindparam, delete, func, insert, or_, select, update

from lobug.agenda.alerts import Alert
from lobug.agenda.tables import alerts, waiting_speech
from lobug.errors import TooManyRequestsError
from lobug.language.en.alert_sentences import missed_sentence, unheard_sentence
from lobug.storage.columns import Number
from lobug.storage.connection import Connection
from lobug.storage.database import Database
from lobug.storage.statements import among, columns_of, records, run

MOST_WAITING = 20
"""Announcements that may wait for one person at once."""


@dataclass(frozen=True, slots=True)
class WaitingSpeech:
    """Something that has yet to be said to somebody."""

    id: int
    user: str
    conversation: str | None
    """Where it is to be said first; None: anywhere."""
    content: str
    created_at: float
    expires_at: float | None
    alert_id: int | None
    said_at: float | None
    """When it was said and nobody answered; None: never."""
    alert: Alert | None = None
    """The alert that it tells of."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A sentence that tells of waiting speech."""

    sentence: str
    ids: tuple[int, ...]


def tellings(waiting: Sequence[WaitingSpeech], now: float) -> list[Telling]:
    """The sentences for waiting speech: what was missed in one, what nobody answered in another,
    then each announcement. ``now``: seconds since the epoch. Pure."""
    missed = [one for one in waiting if one.alert is not None and one.alert.missed]
    unheard = [one for one in waiting if one.alert is not None and not one.alert.missed]
    told = []
    for some, sentence in ((missed, missed_sentence), (unheard, unheard_sentence)):
        if some:
            named = [one.alert for one in some if one.alert is not None]
            told.append(Telling(sentence(named, now), tuple(one.id for one in some)))
    told += [Telling(one.content, (one.id,)) for one in waiting if one.alert is None]
    return told


_waiting = waiting_speech.c
_ALERT = select(*columns_of(alerts, Alert)).where(alerts.c.id == bindparam("alert_id"))
_INSERT = insert(waiting_speech).returning(_waiting.id)
_NOW = bindparam("now", type_=Number)
_FRESH = or_(_waiting.expires_at.is_(None), _waiting.expires_at > _NOW)
_ROWS = select(*columns_of(waiting_speech, WaitingSpeech)).where(_FRESH).order_by(_waiting.id)
_OF_USER = _ROWS.where(_waiting.user == bindparam("user"))
_SAYABLE = _ROWS.where(
    _waiting.said_at.is_(None),
    or_(
        _waiting.alert_id.is_(None),
        _waiting.alert_id.not_in(select(alerts.c.id).where(alerts.c.state == "ringing")),
    ),
)
_BY_ID = select(*columns_of(waiting_speech, WaitingSpeech)).where(among(_waiting.id, "ids"))
_COUNT = (
    select(func.count())
    .select_from(waiting_speech)
    .where(_waiting.user == bindparam("user"), _waiting.alert_id.is_(None), _FRESH)
)
_TELLS = select(_waiting.id).where(_waiting.alert_id == bindparam("alert_id"))
_DELETE = delete(waiting_speech).where(among(_waiting.id, "ids"))
_DELETE_OF_ALERTS = delete(waiting_speech).where(among(_waiting.alert_id, "ids"))
_DELETE_EXPIRED = delete(waiting_speech).where(_waiting.expires_at <= _NOW)
_DELETE_USER = delete(waiting_speech).where(_waiting.user == bindparam("user"))
_RINGING = and_(among(alerts.c.id, "ids"), alerts.c.state == "ringing")
_END = update(alerts).values(state="over").where(_RINGING)
_END_MISSED = update(alerts).values(state="over", missed=True).where(_RINGING)
_IDS_RINGING = select(alerts.c.id).where(_RINGING)


def _found(connection: Connection, rows: Iterable[Any]) -> list[WaitingSpeech]:
    found = []
    for row in rows:
        values = row._asdict()
        alert = None
        if row.alert_id is not None:
            (alert,) = records(Alert, run(connection, _ALERT, alert_id=row.alert_id))
        found.append(WaitingSpeech(**values, alert=alert))
    return found


def _note(connection: Connection, alert: Alert, now: float, *, said: bool) -> None:
    """Let waiting speech tell of an alert, unless some does."""
    if run(connection, _TELLS, alert_id=alert.id).first() is None:
        run(
            connection,
            _INSERT,
            user=alert.user,
            conversation=alert.conversation,
            content=alert.label,
            created_at=now,
            alert_id=alert.id,
            said_at=now if said else None,
        ).scalar()


class WaitingSpeeches:
    """The waiting speech of all users. Every method raises StorageError subclasses."""

    def __init__(
        self, database: Database, *, clock: Callable[[], float], changed: Callable[[Set[str]], None]
    ) -> None:
        """``clock``: seconds since the epoch. ``changed`` is called on the event loop when alerts
        have changed, or something new waits, with the users whose they are."""
        self._database = database
        self._clock = clock
        self._changed = changed
        self._lock = asyncio.Lock()
        """Held while rows are claimed or deleted, so that nothing is said twice."""
        self._claimed: set[int] = set()

    async def announce(
        self, user: str, content: str, places: Mapping[str | None, float | None]
    ) -> None:
        """Let an announcement wait. ``places``: the conversations where it is said first, once for
        each (None: anywhere), and when it expires there (None: never). Raises TooManyRequestsError
        when too many wait already."""

        def work(connection: Connection) -> None:
            now = self._clock()
            run(connection, _DELETE_EXPIRED, now=now)
            if run(connection, _COUNT, user=user, now=now).scalar() >= MOST_WAITING:
                raise TooManyRequestsError(f"{MOST_WAITING} announcements wait for {user} already")
            for conversation, expires_at in places.items():
                run(
                    connection,
                    _INSERT,
                    user=user,
                    conversation=conversation,
                    content=content,
                    created_at=now,
                    expires_at=expires_at,
                ).scalar()

        await self._database.write("announce", work)
        self._changed({user})

    async def note(self, told: Sequence[Alert]) -> None:
        """Let waiting speech tell of alerts that ring where nobody can hear them."""

        def work(connection: Connection) -> None:
            for alert in told:
                _note(connection, alert, self._clock(), said=False)

        await self._database.write("note_unheard", work)

    async def drop(self, alert_ids: Sequence[int]) -> None:
        """Delete what tells of alerts: they are heard now."""
        async with self._lock:
            await self._database.write(
                "drop_unheard",
                lambda connection: run(connection, _DELETE_OF_ALERTS, ids=alert_ids).rowcount,
            )

    async def end_ringing(
        self, over: Sequence[Alert], *, missed: bool = False, said: bool = False
    ) -> None:
        """End the ringing of alerts and let waiting speech tell of those that did ring, in one
        transaction. ``said``: they were audible, and nobody answered."""

        def work(connection: Connection) -> None:
            ids = [alert.id for alert in over]
            ringing = set(run(connection, _IDS_RINGING, ids=ids).scalars())
            run(connection, _END_MISSED if missed else _END, ids=ids)
            for alert in over:
                if alert.id in ringing:
                    _note(connection, alert, self._clock(), said=said)

        await self._database.write("end_ringing", work)
        self._changed({alert.user for alert in over})

    async def sayable(self) -> list[WaitingSpeech]:
        """What is to be said as soon as a device of its person can be reached, oldest first."""

        def work(connection: Connection) -> list[WaitingSpeech]:
            return _found(connection, run(connection, _SAYABLE, now=self._clock()).all())

        return [one for one in await self._database.read(work) if one.id not in self._claimed]

    async def claim(self, user: str, ids: Sequence[int] | None = None) -> list[WaitingSpeech]:
        """What waits for a user, oldest first. Nobody else gets it until it is given back
        (``release``) or has been heard (``heard``). ``ids``: only of these rows."""

        def work(connection: Connection) -> list[WaitingSpeech]:
            return _found(connection, run(connection, _OF_USER, user=user, now=self._clock()).all())

        async with self._lock:
            found = [one for one in await self._database.read(work) if one.id not in self._claimed]
            found = [one for one in found if ids is None or one.id in ids]
            self._claimed.update(one.id for one in found)
            return found

    def release(self, ids: Iterable[int]) -> None:
        """Give back what was claimed and not heard."""
        self._claimed.difference_update(ids)

    async def heard(self, ids: Sequence[int]) -> None:
        """Delete what was heard; an alert that it tells of rings no more."""

        def work(connection: Connection) -> set[str]:
            told = run(connection, _BY_ID, ids=ids).all()
            run(connection, _END, ids=[row.alert_id for row in told if row.alert_id is not None])
            run(connection, _DELETE, ids=ids)
            return {row.user for row in told}

        async with self._lock:
            try:
                users = await self._database.write("waiting_heard", work)
            finally:
                self._claimed.difference_update(ids)
        self._changed(users)

    async def delete_user(self, user: str) -> int:
        """Delete all that waits for a user. Returns the number of rows."""
        return await self._database.write(
            "delete_user_waiting",
            lambda connection: run(connection, _DELETE_USER, user=user).rowcount,
        )
