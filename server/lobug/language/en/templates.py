"""Matches a text with hassil templates, the surest reading first."""

from __future__ import annotations

import re

from hassil import Intents, RecognizeResult, recognize_all


def results(text: str, intents: Intents) -> list[RecognizeResult]:
    """All templates that fit, the surest first: those with the fewest free words, then those with
    the most words of their own."""
    return sorted(
        recognize_all(text, intents, language=intents.language),
        key=lambda result: (free_words(result), -literal(result), result.intent.name),
    )


def free_words(result: RecognizeResult) -> int:
    """Number of lists that took any words."""
    return sum(bool(entity.is_wildcard) for entity in result.entities_list)


def literal(result: RecognizeResult) -> int:
    """Number of characters that belong to the template, not to its slots."""
    taken = sum(len(entity.text or "") for entity in result.entities_list if entity.is_wildcard)
    return len(result.original_text.strip()) - taken


def slots(text: str, result: RecognizeResult) -> dict[str, str]:
    """The words of each slot as the user wrote them, not as they were compared."""
    return {name: _as_said(text, entity) for name, entity in result.entities.items()}


def _as_said(text: str, entity: object) -> str:
    span = getattr(entity, "text_span", None)
    words = _words_at(text, span[0], entity) if span else str(getattr(entity, "value", ""))
    return words.strip(" \t,;:.!?-\u2013\u2014\"'\u201c\u201d")


def _words_at(text: str, start: int, entity: object) -> str:
    """The words of an entity as the text has them. hassil drops punctuation, and its positions are
    then a little off: of the places where the words stand, the one nearest to ``start`` is meant.

    Without a pattern of these words, because ``re`` keeps the patterns that it compiles.
    """
    compared = [_bare(word) for word in str(getattr(entity, "text", "") or "").split()]
    found = list(_TOKEN.finditer(text))
    tokens = [_bare(token[0]) for token in found]
    count = len(compared)
    places = [at for at in range(len(tokens) - count + 1) if tokens[at : at + count] == compared]
    if not count or not places:
        span = getattr(entity, "text_span", None) or (start, start)
        return text[span[0] : span[1]]
    at = min(places, key=lambda place: abs(found[place].start() - start))
    return text[found[at].start() : found[at + count - 1].end()]


_TOKEN = re.compile(r"\S+")


def _bare(word: str) -> str:
    return word.strip('.,;:!?"\u201c\u201d').lower()
