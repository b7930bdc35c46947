"""What Lo-Bug has asked about memory and waits to hear, in one conversation. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lobug.memory.model import Entry, Hit

PATIENCE_S = 120.0
"""How long an answer is waited for, seconds; later the question is forgotten."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of Lo-Bug's that the next turn may answer."""

    kind: Literal["forget_everything", "forget_these", "what_is_right"]
    until: float
    """When it is no longer waited for; seconds of the turns' clock."""
    entries: tuple[Entry, ...] = ()
    """To be forgotten; or those of which one is wrong."""


@dataclass(slots=True)
class Dialogue:
    """The state of one conversation's talk about memory."""

    question: Question | None = None
    recited: tuple[Hit, ...] | None = None
    """What the last turn told of memory; None: the last turn was an ordinary one."""

    def take_question(self, now: float) -> Question | None:
        """The question that waits for an answer, if there is one; only the next turn gets it."""
        question, self.question = self.question, None
        return question if question is not None and now <= question.until else None
