"""What the trained order reader found in a text, as an intent of a skill. English. Pure.

Each skill's YAML file has ``frames``, by the names that the reader was trained on. ``intents`` are
those of the templates that mean the same. The reader's own finding is the first of them, with the
quoted arguments as ``slots``. With ``plain`` words it is (also) said again in these, which the
templates of the intents then match. An argument that the frame ``needs`` refuses the reading if it
is missing; a frame that is ``asked`` is never taken from the reader alone.

Where the reader finds one of the frames in ``also``, templates of the ``intents`` count as well;
in an ``exact`` frame so does each one that fits a whole text.

``plain`` has one line or several, of which the first one that fits is said: one with ``words`` fits
a text with one of them, one with a ``shift`` (later, earlier) a text that shifts an alert so. Parts
in brackets are left out where an argument in them was not said. ``{kind}`` is timer, alarm or
reminder, if the text names one, else the frame's own ``kind``; ``{unit}`` is what the text counts
in, else days.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lobug.language.en.alert_cues import kinds_in, shift_in
from lobug.language.en.said_times import said_time
from lobug.language.en.times import find_times
from lobug.language.moments import TimeSpan
from lobug.language.order_reader import BEYOND, Quotation, Reading

CLAIMABLE = frozenset(
    {"timer", "alarm", "remind", "cancel", "change", "snooze"}
    | {"add", "remove", "clear", "note", "delete_note", BEYOND}
)
"""Frames of deeds that a reply may not say to be done unless they were."""
DEEDS = CLAIMABLE | {"stop"}
"""Frames that change something. What rings is stopped by templates; where nothing rings, "stop"
asks for silence, and "Okay." claims nothing."""
_TIMES = frozenset({"time", "old_time", "when", "day"})
"""Arguments that are completed by the words around them that belong to the time."""
_SEVERAL = frozenset({"things"})
_NO_BRACES = str.maketrans("{}", "()")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['\u2019]s$")
_UNIT = re.compile(r"\b(?:weeks|months|hours|minutes|seconds|years)\b", re.IGNORECASE)
_TWICE = re.compile(r"\bto (?:to|until|till|for) ", re.IGNORECASE)
"""A line's own "to" before a time that was said with one."""
_LISTED_APART = 12
"""Most characters between times of one enumeration: "ten and then twenty minutes"."""
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_KIND = "kind"


@dataclass(frozen=True, slots=True)
class Plain:
    """A line in plain words."""

    say: str
    words: re.Pattern[str] | None = None
    """Fits only a text with one of them."""
    shift: str = ""
    """Fits only a text that shifts an alert so."""

    @classmethod
    def of(cls, read: str | Mapping[str, Any]) -> Plain:
        """A line as a YAML file has it."""
        if isinstance(read, str):
            return cls(read)
        words = "|".join(map(re.escape, read.get("words", ())))
        pattern = re.compile(rf"\b(?:{words})\b", re.IGNORECASE) if words else None
        return cls(read["say"], pattern, read.get("shift", ""))


@dataclass(frozen=True, slots=True)
class Frame:
    """How a skill takes what the reader found."""

    skill: str
    intents: tuple[str, ...]
    """Those of the skill's templates that mean it; without ``plain``, the reader finds the first.
    """
    also: tuple[str, ...]
    """Other frames of which a text may be where templates find one of the intents."""
    exact: bool
    """A template that fits a whole text is right, whatever the reader says: grammars understood its
    words."""
    asked: bool
    """Only templates and the chat model can tell what is wanted."""
    slots: Mapping[str, str]
    """The slot of each argument."""
    needs: frozenset[str]
    plain: tuple[Plain, ...]
    kind: str

    @property
    def is_bare(self) -> bool:
        """Whether it has no arguments."""
        return not self.slots and not self.plain

    @classmethod
    def of(cls, skill: str, read: Mapping[str, Any]) -> Frame:
        """A frame as a YAML file has it."""
        plain = read.get("plain", ())
        return cls(
            skill,
            tuple(read["intents"]),
            tuple(read.get("also", ())),
            bool(read.get("exact", False)),
            bool(read.get("asked", False)),
            read.get("slots", {}),
            frozenset(read.get("needs", ())),
            tuple(map(Plain.of, [plain] if isinstance(plain, str) else plain)),
            read.get(_KIND, ""),
        )


def arguments(reading: Reading, text: str) -> dict[str, str]:
    """The words of each argument. A time or a list of things may stand in several places; of
    anything else the surest quotation counts."""
    text = text.translate(_NO_BRACES)
    said: dict[str, list[Quotation]] = {}
    for one in reading.quotations:
        said.setdefault(one.argument, []).append(one)
    found: dict[str, str] = {}
    for argument, places in said.items():
        if argument in _TIMES:
            words = " ".join(_times(places, text))
        elif argument in _SEVERAL:
            words = " and ".join(text[one.start : one.end] for one in places)
        else:
            surest = max(places, key=lambda one: one.certainty)
            words = _named(text[surest.start : surest.end])
        if words:
            found[argument] = words
    return found


def _named(words: str) -> str:
    """Words without an article or a possessive ending: "the cake's" is "cake"."""
    return _POSSESSIVE.sub("", _ARTICLE.sub("", words)) or words


def _times(places: Sequence[Quotation], text: str) -> Iterator[str]:
    """The quoted times, each once and whole; what is no time is left out if another one is."""
    said = [(one, said_time(text[one.start : one.end], text)) for one in places]
    understood = [(one, words) for one, words in said if find_times(words)] or [
        (one, words) for one, words in said if find_times(words, bare_numbers=True)
    ]
    lengths = [one for one, words in understood if _is_length(words)]
    surest = max(lengths, key=lambda one: one.certainty, default=None)
    # Of two lengths far apart, one is a reason: "the packet says ten, give me twelve minutes".
    dropped = [
        one for one in lengths if surest is not None and _between(one, surest) > _LISTED_APART
    ]
    yield from dict.fromkeys(words for one, words in understood or said if one not in dropped)


def _is_length(words: str) -> bool:
    return all(isinstance(one.value, TimeSpan) for one in find_times(words)) and bool(
        find_times(words)
    )


def _between(one: Quotation, other: Quotation) -> int:
    """Characters between two quotations."""
    return max(one.start, other.start) - min(one.end, other.end)


def slots(frame: Frame, said: Mapping[str, str]) -> Mapping[str, str] | None:
    """The slots of a frame's intent; None: an argument that it needs was not said."""
    if not frame.needs <= said.keys():
        return None
    return {frame.slots[key]: words for key, words in said.items() if key in frame.slots}


def plain_words(frame: Frame, said: Mapping[str, str], text: str) -> str | None:
    """The request in plain words; None: an argument that it needs was not said."""
    if not frame.needs <= said.keys():
        return None
    kinds = kinds_in(text)
    unit = _UNIT.search(text)
    known = {
        **said,
        _KIND: kinds[0] if len(kinds) == 1 else frame.kind,
        "unit": unit[0].lower() if unit is not None else "days",
    }
    shift = _shift(said.get("time", ""), text)
    for line in frame.plain:
        if (line.words is not None and not line.words.search(text)) or line.shift not in {
            "",
            shift,
        }:
            continue
        words = _filled(line.say, {key: value for key, value in known.items() if value})
        if words is not None:
            return words
    return None


def _shift(time: str, text: str) -> str:
    """Whether a text shifts an alert by a time: later, earlier, or to it."""
    found = [one for one in find_times(text) if time and time in text[one.start : one.end]]
    return shift_in(text, found[-1]) if found else ""


def _filled(line: str, known: Mapping[str, str]) -> str | None:
    """A line with the arguments that are known; None: it needs another one."""

    def part(optional: re.Match[str]) -> str:
        try:
            return optional[1].format_map(known)
        except KeyError:
            return ""

    try:
        words = _OPTIONAL.sub(part, line).format_map(known)
    except KeyError:
        return None
    return _TWICE.sub("to ", " ".join(words.split()))
