"""What the voice gets instead of the written text: numbers, dates, units, addresses in words. Pure.

A chat model writes for the eye, "at 3:45 pm it is -3 °C", and voices read that badly or not at
all. Captions keep the written form. Acronyms stay in capitals, "USB", "NASA": the voice knows
better which of them is a word.
"""

from __future__ import annotations

import re

from lobug.turn.spoken.addresses import read_addresses, read_versions
from lobug.turn.spoken.dates import read_dates, read_times
from lobug.turn.spoken.quantities import read_quantities
from lobug.turn.spoken.wording import drop_pictures, read_abbreviations, read_signs

__all__ = ["spoken_form"]

_SPACE_BEFORE_MARK = re.compile(r" (?=[.,!?;:](?: |$))")


def spoken_form(text: str, language: str = "en") -> str:
    """``text`` as a person would read it, on one line; never empty when it holds a letter.

    Args:
        text: a piece of a reply, without markup.
        language: ISO 639-1. Of another language than English only emoji are left out: its numbers
            and abbreviations are left to its voice.
    """
    text = drop_pictures(text) if language != "en" else _in_english(text)
    return _SPACE_BEFORE_MARK.sub("", " ".join(text.split()))


def _in_english(text: str) -> str:
    text = drop_pictures(text)
    text = read_addresses(text)
    text = read_dates(text)
    text = read_times(text)
    text = read_versions(text)
    text = read_abbreviations(text)
    text = read_quantities(text)
    return read_signs(text)
