"""Requests that change, end or list alerts and stand in several clauses. English. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lobug.language.en.alert_clauses import (
    ADDRESS,
    MASK,
    SKILL,
    THAT,
    Clause,
    has_day,
)
from lobug.language.en.requests import core_request
from lobug.language.en.time_corrections import NUMBER
from lobug.language.en.times import find_times
from lobug.language.moments import Found
from lobug.language.skills import Match

_ANYTHING = re.compile(
    r"(?:so |okay |hey |right )*(?:(?:do (?:i|we) have|have (?:i"
    r"|we) got) anything(?: else)?(?: on| planned| due)?"
    rf"(?: for)?|what (?:do (?:i|we) have|have (?:i|we) got)(?: on| coming up| due"
    rf"| planned)?(?: for)?) {MASK}",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"(?:put|stick|pop|chuck|whack|bung|slap|add|tack|throw|whip) (?P<span>(?:another|an extra"
    r"|an additional|a further)\b.{2,40}?) (?:on|onto|on to|to) (?:the|my|that|its|our)"
    r"(?P<name> [\w' -]{2,30}?)? (?:timer|countdown|clock)",
    re.IGNORECASE,
)
_CANCELLED = re.compile(
    r"(?:cancel|delete|stop|kill|get rid of|drop|scrap|end|turn off|switch off|clear|ditch"
    r"|lose|remove|scratch) (?:that|this|it|that one|this one|that timer|its timer|the timer"
    r"|that alarm|that reminder|the reminder)" + ADDRESS,
    re.IGNORECASE,
)
_OVER = re.compile(
    r"^(?:the|my|our) (?P<name>\w[\w'-]*(?: \w[\w'-]*)?)(?:['\u2019](?:s|re|ve)| is| are| has| have"
    r"| got)(?: all| already| now| been| just)* (?:done|finished|ready|cooked|out|cancelled|called"
    r"|off|over|sorted|dry|boiled|burnt|gone)\b",
    re.IGNORECASE,
)
_UNREMINDED = re.compile(
    r"(?:you )?(?:needn['\u2019]?t|don['\u2019]?t(?: (?:have|need) to)?|do not"
    r"|no need(?: for you)? to"
    r"|no longer|stop|never mind)(?: bother(?: with| to)?)? ?remind(?:ing)? (?:me|us)"
    rf"(?: (?:about|of|to do) {THAT})?(?: (?:any ?more|any longer|now|again|after all|then))*",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:i|we)(?:['\u2019]ve| have)?(?: (?:already|just|now))* (?P<done>\w.*)$", re.IGNORECASE
)
_REPLACED = re.compile(
    r"(?P<verb>change|update|correct|fix|adjust|alter) (?:the|my|our) (?P<name>[\w' -]{2,30}?) ?"
    r"(?P<kind>timer|alarm|reminder)",
    re.IGNORECASE,
)
_BECOMES = re.compile(
    rf"(?:it|that) (?:should|ought to|needs to|has to|must|will|'ll) (?:be|run|ring|go off)"
    rf"(?: for| at)? {MASK}|(?:make|set) (?:it|that) {MASK}|it(?:['\u2019]s"
    rf"| is) {MASK}(?: now)?",
    re.IGNORECASE,
)
_NO_NUMBER = re.compile(
    rf"(?:no|oh no|sorry|wait|oops|actually|no wait|no sorry|hang on)[\s,.!]+(?:(?:no|sorry|wait"
    rf"|actually|i meant?|make (?:it|that)|i said)[\s,]+)*(?P<number>{NUMBER}(?: (?:minutes?"
    rf"|mins?|seconds?|hours?))?)(?: please)?[.!]?",
    re.IGNORECASE,
)


def _listed(text: str, clauses: Sequence[Clause]) -> Match | None:
    for clause in clauses:
        if clause.reported or not _ANYTHING.fullmatch(clause.said) or len(clauses) > 2:
            continue
        (found,) = clause.times
        said = text[found.start : found.end]
        if has_day(found.value):
            return Match(SKILL, "ListAlerts", {}, said, (Found(0, len(said), found.value),))
    return None


def _added(text: str, clauses: Sequence[Clause]) -> Match | None:
    for clause in clauses:
        words = core_request(text[clause.start : clause.end])
        more = None if clause.reported else _MORE.fullmatch(words)
        (found, *others) = find_times(more["span"]) if more is not None else [None]
        if more is None or found is None or others:
            continue
        name = (more["name"] or "").strip()
        request = f"add {more['span']} to the {f'{name} ' if name else ''}timer"
        moved = Found(found.start + len("add "), found.end + len("add "), found.value)
        return Match(SKILL, "Change", {"name": name} if name else {}, request, (moved,))
    return None


def _cancelled(text: str, clauses: Sequence[Clause]) -> Match | None:
    for place, clause in enumerate(clauses):
        if clause.reported or not _CANCELLED.fullmatch(clause.words):
            continue
        over = next((one for one in map(_over, reversed(clauses[:place])) if one), None)
        if over is None:
            return None
        return Match(SKILL, "Cancel", {"name": over}, f"cancel the {over}", ())
    return None


def _over(clause: Clause) -> str | None:
    found = _OVER.match(clause.said)
    return None if found is None else found["name"]


def _unreminded(_text: str, clauses: Sequence[Clause]) -> Match | None:
    for place, clause in enumerate(clauses):
        if clause.reported or not _UNREMINDED.fullmatch(clause.said):
            continue
        done = next(
            (one for other in reversed(clauses[:place]) if (one := _DONE.search(other.said))), None
        )
        if done is None:
            return None
        return Match(SKILL, "Cancel", {"about": done["done"]}, "cancel the reminder", ())
    return None


def _change(text: str, clauses: Sequence[Clause]) -> Match | None:
    for place, clause in enumerate(clauses[:-1]):
        named = _REPLACED.fullmatch(clause.words)
        other = clauses[place + 1]
        if clause.reported or named is None or not _BECOMES.fullmatch(other.words):
            continue
        (found, *more) = other.times
        if more:
            return None
        request = f"change the {named['name']} {named['kind']} to "
        time = text[found.start : found.end]
        moved = Found(len(request), len(request) + len(time), found.value)
        return Match(SKILL, "Change", {"name": named["name"]}, request + time, (moved,))
    return None


def correction(text: str) -> Match | None:
    """ "No, fifteen", said right after an alert was set."""
    said = _NO_NUMBER.fullmatch(text)
    if said is None:
        return None
    return Match(SKILL, "Change", {"follows": "yes"}, f"make it {said['number']}", ())


READERS = (_listed, _added, _cancelled, _unreminded, _change)
"""Read an utterance by its text and its clauses; None: it asks for something else."""
