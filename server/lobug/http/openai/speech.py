"""`POST /v1/audio/speech`: text spoken by Lo-Bug's voice, sent sentence by sentence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from starlette.requests import ClientDisconnect

from lobug.audio.encode import MEDIA_TYPES, SpeechEncoder
from lobug.engines.absent import NoVoice
from lobug.engines.base import PacedVoice, Samples, TextToSpeech
from lobug.errors import (
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
)
from lobug.http.audio_jobs import AudioJobsDep, CallerAudioJobs
from lobug.http.audio_stream import AudioResponse
from lobug.http.body import documented
from lobug.http.openai.models import TTS_MODEL, require_model
from lobug.http.openai.schemas import SpeechRequest, openai_json
from lobug.http.problems import client_closed, error_responses
from lobug.http.state import ServerDep
from lobug.http.turn_stream import while_connected
from lobug.language import language_of
from lobug.language.en.segmentation import SentenceSplitter
from lobug.language.en.speakable import speakable
from lobug.server import LobugServer

router = APIRouter(prefix="/v1", tags=["openai"])

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
    server: ServerDep,
    jobs: AudioJobsDep,
    request: Request,
) -> Response:
    """Speak."""
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
        raise EmptyTextError("the voice can say nothing of this", param="input")
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
        raise EmptyTextError("there is nothing to be spoken", param="input")
    return sentences


async def _encoded(
    server: LobugServer,
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
