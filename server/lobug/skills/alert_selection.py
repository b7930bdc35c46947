"""Which of a person's alerts are meant. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lobug.agenda.alerts import Alert
from lobug.language.en.alert_cues import (
    POINTING,
    SEVERAL,
    kinds_in,
    means_repeating,
    words_of,
)
from lobug.language.en.alert_requests import (
    name_in,
)
from lobug.language.en.alert_sentences import local
from lobug.language.instants import resolve
from lobug.language.moments import (
    ClockTime,
    DayPart,
    Impossible,
    Moment,
    Recurrence,
    TimeSpan,
)
from lobug.skills.alert_times import When, whens
from lobug.skills.skill import Match

LAST_S = 600.0
"""For how long "that" means the alert that was set last, seconds."""
_PARTS = {
    DayPart.MORNING: range(4, 12),
    DayPart.AFTERNOON: range(12, 18),
    DayPart.EVENING: range(17, 24),
    DayPart.NIGHT: (*range(20, 24), *range(5)),
}


@dataclass(frozen=True, slots=True)
class Target:
    """What was said of the alerts that are meant."""

    kinds: tuple[str, ...] = ()
    """Empty: any kind."""
    name: str = ""
    times: tuple[When, ...] = ()
    several: bool = False
    """All that fit are meant."""
    pointing: bool = False
    """"That", "it": the one that was set last."""

    @property
    def vague(self) -> bool:
        """Whether nothing tells alerts apart."""
        return not (self.kinds or self.name or self.times)


def target_of(match: Match, times: Sequence[When] | None = None) -> Target:
    """What a request says of the alerts that it means. ``times``: those that tell which; by default
    all."""
    name = name_in(match.slots.get("name", ""))
    kinds = kinds_in(match.request)
    return Target(
        kinds=kinds,
        name="" if name.lower() in kinds else name,
        times=tuple(whens(match.times) if times is None else times),
        several=SEVERAL.search(match.request) is not None,
        pointing=POINTING.search(match.request) is not None,
    )


def select(
    alerts: Sequence[Alert], target: Target, now: datetime, conversation: str
) -> list[Alert]:
    """The alerts that fit. ``conversation``: where it is asked; "that" is what was set there."""
    if target.vague and target.pointing:
        last = last_of(alerts, now.timestamp(), conversation)
        return [] if last is None else [last]
    return [alert for alert in alerts if fits(alert, target, now)]


def last_of(alerts: Sequence[Alert], now: float, conversation: str) -> Alert | None:
    """The alert that "it" means: what rings, else what was set last in a conversation, unless that
    is long ago."""
    ringing = [alert for alert in alerts if alert.state == "ringing"]
    if ringing:
        return ringing[-1]
    recent = [
        alert
        for alert in alerts
        if alert.conversation == conversation and now - alert.created_at <= LAST_S
    ]
    return max(recent, key=lambda alert: (alert.created_at, alert.id), default=None)


def fits(alert: Alert, target: Target, now: datetime) -> bool:
    """Whether an alert is of the kind, the name and the time that were said."""
    if target.kinds and alert.kind not in target.kinds:
        return False
    if target.name and not has_name(alert, target.name):
        return False
    return not target.times or any(_is_at(alert, when, now) for when in target.times)


def has_name(alert: Alert, name: str) -> bool:
    """Whether the words of a name are among those of an alert's label."""
    if alert.rule is not None and means_repeating(name):
        return True
    label, wanted = words_of(alert.label), words_of(name)
    return bool(wanted) and wanted <= label


def sharing_words(alerts: Sequence[Alert], story: str) -> list[Alert]:
    """The alerts whose labels have a word of a story in them that is no small one."""
    told = {word for word in words_of(story) if len(word) > 2}
    return [alert for alert in alerts if told & words_of(alert.label)]


def _is_at(alert: Alert, when: When, now: datetime) -> bool:
    at = local(alert)
    if isinstance(when, TimeSpan):
        return alert.span_s is not None and abs(alert.span_s - when.seconds) < 1
    if isinstance(when, Recurrence):
        same_time = when.time is None or _is_clock(at, when.time)
        return alert.rule == when.rule and same_time
    if when.elapsed is not None:
        return alert.span_s is not None and abs(alert.span_s - when.elapsed.seconds) < 1
    if when.time is not None and not _is_clock(at, when.time):
        return False
    if when.part is not None and at.hour not in _PARTS[when.part]:
        return False
    return when.day is None or _is_on(at, when, now)


def _is_clock(at: datetime, said: ClockTime) -> bool:
    hours = {said.hour % 24} | ({(said.hour + 12) % 24} if said.ambiguous else set())
    return at.hour in hours and at.minute == said.minute


def _is_on(at: datetime, when: Moment, now: datetime) -> bool:
    found = resolve(Moment(day=when.day), now)
    if isinstance(found, Impossible):
        return False
    return at.date() == found.instant.date()


_NUMBERED = (
    (re.compile(r"\b(?:first|one)\b", re.IGNORECASE), 0),
    (re.compile(r"\b(?:second|two)\b", re.IGNORECASE), 1),
    (re.compile(r"\b(?:third|three)\b", re.IGNORECASE), 2),
    (re.compile(r"\blast\b", re.IGNORECASE), -1),
)


def chosen(alerts: Sequence[Alert], answer: str, target: Target, now: datetime) -> list[Alert]:
    """The alerts that the answer to "Which one?" names; empty: it names none."""
    if target.several:
        return list(alerts)
    timed = [alert for alert in alerts if target.times and fits(alert, target, now)]
    if timed:
        return timed
    spoken = words_of(answer)
    named = [alert for alert in alerts if alert.label and spoken & words_of(alert.label)]
    if named:
        return named
    kinds = kinds_in(answer)
    of_kind = [alert for alert in alerts if alert.kind in kinds]
    if of_kind and len(of_kind) < len(alerts):
        return of_kind
    for words, place in _NUMBERED:
        if words.search(answer) and place < len(alerts):
            return [alerts[place]]
    return []
