"""Speech engines that follow a script."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lobug.engines.base import VOICE_FRAME, EngineStatus, Samples, SpeechSpan, Transcript


@dataclass(kw_only=True)
class _Scripted:
    """Base of the scripted speech engines. ``fail``: every call raises it."""

    name: str = "scripted"
    fail: Exception | None = None

    async def start(self) -> None:
        if self.fail is not None:
            raise self.fail

    async def close(self) -> None:
        pass

    def status(self) -> EngineStatus:
        return EngineStatus(
            name=self.name,
            model="scripted",
            ready=self.fail is None,
            degraded=self.fail is not None,
            reason=str(self.fail) if self.fail is not None else None,
        )


@dataclass
class ScriptedGate(_Scripted):
    """Takes all sound that is loud enough for speech."""

    threshold: float = 0.01

    async def find_speech(self, audio: Samples) -> Sequence[SpeechSpan]:
        if self.fail is not None:
            raise self.fail
        loud = np.flatnonzero(np.abs(audio) > self.threshold)
        return [SpeechSpan(int(loud[0]), int(loud[-1]) + 1)] if loud.size else []

    def open_stream(self) -> LoudnessStream:
        return LoudnessStream(self)


class LoudnessStream:
    """Takes every frame that is loud enough for speech."""

    def __init__(self, gate: ScriptedGate) -> None:
        self._gate = gate
        self._rest = np.zeros(0, np.float32)

    async def feed(self, audio: Samples) -> Sequence[float]:
        if self._gate.fail is not None:
            raise self._gate.fail
        audio = np.concatenate([self._rest, audio])
        whole = len(audio) // VOICE_FRAME * VOICE_FRAME
        self._rest = audio[whole:]
        frames = audio[:whole].reshape(-1, VOICE_FRAME)
        return [float(np.abs(frame).max() > self._gate.threshold) for frame in frames]

    def reset(self) -> None:
        self._rest = np.zeros(0, np.float32)


@dataclass
class ScriptedSpeechToText(_Scripted):
    """Returns the scripted texts in order; the last one repeats."""

    texts: Sequence[str] = ("Hello.",)
    transcript: Transcript | None = None
    """If set, returned unchanged instead of ``texts``."""
    heard: list[Samples] = field(default_factory=list)

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        if self.fail is not None:
            raise self.fail
        self.heard.append(audio)
        if self.transcript is not None:
            return self.transcript
        text = self.texts[min(len(self.heard), len(self.texts)) - 1]
        return Transcript(text, language or "en", 0.02, -0.2, 1.1)


@dataclass
class ScriptedTextToSpeech(_Scripted):
    """Speaks every sentence as a tone of ten milliseconds a character."""

    gate: asyncio.Event | None = None
    spoken: list[str] = field(default_factory=list)
    sample_rate: int = 24_000

    async def synthesize(self, sentence: str) -> Samples:
        if self.gate is not None:
            await self.gate.wait()
        if self.fail is not None:
            raise self.fail
        self.spoken.append(sentence)
        count = len(sentence) * self.sample_rate // 100
        tone: Samples = (0.3 * np.sin(np.arange(count) * 0.1)).astype(np.float32)
        return tone
