"""Reads what timers, alarms and reminders are for, in requests that are known to mean one. English.
Pure.

Labels are the user's words. What an alert is to be done for begins with its preposition ("to call
my mum", "about the oven"); any other label is a name ("pasta").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lobug.language.en.alert_cues import is_waking
from lobug.language.en.data import word_set
from lobug.language.en.speech_acts import COMMANDS
from lobug.language.moments import Found, Moment, TimeSpan

_MASK = "\u2022"
_NOUN = re.compile(
    r"\b(?:timers?|countdowns?|alarms?(?: clock)?|wake-?up calls?|clock|reminders?)\b",
    re.IGNORECASE,
)
_NAMING = re.compile(
    r"\b(?:(?:and )?(?:called|named|labell?ed|titled)|(?:and )?(?:call|name|label) it"
    r"|with the (?:name|label)(?: of)?|by the name of|saying|that says|which says)"
    r"\s+(?P<label>.+)$",
    re.IGNORECASE,
)
_PURPOSE = re.compile(
    r"(?:^|\s)(?P<lead>for|to|about|so(?: that)?)\s+(?P<label>\S.*)$", re.IGNORECASE
)
_TIMING = re.compile(r"time (?!me\b|this\b|it\b|for\b)(?P<label>\w.*)$", re.IGNORECASE)
_NEVER_NAMES = word_set("alerts", "never_names")
_EDGES = word_set("alerts", "edges")
_OPENS = word_set("alerts", "opens")
_LEADS = ("to", "about", "of", "that", "for", "so", "when", "not")
_ARTICLES = re.compile(
    r"^(?:(?:the|a|an|my|our|some|this|that|new|another)\s+)+(?=\S)", re.IGNORECASE
)
_DETERMINED = re.compile(
    r"\b(?:the|my|a|an|our|his|her|their|your|this|\w+['\u2019]s)\s*$", re.IGNORECASE
)
_COUNTED = re.compile(r"\b(?P<number>two|three|four|2|3|4)\b(?=[^.,]*\b(?:timers|alarms)\b)", re.I)
_COUNTS = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4}


@dataclass(frozen=True, slots=True)
class Wanted:
    """One alert that is asked for."""

    label: str
    times: tuple[Found, ...]
    """The times that say when; none: it was not said."""


def named_alerts(request: str, times: Sequence[Found]) -> list[Wanted]:
    """The timers or alarms of a request, each with its name: "a 10 minute pasta timer and a 5
    minute egg timer" asks for two."""
    if len(times) < 2:
        counted = _COUNTED.search(request)
        one = Wanted(_name(request, times), tuple(times))
        return [one] * (_COUNTS[counted["number"].lower()] if counted and times else 1)
    cuts = [0, *(_cut(request, one, other) for one, other in pairwise(times))]
    cuts.append(len(request))
    found = []
    for place, time in enumerate(times):
        start, end = cuts[place], cuts[place + 1]
        moved = Found(time.start - start, time.end - start, time.value)
        found.append(Wanted(_name(request[start:end], [moved]), (time,)))
    return found


def _cut(request: str, one: Found, other: Found) -> int:
    """Where the words of the second of two alerts begin."""
    between = request[one.end : other.start]
    conjunction = re.search(r",?\s+and\s+|\s*,\s*|\s+plus\s+|\s*&\s*", between)
    return one.end + conjunction.end() if conjunction is not None else other.start


def _name(piece: str, times: Sequence[Found]) -> str:
    """The name in the words about one timer or alarm."""
    name = _name_as_said(piece, times)
    return f"{name[:1].lower()}{name[1:]}" if name and piece.startswith(name) else name


def _name_as_said(piece: str, times: Sequence[Found]) -> str:
    masked = _masked(piece, times)
    naming = _NAMING.search(masked)
    if naming is not None:
        return name_in(naming["label"])
    noun = _NOUN.search(masked)
    if noun is not None:
        before = _before_noun(masked[: noun.start()])
        if before:
            return before
    timing = _TIMING.match(masked)
    if noun is None and timing is not None:
        return name_in(timing["label"])
    purpose = _PURPOSE.search(masked[noun.end() :] if noun is not None else masked)
    if noun is None and is_waking(piece):
        purpose = None
    if purpose is None:
        bare = name_in(masked[noun.end() :]) if noun is not None else ""
        return bare if len(bare.split()) <= 3 else ""
    if purpose["lead"].lower() == "for":
        return name_in(purpose["label"])
    return _tidy(f"{purpose['lead'].lower()} {purpose['label']}")


def _masked(text: str, times: Sequence[Found]) -> str:
    for found in reversed(times):
        text = f"{text[: found.start]} {_MASK} {text[found.end :]}"
    return " ".join(text.split())


def _before_noun(words: str) -> str:
    """The name before "timer": the last words that are no part of the order."""
    kept: list[str] = []
    for word in reversed(words.split()):
        low = word.lower().strip(",.;:!?")
        if low in _NEVER_NAMES or low == _MASK or len(kept) == 3:
            break
        kept.append(word)
    return name_in(" ".join(reversed(kept)))


def name_in(words: str) -> str:
    """Words as a name: without articles, times and politeness at their ends; empty: no name."""
    words = _ARTICLES.sub("", _tidy(words))
    kept = words.split()
    while kept and kept[-1].lower().strip(",.;:!?'") in _EDGES:
        kept.pop()
    while kept and kept[0].lower().strip(",.;:!?'") in _OPENS:
        kept.pop(0)
    kept = _ARTICLES.sub("", " ".join(kept)).strip(" ,.;:!?'\"").split()
    if kept and all(word.lower() in _NEVER_NAMES for word in kept):
        return ""
    return " ".join(kept)


def _tidy(words: str) -> str:
    return " ".join(words.replace(_MASK, " ").split()).strip(' ,.;:!?-\u2013\u2014"\u201c\u201d')


def task_of(request: str, task: str, times: Sequence[Found]) -> Wanted:
    """A reminder for a task that was matched in a request whose times were cut out.

    Times beside the task say when. Those in it do if there are no others, unless they belong to a
    noun: "take the nine o'clock train".
    """
    span = _span_of(request, task, times)
    if span is None:
        return Wanted(_tidy(task), tuple(times))
    start, end = span
    inside = [found for found in times if start <= found.start and found.end <= end]
    outside = [found for found in times if found not in inside]
    if not outside:
        outside = [one for one in inside if not _DETERMINED.search(request[: one.start])][-2:]
        inside = [found for found in inside if found not in outside]
    label = request[start:end]
    for found in reversed(outside):
        if start <= found.start and found.end <= end:
            label = f"{label[: found.start - start]} {label[found.end - start :]}"
    lead = _lead(request[:start], times)
    label = re.sub(r"\s+(?:when|if|once) it(?:['\u2019]s| is)$", "", _tidy(label), flags=re.I)
    if not lead and label:
        lead = _lead_of(label)
    return Wanted(f"{lead} {label}".strip() if label else "", tuple(outside))


def _lead(before: str, times: Sequence[Found]) -> str:
    """The preposition that leads to a task, from the words before it."""
    words = _masked(before, [found for found in times if found.end <= len(before)])
    words = words.replace(_MASK, " ").lower().rstrip(" ,:;")
    if words.endswith("not to"):
        return "not to"
    if re.search(
        r"\bso(?: that)? (?:i|we)(?: can| will|(?: remember| don['\u2019]t forget| do not forget"
        r"| won['\u2019]t forget) to)?$",
        words,
    ):
        return "to"
    if re.search(r"(?:it['\u2019]s time|time) (?:to|for)$", words):
        return words.rsplit(maxsplit=1)[-1]
    last = words.rsplit(maxsplit=1)[-1] if words else ""
    if last in _LEADS:
        return last
    return (
        "to"
        if re.search(r"\b(?:make sure|ensure|see (?:to )?it)(?: that)? (?:i|we)$", words)
        else ""
    )


def _lead_of(label: str) -> str:
    """The preposition that a task was said without: "remind me call Tom", "remind me I have to"."""
    if label.split(maxsplit=1)[0].lower() in COMMANDS:
        return "to"
    return "that" if _CLAUSE.match(label) else ""


def answered_task(answer: str) -> str:
    """The label of a reminder from the answer to what it is of: "to buy bread", "the bread"."""
    label = _tidy(re.sub(r"^(?:it'?s|that i should|well|um+|uh+)\s+", "", answer, flags=re.I))
    if label.lower().startswith(tuple(f"{lead} " for lead in _LEADS)):
        return f"{label[:1].lower()}{label[1:]}"
    lead = _lead_of(label) if label else ""
    return f"{lead} {label[:1].lower()}{label[1:]}" if lead == "to" else f"{lead} {label}".strip()


_CLAUSE = re.compile(
    r"(?:i|i['\u2019](?:m|ve|ll|d)|we|we['\u2019](?:re|ve|ll)|he|she|they|there['\u2019]s|there is"
    r"|it['\u2019]s|it is)\s",
    re.IGNORECASE,
)


def _span_of(request: str, words: str, times: Sequence[Found]) -> tuple[int, int] | None:
    """Where words stand in a request whose times were cut out before they were found there."""
    wanted = [word for word in (_bare(word) for word in words.split()) if word]
    placed = [
        (match.start(), match.end(), _bare(match[0]))
        for match in re.finditer(r"\S+", request)
        if not any(
            found.start <= match.start() < found.end or found.start < match.end() <= found.end
            for found in times
        )
    ]
    placed = [one for one in placed if one[2]]
    for start in range(len(placed) - len(wanted), -1, -1):
        run = placed[start : start + len(wanted)]
        if wanted and [one[2] for one in run] == wanted:
            return run[0][0], run[-1][1]
    return None


def _bare(word: str) -> str:
    return word.strip(" ,.;:!?-\u2013\u2014\"'\u201c\u201d").lower()


def counted_from(request: str, times: Sequence[Found]) -> tuple[Found, ...]:
    """The times of a request, where "half an hour before seven" is one."""
    found: list[Found] = []
    for time in times:
        last = found[-1] if found else None
        said = re.match(r"(before|after|past)\b", request[time.start : time.end], re.IGNORECASE)
        joined = None
        if last is not None and said is not None and not request[last.end : time.start].strip():
            joined = _moved(time.value, last.value, -1 if said[0].lower() == "before" else 1)
        if last is None or joined is None:
            found.append(time)
        else:
            found[-1] = Found(last.start, time.end, joined)
    return tuple(found)


def _moved(value: object, span: object, sign: int) -> Moment | None:
    if not isinstance(value, Moment) or not isinstance(span, TimeSpan) or value.time is None:
        return None
    minutes = round(span.seconds / 60) * sign
    hour, minute = divmod(value.time.hour * 60 + value.time.minute + minutes, 60)
    if value.time.ambiguous:
        hour = (hour - 1) % 12 + 1
    return replace(value, time=replace(value.time, hour=hour % 24, minute=minute))
