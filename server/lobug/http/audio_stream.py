"""Sound that is sent while it is made, such as a turn's reply for ``Accept: audio/wav``."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

from fastapi import Request, Response
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from lobug.audio.resample import resample
from lobug.audio.wav import header, pcm16
from lobug.errors import EngineUnavailableError
from lobug.http.accept import WAV
from lobug.http.problems import client_closed, problem
from lobug.http.sse import TURN_HEADER
from lobug.http.turn_stream import TurnStream, while_connected
from lobug.settings import Settings
from lobug.turn.events import Action, Done, Failed, Ignored, SpeechAudio

log = logging.getLogger(__name__)


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
        """Send the response."""

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
