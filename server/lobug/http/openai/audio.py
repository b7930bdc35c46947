"""`POST /v1/audio/transcriptions`: speech-to-text of a recording. `POST /v1/audio/speech`: text
spoken by Lo-Bug's voice, sent sentence by sentence.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import ClientDisconnect

from lobug.audio.decode import StoredRecording, decode
from lobug.audio.encode import MEDIA_TYPES, SpeechEncoder
from lobug.engines.absent import NoVoice
from lobug.engines.base import STT_SAMPLE_RATE, PacedVoice, Samples, TextToSpeech
from lobug.errors import (
    AudioEmptyError,
    AudioError,
    AudioTooLongError,
    AudioTruncatedError,
    BodyTimeoutError,
    BodyTooLargeError,
    BusyError,
    EmptyTextError,
    EngineError,
    EngineUnavailableError,
    InvalidEncodingError,
    InvalidRequestError,
    TextTooLongError,
    TooManyRequestsError,
    UnknownModelError,
    UnsupportedParameterError,
    UploadStorageError,
)
from lobug.http.dependencies import (
    AudioJobsDep,
    SpeechServer,
    SpeechServerDep,
    documented,
    openai_json,
)
from lobug.http.openai.models import STT_MODEL, TTS_MODEL, require_model
from lobug.http.problems import client_closed, error_responses
from lobug.http.stream_response import AudioResponse
from lobug.http.turn_stream import while_connected
from lobug.http.uploads import read_form, recording_in
from lobug.language import language_of
from lobug.language.en.segmentation import SentenceSplitter
from lobug.language.en.speakable import speakable
from lobug.turn.slots import CallerAudioJobs
from lobug.turn.utterance import judge

router = APIRouter(prefix="/v1", tags=["openai"])

_LANGUAGE = re.compile(r"[a-z]{2,3}")
_FORM = {
    "type": "object",
    "required": ["file", "model"],
    "properties": {
        "file": {"type": "string", "format": "binary", "description": "WAV, Ogg, FLAC, MP3, WebM."},
        "model": {"type": "string", "description": "`lobug-stt` or `whisper-1`."},
        "language": {"type": "string", "description": "ISO 639-1; without it `stt.language`."},
        "response_format": {
            "type": "string",
            "enum": ["json", "text", "verbose_json"],
            "description": "Default `json`.",
        },
        "prompt": {"type": "string", "description": "Accepted, without effect."},
        "temperature": {"type": "number", "description": "Accepted, without effect."},
    },
}
_DOCUMENTED: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}
}


class Segment(BaseModel):
    """All that was said."""

    id: int = Field(0, description="Always 0: there is one.")
    seek: int = Field(0, description="Always 0.")
    start: float = Field(description="Where speech begins, seconds.")
    end: float = Field(description="Where it ends, seconds.")
    text: str = Field(description="The words.")
    tokens: list[int] = Field(default_factory=list, description="Always empty.")
    temperature: float = Field(0.0, description="Always 0.")
    avg_logprob: float = Field(description="Mean log probability of a token.")
    compression_ratio: float = Field(description="Above 2.4 Whisper is repeating itself.")
    no_speech_prob: float = Field(description="Whisper's own doubt, 0 to 1.")


class Transcription(BaseModel):
    """The words of a recording; empty where nobody speaks."""

    text: str = Field(description="The words.")
    task: Literal["transcribe"] | None = Field(None, description="With `verbose_json` only.")
    language: str | None = Field(None, description="With `verbose_json` only: ISO 639-1.")
    duration: float | None = Field(None, description="With `verbose_json` only: seconds.")
    segments: list[Segment] | None = Field(None, description="With `verbose_json` only.")


@router.post(
    "/audio/transcriptions",
    response_model=Transcription,
    openapi_extra=_DOCUMENTED,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        **error_responses(
            InvalidEncodingError,
            InvalidRequestError,
            UnsupportedParameterError,
            UnknownModelError,
            AudioError,
            AudioEmptyError,
            AudioTruncatedError,
            AudioTooLongError,
            BodyTooLargeError,
            BodyTimeoutError,
            BusyError,
            TooManyRequestsError,
            UploadStorageError,
            EngineError,
            *EngineError.__subclasses__(),
        ),
    },
)
async def transcriptions(server: SpeechServerDep, jobs: AudioJobsDep, request: Request) -> Response:
    """Transcribe a recording."""
    form = await read_form(request, max_fields=32)
    fields = {name: value for name, value in form.multi_items() if isinstance(value, str)}
    recording = recording_in(form, "file")
    require_model(fields.get("model", ""), STT_MODEL)
    kind = fields.get("response_format", "json")
    if kind not in {"json", "text", "verbose_json"}:
        raise UnsupportedParameterError(
            "only json, text and verbose_json are supported", param="response_format"
        )
    if fields.get("stream", "false").lower() not in {"false", ""}:
        raise UnsupportedParameterError("a transcription is not streamed", param="stream")
    if fields.get("timestamp_granularities[]", "segment") != "segment":
        raise UnsupportedParameterError(
            "only segments have times", param="timestamp_granularities[]"
        )
    language = fields.get("language") or server.settings.stt.language
    if language != "auto" and not _LANGUAGE.fullmatch(language):
        raise InvalidRequestError("language: two letters are expected", param="language")
    try:
        heard = await while_connected(
            request, _transcribe(server, jobs, recording, None if language == "auto" else language)
        )
    except ClientDisconnect:
        return client_closed()
    if kind == "text":
        return PlainTextResponse(f"{heard.text}\n")
    fields_wanted = {"text"} if kind == "json" else None
    return JSONResponse(heard.model_dump(include=fields_wanted))


async def _transcribe(
    server: SpeechServer, jobs: CallerAudioJobs, recording: StoredRecording, language: str | None
) -> Transcription:
    settings = server.settings
    async with jobs.slot(), server.priority.turn():
        audio: Samples = await decode(
            recording,
            max_seconds=settings.limits.max_audio_seconds,
            sample_rate=STT_SAMPLE_RATE,
        )
        duration = round(len(audio) / STT_SAMPLE_RATE, 3)
        nothing = Transcription(
            text="", task="transcribe", language=language or "", duration=duration, segments=[]
        )
        spans = await server.engines.gate.find_speech(audio)
        seconds = sum(span.end - span.start for span in spans) / STT_SAMPLE_RATE
        # Whisper invents words for silence and noise; they are judged as in a turn.
        if not judge(None, seconds, settings.stt).accepted:
            return nothing
        transcript = await server.engines.stt.transcribe(audio, language)
        if not judge(transcript, seconds, settings.stt).accepted:
            return nothing
    text = transcript.text.strip()
    segment = Segment(
        start=round(spans[0].start / STT_SAMPLE_RATE, 3),
        end=round(spans[-1].end / STT_SAMPLE_RATE, 3),
        text=text,
        avg_logprob=transcript.avg_logprob,
        compression_ratio=transcript.compression_ratio,
        no_speech_prob=transcript.no_speech_prob,
    )
    return nothing.model_copy(
        update={"text": text, "language": transcript.language, "segments": [segment]}
    )


SpeechFormat = Literal["mp3", "opus", "ogg", "aac", "flac", "wav", "pcm"]
assert set(MEDIA_TYPES) == set(SpeechFormat.__args__)  # type: ignore[attr-defined]  # noqa: S101


class SpeechRequest(BaseModel):
    """Words to be spoken. Fields that are not listed here are ignored."""

    model_config = ConfigDict(extra="ignore")

    model: str = Field(description="`lobug-tts` or `tts-1`.")
    input: str = Field(description="The words; not blank, at most `limits.max_text_chars`.")
    voice: Any = Field(None, description="Any: there is one voice.")
    response_format: SpeechFormat = Field("mp3", description="Opus is sent in Ogg.")
    speed: float = Field(1.0, ge=0.5, le=2.0, allow_inf_nan=False, description="1 is normal.")
    stream_format: Any = Field(None, description="Only `audio`.")


_BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}


@router.post(
    "/audio/speech",
    response_class=Response,
    openapi_extra=documented(SpeechRequest),
    responses={
        200: {"content": {kind.partition(";")[0]: _BINARY for kind in MEDIA_TYPES.values()}},
        **error_responses(
            InvalidEncodingError,
            InvalidRequestError,
            UnsupportedParameterError,
            UnknownModelError,
            EmptyTextError,
            TextTooLongError,
            BodyTooLargeError,
            BodyTimeoutError,
            BusyError,
            TooManyRequestsError,
            EngineError,
            *EngineError.__subclasses__(),
        ),
    },
)
async def speech(
    body: Annotated[SpeechRequest, Depends(openai_json(SpeechRequest))],
    server: SpeechServerDep,
    jobs: AudioJobsDep,
    request: Request,
) -> Response:
    """Speak a text."""
    require_model(body.model, TTS_MODEL)
    tts = server.engines.tts
    if body.stream_format not in {None, "audio"}:
        raise UnsupportedParameterError("only audio is streamed", param="stream_format")
    if body.speed != 1.0 and not isinstance(tts, PacedVoice):
        raise UnsupportedParameterError("this voice has one speed", param="speed")
    sentences = sentences_to_speak(body.input, server.settings.limits.max_text_chars)
    sound = _encoded(server, jobs, sentences, body.speed, SpeechEncoder(body.response_format))
    try:
        # A failure before the first sound is an ordinary error.
        first = await while_connected(request, _first(sound))
    except ClientDisconnect:
        return client_closed()
    if first is None:
        if isinstance(tts, NoVoice):
            raise EngineUnavailableError("tts", "there is no voice")
        # Trying again would not help, so no 503, after which clients try again.
        raise EmptyTextError("the voice cannot say any of this", param="input")
    return AudioResponse(
        _after(first, sound),
        media_type=MEDIA_TYPES[body.response_format],
        headers={},
        close=sound.aclose,
        send_timeout_s=server.settings.streaming.send_timeout_s,
    )


def sentences_to_speak(text: str, max_chars: int) -> Sequence[str]:
    """The sentences of a text, as a person would read them aloud.

    Raises EmptyTextError (nothing that can be spoken), TextTooLongError, InvalidEncodingError.
    """
    if len(text) > max_chars:
        raise TextTooLongError(
            f"the text has {len(text)} characters, the limit is {max_chars}", param="input"
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidEncodingError("text holds half a surrogate pair", param="input") from None
    splitter = SentenceSplitter()
    cut = [speakable(sentence) for sentence in [*splitter.feed(text), *splitter.flush()]]
    sentences = [language_of("en").spoken_form(sentence) for sentence in cut if sentence]
    if not any(character.isalnum() for sentence in sentences for character in sentence):
        raise EmptyTextError("there is nothing to speak", param="input")
    return sentences


async def _encoded(
    server: SpeechServer,
    jobs: CallerAudioJobs,
    sentences: Sequence[str],
    speed: float,
    encoder: SpeechEncoder,
) -> AsyncGenerator[bytes]:
    """The encoded sound of each sentence; no bytes at all if the voice produces no sound."""
    tts = server.engines.tts
    spoken = False
    async with jobs.slot(), server.priority.turn():
        for sentence in sentences:
            samples = await _spoken(tts, sentence, speed)
            if samples.size:
                spoken = True
                data = await asyncio.to_thread(encoder.feed, samples, tts.sample_rate)
                if data:
                    yield data
    if spoken and (rest := await asyncio.to_thread(encoder.finish)):
        yield rest


async def _spoken(tts: TextToSpeech, sentence: str, speed: float) -> Samples:
    if speed != 1.0 and isinstance(tts, PacedVoice):
        return await tts.synthesize_at(sentence, speed)
    return await tts.synthesize(sentence)


async def _first(sound: AsyncGenerator[bytes]) -> bytes | None:
    return await anext(sound, None)


async def _after(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    async with aclosing(rest):
        yield first
        async for data in rest:
            yield data
