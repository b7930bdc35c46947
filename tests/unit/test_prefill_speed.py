"""How the reading speed of a chat model is measured."""

from __future__ import annotations

import pytest

from lobug.engines.model_server import KEPT, PrefillSpeed


def test_nothing_is_known_before_the_first_long_prompt() -> None:
    speed = PrefillSpeed()
    assert speed.ms_per_token is None
    speed.note(10, 500.0)
    speed.note(500, 0.0)
    assert speed.ms_per_token is None


def test_one_slow_prompt_does_not_count_for_much() -> None:
    speed = PrefillSpeed()
    for _ in range(3):
        speed.note(100, 1_500.0)
    speed.note(100, 9_000.0)
    assert speed.ms_per_token == pytest.approx(15.0)


def test_only_the_last_prompts_count() -> None:
    speed = PrefillSpeed()
    for milliseconds in [9_000.0] * KEPT + [1_000.0] * KEPT:
        speed.note(100, milliseconds)
    assert speed.ms_per_token == pytest.approx(10.0)
