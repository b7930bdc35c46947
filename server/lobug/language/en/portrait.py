"""The lines of layer identity, from facts and from the sentences of summaries. English. Pure.

"The user lives in Rome" becomes the line "Lives in Rome". A line must still be true in a year: what
happens tomorrow, or is so this week, is no line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from lobug.language.en import fact_comparison, speech_acts, verbs, words
from lobug.language.en.data import WEEKDAYS
from lobug.language.en.fact_checks import NEGATED, RELATIONS, clauses, occurs
from lobug.language.protocol import FactType

Section = Literal["User Profile", "Preferences", "Ongoing Topics", "Key History"]

SECTION_OF: dict[FactType, Section] = {
    "personal": "User Profile",
    "preference": "Preferences",
    "knowledge": "Ongoing Topics",
    "event": "Key History",
}

OPENING = re.compile(r"^The user(?:['\u2019]s)? (?=\w)")
PASSING = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|now|soon|recently|lately|just|later|ago|this|next|last"
    rf"|coming|{'|'.join(WEEKDAYS)}|morning|afternoon|evening|o['\u2019]clock|at the moment"
    r"|(?:in|for) (?:a|an|one|two|three|four|five|six|a few|some|\d+)"
    r" (?:minute|hour|day|week|month)s?)\b",
    re.IGNORECASE,
)
"""Words by which something is true for a while, or only seen from the day on which it was said."""
UNSURE = re.compile(r"\b(?:thinks?|guess(?:es)?|hopes?|maybe|perhaps|might|wonders?|wish(?:es)?)\b")
REPORTED = re.compile(r"^.{1,60}? (?:asked\b|said: |took back\b)")
LONGEST_LINE = 120
"""Characters: a longer one tells a story."""


def line_of(fact: str) -> str:
    """A fact as a line: "The user lives in Rome" is "Lives in Rome"."""
    rest = OPENING.sub("", fact.strip().rstrip(". "))
    return rest[:1].upper() + rest[1:]


def is_lasting(sentence: str) -> bool:
    """Whether a sentence will still be true in a year, as far as its words show it."""
    return (
        len(sentence) <= LONGEST_LINE
        and PASSING.search(sentence) is None
        and UNSURE.search(sentence) is None
    )


def history_in(summary: str) -> list[str]:
    """The sentences of a summary that tell what the user once did: those stay true, while what the
    user is, has and likes may have changed since, and is known from facts."""
    found = []
    for sentence in speech_acts.sentences(summary):
        plain = sentence.rstrip(". ")
        told = words.WORD.findall(plain)
        did = [word.lower() for word in told[2:4]]
        if (
            plain.startswith("The user ")
            and REPORTED.match(plain) is None
            and is_lasting(plain)
            and any(verbs.is_past(word) for word in did)
            and "used" not in did
            and fact_comparison.slot_of(plain) is None
        ):
            found.append(plain)
    return found


def is_supported(line: str, sources: Iterable[str]) -> bool:
    """Whether everything in a line was given: each word, name and number in one of the source
    sentences, with the same polarity."""
    told = [word for word in words.content_words(line) if words.stem(word) not in RELATIONS]
    for source in sources:
        for clause in [source, *clauses(source)]:
            known = words.words(clause)
            if NEGATED.search(line) is None and NEGATED.search(clause) is not None:
                continue
            if NEGATED.search(line) is not None and NEGATED.search(clause) is None:
                continue
            if all(occurs(word, known) for word in told):
                return bool(told) or bool(words.content_words(line))
    return False


def is_covered(line: str, others: Sequence[str]) -> bool:
    """Whether other lines say what a line says."""
    return any(fact_comparison.is_subsumed(line, other) for other in others)
