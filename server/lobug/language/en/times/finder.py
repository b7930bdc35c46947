"""The time expressions of a sentence, with their places. English. Pure."""

from __future__ import annotations

from lobug.language.moments import Found


def find_times(text: str, *, bare_numbers: bool = False) -> list[Found]:
    """Every time expression of a text in its order, none within another.

    ``bare_numbers``: "seven" and "630" are times, as in answers to "When?".
    """
    raise NotImplementedError
