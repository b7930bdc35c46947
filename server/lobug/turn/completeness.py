"""Whether the words so far are clearly unfinished, a whole short command, or neither. Pure."""

from __future__ import annotations

from enum import StrEnum


class Completeness(StrEnum):
    """What the words alone say of the end of an utterance."""

    UNFINISHED = "unfinished"
    """More must follow: "my sister's name is"."""
    FINISHED = "finished"
    """A short command or answer that nobody goes on from: "stop", "what time is it?"."""
    OPEN = "open"
    """Either may be true."""


def completeness_of(text: str, language: str) -> Completeness:
    """What ``text``, a transcript in ``language`` (ISO 639-1), is."""
    return Completeness.OPEN
