"""The speech stage: in order, as soon as it is ready, bounded, and nothing left running."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import numpy as np
import pytest

from lobug.engines.base import Samples
from lobug.errors import ContextOverflowError, EngineInterruptedError
from lobug.turn.events import Piece, ReplyDelta, SpeechAudio, TurnEvent
from lobug.turn.speech import MAX_WAITING, SpeechOutcome, speak
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
        async with asyncio.timeout(10):
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
    async with asyncio.timeout(10):
        with pytest.raises(RuntimeError, match="defect"):
            await spoken_by(speaking(Source("One.", asyncio.Event()), tts))


async def test_silence_is_no_audio() -> None:
    class Mute(ScriptedTextToSpeech):
        async def synthesize(self, sentence: str) -> Samples:
            return np.zeros(0, np.float32)

    texts = [f"{number}" for number in range(2 * MAX_WAITING)]
    assert await spoken_by(speaking(Source(*texts), Mute())) == []
