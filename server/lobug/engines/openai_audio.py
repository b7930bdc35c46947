"""Speech-to-text and text-to-speech on any server with OpenAI's `/v1/audio`."""

from __future__ import annotations

import io
import math
import re
import wave
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any

import httpx2
import openai

from lobug.engines.base import STT_SAMPLE_RATE, Samples, Transcript
from lobug.engines.model_server import without_password
from lobug.engines.openai import connect, typed_error
from lobug.engines.pcm import PcmError, PcmFormat, PcmStream, WavStream, pcm16
from lobug.engines.speech_server import VOICE_RATE, transcript_of
from lobug.errors import (
    BusyError,
    EngineBusyError,
    EngineError,
    EngineInterruptedError,
    TooManyRequestsError,
)
from lobug.settings import SttSettings, TtsSettings

_MOST_TEXT_BYTES = 1 << 20
"""Largest answer of a server for speech-to-text, and largest list of models."""
_MOST_AUDIO_BYTES = 32 << 20
"""Largest answer of a server for text-to-speech: a minute of stereo at 48 kHz is a third of it."""

_BUSY = {EngineBusyError.code, BusyError.code, TooManyRequestsError.code}
"""What a Lo-Bug answers, and its engines on Ray, when no place is free. A 503 or 429 of another
server may as well mean that it is away, or that what was paid for is used up."""

_OPENAI_PCM = PcmFormat(rate=24_000, width=2, channels=1)
"""What OpenAI's ``pcm`` is."""

_LANGUAGE = re.compile(r"[a-z]{2,3}")
"""OpenAI itself answers with the name of the language, others with its code."""


class _Server:
    """What both jobs have in common."""

    name = "openai"

    def __init__(self, engine: str, settings: SttSettings | TtsSettings, most_bytes: int) -> None:
        self._engine = engine
        self.model = settings.openai_model
        self.where = f"the OpenAI-compatible server at {without_password(settings.openai_base_url)}"
        self._most_bytes = most_bytes
        self._client = connect(
            settings.openai_base_url,
            settings.openai_api_key.get_secret_value(),
            connect_timeout_s=settings.connect_timeout_s,
            on_response=self._bound,
        )

    async def close(self) -> None:
        await self._client.close()

    async def probe(self) -> None:
        """Ask for its models. Raises EngineError."""
        try:
            await self._client.models.list(extra_headers=_PLAIN)
        except openai.NotFoundError:
            pass  # it answers, without a list: requests will show whether it works
        except Exception as error:
            raise self._typed(error) from error

    async def _bound(self, response: httpx2.Response) -> None:
        """Limit how much of an answer is read, error messages included."""
        if response.headers.get("content-encoding", "identity") != "identity":
            # Some kilobytes may become gigabytes, and nothing was asked to be packed.
            raise EngineInterruptedError(self._engine, f"{self.where} packs its answers")
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101
        response.stream = _BoundedStream(response.stream, self._most_bytes, self._too_much())

    def _too_much(self) -> EngineError:
        return EngineInterruptedError(
            self._engine, f"{self.where} sends more than {self._most_bytes >> 20} MB"
        )

    def _typed(self, error: Exception, *, answering: bool = False) -> EngineError:
        """The EngineError for what the client raised. Raises what is none of its failures."""
        for found in (error, error.__cause__):
            if isinstance(found, EngineError):
                return found
            if isinstance(found, openai.APIStatusError) and found.code in _BUSY:
                return EngineBusyError(self._engine, f"{self.where} has too much to do")
        if isinstance(error, openai.OpenAIError | httpx2.HTTPError | OSError):
            return typed_error(
                error,
                engine=self._engine,
                where=self.where,
                model=self.model,
                answering=answering,
            )
        if isinstance(error, PcmError):
            return EngineInterruptedError(self._engine, f"{self.where} {error}")
        if isinstance(error, ValueError | TypeError | AttributeError | RecursionError):
            # The client does not validate answers: one of another shape fails where it is used.
            return EngineInterruptedError(
                self._engine, f"{self.where} does not speak the OpenAI protocol"
            )
        raise error


_PLAIN = {"Accept-Encoding": "identity"}


class _BoundedStream(httpx2.AsyncByteStream):
    """A body of which at most ``most`` bytes are read; then ``excess`` is raised."""

    def __init__(self, body: httpx2.AsyncByteStream, most: int, excess: EngineError) -> None:
        self._body = body
        self._most = most
        self._excess = excess

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for data in self._body:
            read += len(data)
            if read > self._most:
                raise self._excess
            yield data

    async def aclose(self) -> None:
        await self._body.aclose()


class OpenAIRecognizer(_Server):
    """``RecognitionServer`` at ``stt.openai_base_url``."""

    def __init__(self, settings: SttSettings) -> None:
        super().__init__("stt", settings, _MOST_TEXT_BYTES)
        self._tells_confidence = True

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Transcribe 16 kHz audio, with the server's confidence if it tells it."""
        recording = _wav(audio)
        if self._tells_confidence:
            try:
                return _read(await self._ask(recording, language, "verbose_json"), language)
            except (openai.BadRequestError, openai.UnprocessableEntityError):
                self._tells_confidence = False
            except Exception as error:
                raise self._typed(error) from error
        try:
            return _read(await self._ask(recording, language, "json"), language)
        except Exception as error:
            # It may have refused the recording rather than the form of the answer.
            self._tells_confidence = True
            raise self._typed(error) from error

    def expect_names(self, names: Sequence[str]) -> None:
        """Do nothing: as a ``prompt`` they make Whisper write names for noise."""

    async def _ask(self, recording: bytes, language: str | None, form: Any) -> Any:
        return await self._client.audio.transcriptions.create(
            file=("speech.wav", recording, "audio/wav"),
            model=self.model,
            language=language or openai.omit,
            response_format=form,
            extra_headers=_PLAIN,
        )


def _wav(audio: Samples) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as recording:
        recording.setparams((1, 2, STT_SAMPLE_RATE, 0, "NONE", "NONE"))
        recording.writeframes(pcm16(audio))
    return file.getvalue()


def _read(answer: Any, language: str | None) -> Transcript:
    """The transcript of an answer. Raises TypeError when it has no text."""
    text, heard = answer.text, getattr(answer, "language", None)
    if not isinstance(text, str):
        raise TypeError("an answer without text")
    known = isinstance(heard, str) and _LANGUAGE.fullmatch(heard)
    segments = getattr(answer, "segments", None) or ()
    silence = _numbers(segments, "no_speech_prob")
    likely = _numbers(segments, "avg_logprob")
    return transcript_of(
        text,
        heard if known else language,
        no_speech_prob=min(1.0, max(0.0, *silence)) if silence else 0.0,
        avg_logprob=min(0.0, sum(likely) / len(likely)) if likely else 0.0,
    )


def _numbers(segments: Sequence[Any], name: str) -> list[float]:
    """A measure of each segment, where the server tells it."""
    found = [getattr(segment, name, None) for segment in segments]
    return [float(one) for one in found if isinstance(one, int | float) and math.isfinite(one)]


class OpenAISynthesizer(_Server):
    """``SynthesisServer`` at ``tts.openai_base_url``."""

    paced = True

    def __init__(self, settings: TtsSettings) -> None:
        super().__init__("tts", settings, _MOST_AUDIO_BYTES)
        self.voices: Sequence[str] = ()  # the protocol has no list of them
        self._settings = settings
        self._voice = settings.openai_voice

    def set_voice(self, name: str) -> None:
        """Ask for this voice from the next sentence on."""
        self._voice = name

    async def speak(self, text: str, speed: float) -> AsyncGenerator[Samples]:
        """Yield speech at ``VOICE_RATE`` as it arrives."""
        answering = False
        form = self._settings.openai_format
        try:
            async with self._client.audio.speech.with_streaming_response.create(
                model=self.model,
                voice=self._voice,
                input=text,
                response_format=form,
                speed=openai.omit if speed == 1.0 else speed,
                extra_headers=_PLAIN,
            ) as response:
                answering = True
                sound = _sound(form, response.headers.get("content-type", ""))
                async for data in response.iter_bytes():
                    yield sound.feed(data)
                yield sound.finish()
        except Exception as error:
            raise self._typed(error, answering=answering) from error


def _sound(form: str, content_type: str) -> WavStream | PcmStream:
    """The reader of an answer. Raises PcmError when it is text: as ``pcm`` that would be noise."""
    if content_type.startswith(("text/", "application/json")):
        raise PcmError("sends no audio")
    return WavStream(VOICE_RATE) if form == "wav" else PcmStream(_OPENAI_PCM, VOICE_RATE)
