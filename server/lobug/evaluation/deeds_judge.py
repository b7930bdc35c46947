"""Judges what Lo-Bug did after a sentence of the deeds corpus. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

from dateutil.rrule import rrulestr

from lobug.evaluation.deeds import Expected, ExpectedAlert, ExpectedList, Sentence
from lobug.language.en.claimed_deeds import claimed_deed
from lobug.language.en.data import WEEKDAYS

DeedVerdict = Literal["right", "wrong", "false", "missed"]
"""right: what was asked for was done, or was refused where it cannot be done, or talk stayed talk.
wrong: something else was done. false: nothing was done, and the reply claims a deed. missed:
nothing was done, and the reply claims none."""

TOLERANCE_S = 30.0
"""Seconds by which an alert may differ from what was asked for: some time passes meanwhile."""

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@dataclass(frozen=True, slots=True)
class HeldAlert:
    """An alert that is pending."""

    id: int
    kind: str
    label: str
    due_at: datetime
    """Aware, in the person's zone."""
    rule: str | None


@dataclass(frozen=True, slots=True)
class HeldAgenda:
    """What the agenda holds of a person."""

    alerts: tuple[HeldAlert, ...] = ()
    lists: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Name of each list, and the items that are not ticked off."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Played:
    """What happened after a sentence."""

    sentence: Sentence
    heard: str
    """The words that Lo-Bug heard; differs from the sentence's where it was spoken."""
    by_voice: bool
    reply: str
    answered_by: str
    """``Timeline.answered_by``."""
    before: HeldAgenda
    after: HeldAgenda
    at: datetime
    """When it was said; aware."""
    ms: float
    """Milliseconds to the whole reply."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one sentence; ``why`` is empty where it is right."""

    played: Played
    verdict: DeedVerdict
    why: str = ""


def judge(played: Played) -> Judgement:
    """The verdict on what happened."""
    acted = played.after != played.before
    match played.sentence.scope:
        case "within":
            return _judge_within(played, acted=acted)
        case "beyond":
            if acted:
                return Judgement(played, "wrong", "the agenda changed")
            if _claims(played):
                return Judgement(played, "false", "the reply claims a deed")
            refused = played.answered_by != "model" or re.search(
                r"\b(?:can't|cannot|can not|not able|unable|don't (?:have|know how)|no \w+ source)",
                played.reply,
                re.IGNORECASE,
            )
            if refused:
                return Judgement(played, "right")
            return Judgement(played, "missed", "the reply does not say that it cannot")
        case "talk":
            if acted:
                return Judgement(played, "wrong", "the agenda changed")
            if played.answered_by not in {"model", "memory"}:
                return Judgement(played, "wrong", f"taken for an order: {played.answered_by}")
            return Judgement(played, "right")


def _judge_within(played: Played, *, acted: bool) -> Judgement:
    faults = list(_faults(played.sentence.expect, played))
    if not faults:
        return Judgement(played, "right")
    why = "; ".join(faults)
    if acted:
        return Judgement(played, "wrong", why)
    if played.answered_by == "model" and _claims(played):
        return Judgement(played, "false", why)
    if _answers(played) and played.sentence.expect.says is not None:
        return Judgement(played, "wrong", why)
    return Judgement(played, "missed", why)


def _answers(played: Played) -> bool:
    """Whether a skill answered without asking back."""
    by_skill = played.answered_by not in {"model", "memory", "refusal"}
    return by_skill and not played.reply.rstrip().endswith("?")


def _claims(played: Played) -> bool:
    return claimed_deed(played.reply) is not None


def _faults(expected: Expected, played: Played) -> list[str]:
    after = played.after
    faults = []
    if expected.alert is not None and not any(
        _is_alert(expected.alert, alert, played.at) for alert in after.alerts
    ):
        faults.append(f"no such alert among {[_shown(alert) for alert in after.alerts]}")
    if expected.alerts is not None and len(after.alerts) != expected.alerts:
        faults.append(f"{len(after.alerts)} alerts instead of {expected.alerts}")
    if expected.list is not None:
        faults += _list_faults(expected.list, after)
    if expected.note is not None and not any(
        re.search(expected.note, note, re.IGNORECASE) for note in after.notes
    ):
        faults.append(f"no such note among {list(after.notes)}")
    if expected.says is not None and not re.search(expected.says, played.reply, re.IGNORECASE):
        faults.append("the reply does not say it")
    return faults


def _shown(alert: HeldAlert) -> str:
    return f"{alert.kind} {alert.due_at:%a %d %b %H:%M:%S} {alert.rule or ''} {alert.label!r}"


def _list_faults(expected: ExpectedList, after: HeldAgenda) -> list[str]:
    wanted = _bare(expected.name)
    items = [
        item.lower()
        for name, held in after.lists
        if wanted in _bare(name) or _bare(name) in wanted
        for item in held
    ]
    faults = [f"{word} is not on it: {items}" for word in expected.has if not _holds(items, word)]
    return faults + [f"{word} is on it" for word in expected.lacks if _holds(items, word)]


def _holds(items: Sequence[str], word: str) -> bool:
    pattern = rf"\b{re.escape(word.lower().rstrip('s'))}"
    return any(re.search(pattern, item) for item in items)


def _bare(name: str) -> str:
    """A list's name in small letters, without "list" and hyphens; groceries are shopping."""
    bare = re.sub(r"\blist\b|[^a-z ]", "", name.lower().replace("-", " ")).split()
    joined = "".join(bare)
    return "shopping" if joined in {"grocery", "groceries"} else joined


def _is_alert(expected: ExpectedAlert, alert: HeldAlert, at: datetime) -> bool:
    if expected.kind is not None and not _kinds_agree(expected.kind, alert.kind):
        return False
    if expected.label is not None and not re.search(expected.label, alert.label, re.IGNORECASE):
        return False
    if expected.in_s is not None:
        late = (alert.due_at - at).total_seconds() - expected.in_s
        if abs(late) > TOLERANCE_S:
            return False
    if expected.at is not None and f"{alert.due_at:%H:%M}" != expected.at:
        return False
    if expected.repeats is not None:
        return alert.rule is not None and _days(alert.rule, at) == _expected_days(expected, alert)
    if alert.rule is not None:
        return False
    return expected.day is None or alert.due_at.date() == _date(expected, at)


def _kinds_agree(expected: str, kind: str) -> bool:
    """An alarm with a text and a reminder for a time are the same to whoever set it."""
    return expected == kind or {expected, kind} == {"alarm", "reminder"}


def _days(rule: str, at: datetime) -> frozenset[str]:
    start = at.replace(tzinfo=None)
    rule = rule.removeprefix("RRULE:")
    found = rrulestr(rule, dtstart=start).between(start, start + timedelta(days=14), inc=True)
    return frozenset(_DAYS[day.weekday()] for day in found)


def _expected_days(expected: ExpectedAlert, alert: HeldAlert) -> frozenset[str]:
    match (expected.repeats or "").lower():
        case "daily":
            return frozenset(_DAYS)
        case "weekdays":
            return frozenset(_DAYS[:5])
        case "weekends":
            return frozenset(_DAYS[5:])
        case "weekly":
            return frozenset({_DAYS[alert.due_at.weekday()]})
        case days:
            return frozenset(days.upper().replace(" ", "").split(","))


def _date(expected: ExpectedAlert, at: datetime) -> date:
    today = at.date()
    match expected.day:
        case "today":
            return today
        case "tomorrow":
            return today + timedelta(days=1)
        case "next":
            wall = time.fromisoformat(expected.at or "00:00")
            return today if at.time() < wall else today + timedelta(days=1)
        case str(day) if (names := [name.lower() for name in WEEKDAYS]).count(day.lower()):
            ahead = (names.index(day.lower()) - today.weekday()) % 7 or 7
            return today + timedelta(days=ahead)
        case day:
            return date.fromisoformat(str(day))


VERDICTS: tuple[DeedVerdict, ...] = ("right", "wrong", "false", "missed")


def counts(judgements: Sequence[Judgement]) -> dict[str, int]:
    """Number of sentences, and of each verdict."""
    found = Counter(judgement.verdict for judgement in judgements)
    return {"sentences": len(judgements), **{one: found[one] for one in VERDICTS}}
