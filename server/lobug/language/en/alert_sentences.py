"""What Lo-Bug says of timers, alarms and reminders. English. Pure.

A label is what an alert is for, in the user's words. One that begins with "to", "about", "that" or
the like follows its kind ("reminder to call my mum"); any other is a name ("pasta timer").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Protocol
from zoneinfo import ZoneInfo

from lobug.language.en.perspective import said_by_lo_bug
from lobug.language.en.skill_sentences import skill_sentences
from lobug.language.en.times import say_date, say_span, say_time

SKILL = "alerts"
_LEAD = re.compile(r"(?:to|about|that|of|for|when|if)\s", re.IGNORECASE)
_PART = re.compile(r" (?:in the (?:morning|afternoon|evening)|at night)$")
_MORNING = range(4, 11)
"""Hours at which an alarm says "good morning"."""
_MOST_NAMED = 5
"""Alerts that are named one by one in a sentence."""


class Named(Protocol):
    """An alert, as far as sentences need it."""

    @property
    def kind(self) -> str:
        """timer, alarm or reminder."""

    @property
    def label(self) -> str:
        """What it is for, in the user's words; may be empty."""

    @property
    def due_at(self) -> float:
        """When it rings, seconds since the epoch."""

    @property
    def span_s(self) -> float | None:
        """A timer's length, seconds."""

    @property
    def zone(self) -> str:
        """IANA name of its time zone."""


def says(name: str, /, **values: object) -> str:
    """A sentence of the skill, with its words in braces filled in."""
    return _says()[name].format(**values)


@cache
def _says() -> dict[str, str]:
    return dict(skill_sentences().says(SKILL))


def ringing_sentence(alerts: Sequence[Named], now: float) -> str:
    """What is said when alerts ring: "Your pasta timer is done." ``now``: seconds since the epoch;
    alarms say the time."""
    return " ".join(_ringing(alert, now) for alert in alerts)


def missed_sentence(alerts: Sequence[Named], now: float) -> str:
    """What is said of alerts that fell due while the server was off. ``now``: seconds since the
    epoch."""
    return says("missed", all=_all_past(alerts, now))


def unheard_sentence(alerts: Sequence[Named], now: float) -> str:
    """What is said of alerts that rang where nobody answered: "Your pasta timer ran out at nine."
    ``now``: seconds since the epoch."""
    return says("unheard", all=capital(_all_past(alerts, now)))


def _all_past(alerts: Sequence[Named], now: float) -> str:
    named = [
        says(f"missed_{alert.kind}", name=name_of(alert, timed=False), moment=past_of(alert, now))
        for alert in alerts[:_MOST_NAMED]
    ]
    more = len(alerts) - len(named)
    if more:
        named.append(says("missed_more", count=more))
    return joined(named)


def name_of(alert: Named, *, timed: bool = True) -> str:
    """An alert without article: "pasta timer", "reminder to call your mum", "alarm for 6:30".
    ``timed``: an alarm without a label is named by its time."""
    label = said_by_lo_bug(alert.label)
    if label and has_lead(label):
        return says("name_with_lead", kind=alert.kind, label=label)
    if label:
        return says(f"name_of_{alert.kind}", label=label)
    if alert.kind == "timer" and alert.span_s is not None:
        return says("name_for", kind=alert.kind, what=say_span(alert.span_s))
    if alert.kind == "alarm" and timed:
        return says("name_for", kind=alert.kind, what=bare_time(local(alert)))
    return alert.kind


def has_lead(label: str) -> bool:
    """Whether a label follows its kind: "to call my mum"."""
    return _LEAD.match(label) is not None


def local(alert: Named) -> datetime:
    """When an alert rings, in its own time zone."""
    return datetime.fromtimestamp(alert.due_at, UTC).astimezone(ZoneInfo(alert.zone))


def bare_time(moment: datetime) -> str:
    """A time of day without its part of the day: "nine", "6:30", "noon"."""
    return _PART.sub("", say_time(moment.time().replace(second=0, microsecond=0)))


def past_of(alert: Named, now: float) -> str:
    """When an alert fell due: "at nine", "yesterday at nine", "on Friday, December 4th at nine"."""
    due = local(alert)
    today = datetime.fromtimestamp(now, UTC).astimezone(due.tzinfo).date()
    time = say_time(due.time().replace(second=0, microsecond=0))
    days = (today - due.date()).days
    if days <= 1:
        return says("past_yesterday" if days == 1 else "past_today", time=time)
    return says("past_date", date=say_date(due.date(), today), time=time)


def joined(parts: Sequence[str]) -> str:
    """Parts of a sentence in a row: "milk, bread and eggs"."""
    if len(parts) < 2:
        return "".join(parts)
    return says("and", first=", ".join(parts[:-1]), last=parts[-1])


def capital(text: str) -> str:
    """A text with a capital first letter."""
    return text[:1].upper() + text[1:]


def _ringing(alert: Named, now: float) -> str:
    label = said_by_lo_bug(alert.label)
    if alert.kind == "timer":
        return says("timer_rings", name=name_of(alert))
    if alert.kind == "reminder":
        what = re.sub(r"^(?:to|about|that|of|for)\s+", "", label, flags=re.IGNORECASE)
        return says("reminder_rings", what=what.rstrip(".!")) if what else says("reminder_alone")
    time = datetime.fromtimestamp(now, UTC).astimezone(ZoneInfo(alert.zone))
    name = "alarm_in_morning" if time.hour in _MORNING else "alarm_rings"
    said = says(name, time=bare_time(time))
    if not label:
        return said
    kind = "alarm_to" if label.lower().startswith("to ") else "alarm_named"
    return f"{said} {says(kind, name=name_of(alert), label=label)}"
