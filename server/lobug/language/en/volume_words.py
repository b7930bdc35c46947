"""Words of the volume: "a bit louder", "60 percent". English. Pure."""

from __future__ import annotations

import re

from lobug.language.en.data import word_map

_STEPS = {words: int(step) for words, step in word_map("speaking", "steps").items()}
_PERCENT = re.compile(r"percent|per cent|%", re.IGNORECASE)


def volume_step(request: str) -> int | None:
    """By how much of 100 the volume is to change; None: it was not said."""
    lower = request.lower()
    return next((step for words, step in _STEPS.items() if re.search(rf"\b{words}\b", lower)), None)


def is_percentage(request: str) -> bool:
    """Whether a level was said in percent."""
    return bool(_PERCENT.search(request))
