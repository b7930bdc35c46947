"""A turn as server-sent events: what ``Accept: text/event-stream`` gets."""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import AsyncGenerator

from pydantic import BaseModel
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.types import Receive, Scope, Send

from lobug.api.event_schemas import (
    AudioEvent,
    DoneEvent,
    HeardEvent,
    IgnoredEvent,
    PieceEvent,
    ReplyDeltaEvent,
)
from lobug.api.problems import error_reply
from lobug.api.turn_stream import TurnStream
from lobug.audio.wav import encode, resample
from lobug.settings import Settings
from lobug.turn.events import (
    AllSaid,
    Done,
    Failed,
    Heard,
    Ignored,
    Piece,
    ReplyDelta,
    SpeechAudio,
)

log = logging.getLogger(__name__)

TURN_HEADER = "X-Lobug-Turn"
"""The turn's id, as in the log and in ``/turns``."""

Sent = Heard | Ignored | ReplyDelta | Piece | SpeechAudio | Done | Failed
"""What goes over the wire of a turn."""

_LINE_END = "\n"


def event_stream(turn: TurnStream, turn_id: str, settings: Settings) -> EventSourceResponse:
    """Send a turn's events as they come; the turn stops when the caller has gone, or reads nothing
    for ``streaming.send_timeout_s``."""

    async def events() -> AsyncGenerator[ServerSentEvent]:
        reason: str | None = None
        rate = settings.tts.reply_sample_rate
        try:
            async for event in turn:
                if isinstance(event, AllSaid):
                    continue  # of doors that know when speech was played
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
    """An answer of server-sent events, kept alive with comments while there are none."""
    return _Events(
        events,
        headers={TURN_HEADER: turn_id},
        ping=settings.streaming.keep_alive_s,
        ping_message_factory=lambda: ServerSentEvent(comment="keep-alive", sep=_LINE_END),
        send_timeout=settings.streaming.send_timeout_s,
        sep=_LINE_END,
    )


class _Events(EventSourceResponse):
    """Says in one line that a caller reads nothing, where the base would leave a stack trace."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        except SendTimeoutError:
            log.info("a caller reads nothing of the events that it asked for; given up")


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
            name, data = "heard", HeardEvent(text=event.text, language=event.language)
        case Ignored():
            name, data = "ignored", IgnoredEvent(reason=event.reason)
        case ReplyDelta():
            name, data = "reply_delta", ReplyDeltaEvent(text=event.text)
        case Piece():
            name, data = "piece", PieceEvent(index=event.index, text=event.text)
        case SpeechAudio():
            wav = encode(resample(event.samples, event.sample_rate, sample_rate), sample_rate)
            audio_b64 = base64.b64encode(wav).decode("ascii")
            name = "audio"
            data = AudioEvent(index=event.index, sample_rate=sample_rate, audio_b64=audio_b64)
        case Done():
            name = "done"
            data = DoneEvent(
                turn=turn_id,
                transcription=event.transcription,
                response=event.response,
                action=event.action.value,
                reason=reason,
                speech_error=event.speech_error,
                timings=dict(event.timings),
            )
        case Failed():
            name, data = "error", error_reply(event.error, event.transcription)
    return ServerSentEvent(data.model_dump_json(), event=name, sep=_LINE_END)
