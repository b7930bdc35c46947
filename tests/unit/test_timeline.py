"""A turn's timeline, and what an observer is told of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import numpy as np
import pytest

from lobug.errors import BusyError, EngineInterruptedError, LobugError
from lobug.turn.events import Action, Done, Failed, Heard, SpeechAudio
from lobug.turn.timeline import STAGES, Outcome, Timeline, current_turn, observe, record_event


class Clock:
    """Stands still until it is moved."""

    def __init__(self, now: float = 100.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class RecordingObserver:
    """Keeps the outcome and error of each turn."""

    def __init__(self) -> None:
        self.finished_turns: list[tuple[Outcome | None, str | None]] = []

    def heard(self, timeline: Timeline, conversation_key: object, text: str) -> None:
        pass

    def replied(self, timeline: Timeline, conversation_key: object, text: str) -> None:
        pass

    def finished(self, timeline: Timeline) -> None:
        self.finished_turns.append((timeline.outcome, timeline.error))


def test_times_count_from_the_last_voiced_sample() -> None:
    clock = Clock()
    timeline = Timeline("device", clock)
    timeline.mark("transcript", 102.4)  # at a pause, before anybody knew that it was the end
    timeline.begin_at(102.0)
    clock.now = 102.6
    timeline.mark("endpoint")
    clock.now = 110.0
    timeline.mark("endpoint")  # the first mark counts
    assert timeline.timings() == {"transcript": 0.4, "speech_end": 0.0, "endpoint": 0.6}


def test_work_that_was_thrown_away_leaves_counts_and_no_marks() -> None:
    clock = Clock()
    timeline = Timeline("device", clock)
    for wasted in (0.25, 0.5):
        timeline.speculation_started()
        timeline.mark("first_token")
        timeline.speculation_discarded(wasted)
    timeline.speculation_started()
    clock.now += 1
    timeline.mark("first_token")
    counts = timeline.counts
    assert (counts.speculations_started, counts.speculations_discarded) == (3, 2)
    assert counts.wasted_s == 0.75
    assert timeline.timings() == {"first_token": 1.0}


def test_a_turn_ends_once() -> None:
    timeline = Timeline("text", Clock())
    timeline.end(Outcome.FAILED, "busy")
    timeline.end(Outcome.RESPOND)
    assert (timeline.outcome, timeline.error) == (Outcome.FAILED, "busy")
    assert timeline.timings() == {"done": 0.0}


def test_a_mark_after_the_end_is_told_once() -> None:
    timeline = Timeline("device", Clock())
    timeline.mark("first_token")
    told: list[str] = []
    timeline.on_late_mark(told.append)
    timeline.mark("first_token")
    timeline.mark("first_audio_played", 101.5)
    timeline.mark("first_audio_played", 102.5)
    assert told == ["first_audio_played"]
    assert timeline.timings()["first_audio_played"] == 1.5


def test_every_stage_has_its_own_name() -> None:
    assert len(STAGES) == len(set(STAGES))


def test_events_fill_the_counts() -> None:
    timeline = Timeline("audio", Clock())
    silence = np.zeros(8, np.float32)
    record_event(Heard("How are you?"), timeline)
    record_event(SpeechAudio(0, silence, 24_000), timeline)
    record_event(SpeechAudio(1, silence, 24_000), timeline)
    record_event(SpeechAudio(1, silence, 24_000), timeline)  # a piece may come in several parts
    record_event(Done(Action.REACT, "How are you?", "Nods."), timeline)
    counts = timeline.counts
    assert (counts.heard_characters, counts.reply_characters, counts.pieces) == (12, 5, 2)
    assert (timeline.outcome, timeline.error) == (Outcome.REACT, None)


@pytest.mark.parametrize("action", list(Action))
def test_every_action_is_an_outcome(action: Action) -> None:
    timeline = Timeline("audio", Clock())
    record_event(Done(action, "", "", speech_error="engine_failed"), timeline)
    assert timeline.outcome == action.value
    assert timeline.error == "engine_failed"


def test_a_failed_event_gives_its_code() -> None:
    timeline = Timeline("audio", Clock())
    record_event(Failed(BusyError("no place")), timeline)
    assert (timeline.outcome, timeline.error) == (Outcome.FAILED, "busy")


def body(
    timeline: Timeline, observer: RecordingObserver, end: Callable[[], None] = lambda: None
) -> AsyncGenerator[str]:
    """Such a body as a turn's: an async generator with ``observed`` around it."""

    async def events() -> AsyncGenerator[str]:
        with observe(timeline, observer):
            yield current_turn.get()
            end()
            timeline.end(Outcome.RESPOND)
            yield current_turn.get()

    return events()


async def test_a_turn_that_is_read_to_its_end_is_told_with_its_outcome() -> None:
    kept, timeline = RecordingObserver(), Timeline("text", Clock())
    assert [event async for event in body(timeline, kept)] == [timeline.id, timeline.id]
    assert kept.finished_turns == [(Outcome.RESPOND, None)]
    assert current_turn.get() == ""


async def test_a_turn_that_is_closed_midway_was_cancelled() -> None:
    kept, timeline = RecordingObserver(), Timeline("text", Clock())
    async with aclosing(body(timeline, kept)) as events:
        await anext(events)
    assert kept.finished_turns == [(Outcome.CANCELLED, None)]
    assert current_turn.get() == ""


async def test_a_turn_may_be_closed_by_another_task() -> None:
    kept, timeline = RecordingObserver(), Timeline("text", Clock())
    events = body(timeline, kept)
    await asyncio.create_task(_first(events))
    await asyncio.create_task(events.aclose())
    assert kept.finished_turns == [(Outcome.CANCELLED, None)]
    assert current_turn.get() == ""


async def _first(events: AsyncGenerator[str]) -> str:
    return await anext(events)


@pytest.mark.parametrize(
    ("raised", "outcome", "code"),
    [
        (EngineInterruptedError("chat", "gone"), Outcome.FAILED, "engine_interrupted"),
        (ZeroDivisionError(), Outcome.FAILED, LobugError.code),
        (asyncio.CancelledError(), Outcome.CANCELLED, None),
    ],
)
async def test_what_a_turn_raises_is_told_and_goes_on(
    raised: BaseException, outcome: Outcome, code: str | None
) -> None:
    kept, timeline = RecordingObserver(), Timeline("text", Clock())

    def fall() -> None:
        raise raised

    events = body(timeline, kept, fall)
    await anext(events)
    with pytest.raises(type(raised)):
        await anext(events)
    assert kept.finished_turns == [(outcome, code)]
    assert current_turn.get() == ""
