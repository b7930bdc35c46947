"""Words for a house: the names of its rooms and things, and whether a text is meant for it. Pure.

Names come from another program and are untrusted: a name that is long, empty of letters or made of
control characters is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

LONGEST_NAME = 60
"""Characters; a longer name is left out."""
MOST_NAME_WORDS = 6
LONGEST = 400
"""Characters of a text that may be for the house."""
MOST_WORDS = 12
"""Words of a text in a language without rules that is for the house if it has a name in it."""

_KEPT = frozenset("' \u2019-.&+/")
"""What a name may have besides letters, their marks and digits."""
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")

Certainty = Literal["surely", "perhaps"]


@dataclass(frozen=True, slots=True)
class ForHouse:
    """A text that is meant for the house."""

    certainty: Certainty
    """surely: an order, or a question that only the house can answer. perhaps: a question that may
    be meant for the chat model as well; it never orders anything."""
    request: str
    """What the house is asked: the text without politeness."""


def clean_name(name: str) -> str | None:
    """A name on one line with single spaces; None: it is no name that somebody could say."""
    if len(name) > 4 * LONGEST_NAME:
        return None
    known = unicodedata.normalize("NFKC", name)
    tidy = " ".join("".join(c if _is_kept(c) else " " for c in known).split())
    said = _WORD.findall(tidy)
    if not 0 < len(said) <= MOST_NAME_WORDS or len(tidy) > LONGEST_NAME:
        return None
    return tidy if any(c.isalpha() for c in tidy) else None


def _is_kept(character: str) -> bool:
    return character in _KEPT or unicodedata.category(character)[0] in "LMN"


def name_words(text: str) -> list[str]:
    """The words by which names are compared."""
    return [word.replace("\u2019", "'") for word in _WORD.findall(text.casefold())]


@dataclass(frozen=True)
class HouseNames:
    """The names of a house, each once, in the order in which they matter."""

    names: tuple[str, ...] = ()
    _by_first: Mapping[str, Sequence[tuple[str, ...]]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """The words of each name by its first word, the longest names first."""

    @classmethod
    def of(cls, names: Iterable[str], *, most: int) -> HouseNames:
        """The clean ones of some names, at most ``most``."""
        kept: dict[tuple[str, ...], str] = {}
        for name in names:
            clean = clean_name(name)
            if clean is not None:
                kept.setdefault(tuple(name_words(clean)), clean)
            if len(kept) >= most:
                break
        by_first: dict[str, list[tuple[str, ...]]] = {}
        for words in sorted(kept, key=len, reverse=True):
            by_first.setdefault(words[0], []).append(words)
        return cls(tuple(kept.values()), by_first)

    def spans(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Where names stand among words, without overlaps: first word, and the one after the
        last."""
        at = 0
        while at < len(words):
            for name in self._by_first.get(words[at], ()):
                if tuple(words[at : at + len(name)]) == name:
                    yield at, at + len(name)
                    at += len(name) - 1
                    break
            at += 1

    def with_marks(self, text: str, mark: str = "_") -> tuple[str, bool]:
        """The words of a text with a mark in place of each name, and whether there is one."""
        words = name_words(text)
        marked: list[str] = []
        after = 0
        for start, end in self.spans(words):
            marked += [*words[after:start], mark]
            after = end
        return " ".join([*marked, *words[after:]]), after > 0


NO_NAMES = HouseNames()


def by_names(text: str, names: HouseNames) -> ForHouse | None:
    """What is for the house in a language without rules: a short text with a name in it. It is
    surely so, because it may be an order, which no chat model may get that cannot obey it."""
    words = name_words(text)
    if len(text) > LONGEST or len(words) > MOST_WORDS or not any(names.spans(words)):
        return None
    return ForHouse("surely", text.strip())
