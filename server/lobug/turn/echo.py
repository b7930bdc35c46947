"""Whether what was heard is the assistant's own voice. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def is_own_voice(heard: str, spoken: Sequence[str]) -> bool:
    """Whether the words are of ``spoken``."""
    words = " ".join(heard.lower().split()).strip(" .,!?")
    return len(words.split()) > 2 and words in " ".join(spoken).lower()
