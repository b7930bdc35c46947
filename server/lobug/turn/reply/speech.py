"""The silence around a piece's speech, cut to what a person leaves between clauses and sentences.

Pure. Voices put about 0.3 s of silence in front of whatever they say and 0.5 s behind it. In front
of the first piece that is 0.3 s longer to wait; between two clauses it is a pause of almost a
second in the middle of a sentence.

The speech stage: turns the pieces of a stream of events into audio, in order.

Two tasks fill one queue: one reads the events, so the model writes on, whatever the voice and the
listener do; one gives the pieces to the voice, one after the other, so that the sound of a piece
leaves as soon as it is there and not only when the model has written its next word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field

import numpy as np

from lobug.engines.base import Samples, TextToSpeech
from lobug.errors import EngineError
from lobug.language import language_of
from lobug.language.en.clauses import FEWEST_BEFORE_CONJUNCTION
from lobug.language.protocol import Language
from lobug.turn.events import Piece, SpeechAudio, TurnEvent

BEFORE_S = 0.03
"""Seconds of silence in front of speech that stay, so that a soft first sound is not cut."""
AFTER_CLAUSE_S = 0.15
AFTER_SENTENCE_S = 0.4
"""Seconds behind it. With what stays in front of the next piece they are the pauses of a person
who reads aloud."""

_FRAME_S = 0.005
_FLOOR = 0.01
"""A frame is silent that stays 40 dB below the loudest one."""
_ENDS = ".!?…\u3002\uff01\uff1f"
_CLOSERS = "\"'”’»)]"


def with_pauses(speech: Samples, sample_rate: int, text: str) -> Samples:
    """``speech`` with less silence around it, where there is more; never with more.

    Args:
        speech: what the voice made of a piece, mono; not changed.
        sample_rate: Hz.
        text: the piece; its end says which pause follows.
    """
    frame = max(1, int(sample_rate * _FRAME_S))
    loudness = np.maximum.reduceat(np.abs(speech), np.arange(0, speech.size, frame))
    sounding = np.flatnonzero(loudness > _FLOOR * loudness.max()) if loudness.size else loudness
    if not sounding.size:
        return speech
    after = AFTER_SENTENCE_S if _ends_a_sentence(text) else AFTER_CLAUSE_S
    start = int(sounding[0]) * frame - int(BEFORE_S * sample_rate)
    end = (int(sounding[-1]) + 1) * frame + int(after * sample_rate)
    return speech[max(0, start) : end]


def _ends_a_sentence(text: str) -> bool:
    return text.rstrip(_CLOSERS)[-1:] in tuple(_ENDS)


MAX_WAITING = 4
"""Pieces whose audio may wait for the listener: enough that playback never starves, and about a
megabyte; the voice does not run further ahead of somebody who may interrupt it."""


@dataclass(slots=True)
class SpeechOutcome:
    """How speaking went."""

    error: EngineError | None = None
    """The first failure; nothing is spoken after it."""
    seconds: float = 0.0
    """Length of all audio given so far."""
    full: bool = False
    """The next piece would have been too long; nothing is spoken after it."""

    @property
    def over(self) -> bool:
        """Whether nothing more is to be spoken."""
        return self.full or self.error is not None


@dataclass(slots=True)
class _Ended:
    """The last thing in the queue: all was given, or what went wrong."""

    fault: BaseException | None = None


@dataclass(slots=True)
class _Queues:
    out: asyncio.Queue[TurnEvent | _Ended] = field(default_factory=asyncio.Queue)
    """Without a bound: the reply has one, in tokens."""
    to_speak: asyncio.Queue[Piece | None] = field(default_factory=asyncio.Queue)
    """None: no piece follows."""
    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_WAITING))
    """One for each piece of audio that waits in ``out``."""


ENGLISH = language_of("en")
"""The language of the voice; loaded here, before the first turn."""


async def speak(
    events: AsyncGenerator[TurnEvent],
    tts: TextToSpeech,
    outcome: SpeechOutcome,
    max_seconds: float | None,
    *,
    language: Language = ENGLISH,
) -> AsyncGenerator[TurnEvent]:
    """Pass all events on and add a ``SpeechAudio`` for each ``Piece``, after it.

    The events are read as fast as they come, also while the caller takes none. When the voice
    fails the turn goes on without it: a reply that can be read is better than none. What the
    events raise is raised here, after the events before it; audio that is not ready is then lost.

    Args:
        events: what the reply stage yields; it is closed.
        tts: the voice.
        outcome: takes how it went.
        max_seconds: speech ends before the piece that would pass it, for a device that has to
            hold the whole reply; None: no limit.
        language: of the reply; how numbers and signs are read.
    """
    queues = _Queues()
    tasks = [
        asyncio.ensure_future(_ending_with_faults(queues, _read(events, queues))),
        asyncio.ensure_future(
            _ending_with_faults(queues, _synthesise(queues, tts, outcome, max_seconds, language))
        ),
    ]
    try:
        while not isinstance(event := await queues.out.get(), _Ended):
            if isinstance(event, SpeechAudio):
                queues.places.release()
            yield event
        if event.fault is not None:
            raise event.fault
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _ending_with_faults(queues: _Queues, work: Coroutine[None, None, None]) -> None:
    try:
        await work
    except Exception as fault:  # noqa: BLE001  # the caller gets it and nobody waits for ever
        queues.out.put_nowait(_Ended(fault))


async def _read(events: AsyncGenerator[TurnEvent], queues: _Queues) -> None:
    async with aclosing(events):
        async for event in events:
            queues.out.put_nowait(event)
            if isinstance(event, Piece):
                queues.to_speak.put_nowait(event)
    queues.to_speak.put_nowait(None)


async def _synthesise(
    queues: _Queues,
    tts: TextToSpeech,
    outcome: SpeechOutcome,
    max_seconds: float | None,
    language: Language,
) -> None:
    while (piece := await queues.to_speak.get()) is not None:
        if outcome.over:
            continue
        await queues.places.acquire()
        audio = await _speech(piece, tts, outcome, max_seconds, language)
        if audio is None:
            queues.places.release()
        else:
            queues.out.put_nowait(audio)
    queues.out.put_nowait(_Ended())


async def _speech(
    piece: Piece,
    tts: TextToSpeech,
    outcome: SpeechOutcome,
    max_seconds: float | None,
    language: Language,
) -> SpeechAudio | None:
    """A piece's speech; None when there is none or it must not be heard."""
    try:
        samples = await tts.synthesize(_voiced(language.spoken_form(piece.text)))
    except EngineError as error:
        outcome.error = error
        return None
    samples = with_pauses(samples, tts.sample_rate, piece.text)
    seconds = samples.size / tts.sample_rate
    if max_seconds is not None and outcome.seconds + seconds > max_seconds:
        outcome.full = True
        return None
    outcome.seconds += seconds
    return SpeechAudio(piece.index, samples, tts.sample_rate) if samples.size else None


def _voiced(words: str) -> str:
    """With a comma where a clause was cut without one, so that the voice does not sound as if it
    had finished."""
    goes_on = words[-1:].isalnum() and len(words.split()) >= FEWEST_BEFORE_CONJUNCTION
    return f"{words}," if goes_on else words
