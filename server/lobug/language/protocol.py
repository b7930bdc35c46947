"""What the server asks of a human language."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Protocol

from lobug.language.commands import Meaning, Ordinary

Doubt = Literal["asked", "ordered", "told"]
"""The kind of a sentence that speaks of memory and fits no template."""


class Completeness(StrEnum):
    """Whether an utterance is over, judged by its words alone."""

    UNFINISHED = "unfinished"
    """More must follow: "my sister's name is"."""
    FINISHED = "finished"
    """A short command or answer that hardly anybody continues: "stop", "what time is it?"."""
    OPEN = "open"
    """Either may be true."""


class CommandBook(Protocol):
    """Recognises what people ask of Lo-Bug's memory."""

    def understand(self, text: str) -> Meaning | Ordinary | None:
        """What a text asks of memory. None: no template fits; ``Ordinary``: it is no command."""

    def agrees(self, text: str) -> bool | None:
        """Whether a text answers a question with yes (True) or no (False); None: with neither."""

    def doubt(self, text: str) -> Doubt | None:
        """How a text that fits no template may still be meant for memory; None: it is not."""


class Language(Protocol):
    """One human language."""

    @property
    def code(self) -> str:
        """ISO 639-1."""

    @property
    def commands(self) -> CommandBook | None:
        """The commands to memory; None: there are no templates."""

    def completeness(self, text: str) -> Completeness:
        """Whether a transcript is the beginning of a sentence or a whole short command."""

    def spoken_form(self, text: str) -> str:
        """A piece of a reply, without markup, as a person would read it aloud, on one line; never
        empty when it holds a letter."""
