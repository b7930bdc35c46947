"""Speech-to-text of one stream of sound, while it arrives."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing

from wyoming.asr import Transcript, TranscriptChunk, TranscriptStart, TranscriptStop
from wyoming.event import Event

from lobug.engines.base import Transcript as EngineTranscript
from lobug.engines.pcm import PcmFormat
from lobug.errors import AudioTooLongError, EventTimeoutError
from lobug.server import LobugServer
from lobug.settings import Settings
from lobug.settings.engines import SPOKEN_LANGUAGES
from lobug.turn.events import (
    InterimTranscript,
    ListeningFailed,
    NothingSaid,
    PauseTranscript,
    SpeechEnded,
)
from lobug.turn.listener import Listener
from lobug.wyoming.sound import IncomingSound

_BLOCKING_BYTES = 64 * 1024
"""Sound of more bytes is converted in a thread: it takes milliseconds."""


class LiveWords:
    """Which words of a growing transcript are told. Pure.

    What is told cannot be taken back, and Whisper still changes its mind about the last words. So a
    word is told when two transcripts in a row agree on it and on all words before it.
    """

    def __init__(self) -> None:
        self._before: Sequence[str] = ()
        self._told: list[str] = []

    def feed(self, text: str) -> str:
        """Take the words so far. Returns the words that are told now, with a space before them if
        others were told already; empty: none."""
        words = text.split()
        agreed = _common(self._before, words)
        self._before = words
        return self._tell(words[:agreed])

    def end(self, text: str) -> str:
        """Take all words. Returns the rest of them; empty also when what was told is not their
        beginning."""
        return self._tell(text.split())

    def _tell(self, words: Sequence[str]) -> str:
        count = len(self._told)
        if len(words) <= count or list(words[:count]) != self._told:
            return ""
        self._told = list(words)
        return " " * (count > 0) + " ".join(words[count:])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Number of first words that are the same."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def settings_for_stream(settings: Settings, language: str | None) -> Settings:
    """The settings with which a stream is heard: the whole of it is one utterance, which the client
    ends. ``language``: the client's wish, such as ``de-CH``; what the owner set counts more."""
    longest = settings.limits.max_audio_seconds + 1.0
    listening = settings.listening.model_copy(
        # A client may send a whole recording at once.
        update={"max_utterance_s": longest, "max_backlog_s": longest}
    )
    wished = (language or "").replace("_", "-").partition("-")[0].lower()
    stt = settings.stt
    if stt.language == "auto" and wished in SPOKEN_LANGUAGES:
        stt = stt.model_copy(update={"language": wished})
    return settings.model_copy(update={"listening": listening, "stt": stt})


class Hearing:
    """Hears one stream. It is transcribed while it arrives, at every short pause, so that the
    transcript is usually there when the stream ends. ``close`` it."""

    def __init__(
        self, server: LobugServer, language: str | None, send: Callable[[Event], Awaitable[None]]
    ) -> None:
        """``send`` sends an event to the client. Raises EngineError where there is no gate."""
        settings = settings_for_stream(server.settings, language)
        self._limits = settings.limits
        self._server = server
        self._send = send
        self._sound = IncomingSound()
        self._words = LiveWords()
        self._streaming = False
        self._until = server.clock() + settings.limits.body_deadline_s
        self._listener = Listener(
            server.engines.gate,
            server.engines.stt,
            lambda: settings,
            mode="manual",
            busy=lambda: server.priority.turns > 0,
            clock=server.clock,
        )
        self._task = asyncio.create_task(self._listen())

    async def feed(self, pcm: bytes, form: PcmFormat) -> None:
        """Take the next sound. Raises AudioError, AudioTooLongError, EventTimeoutError (it takes
        longer than ``limits.body_deadline_s``), and what listening has failed with."""
        if self._task.done():
            self._task.result()
        if self._server.clock() > self._until:
            seconds = self._limits.body_deadline_s
            raise EventTimeoutError(f"the sound took longer than {seconds:g} s")
        if len(pcm) > _BLOCKING_BYTES:
            samples = await asyncio.to_thread(self._sound.feed, pcm, form)
        else:
            samples = self._sound.feed(pcm, form)
        if self._sound.seconds > self._limits.max_audio_seconds:
            seconds = self._limits.max_audio_seconds
            raise AudioTooLongError(f"the sound is longer than {seconds:g} s")
        self._listener.push(samples)

    async def finish(self) -> None:
        """Send the transcript of all that was fed; it is empty when nobody spoke. Raises
        EngineError."""
        self._listener.push(self._sound.flush())
        self._listener.stop()
        heard = await self._task
        text = "" if heard is None else " ".join(heard.text.split())
        language = None if heard is None else heard.language
        await self._tell(self._words.end(text))
        await self._start()
        await self._send(Transcript(text, language=language).event())
        await self._send(TranscriptStop().event())

    async def close(self) -> None:
        """Stop listening. Safe to call twice."""
        self._listener.close()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _listen(self) -> EngineTranscript | None:
        """What was said; None: nothing."""
        with self._server.priority.speech():
            async with aclosing(self._listener.events()) as events:
                async for event in events:
                    match event:
                        case InterimTranscript():
                            await self._tell(self._words.feed(event.text))
                        case PauseTranscript():
                            await self._tell(self._words.feed(event.transcript.text))
                        case SpeechEnded():
                            return event.transcript
                        case NothingSaid():
                            return None
                        case ListeningFailed():
                            raise event.error
        return None

    async def _tell(self, words: str) -> None:
        if words:
            await self._start()
            await self._send(TranscriptChunk(words).event())

    async def _start(self) -> None:
        if not self._streaming:
            self._streaming = True
            await self._send(TranscriptStart().event())
