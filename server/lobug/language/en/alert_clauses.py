"""The clauses of an utterance about alerts, and "that day" for one named before. English. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lobug.language.en.requests import LONGEST, core_request
from lobug.language.en.times import find_times
from lobug.language.moments import Found, Moment, Recurrence, TimeSpan

SKILL = "alerts"
MASK = "\u01c2"
"""Stands for a time. A letter of no English text: the cutter of requests drops other marks."""
ADDRESS = r"(?: (?:for me|for us|please|hon|honey|love|dear|mate|now|will you|would you|ta))*"
THAT = r"(?:it|that|this|them|these|those)"


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of an utterance, its times as marks."""

    start: int
    end: int
    words: str
    """Without politeness."""
    said: str
    """With all its words."""
    times: tuple[Found, ...]
    """Their positions are those in the utterance."""
    polite: bool
    """"Please" or "would you" follows it."""
    reported: bool


_CLAUSE_END = re.compile(
    r"\s*[,;:.!?\u2013\u2014]+\s+(?:(?:so|and|but|then|because|cause|or)\s+)?"
    r"|\s+(?:so|but|because)\s+(?!that\b)"
    r"|\s+and\s+(?=(?:can|could|would|will|please|remind|name|call|label|time|start|set|keep)\b)",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^[\s,]*(?:please|ta|would you|will you|could you|can you|pretty please|if you would"
    r"|if you could)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:said|says|asked|goes|shouted|yelled|replied|thought|wrote|told \w+|was like|were like)"
    r"[\s,:\"\u201c']*$",
    re.IGNORECASE,
)


def clauses_of(text: str) -> list[Clause]:
    times = find_times(text)
    starts, ends = [0], []
    for cut in _CLAUSE_END.finditer(text):
        if any(found.start < cut.end() and cut.start() < found.end for found in times):
            continue
        ends.append(cut.start())
        starts.append(cut.end())
    ends.append(len(text))
    clauses = []
    for start, end in zip(starts, ends, strict=True):
        inside = tuple(found for found in times if start <= found.start and found.end <= end)
        words = text[start:end]
        for found in reversed(inside):
            words = f"{words[: found.start - start]} {MASK} {words[found.end - start :]}"
        words = " ".join(words.split()).strip(" ,;:.!?")
        clauses.append(
            Clause(
                start, end, core_request(words), words, inside,
                _POLITE.match(text[end:]) is not None
                or re.search(r"\b(?:please|would you)$", words, re.I) is not None,
                _REPORTED.search(text[:start]) is not None,
            )
        )  # fmt: skip
    return [clause for clause in clauses if clause.words]


def masked(text: str) -> str:
    for found in reversed(find_times(text)):
        text = f"{text[: found.start]}{MASK}{text[found.end :]}"
    return text


def has_clock(found: Found) -> bool:
    return isinstance(found.value, TimeSpan) or (
        getattr(found.value, "time", None) is not None
        or getattr(found.value, "elapsed", None) is not None
        or getattr(found.value, "rule", "").startswith(("FREQ=HOURLY", "FREQ=MINUTELY"))
    )


def has_day(value: TimeSpan | Moment | Recurrence) -> bool:
    return isinstance(value, Recurrence) or (isinstance(value, Moment) and value.day is not None)


_THEN = re.compile(
    r"\b(?:on |for |at )?(?:(?P<then>(?:each|every) (?:day|week|morning|evening|night|time) then"
    r"|that time\b(?! of)|then(?= *(?:$|[,.?!]|please\b)))"
    r"|(?P<day>(?:that|the) same day|that (?:day|date|same date)|those (?:two |same )?(?:days"
    r"|mornings|evenings)|both (?:of those )?days)"
    r"|(?P<part>that (?:morning|afternoon|evening)))\b",
    re.IGNORECASE,
)


def with_days(text: str) -> str:
    """A text in which "that day" or "then" is replaced with the time that was said before."""
    if len(text) > LONGEST or not _THEN.search(text):
        return text
    while (match := _later_then(text)) is not None:
        before = find_times(text[: match.start()])
        named = next((found for found in reversed(before) if _reference(text, found, match)), None)
        if named is None:
            return text
        words = _reference(text, named, match)
        text = f"{text[: match.start()]}{words}{text[match.end() :]}"
        if _THEN.search(words or ""):
            break
    return text


def _later_then(text: str) -> re.Match[str] | None:
    found = [
        one for one in _THEN.finditer(text) if one.start() > 0 and find_times(text[: one.start()])
    ]
    return found[-1] if found else None


def _reference(text: str, found: Found, then: re.Match[str]) -> str | None:
    """The words for "that day" from an earlier time; None: it names no day, or no time."""
    said = text[found.start : found.end]
    if then["then"]:
        timed = isinstance(found.value, (Moment, Recurrence)) and found.value.time is not None
        return said if timed else None
    if not has_day(found.value):
        return None
    day = _day_words(said)
    if day is None:
        return None
    if not re.match(r"(?:on|in|every|each|tomorrow|today|tonight|this|next|at)\b", day, re.I):
        day = f"on {day}"
    return f"{day} in the {then['part'].split()[-1]}" if then["part"] else day


def _day_words(said: str) -> str | None:
    """The part of a time's words that says the day: "on Friday" of "on Friday at nine"."""
    words = said.split()
    tries = [words, *(words[:end] for end in range(len(words) - 1, 0, -1))]
    tries += [words[start:] for start in range(1, len(words))]
    for some in tries:
        text = " ".join(some).strip(" ,")
        found = find_times(text)
        if len(found) != 1 or found[0].start or found[0].end != len(text):
            continue
        value = found[0].value
        if not isinstance(value, TimeSpan) and has_day(value) and not (value.time or value.part):
            return text
    return None
