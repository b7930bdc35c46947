"""Text of any language, without pictures and stray spaces, and the language for codes that have no
folder."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from lobug.language.house import ForHouse, HouseNames, by_names
from lobug.language.protocol import Completeness

_DROPPED = frozenset({"So", "Sk", "Cf", "Cs", "Co", "Cn"})
"""Unicode categories of emoji, their modifiers and invisible characters."""
_KEPT = frozenset("^`°")


def drop_pictures(text: str) -> str:
    """A text without emoji, with plain spaces, digits and minus signs."""
    kept = []
    for sign in text:
        category = unicodedata.category(sign)
        if category == "Nd":
            kept.append(str(unicodedata.decimal(sign)))
        elif category == "Zs":
            kept.append(" ")
        elif sign in "\u2212\u2010\u2011":
            kept.append("-")
        elif category not in _DROPPED or sign in _KEPT:
            kept.append(sign)
    return "".join(kept)


_SPACE_BEFORE_SIGN = re.compile(r" (?=[.,!?;:](?: |$))")


def tidy_spaces(text: str) -> str:
    """A text on one line, with single spaces and none before punctuation."""
    return _SPACE_BEFORE_SIGN.sub("", " ".join(text.split()))


@dataclass(frozen=True, slots=True)
class UnknownLanguage:
    """A language without rules."""

    code: str
    commands: None = None
    skills: None = None

    def for_house(self, text: str, names: HouseNames) -> ForHouse | None:
        """A short text with a name in it."""
        return by_names(text, names)

    def completeness(self, text: str) -> Completeness:
        """Always open."""
        return Completeness.OPEN

    def spoken_form(self, text: str) -> str:
        """Without emoji; numbers and abbreviations are left to the voice."""
        return tidy_spaces(drop_pictures(text))
