"""The words by which a question looks for turns and a turn is found. Pure.

The rules about language are those of ``lobug.language.en.words`` (stop words, stems with irregular
forms, numbers as digits) and of ``speech_acts``. In other languages than English, words are
compared as they are and questions are known by their mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from lobug.language.en import speech_acts, words
from lobug.language.en.data import MONTHS
from lobug.language.en.questions import ONESELF, has_time

MAX_TURN_CHARS = 16_000
"""Characters of a turn that are analysed. A message may hold a book; such a one is no answer."""

MAX_QUESTION_CHARS = 2_000

MAX_QUESTION_WORDS = 64

MAX_WORD_CHARS = 48
"""Longer ones (addresses, keys) are cut: the text index has its own limit far above."""


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """A question, analysed for retrieval."""

    words: tuple[str, ...]
    """Content words in their order, one for each stem, without names of speakers."""
    stems: tuple[str, ...]
    """Their stems, indexed like ``words``; each once."""
    speakers: frozenset[str]
    """Speakers it names, lower case; empty where speakers have no names."""
    oneself: bool
    """Whether who asks is named: "What did I say about my sister?"."""
    plain: str
    """The question without the names of speakers."""


@dataclass(frozen=True, slots=True)
class TurnTerms:
    """What is stored of a turn so that it can be found."""

    words: tuple[str, ...]
    """Content words in their order, with repetitions; then year, month and day it was said."""
    asking: float
    """Share of the text that are questions, 0 to 1."""
    timed: bool
    """Whether it has a word of time."""


def analyse_question(question: str, speakers: Iterable[str] = ()) -> QuestionTerms:
    """Analyse a question. ``speakers``: names that occur in this user's log, if any."""
    question = question[:MAX_QUESTION_CHARS]
    said = words.words(question)
    named, parts = set[str](), set[str]()
    plain = question
    for name in speakers:
        name_words = words.words(name)
        if name_words and _contains(said, name_words):
            named.add(name.lower())
            parts.update(name_words)
            pattern = rf"\b{re.escape(name)}\b(?:['\u2019]s)?"
            plain = re.sub(pattern, " ", plain, flags=re.IGNORECASE)
    by_stem: dict[str, str] = {}
    for word in words.content_words(question):
        if word not in parts and len(by_stem) < MAX_QUESTION_WORDS:
            by_stem.setdefault(stem(word), word[:MAX_WORD_CHARS])
    return QuestionTerms(
        words=tuple(by_stem.values()),
        stems=tuple(by_stem),
        speakers=frozenset(named),
        oneself=not ONESELF.isdisjoint(said),
        plain=" ".join(plain.split()) or question,
    )


def analyse_turn(text: str, when: datetime) -> TurnTerms:
    """Analyse a turn that was said at ``when``, local time."""
    text = text[:MAX_TURN_CHARS]
    sentences = speech_acts.sentences(text)
    total = sum(map(len, sentences))
    questions = sum(len(part) for part in sentences if speech_acts.is_question(part))
    content = (word[:MAX_WORD_CHARS] for word in words.words(text) if word not in words.STOP_WORDS)
    return TurnTerms(
        words=(*content, str(when.year), MONTHS[when.month - 1].lower(), str(when.day)),
        asking=questions / total if total else 0.0,
        timed=has_time(text),
    )


def stem(word: str) -> str:
    """The stem of a word, as it is indexed."""
    return words.stem(word)[:MAX_WORD_CHARS]


def _contains(said: list[str], name: list[str]) -> bool:
    return any(said[at : at + len(name)] == name for at in range(len(said) - len(name) + 1))
