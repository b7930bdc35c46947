"""The metrics on rankings worked out by hand, and what must hold of every ranking."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.evaluation.metrics import (
    all_at,
    mean,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank,
)

items = st.integers(min_value=0, max_value=30)
rankings = st.lists(items, max_size=25)
wanted_sets = st.sets(items, min_size=1, max_size=8)
depths = st.integers(min_value=1, max_value=30)


def test_by_hand() -> None:
    ranked = ["a", "b", "c", "d"]
    assert recall_at(ranked, {"b", "d", "z"}, 3) == pytest.approx(1 / 3)
    assert recall_at(ranked, {"b", "d", "z"}, 4) == pytest.approx(2 / 3)
    assert all_at(ranked, {"b", "d"}, 3) == 0.0
    assert all_at(ranked, {"b", "d"}, 4) == 1.0
    assert reciprocal_rank(ranked, {"c", "d"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(ranked, {"z"}) == 0.0
    best = 1 + 1 / log2(3)
    assert ndcg_at(ranked, {"b", "d"}, 4) == pytest.approx((1 / log2(3) + 1 / log2(5)) / best)


def test_what_is_found_twice_counts_once() -> None:
    assert recall_at(["a", "a", "b"], {"b"}, 2) == 1.0
    assert ndcg_at(["a", "a"], {"a", "b"}, 2) < 1.0


def test_nothing_relevant_is_refused() -> None:
    for metric in (recall_at, all_at, ndcg_at):
        with pytest.raises(ValueError, match="nothing is relevant"):
            metric(["a"], set(), 3)
    with pytest.raises(ValueError, match="nothing is relevant"):
        reciprocal_rank(["a"], set())


def test_means_and_percentiles() -> None:
    assert mean([]) is None
    assert mean([1.0, 0.0]) == 0.5
    assert percentile([], 0.95) is None
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([float(n) for n in range(1, 101)], 0.95) == 95.0
    assert percentile([7.0], 0.0) == 7.0


@given(rankings, wanted_sets, depths)
def test_all_are_shares(ranked: list[int], wanted: set[int], k: int) -> None:
    for value in (
        recall_at(ranked, wanted, k),
        all_at(ranked, wanted, k),
        ndcg_at(ranked, wanted, k),
        reciprocal_rank(ranked, wanted),
    ):
        assert 0.0 <= value <= 1.0 + 1e-12


@given(rankings, wanted_sets, depths)
def test_looking_deeper_loses_nothing(ranked: list[int], wanted: set[int], k: int) -> None:
    assert recall_at(ranked, wanted, k) <= recall_at(ranked, wanted, k + 1)
    assert all_at(ranked, wanted, k) <= all_at(ranked, wanted, k + 1)


@given(rankings, wanted_sets, depths)
def test_all_means_recall_of_one(ranked: list[int], wanted: set[int], k: int) -> None:
    assert (all_at(ranked, wanted, k) == 1.0) == (recall_at(ranked, wanted, k) == 1.0)


@given(rankings, wanted_sets)
def test_the_evidence_first_is_perfect(ranked: list[int], wanted: set[int]) -> None:
    best = [*wanted, *ranked]
    k = len(wanted)
    assert recall_at(best, wanted, k) == 1.0
    assert ndcg_at(best, wanted, k) == pytest.approx(1.0)
    assert reciprocal_rank(best, wanted) == 1.0


@given(rankings, wanted_sets, depths, st.data())
def test_moving_evidence_up_never_lowers_a_figure(
    ranked: list[int], wanted: set[int], k: int, data: st.DataObject
) -> None:
    ranked = list(dict.fromkeys(ranked))
    found = [place for place, item in enumerate(ranked) if item in wanted and place > 0]
    if not found:
        return
    place = data.draw(st.sampled_from(found))
    higher = ranked.copy()
    higher[place - 1], higher[place] = higher[place], higher[place - 1]
    assert recall_at(higher, wanted, k) >= recall_at(ranked, wanted, k)
    assert ndcg_at(higher, wanted, k) >= ndcg_at(ranked, wanted, k) - 1e-12
    assert reciprocal_rank(higher, wanted) >= reciprocal_rank(ranked, wanted)
