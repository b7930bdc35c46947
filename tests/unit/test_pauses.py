"""The silence around speech."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.engines.base import Samples
from lobug.turn.speech import (
    AFTER_CLAUSE_S,
    AFTER_SENTENCE_S,
    BEFORE_S,
    trim_silence,
)

RATE = 24_000


def tone(before_s: float, sound_s: float, after_s: float, level: float = 0.5) -> Samples:
    """A tone with silence around it that is as quiet as a voice's own."""
    sound = level * np.sin(np.arange(int(sound_s * RATE)) * 0.3)
    before, after = np.zeros(int(before_s * RATE)), np.zeros(int(after_s * RATE))
    audio = np.concatenate([before, sound, after])
    noise = np.random.default_rng(0).normal(0, level / 1_000, audio.size)
    return (audio + noise).astype(np.float32)


@pytest.mark.parametrize(
    ("text", "after_s"),
    [
        ("It is so.", AFTER_SENTENCE_S),
        ("Is it so?", AFTER_SENTENCE_S),
        ('He said "so."', AFTER_SENTENCE_S),
        ("If it is so,", AFTER_CLAUSE_S),
        ("The sky is blue", AFTER_CLAUSE_S),
        ("", AFTER_CLAUSE_S),
    ],
)
@pytest.mark.parametrize("level", [0.01, 0.9])
def test_a_voices_silence_becomes_a_pause(text: str, after_s: float, level: float) -> None:
    cut = trim_silence(tone(0.3, 1.0, 0.6, level), RATE, text)
    assert cut.size / RATE == pytest.approx(BEFORE_S + 1.0 + after_s, abs=0.011)


def test_no_silence_is_added() -> None:
    audio = tone(0.01, 0.5, 0.02)
    assert np.array_equal(trim_silence(audio, RATE, "It is so."), audio)


def test_a_pause_inside_stays() -> None:
    audio = np.concatenate([tone(0.3, 0.5, 0.5), tone(0.5, 0.5, 0.5)])
    assert trim_silence(audio, RATE, "so,").size / RATE == pytest.approx(2.18, abs=0.011)


@pytest.mark.parametrize("count", [0, 1, 119, 5_000])
def test_silence_alone_stays_as_it_is(count: int) -> None:
    audio = np.zeros(count, np.float32)
    assert trim_silence(audio, RATE, "so").size == count


@given(
    st.lists(st.sampled_from([0.0, 0.001, -0.02, 0.5, -1.0]), max_size=40),
    st.integers(1, 400),
    st.sampled_from([8_000, 16_000, 24_000, 100]),
)
def test_what_sounds_is_kept(levels: list[float], repeat: int, rate: int) -> None:
    audio = np.repeat(np.array(levels, np.float32), repeat)
    cut = trim_silence(audio, rate, "so.")
    loud = np.abs(audio) > 0.1 * np.abs(audio).max(initial=0.0)
    assert np.count_nonzero(loud) == np.count_nonzero(
        np.abs(cut) > 0.1 * np.abs(audio).max(initial=0.0)
    )
    assert cut.size <= audio.size
