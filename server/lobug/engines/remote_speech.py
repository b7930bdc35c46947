"""Speech-to-text and text-to-speech on another machine, whatever protocol it speaks, and the
embedded engine that replaces it while it does not answer.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Generic, Protocol, TypeVar

import numpy as np

from lobug.engines.availability import ServerWatch
from lobug.engines.base import (
    STT_SAMPLE_RATE,
    AdjustableVoice,
    CatalogModel,
    Engine,
    EngineStatus,
    KnowsNames,
    PacedVoice,
    Samples,
    SpeechToText,
    TextToSpeech,
    Transcript,
)
from lobug.engines.model_server import paced
from lobug.errors import (
    EngineError,
    EngineInterruptedError,
    EngineTimeoutError,
    ModelDamagedError,
)
from lobug.settings import SttSettings, TtsSettings

log = logging.getLogger(__name__)

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


_Spare = TypeVar("_Spare", bound=Engine)
_Asked = TypeVar("_Asked", bound=_Server)


class _LeftAloneError(Exception):
    """The server was found not to answer while a request waited for its turn."""


class _Remote(Generic[_Asked, _Spare]):
    """A server and the embedded engine that replaces it, if there is one."""

    def __init__(
        self, job: str, server: _Asked, spare: _Spare | None, settings: SttSettings | TtsSettings
    ) -> None:
        self._job = job
        self._server = server
        self._spare = spare
        self._slots = asyncio.Semaphore(settings.max_requests)
        self._under_way = 0
        """Requests that the server works on."""
        self._watch = ServerWatch(
            job, self._probe, check_every_s=settings.check_every_s, busy=lambda: self._under_way > 0
        )

    async def start(self) -> None:
        """Probe the server and load the embedded engine. Raises EngineError when neither can be
        used; the server is probed in the background all the same."""
        spare_error: EngineError | None = None
        if self._spare is not None:
            try:
                await self._spare.start()
            except EngineError as error:
                spare_error = error
        server_error = await self._watch.start()
        if server_error is not None and (self._spare is None or spare_error is not None):
            raise server_error.with_traceback(None)
        if (found := server_error or spare_error) is not None:
            log.warning("%s", found)

    async def close(self) -> None:
        await self._watch.close()
        await self._server.close()
        if self._spare is not None:
            await self._spare.close()

    @property
    def _asks_server(self) -> bool:
        """Whether the next request goes to the server. Without a replacement all do."""
        return self._spare is None or self._watch.state.error is None

    def status(self) -> EngineStatus:
        """Ready while either can be used; degraded unless the server is and can be replaced."""
        state = self._watch.state
        spare = self._spare.status() if self._spare is not None else None
        spare_ready = spare is not None and spare.ready
        in_use = "server" if self._asks_server else "embedded"
        reason: str | None = None
        if state.error is not None:
            reason = f"{state.error}."
            if spare_ready:
                reason += " The embedded engine is used until it answers again."
        elif state.refusal is not None:
            reason = f"The last request failed: {state.refusal}."
        elif spare is not None and not spare_ready:
            reason = f"Nothing could replace {self._server.where}: {spare.reason}."
        return EngineStatus(
            name=self._server.name,
            model=self._server.model,
            ready=state.error is None or spare_ready,
            degraded=reason is not None,
            reason=reason,
            details={"server": self._server.where, "in_use": in_use},
        )

    @asynccontextmanager
    async def _slot(self) -> AsyncGenerator[None]:
        """The right to ask the server; waits for one. Raises _LeftAloneError when the server is to
        be replaced by then: each request that asked it would wait for a time-out of its own."""
        async with self._slots:
            if not self._asks_server:
                raise _LeftAloneError
            self._under_way += 1
            try:
                yield
            finally:
                self._under_way -= 1

    async def _probe(self) -> None:
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                await self._server.probe()
        except TimeoutError:
            raise EngineTimeoutError(
                self._job, f"{self._server.where} does not answer within {PROBE_TIMEOUT_S:g} s"
            ) from None

    @property
    def catalog_model(self) -> str | None:
        """The embedded engine's, as of ``CatalogModel``."""
        return self._spare.catalog_model if isinstance(self._spare, CatalogModel) else None

    async def withdraw(self, error: ModelDamagedError) -> None:
        """Stop the embedded engine, because its files are wrong; the server is used on."""
        if isinstance(self._spare, CatalogModel):
            await self._spare.withdraw(error)


class RemoteSpeechToText(_Remote[RecognitionServer, SpeechToText]):
    """``SpeechToText`` on a server."""

    def __init__(
        self, server: RecognitionServer, spare: SpeechToText | None, settings: SttSettings
    ) -> None:
        """``spare``: the embedded engine; None: nothing replaces the server."""
        super().__init__("stt", server, spare, settings)
        self._timeout_s = min(settings.answer_timeout_s, settings.timeout_s)

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Transcribe 16 kHz audio; ``language`` None: detect it."""
        if not audio.size:
            return transcript_of("", language, no_speech_prob=1.0)
        if self._asks_server:
            try:
                transcript = await self._ask(audio, language)
            except _LeftAloneError:
                pass
            except EngineError as error:
                self._watch.failed(error)
                if self._spare is None:
                    raise
            else:
                self._watch.answered()
                return transcript
        assert self._spare is not None  # noqa: S101 - for the type checker
        return await self._spare.transcribe(audio, language)

    def expect_names(self, names: Sequence[str]) -> None:
        """Let server and embedded engine prefer these names (``KnowsNames``)."""
        self._server.expect_names(names)
        spare: object = self._spare
        if isinstance(spare, KnowsNames):
            spare.expect_names(names)

    async def _ask(self, audio: Samples, language: str | None) -> Transcript:
        where = self._server.where
        async with self._slot():
            try:
                async with asyncio.timeout(self._timeout_s):
                    transcript = await self._server.transcribe(audio, language)
            except TimeoutError:
                raise EngineTimeoutError(
                    "stt", f"{where} sends no transcript within {self._timeout_s:g} s"
                ) from None
        seconds = audio.size / STT_SAMPLE_RATE
        if len(transcript.text) > _MOST_CHARS + _CHARS_PER_SECOND * seconds:
            raise EngineInterruptedError("stt", f"{where} sends more words than were said")
        return transcript


class RemoteVoice(_Remote[SynthesisServer, TextToSpeech]):
    """``TextToSpeech`` and ``StreamingVoice`` on a server."""

    sample_rate = VOICE_RATE

    def __init__(
        self, server: SynthesisServer, spare: TextToSpeech | None, settings: TtsSettings
    ) -> None:
        """``spare``: the embedded voice; None: nothing replaces the server. Raises ValueError when
        it has another rate."""
        if spare is not None and spare.sample_rate != VOICE_RATE:
            raise ValueError(f"the embedded voice has {spare.sample_rate} Hz")
        super().__init__("tts", server, spare, settings)
        self._settings = settings
        self._speed = settings.speed
        self._voice_name = settings.server_voice

    def set_speed(self, speed: float) -> None:
        """Speak ``speed`` times as fast as is normal, from the next sentence on; 0.5 to 2. A server
        with one speed speaks on as it did."""
        self._speed = speed
        spare: object = self._spare
        if isinstance(spare, AdjustableVoice):
            spare.set_speed(speed)

    @property
    def voices(self) -> Sequence[str]:
        """Names of the server's voices; empty: it does not tell."""
        return self._server.voices

    def set_voice(self, name: str) -> None:
        """Let the server speak with the voice of this name, from the next sentence on; empty: its
        own choice. The embedded voice that replaces it stays the one that it is."""
        self._server.set_voice(name)
        if name != self._voice_name:
            self._voice_name = name
            self._watch.look_again()

    async def synthesize(self, sentence: str) -> Samples:
        """Speak one sentence. Empty audio when nothing in it can be spoken."""
        return await self._whole(sentence, 1.0)

    async def stream(self, sentence: str, speed: float) -> AsyncGenerator[Samples]:
        """Yield the speech of one sentence as it comes. A server that fails in the middle of it is
        replaced, and the sentence begins anew, so that all of it is heard."""
        if not _speakable(sentence):
            return
        if self._asks_server:
            try:
                async with aclosing(self._spoken(sentence, speed)) as parts:
                    async for part in parts:
                        yield part
            except _LeftAloneError:
                pass
            except EngineError as error:
                self._watch.failed(error)
                if self._spare is None:
                    raise
            else:
                self._watch.answered()
                return
        yield await self._spare_says(sentence, speed)

    async def _whole(self, sentence: str, speed: float) -> Samples:
        if not _speakable(sentence):
            return np.zeros(0, np.float32)
        if self._asks_server:
            try:
                async with aclosing(self._spoken(sentence, speed)) as parts:
                    spoken = [part async for part in parts]
            except _LeftAloneError:
                pass
            except EngineError as error:
                self._watch.failed(error)
                if self._spare is None:
                    raise
            else:
                self._watch.answered()
                return np.concatenate(spoken)
        return await self._spare_says(sentence, speed)

    async def _spoken(self, sentence: str, speed: float) -> AsyncGenerator[Samples]:
        """Yield the server's speech. Raises EngineError also when there is none, or too much."""
        where = self._server.where
        rate = min(2.0, max(0.5, self._speed * speed))
        longest = longest_speech_s(sentence, self._settings.max_sentence_s) * VOICE_RATE
        count = 0
        async with self._slot():
            parts = paced(
                self._server.speak(sentence, rate),
                engine="tts",
                between_s=self._settings.answer_timeout_s,
                whole_s=self._settings.timeout_s,
            )
            async with aclosing(parts):
                async for part in parts:
                    count += part.size
                    if count > longest:
                        raise EngineInterruptedError("tts", f"{where} sends audio without end")
                    if part.size:
                        yield part
        if not count:
            raise EngineError("tts", f"{where} sends no audio")

    async def _spare_says(self, sentence: str, speed: float) -> Samples:
        assert self._spare is not None  # noqa: S101 - for the type checker
        if speed != 1.0 and isinstance(self._spare, PacedVoice):
            return await self._spare.synthesize_at(sentence, speed)
        return await self._spare.synthesize(sentence)


class PacedRemoteVoice(RemoteVoice):
    """A ``RemoteVoice`` whose server can also speak faster and slower (``PacedVoice``)."""

    async def synthesize_at(self, sentence: str, speed: float) -> Samples:
        """Speak one sentence ``speed`` times as fast; together with ``tts.speed`` 0.5 to 2."""
        return await self._whole(sentence, speed)


def longest_speech_s(sentence: str, limit_s: float) -> float:
    """Longest speech of a sentence that is taken from a server, seconds. Pure."""
    return min(limit_s, _LEAST_SPEECH_S + _SPEECH_S_PER_CHAR * len(sentence))


def _speakable(sentence: str) -> bool:
    return any(character.isalnum() for character in sentence)
