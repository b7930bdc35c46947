"""Text-to-speech of one text, which may come in pieces: spoken sentence by sentence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing

from wyoming.audio import AudioStart, AudioStop
from wyoming.event import Event

from lobug.engines.absent import NoVoice
from lobug.engines.base import EngineStatus, Samples, TextToSpeech
from lobug.errors import (
    EmptyTextError,
    EngineUnavailableError,
    InvalidEncodingError,
    TextTooLongError,
    UnsupportedParameterError,
)
from lobug.language.en.segmentation import SentenceSplitter
from lobug.language.en.speakable import speakable
from lobug.quota import Claimant
from lobug.server import LobugServer
from lobug.turn.events import Piece, SpeechAudio, TurnEvent
from lobug.turn.slots import AudioJobs
from lobug.turn.speech import SpeechOutcome, speak
from lobug.wyoming.sound import PCM_WIDTH, chunks_of


class SharedVoice:
    """A voice that waits for a slot before each sentence, so that a client which writes slowly
    holds none meanwhile."""

    def __init__(self, server: LobugServer, jobs: AudioJobs, claimant: Claimant) -> None:
        self._tts: TextToSpeech = server.engines.tts
        self._priority = server.priority
        self._jobs = jobs
        self._claimant = claimant

    @property
    def sample_rate(self) -> int:
        return self._tts.sample_rate

    async def start(self) -> None:
        """Do nothing: the server starts it."""

    async def close(self) -> None:
        """Do nothing: the server closes it."""

    def status(self) -> EngineStatus:
        return self._tts.status()

    async def synthesize(self, sentence: str) -> Samples:
        async with AsyncExitStack() as held:
            await held.enter_async_context(self._jobs.slot(self._claimant))
            await held.enter_async_context(self._priority.turn())
            return await self._tts.synthesize(sentence)


class Speaking:
    """Speaks one text. Its sound is sent while more of the text comes. ``close`` it."""

    def __init__(
        self,
        server: LobugServer,
        voice: SharedVoice,
        text_format: str | None,
        send: Callable[[Event], Awaitable[None]],
    ) -> None:
        """``send`` sends an event to the client. Raises UnsupportedParameterError (markup),
        EngineUnavailableError (there is no voice)."""
        if text_format not in {None, "text"}:
            raise UnsupportedParameterError("only plain text is spoken", param="text_format")
        if isinstance(server.engines.tts, NoVoice):
            raise EngineUnavailableError("tts", "there is no voice")
        self._most = server.settings.limits.max_text_chars
        self._voice = voice
        self._send = send
        self._taken = 0
        self._texts: asyncio.Queue[str | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._speak())

    def feed(self, text: str) -> None:
        """Take the next piece of the text. Raises TextTooLongError, InvalidEncodingError, and what
        speaking has failed with."""
        if self._task.done():
            self._task.result()
        self._taken += len(text)
        if self._taken > self._most:
            raise TextTooLongError(f"the text has more than {self._most} characters")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidEncodingError("text holds half a surrogate pair") from None
        self._texts.put_nowait(text)

    async def finish(self) -> None:
        """Return when all of it was sent. Raises EngineError, BusyError, TooManyRequestsError,
        EmptyTextError (there was nothing to speak)."""
        self._texts.put_nowait(None)
        await self._task

    async def close(self) -> None:
        """Stop speaking. Safe to call twice."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _speak(self) -> None:
        outcome = SpeechOutcome()
        rate = self._voice.sample_rate
        began = False
        async with aclosing(speak(self._pieces(), self._voice, outcome, None)) as events:
            async for event in events:
                if not isinstance(event, SpeechAudio):
                    continue
                if not began:
                    began = True
                    await self._send(AudioStart(rate, PCM_WIDTH, 1).event())
                for chunk in chunks_of(event.samples, rate):
                    await self._send(chunk.event())
        if outcome.error is not None:
            raise outcome.error
        if not began:
            raise EmptyTextError("there is nothing to speak")
        await self._send(AudioStop().event())

    async def _pieces(self) -> AsyncGenerator[TurnEvent]:
        """The sentences of the text, as they become whole."""
        splitter = SentenceSplitter()
        index = 0
        while True:
            text = await self._texts.get()
            for sentence in splitter.flush() if text is None else splitter.feed(text):
                words = speakable(sentence)
                if any(character.isalnum() for character in words):
                    yield Piece(index, words)
                    index += 1
            if text is None:
                return
