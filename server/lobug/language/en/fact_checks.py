"""Checks whether a model's proposal may become a fact, without a model. English. Pure.

Small models invent: they answer a question and call it a memory, copy the examples of the prompt,
or say of the user what is true of the user's sister. A fact passes only if it is about the user or
about somebody whom the user named, if the user said its words, and if it does not reverse the
meaning. Inflection, numbers written as words and small errors of speech-to-text are tolerated. Text
in another language only has to pass the checks that need no grammar.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from lobug.language.en import words
from lobug.language.en.data import word_list, word_set
from lobug.language.protocol import FACT_TYPES, Candidate, FactType, NewFact

MAX_FACT_CHARS = 200
MAX_FACTS = 6
"""Facts that are taken from one answer of the model."""

# Words that say how things belong together: a fact may use them though the user did not.
RELATIONS = words.stems(word_list("fact_checks", "relations"))
FIRST_PERSON = re.compile(
    r"\b(?:i|me|my|mine|myself|we|us|our|ours|i['\u2019](?:m|ve|d|ll)|im|ive|we['\u2019]\w+)\b",
    re.IGNORECASE,
)
SPEAKER = re.compile(r"\b(?:i|we|me|us|i['\u2019]\w+|im|ive|we['\u2019]\w+)\b", re.IGNORECASE)
OTHERS = word_set("fact_checks", "others")
NEGATED = re.compile(
    r"\b(?:not|never|cannot|no longer|neither|nor|dont|doesnt|didnt|isnt|cant|wont)\b"
    r"|n['\u2019]t\b|\bno\b(?!\s*,)",
    re.IGNORECASE,
)
AGAINST = re.compile(
    r"\b(?:hate|dislike|avoid|stop|quit|refuse|lack|allergic|intoleran|unable|former|without"
    r"|used to|gave up|left)\w*",
    re.IGNORECASE,
)
PASSING = words.stems(word_list("fact_checks", "passing"))
NAMING = re.compile(r"\b(?:named?|called)\b", re.IGNORECASE)
"""Verbs of naming. In "My aunt Zelda can't cook" the name is not negated."""

SUBJECT = re.compile(r"^(?:the\s+)?user(?P<s>['\u2019]s)?\b", re.IGNORECASE)


def accept(candidates: Sequence[Candidate], said: str) -> list[NewFact]:
    """The candidates that ``said``, the user's own statements, supports, without repetitions: where
    one fact has all the words of another, only that one stays."""
    accepted: list[tuple[NewFact, set[str]]] = []
    for candidate in candidates:
        content = tidy(candidate.fact)
        fact_type = candidate.fact_type.strip().lower()
        if fact_type not in FACT_TYPES or objection(content, said) is not None:
            continue
        key = words.stems(words.content_words(content))
        if not any(key == known for _, known in accepted):
            accepted.append((NewFact(content, fact_type), key))
    fullest = [
        fact
        for fact, key in accepted
        if NAMING.search(fact.content) or not any(key < known for _, known in accepted)
    ]
    return fullest[:MAX_FACTS]


def tidy(fact: str) -> str:
    """A fact on one line, beginning with "The user" or a name, without a full stop at its end."""
    # Half a surrogate pair comes from JSON escapes and cannot be stored.
    printable = re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", " ", fact)
    content = re.sub(r"\s+", " ", printable).strip().rstrip(". ")
    return SUBJECT.sub(lambda match: "The user" + (match["s"] or ""), content)


def objection(fact: str, said: str) -> str | None:
    """The name of the first check that a fact fails; None: it passes all."""
    checks: dict[str, Any] = {
        "shape": _has_shape,
        "subject": _has_subject,
        "words": _has_said_words,
        "passing": _lasts,
        "person": _is_about_the_right_person,
        "negation": _keeps_the_sense,
    }
    for name, holds in checks.items():
        if not holds(fact, said):
            return name
    return None


def occurs(word: str, said: Sequence[str]) -> bool:
    """Whether a word was said, in any inflection and with a small error of speech-to-text."""
    wanted = words.stem(word)
    return any(
        wanted == words.stem(other) or _same_root(word, other) or _sounds_alike(word, other)
        for other in said
    )


_LIKING = words.stems(word_list("fact_checks", "liking"))


def fact_type(fact: str) -> FactType:
    """The type of a fact, by its words."""
    if words.stems(words.words(fact)) & _LIKING:
        return "preference"
    return "personal" if fact.startswith("The user") else "knowledge"


GAP = r"(?:,\s++|(?<!\s)\s++|(?<=\n)[^\S\n]++)"
"""White space, perhaps after a comma. It matches only from the beginning of the white space, so
that a long run takes linear time."""


def clauses(said: str) -> list[str]:
    """The clauses of a text: it is cut where a new subject begins."""
    parts = re.split(
        rf"[.;!?\n]+|{GAP}but\s+|{GAP}(?:and|so|because)\s+(?=(?:i|my|we|our|he|she|they|his|her)\b"
        r"|i['\u2019])|,\s+(?=(?:i|my|we|our|he|she|they)\b|i['\u2019])",
        said,
        flags=re.IGNORECASE,
    )
    return [part.strip() for part in parts if part and part.strip()]


def _has_shape(fact: str, _said: str) -> bool:
    return 8 <= len(fact) <= MAX_FACT_CHARS and "?" not in fact and len(fact.split()) >= 3


def _has_subject(fact: str, said: str) -> bool:
    # Without an "I" or a "my" somewhere it is a remark about the world: "Water boils at 100."
    if words.is_english(said) and FIRST_PERSON.search(said) is None:
        return False
    if SUBJECT.match(fact):
        return True
    opening = re.match(r"(?:[Tt]he\s+)?([^\W\d_][\w-]*)", fact)
    if opening is None or not opening[1][0].isupper():
        return False
    return words.stem(opening[1].lower()) in words.stems(words.content_words(said))


def _claimed_words(fact: str) -> list[str]:
    return [word for word in words.content_words(fact) if words.stem(word) not in RELATIONS]


def _has_said_words(fact: str, said: str) -> bool:
    claimed = _claimed_words(fact)
    heard = words.words(said)
    return bool(claimed) and all(occurs(word, heard) for word in claimed)


def _lasts(fact: str, _said: str) -> bool:
    return not words.stems(_claimed_words(fact)) <= PASSING


def _clause_of(fact: str, said: str) -> str:
    """The clause that a fact comes from: the one with most of its words. Of several, a fact about
    what the user is or does comes from one with "I" in it ("she hates tea, but I love it")."""
    claimed = words.stems(words.content_words(fact))
    subject = SUBJECT.match(fact)
    own = subject is not None and not subject["s"]

    def fit(clause: str) -> tuple[int, bool]:
        shared = claimed & words.stems(words.content_words(clause))
        return len(shared), own and SPEAKER.search(clause) is not None

    return max(clauses(said) or [said], key=fit)


def _is_about_the_right_person(fact: str, said: str) -> bool:
    """Not so where "my sister lives in Rome" became "the user lives in Rome"."""
    clause = _clause_of(fact, said)
    if not SUBJECT.match(fact) or SPEAKER.search(clause):
        return True
    others = [word for word in words.words(clause) if word in OTHERS]
    return not others or any(word in words.words(fact) for word in others)


def _keeps_the_sense(fact: str, said: str) -> bool:
    if not words.is_english(said) or NAMING.search(fact):
        return True
    clause = _clause_of(fact, said)
    clause_negated, fact_negated = NEGATED.search(clause), NEGATED.search(fact)
    if clause_negated and not fact_negated:
        return AGAINST.search(fact) is not None
    if fact_negated and not clause_negated:
        return AGAINST.search(clause) is not None
    return True


def _same_root(word: str, other: str) -> bool:
    """Whether two words share at least their first five letters and 60% of the longer one:
    "programmer" and "programming"."""
    shared = 0
    for left, right in zip(word, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared >= 5 and shared >= 0.6 * max(len(word), len(other))


def _sounds_alike(word: str, other: str) -> bool:
    """Whether two words have nearly the same letters: "nassa", "nasa". Short words and numbers must
    be equal."""
    if min(len(word), len(other)) < 4 or word.isdigit() or other.isdigit():
        return False
    return SequenceMatcher(None, word, other).ratio() >= 0.8
