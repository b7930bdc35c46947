"""`POST /v1/audio/transcriptions`: speech-to-text of a recording."""

from __future__ import annotations

import re
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field
from starlette.requests import ClientDisconnect

from lobug.audio.decode import StoredRecording, decode
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.errors import (
    AudioEmptyError,
    AudioError,
    AudioTooLongError,
    AudioTruncatedError,
    BodyTimeoutError,
    BodyTooLargeError,
    BusyError,
    EngineError,
    InvalidEncodingError,
    InvalidRequestError,
    TooManyRequestsError,
    UnknownModelError,
    UnsupportedParameterError,
    UploadStorageError,
)
from lobug.http.audio_jobs import AudioJobsDep, CallerAudioJobs
from lobug.http.openai.models import STT_MODEL, require_model
from lobug.http.problems import client_closed, error_responses
from lobug.http.state import ServerDep
from lobug.http.turn_stream import while_connected
from lobug.http.uploads import read_form, recording_in
from lobug.server import LobugServer
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
async def transcriptions(server: ServerDep, jobs: AudioJobsDep, request: Request) -> Response:
    """Hear."""
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
    server: LobugServer, jobs: CallerAudioJobs, recording: StoredRecording, language: str | None
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
