"""How good a ranking is. Pure; shared by every evaluation.

``ranked``: results, best first; a repeated one counts at its first rank. ``relevant``: what should
have been found, never empty. All figures are 0 to 1, higher is better.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from math import log2
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def recall_at(ranked: Sequence[T], relevant: Collection[T], k: int) -> float:
    """The share of ``relevant`` among the first ``k`` results."""
    wanted = _wanted(relevant)
    return len(wanted & set(_first(ranked, k))) / len(wanted)


def all_at(ranked: Sequence[T], relevant: Collection[T], k: int) -> float:
    """1 if all of ``relevant`` are among the first ``k`` results, otherwise 0."""
    return float(_wanted(relevant) <= set(_first(ranked, k)))


def reciprocal_rank(ranked: Sequence[T], relevant: Collection[T]) -> float:
    """1 divided by the rank of the first relevant result; 0 if there is none."""
    wanted = _wanted(relevant)
    for rank, item in enumerate(_first(ranked, len(ranked)), start=1):
        if item in wanted:
            return 1.0 / rank
    return 0.0


def ndcg_at(ranked: Sequence[T], relevant: Collection[T], k: int) -> float:
    """Normalized discounted cumulative gain of the first ``k``, every relevant one worth the same.

    The gain of rank r is divided by log2(r + 1), the sum by that of the best possible ranking.
    """
    wanted = _wanted(relevant)
    gain = sum(
        1.0 / log2(rank + 1)
        for rank, item in enumerate(_first(ranked, k), start=1)
        if item in wanted
    )
    best = sum(1.0 / log2(rank + 1) for rank in range(1, min(len(wanted), k) + 1))
    return gain / best


def mean(values: Collection[float]) -> float | None:
    """The mean; None of nothing."""
    return sum(values) / len(values) if values else None


def percentile(values: Collection[float], share: float) -> float | None:
    """The smallest value that at least ``share`` (0 to 1) of all values do not exceed; None of
    nothing."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def _wanted(relevant: Collection[T]) -> set[T]:
    if not relevant:
        raise ValueError("nothing is relevant: there is nothing to measure")
    return set(relevant)


def _first(ranked: Sequence[T], k: int) -> list[T]:
    if k < 0:
        raise ValueError("k is negative")
    return list(dict.fromkeys(ranked))[:k]
