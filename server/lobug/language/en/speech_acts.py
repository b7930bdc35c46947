"""Tells statements, questions and orders of a user apart. English. Pure.

Speech-to-text mostly writes punctuation, but not always.
"""

from __future__ import annotations

import re

from lobug.language.en import words
from lobug.language.en.lists import word_set

# Openings that add nothing: taken off before a sentence is judged.
FILLER = re.compile(
    r"^(?:(?:well|so|okay|ok|oh|um|uh|er|hey|hi|hello|yes|yeah|no|and|but|anyway|actually|also"
    r"|by the way|for the record|just so you know|lo-?bug|thanks|thank you|alright|right)"
    r"\b[\s,.!-]*)+",
    re.IGNORECASE,
)
# "Remember that I ..." is a command whose content is a statement.
TOLD_TO_REMEMBER = re.compile(
    r"^(?:please\s+)?(?:can you\s+|could you\s+)?(?:remember|note|keep in mind"
    r"|don['\u2019]?t forget|never forget|make a note|you should know|you must know)"
    r"\s+(?:that\s+|this\s*[:,]\s*)?"
    r"(?=(?:i|i['\u2019]\w+|my|we|we['\u2019]\w+|our)\b)",
    re.IGNORECASE,
)
CALL_ME = re.compile(r"^(?:please\s+|you can\s+)?call me\s+\w", re.IGNORECASE)

WH = word_set("speech_acts", "wh")
# After one of these, a wh-word opens a subordinate clause ("When I was a child, ...").
SUBJECTS = word_set("speech_acts", "subjects")
AUXILIARIES = word_set("speech_acts", "auxiliaries")
AFTER_AUXILIARY = word_set("speech_acts", "after_auxiliary")
COMMANDS = word_set("speech_acts", "commands")
WISH = re.compile(
    r"^i(?:\s+(?:want|need)|['\u2019]d like|\s+would like)\s+you\s+to\b", re.IGNORECASE
)
HYPOTHETICAL = word_set("speech_acts", "hypothetical")
SMALL_TALK = word_set("speech_acts", "small_talk")


QUESTION_MARKS = ("?", "\u061f", "\uff1f")
"""Question marks of the Latin, Arabic and Chinese scripts."""


def sentences(text: str) -> list[str]:
    """A text cut after each full stop, exclamation mark, question mark and line."""
    parts = re.split(r"(?<=[.!?\u2026\u061f])\s+|(?<=[\u3002\uff1f\uff01])\s*|\n+", text)
    return [part.strip() for part in parts if part.strip()]


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, with or without its question mark."""
    if sentence.rstrip("\"'\u201d ").endswith(QUESTION_MARKS):
        return True
    first, second = _first_two(sentence)
    if first.split("'")[0] in WH:
        return "'" in first or second not in SUBJECTS
    return first in AUXILIARIES and second in AFTER_AUXILIARY


def is_command(sentence: str) -> bool:
    """Whether a sentence orders something."""
    if CALL_ME.match(sentence):
        return False
    first, second = _first_two(sentence)
    if WISH.match(sentence):
        return True
    # "Work is fine", "Books are my life": a noun that looks like a verb has a verb after it.
    return first in COMMANDS and second not in {"is", "are", "was", "were", "has"}


def only_orders(text: str) -> bool:
    """Whether a text only orders or asks and states nothing: "Tell me a joke"."""
    parts = sentences(text)
    return (
        bool(parts)
        and all(is_command(part) or is_question(part) for part in parts)
        and not statements(text)
    )


def is_small_talk(sentence: str) -> bool:
    """Whether a sentence has only words of small talk."""
    return all(word in SMALL_TALK for word in words.content_words(sentence))


def statements(text: str) -> list[str]:
    """The sentences of a text that may state a fact, without their filler.

    Questions, commands, suppositions and pleasantries are left out; of "My name is Ada, what is
    yours?" the first half stays.
    """
    found = []
    for sentence in sentences(text):
        kept = _statement_in(sentence)
        if kept and not is_small_talk(kept):
            found.append(kept)
    return found


def _statement_in(sentence: str) -> str:
    kept = TOLD_TO_REMEMBER.sub("", FILLER.sub("", sentence))
    if kept != FILLER.sub("", sentence):
        return kept.rstrip("? ")
    first, _ = _first_two(kept)
    if first in HYPOTHETICAL:
        return ""
    if is_question(kept):
        return _before_the_question(kept)
    return "" if is_command(kept) else kept


def _before_the_question(sentence: str) -> str:
    """What a sentence states before it asks; empty when it only asks."""
    parts = re.split(
        r"(?:(?<!\s)\s+)?[,;]\s*(?:and\s+|but\s+|so\s+)?|(?<!\s)\s+(?:and|but|so)\s+", sentence
    )
    kept: list[str] = []
    for part in parts:
        first, _ = _first_two(part)
        opens = first.split("'")[0] in WH or first in AUXILIARIES or first in {"right", "remember"}
        if opens or is_command(part):
            break
        kept.append(part)
    if not kept or len(kept) == len(parts):
        return ""
    return sentence[: sentence.index(kept[-1]) + len(kept[-1])]


def _first_two(sentence: str) -> tuple[str, str]:
    found = re.findall(r"[\w'-]+", sentence.lower().replace("\u2019", "'"))
    return (found[0] if found else "", found[1] if len(found) > 1 else "")
