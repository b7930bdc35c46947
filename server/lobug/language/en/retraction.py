"""Whether somebody takes back or ends what they have just said. English, with a few words of
German and Spanish. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

TAKES_BACK = re.compile(
    r"^\s*(?:(?:oh|well|um|uh|hmm)[,\s]+)*"
    r"(?:no|nope|nah|not|wait|actually|sorry|oops|correction|i mean|i meant|rather)\b",
    re.IGNORECASE,
)
"""How somebody begins who puts right what they have just said."""
NO_MORE = re.compile(
    r"\b(?:no longer|any ?more|from now on|changed my mind|nicht mehr|ya no)\b",
    re.IGNORECASE,
)
"""Words of what has come to an end, whatever it is."""


def is_taken_back(later: Sequence[str]) -> bool:
    """Whether the next words of the same person (oldest first) may put right or end what they have
    just said. It is then no memory to be put beside a question."""
    return any(map(NO_MORE.search, later)) or any(map(TAKES_BACK.match, later[:1]))
