"""The speech stage: in order, as soon as it is ready, bounded, and nothing left running."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.engines.base import Samples
from lobug.errors import ContextOverflowError, EngineError, EngineInterruptedError
from lobug.turn.events import Piece, ReplyDelta, SpeechAudio, TurnEvent
from lobug.turn.speech import (
    MAX_WAITING,
    SilenceTrimmer,
    SpeechOutcome,
    speak,
    trim_silence,
)
from support.patience import PATIENCE_S
from support.scripted_speech import ScriptedTextToSpeech


class Source:
    """Pieces, waits and faults, and whether the generator that gave them was closed."""

    def __init__(self, *steps: str | asyncio.Event | Exception) -> None:
        self._steps = steps
        self.closed = False

    async def events(self) -> AsyncGenerator[TurnEvent]:
        index = 0
        try:
            for step in self._steps:
                if isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, Exception):
                    raise step
                else:
                    yield ReplyDelta(step)
                    yield Piece(index, step)
                    index += 1
        finally:
            self.closed = True


def speaking(
    source: Source,
    tts: ScriptedTextToSpeech,
    outcome: SpeechOutcome | None = None,
    max_seconds: float | None = 60.0,
) -> AsyncGenerator[TurnEvent]:
    return speak(source.events(), tts, outcome or SpeechOutcome(), max_seconds)


async def taken(stream: AsyncGenerator[TurnEvent], seen: list[TurnEvent]) -> list[TurnEvent]:
    """The events of the stream, also in ``seen`` should it fail."""
    async with aclosing(stream):
        async for event in stream:
            seen.append(event)  # noqa: PERF401 - what came before a fault must be there
    return seen


async def spoken_by(stream: AsyncGenerator[TurnEvent]) -> list[int]:
    async with aclosing(stream):
        return [event.index async for event in stream if isinstance(event, SpeechAudio)]


async def until_idle() -> None:
    """Let every task go on until all of them wait for something outside."""
    for _ in range(50):
        await asyncio.sleep(0)


def others() -> set[asyncio.Task[object]]:
    return asyncio.all_tasks() - {asyncio.current_task()}


async def test_every_piece_is_followed_by_its_speech_in_order() -> None:
    seen = await taken(speaking(Source("One.", "Two."), ScriptedTextToSpeech()), [])
    pieces = [event.index for event in seen if isinstance(event, Piece)]
    audio = [event.index for event in seen if isinstance(event, SpeechAudio)]
    assert pieces == audio == [0, 1]
    for index in audio:
        places = {type(e): i for i, e in enumerate(seen) if getattr(e, "index", None) == index}
        assert places[Piece] < places[SpeechAudio]


class Paced(ScriptedTextToSpeech):
    """A voice with more than one speed."""

    def __init__(self) -> None:
        super().__init__()
        self.speeds: list[float] = []

    async def synthesize_at(self, sentence: str, speed: float) -> Samples:
        self.speeds.append(speed)
        return await self.synthesize(sentence)


@pytest.mark.parametrize(("speed", "asked"), [(0.8, [0.8, 0.8]), (1.0, [])])
async def test_a_voice_speaks_as_fast_as_the_conversation_wants(
    speed: float, asked: list[float]
) -> None:
    voice = Paced()
    source = Source("One.", "Two.")
    spoken = await spoken_by(speak(source.events(), voice, SpeechOutcome(), 60.0, speed=speed))
    assert (spoken, voice.speeds) == ([0, 1], asked)
    plain = ScriptedTextToSpeech()
    again = Source("One.", "Two.")
    assert await spoken_by(speak(again.events(), plain, SpeechOutcome(), 60.0, speed=speed)) == [
        0,
        1,
    ]


async def test_speech_does_not_wait_for_the_models_next_word() -> None:
    silent = asyncio.Event()
    async with aclosing(speaking(Source("One.", silent), ScriptedTextToSpeech())) as stream:
        async with asyncio.timeout(PATIENCE_S):
            async for event in stream:
                if isinstance(event, SpeechAudio):
                    break
    assert event == SpeechAudio(0, event.samples, 24_000)  # type: ignore[union-attr]


async def test_the_model_writes_on_while_the_voice_works() -> None:
    gate = asyncio.Event()
    source = Source("One.", "Two.", "Three.")
    async with aclosing(speaking(source, ScriptedTextToSpeech(gate=gate))) as stream:
        await anext(stream)
        await until_idle()
        assert source.closed
        gate.set()
        assert await spoken_by(stream) == [0, 1, 2]


async def test_the_voice_gets_the_spoken_form_and_the_events_keep_the_written_one() -> None:
    tts = ScriptedTextToSpeech()
    async with aclosing(speaking(Source("At 3:45 pm."), tts)) as stream:
        pieces = [event.text async for event in stream if isinstance(event, Piece)]
    assert pieces == ["At 3:45 pm."]
    assert tts.spoken == ["At three forty-five PM."]


async def test_the_voice_runs_ahead_of_the_listener_only_so_far() -> None:
    tts = ScriptedTextToSpeech()
    texts = [f"Piece {chr(97 + number)}." for number in range(3 * MAX_WAITING)]
    async with aclosing(speaking(Source(*texts), tts)) as stream:
        await anext(stream)
        await until_idle()
        assert len(tts.spoken) == MAX_WAITING
        assert await spoken_by(stream) == list(range(len(texts)))


async def test_closing_the_stage_closes_what_it_reads_and_leaves_no_task() -> None:
    source = Source("One.", asyncio.Event(), "Two.")
    tts = ScriptedTextToSpeech(gate=asyncio.Event())
    before = others()
    async with aclosing(speaking(source, tts)) as stream:
        await anext(stream)
        await until_idle()
    assert source.closed
    assert others() == before


async def test_cancelling_the_caller_stops_everything() -> None:
    source = Source("One.", asyncio.Event())
    before = others()
    turn = asyncio.ensure_future(
        spoken_by(speaking(source, ScriptedTextToSpeech(gate=asyncio.Event())))
    )
    await until_idle()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert source.closed
    assert others() == before


async def test_what_is_too_long_ends_the_speech_without_a_hole() -> None:
    # The scripted voice speaks ten milliseconds a character.
    outcome = SpeechOutcome()
    source = Source("x" * 50, "y" * 80, "z")
    assert await spoken_by(speaking(source, ScriptedTextToSpeech(), outcome, 1.0)) == [0]
    assert outcome.full


async def test_without_a_limit_everything_is_spoken() -> None:
    source = Source(*["x" * 5_000] * 3)
    assert await spoken_by(speaking(source, ScriptedTextToSpeech(), None, None)) == [0, 1, 2]


class FailingTextToSpeech(ScriptedTextToSpeech):
    """Fails at one piece, with an error of its own."""

    def __init__(self, at: str, error: Exception) -> None:
        super().__init__()
        self._at = at
        self._error = error

    async def synthesize(self, sentence: str) -> Samples:
        if sentence == self._at:
            raise self._error
        return await super().synthesize(sentence)


async def test_a_voice_that_fails_leaves_the_text() -> None:
    outcome = SpeechOutcome()
    tts = FailingTextToSpeech("Two.", EngineInterruptedError("tts", "gone"))
    async with aclosing(speaking(Source("One.", "Two.", "Three."), tts, outcome)) as stream:
        events = [event async for event in stream]
    assert [e.index for e in events if isinstance(e, SpeechAudio)] == [0]
    assert [e.index for e in events if isinstance(e, Piece)] == [0, 1, 2]
    assert outcome.error is not None
    assert tts.spoken == ["One."], "nothing is asked of a voice that failed"


async def test_a_fault_of_the_reply_arrives_after_what_came_before_it() -> None:
    seen: list[TurnEvent] = []
    before = others()
    source = Source("One.", ContextOverflowError("chat", "full"))
    with pytest.raises(ContextOverflowError):
        await taken(speaking(source, ScriptedTextToSpeech()), seen)
    assert [e.text for e in seen if isinstance(e, Piece)] == ["One."]
    assert others() == before


async def test_a_defect_of_the_voice_is_no_hang() -> None:
    tts = FailingTextToSpeech("One.", RuntimeError("defect"))
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(RuntimeError, match="defect"):
            await spoken_by(speaking(Source("One.", asyncio.Event()), tts))


async def test_silence_is_no_audio() -> None:
    class Mute(ScriptedTextToSpeech):
        async def synthesize(self, sentence: str) -> Samples:
            return np.zeros(0, np.float32)

    texts = [f"{number}" for number in range(2 * MAX_WAITING)]
    assert await spoken_by(speaking(Source(*texts), Mute())) == []


class StreamedTextToSpeech(ScriptedTextToSpeech):
    """Gives a sentence in parts: its silence, and a tenth of a second a word."""

    def __init__(
        self, *, wait: asyncio.Event | None = None, fault: EngineError | None = None
    ) -> None:
        super().__init__()
        self.wait, self.fault = wait, fault
        self.closed = 0

    async def stream(self, sentence: str, speed: float) -> AsyncGenerator[Samples]:
        try:
            yield np.zeros(4_800, np.float32)
            for _ in sentence.split():
                yield (0.3 * np.sin(np.arange(2_400) * 0.1)).astype(np.float32)
                if self.wait is not None:
                    await self.wait.wait()
                if self.fault is not None:
                    raise self.fault
            yield np.zeros(24_000, np.float32)
        finally:
            self.closed += 1


def parts_of(events: list[TurnEvent]) -> list[tuple[int, bool]]:
    return [(event.index, event.last) for event in events if isinstance(event, SpeechAudio)]


async def test_a_sentence_is_passed_on_as_it_comes() -> None:
    wait = asyncio.Event()
    tts = StreamedTextToSpeech(wait=wait)
    async with aclosing(speaking(Source("One two."), tts, None, None)) as stream:
        async with asyncio.timeout(PATIENCE_S):
            events = []
            async for event in stream:
                events.append(event)
                if isinstance(event, SpeechAudio):
                    break
        assert parts_of(events) == [(0, False)], "before the voice has said the second word"
        wait.set()
        events += [event async for event in stream]
    parts = parts_of(events)
    assert parts == [(0, False)] * (len(parts) - 1) + [(0, True)]
    sound = np.concatenate([e.samples for e in events if isinstance(e, SpeechAudio)])
    assert sound.size / 24_000 == pytest.approx(0.03 + 0.2 + 0.4, abs=0.011)


async def test_a_door_that_holds_the_whole_reply_gets_whole_pieces() -> None:
    seen = await taken(speaking(Source("One two."), StreamedTextToSpeech(), None, 60.0), [])
    assert parts_of(seen) == [(0, True)]


async def test_streamed_speech_runs_ahead_only_so_far_and_in_order() -> None:
    tts = StreamedTextToSpeech()
    texts = [f"Piece {chr(97 + number)}." for number in range(3 * MAX_WAITING)]
    async with aclosing(speaking(Source(*texts), tts, None, None)) as stream:
        await anext(stream)
        await until_idle()
        assert tts.closed == MAX_WAITING
        spoken = parts_of([event async for event in stream])
    assert [index for index, last in spoken if last] == list(range(len(texts)))
    assert [index for index, _ in spoken] == sorted(index for index, _ in spoken)


async def test_a_streamed_voice_that_breaks_off_ends_its_piece_and_the_speech() -> None:
    outcome = SpeechOutcome()
    tts = StreamedTextToSpeech(fault=EngineInterruptedError("tts", "gone"))
    seen = await taken(speaking(Source("One two.", "Three."), tts, outcome, None), [])
    assert parts_of(seen)[-1] == (0, True)
    assert outcome.error is tts.fault
    assert [e.index for e in seen if isinstance(e, Piece)] == [0, 1]


async def test_closing_the_stage_closes_a_streamed_voice() -> None:
    tts = StreamedTextToSpeech(wait=asyncio.Event())
    before = others()
    async with aclosing(speaking(Source("One two."), tts, None, None)) as stream:
        await anext(stream)
        await until_idle()
    assert tts.closed == 1
    assert others() == before


@settings(max_examples=60)
@given(
    before=st.integers(0, 9_000),
    after=st.integers(0, 15_000),
    cuts=st.lists(st.integers(0, 40_000), max_size=12),
    text=st.sampled_from(["It is nice.", "It is nice,"]),
)
def test_silence_is_trimmed_alike_whether_speech_comes_at_once_or_in_parts(
    before: int, after: int, cuts: list[int], text: str
) -> None:
    silence = np.zeros(max(before, after), np.float32)
    word = (0.3 * np.sin(np.arange(6_000) * 0.1)).astype(np.float32)
    pause = np.zeros(4_000, np.float32)
    speech = np.concatenate([silence[:before], word, pause, word, silence[:after]])
    edges = [0, *sorted({min(cut, speech.size) for cut in cuts}), speech.size]
    trimmer = SilenceTrimmer(24_000, text)
    parts = [trimmer.feed(speech[a:b]) for a, b in pairwise(edges)]
    trimmed = np.concatenate([*parts, trimmer.finish()])
    whole = trim_silence(speech, 24_000, text)
    assert abs(trimmed.size - whole.size) <= 2 * 120, "frames begin elsewhere"
    assert np.flatnonzero(trimmed).size == np.flatnonzero(whole).size


def test_silence_alone_is_no_speech() -> None:
    trimmer = SilenceTrimmer(24_000, "Hm.")
    assert not trimmer.feed(np.zeros(50_000, np.float32)).size
    assert not trimmer.finish().size
