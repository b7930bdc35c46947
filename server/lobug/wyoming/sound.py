"""Sound between Wyoming's PCM and the engines' samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from wyoming.audio import AudioChunk

from lobug.audio.resample import Resampler, open_resampler
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.errors import AudioError
from lobug.wyoming.events import AudioFormat

PCM_WIDTH = 2
"""Bytes of a sample that is sent."""

CHUNK_S = 0.1
"""Seconds of sound in an event that is sent."""


def samples_of(pcm: bytes, form: AudioFormat) -> Samples:
    """PCM as mono samples at its own rate; channels are averaged. Raises AudioError (it does not
    end with a whole sample of every channel). Pure."""
    if len(pcm) % (form.width * form.channels):
        raise AudioError("a piece of sound does not end with a whole sample")
    match form.width:
        case 1:
            values = (np.frombuffer(pcm, "u1").astype(np.float32) - 128.0) / 128.0
        case 2:
            values = np.frombuffer(pcm, "<i2").astype(np.float32) / 32_768.0
        case 3:
            # As the upper three bytes of a wider number, whose sign is then right.
            wide = np.zeros((len(pcm) // 3, 4), np.uint8)
            wide[:, 1:] = np.frombuffer(pcm, "u1").reshape(-1, 3)
            values = wide.reshape(-1).view("<i4").astype(np.float32) / 2_147_483_648.0
        case _:
            values = np.frombuffer(pcm, "<i4").astype(np.float32) / 2_147_483_648.0
    mono: Samples = values.reshape(-1, form.channels).mean(axis=1, dtype=np.float32)
    return mono


class IncomingSound:
    """Converts one stream of PCM to what speech-to-text takes, 16 kHz. Its format may change."""

    def __init__(self) -> None:
        self._rate = STT_SAMPLE_RATE
        self._resampler: Resampler = open_resampler(self._rate, STT_SAMPLE_RATE)
        self.seconds = 0.0
        """Length of the stream so far."""

    def feed(self, pcm: bytes, form: AudioFormat) -> Samples:
        """Take the next piece; return what is ready at 16 kHz. Raises AudioError."""
        mono = samples_of(pcm, form)
        held = np.zeros(0, np.float32)
        if self._rate != form.rate:
            held = self.flush()
            self._rate, self._resampler = form.rate, open_resampler(form.rate, STT_SAMPLE_RATE)
        self.seconds += len(mono) / form.rate
        return np.concatenate([held, self._resampler.feed(mono)])

    def flush(self) -> Samples:
        """Return the samples that are still held back."""
        return self._resampler.flush()


def chunks_of(samples: Samples, rate: int) -> Iterator[AudioChunk]:
    """Samples as the events that carry them. Pure."""
    pcm = (np.clip(samples, -1.0, 1.0) * 32_767.0).astype("<i2")
    step = max(1, int(rate * CHUNK_S))
    for at in range(0, len(pcm), step):
        yield AudioChunk(rate, PCM_WIDTH, 1, pcm[at : at + step].tobytes())
