"""What a later utterance puts right in an earlier one, where the rules of the reader saw nothing.

A small chat model is good at telling which words of two utterances stand for each other, and bad at
telling whether the later one puts anything right: asked alone, it says so of nearly every pair. So
the model finds the words, and the rules here decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lobug.language.claims import Heard
from lobug.language.en import speech_acts, words
from lobug.language.en.claims import statement_comparison, values
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.data import word_list, word_set

LONGEST = 400
"""Characters of an utterance that is compared with an earlier one, and of the earlier one."""
FEWEST_WORDS = 3
"""Of a sentence that is kept."""
MOST_WORDS = 6
"""Words that stand for others, at most."""

EMPTY = word_set("revisions", "empty")
"""Words that stand for no other: "it", "there"."""
OF_THE_MISTAKE = words.stems(word_set("revisions", "of_the_mistake"))
"""Stems of words about the mistake itself: "sorry", "meant", "checked"."""


def _any_of(listed: Iterable[str]) -> re.Pattern[str]:
    phrases = "|".join(map(re.escape, listed))
    return re.compile(rf"(?<!\w)(?:{phrases})(?!\w)", re.IGNORECASE)


_MISTAKE = _any_of(word_list("revisions", "mistakes"))
_ENDS = _any_of(word_list("revisions", "ends"))
_ADDS = _any_of(word_list("revisions", "adds"))
_NO = re.compile(
    r"^\W*(?:(?:oh|well|ah|um+|uh|er+m?|ok(?:ay)?)\W+)*"
    r"(?:no|nope|nah|naw|sorry|wait|actually|oops|whoops|not)\b"
    r"(?! (?:idea|one|more|longer|problem|worries|wonder|bad|sure|yet|really|matter|way|that|to"
    r"|about|for)\b)|\bsorry\W*$",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"[.;:!?\u2026]+(?=\s|$)|,|\s(?:and|but|so|because|that)\s",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:it|he|she|they|that|this|there|mine|hers|i|we)"
    r"(?:['\u2019](?:s|re|m|ll be|ve got)| is| are| was| were| am| will be|s)\b",
    re.IGNORECASE,
)
"""The beginning of a clause that says only what something is."""
_NOT_BEFORE = re.compile(
    r"(?:n['\u2019]t|\b(?:not|no|never))(?: (?:a|an|any|the|my|in|on|at|to|for|with|from)){0,2} $",
    re.IGNORECASE,
)
_NO_ALONE = re.compile(r"\W*(?:no|nah|nope) [\w'-]{1,20}\W*", re.IGNORECASE)
""" "No four": what is right without a comma."""
_DENIED = re.compile(r"n['\u2019]t\b|\b(?:not|no|never|without)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Revision:
    """Words of an earlier utterance, and those of a later one that take their place."""

    wrong: str
    right: str
    changed: bool
    """It was so and has changed; False: it was never so."""
    leans: bool
    """The later utterance says nothing without the earlier one: "it's Friday, same time"."""


def may_revise(text: str, heard: Heard) -> bool:
    """Whether an utterance may put an earlier one right: it speaks of a mistake or of a change.
    ``heard``: what the rules read in it."""
    if len(text) > LONGEST or "?" in text[-2:]:
        return False
    return speaks_of_mistake(text, heard) or _changes(text)


def accepted(wrong: str, right: str, earlier: str, later: str) -> Revision | None:
    """The words that a model found, if the later utterance does put the earlier one right."""
    wrong, right = values.tidy_value(wrong), values.tidy_value(right)
    if not _can_stand(wrong, earlier) or not _can_stand(right, later):
        return None
    if _has(earlier, right) or not _same_sort(wrong, right):
        return None
    part = _part_with(right, later)
    if _ADDS.search(part) or _DENIED.search(part[: part.lower().find(right.lower())]):
        return None
    if _is_denied(right, later):
        return None
    opened = speaks_of_mistake(later, CLAIMS.read(later)) or _is_denied(wrong, later)
    about = statement_comparison.content(earlier)
    own = statement_comparison.content(part) - statement_comparison.content(right) - OF_THE_MISTAKE
    named = _has(later, wrong)  # "we traded in the Zafira, got a Sharan"
    if named:
        plausible = opened or _changes(later)
    else:
        shares = bool(statement_comparison.content(later) & about)
        plausible = own <= about and (opened or (shares and _changes(later)))
    points = not own or (own <= about and _POINTS.match(part) is not None)
    leans = points and (opened or not named)
    return Revision(wrong, right, changed=not opened, leans=leans) if plausible else None


def put_right(earlier: str, revision: Revision) -> str | None:
    """The sentence of an utterance that had the wrong words, with the right ones; None: it has too
    few words to stand alone."""
    said = [one for one in speech_acts.sentences(earlier) if _has(one, revision.wrong)]
    right = values.put_right(said[0], revision.wrong, revision.right) if said else None
    return right if right and len(right.split()) >= FEWEST_WORDS else None


def speaks_of_mistake(text: str, heard: Heard) -> bool:
    """Whether an utterance, in which the rules read ``heard``, says that something was wrong."""
    return heard.corrects or bool(_NO.search(text) or _MISTAKE.search(text))


def _changes(text: str) -> bool:
    """Whether an utterance says that something has become otherwise."""
    return _ENDS.search(text) is not None or statement_comparison.CHANGE.search(text) is not None


def _can_stand(span: str, text: str) -> bool:
    """Whether a text has the words, and they are words that can stand for others."""
    found = words.words(span)
    return bool(found) and len(found) <= MOST_WORDS and not set(found) <= EMPTY and _has(text, span)


def _same_sort(one: str, other: str) -> bool:
    return values.same_sort(one, other) and values.same_sort(other, one)


def _has(text: str, span: str) -> bool:
    bare = re.sub(r"['\u2019]s$", "", span)
    return any(next(words.places_of(one, text), None) is not None for one in (bare, f"{bare}s"))


def _is_denied(span: str, text: str) -> bool:
    """Whether "not" stands right before the words: "not on Thursday", "no coffee, please"."""
    denied = (_NOT_BEFORE.search(text[:at]) for at in words.places_of(span, text))
    return any(match is not None for match in denied) and _NO_ALONE.fullmatch(text) is None


def _part_with(span: str, text: str) -> str:
    """The part of a text that has the words: "it's Friday" of "I looked it up and it's Friday"."""
    at = text.lower().find(span.lower())
    begins = [found.end() for found in (*_NO.finditer(text), *_BREAK.finditer(text))]
    begins = sorted(end for end in begins if end <= at)
    ends = _BREAK.search(text, at + len(span))
    begin = begins[-1] if begins else 0
    points = [found.start() for found in _POINTS.finditer(text, begin, at)]
    return text[points[-1] if points else begin : ends.start() if ends else len(text)]
