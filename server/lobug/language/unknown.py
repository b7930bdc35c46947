"""The language for codes that have no folder."""

from __future__ import annotations

from dataclasses import dataclass

from lobug.language.plain_text import drop_pictures, tidy_spaces
from lobug.language.protocol import Completeness


@dataclass(frozen=True, slots=True)
class UnknownLanguage:
    """A language without rules."""

    code: str
    commands: None = None

    def completeness(self, text: str) -> Completeness:
        """Always open."""
        return Completeness.OPEN

    def spoken_form(self, text: str) -> str:
        """Without emoji; numbers and abbreviations are left to the voice."""
        return tidy_spaces(drop_pictures(text))
