"""Facts: sentences about the user, with their type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

FactType = Literal["personal", "preference", "knowledge", "event"]
FACT_TYPES: tuple[FactType, ...] = get_args(FactType)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact that the chat model proposes; nothing about it has been checked."""

    fact: str
    fact_type: str


@dataclass(frozen=True, slots=True)
class NewFact:
    """An accepted fact: a standalone sentence about the user, in the third person."""

    content: str
    fact_type: FactType
