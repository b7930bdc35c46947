"""The word lists of English, read once from ``words.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files

_SECTIONS = tomllib.loads(
    (files("lobug.language") / "en" / "words.toml").read_text(encoding="utf-8")
)


def word_list(section: str, name: str) -> tuple[str, ...]:
    """The words of a list, in their order. KeyError: there is no such list."""
    words = _SECTIONS[section][name]
    return tuple(words.split() if isinstance(words, str) else words)


def word_set(section: str, name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(word_list(section, name))


def word_map(section: str, name: str) -> Mapping[str, str]:
    """What each word of a table stands for."""
    return dict(_SECTIONS[section][name])


MONTHS = word_list("calendar", "months")
WEEKDAYS = word_list("calendar", "weekdays")
BELOW_TWENTY = word_list("numbers", "below_twenty")
TENS = word_list("numbers", "tens")
