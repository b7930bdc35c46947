"""Words of time. English. Pure."""

from __future__ import annotations

import re

from lobug.language.en.lists import MONTHS, WEEKDAYS

_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|last|next|this (?:morning|summer)|since|recently"
    r"|just|weeks?|months?|years?|weekend|\d{4}|"
    + "|".join(word.lower() for word in (*WEEKDAYS, *MONTHS))
    + r")\b",
    re.IGNORECASE,
)


def has_time(text: str) -> bool:
    """Whether a text has a word of time: "I joined a gym last week"."""
    return _TIME.search(text) is not None
