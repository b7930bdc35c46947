"""Sounds without speech, 16 kHz, the same in every run. A turn must ignore each of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lobug.engines.base import STT_SAMPLE_RATE as RATE
from lobug.engines.base import Samples

Sound = NDArray[np.float64]
"""Shape (samples,), before it is clipped to [-1, 1]."""


def _at(seconds: float) -> Sound:
    return np.arange(int(seconds * RATE)) / RATE


def _coloured(rng: np.random.Generator, seconds: float, exponent: float) -> Sound:
    """Noise whose power falls with frequency: 0 white, 1 pink, 2 brown."""
    spectrum = np.fft.rfft(rng.standard_normal(int(seconds * RATE)))
    hz = np.fft.rfftfreq(int(seconds * RATE), 1 / RATE)
    spectrum[1:] /= hz[1:] ** (exponent / 2)
    spectrum[0] = 0
    sound = np.fft.irfft(spectrum)
    return np.asarray(sound / np.abs(sound).max())


def _band(sound: Sound, low: float, high: float) -> Sound:
    spectrum = np.fft.rfft(sound)
    hz = np.fft.rfftfreq(len(sound), 1 / RATE)
    spectrum[(hz < low) | (hz > high)] = 0
    out = np.fft.irfft(spectrum, len(sound))
    return np.asarray(out / np.abs(out).max())


def _chord(notes: list[float], seconds: float) -> Sound:
    return np.asarray(sum(np.sin(2 * np.pi * hz * _at(seconds)) for hz in notes) / len(notes))


def _pluck(hz: float, seconds: float = 0.4) -> Sound:
    at = _at(seconds)
    partials = sum(np.sin(2 * np.pi * hz * k * at) / k for k in range(1, 6))
    return np.asarray(partials * np.exp(-at * 6) / 2)


def _melody() -> Sound:
    scale = [262.0, 330.0, 392.0, 523.0, 392.0, 330.0, 294.0, 349.0, 440.0, 587.0]
    lead = np.concatenate([_pluck(hz) for hz in scale])
    bass = np.concatenate([_pluck(hz / 4, 0.8) for hz in scale[::2]])
    return np.asarray((lead + bass) / 2)


def _clicks(rng: np.random.Generator, a_second: int) -> Sound:
    sound = np.zeros(4 * RATE)
    for at in rng.integers(0, len(sound) - 200, 4 * a_second):
        sound[at : at + 100] += rng.standard_normal(100) * np.exp(-np.arange(100) / 15)
    return np.asarray(sound / np.abs(sound).max())


def _knocks() -> Sound:
    sound = np.zeros(3 * RATE)
    knock = np.sin(2 * np.pi * 120 * _at(0.15)) * np.exp(-_at(0.15) * 40)
    for at in (0.5, 0.75, 1.0, 2.0, 2.25):
        sound[int(at * RATE) : int(at * RATE) + len(knock)] += knock
    return sound


def _breaths(rng: np.random.Generator) -> Sound:
    envelope = np.clip(np.sin(2 * np.pi * 0.4 * _at(5)), 0, 1) ** 1.5
    return _band(rng.standard_normal(5 * RATE), 300, 3_000) * envelope


def _siren() -> Sound:
    hz = 800 + 400 * np.sin(2 * np.pi * 0.5 * _at(4))
    return np.asarray(np.sin(2 * np.pi * np.cumsum(hz) / RATE))


def _dial() -> Sound:
    pairs = [(697, 1209), (770, 1336), (852, 1477), (941, 1336)]
    gap = np.zeros(RATE // 10)
    return np.concatenate([np.concatenate([_chord(list(p), 0.15), gap]) for p in pairs])


def _noise(rng: np.random.Generator, exponent: float, db: int) -> Callable[[], Sound]:
    return lambda: _coloured(rng, 4, exponent) * 10 ** (db / 20)


def _tone(hz: float) -> Callable[[], Sound]:
    return lambda: _chord([hz], 3) * 0.5


def sounds() -> dict[str, Samples]:
    """Return all sounds by name, values within [-1, 1]."""
    rng = np.random.default_rng(11)
    made: dict[str, Callable[[], Sound]] = {
        "silence": lambda: np.zeros(3 * RATE),
        "very short silence": lambda: np.zeros(100),
        "a constant": lambda: np.full(2 * RATE, 0.3),
        "one sample's noise": lambda: rng.integers(-1, 2, 3 * RATE) / 32768,
        **{f"white noise {db} dB": _noise(rng, 0, db) for db in (-50, -30, -10, 0)},
        **{f"pink noise {db} dB": _noise(rng, 1, db) for db in (-40, -20, 0)},
        "brown noise": lambda: _coloured(rng, 4, 2) * 0.7,
        "a minute of fan": lambda: _band(_coloured(rng, 30, 1), 50, 1_200) * 0.2,
        **{f"tone {hz} Hz": _tone(hz) for hz in (60.0, 120.0, 200.0, 440.0, 1_000.0, 3_000.0)},
        "mains hum": lambda: _chord([50.0, 100.0, 150.0, 250.0], 4) * 0.3,
        "major chord": lambda: _chord([262.0, 330.0, 392.0], 3) * 0.6,
        "low chord": lambda: _chord([110.0, 138.6, 164.8, 220.0], 3) * 0.6,
        "organ": lambda: _chord([131.0, 262.0, 393.0, 524.0, 655.0, 786.0], 4) * 0.7,
        "melody": lambda: _melody() * 0.8,
        "clicks": lambda: _clicks(rng, 6) * 0.8,
        "typing": lambda: _clicks(rng, 12) * 0.3,
        "knocks": lambda: _knocks() * 0.8,
        "breathing": lambda: _breaths(rng) * 0.3,
        "quiet breathing": lambda: _breaths(rng) * 0.03,
        "wind": lambda: _band(_coloured(rng, 4, 2), 20, 500)
        * (0.4 + 0.3 * np.sin(2 * np.pi * 0.3 * _at(4))),
        "siren": lambda: _siren() * 0.5,
        "telephone keys": lambda: _dial() * 0.6,
        "clipped noise": lambda: np.clip(_coloured(rng, 3, 0) * 20, -1, 1),
        "square wave": lambda: np.sign(_chord([180.0], 3)) * 0.4,
    }  # fmt: skip
    return {name: np.clip(make(), -1, 1).astype(np.float32) for name, make in made.items()}
