"""The pauses between attempts at something that fails."""

from __future__ import annotations

from lobug.concurrency import Backoff


def test_pauses_are_doubled_up_to_the_longest() -> None:
    backoff = Backoff(first_s=1.0, longest_s=600.0)
    assert [backoff.pause_s(n) for n in (1, 2, 3, 4)] == [1.0, 2.0, 4.0, 8.0]
    assert [backoff.pause_s(n) for n in (10, 11, 12, 10**9)] == [512.0, 600.0, 600.0, 600.0]


def test_the_longest_counts_even_below_the_first() -> None:
    assert Backoff(first_s=1.0, longest_s=0.05).pause_s(1) == 0.05


def test_chance_shortens_a_pause_by_up_to_a_half() -> None:
    backoff = Backoff(first_s=1.0, longest_s=600.0)
    assert [backoff.pause_s(3, chance=chance) for chance in (0.0, 0.5, 1.0)] == [4.0, 3.0, 2.0]
    assert backoff.pause_s(10**9, chance=1.0) == 300.0


def test_without_a_longest_there_is_none_and_no_overflow() -> None:
    backoff = Backoff(first_s=0.5)
    assert backoff.pause_s(21) == 0.5 * 2.0**20
    assert backoff.pause_s(10**9) == backoff.pause_s(65)
