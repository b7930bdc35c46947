"""`/alerts`: a person's timers, alarms and reminders."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, Field

from lobug.agenda.alerts import Alert, AlertKind, AlertState, NewAlert
from lobug.errors import (
    AlertLimitError,
    AlertNotFoundError,
    BodyTimeoutError,
    BodyTooLargeError,
    ForeignOriginError,
    InvalidEncodingError,
    InvalidRequestError,
    LobugError,
    MemoryForbiddenError,
    StorageError,
    TextTooLongError,
)
from lobug.http.dependencies import ConversationDep, ServerDep, documented, private
from lobug.http.formats import Answer, Time
from lobug.http.memory.requests import MAX_ID, Body, ScopeDep, memory_body
from lobug.http.problems import error_responses
from lobug.server import LobugServer
from lobug.settings.time_zones import zone_name
from lobug.skills.alert_changes import with_due
from lobug.skills.alert_times import Due, rule_from

LONGEST_S = 3_155_760_000.0
"""A hundred years, seconds."""


class KnownAlert(Answer):
    """A timer, an alarm or a reminder."""

    id: int = Field(description="By which it is changed and deleted.")
    kind: AlertKind = Field(description="What it is called.")
    label: str = Field(
        description="Its name, or what to be reminded of (`to call my mum`); may be empty."
    )
    due_at: Time = Field(description="When it rings next; of one that rings: when it fell due.")
    span_s: float | None = Field(description="Length of a timer, seconds; null: for a time of day.")
    rule: str | None = Field(description="RFC 5545 recurrence rule; null: it rings once.")
    zone: str = Field(description="IANA name of the time zone in which a recurring one rings.")
    state: AlertState = Field(description="`pending`, or `ringing` until somebody stops it.")
    created_at: Time = Field(description="When it was set.")


class KnownAlerts(BaseModel):
    """The alerts of a person."""

    alerts: list[KnownAlert] = Field(description="The soonest first.")


At = Annotated[
    float | str,
    Field(
        description="When it rings: seconds since the epoch, or ISO 8601. Without an offset it is"
        " the time on the clock where Lo-Bug is (`conversation.time_zone`)."
    ),
]
InSeconds = Annotated[
    float,
    Field(gt=0.0, le=LONGEST_S, allow_inf_nan=False, description="In how many seconds it rings."),
]


Rule = Annotated[
    str,
    Field(
        max_length=200,
        description="RFC 5545 recurrence rule with FREQ, INTERVAL, BYDAY, BYMONTH, BYMONTHDAY and"
        " BYSETPOS: `FREQ=WEEKLY;BYDAY=MO,TU`. With hours and minutes only INTERVAL.",
    ),
]


class AlertRequest(Body):
    """An alert to be set: with exactly one of `at` and `in_s`."""

    kind: AlertKind = Field(description="What to call it.")
    label: str = Field(
        "",
        description="Its name, or what to be reminded of: `to call my mum`. One line; the rest of"
        " more than `skills.max_alert_label_chars` characters is cut off.",
    )
    at: At | None = None
    in_s: InSeconds | None = None
    rule: Rule | None = Field(
        None, description="When it rings again; it begins at `at` and keeps that time of day."
    )


class AlertChange(Body):
    """What to change of an alert; what is left out stays. At most one of `at` and `in_s`."""

    label: str | None = Field(None, description="Its new name or text.")
    at: At | None = None
    in_s: InSeconds | None = None
    rule: Rule | None = Field(
        None,
        description="When it rings again from now on; null: it rings once more. Its time of day is"
        " that of `at`, else the one that it has.",
    )


AlertId = Annotated[int, Path(ge=1, le=MAX_ID, description="Id of an alert.")]

EVERYWHERE: tuple[type[LobugError], ...] = (
    ForeignOriginError,
    InvalidRequestError,
    MemoryForbiddenError,
    StorageError,
    *StorageError.__subclasses__(),
)
WITH_BODY: tuple[type[LobugError], ...] = (
    *EVERYWHERE,
    InvalidEncodingError,
    BodyTooLargeError,
    BodyTimeoutError,
    TextTooLongError,
)

router = APIRouter(prefix="/alerts", tags=["alerts"], dependencies=[Depends(private)])


@router.get("", responses=error_responses(*EVERYWHERE))
async def alerts(scope: ScopeDep, server: ServerDep) -> KnownAlerts:
    """Show the timers, alarms and reminders of a person that are set or ring."""
    found = await server.agenda.alerts.of_user(scope.user)
    return KnownAlerts(alerts=[KnownAlert.of(alert) for alert in found])


@router.post(
    "",
    openapi_extra=documented(AlertRequest),
    responses=error_responses(*WITH_BODY, AlertLimitError),
)
async def add(
    body: Annotated[AlertRequest, Depends(memory_body(AlertRequest))],
    scope: ScopeDep,
    conversation_key: ConversationDep,
    server: ServerDep,
) -> KnownAlert:
    """Set a timer, an alarm or a reminder. It rings where the caller talks, else on any device of
    the person."""
    if (body.at is None) == (body.in_s is None):
        raise InvalidRequestError("give exactly one of at and in_s")
    due = _due(server, scope.user, body.kind, body.at, body.in_s)
    if body.rule is not None:
        due = _repeated(body.rule, due.at)
    own = conversation_key.user == scope.user
    new = NewAlert(
        user=scope.user,
        conversation=conversation_key.conversation if own else "",
        kind=body.kind,
        label=body.label,
        due_at=due.at.timestamp(),
        zone=zone_name(due.at),
        span_s=due.span_s,
        rule=None if due.recurrence is None else due.recurrence.rule,
        starts=due.starts,
    )
    (alert,) = await server.agenda.alerts.add([new])
    return KnownAlert.of(alert)


@router.patch(
    "/{alert_id}",
    openapi_extra=documented(AlertChange),
    responses=error_responses(*WITH_BODY, AlertNotFoundError),
)
async def change(
    alert_id: AlertId,
    body: Annotated[AlertChange, Depends(memory_body(AlertChange))],
    scope: ScopeDep,
    server: ServerDep,
) -> KnownAlert:
    """Change the words of an alert, or when it rings. One that rings and gets another time stops
    until then; that it repeats cannot be changed while it rings, since it rings once then."""
    if body.at is not None and body.in_s is not None:
        raise InvalidRequestError("give at most one of at and in_s")
    alert = await _found(server, scope.user, alert_id)
    if body.label is not None:
        alert = replace(alert, label=body.label)
    due = None
    if body.at is not None or body.in_s is not None:
        due = _due(server, scope.user, alert.kind, body.at, body.in_s)
    if "rule" in body.model_fields_set:
        if alert.state == "ringing" and due is None:
            raise InvalidRequestError("it rings: give it another time too")
        zone = server.now(scope.user).tzinfo
        due = due or Due(datetime.fromtimestamp(alert.due_at, zone), span_s=alert.span_s)
        alert = with_due(alert, due if body.rule is None else _repeated(body.rule, due.at))
    elif due is not None:
        alert = with_due(alert, due if alert.rule is None else _repeated(alert.rule, due.at))
    if not await server.agenda.alerts.replace(alert):
        raise AlertNotFoundError("it is over by now")
    return KnownAlert.of(await _found(server, scope.user, alert_id))


@router.delete("/{alert_id}", responses=error_responses(*EVERYWHERE, AlertNotFoundError))
async def cancel(alert_id: AlertId, scope: ScopeDep, server: ServerDep) -> KnownAlert:
    """Cancel an alert, or end its ringing; the answer shows what it was."""
    gone = await server.agenda.alerts.cancel(scope.user, [alert_id])
    if not gone:
        raise AlertNotFoundError("there is no alert of this id")
    return KnownAlert.of(gone[0])


async def _found(server: LobugServer, user: str, alert_id: int) -> Alert:
    for alert in await server.agenda.alerts.of_user(user):
        if alert.id == alert_id:
            return alert
    raise AlertNotFoundError("there is no alert of this id")


def _due(
    server: LobugServer, user: str, kind: AlertKind, at: float | str | None, in_s: float | None
) -> Due:
    """When an alert rings. Raises InvalidRequestError."""
    now = server.now(user)
    if in_s is not None:
        moment = datetime.fromtimestamp(now.timestamp() + in_s, now.tzinfo)
        return Due(moment, span_s=in_s)
    moment = _moment(at, now)
    away = moment.timestamp() - now.timestamp()
    if not 0 < away <= LONGEST_S:
        raise InvalidRequestError("at has passed" if away <= 0 else "at is too far away")
    return Due(moment, span_s=away if kind == "timer" else None)


def _repeated(rule: str, first: datetime) -> Due:
    """When an alert with a rule rings first. Raises InvalidRequestError."""
    due = rule_from(rule, first)
    if due is None:
        raise InvalidRequestError("rule is not one that Lo-Bug knows, or rings too often")
    return due


def _moment(at: float | str | None, now: datetime) -> datetime:
    """A time in the zone of ``now``. Raises InvalidRequestError."""
    try:
        if isinstance(at, str):
            moment = datetime.fromisoformat(at)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=now.tzinfo)
            return moment.astimezone(now.tzinfo)
        return datetime.fromtimestamp(float(at or 0.0), now.tzinfo)
    except (ValueError, OverflowError, OSError):
        raise InvalidRequestError(
            "at is not a time: give seconds since the epoch or ISO 8601 (2026-03-01T07:30)"
        ) from None
