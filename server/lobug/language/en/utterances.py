"""The messages of a conversation, with what memory knows of them. English. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lobug.language.en import fact_comparison, words

LEAST_SHARED = 0.5
"""Share of the words of a fact without a value that a sentence which tells it has."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """What a message said that holds no more."""

    content: str
    """The fact, in the third person."""
    values: tuple[str, ...] = ()
    """What it claimed: "Thursday"."""
    instead: str = ""
    """What is believed instead, where the other messages do not say it."""

    was_true: bool = False
    """It held when it was said, and what ended it stands in none of the messages."""

    def is_told_by(self, sentence: str) -> bool:
        """Whether a sentence of the message says it."""
        said = words.stems(words.words(sentence))
        values = [words.stems(words.words(value)) for value in self.values]
        if any(value and value <= said for value in values):
            return True
        about = distinctive(self.content)
        return not values and bool(about) and len(about & said) >= LEAST_SHARED * len(about)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message of a conversation."""

    role: Literal["user", "assistant"]
    content: str
    speaker: str | None = None
    """Who said it, where several people talk; None: the user."""
    wrong: tuple[Wrong, ...] = ()
    """What it said that was put right or ended since."""
    believed: tuple[str, ...] = ()
    """The facts that memory took from it and still believes, in the third person."""
    corrects: bool = False
    """Memory has put something right because of it."""

    def believed_of(self, sentence: str) -> list[str]:
        """The facts that come from this sentence of the message; of a correction ("No, Johanna")
        any word of the fact is enough."""
        said = words.stems(words.words(sentence))
        found = []
        for fact in self.believed:
            about = distinctive(fact)
            least = 1.0 if self.corrects else LEAST_SHARED * len(about)
            if about and len(about & said) >= least:
                found.append(fact)
        return found


def distinctive(fact: str) -> set[str]:
    """The stems that tell a fact from others."""
    return words.stems(words.content_words(fact)) - fact_comparison.COMMON - {"user"}
