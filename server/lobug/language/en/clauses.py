"""Finds the pauses of a sentence that is still being written. English.

Pure: text in, position out. Like the end of a sentence, a pause is decided from the text alone
and only once enough of what follows has been seen, so it does not matter in which pieces the text
arrives. What could be a list, a name, a date or a pair of adjectives is not cut: a pause that comes
too late costs half a second, one in a wrong place sounds like a machine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lobug.language.en.lists import word_set

_SUBJECTS = word_set("clauses", "subjects")
"""Words that begin a clause of its own."""

_OPENERS = _SUBJECTS | word_set("clauses", "openers")
"""Words that go on after a comma and are no item of a list."""

_PHRASE_OPENERS = word_set("clauses", "phrase_openers")
"""Words that do so unless "and" follows two words later: "the sea, the hills and the wood"."""

_CONJUNCTIONS = word_set("clauses", "conjunctions")
"""A pause comes before one of them in a long sentence, also without a comma."""

_JOINED = frozenset(("and", "or", "so"))
"""A pause comes before one of them where a clause with a subject follows; otherwise they join two
words."""

_LISTING = frozenset(("and", "or", "nor", "&"))
_NOT_BEFORE_CONJUNCTION = word_set("clauses", "not_before_conjunction")
"""Words that belong together with the conjunction after them: "ask if", "in which"."""

_QUALIFIERS = word_set("clauses", "qualifiers")
"""An adjective after one of them may be the first of two: "a small, friendly robot"."""

_FEWEST_WORDS = 2
"""Fewest words of a clause that punctuation ends: "I'm sorry," is said in one breath."""
FEWEST_BEFORE_CONJUNCTION = 4
"""Fewest words before a pause without punctuation."""

_PAUSE = re.compile(
    r"(?<=[^\s.])[,;:]\s|(?<=[^\W_])(?:…|\.\.\.)\s|\s[—–]\s|(?<=[^\W_])\s(?=[a-z]+)"
)
_WORD = re.compile(r"[^\s,.!?;:…—–]+")


class NeedMoreError(Exception):
    """The text that follows is needed to decide about the pause."""


def clause_end(text: str, start: int, shortest: int, *, final: bool) -> int | None:
    """Where the clause ends that begins at ``start``; white space follows it.

    Args:
        text: a sentence, or its beginning.
        start: index of the clause's first character.
        shortest: characters that the clause must have at least.
        final: nothing follows ``text``.

    Returns:
        The index after its last character; None: no pause was found yet.
    """
    comma = text.find(",", start)
    count = 0
    latest: list[str] = []
    seen = start
    for pause in _PAUSE.finditer(text, start):
        end = pause.end() - 1
        # Only what is new since the last pause: a text may have as many pauses as words.
        new = text[seen:end].split()
        count += len(new)
        latest = [*latest, *new][-2:]
        seen = end
        last = end
        while last > start and text[last - 1].isspace():
            last -= 1
        if last - start < shortest or count < _FEWEST_WORDS:
            continue
        clause = _Clause(latest, count, text[last - 1], 0 <= comma < last - 1)
        try:
            if _is_pause(clause, text, pause.end(), marked=len(pause.group()) > 1, final=final):
                return end
        except NeedMoreError:
            return None
    return None


@dataclass(frozen=True, slots=True)
class _Clause:
    """What a clause looks like before a pause."""

    latest: Sequence[str]
    """Its last two words."""
    words: int
    ending: str
    """Its last character."""
    commas: bool
    """Whether there is a comma before its last character."""


def _is_pause(clause: _Clause, text: str, after: int, *, marked: bool, final: bool) -> bool:
    """Whether there is a pause between ``clause`` and the text at ``after``.

    ``marked``: by punctuation.
    """
    first = _word(text, after, final=final)
    if first is None or not first[0].isalpha():
        return False
    second = _word(text, after + len(first) + 1, final=final)
    if second is None:  # "..., my friend." is no piece of its own
        return False
    if not marked:
        return _is_unmarked_pause(clause, _plain(first), _plain(second))
    if clause.ending != ",":
        return True
    low = _plain(first)
    if low in _PHRASE_OPENERS:
        third = _word(text, after + len(first) + len(second) + 2, final=final)
        return third is not None and _plain(third) not in _LISTING
    return _is_comma_pause(clause, first, _plain(second))


def _is_comma_pause(clause: _Clause, first: str, second: str) -> bool:
    before = [*clause.latest[:-1], clause.latest[-1][:-1]]
    low = _plain(first)
    if first[0].isupper() and low not in _SUBJECTS and before[-1][0].isupper():
        return False  # "Portland, Oregon", "Anna, Bob"
    if low in _OPENERS:
        return True
    if low in _LISTING:  # it ends a list, or a clause
        return not clause.commas or second in _SUBJECTS
    return second not in _LISTING and _plain(before[-2]) not in _QUALIFIERS


def _is_unmarked_pause(clause: _Clause, first: str, second: str) -> bool:
    if clause.words < FEWEST_BEFORE_CONJUNCTION:
        return False
    if first in _JOINED:
        return second in _SUBJECTS or second == "then"
    return first in _CONJUNCTIONS and _plain(clause.latest[-1]) not in _NOT_BEFORE_CONJUNCTION


def _word(text: str, at: int, *, final: bool) -> str | None:
    """The word at ``at``, which another one must follow; None: it is the last before a mark, or
    there is none. Raises NeedMoreError when that is not known yet."""
    match = _WORD.match(text, at)
    if match is None:
        if at >= len(text) and not final:
            raise NeedMoreError
        return None
    end = match.end()
    if end + 1 >= len(text):
        if final:
            return None
        if end == len(text) or text[end] == " ":
            raise NeedMoreError
    return match.group() if text[end] == " " and text[end + 1].isalnum() else None


def _plain(word: str) -> str:
    return word.lower().replace("\u2019", "'")
