"""One connection of a Wyoming client: which event means what, and how it ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from wyoming.error import Error
from wyoming.event import Event, async_write_event
from wyoming.ping import Pong
from wyoming.tts import SynthesizeStopped

from lobug.errors import EventError, EventTimeoutError, LobugError
from lobug.quota import Claimant
from lobug.server import LobugServer
from lobug.turn.slots import AudioJobs
from lobug.wyoming.description import describe
from lobug.wyoming.events import (
    AudioFormat,
    PingRequest,
    SpeechRequest,
    SpokenText,
    TextChunk,
    TranscribeRequest,
    Words,
    parse,
    read_client_event,
)
from lobug.wyoming.hearing import Hearing
from lobug.wyoming.speaking import SharedVoice, Speaking
from lobug.wyoming.talking import DOOR, take_turn

log = logging.getLogger(__name__)

_READ_AHEAD = 2
"""Events that are read while one is answered. An event may have a megabyte."""

T = TypeVar("T")


class HungUpError(Exception):
    """The client has gone, or reads nothing any more."""


class Connection:
    """Answers one client until it hangs up, is idle for too long, or an error ends it.

    An error ends the connection because many clients know no ``error`` events and would wait for
    the answer; they all notice that the connection ends, and make a new one for each request.
    """

    def __init__(
        self,
        server: LobugServer,
        jobs: AudioJobs,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        address: str,
    ) -> None:
        """``jobs``: slots for speech. ``address``: of the client."""
        self._server = server
        self._settings = server.settings.wyoming
        self._reader, self._writer = streams
        self._address = address
        self._voice = SharedVoice(server, jobs, Claimant(f"{DOOR}:{address}"))
        self._incoming: asyncio.Queue[Event | LobugError | None] = asyncio.Queue(_READ_AHEAD)
        self._gone = asyncio.Event()
        """Set when the client has hung up."""
        self._language: str | None = None
        self._hearing: Hearing | None = None
        self._speaking: Speaking | None = None
        self._answers: Mapping[str, Callable[[Event], Awaitable[None]]] = {
            "describe": self._on_describe,
            "ping": self._on_ping,
            "transcribe": self._on_transcribe,
            "audio-start": self._on_audio_start,
            "audio-chunk": self._on_audio_chunk,
            "audio-stop": self._on_audio_stop,
            "synthesize": self._on_synthesize,
            "synthesize-start": self._on_synthesize_start,
            "synthesize-chunk": self._on_synthesize_chunk,
            "synthesize-stop": self._on_synthesize_stop,
            "transcript": self._on_transcript,
        }

    async def run(self) -> None:
        """Answer until the connection ends, and close it."""
        reading = asyncio.create_task(self._read())
        try:
            while (event := await self._next()) is not None:
                answer = self._answers.get(event.type)
                if answer is not None:  # others are to be ignored, says the protocol
                    await answer(event)
        except HungUpError:
            pass
        except LobugError as error:
            await self._stop_all(reading)
            await self._end_with(error)
        finally:
            await self._stop_all(reading)
            self._writer.close()

    async def _stop_all(self, reading: asyncio.Task[None]) -> None:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        await self._stop_hearing()
        await self._stop_speaking()

    # ---- in and out

    async def _read(self) -> None:
        try:
            while (event := await read_client_event(self._reader, self._settings)) is not None:
                await self._incoming.put(event)
        except LobugError as error:
            await self._incoming.put(error)
            return
        self._gone.set()
        await self._incoming.put(None)

    async def _next(self) -> Event | None:
        """The next event; None: there is none. Raises what was wrong with it, and EventTimeoutError
        when something has begun and nothing follows."""
        try:
            async with asyncio.timeout(self._settings.idle_timeout_s):
                event = await self._incoming.get()
        except TimeoutError:
            if self._hearing is None and self._speaking is None:
                return None
            seconds = self._settings.idle_timeout_s
            raise EventTimeoutError(f"nothing came for {seconds:g} s") from None
        if isinstance(event, LobugError):
            raise event
        return event

    async def _send(self, event: Event) -> None:
        """Send an event; those of several tasks are never mixed. Raises HungUpError."""
        try:
            async with asyncio.timeout(self._server.settings.streaming.send_timeout_s):
                await async_write_event(event, self._writer)
        except (TimeoutError, ConnectionError) as error:
            self._writer.transport.abort()
            raise HungUpError from error

    async def _end_with(self, error: LobugError) -> None:
        """Say what was wrong, and let the client read it: closing at once, while it still sends,
        would take the answer away from it."""
        log.info("a Wyoming client at %s got an error: %s: %s", self._address, error.code, error)
        with suppress(HungUpError, TimeoutError, OSError):
            await self._send(Error(error.spoken, error.code).event())
            self._writer.write_eof()
            async with asyncio.timeout(self._settings.event_timeout_s):
                while await self._reader.read(65_536):
                    pass

    async def _attend(self, service: str, work: Coroutine[Any, Any, T]) -> T:
        """The result of ``work``, which is cancelled when the client hangs up. Counts the
        request."""
        outcome = "cancelled"
        try:
            result = await self._unless_gone(work)
            outcome = "ok"
        except LobugError as error:
            outcome = error.code
            raise
        finally:
            self._server.telemetry.metrics.wyoming_request(service, outcome)
        return result

    async def _unless_gone(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(work)
        watch = asyncio.ensure_future(self._gone.wait())
        try:
            await asyncio.wait([task, watch], return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise HungUpError
            return task.result()
        finally:
            task.cancel()
            watch.cancel()
            await asyncio.gather(task, watch, return_exceptions=True)

    # ---- what there is

    async def _on_describe(self, _event: Event) -> None:
        await self._send(describe(self._server).event())

    async def _on_ping(self, event: Event) -> None:
        await self._send(Pong(parse(PingRequest, event).text).event())

    # ---- speech-to-text

    async def _on_transcribe(self, event: Event) -> None:
        self._language = parse(TranscribeRequest, event).language

    async def _on_audio_start(self, event: Event) -> None:
        parse(AudioFormat, event)
        await self._stop_hearing()
        self._hearing = Hearing(self._server, self._language, self._send)

    async def _on_audio_chunk(self, event: Event) -> None:
        form = parse(AudioFormat, event).pcm
        if self._hearing is None:  # some clients begin without saying so
            self._hearing = Hearing(self._server, self._language, self._send)
        try:
            await self._hearing.feed(event.payload or b"", form)
        except LobugError as error:
            self._server.telemetry.metrics.wyoming_request("stt", error.code)
            raise

    async def _on_audio_stop(self, _event: Event) -> None:
        if self._hearing is None:
            raise EventError("audio-stop: no sound has begun")
        await self._attend("stt", self._hearing.finish())
        await self._stop_hearing()

    async def _stop_hearing(self) -> None:
        hearing, self._hearing = self._hearing, None
        if hearing is not None:
            await hearing.close()

    # ---- text-to-speech

    async def _on_synthesize(self, event: Event) -> None:
        if self._speaking is not None:
            return  # the text that comes in pieces, once more as a whole: for older servers
        wish = parse(SpokenText, event)
        self._speaking = Speaking(self._server, self._voice, wish.text_format, self._send)
        self._speaking.feed(wish.text)
        await self._attend("tts", self._speaking.finish())
        await self._stop_speaking()

    async def _on_synthesize_start(self, event: Event) -> None:
        if self._speaking is not None:
            raise EventError("synthesize-start: another text has begun")
        wish = parse(SpeechRequest, event)
        self._speaking = Speaking(self._server, self._voice, wish.text_format, self._send)

    async def _on_synthesize_chunk(self, event: Event) -> None:
        if self._speaking is None:
            raise EventError("synthesize-chunk: no text has begun")
        self._speaking.feed(parse(TextChunk, event).text)

    async def _on_synthesize_stop(self, _event: Event) -> None:
        if self._speaking is None:
            raise EventError("synthesize-stop: no text has begun")
        await self._attend("tts", self._speaking.finish())
        await self._stop_speaking()
        await self._send(SynthesizeStopped().event())

    async def _stop_speaking(self) -> None:
        speaking, self._speaking = self._speaking, None
        if speaking is not None:
            await speaking.close()

    # ---- conversation

    async def _on_transcript(self, event: Event) -> None:
        words = parse(Words, event)
        turn = take_turn(self._server, words, self._address)
        answer, conversation_key = await self._attend("handle", turn)
        await self._send(answer)
        await self._server.after_turn(conversation_key)
