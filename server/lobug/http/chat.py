"""`POST /chat/text` and `/chat/audio`: a turn over HTTP; `POST /context/sensors`.

The answer of a turn is one JSON object, as the first device reads it, or by the ``Accept`` header
the turn's events or its speech as they come.
"""

from __future__ import annotations

import base64
from typing import Annotated, Any, Literal

from fastapi import APIRouter, BackgroundTasks, Depends, Request, Response
from pydantic import BaseModel, Field
from starlette.requests import ClientDisconnect

from lobug.conversation.sensors import SensorRequest
from lobug.errors import (
    AudioEmptyError,
    AudioError,
    AudioTooLongError,
    AudioTruncatedError,
    BodyTimeoutError,
    BodyTooLargeError,
    EmptyTextError,
    InvalidEncodingError,
    InvalidRequestError,
    TextTooLongError,
    UploadStorageError,
)
from lobug.http.dependencies import ConversationDep, ServerDep, caller_of, documented, json_body
from lobug.http.formats import (
    EVENT_STREAM,
    JSON,
    WAV,
    Answer,
    preferred,
)
from lobug.http.problems import client_closed, error_responses, problem
from lobug.http.stream_response import event_stream, spoken_reply
from lobug.http.turn_stream import (
    TURN_ERRORS,
    FinishedTurn,
    TurnStream,
    run_to_end,
    while_connected,
)
from lobug.http.uploads import RECORDING_BODY, RecordingDep
from lobug.memory.model import ConversationKey
from lobug.server import LobugServer
from lobug.turn.events import Failed
from lobug.turn.model_turn import CallerContext
from lobug.turn.timeline import Timeline
from lobug.turn.utterance import SpokenUtterance, TypedUtterance, Utterance, checked_text


class TextRequest(BaseModel):
    """What somebody typed."""

    text: str = Field(description="The user's words; not blank, at most `limits.max_text_chars`.")
    voice: bool = Field(False, description="Whether the reply is to be spoken as well.")
    cite: bool = Field(
        False,
        description="Whether the reply is to end with where it is known from, if memory has part in"
        ' it; "cite your memories" in `text` does the same.',
    )


class TextReply(BaseModel):
    """The reply to typed words."""

    response: str = Field(description="One to three sentences of plain text.")
    audio_b64: str | None = Field(
        None, description="With `voice` only: the reply as in the answer of `/chat/audio`."
    )
    speech_error: str | None = Field(
        None, description="With `voice` only: why there is no speech, a stable code."
    )


class AudioReply(Answer):
    """The reply to a recording."""

    transcription: str = Field(description="What was heard; empty when nothing was.")
    response: str = Field(description="One to three sentences of plain text; empty for `ignore`.")
    action: Literal["respond", "react", "ignore"] = Field(
        description="`respond`: play `audio_b64`. `react`: show `response`, say nothing."
        " `ignore`: do nothing."
    )
    audio_b64: str = Field(
        description="Base64 of a WAV with a 44-byte header, PCM16, mono; empty unless `respond`,"
        " and when no voice is available."
    )
    reason: str | None = Field(
        None, description="Why it was ignored: `no_speech`, `noise` or `model`."
    )
    speech_error: str | None = Field(
        None, description="Stable code of a text-to-speech failure; the reply is then text only."
    )
    timings: dict[str, float] = Field(
        default_factory=dict,
        description="Seconds from the start of the turn to the end of each stage.",
    )


class SensorReply(BaseModel):
    """The reading was taken."""

    status: Literal["ok"] = "ok"


sensors_router = APIRouter(tags=["context"])


@sensors_router.post(
    "/context/sensors",
    openapi_extra=documented(SensorRequest),
    responses=error_responses(
        InvalidEncodingError, InvalidRequestError, BodyTooLargeError, BodyTimeoutError
    ),
)
async def sensors(
    body: Annotated[SensorRequest, Depends(json_body(SensorRequest))],
    conversation_key: ConversationDep,
    server: ServerDep,
) -> SensorReply:
    """Take a reading; it colours this device's turns for the next 30 s, a tap for 5 s."""
    server.take_sensors(conversation_key, body.reading())
    return SensorReply()


router = APIRouter(tags=["chat"])

_STREAMS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The reply; with `Accept: text/event-stream` the turn's events, with"
        " `Accept: audio/wav` its speech, as they come.",
        "content": {
            EVENT_STREAM: {"schema": {"type": "string"}},
            WAV: {"schema": {"type": "string", "format": "binary"}},
        },
    },
    204: {"description": "With `Accept: audio/wav` only: nothing is to be played."},
}


@router.post(
    "/chat/text",
    response_model=TextReply,
    response_model_exclude_none=True,
    openapi_extra=documented(TextRequest),
    responses={
        **_STREAMS,
        **error_responses(
            InvalidEncodingError,
            InvalidRequestError,
            EmptyTextError,
            TextTooLongError,
            BodyTooLargeError,
            BodyTimeoutError,
            *TURN_ERRORS,
        ),
    },
)
async def chat_text(
    body: Annotated[TextRequest, Depends(json_body(TextRequest))],
    conversation_key: ConversationDep,
    server: ServerDep,
    background: BackgroundTasks,
    request: Request,
) -> TextReply | Response:
    """Say something in writing and get the reply in writing, and aloud where it is wanted."""
    utterance = TypedUtterance(checked_text(body.text, server.settings.limits.max_text_chars))
    answer = await _answer(
        request,
        server,
        conversation_key,
        utterance,
        background,
        voice=body.voice,
        context=CallerContext(cite=body.cite),
    )
    if isinstance(answer, Response):
        return answer
    if not body.voice:
        return TextReply(response=answer.done.response)
    wav = await answer.wav(server.settings.tts.reply_sample_rate)
    return TextReply(
        response=answer.done.response,
        audio_b64=base64.b64encode(wav).decode("ascii"),
        speech_error=answer.done.speech_error,
    )


@router.post(
    "/chat/audio",
    response_model=AudioReply,
    openapi_extra=RECORDING_BODY,
    responses={
        **_STREAMS,
        **error_responses(
            InvalidEncodingError,
            InvalidRequestError,
            AudioError,
            AudioEmptyError,
            AudioTruncatedError,
            AudioTooLongError,
            BodyTooLargeError,
            BodyTimeoutError,
            UploadStorageError,
            *TURN_ERRORS,
        ),
    },
)
async def chat_audio(
    recording: RecordingDep,
    conversation_key: ConversationDep,
    server: ServerDep,
    background: BackgroundTasks,
    request: Request,
) -> AudioReply | Response:
    """Say something aloud and get the reply as text and as speech."""
    utterance = SpokenUtterance(recording)
    answer = await _answer(request, server, conversation_key, utterance, background, voice=True)
    if isinstance(answer, Response):
        return answer
    wav = await answer.wav(server.settings.tts.reply_sample_rate)
    return AudioReply.of(
        answer.done,
        action=answer.done.action.value,
        audio_b64=base64.b64encode(wav).decode("ascii"),
        reason=answer.reason,
    )


async def _answer(
    request: Request,
    server: LobugServer,
    conversation_key: ConversationKey,
    utterance: Utterance,
    background: BackgroundTasks,
    *,
    voice: bool,
    context: CallerContext | None = None,
) -> FinishedTurn | Response:
    """Run a turn. Returns its outcome if a plain answer is wanted, else the response."""
    kind = preferred(request.headers.get("accept"), (JSON, EVENT_STREAM, WAV))
    background.add_task(server.after_turn, conversation_key)
    door = "audio" if isinstance(utterance, SpokenUtterance) else "text"
    caller = caller_of(request.scope)
    timeline = Timeline(door, server.clock, device=caller.device_id or "")
    voice = voice or kind == WAV
    turn = server.turns.run(
        conversation_key,
        utterance,
        voice=voice,
        timeline=timeline,
        caller=context,
        privileged=caller.privileged,
    )
    if kind == EVENT_STREAM:
        stream = TurnStream(turn, caller=caller, access=server.access)
        return event_stream(stream, timeline.id, server.settings)
    if kind == WAV:
        stream = TurnStream(turn, caller=caller, access=server.access)
        return await spoken_reply(request, stream, timeline.id, server.settings)
    try:
        outcome = await while_connected(request, run_to_end(turn))
    except ClientDisconnect:
        return client_closed()
    if isinstance(outcome, Failed):
        return problem(outcome.error, outcome.transcription)
    return outcome
