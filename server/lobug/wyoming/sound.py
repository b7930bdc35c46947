"""Sound between Wyoming's PCM and the engines' samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from wyoming.audio import AudioChunk

from lobug.audio.resample import Resampler, open_resampler
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.engines.pcm import PcmFormat, pcm16
from lobug.errors import AudioError

PCM_WIDTH = 2
"""Bytes of a sample that is sent."""

CHUNK_S = 0.1
"""Seconds of sound in an event that is sent."""


class IncomingSound:
    """Converts one stream of PCM to what speech-to-text takes, 16 kHz. Its format may change."""

    def __init__(self) -> None:
        self._rate = STT_SAMPLE_RATE
        self._resampler: Resampler = open_resampler(self._rate, STT_SAMPLE_RATE)
        self.seconds = 0.0
        """Length of the stream so far."""

    def feed(self, pcm: bytes, form: PcmFormat) -> Samples:
        """Take the next piece; return what is ready at 16 kHz. Raises AudioError (it does not end
        with a whole sample of every channel)."""
        if len(pcm) % form.frame_bytes:
            raise AudioError("a piece of sound does not end with a whole sample")
        mono = form.samples(pcm)
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
    pcm = pcm16(samples)
    step = PCM_WIDTH * max(1, int(rate * CHUNK_S))
    for at in range(0, len(pcm), step):
        yield AudioChunk(rate, PCM_WIDTH, 1, pcm[at : at + step])
