"""Changing the rate of a stream."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.audio.resample import open_resampler
from lobug.engines.base import Samples

PAIRS = [(48_000, 16_000), (32_000, 16_000), (16_000, 16_000), (44_100, 16_000), (22_050, 24_000)]


def tone(hz: float, rate: int, seconds: float = 1.0) -> Samples:
    at = np.arange(int(rate * seconds)) / rate
    return (0.5 * np.sin(2 * np.pi * hz * at)).astype(np.float32)


def resampled(samples: Samples, source: int, target: int, size: int) -> Samples:
    resampler = open_resampler(source, target)
    pieces = [resampler.feed(samples[at : at + size]) for at in range(0, len(samples), size)]
    return np.concatenate([*pieces, resampler.flush()])


@pytest.mark.parametrize(("source", "target"), PAIRS)
@settings(max_examples=20)
@given(size=st.integers(1, 6_000), length=st.integers(1, 12_000))
def test_pieces_make_the_same_as_the_whole(
    source: int, target: int, size: int, length: int
) -> None:
    samples = tone(440, source)[:length]
    if length // size > 500:
        size = length // 500
    pieces = resampled(samples, source, target, size)
    whole = resampled(samples, source, target, length)
    assert len(pieces) == len(whole)
    assert np.allclose(pieces, whole, atol=1e-4)
    assert abs(len(whole) - length * target / source) <= 25


@pytest.mark.parametrize(("source", "target"), PAIRS)
@pytest.mark.parametrize("hz", [100, 1_000, 6_500])
def test_a_tone_stays_the_tone_that_it_was(source: int, target: int, hz: int) -> None:
    out = resampled(tone(hz, source), source, target, 960)
    middle = out[2_000:12_000]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    assert np.argmax(spectrum) * target / len(middle) == pytest.approx(hz, abs=3)
    assert np.abs(middle).max() == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize("source", [48_000, 32_000, 44_100])
@pytest.mark.parametrize("hz", [9_000, 11_000, 15_000])
def test_what_the_target_cannot_hold_is_not_heard_as_something_else(source: int, hz: int) -> None:
    out = resampled(tone(hz, source), source, 16_000, 960)
    assert np.abs(out[1_000:-1_000]).max() < 0.5 / 500


@pytest.mark.parametrize(("source", "samples"), [(48_000, 20), (32_000, 20), (16_000, 0)])
def test_words_are_delayed_by_no_more_than_is_said(source: int, samples: int) -> None:
    click = np.zeros(source // 10, np.float32)
    click[source // 20] = 1.0
    out = resampled(click, source, 16_000, 960)
    assert np.argmax(out) == 800 + samples


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_after_a_flush_a_new_stream_begins(source: int, target: int) -> None:
    samples = tone(440, source, 0.1)
    resampler = open_resampler(source, target)
    first = np.concatenate([resampler.feed(samples), resampler.flush()])
    second = np.concatenate([resampler.feed(samples), resampler.flush()])
    assert np.array_equal(first, second)
    assert not resampler.flush().any()
