"""Cuts a sentence where another clause may begin. English. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lobug.language.en.claims.lexicon import OWNERS, PREPOSITIONS, Token, lemma, tokens
from lobug.language.en.claims.openings import opened
from lobug.language.en.claims.subjects import NounPhrase, subject_of
from lobug.language.en.claims.verb_groups import verb_group

_JOINT = re.compile(
    r"\s*[;:]\s+|\s+[\u2013\u2014-]+\s+|\s*(?:\.\.\.|\u2026)\s*"
    r"|,\s*(?:(?:and|or|nor|but|so|because|while|although|though|whereas|where|who|which|since|as"
    r"|if|unless|when|before|after|until|once)\s+(?!ever\b)(?!of\b))?"
    r"|\s+(?:and|or|nor|but|because|although|though|whereas|while)\s+"
    r"|\s+who\s+|\s+which\s+(?=is\b|was\b|has\b)"
    r"|\s+(?:so(?! you know)|since|as|if|unless|when|whenever|before|after|until|once|as soon as"
    r"|even if"
    r"|even though|now that)\s+(?=(?:i|we|he|she|they|it|you|my|our|his|her|their"
    r"|the)(?:['\u2019]\w+)?\s)"
    r"(?!i was\b)",
    re.IGNORECASE,
)
_RUN_ON = re.compile(
    r"\s+(?=(?:i|we|he|she|it|they|my|our|his|her)(?:['\u2019]?(?:m|ve|s|re))?\s)", re.I
)
_NOT_BEFORE_RUN_ON = PREPOSITIONS | frozenset(
    """
    and or but so because while although though when if unless that which who what where why how
    than think know hope say says said wish guess mean believe told tell thought sure like the a an
    feel love want need let lets make see is was not hear heard doubt
    """.split()
)


@dataclass(slots=True)
class Part:
    """Words between two joints."""

    before: str
    """The joint before it: "and", ","."""
    text: str

    @property
    def word(self) -> str:
        """The conjunction before it; empty: none."""
        return self.before.strip(" ,;:.\u2026\u2013\u2014-").lower()


def parts_of(sentence: str) -> list[Part]:
    parts: list[Part] = []
    position, before = 0, ""
    for match in _JOINT.finditer(sentence):
        parts.append(Part(before, sentence[position : match.start()]))
        position, before = match.end(), match.group()
    parts.append(Part(before, sentence[position:]))
    return [piece for part in parts for piece in _run_on(part)]


def _leads_on(word: str) -> bool:
    """Whether the clause goes on after a word: "that", "thinks"."""
    return word in _NOT_BEFORE_RUN_ON or lemma(word) in _NOT_BEFORE_RUN_ON


def _run_on(part: Part) -> list[Part]:
    """ "I live in Rome I work at Bosch", spoken without a pause, is two parts."""
    pieces: list[Part] = []
    position, before = 0, part.before
    for match in _RUN_ON.finditer(part.text):
        words = part.text[max(position, match.start() - 40) : match.start()].lower().split()
        if len(words) < 3 or words[-2] in {"the", "a"} or _leads_on(words[-1]):
            continue
        if not begins_clause(part.text[match.end() : match.end() + 60]):
            continue
        pieces.append(Part(before, part.text[position : match.start()]))
        position, before = match.end(), " "
    pieces.append(Part(before, part.text[position:]))
    return pieces


def begins_clause(text: str) -> bool:
    found = tokens(opened(text[:200])[0])
    subjects = subjects_of(found)
    if subjects is None or found[subjects[1]].low in {"called", "named"}:
        return False  # "a cat called Tom"
    return verb_group(found, subjects[1]) is not None


def subjects_of(found: Sequence[Token]) -> tuple[tuple[NounPhrase, ...], int] | None:
    """The subjects that stand before the verb, and the index after them."""
    first = subject_of(found)
    if first is None:
        return None
    phrases, at = [first[0]], first[1]
    while at < len(found) - 1 and len(phrases) < 4 and found[at].low in {"and", ","}:
        start = at + 1
        if found[at].low == "," and found[start].low == "and":
            start += 1
        another = subject_of(found[start:]) or _of_same_owner(found, start)
        if another is None:
            return None
        phrases.append(another[0])
        at = start + another[1]
    return tuple(phrases), at


def _of_same_owner(found: Sequence[Token], start: int) -> tuple[NounPhrase, int] | None:
    """ "My mum and dad": the second noun has the owner of the first."""
    if found[0].low not in OWNERS or start >= len(found):
        return None
    another = subject_of([found[0], *found[start:]])
    return None if another is None else (another[0], another[1] - 1)
