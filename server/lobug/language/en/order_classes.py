"""The classes of deeds that people order, read from ``orders.toml``. English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lobug.language.en.data import ORDERS


def expanded(text: str) -> str:
    """A pattern with the lists that it names."""
    return re.sub(
        r"\{([a-z_]+)\}",
        lambda match: f"(?:{'|'.join(map(expanded, ORDERS['lists'][match[1]]))})",
        text,
    )


def any_of(patterns: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{expanded(p)})" for p in patterns)) if patterns else None


@dataclass(frozen=True, slots=True)
class Deed:
    """A class of deeds, as ``orders.toml`` describes it."""

    verbs: frozenset[str]
    """Verbs that order with one of ``nouns``."""
    nouns: frozenset[str]
    alone: frozenset[str]
    """Verbs that order with any object."""
    phrases: re.Pattern[str] | None
    """Beginnings of verb phrases."""
    fallbacks: re.Pattern[str] | None
    """The same, tried after verbs and nouns."""
    questions: re.Pattern[str] | None
    """Beginnings of questions for a live fact."""
    ellipses: re.Pattern[str] | None
    """Orders without a verb."""


def _deed(table: Mapping[str, Any]) -> Deed:
    def words(name: str) -> frozenset[str]:
        return frozenset(table.get(name, "").split())

    def patterns(name: str) -> re.Pattern[str] | None:
        return any_of(table.get(name, []))

    return Deed(
        verbs=words("verbs"),
        nouns=words("nouns"),
        alone=words("alone"),
        phrases=patterns("phrases"),
        fallbacks=patterns("fallbacks"),
        questions=patterns("questions"),
        ellipses=patterns("ellipses"),
    )


DEEDS: Mapping[str, Deed] = {str(name): _deed(table) for name, table in ORDERS["deeds"].items()}
