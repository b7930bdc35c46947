"""Entries and former turns in one list. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lobug.memory.control import Hit


def merged(entries: Sequence[Hit], turns: Sequence[Hit], limit: int, *, by_time: bool) -> list[Hit]:
    """Two lists of hits, each best first, as one. Each keeps its order, which rests on more than a
    number; whose best one fits better goes first, or with ``by_time`` whose is newer, and an entry
    before a turn. Scores are one divided by the rank, so that they compare across kinds."""
    left, right, found = list(entries), list(turns), list[Hit]()
    while (left or right) and len(found) < limit:
        if not right or (
            left and _weight(left[0], by_time=by_time) >= _weight(right[0], by_time=by_time)
        ):
            found.append(left.pop(0))
        else:
            found.append(right.pop(0))
    return [replace(hit, score=1.0 / rank) for rank, hit in enumerate(found, start=1)]


def _weight(hit: Hit, *, by_time: bool) -> float:
    """How well a hit fits, 0 to 1: the share of the question's words or the cosine, the better."""
    if by_time:
        return hit.said_at
    if hit.kind == "memory":
        return hit.confidence
    return max(hit.parts.get("matched", 0.0), hit.parts.get("cosine", 0.0))
