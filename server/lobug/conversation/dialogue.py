"""The state of one conversation's dialogue about memory: open questions and recited entries.
Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lobug.memory.model import Entry, Hit

PATIENCE_S = 120.0
"""Seconds for which a question waits for its answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of Lo-Bug's that the next turn may answer."""

    kind: Literal["forget_everything", "forget_these", "what_is_right"]
    until: float
    """When it expires; seconds of the turns' clock."""
    entries: tuple[Entry, ...] = ()
    """The entries to be forgotten, or those of which one is wrong."""


@dataclass(slots=True)
class Dialogue:
    """The dialogue about memory of one conversation."""

    question: Question | None = None
    recited: tuple[Hit, ...] | None = None
    """The entries that the last turn recited; None: the last turn was an ordinary one."""

    def take_question(self, now: float) -> Question | None:
        """Take out the open question; None: there is none, or it has expired at ``now``."""
        question, self.question = self.question, None
        return question if question is not None and now <= question.until else None

    def restorer(self) -> Callable[[], None]:
        """A function that restores the present state, after a turn that did not count."""
        question, recited = self.question, self.recited

        def restore() -> None:
            self.question, self.recited = question, recited

        return restore
