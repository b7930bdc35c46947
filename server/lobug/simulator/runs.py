"""What runs by HTTP and by WebSocket share: the plan of turns, saved replies, percentiles."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

DEFAULT_MAX_TURNS = 20
"""Turns after which ``--until`` gives up when nothing else is said."""


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """Decides which input is next, and when the run is over.

    Without ``until`` every input is used once (or, with ``max_turns``, over and over up to that
    number of turns). With it, inputs are used in order, over and over, until a response matches.
    """

    inputs: int
    until: re.Pattern[str] | None = None
    max_turns: int | None = None

    @property
    def limit(self) -> int:
        """The most turns that are taken."""
        if self.max_turns is not None:
            return self.max_turns
        if self.until is None:
            return self.inputs
        return max(DEFAULT_MAX_TURNS, self.inputs)

    def matches(self, response: str) -> bool:
        """Whether a response is the one that was waited for."""
        return self.until is not None and self.until.search(response) is not None

    def next_input(self, turns_done: int, *, matched: bool) -> int | None:
        """Index of the input of the next turn; None: the run is over."""
        if matched or self.inputs == 0 or turns_done >= self.limit:
            return None
        return turns_done % self.inputs


def percentile(values: list[float], fraction: float) -> float | None:
    """The value at ``fraction`` (0 to 1) of the sorted values, the nearest one; None: no values."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(fraction * (len(ordered) - 1)))]


class UnreachableError(Exception):
    """The server was not healthy in time; the text says why."""


def file_words(said: str) -> str:
    """What was said, or a recording's name, as part of a file name. Pure."""
    said = re.sub(r"\.(wav|wave)$", "", said.lower())
    words = re.sub(r"[^a-z0-9]+", "-", said).strip("-")[:40].strip("-")
    return words or "reply"


def save_reply(path: Path, wav: bytes) -> None:
    """Write a file that only its owner can read: replies may hold what Lo-Bug knows of a person."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(wav)
