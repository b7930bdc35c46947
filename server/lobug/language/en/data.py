"""The data files of English, read once: word lists and sentences."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any


def tables(name: str) -> Mapping[str, Any]:
    """A data file of English."""
    return tomllib.loads((files("lobug.language") / "en" / name).read_text(encoding="utf-8"))


_LISTS = tables("words.toml")
_SENTENCES = tables("sentences.toml")
FORGET_REQUESTS: Mapping[str, Any] = tables("forget_requests.toml")
"""How people ask that something be forgotten."""


def word_list(section: str, name: str) -> tuple[str, ...]:
    """The words of a list, in their order. KeyError: there is no such list."""
    words = _LISTS[section][name]
    return tuple(words.split() if isinstance(words, str) else words)


def word_set(section: str, name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(word_list(section, name))


def word_map(section: str, name: str) -> Mapping[str, str]:
    """What each word of a table stands for."""
    return dict(_LISTS[section][name])


MONTHS = word_list("calendar", "months")
WEEKDAYS = word_list("calendar", "weekdays")
BELOW_TWENTY = word_list("numbers", "below_twenty")
TENS = word_list("numbers", "tens")

REPLIES: Mapping[str, str] = _SENTENCES["replies"]
SKILLS: Mapping[str, str] = _SENTENCES["skills"]
"""What all skills say."""

HOUSE: Mapping[str, str] = _SENTENCES["house"]
"""What is said of Home Assistant."""

TALK: Mapping[str, str] = _SENTENCES["talk"]
"""Replies without the chat model."""

CITING: Mapping[str, str] = _SENTENCES["citing"]
"""Sources of a reply."""

PAIRING: Mapping[str, str] = _SENTENCES["pairing"]
"""What a new device and the address for devices show."""

CLAIM_ANSWERS: Mapping[str, str] = _SENTENCES["claim_answers"]
"""Answers to questions about oneself."""

RECITATION: Mapping[str, str] = _SENTENCES["recitation"]
"""What is known of somebody."""

ORDERS: Mapping[str, Any] = tables("orders.toml")
"""How people order deeds, and the sentences that refuse them."""

CLAIMED_DEEDS: Mapping[str, Any] = tables("claimed_deeds.toml")
"""How a model claims deeds that it may not have done."""
