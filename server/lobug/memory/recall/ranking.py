"""The order of entries that fit a turn: relevance, then whose word it is and how old. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lobug.memory.control import Entry, Hit, Source
from lobug.memory.recall.questions import Question

TRUST: dict[Source, float] = {
    "correction": 0.06,
    "user": 0.04,
    "agent": 0.02,
    "import": 0.01,
    "system": 0.0,
}
"""Added to a relevance of 0 to 1: enough to decide between two that fit alike."""

RECENCY = 0.03
"""Added to what was said now; half of it after ``HALF_LIFE_S``: mild, since a companion of years
must not forget."""
HALF_LIFE_S = 180.0 * 86_400.0

IMPORTANCE = 0.04
"""Added to what matters most, taken off what matters least, halved."""

STRONG_MATCH = 0.6
"""Confidence from which the archive is recalled without being asked for."""


def ranked(hits: Iterable[Hit], now: float) -> list[Hit]:
    """Hits over entries, best first, with what each part adds to their score."""
    found = []
    for hit in hits:
        entry = hit.entry
        if entry is None:
            continue
        parts = {
            "relevance": _relevance(hit),
            "trust": TRUST[entry.source],
            "recency": RECENCY * 0.5 ** (max(now - entry.said_at, 0.0) / HALF_LIFE_S),
            "importance": IMPORTANCE * (entry.importance - 0.5),
        }
        found.append(replace(hit, score=sum(parts.values()), parts={**hit.parts, **parts}))
    return sorted(found, key=lambda hit: (-hit.score, -hit.said_at, hit.id))


def _relevance(hit: Hit) -> float:
    """0 to 1. Of "where do I work?" both "works as a nurse" and "locker code at work" have every
    word, and only their meaning tells which of them answers. It is not known without a vector."""
    meaning = hit.parts.get("meaning", 0.0)
    return (hit.confidence + meaning) / 2.0 if meaning > 0.0 else hit.confidence


def belongs(entry: Entry, confidence: float, question: Question) -> bool:
    """Whether an entry may answer: what is past where the past is asked about, the archive on
    demand or on a strong match, layer identity never, since the prompt has it."""
    if entry.status == "inactive" or entry.layer == "identity":
        return False
    if entry.status == "past" and not question.past:
        return False
    if entry.layer == "archive":
        return question.history or confidence >= STRONG_MATCH
    return True


def fitting(
    hits: Sequence[Hit], question: Question, *, floor: float, limit: int, now: float
) -> list[Hit]:
    """The entries that go to a turn: above the floor, best first, at most ``limit``."""
    if question.small_talk:
        return []
    allowed = [
        hit
        for hit in hits
        if hit.entry is not None
        and hit.confidence >= floor
        and belongs(hit.entry, hit.confidence, question)
    ]
    best = ranked(allowed, now)
    # Facts before what sums up: the archive fills what is left.
    best.sort(key=lambda hit: hit.entry is not None and hit.entry.layer == "archive")
    return best[: max(limit, 0)]
