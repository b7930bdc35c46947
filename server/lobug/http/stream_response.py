"""Responses that are sent piece by piece: server-sent events, and sound while it is made."""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Literal

from fastapi import Request, Response
from pydantic import BaseModel, Field
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from lobug.audio.resample import resample
from lobug.audio.wav import encode, header
from lobug.engines.pcm import pcm16
from lobug.errors import EngineUnavailableError
from lobug.http.formats import WAV, Answer
from lobug.http.problems import client_closed, error_reply, problem
from lobug.http.turn_stream import TurnStream, while_connected
from lobug.settings import Settings
from lobug.turn.events import (
    Action,
    AllSaid,
    Done,
    Failed,
    Heard,
    Ignored,
    Notice,
    Piece,
    ReplyDelta,
    SpeechAudio,
)


class HeardEvent(Answer):
    """``heard``: the words are known."""

    text: str = Field(description="The transcript, or the words that were typed.")
    language: str | None = Field(description="ISO 639-1, of a transcript.")


class IgnoredEvent(Answer):
    """``ignored``: it was not meant for Lo-Bug."""

    reason: str = Field(description="`no_speech`, `noise` or `model`.")


class NoticeEvent(Answer):
    """``notice``: why the reply is late."""

    text: str = Field(description="A sentence to show at once; no part of the reply.")


class ReplyDeltaEvent(Answer):
    """``reply_delta``: more of the reply."""

    text: str = Field(description="To be shown behind what came before, as it is.")


class PieceEvent(Answer):
    """``piece``: what is about to be spoken in one go."""

    index: int = Field(description="From 0.")
    text: str = Field(description="Its words.")


class AudioEvent(Answer):
    """``audio``: a piece's speech."""

    index: int = Field(description="Which piece it is.")
    sample_rate: int = Field(description="Hz.")
    audio_b64: str = Field(description="Base64 of a WAV with a 44-byte header, PCM16, mono.")


class DoneEvent(Answer):
    """``done``: the turn is over and stored."""

    turn: str = Field(description="The turn's id.")
    transcription: str = Field(description="What was heard; empty when nothing was.")
    response: str = Field(description="The whole reply; empty for `ignore`.")
    action: Literal["respond", "react", "ignore"] = Field(description="As of `/chat/audio`.")
    reason: str | None = Field(description="Why it was ignored.")
    message_id: int | None = Field(
        description="Of the user's words in the log, for `/memory/why`; null: they are not there."
    )
    speech_error: str | None = Field(description="Stable code of a text-to-speech failure.")
    timings: dict[str, float] = Field(description="Seconds from the start to the end of a stage.")


log = logging.getLogger(__name__)

TURN_HEADER = "X-Lobug-Turn"
"""Header with the turn's id, as in the log and in ``/turns``."""

Sent = Heard | Ignored | Notice | ReplyDelta | Piece | SpeechAudio | Done | Failed
"""Events of a turn that are sent."""

LINE_END = "\n"


def event_stream(turn: TurnStream, turn_id: str, settings: Settings) -> EventSourceResponse:
    """Send a turn's events as they come. The turn stops when the caller hangs up, or reads nothing
    for ``streaming.send_timeout_s``."""

    async def events() -> AsyncGenerator[ServerSentEvent]:
        reason: str | None = None
        rate = settings.tts.reply_sample_rate
        try:
            async for event in turn:
                if isinstance(event, AllSaid):
                    continue  # only for devices, which know when speech was played
                if isinstance(event, Ignored):
                    reason = event.reason
                if isinstance(event, SpeechAudio):
                    yield await asyncio.to_thread(as_server_sent, event, turn_id, reason, rate)
                else:
                    yield as_server_sent(event, turn_id, reason, rate)
        finally:
            await turn.aclose()

    return event_response(events(), turn_id, settings)


def event_response(
    events: AsyncGenerator[ServerSentEvent], turn_id: str, settings: Settings
) -> EventSourceResponse:
    """A turn's response of server-sent events."""
    return Events(events, settings, headers={TURN_HEADER: turn_id})


class Events(EventSourceResponse):
    """A response of server-sent events, kept alive with comments while there are no events.

    ``done`` is called however it ends. Logs one line when a caller reads nothing; the base class
    would leave a stack trace.
    """

    def __init__(
        self,
        events: AsyncGenerator[ServerSentEvent],
        settings: Settings,
        *,
        headers: Mapping[str, str] | None = None,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(
            events,
            headers=headers,
            ping=settings.streaming.keep_alive_s,
            ping_message_factory=lambda: ServerSentEvent(comment="keep-alive", sep=LINE_END),
            send_timeout=settings.streaming.send_timeout_s,
            sep=LINE_END,
        )
        self._done = done

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        except SendTimeoutError:
            log.info("a caller reads nothing of the events that it asked for; given up")
        finally:
            self._done()


def as_server_sent(
    event: Sent, turn_id: str, reason: str | None, sample_rate: int
) -> ServerSentEvent:
    """One event of a turn as it goes over the wire; docs/protocol.md has an example of each.

    ``reason`` is that of a former ``Ignored``, which ``done`` repeats. Speech is resampled to
    ``sample_rate`` Hz, which takes milliseconds.
    """
    data: BaseModel
    match event:
        case Heard():
            name, data = "heard", HeardEvent.of(event)
        case Ignored():
            name, data = "ignored", IgnoredEvent.of(event)
        case Notice():
            name, data = "notice", NoticeEvent.of(event)
        case ReplyDelta():
            name, data = "reply_delta", ReplyDeltaEvent.of(event)
        case Piece():
            name, data = "piece", PieceEvent.of(event)
        case SpeechAudio():
            wav = encode(resample(event.samples, event.sample_rate, sample_rate), sample_rate)
            audio_b64 = base64.b64encode(wav).decode("ascii")
            name = "audio"
            data = AudioEvent(index=event.index, sample_rate=sample_rate, audio_b64=audio_b64)
        case Done():
            name = "done"
            data = DoneEvent.of(event, turn=turn_id, action=event.action.value, reason=reason)
        case Failed():
            name, data = "error", error_reply(event.error, event.transcription)
    return ServerSentEvent(data.model_dump_json(), event=name, sep=LINE_END)


class AudioResponse(StreamingResponse):
    """A body of unknown length. ``close`` stops its source, however the response ends: complete,
    the caller gone, or nothing read for ``send_timeout_s`` seconds."""

    def __init__(
        self,
        content: AsyncGenerator[bytes],
        *,
        media_type: str,
        headers: Mapping[str, str],
        close: Callable[[], Awaitable[None]],
        send_timeout_s: float,
    ) -> None:
        super().__init__(
            content, media_type=media_type, headers={"Cache-Control": "no-store", **headers}
        )
        self._close = close
        self._send_timeout_s = send_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            async with asyncio.timeout(self._send_timeout_s):
                await send(message)

        background, self.background = self.background, None
        try:
            await super().__call__(scope, receive, sending)
        except TimeoutError:
            log.info("a caller reads nothing of the sound that it asked for; given up")
        finally:
            await self._close()
        if background is not None:
            await background()


ACTION_HEADER = "X-Lobug-Action"
REASON_HEADER = "X-Lobug-Reason"


async def spoken_reply(
    request: Request, turn: TurnStream, turn_id: str, settings: Settings
) -> Response:
    """The response to a turn, once its first sound exists or it is clear that there is none.

    200: a WAV of unknown length, sent as it is spoken. 204: nothing to play; the header
    ``X-Lobug-Action`` says whether the words were ignored or got a reaction. A failed turn, or a
    reply without a voice, is an ordinary error; the latter's ``response`` is the reply. A turn that
    fails after its first sound ends the WAV there.
    """
    headers = {TURN_HEADER: turn_id}
    try:
        first = await while_connected(request, _first_sound(turn, headers))
    except ClientDisconnect:
        await turn.aclose()
        return client_closed()
    except BaseException:
        await turn.aclose()
        raise
    match first:
        case SpeechAudio():
            rate = settings.tts.reply_sample_rate
            return AudioResponse(
                _wav(first, turn, rate),
                media_type=WAV,
                headers={**headers, ACTION_HEADER: Action.RESPOND.value},
                close=turn.aclose,
                send_timeout_s=settings.streaming.send_timeout_s,
            )
        case Done(action=Action.RESPOND):
            answer = _without_voice(first)
        case Done():
            answer = Response(status_code=204)
            headers[ACTION_HEADER] = first.action.value
        case Failed():
            answer = problem(first.error, first.transcription)
    await turn.aclose()
    answer.headers.update(headers)
    return answer


async def _first_sound(turn: TurnStream, headers: dict[str, str]) -> SpeechAudio | Done | Failed:
    async for event in turn:
        if isinstance(event, SpeechAudio | Done | Failed):
            return event
        if isinstance(event, Ignored):
            headers[REASON_HEADER] = event.reason
    raise AssertionError("a turn's stream ends with Done or Failed")


def _without_voice(done: Done) -> Response:
    error = EngineUnavailableError("tts", done.speech_error or "there is no voice")
    return problem(error, done.transcription, response=done.response)


async def _wav(first: SpeechAudio, turn: TurnStream, rate: int) -> AsyncGenerator[bytes]:
    yield header(rate)
    yield await asyncio.to_thread(_pcm, first, rate)
    async for event in turn:
        if isinstance(event, SpeechAudio):
            yield await asyncio.to_thread(_pcm, event, rate)


def _pcm(speech: SpeechAudio, rate: int) -> bytes:
    return pcm16(resample(speech.samples, speech.sample_rate, rate))
