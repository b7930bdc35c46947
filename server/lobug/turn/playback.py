"""What a turn must know of the playing of its speech: the log holds only what was heard."""

from __future__ import annotations

from typing import Protocol


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
