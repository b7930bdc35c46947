"""Sentences that lead to skills: which intent of which skill a text means.

A language has one YAML file for each skill in ``<language>/skills``. Besides hassil's own keys a
file has ``says`` (what the skill says, by name), ``triggers`` (a text without any of these words is
not matched at all) and ``examples`` (sentences that show a person what the skill can do; tests
match each of them). An intent whose name begins with Ordinary keeps a text from being taken for the
skill.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from lobug.language.moments import Found
from lobug.language.order_reader import Reading


@dataclass(frozen=True, slots=True)
class Match:
    """The intent of a skill that a text means."""

    skill: str
    intent: str
    slots: Mapping[str, str] = field(default_factory=dict)
    """Words of the user, as said, by the names of the template's lists."""
    request: str = ""
    """The request in the text that matched, without politeness and reasons."""
    times: tuple[Found, ...] = ()
    """The times in the request, in their order, where the skill's file has them cut out; their
    positions are those in ``request``."""
    chosen: bool = False
    """The trained reader or the chat model found it, not a template. Each slot is a quotation of
    the user."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An intent as the chat model may choose it, where no sentence matched.

    The model quotes the user's words for each argument. A quotation that was not said is refused,
    so it can fill in no time, name or number of its own.
    """

    name: str
    """What the model calls it: short, because each token takes time."""
    intent: str
    description: str
    """A few words that the model reads."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """The slot of each argument, by the name that the model reads."""
    required: frozenset[str] = frozenset()
    """Arguments without which the choice is refused."""
    expressions: frozenset[str] = frozenset()
    """Arguments that are sums of numbers that were said, instead of quotations."""
    times: frozenset[str] = frozenset()
    """Arguments that are times; the quotation of one is completed by the words around it."""
    examples: Sequence[tuple[str, Mapping[str, str]]] = ()
    """What somebody says, and the arguments of it."""


class SkillSentences(Protocol):
    """The sentences of one language."""

    def matches(self, text: str, skills: Sequence[str]) -> Iterator[Match]:
        """The intents of ``skills`` that a text may mean, the surest first; none: no sentence
        fits."""

    def quoted(self, text: str, skills: Sequence[str]) -> Iterator[Match]:
        """The intents of ``skills`` that the trained reader is sure of, by quoting a text."""

    def match(self, text: str, skills: Sequence[str]) -> Match | None:
        """The surest of ``matches``; None: no sentence fits."""

    def choices(self, skill: str) -> Sequence[Choice]:
        """What the chat model may choose; empty: only sentences lead to the skill."""

    def may_choose(self, text: str, skills: Sequence[str]) -> Set[str]:
        """The names of the choices that a text may mean, so that the chat model may be asked."""

    def reading(self, text: str) -> Reading:
        """What the trained reader takes a text for."""

    def is_sum_of(self, expression: str, text: str) -> bool:
        """Whether each number of an arithmetic expression is in a text, or follows from its
        words."""

    def said_time(self, quoted: str, text: str) -> str:
        """The words of a text for a time that is quoted from it, whole."""

    def about(self, skill: str) -> str:
        """What a skill does, in one sentence, for the owner; empty: it has no sentences."""

    def says(self, skill: str) -> Mapping[str, str]:
        """What a skill says, by name; words in braces are filled in."""

    def examples(self, skill: str) -> Sequence[str]:
        """Sentences that show what a skill can do; the first ones are the most telling."""
