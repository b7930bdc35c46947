"""Words of notes: what is noted, from when notes are asked for, and when one was made. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from lobug.language.en.data import MONTHS, WEEKDAYS
from lobug.language.en.list_words import tells
from lobug.language.en.words import content_words, stem

_THANKS = re.compile(
    r"(?:[\s,.!]{1,3}(?:please|thanks|thank you|will you|would you))+[\s.!?]{0,3}$", re.I
)
_OPENING = re.compile(r"^(?:that\b|saying\b|[:,;\u2013\u2014-])?\s*", re.IGNORECASE)
_TEXTS = re.compile(
    r"^(?:a|an|the|some|me|any|\d+|two|three|four|five|ten)\s+(?:\S+\s+){0,3}"
    r"(?:recipe|poem|story|song|essay|lyrics|ideas?|steps|names|summary|letter|email|message|plan|list"
    r"|examples?|reasons|tips|words|questions)\b",
    re.IGNORECASE,
)


def noted(words: str) -> str:
    """What is to be noted: the user's own words, without what introduces them and thanks."""
    text = _THANKS.sub("", words.strip())
    return _OPENING.sub("", text).strip(' ,;:\u2013\u2014-"\u201c\u201d').rstrip(".!?").strip()


def is_text_order(content: str) -> bool:
    """Whether "write down ..." asks for a text to be made: "a recipe for pancakes"."""
    return _TEXTS.match(content) is not None and not tells(content)


_LETTER = re.compile(r"\b(?i:notes? (?:to|for))\s+(?:(?i:my|the|his|her|our|your|a|an)\b|[A-Z])")


def is_letter(request: str) -> bool:
    """Whether somebody else is to get the note: "write a note to my boss"."""
    found = _LETTER.search(request)
    return found is not None and "note to self" not in request.lower()


_CHOSEN = re.compile(r"^(?:the\s+)?(?:ones?|notes?)\s+(?:about|with|on|to|that says)\s+", re.I)


def chosen_topic(said: str) -> str:
    """What an answer to "Which one?" names: "Ben" in "the one about Ben"."""
    return _CHOSEN.sub("", said)


def is_about(topic: str, content: str) -> bool:
    """Whether a note has all words of a topic, in any form."""
    asked = {stem(word) for word in content_words(topic)} or {stem(topic.lower())}
    told = {stem(word) for word in content_words(content)}
    return asked <= told


def nearest(topic: str, contents: Sequence[str]) -> frozenset[str]:
    """The notes about a topic: those with all its words, else those with most of them and with
    more than half."""
    whole = frozenset(one for one in contents if is_about(topic, one))
    if whole:
        return whole
    asked = {stem(word) for word in content_words(topic)}
    shares = {one: len(asked & {stem(word) for word in content_words(one)}) for one in contents}
    most = max(shares.values(), default=0)
    if 2 * most <= len(asked):
        return frozenset()
    return frozenset(one for one, share in shares.items() if share == most)


def period_of(said: str, now: datetime) -> tuple[float, float] | None:
    """When a period that is over or goes on begins and ends, seconds since the epoch. ``now`` is
    aware. None: it is no such period."""
    words = said.lower().strip()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    monday = midnight - now.weekday() * day
    first = midnight.replace(day=1)
    end = now + timedelta(seconds=1)
    weekday = next((at for at, name in enumerate(WEEKDAYS) if words.endswith(name.lower())), None)
    if weekday is not None:
        back = (now.weekday() - weekday) % 7 or 7
        return _span(midnight - back * day, midnight - (back - 1) * day)
    spans = {
        "yesterday": (midnight - day, midnight),
        "last night": (midnight - day, midnight),
        "this week": (monday, end),
        "last week": (monday - 7 * day, monday),
        "this month": (first, end),
        "last month": ((first - day).replace(day=1), first),
        "this year": (first.replace(month=1), end),
        "last year": (first.replace(month=1, year=now.year - 1), first.replace(month=1)),
        "the last few days": (midnight - 4 * day, end),
        "the weekend": (monday - 2 * day, end if now.weekday() >= 5 else monday),
        "last weekend": (monday - 2 * day, monday),
    }
    if words in {"today", "this morning", "this afternoon", "this evening"}:
        return _span(midnight, end)
    return _span(*spans[words]) if words in spans else None


def _span(start: datetime, end: datetime) -> tuple[float, float]:
    return start.timestamp(), end.timestamp()


def made_on(created_at: float, now: datetime) -> str:
    """When a note was made: "Today", "Yesterday", "On Monday", "On November 3rd"."""
    made = datetime.fromtimestamp(created_at, now.tzinfo)
    days = (now.date() - made.date()).days
    if days <= 0:
        return "Today"
    if days == 1:
        return "Yesterday"
    if days < 7:
        return f"On {WEEKDAYS[made.weekday()]}"
    date = f"On {MONTHS[made.month - 1]} {_short_ordinal(made.day)}"
    return date if made.year == now.year else f"{date}, {made.year}"


def _short_ordinal(number: int) -> str:
    ending = "th" if number in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def clipped(content: str, longest: int = 200) -> str:
    """A note as it is said back: its beginning, if it is long."""
    if len(content) <= longest:
        return content
    return content[:longest].rsplit(" ", 1)[0].rstrip(" ,;:.") + " ..."


_FOR_A_LIST = re.compile(
    r"\b(?:for|on|to|onto) (?:the|my|our) (?:\S+ ){1,3}list\b[\s,]+(?:and\s+)?(?:(?:can|could|will"
    r"|would) you\s+|please\s+)*(?:put|write|note|jot|take|get) ",
    re.IGNORECASE,
)
"""Begins an order to a list: "For the party list, could you put down Ben?"."""


def is_for_a_list(text: str) -> bool:
    """Whether what is to be put down is meant for a list and is no note."""
    return _FOR_A_LIST.search(text) is not None
