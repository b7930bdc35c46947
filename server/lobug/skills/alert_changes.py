"""Other times for alerts that are set. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from lobug.agenda.alerts import Alert
from lobug.language.en.alert_cues import (
    Shift,
)
from lobug.language.en.alert_sentences import local
from lobug.language.instants import localised
from lobug.language.moments import ClockTime, Moment, Recurrence
from lobug.language.occurrences import moved_days
from lobug.settings.time_zones import zone_name
from lobug.skills.alert_times import Due, Unsettled, When, settle, span_of


def changed(
    alert: Alert, when: When, shift: Shift, now: datetime, *, day_hour: int, words: str = ""
) -> Alert | Unsettled:
    """An alert with another time. ``shift``: whether a length is added to its time, taken from it,
    or replaces it. ``words``: the time as said."""
    span = span_of(when)
    if span is not None and shift != "to":
        return _shifted(alert, span if shift == "later" else -span, now)
    if span is not None and alert.kind == "timer" and shift == "to":
        return _lengthened(alert, span, now)
    if isinstance(when, Moment) and when.elapsed is None and alert.kind != "timer":
        return _moved(alert, when, now, day_hour, words)
    if isinstance(when, Recurrence) and when.time is None and when.part is None:
        when = replace(when, time=_time_of(alert))
    due = settle(when, now, alert.kind, day_hour=day_hour, words=words)
    return due if isinstance(due, Unsettled) else with_due(alert, due)


def _time_of(alert: Alert) -> ClockTime:
    """The time of day of an alert as one says it: midnight ends a day."""
    time = ClockTime.of(local(alert).time())
    return replace(time, hour=24) if time == _MIDNIGHT else time


def with_due(alert: Alert, due: Due) -> Alert:
    """An alert that rings at another time, as if it were set anew."""
    return replace(
        alert,
        due_at=due.at.timestamp(),
        zone=zone_name(due.at),
        span_s=due.span_s,
        rule=None if due.recurrence is None else due.recurrence.rule,
        starts=due.starts,
        state="pending",
        missed=False,
        silenced_at=None,
    )


def _shifted(alert: Alert, seconds: float, now: datetime) -> Alert | Unsettled:
    base = max(alert.due_at, now.timestamp()) if alert.state == "ringing" else alert.due_at
    due_at = base + seconds
    if due_at <= now.timestamp():
        return Unsettled("past")
    moved = replace(alert, due_at=due_at, state="pending", silenced_at=None)
    if alert.span_s is not None:
        moved = replace(moved, span_s=max(alert.span_s + seconds, 1.0))
    if alert.rule is not None and alert.starts is not None:
        began = datetime.fromisoformat(alert.starts)
        starts = began + timedelta(seconds=seconds)
        rule = _rule_moved_by((starts.date() - began.date()).days, alert.rule)
        if rule is None:
            return Unsettled("repeats")
        moved = replace(moved, starts=starts.isoformat(), rule=rule)
    return moved


def _rule_moved_by(days: int, rule: str) -> str | None:
    """A rule whose days are so many days later, or earlier. None: there is none."""
    if abs(days) > _MOST_DAYS:
        return None
    moved: str | None = rule
    for _ in range(abs(days)):
        moved = None if moved is None else moved_days(moved, 1 if days > 0 else -1)
    return moved


def _lengthened(alert: Alert, span: float, now: datetime) -> Alert | Unsettled:
    """A timer of another length, from when it was set; from now if that is over."""
    if span <= 0:
        return Unsettled("no_length")
    due_at = alert.created_at + span
    if due_at <= now.timestamp() or now.timestamp() - alert.created_at > _JUST_SET_S:
        due_at = now.timestamp() + span
    return replace(alert, due_at=due_at, span_s=span, state="pending", silenced_at=None)


_MIDNIGHT, _NOON = ClockTime(0), 12
_MOST_DAYS = 31
"""Days by which a rule is moved."""
_JUST_SET_S = 60.0
"""A timer that is so new is put right; an older one begins anew, seconds."""


def _moved(
    alert: Alert, when: Moment, now: datetime, day_hour: int, words: str
) -> Alert | Unsettled:
    """An alarm or reminder for another time of day, another day, or both."""
    at = local(alert)
    if alert.rule is not None:
        return _moved_rule(alert, when, now, day_hour, words)
    if when.day is None and when.time is not None and not when.same_time:
        near = _nearest(at, when.time, now)
        if near is not None:
            return with_due(alert, Due(near))
    if when.day is not None and when.time is None and when.part is None:
        when = replace(when, time=_time_of(alert))
    due = settle(when, now, alert.kind, day_hour=day_hour, words=words)
    return due if isinstance(due, Unsettled) else with_due(alert, due)


def _nearest(at: datetime, said: ClockTime, now: datetime) -> datetime | None:
    """A time of day on the day of an alert; of both readings the one nearer to what was set. None:
    it is over or does not exist."""
    if said.hour > 24 or said.minute > 59:
        return None
    hours = {said.hour % 24} | ({(said.hour + 12) % 24} if said.ambiguous else set())
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    found = [
        localised(midnight + timedelta(hours=hour, minutes=said.minute), at)
        for hour in sorted(hours)
    ]
    later = [one for one in found if one.timestamp() > now.timestamp()]
    return min(later, key=lambda one: abs(one.timestamp() - at.timestamp()), default=None)


def _moved_rule(
    alert: Alert, when: Moment, now: datetime, day_hour: int, words: str
) -> Alert | Unsettled:
    recurrence = alert.recurrence
    if recurrence is None or when.time is None or when.day is not None:
        return Unsettled("repeats")
    time = when.time
    if recurrence.time is not None and time.ambiguous:
        hours = ((time.hour % 12), (time.hour % 12) + 12)
        old = 24 if recurrence.time == _MIDNIGHT else recurrence.time.hour
        time = replace(time, hour=min(hours, key=lambda hour: abs(hour - old)), ambiguous=False)
    rule = recurrence.rule
    if recurrence.time == _MIDNIGHT and time.hour >= _NOON:
        rule = moved_days(rule, -1) or rule  # the day that the midnight ends
    due = settle(Recurrence(rule, time), now, alert.kind, day_hour=day_hour, words=words)
    return due if isinstance(due, Unsettled) else with_due(alert, due)
