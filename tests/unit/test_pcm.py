"""Readers of audio from servers: right for every rate and cut, and never fooled by a header."""

from __future__ import annotations

import io
import struct
import wave
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.engines.base import Samples
from lobug.engines.pcm import PcmError, PcmFormat, PcmStream, WavStream, pcm16

RATE = 24_000


def tone(seconds: float, rate: int) -> Samples:
    found: Samples = (0.5 * np.sin(np.arange(int(seconds * rate)) * 2 * np.pi * 440 / rate)).astype(
        np.float32
    )
    return found


def wav(samples: Samples, rate: int) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as recording:
        recording.setparams((1, 2, rate, 0, "NONE", "NONE"))
        recording.writeframes(pcm16(samples))
    return file.getvalue()


def read(stream: WavStream | PcmStream, data: bytes, cuts: list[int]) -> Samples:
    edges = [0, *sorted({min(cut, len(data)) for cut in cuts}), len(data)]
    parts = [stream.feed(data[a:b]) for a, b in pairwise(edges)]
    return np.concatenate([*parts, stream.finish()])


def pitch(samples: Samples, rate: int) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(samples.size)))
    return float(spectrum.argmax() * rate / samples.size)


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 24_000, 44_100, 48_000])
def test_every_rate_becomes_ours_at_the_same_pitch(rate: int) -> None:
    heard = read(WavStream(RATE), wav(tone(0.5, rate), rate), [100, 3_001])
    assert heard.size == pytest.approx(RATE / 2, abs=20)
    assert pitch(heard, RATE) == pytest.approx(440, abs=5)
    assert np.abs(heard).max() == pytest.approx(0.5, abs=0.05)


@settings(max_examples=60)
@given(cuts=st.lists(st.integers(0, 4_900), max_size=30), rate=st.sampled_from([22_050, RATE]))
def test_it_does_not_matter_how_it_is_cut(cuts: list[int], rate: int) -> None:
    data = wav(tone(0.1, rate), rate)
    whole = read(WavStream(RATE), data, [])
    np.testing.assert_allclose(read(WavStream(RATE), data, cuts), whole, atol=1e-6)


@pytest.mark.parametrize("size", [0, 0x7FFFFFFF, 0xFFFFFFFF, 2_000_000_000])
def test_a_size_that_is_not_true_costs_nothing(size: int) -> None:
    data = bytearray(wav(tone(0.1, RATE), RATE))
    struct.pack_into("<I", data, 4, size)
    struct.pack_into("<I", data, 40, size)
    np.testing.assert_allclose(read(WavStream(RATE), bytes(data), [7]), tone(0.1, RATE), atol=1e-4)


def test_what_follows_the_samples_is_not_sound() -> None:
    data = wav(tone(0.1, RATE), RATE) + b"LIST\x04\x00\x00\x00junk"
    assert read(WavStream(RATE), data, []).size == RATE // 10


def test_other_samples_are_read_too() -> None:
    stereo = np.stack([np.full(100, 0.5), np.full(100, -0.25)], axis=1).astype(np.float32)
    cases = {
        PcmFormat(RATE, 2, 2): (stereo * 32768).astype("<i2").tobytes(),
        PcmFormat(RATE, 4, 2): (stereo * 2**31).astype("<i4").tobytes(),
        PcmFormat(RATE, 3, 2): (stereo * 2**31)
        .astype("<i4")
        .view("u1")
        .reshape(-1, 4)[:, 1:]
        .tobytes(),
        PcmFormat(RATE, 1, 2): (stereo * 128 + 128).astype("u1").tobytes(),
        PcmFormat(RATE, 4, 2, is_float=True): stereo.astype("<f4").tobytes(),
    }
    for found, data in cases.items():
        np.testing.assert_allclose(read(PcmStream(found, RATE), data, [3]), 0.125, atol=0.01)
    nan = np.full(10, np.nan, "<f4").tobytes()
    assert not read(PcmStream(PcmFormat(RATE, 4, 1, is_float=True), RATE), nan, []).any()


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((0, 2, 1), "0 Hz"),
        ((2_000_000_000, 2, 1), "Hz"),
        ((-24_000, 2, 1), "Hz"),
        ((24_000, 0, 1), "0 bytes"),
        ((24_000, 5, 1), "5 bytes"),
        ((24_000, 2, 0), "0 channels"),
        ((24_000, 2, 100), "100 channels"),
        (("24000", 2, 1), "unknown format"),
        ((24_000.0, 2, 1), "unknown format"),
        ((True, 2, 1), "unknown format"),
        ((None, None, None), "unknown format"),
    ],
)
def test_impossible_formats_are_refused(numbers: tuple[int, int, int], said: str) -> None:
    with pytest.raises(PcmError, match=said):
        PcmFormat(*numbers)


HEADER = wav(np.zeros(0, np.float32), RATE)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<html>Not found</html>", "no WAV"),
        (b'{"error": "no"}', "no WAV"),
        (b"RIFF\x00\x00\x00\x00AVI LIST", "no WAV"),
        (HEADER[:20], "ends in its header"),
        (HEADER[:12] + HEADER[36:], "without a format"),
        (HEADER[:12] + b"LIST\xff\xff\xff\x7f", "broken header"),
        (
            HEADER[:12] + b"fmt \x04\x00\x00\x00\x01\x00\x01\x00data\x00\x00\x00\x00",
            "broken header",
        ),
        (HEADER[:20] + b"\x55\x00" + HEADER[22:], "not raw samples"),
        (HEADER[:12] + b"JUNK\x00\x00\x00\x00" * 9_000, "without samples"),
    ],
)
def test_what_is_no_wav_is_said(data: bytes, said: str) -> None:
    with pytest.raises(PcmError, match=said):
        read(WavStream(RATE), data, list(range(0, len(data), 500)))


def test_nothing_at_all_is_no_sound() -> None:
    assert not WavStream(RATE).finish().size


@settings(max_examples=200)
@given(data=st.binary(max_size=600), keep=st.integers(0, 44), cuts=st.lists(st.integers(0, 600)))
def test_any_bytes_are_sound_or_a_pcm_error(data: bytes, keep: int, cuts: list[int]) -> None:
    try:
        heard = read(WavStream(RATE), HEADER[:keep] + data, cuts)
    except PcmError:
        return
    assert np.isfinite(heard).all()
    assert np.abs(heard).max(initial=0.0) <= 1.0
