"""Engines that cost no time, so that the rest of a turn's time is Lo-Bug's own; and their sound.

The voice is a stepped tone: its pitch rises a step every 60 ms. Every step, its place and its
length can be recognised in what was heard, also after Opus (``bench/stepped_tone.py``), so no frame
can be lost, doubled or swapped unnoticed.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from lobug.engines.base import (
    VOICE_FRAME,
    ChatMessage,
    ChatOptions,
    Engines,
    EngineStatus,
    Samples,
    SpeechSpan,
    Transcript,
    Vectors,
)

STEP_S = 0.06
"""As long as an audio frame."""

LOWEST_HZ, STEP_HZ = 400.0, 100.0


def tone(first: int, count: int, sample_rate: int) -> Samples:
    """``count`` steps from number ``first`` on."""
    hz = np.repeat(
        LOWEST_HZ + STEP_HZ * np.arange(first, first + count), round(STEP_S * sample_rate)
    )
    phase = 2 * np.pi * np.cumsum(hz) / sample_rate
    sound: Samples = (0.4 * np.sin(phase)).astype(np.float32)
    return sound


HEARD = "Tell me something about the sea."

REPLY = "This is the first half of it. And this is the second half of it."

STEPS = 32
"""Steps of the tone that speaks a reply: half of them for each sentence."""

VOICE_RATE = 24_000
"""Hz, as of the embedded voice."""

_DIMENSION = 512
_LOUD = 0.02


class _Instant:
    """Base of the engines."""

    async def start(self) -> None:
        """There is nothing to load."""

    async def close(self) -> None:
        """There is nothing to free."""

    def status(self) -> EngineStatus:
        return EngineStatus(name="instant", model="instant", ready=True)


class InstantChat(_Instant):
    """Always writes ``REPLY``, word by word; nothing under a schema."""

    context_tokens = 4096
    prefill_ms_per_token: float | None = None

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        del messages
        for word in ["[]"] if options.json_schema else REPLY.split(" "):
            await asyncio.sleep(0)
            yield f"{word} "

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        """Nothing is read."""

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Nothing is cached."""


class InstantEmbedder(_Instant):
    """A different direction for each text."""

    model_id = "instant/hash"
    dimension = _DIMENSION

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1, shape (len(texts), dimension)."""
        seeds = [
            int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") for text in texts
        ]
        found = [np.random.default_rng(seed).standard_normal(_DIMENSION) for seed in seeds]
        vectors = [vector / np.linalg.norm(vector) for vector in found]
        return np.asarray(vectors, np.float32).reshape(len(texts), _DIMENSION)


class InstantSpeechToText(_Instant):
    """Always hears ``HEARD``."""

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        del audio
        return Transcript(HEARD, language or "en", 0.02, -0.2, 1.1)


class InstantTextToSpeech(_Instant):
    """Speaks ``REPLY`` as a stepped tone, the first half with its first sentence."""

    sample_rate = VOICE_RATE

    def __init__(self) -> None:
        half = STEPS // 2
        self._first = tone(0, half, VOICE_RATE)
        self._second = tone(half, STEPS - half, VOICE_RATE)

    async def synthesize(self, sentence: str) -> Samples:
        """One half of the tone."""
        return self._first if "first" in sentence else self._second


@dataclass(slots=True)
class LoudnessStream:
    """Takes each frame for speech that is loud enough."""

    fed: Callable[[int], None]
    """Called with the number of samples so far, before they are judged."""
    samples: int = 0
    rest: Samples = field(default_factory=lambda: np.zeros(0, np.float32))

    async def feed(self, audio: Samples) -> Sequence[float]:
        """1 for each loud frame, 0 for the others."""
        self.samples += len(audio)
        self.fed(self.samples)
        audio = np.concatenate([self.rest, audio])
        whole = len(audio) // VOICE_FRAME * VOICE_FRAME
        self.rest = audio[whole:]
        loudest = np.abs(audio[:whole].reshape(-1, VOICE_FRAME)).max(axis=1, initial=0.0)
        return [float(value > _LOUD) for value in loudest]

    def reset(self) -> None:
        """Forget the frame that is not whole yet."""
        self.rest = np.zeros(0, np.float32)


class InstantGate(_Instant):
    """A gate by loudness. ``on_stream`` is called when a stream is opened, in its task, and returns
    the ``fed`` callback of that stream."""

    def __init__(self, on_stream: Callable[[], Callable[[int], None]]) -> None:
        self._on_stream = on_stream

    async def find_speech(self, audio: Samples) -> Sequence[SpeechSpan]:
        """From the first loud sample to the last."""
        loud = np.flatnonzero(np.abs(audio) > _LOUD)
        return [SpeechSpan(int(loud[0]), int(loud[-1]) + 1)] if loud.size else []

    def open_stream(self) -> LoudnessStream:
        return LoudnessStream(self._on_stream())


def instant_engines(on_stream: Callable[[], Callable[[int], None]]) -> Engines:
    """A full set of engines. ``on_stream``: see ``InstantGate``."""
    return Engines(
        chat=InstantChat(),
        embedder=InstantEmbedder(),
        stt=InstantSpeechToText(),
        gate=InstantGate(on_stream),
        tts=InstantTextToSpeech(),
    )
