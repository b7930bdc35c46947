"""Whether the user's words may concern a tool of the device. English. Pure.

A coarse filter before the chat model, which then decides: a false positive costs about a second, a
false negative is answered in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lobug.engines.base import Tool
from lobug.language.en.data import word_map, word_set
from lobug.language.en.words import STOP_WORDS, stem, words

_SAID: Mapping[str, str] = word_map("tool_words", "said")
"""By words of tools' names: what people say about such things."""

_SAID_OF_IT = word_map("tool_words", "said_of_it")
_ASKED_OF_IT = word_map("tool_words", "asked_of_it")
"""As ``_SAID``, with words that people use far more often about each other than about a device."""

_FACE = frozenset(("face", "expression", "emotion"))
"""Words of a tool's name by which a device has a face."""
_FEELINGS = word_set("tool_words", "feelings")
"""What a face can show; concerns a tool only after a verb of ``_LOOKS``."""
_LOOKS = frozenset(("look", "act", "be"))

_YOU = frozenset(("you", "your", "yourself"))
_BEFORE_A_REQUEST = word_set("tool_words", "before_a_request")
_REQUESTS = frozenset(("give", "show", "try", "stop"))

_STATUS_COVERS = "volume brightness battery network"
"""What a tool with "status" in its name is taken to report."""

_EVERYWHERE = word_set("tool_words", "everywhere")
"""Words in the names of many tools, which identify none."""

_SENTENCE_END = re.compile(r"[.!?;:\n]+")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Stems of the words that may concern one of a device's tools."""

    anywhere: frozenset[str] = frozenset()
    about_it: frozenset[str] = frozenset()
    """Only in a sentence that says "you"."""
    asked_of_it: frozenset[str] = frozenset()
    """Only in a sentence that says "you" or asks for it."""
    orders: frozenset[str] = frozenset()
    """The same words as they are, which a sentence that is an order begins with."""
    has_face: bool = False
    """It can also show a feeling."""


def vocabulary(tools: Iterable[Tool]) -> Vocabulary:
    """The words that may concern one of the tools."""
    anywhere: set[str] = set()
    called_all: set[str] = set()
    for tool in tools:
        called = _called(tool)
        if "status" in called:
            called |= set(_STATUS_COVERS.split())
        called_all |= called
        anywhere |= called - _EVERYWHERE - STOP_WORDS
    anywhere |= _said(called_all, _SAID)
    asked = frozenset(_said(called_all, _ASKED_OF_IT))
    return Vocabulary(
        frozenset(map(stem, anywhere)),
        frozenset(map(stem, _said(called_all, _SAID_OF_IT))),
        frozenset(map(stem, asked)),
        asked,
        not _FACE.isdisjoint(called_all),
    )


def may_concern(said: str, vocabulary: Vocabulary) -> bool:
    """Whether the user's words may concern a tool."""
    plain = said.lower().replace("wi-fi", "wifi").replace("wi fi", "wifi")
    return any(_concerns(words(part), vocabulary) for part in _SENTENCE_END.split(plain))


def _concerns(heard: list[str], vocabulary: Vocabulary) -> bool:
    stems = [stem(word) for word in heard]
    if not vocabulary.anywhere.isdisjoint(stems):
        return True
    # What a sentence that may be a request begins with.
    first = next((i for i, word in enumerate(heard) if word not in _BEFORE_A_REQUEST), None)
    if first is None:
        return False
    about_it = not _YOU.isdisjoint(heard)
    if about_it and not vocabulary.about_it.isdisjoint(stems):
        return True
    if not vocabulary.asked_of_it:
        return False
    asks = heard[first] in _REQUESTS or heard[first] in vocabulary.orders
    if (about_it or asks) and not vocabulary.asked_of_it.isdisjoint(stems):
        return True
    return vocabulary.has_face and any(
        word in _LOOKS
        and (i == first or (about_it and word != "be"))
        and not _FEELINGS.isdisjoint(heard[i + 1 : i + 4])
        for i, word in enumerate(heard)
    )


def _said(called: set[str], of_things: Mapping[str, str]) -> set[str]:
    """What people say about the things in tools' names."""
    return {
        word
        for things, said in of_things.items()
        if called & set(things.split())
        for word in said.split()
    }


def _called(tool: Tool) -> set[str]:
    """The words in a tool's name and in those of its arguments."""
    arguments = tool.input_schema.get("properties", {})
    return {part.lower() for text in (tool.name, *arguments) for part in _PARTS.findall(str(text))}
