"""The speech stage: turns the pieces of a stream of events into audio, in order.

Two tasks fill one queue. One reads the events, so that the model keeps writing whatever the voice
and the listener do. The other gives the pieces to the voice, one after the other, so that a piece's
audio is passed on as soon as it is ready, not only when the model has written its next word.

Voices put about 0.3 s of silence before whatever they say and 0.5 s after it. Before the first
piece the user would wait for it; between two clauses it would be a pause of almost a second. So the
silence is trimmed to the pauses of a person who reads aloud.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from lobug.engines.base import PacedVoice, Samples, StreamingVoice, TextToSpeech
from lobug.errors import EngineError
from lobug.language import language_of
from lobug.language.en.segmentation import FEWEST_BEFORE_CONJUNCTION
from lobug.language.protocol import Language
from lobug.turn.events import NOTICE_INDEX, Notice, Piece, SpeechAudio, TurnEvent

BEFORE_S = 0.03
"""Seconds of silence kept before speech, so that a soft first sound is not cut."""
AFTER_CLAUSE_S = 0.15
AFTER_SENTENCE_S = 0.4
"""Seconds of silence kept after speech, by the piece's end. Together with ``BEFORE_S`` of the next
piece they are the pauses of a person who reads aloud."""

_FRAME_S = 0.005
_FLOOR = 0.01
"""Share of the loudest frame below which a frame is silent: 40 dB."""
_SOFTEST_VOICE = 0.1
"""Loudest frame of the softest voice. While speech still comes, its own loudest frame is not
known."""
_ENDS = ".!?…\u3002\uff01\uff1f"
_CLOSERS = "\"'”’»)]"


def trim_silence(speech: Samples, sample_rate: int, text: str) -> Samples:
    """``speech`` without the silence beyond the pauses above. Silence is never added. Pure.

    Args:
        speech: a piece's audio, mono; not changed.
        sample_rate: Hz.
        text: the piece; its last character decides which pause follows.
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


class SilenceTrimmer:
    """Does what ``trim_silence`` does while the speech of a piece still comes. Pure."""

    def __init__(self, sample_rate: int, text: str) -> None:
        self._frame = max(1, int(sample_rate * _FRAME_S))
        self._before = int(BEFORE_S * sample_rate)
        after_s = AFTER_SENTENCE_S if _ends_a_sentence(text) else AFTER_CLAUSE_S
        self._after = int(after_s * sample_rate)
        self._loudest = _SOFTEST_VOICE
        self._begun = False
        self._held = np.zeros(0, np.float32)
        """What may be the silence before the speech or after it, and less than a frame more."""

    def feed(self, samples: Samples) -> Samples:
        """Take the next samples; return those that can be played, which may be none."""
        held = np.concatenate([self._held, samples])
        whole = held.size // self._frame * self._frame
        loudness = np.abs(held[:whole]).reshape(-1, self._frame).max(axis=1, initial=0.0)
        self._loudest = max(self._loudest, float(loudness.max(initial=0.0)))
        sounding = np.flatnonzero(loudness > _FLOOR * self._loudest)
        if not sounding.size:
            # Before the speech only the end of the silence is needed, after it only the beginning.
            self._held = held if self._begun else held[max(0, held.size - self._kept_before) :]
            return np.zeros(0, np.float32)
        start = 0 if self._begun else max(0, int(sounding[0]) * self._frame - self._before)
        # The last sounding frame is kept too, so that something is left for the end.
        end = int(sounding[-1]) * self._frame
        self._begun = True
        self._held = held[max(start, end) :]
        return held[start : max(start, end)]

    def finish(self) -> Samples:
        """The end of the speech, with the pause that follows it; empty if there was none."""
        return self._held[: self._frame + self._after] if self._begun else self._held[:0]

    @property
    def _kept_before(self) -> int:
        return self._before + 2 * self._frame


def _ends_a_sentence(text: str) -> bool:
    return text.rstrip(_CLOSERS)[-1:] in tuple(_ENDS)


MAX_WAITING = 4
"""Most pieces whose audio may wait for the consumer: enough for gapless playback, about a megabyte,
and little wasted when the reply is interrupted."""


@dataclass(slots=True)
class SpeechOutcome:
    """How far the speech of a turn has come."""

    error: EngineError | None = None
    """The first failure; nothing is spoken after it."""
    seconds: float = 0.0
    """Length of the audio so far."""
    full: bool = False
    """Whether the next piece would have passed the longest speech; nothing is spoken after it."""

    @property
    def over(self) -> bool:
        """Whether nothing more is spoken."""
        return self.full or self.error is not None


@dataclass(slots=True)
class _End:
    """The last item of the queue."""

    fault: BaseException | None = None
    """What went wrong; None: nothing."""


@dataclass(slots=True)
class _Queues:
    out: asyncio.Queue[TurnEvent | _End] = field(default_factory=asyncio.Queue)
    """Unbounded, because the reply is bounded, in tokens."""
    to_speak: asyncio.Queue[Piece | None] = field(default_factory=asyncio.Queue)
    """Pieces for the voice; None: no piece follows."""
    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_WAITING))
    """Free places for audio in ``out``."""


ENGLISH = language_of("en")
"""The language of the voice; loaded here, before the first turn."""


async def speak(
    events: AsyncGenerator[TurnEvent],
    tts: TextToSpeech,
    outcome: SpeechOutcome,
    max_seconds: float | None,
    *,
    language: Language = ENGLISH,
    speed: float = 1.0,
) -> AsyncGenerator[TurnEvent]:
    """Pass all events on, and add a ``SpeechAudio`` after each ``Piece``; several of a voice that
    gives the beginning of a sentence before its end (``StreamingVoice``).

    The events are read as fast as they come, also while the consumer takes none. When the voice
    fails the turn goes on without it, because a reply that can be read is better than none. What
    the events raise is raised here, after the events before it; audio that is not ready is lost.

    Args:
        events: the reply stage; it is closed.
        tts: the voice.
        outcome: filled as speech is made.
        max_seconds: the longest speech; it ends before the piece that would exceed it, for a device
            that has to hold the whole reply. None: no limit, and pieces may come in parts.
        language: of the reply; decides how numbers and signs are read.
        speed: times the voice's own; a voice with one speed ignores it.
    """
    queues = _Queues()
    tasks = [
        asyncio.ensure_future(_ending_with_faults(queues, _read(events, queues))),
        asyncio.ensure_future(
            _ending_with_faults(
                queues, _synthesise(queues, _at(tts, speed), outcome, max_seconds, language)
            )
        ),
    ]
    try:
        while not isinstance(event := await queues.out.get(), _End):
            if isinstance(event, SpeechAudio) and event.last:
                queues.places.release()
            yield event
        if event.fault is not None:
            raise event.fault
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class _Voice:
    """A voice at one speed."""

    synthesize: Callable[[str], Awaitable[Samples]]
    sample_rate: int
    """Hz."""
    stream: Callable[[str], AsyncGenerator[Samples]] | None
    """As of ``StreamingVoice``; None: it gives whole sentences."""


def _at(tts: TextToSpeech, speed: float) -> _Voice:
    stream = partial(tts.stream, speed=speed) if isinstance(tts, StreamingVoice) else None
    if speed != 1.0 and isinstance(tts, PacedVoice):
        return _Voice(partial(tts.synthesize_at, speed=speed), tts.sample_rate, stream)
    return _Voice(tts.synthesize, tts.sample_rate, stream)


async def _ending_with_faults(queues: _Queues, work: Coroutine[None, None, None]) -> None:
    try:
        await work
    except Exception as fault:  # noqa: BLE001  # raised again by ``speak``
        queues.out.put_nowait(_End(fault))


async def _read(events: AsyncGenerator[TurnEvent], queues: _Queues) -> None:
    async with aclosing(events):
        async for event in events:
            queues.out.put_nowait(event)
            if isinstance(event, Piece):
                queues.to_speak.put_nowait(event)
    queues.to_speak.put_nowait(None)


async def _synthesise(
    queues: _Queues,
    voice: _Voice,
    outcome: SpeechOutcome,
    max_seconds: float | None,
    language: Language,
) -> None:
    while (piece := await queues.to_speak.get()) is not None:
        if outcome.over:
            continue
        await queues.places.acquire()
        # A limit is one for whole pieces.
        if voice.stream is not None and max_seconds is None:
            any_audio = await _stream_speech(piece, voice, outcome, queues.out, language)
        else:
            audio = await _speech(piece, voice, outcome, max_seconds, language)
            any_audio = audio is not None
            if audio is not None:
                queues.out.put_nowait(audio)
        if not any_audio:
            queues.places.release()
    queues.out.put_nowait(_End())


async def _stream_speech(
    piece: Piece,
    voice: _Voice,
    outcome: SpeechOutcome,
    out: asyncio.Queue[TurnEvent | _End],
    language: Language,
) -> bool:
    """Put a piece's audio into ``out`` as it comes; the last part says that it is the last. Returns
    whether there was any."""
    assert voice.stream is not None  # noqa: S101 - for the type checker
    trimmer = SilenceTrimmer(voice.sample_rate, piece.text)
    begun = False

    def put(samples: Samples, *, last: bool) -> None:
        outcome.seconds += samples.size / voice.sample_rate
        out.put_nowait(SpeechAudio(piece.index, samples, voice.sample_rate, last))

    try:
        async with aclosing(voice.stream(_with_comma(language.spoken_form(piece.text)))) as parts:
            async for part in parts:
                samples = trimmer.feed(part)
                if samples.size:
                    put(samples, last=False)
                    begun = True
    except EngineError as error:
        outcome.error = error
    rest = trimmer.finish()
    if not begun and not rest.size:
        return False
    put(rest, last=True)
    return True


async def speak_notice(notice: Notice, tts: TextToSpeech) -> SpeechAudio | None:
    """Speak a notice, for a door that plays it at once; None: there is no voice, or it failed."""
    piece = Piece(NOTICE_INDEX, notice.text)
    return await _speech(piece, _at(tts, 1.0), SpeechOutcome(), None, ENGLISH)


async def _speech(
    piece: Piece,
    voice: _Voice,
    outcome: SpeechOutcome,
    max_seconds: float | None,
    language: Language,
) -> SpeechAudio | None:
    """A piece's audio; None: it is empty, failed, or would be too long."""
    try:
        samples = await voice.synthesize(_with_comma(language.spoken_form(piece.text)))
    except EngineError as error:
        outcome.error = error
        return None
    samples = trim_silence(samples, voice.sample_rate, piece.text)
    seconds = samples.size / voice.sample_rate
    if max_seconds is not None and outcome.seconds + seconds > max_seconds:
        outcome.full = True
        return None
    outcome.seconds += seconds
    return SpeechAudio(piece.index, samples, voice.sample_rate) if samples.size else None


def _with_comma(words: str) -> str:
    """``words`` with a comma after a clause that was cut without one, so that the voice does not
    sound as if the sentence had ended."""
    goes_on = words[-1:].isalnum() and len(words.split()) >= FEWEST_BEFORE_CONJUNCTION
    return f"{words}," if goes_on else words
