"""Sets timers, alarms and reminders: what is asked for, and the commands that set it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lobug.agenda.alerts import AlertKind, Alerts, NewAlert
from lobug.conversation.command_context import Command, CommandAnswer
from lobug.errors import AlertLimitError
from lobug.language.en.alert_cues import (
    asks_memory,
    counts_from_event,
    is_waking,
    may_name,
    minutes_past,
    names_alerts,
    needs_task,
)
from lobug.language.en.alert_reports import set_sentence, unsettled_sentence
from lobug.language.en.alert_requests import (
    Wanted,
    answered_task,
    counted_from,
    name_in,
    named_alerts,
    task_of,
)
from lobug.language.en.alert_sentences import says
from lobug.language.en.speech_acts import is_question
from lobug.language.en.times import find_times
from lobug.language.moments import Found
from lobug.settings.time_zones import zone_name
from lobug.skills.alert_times import (
    Due,
    Unsettled,
    When,
    completed,
    needs_time,
    settle,
    whens,
)
from lobug.skills.skill import Match, Request, SkillQuestion

SKILL = "alerts"
KINDS: Mapping[str, AlertKind] = {
    "SetTimer": "timer",
    "SetAlarm": "alarm",
    "SetReminder": "reminder",
}


@dataclass(frozen=True, slots=True)
class Draft:
    """Alerts that are to be set as soon as it is known when."""

    kind: AlertKind
    labels: tuple[str, ...]
    whens: tuple[When, ...]
    """One for each label; empty: it is not known yet."""
    words: str = ""
    """The times as said."""
    waking: bool = False
    asks_task: bool = False
    """It must be asked first what to remind of."""


class AlertSetting:
    """Sets alerts in the agenda."""

    def __init__(self, alerts: Alerts, *, day_hour: int) -> None:
        """``day_hour``: the hour of a reminder for a day without a time."""
        self._alerts = alerts
        self._day_hour = day_hour

    def use_day_hour(self, day_hour: int) -> None:
        """From now on this is the hour of a reminder for a day without a time."""
        self._day_hour = day_hour

    def plan(self, request: Request, match: Match) -> Command | None:
        """Set what a request asks for, or ask what is missing. None: it asks for nothing."""
        draft = draft_of(match)
        if draft is None or (not draft.whens and asks_memory(match.request)):
            return None
        return self.proceed(request, draft)

    def proceed(self, request: Request, draft: Draft) -> Command:
        """Set the alerts of a draft, or ask what is missing."""
        if draft.asks_task:
            return request.ask(says("what_reminder"), SKILL, {"do": "task", "draft": draft})
        if not draft.whens or needs_time(draft.kind, draft.whens[0]):
            asked = "when_reminder" if draft.whens else f"when_{draft.kind}"
            if draft.whens and draft.kind == "alarm":
                asked = "when_alarm"
            return request.ask(says(asked), SKILL, {"do": "set", "draft": draft})
        dues: list[Due] = []
        for when in draft.whens:
            due = settle(when, request.now, draft.kind, day_hour=self._day_hour, words=draft.words)
            if isinstance(due, Unsettled):
                return request.say(unsettled_sentence(due.problem, due.words))
            dues.append(due)
        return self._set(request, draft, dues)

    def answer_task(self, request: Request, question: SkillQuestion) -> Command | None:
        """Set a reminder, now that somebody says of what. None: they don't."""
        draft: Any = question.data["draft"]
        label = answered_task(request.text)
        if not label or is_question(request.text):
            return None
        labels = (label,) * len(draft.labels)
        return self.proceed(request, replace(draft, labels=labels, asks_task=False))

    def answer(self, request: Request, question: SkillQuestion) -> Command | None:
        """Set what was asked for, now that somebody says when. None: they don't."""
        draft: Any = question.data["draft"]
        times = find_times(request.text, bare_numbers=True)
        other = names_alerts(request.text) or (draft.kind != "alarm" and is_waking(request.text))
        if not times or other or is_question(request.text):
            return None
        found = whens(times)
        if draft.whens:
            found = [completed(draft.whens[0], found[0])]
        words = " ".join(request.text[one.start : one.end] for one in times)
        if not any(draft.labels) and draft.kind == "timer":
            draft = replace(draft, labels=(named_alerts(request.text, times)[0].label,))
        labels = draft.labels if len(found) <= len(draft.labels) else draft.labels[:1] * len(found)
        return self.proceed(request, replace(draft, whens=tuple(found), labels=labels, words=words))

    def _set(self, request: Request, draft: Draft, dues: Sequence[Due]) -> Command:
        labels = [*draft.labels, *[draft.labels[-1]] * len(dues)]
        new = [
            new_alert(request, draft.kind, label, due)
            for label, due in zip(labels, dues, strict=False)
        ]

        async def act(_: int) -> CommandAnswer:
            try:
                alerts = await self._alerts.add(new)
            except AlertLimitError:
                return CommandAnswer((AlertLimitError.spoken,))
            said = set_sentence(
                alerts, request.now, waking=draft.waking, day_only=any(d.day_only for d in dues)
            )
            return CommandAnswer((said,))

        return Command(request.text, act)


def new_alert(request: Request, kind: AlertKind, label: str, due: Due) -> NewAlert:
    """The alert that is to be stored."""
    return NewAlert(
        user=request.user,
        conversation=request.place,
        kind=kind,
        label=label,
        due_at=due.at.timestamp(),
        zone=zone_name(due.at),
        span_s=due.span_s,
        rule=None if due.recurrence is None else due.recurrence.rule,
        starts=due.starts,
    )


def draft_of(match: Match) -> Draft | None:
    """What a request asks to set; None: it only looks like one. Pure."""
    kind = KINDS[match.intent]
    if match.chosen:
        return _quoted_draft(match, kind)
    if "label" in match.slots:
        return _story_draft(match, kind)
    times = match.times or _bare_times(match, kind)
    times = counted_from(match.request, times)
    times = tuple(one for one in times if not minutes_past(match.request, one))
    if times and counts_from_event(match.request, times[-1]):
        return Draft(kind, ("",), ())
    if not may_name(match.request, match.slots, kind, timed=bool(times)):
        return None
    words = " ".join(match.request[one.start : one.end] for one in times)
    if "task" in match.slots:
        wanted = task_of(match.request, match.slots["task"], times)
        found = whens(wanted.times)
        labels = (wanted.label,) * max(len(found), 1)
        words = " ".join(match.request[one.start : one.end] for one in wanted.times) or words
        return Draft(kind, labels, tuple(found), words, is_waking(match.request))
    draft = _named_draft(match, kind, times, words)
    if kind == "reminder" and draft.whens and not any(draft.labels) and needs_task(match.request):
        return replace(draft, asks_task=True)
    return draft


def _named_draft(match: Match, kind: AlertKind, times: Sequence[Found], words: str) -> Draft:
    wanted = named_alerts(match.request, times) if kind == "timer" else [_single(match, times)]
    waking = is_waking(match.request)
    if kind == "timer" and len(times) > 1:
        values = whens(times)
        if len(values) == len(wanted):
            return Draft(kind, tuple(one.label for one in wanted), tuple(values), words)
    found = whens([time for one in wanted for time in one.times])
    labels = tuple(one.label for one in wanted)
    if len(labels) < len(found):
        labels = labels[:1] * len(found)
    return Draft(kind, labels, tuple(found), words, waking)


def _single(match: Match, times: Sequence[Found]) -> Wanted:
    (one, *_) = named_alerts(match.request, times[:1])
    masked = named_alerts(match.request, times)
    label = (
        next((found.label for found in masked if found.label), "") if len(times) > 1 else one.label
    )
    return Wanted(label, tuple(times))


def _bare_times(match: Match, kind: AlertKind) -> tuple[Found, ...]:
    """The times of a terse request: "alarm seven thirty"."""
    if kind != "alarm":
        return ()
    return tuple(find_times(match.request, bare_numbers=True))


def _story_draft(match: Match, kind: AlertKind) -> Draft | None:
    """What several clauses ask for: one label for each line, with its time."""
    labels = tuple(match.slots["label"].split("\n"))
    found = tuple(whens(match.times))
    words = " ".join(match.request[one.start : one.end] for one in match.times)
    return Draft(kind, labels, found, words) if len(labels) == len(found) else None


def _quoted_draft(match: Match, kind: AlertKind) -> Draft:
    """What the chat model quoted."""
    quoted = match.slots.get("time", "")
    times = find_times(quoted, bare_numbers=True)
    found = tuple(whens(times))
    label = match.slots.get("name", "") or match.slots.get("task", "")
    label = name_in(label) if kind != "reminder" else label
    return Draft(kind, (label,) * max(len(found), 1), found, quoted)
