"""A server for speech-to-text or text-to-speech on another machine, whatever protocol it speaks:
what is asked of it, its limits and time-outs, and the watch that says whether it answers.
``remote_speech`` makes an engine of one or several.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Generic, Protocol, TypeVar

import numpy as np

from lobug.engines.availability import ServerWatch
from lobug.engines.base import STT_SAMPLE_RATE, EngineStatus, Samples, Transcript
from lobug.engines.model_server import paced
from lobug.errors import (
    EngineBusyError,
    EngineError,
    EngineInterruptedError,
    EngineTimeoutError,
)
from lobug.settings import SttSettings, TtsSettings

VOICE_RATE = 24_000
"""Hz of all speech from servers, whatever they send: the embedded voice's own rate, because the
rate must not change when one replaces the other."""

PROBE_TIMEOUT_S = 5.0
"""Longest wait for the answer to a probe, seconds."""

_MOST_CHARS, _CHARS_PER_SECOND = 200, 50
"""Longest transcript: so many characters, and so many more for each second of audio. Auctioneers
speak 40 a second."""

_LEAST_SPEECH_S, _SPEECH_S_PER_CHAR = 5.0, 0.5
"""Longest speech of a sentence, seconds, and for each of its characters. People need 0.07 s for a
character; numbers are written short and spoken long."""


class _Server(Protocol):
    """What is asked of a server whatever its job."""

    name: str
    """The protocol: wyoming, openai."""
    model: str
    """Model or voice; empty: the server's own choice."""
    where: str
    """The server, for a sentence; without a password."""

    async def probe(self) -> None:
        """Find out whether it works, cheaply. Raises EngineError."""

    async def close(self) -> None:
        """Close connections. Safe to call twice."""


class RecognitionServer(_Server, Protocol):
    """A server for speech-to-text. Cancelling a call closes its connection."""

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Transcribe 16 kHz audio; ``language`` None: detect it. Raises EngineError; of that class
        itself where the server answers that it cannot."""

    def expect_names(self, names: Sequence[str]) -> None:
        """As of ``KnowsNames``. Does nothing where the protocol has no word for it."""


class SynthesisServer(_Server, Protocol):
    """A server for text-to-speech."""

    paced: bool
    """Whether it can speak faster and slower."""
    voices: Sequence[str]
    """Names of its voices, once it was probed; empty: it does not tell."""

    def set_voice(self, name: str) -> None:
        """Ask for this voice from the next request on; empty: the server's own choice."""

    def speak(self, text: str, speed: float) -> AsyncGenerator[Samples]:
        """Yield speech at ``VOICE_RATE`` as it arrives. Closing it closes the connection. Raises
        EngineError, as ``RecognitionServer.transcribe`` does."""


def transcript_of(
    text: str, language: str | None, *, no_speech_prob: float = 0.0, avg_logprob: float = 0.0
) -> Transcript:
    """The transcript of a server that tells no confidence, or tells it. Its repetitiveness is
    measured here, as Whisper does."""
    clean = " ".join(text.encode("utf-8", "replace").decode().split())
    data = clean.encode()
    ratio = len(data) / len(zlib.compress(data)) if data else 0.0
    return Transcript(clean, language or "en", no_speech_prob, avg_logprob, ratio)


_Asked = TypeVar("_Asked", bound=_Server)


class _Watched(Generic[_Asked]):
    """An ``Engine`` that is one server. It limits no number of requests: the pool does."""

    def __init__(self, job: str, server: _Asked, settings: SttSettings | TtsSettings) -> None:
        self._job = job
        self._server = server
        self._under_way = 0
        """Requests that the server works on."""
        self._watch = ServerWatch(
            job,
            self._probe,
            where=server.where,
            check_every_s=settings.check_every_s,
            busy=lambda: self._under_way > 0,
        )

    @property
    def where(self) -> str:
        """The server, for a sentence."""
        return self._server.where

    async def start(self) -> None:
        """Probe the server. Raises EngineError; it is probed in the background all the same."""
        error = await self._watch.start()
        if error is not None:
            raise error.with_traceback(None)

    async def close(self) -> None:
        await self._watch.close()
        await self._server.close()

    def status(self) -> EngineStatus:
        """Ready while the server is to be asked."""
        state = self._watch.state
        reason: str | None = None
        if state.error is not None:
            reason = f"{state.error}."
        elif state.refusal is not None:
            reason = f"The last request failed: {state.refusal}."
        return EngineStatus(
            name=self._server.name,
            model=self._server.model,
            ready=state.error is None,
            degraded=reason is not None,
            reason=reason,
            details={"server": self.where},
        )

    @asynccontextmanager
    async def _asking(self) -> AsyncGenerator[None]:
        """Surrounds a request, and lets the watch know how it ended. One that is cancelled says
        nothing about the server, and one that it has no place for says that it answers."""
        self._under_way += 1
        try:
            yield
        except EngineBusyError:
            raise
        except EngineError as error:
            self._watch.failed(error)
            raise
        else:
            self._watch.answered()
        finally:
            self._under_way -= 1

    async def _probe(self) -> None:
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                await self._server.probe()
        except TimeoutError:
            raise EngineTimeoutError(
                self._job, f"{self.where} does not answer within {PROBE_TIMEOUT_S:g} s"
            ) from None


class WatchedRecognizer(_Watched[RecognitionServer]):
    """A server for speech-to-text."""

    def __init__(self, server: RecognitionServer, settings: SttSettings) -> None:
        super().__init__("stt", server, settings)
        self._timeout_s = min(settings.answer_timeout_s, settings.timeout_s)

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Transcribe 16 kHz audio; ``language`` None: detect it. Raises EngineError."""
        async with self._asking():
            try:
                async with asyncio.timeout(self._timeout_s):
                    transcript = await self._server.transcribe(audio, language)
            except TimeoutError:
                raise EngineTimeoutError(
                    "stt", f"{self.where} sends no transcript within {self._timeout_s:g} s"
                ) from None
            seconds = audio.size / STT_SAMPLE_RATE
            if len(transcript.text) > _MOST_CHARS + _CHARS_PER_SECOND * seconds:
                raise EngineInterruptedError("stt", f"{self.where} sends more words than were said")
        return transcript

    def expect_names(self, names: Sequence[str]) -> None:
        """As of ``RecognitionServer``."""
        self._server.expect_names(names)


class WatchedSynthesizer(_Watched[SynthesisServer]):
    """A server for text-to-speech."""

    def __init__(self, server: SynthesisServer, settings: TtsSettings) -> None:
        super().__init__("tts", server, settings)
        self._settings = settings
        self._voice_name = settings.server_voice

    @property
    def voices(self) -> Sequence[str]:
        """As of ``SynthesisServer``."""
        return self._server.voices

    def set_voice(self, name: str) -> None:
        """As of ``SynthesisServer``. Another voice may be there where the last one was not."""
        self._server.set_voice(name)
        if name != self._voice_name:
            self._voice_name = name
            self._watch.look_again()

    async def speak(self, sentence: str, speed: float) -> AsyncGenerator[Samples]:
        """Yield the speech of a sentence as it comes; ``speed`` 0.5 to 2. Raises EngineError also
        when there is none, or too much."""
        longest = longest_speech_s(sentence, self._settings.max_sentence_s) * VOICE_RATE
        count = 0
        async with self._asking():
            parts = paced(
                self._server.speak(sentence, speed),
                engine="tts",
                between_s=self._settings.answer_timeout_s,
                whole_s=self._settings.timeout_s,
            )
            async with aclosing(parts):
                async for part in parts:
                    count += part.size
                    if count > longest:
                        raise EngineInterruptedError("tts", f"{self.where} sends audio without end")
                    if part.size:
                        yield part
            if not count:
                raise EngineError("tts", f"{self.where} sends no audio")

    async def whole(self, sentence: str, speed: float) -> Samples:
        """The speech of a sentence; see ``speak``."""
        async with aclosing(self.speak(sentence, speed)) as parts:
            return np.concatenate([part async for part in parts])


def longest_speech_s(sentence: str, limit_s: float) -> float:
    """Longest speech of a sentence that is taken from a server, seconds. Pure."""
    return min(limit_s, _LEAST_SPEECH_S + _SPEECH_S_PER_CHAR * len(sentence))
