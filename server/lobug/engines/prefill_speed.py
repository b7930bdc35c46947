"""How fast a chat model reads a prompt, from what it reports of its own requests. Pure."""

from __future__ import annotations

from collections import deque
from statistics import median

FEWEST_TOKENS = 64
"""A shorter prompt says more about the request than about reading."""

KEPT = 9
"""Measurements that count: the last ones."""


class PrefillSpeed:
    """The time that a prompt token costs, as the median of the last prompts of some length."""

    def __init__(self) -> None:
        self._measured: deque[float] = deque(maxlen=KEPT)

    def note(self, tokens: int, milliseconds: float) -> None:
        """Take in a prompt: the tokens that were read, not those found in a cache."""
        if tokens >= FEWEST_TOKENS and milliseconds > 0.0:
            self._measured.append(milliseconds / tokens)

    @property
    def ms_per_token(self) -> float | None:
        """Milliseconds a token; None: not measured yet."""
        return median(self._measured) if self._measured else None
