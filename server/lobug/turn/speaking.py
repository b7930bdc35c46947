"""The speech stage: turns the sentences of a stream of events into audio, in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from lobug.engines.base import Samples, TextToSpeech
from lobug.errors import EngineError
from lobug.turn.events import Piece, SpeechAudio, TurnEvent


@dataclass(slots=True)
class SpeechOutcome:
    """How speaking went."""

    error: EngineError | None = None
    """The first failure; nothing is spoken after it."""
    seconds: float = 0.0
    """Length of all audio given so far."""
    full: bool = False
    """The next sentence would have been too long; nothing is spoken after it."""

    @property
    def over(self) -> bool:
        """Whether nothing more is to be spoken."""
        return self.full or self.error is not None


async def speak(
    events: AsyncGenerator[TurnEvent],
    tts: TextToSpeech,
    outcome: SpeechOutcome,
    max_seconds: float,
) -> AsyncGenerator[TurnEvent]:
    """Pass all events on and add a ``SpeechAudio`` for each ``Piece``.

    A sentence is synthesised while the model writes the next. When the voice fails the turn goes
    on without it: a reply that can be read is better than none. Speech ends before the sentence
    that would pass ``max_seconds``: a device has to hold the whole reply. ``events`` is closed.
    """
    pending: deque[tuple[int, asyncio.Task[Samples]]] = deque()
    try:
        async with aclosing(events):
            async for event in events:
                yield event
                if isinstance(event, Piece) and not outcome.over:
                    task = asyncio.ensure_future(tts.synthesize(event.text))
                    pending.append((event.index, task))
                while pending and pending[0][1].done():
                    audio = await _finish(pending.popleft(), tts, outcome, max_seconds)
                    if audio is not None:
                        yield audio
        while pending:
            audio = await _finish(pending.popleft(), tts, outcome, max_seconds)
            if audio is not None:
                yield audio
    finally:
        for _, task in pending:
            task.cancel()
        await asyncio.gather(*(task for _, task in pending), return_exceptions=True)


async def _finish(
    item: tuple[int, asyncio.Task[Samples]],
    tts: TextToSpeech,
    outcome: SpeechOutcome,
    max_seconds: float,
) -> SpeechAudio | None:
    index, task = item
    try:
        samples = await task
    except EngineError as error:
        outcome.error = outcome.error or error
        return None
    if outcome.over or samples.size == 0:
        return None
    seconds = samples.size / tts.sample_rate
    if outcome.seconds + seconds > max_seconds:
        outcome.full = True
        return None
    outcome.seconds += seconds
    return SpeechAudio(index, samples, tts.sample_rate)
