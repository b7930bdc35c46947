"""What a turn must know of the playing of its speech: the log holds only what was heard.

How much of a reply was heard when somebody interrupted it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from lobug.conversation.registry import INTERRUPTED


class Playback(Protocol):
    """The door's side of a turn's speech. A door that does not play in real time has none."""

    @property
    def interrupted(self) -> bool:
        """Whether somebody has stopped it; nothing more is played then."""

    async def wait_interrupted(self) -> None:
        """Return once it has been interrupted; may wait for ever."""

    async def finished(self) -> None:
        """Return once everything that was handed over has been played, or it was interrupted."""

    def played(self) -> list[tuple[int, float]]:
        """Index of each piece of which something was played, and the fraction of it, 0 to 1."""


_WHOLE = 0.98
"""Of a piece: from here on its last word was heard."""


def heard_words(pieces: Mapping[int, str], played: Sequence[tuple[int, float]]) -> str:
    """The words that were played, by the fraction of each piece's sound.

    A word that was cut counts as not heard. Speech is about as long as its letters are many, which
    is near enough to say what somebody knows by now.
    """
    words: list[str] = []
    for index, fraction in sorted(played):
        text = pieces.get(index, "")
        if fraction >= _WHOLE:
            words.append(text)
            continue
        kept = text[: int(len(text) * max(0.0, fraction))]
        if len(kept) < len(text) and not text[len(kept)].isspace():
            kept = kept.rpartition(" ")[0]
        if kept.strip():
            words.append(kept.strip())
    return " ".join(words)


def as_logged(words: str) -> str:
    """An interrupted reply as log and prompt hold it."""
    return f"{words} {INTERRUPTED}".lstrip()
