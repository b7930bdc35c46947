"""English behind the protocol of a language."""

from __future__ import annotations

from lobug.language.en import completeness
from lobug.language.en.command_templates import Templates, templates
from lobug.language.en.spoken.form import spoken_form
from lobug.language.protocol import Completeness, Language


class English:
    """The rules of English."""

    code = "en"

    @property
    def commands(self) -> Templates:
        """The commands of ``commands.yaml``."""
        return templates()

    def completeness(self, text: str) -> Completeness:
        """By the last words."""
        return completeness.completeness_of(text)

    def spoken_form(self, text: str) -> str:
        """Numbers, dates, addresses, abbreviations and signs in words."""
        return spoken_form(text)


LANGUAGE: Language = English()
