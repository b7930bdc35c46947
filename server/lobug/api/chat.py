"""`POST /chat/text` and `POST /chat/audio`: a turn over plain HTTP."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from contextlib import aclosing
from typing import Annotated

import numpy as np
from fastapi import APIRouter, BackgroundTasks, Depends, Request, Response, UploadFile
from fastapi import File as FilePart
from starlette.requests import ClientDisconnect

from lobug.api.body import documented, json_body
from lobug.api.caller import OwnerDep
from lobug.api.hangup import while_connected
from lobug.api.problems import error_responses, problem, unheard
from lobug.api.schemas import AudioReply, TextReply, TextRequest
from lobug.api.state import ServerDep
from lobug.audio.wav import encode, resample
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
    EngineInterruptedError,
    InvalidEncodingError,
    InvalidRequestError,
    LobugError,
    StorageError,
    TextTooLongError,
)
from lobug.memory.base import Owner
from lobug.server import LobugServer
from lobug.turn.events import Action, Done, Failed, Ignored, SpeechAudio
from lobug.turn.pipeline import SpokenUtterance, TypedUtterance, Utterance

router = APIRouter(tags=["chat"])

_TURN_ERRORS: tuple[type[LobugError], ...] = (
    BusyError,
    EngineError,
    *EngineError.__subclasses__(),
    StorageError,
    *StorageError.__subclasses__(),
)
"""What may go wrong in any turn."""


@router.post(
    "/chat/text",
    response_model=TextReply,
    openapi_extra=documented(TextRequest),
    responses=error_responses(
        InvalidEncodingError,
        InvalidRequestError,
        EmptyTextError,
        TextTooLongError,
        BodyTooLargeError,
        BodyTimeoutError,
        *_TURN_ERRORS,
    ),
)
async def chat_text(
    body: Annotated[TextRequest, Depends(json_body(TextRequest))],
    owner: OwnerDep,
    server: ServerDep,
    background: BackgroundTasks,
    request: Request,
) -> TextReply | Response:
    """Say something in writing and get the reply in writing."""
    text = body.text.strip()
    if not text:
        raise EmptyTextError("text is empty")
    limit = server.settings.limits.max_text_chars
    if len(text) > limit:
        raise TextTooLongError(f"text has {len(text)} characters, the limit is {limit}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidEncodingError("text holds half a surrogate pair") from None
    background.add_task(server.after_turn, owner)
    try:
        turn = _run(server, owner, TypedUtterance(text), voice=False)
        outcome = await while_connected(request, turn)
    except ClientDisconnect:
        return unheard()
    if isinstance(outcome, Failed):
        return problem(outcome.error, outcome.transcription)
    return TextReply(response=outcome.done.response)


@router.post(
    "/chat/audio",
    response_model=AudioReply,
    responses=error_responses(
        InvalidEncodingError,
        InvalidRequestError,
        AudioError,
        AudioEmptyError,
        AudioTruncatedError,
        AudioTooLongError,
        BodyTooLargeError,
        BodyTimeoutError,
        *_TURN_ERRORS,
    ),
)
async def chat_audio(
    audio: Annotated[
        UploadFile,
        FilePart(
            description="A whole recording. Devices send WAV, PCM16, mono, 16 kHz; other WAV"
            " forms are converted."
        ),
    ],
    owner: OwnerDep,
    server: ServerDep,
    background: BackgroundTasks,
    request: Request,
) -> AudioReply | Response:
    """Say something aloud and get the reply as text and as speech."""
    recording = await audio.read()
    if not recording:
        raise AudioEmptyError("the recording has no bytes")
    background.add_task(server.after_turn, owner)
    try:
        turn = _run(server, owner, SpokenUtterance(recording), voice=True)
        outcome = await while_connected(request, turn)
    except ClientDisconnect:
        return unheard()
    if isinstance(outcome, Failed):
        return problem(outcome.error, outcome.transcription)
    wav = b""
    if outcome.done.action is Action.RESPOND and outcome.speech:
        wav = await asyncio.to_thread(
            _reply_wav, outcome.speech, server.settings.tts.reply_sample_rate
        )
    return AudioReply(
        transcription=outcome.done.transcription,
        response=outcome.done.response,
        action=outcome.done.action.value,
        audio_b64=base64.b64encode(wav).decode("ascii"),
        reason=outcome.reason,
        speech_error=outcome.done.speech_error,
        timings=dict(outcome.done.timings),
    )


def _reply_wav(speech: Sequence[SpeechAudio], sample_rate: int) -> bytes:
    """All sentences as one WAV at ``sample_rate`` Hz."""
    samples = np.concatenate([part.samples for part in speech])
    return encode(resample(samples, speech[0].sample_rate, sample_rate), sample_rate)


class _Outcome:
    """What a plain HTTP answer needs of a turn that was finished."""

    def __init__(self, done: Done, speech: Sequence[SpeechAudio], reason: str | None) -> None:
        self.done = done
        self.speech = speech
        self.reason = reason


async def _run(
    server: LobugServer,
    owner: Owner,
    utterance: Utterance,
    *,
    voice: bool,
) -> _Outcome | Failed:
    """Run a turn to its end."""
    speech: list[SpeechAudio] = []
    reason: str | None = None
    outcome: _Outcome | Failed | None = None
    async with aclosing(server.turns.run(owner, utterance, voice=voice)) as events:
        async for event in events:
            if isinstance(event, SpeechAudio):
                speech.append(event)
            elif isinstance(event, Ignored):
                reason = event.reason
            elif isinstance(event, Done):
                outcome = _Outcome(event, speech, reason)
            elif isinstance(event, Failed):
                outcome = event
    if outcome is None:
        raise EngineInterruptedError("chat", "the turn ended without an outcome")
    return outcome
