"""Whether the user takes back what they have just said. English, with a few words of German and
Spanish. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

TAKES_BACK = re.compile(
    r"^\s*(?:(?:oh|well|um|uh|hmm)[,\s]+)*"
    r"(?:no|nope|nah|not|wait|actually|sorry|oops|correction|i mean|i meant|rather)\b",
    re.IGNORECASE,
)
"""The beginning of a correction of one's own words."""
NO_MORE = re.compile(
    r"\b(?:no longer|any ?more|from now on|changed my mind|nicht mehr|ya no)\b",
    re.IGNORECASE,
)
"""Words that end something."""


def is_taken_back(later: Sequence[str]) -> bool:
    """Whether the next messages of the same person, oldest first, may correct or end what they have
    just said, so that it must not be recalled."""
    return any(map(NO_MORE.search, later)) or any(map(TAKES_BACK.match, later[:1]))
