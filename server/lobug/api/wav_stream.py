"""A turn's reply as a WAV that is sent while it is still being spoken: ``Accept: audio/wav``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from lobug.api.accept import WAV
from lobug.api.audio_response import AudioResponse
from lobug.api.hangup import while_connected
from lobug.api.problems import problem, unheard
from lobug.api.sse import TURN_HEADER
from lobug.api.turn_stream import TurnStream
from lobug.audio.wav import header, pcm16, resample
from lobug.errors import EngineUnavailableError
from lobug.settings import Settings
from lobug.turn.events import Action, Done, Failed, Ignored, SpeechAudio

ACTION_HEADER = "X-Lobug-Action"
REASON_HEADER = "X-Lobug-Reason"


async def spoken_reply(
    request: Request, turn: TurnStream, turn_id: str, settings: Settings
) -> Response:
    """The answer, once there is sound to be sent or it is known that there will be none.

    200: a WAV of unknown length, sent as it is spoken. 204: nothing is to be played, the header
    ``X-Lobug-Action`` says whether it was ignored or is a reaction. A turn that failed, or a reply
    without a voice, is an ordinary failure; the latter's ``response`` is the reply. A turn that
    fails after its first sound ends the WAV there.
    """
    headers = {TURN_HEADER: turn_id}
    try:
        first = await while_connected(request, _first_sound(turn, headers))
    except ClientDisconnect:
        await turn.aclose()
        return unheard()
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
