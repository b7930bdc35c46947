"""Speech-to-text and text-to-speech on a Wyoming server, such as those of Home Assistant."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from wyoming.asr import Transcribe
from wyoming.asr import Transcript as WyomingTranscript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import Event
from wyoming.info import Describe, Info
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
    SynthesizeVoice,
)

from lobug.engines.base import STT_SAMPLE_RATE, Samples, Transcript
from lobug.engines.pcm import PcmError, PcmFormat, PcmStream, pcm16
from lobug.engines.speech_server import VOICE_RATE, transcript_of
from lobug.engines.wyoming_wire import WyomingConnection, connected, where_is
from lobug.errors import EngineInterruptedError, EngineUnavailableError, ModelMissingError
from lobug.settings import Settings, SttSettings, TtsSettings

_MOST_NAMES = 100
"""Names that a server is told, the first ones."""
_MOST_VOICES = 500
"""Names of voices that are kept of what a server offers."""
_LONGEST_NAME = 200
"""Characters of a voice's name, as of ``tts.wyoming_voice``."""
_CHUNK = STT_SAMPLE_RATE * 2 // 10
"""Bytes sent at once, 0.1 s."""


class _Server:
    """What both jobs have in common."""

    name = "wyoming"

    def __init__(self, engine: str, url: str, settings: SttSettings | TtsSettings) -> None:
        self._engine = engine
        self._url = url
        self._settings = settings
        self.where = where_is(url)

    async def close(self) -> None:
        """Do nothing: every request has a connection of its own."""

    def _connected(self) -> AbstractAsyncContextManager[WyomingConnection]:
        return connected(
            self._url,
            engine=self._engine,
            connect_timeout_s=self._settings.connect_timeout_s,
            answer_timeout_s=self._settings.answer_timeout_s,
        )

    async def _programs(self, job: str) -> Sequence[Mapping[str, Any]]:
        """What the server offers for a job, ``asr`` or ``tts``. Raises EngineError."""
        async with self._connected() as connection:
            await connection.send(Describe())
            while not Info.is_type((event := await connection.receive()).type):
                pass
        found = event.data.get(job)
        programs = found if isinstance(found, list) else []
        offered = [one for one in programs if isinstance(one, dict)]
        if not offered:
            raise EngineUnavailableError(self._engine, f"{self.where} offers no {_JOBS[job]}")
        return offered

    def _require(self, wanted: str, programs: Sequence[Mapping[str, Any]], kind: str) -> None:
        """Raise ModelMissingError when the server lists models or voices, and not this one."""
        listed = _listed(programs, kind)
        if wanted and listed and wanted not in listed:
            raise ModelMissingError(self._engine, f"{self.where} does not have {wanted!r}")


def _listed(programs: Sequence[Mapping[str, Any]], kind: str) -> list[str]:
    """Names of the models or voices that programs list."""
    return [
        str(one.get("name"))
        for program in programs
        if isinstance(program.get(kind), list)
        for one in program[kind]
        if isinstance(one, dict)
    ]


_JOBS = {"asr": "speech-to-text", "tts": "text-to-speech"}


class WyomingRecognizer(_Server):
    """``RecognitionServer`` that speaks Wyoming."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("stt", settings.stt.wyoming_url, settings.stt)
        self.model = settings.stt.wyoming_model
        self._names: list[str] = []

    async def probe(self) -> None:
        """Ask what it offers. Raises EngineUnavailableError, ModelMissingError, EngineError."""
        self._require(self.model, await self._programs("asr"), "models")

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Transcribe 16 kHz audio. Wyoming tells no confidence."""
        data = pcm16(audio)
        sound = {"rate": STT_SAMPLE_RATE, "width": 2, "channels": 1}
        async with self._connected() as connection:
            await connection.send(
                Transcribe(
                    name=self.model or None,
                    language=language,
                    transcript_names=self._names or None,
                )
            )
            await connection.send(AudioStart(**sound))
            for at in range(0, len(data), _CHUNK):
                await connection.send(AudioChunk(**sound, audio=data[at : at + _CHUNK]))
            await connection.send(AudioStop())
            while not WyomingTranscript.is_type((event := await connection.receive()).type):
                pass
        text, heard = event.data.get("text"), event.data.get("language")
        if not isinstance(text, str):
            raise EngineInterruptedError("stt", f"{self.where} sends a transcript without text")
        return transcript_of(text, heard if isinstance(heard, str) else language)

    def expect_names(self, names: Sequence[str]) -> None:
        """Tell the server these names with each transcription; it may ignore them."""
        self._names = list(names[:_MOST_NAMES])


@dataclass(frozen=True, slots=True)
class _Sound:
    """Audio that has begun."""

    format: PcmFormat
    stream: PcmStream


class WyomingSynthesizer(_Server):
    """``SynthesisServer`` that speaks Wyoming. Its voices have one speed."""

    paced = False

    def __init__(self, settings: Settings) -> None:
        super().__init__("tts", settings.tts.wyoming_url, settings.tts)
        self.voices: Sequence[str] = ()
        language = settings.stt.language
        self._own_choice = None if language == "auto" else SynthesizeVoice(language=language)
        self.set_voice(settings.tts.wyoming_voice)
        self._streams = False

    def set_voice(self, name: str) -> None:
        """Ask for this voice from the next sentence on; empty: the server's choice for the
        language."""
        self.model = name
        self._voice = SynthesizeVoice(name=name) if name else self._own_choice

    async def probe(self) -> None:
        """Ask what it offers. Raises EngineUnavailableError, ModelMissingError, EngineError."""
        programs = await self._programs("tts")
        named = (name for name in _listed(programs, "voices") if len(name) <= _LONGEST_NAME)
        self.voices = tuple(dict.fromkeys(named))[:_MOST_VOICES]
        self._require(self.model, programs, "voices")
        # A request without a program's name goes to the first.
        self._streams = programs[0].get("supports_synthesize_streaming") is True

    async def speak(self, text: str, speed: float) -> AsyncGenerator[Samples]:
        """Yield speech at ``VOICE_RATE`` as it arrives; ``speed`` has no effect."""
        async with self._connected() as connection:
            if self._streams:
                await connection.send(SynthesizeStart(voice=self._voice))
                await connection.send(SynthesizeChunk(text=text))
                await connection.send(SynthesizeStop())
            else:
                await connection.send(Synthesize(text=text, voice=self._voice))
            sound: _Sound | None = None
            while True:
                event = await connection.receive()
                if AudioStart.is_type(event.type) or AudioChunk.is_type(event.type):
                    sound = sound or self._begun(event)
                    if event.payload:
                        yield self._samples(sound, event)
                elif AudioStop.is_type(event.type) or SynthesizeStopped.is_type(event.type):
                    if sound is not None:
                        yield sound.stream.finish()
                    # A server that takes text in pieces may begin anew for each sentence in it.
                    sound = None
                    if SynthesizeStopped.is_type(event.type) or not self._streams:
                        return

    def _begun(self, event: Event) -> _Sound:
        found = self._format(event)
        return _Sound(found, PcmStream(found, VOICE_RATE))

    def _samples(self, sound: _Sound, event: Event) -> Samples:
        if self._format(event) != sound.format:
            raise EngineInterruptedError("tts", f"{self.where} changes the format of its audio")
        return sound.stream.feed(event.payload or b"")

    def _format(self, event: Event) -> PcmFormat:
        data = event.data
        try:
            return PcmFormat(data.get("rate", 0), data.get("width", 0), data.get("channels", 0))
        except PcmError as error:
            raise EngineInterruptedError("tts", f"{self.where} {error}") from error
