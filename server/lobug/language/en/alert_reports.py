"""What Lo-Bug says of alerts that were set, changed, asked for and cancelled. English. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from lobug.language.en.alert_sentences import (
    Named,
    bare_time,
    capital,
    has_lead,
    joined,
    local,
    name_of,
    says,
)
from lobug.language.en.perspective import said_by_lo_bug
from lobug.language.en.spoken_numbers import cardinal
from lobug.language.en.times import say_moment, say_recurrence, say_span, say_time
from lobug.language.moments import ClockTime, Recurrence

MOST_LISTED = 6
"""Alerts of a list that are said one by one."""


class Listed(Named, Protocol):
    """An alert, as far as lists need it."""

    @property
    def recurrence(self) -> Recurrence | None:
        """How it comes again; None: it rings once."""

    @property
    def state(self) -> str:
        """pending or ringing."""


def span_left(seconds: float) -> str:
    """The time that is left, as exactly as one says it: "nine minutes and thirty seconds",
    "forty minutes"."""
    seconds = max(seconds, 1.0)
    step = 1 if seconds < 120 else 10 if seconds < 600 else 60
    left = max(step, round(seconds / step) * step)
    if 60 < left < 120:
        return says("and", first=say_span(60), last=say_span(left - 60))
    return say_span(left)


def moment_of(alert: Listed, now: datetime, *, spanned: bool = False) -> str:
    """When an alert rings: "tomorrow at nine in the morning", "every weekday at 6:40", "in ten
    minutes". ``spanned``: a length was said."""
    if alert.recurrence is not None:
        return say_recurrence(alert.recurrence)
    if spanned and alert.span_s is not None:
        return says("in_span", span=say_span(alert.span_s))
    return say_moment(local(alert).astimezone(now.tzinfo), now)


def set_sentence(alerts: Sequence[Listed], now: datetime, *, waking: bool, day_only: bool) -> str:
    """What is said when alerts of one kind are set."""
    kind = alerts[0].kind
    if kind == "timer":
        return _timers_set(alerts, now)
    moments = joined([moment_of(alert, now, spanned=True) for alert in alerts])
    label = said_by_lo_bug(alerts[0].label)
    if kind == "alarm":
        name = "wake_set" if waking else "alarms_set" if len(alerts) > 1 else "alarm_set"
        return says(name, moment=moments, purpose=_purpose(label))
    named = bool(label) and not has_lead(label)
    name = "reminder_named_set" if named else "reminder_set" if label else "reminder_bare_set"
    said = says(name, moment=moments, label=label)
    if day_only:
        said = f"{said} {says('hour_chosen', time=say_time(local(alerts[0]).time()))}"
    return said


def _timers_set(alerts: Sequence[Listed], now: datetime) -> str:
    lengths = []
    for alert in alerts:
        label = said_by_lo_bug(alert.label)
        length = say_span(round(alert.span_s or 0))
        if alert.recurrence is not None:
            length = say_recurrence(alert.recurrence)
        lengths.append((length, label))
    if len(alerts) == 1:
        ((length, label),) = lengths
        return says("timer_set", length=length, purpose=_purpose(label))
    each = [f"{length}{_purpose(label).replace(',', '')}" for length, label in lengths]
    return says("timers_set", count=capital(cardinal(len(alerts))), lengths=joined(each))


def _purpose(label: str) -> str:
    """What an alert is for, to follow its time: ", for pasta", ", to catch your train"."""
    if not label:
        return ""
    if has_lead(label):
        return says("purpose_lead", label=label)
    return says("purpose_name", label=label)


def list_sentence(alerts: Sequence[Listed], kinds: Sequence[str], now: datetime) -> str:
    """The sentence that lists a person's alerts. ``kinds``: those asked for; empty: all."""
    if not alerts:
        return none_sentence(kinds)
    parts = []
    for kind in ("timer", "alarm", "reminder"):
        own = [alert for alert in alerts if alert.kind == kind]
        if own:
            parts.append(_list_of(kind, own, now))
    return " ".join(parts)


def none_sentence(kinds: Sequence[str], name: str = "") -> str:
    """What is said when there is no such alert."""
    if not kinds:
        return says("none_at_all")
    if len(kinds) > 1:
        return says("none", what=joined([f"{kind}s" for kind in kinds]).replace(" and ", " or "))
    (kind,) = kinds
    if not name:
        return says("none", what=f"{kind}s")
    return says(
        "none", what=f"{name} {kind}" if kind != "reminder" else says("none_about", name=name)
    )


def _list_of(kind: str, alerts: Sequence[Listed], now: datetime) -> str:
    items = [_item(alert, now) for alert in alerts[:MOST_LISTED]]
    more = len(alerts) - len(items)
    count = says(
        "one_kind" if len(alerts) == 1 else "many_kind", kind=kind, count=cardinal(len(alerts))
    )
    if more:
        items.append(says("more", count=cardinal(more)))
    return says("list", count=count, items="; ".join(items) if len(items) > 2 else joined(items))


def _item(alert: Listed, now: datetime) -> str:
    label = said_by_lo_bug(alert.label)
    if alert.state == "ringing":
        return says("item_rings", name=label or says("it_unnamed"))
    if alert.kind == "timer":
        left = span_left(alert.due_at - now.timestamp())
        return says("item_timer", name=label, left=left) if label else says("item_left", left=left)
    moment = moment_of(alert, now)
    if not label:
        return moment
    if alert.kind == "alarm":
        return f"{moment}{_purpose(label)}"
    return says("item_reminder", label=label, moment=moment)


def left_sentence(alerts: Sequence[Listed], now: datetime) -> str:
    """How long it is until alerts ring."""
    parts = []
    for alert in alerts[:MOST_LISTED]:
        if alert.state == "ringing":
            parts.append(says("rings_now", name=name_of(alert)))
        else:
            left = span_left(alert.due_at - now.timestamp())
            name = "left_on_timer" if alert.kind == "timer" else "left_until"
            if len(alerts) == 1 and alert.kind == "timer" and not alert.label:
                name = "left_alone"
            parts.append(says(name, left=left, name=name_of(alert)))
    return f"{capital(joined(parts))}."


def short_name(alert: Listed, now: datetime) -> str:
    """An alert, to be told from others: "pasta timer", "alarm tomorrow at 6:30"."""
    if alert.kind == "timer" or (alert.kind == "reminder" and alert.label):
        return name_of(alert)
    moment = moment_of(alert, now)
    if alert.label:
        return f"{name_of(alert)} {moment}"
    return f"{alert.kind} {moment}"


def cancelled_sentence(alerts: Sequence[Listed], now: datetime) -> str:
    """What is said when alerts were cancelled."""
    if len(alerts) == 1:
        return says("cancelled", name=short_name(alerts[0], now))
    kinds = {alert.kind for alert in alerts}
    kind = f"{next(iter(kinds))}s" if len(kinds) == 1 else says("alerts")
    return says("cancelled_many", count=cardinal(len(alerts)), kind=kind)


def which_question(alerts: Sequence[Listed], now: datetime) -> str:
    """The question which of several alerts is meant."""
    names = [says("the", name=short_name(alert, now)) for alert in alerts[:MOST_LISTED]]
    if len(set(names)) < len(names):
        names = [
            says("the_left", name=name_of(alert), left=span_left(alert.due_at - now.timestamp()))
            for alert in alerts[:MOST_LISTED]
        ]
    return says("which", names=joined(names).replace(" and the ", " or the "))


def all_question(alerts: Sequence[Listed]) -> str:
    """The question whether so many are to be cancelled."""
    kinds = {alert.kind for alert in alerts}
    kind = f"{next(iter(kinds))}s" if len(kinds) == 1 else says("alerts")
    return says("all", count=cardinal(len(alerts)), kind=kind)


def changed_sentence(alert: Listed, now: datetime) -> str:
    """What is said when an alert rings at another time."""
    if alert.kind == "timer":
        left = span_left(alert.due_at - now.timestamp())
        return says(
            "timer_changed", name=name_of(alert, timed=False) if alert.label else "timer", left=left
        )
    name = name_of(alert, timed=False)
    verb = "reminder_changed" if alert.kind == "reminder" else "alarm_changed"
    return says(verb, name=name, moment=moment_of(alert, now))


def unsettled_sentence(problem: str, words: str) -> str:
    """Why a time cannot be used. ``words``: the time as said."""
    said = re.sub(
        r"^(?:at|on|by|for|in|to|from)\s+(?:the\s+)?", "", words.strip(), flags=re.IGNORECASE
    )
    return says(f"no_{problem}" if said else f"no_{problem}_alone", words=said)


def clock_sentence(at: ClockTime) -> str:
    """A time of day as it is said."""
    return bare_time(datetime(2000, 1, 1, at.hour % 24, at.minute))  # noqa: DTZ001
