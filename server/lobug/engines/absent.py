"""Stand-ins for engines that are missing: all of them without a server, or the voice alone."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence

import numpy as np

from lobug.engines.base import (
    ChatMessage,
    ChatOptions,
    Engines,
    EngineStatus,
    Samples,
    SpeechSpan,
    Transcript,
    Vectors,
    VoiceStream,
)
from lobug.errors import EngineUnavailableError


class AbsentEngine:
    """Stands for any engine; every use raises EngineUnavailableError.

    A memory that is opened without a server, by the command line, has these.
    """

    context_tokens = 4096
    prefill_ms_per_token = None
    model_id = ""
    dimension = 1
    sample_rate = 16_000

    def __init__(self, job: str) -> None:
        self._job = job

    def _absent(self) -> EngineUnavailableError:
        return EngineUnavailableError(self._job, "there is no engine without a server")

    async def start(self) -> None:
        """Raises EngineUnavailableError."""
        raise self._absent()

    async def close(self) -> None:
        """Do nothing."""

    def status(self) -> EngineStatus:
        return EngineStatus("none", "", ready=False, reason=str(self._absent()))

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """Raises EngineUnavailableError before the first piece."""
        pieces: Sequence[str] = ()
        for piece in pieces:
            yield piece
        raise self._absent()

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        """Do nothing."""

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Do nothing."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Raises EngineUnavailableError."""
        raise self._absent()

    async def find_speech(self, audio: Samples) -> Sequence[SpeechSpan]:
        """Raises EngineUnavailableError."""
        raise self._absent()

    def open_stream(self) -> VoiceStream:
        """Raises EngineUnavailableError."""
        raise self._absent()

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Raises EngineUnavailableError."""
        raise self._absent()

    async def synthesize(self, sentence: str) -> Samples:
        """Raises EngineUnavailableError."""
        raise self._absent()


def absent_engines() -> Engines:
    """Return an ``AbsentEngine`` for every job."""
    return Engines(
        chat=AbsentEngine("chat"),
        embedder=AbsentEngine("embeddings"),
        stt=AbsentEngine("stt"),
        gate=AbsentEngine("gate"),
        tts=AbsentEngine("tts"),
    )


class NoVoice:
    """TextToSpeech without sound: replies are text only."""

    def __init__(self, reason: str, *, wanted: bool) -> None:
        """``wanted``: the owner chose to have no voice, so the status is not degraded."""
        self._reason = reason
        self._wanted = wanted

    @property
    def sample_rate(self) -> int:
        """24 000 Hz, although the audio is always empty."""
        return 24_000

    async def start(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""

    def status(self) -> EngineStatus:
        """Ready; degraded unless the owner chose to have no voice."""
        return EngineStatus(
            name="none", model="", ready=True, degraded=not self._wanted, reason=self._reason
        )

    async def synthesize(self, sentence: str) -> Samples:
        return np.zeros(0, np.float32)
