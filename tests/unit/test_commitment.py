"""What a live turn passes on, and when: before, at and without its commitment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from lobug.turn.commitment import (
    Commitment,
    LiveOptions,
    heard_words,
    hold_until_committed,
    interrupted_reply,
)
from lobug.turn.events import Heard, ReplyDelta, TurnEvent


class Held:
    """A turn in the wrapper, and what happened in order."""

    def __init__(self, events: AsyncGenerator[TurnEvent], live: LiveOptions) -> None:
        self.steps: list[str] = []
        self._events = hold_until_committed(
            events, live, commit=self._commit, discard=lambda: self.steps.append("discard")
        )
        self.task = asyncio.create_task(self._run())

    async def _commit(self) -> None:
        self.steps.append("commit")

    async def _run(self) -> None:
        async for event in self._events:
            self.steps.append(type(event).__name__)


async def turn(steps: list[str], *, fails: bool = False) -> AsyncGenerator[TurnEvent]:
    """A turn of two events."""
    try:
        steps.append("began")
        yield Heard("Hello.")
        if fails:
            raise LookupError
        yield ReplyDelta("Hi.")
        steps.append("ended")
    finally:
        steps.append("closed")


async def settled() -> None:
    """Return once everything that can run has run."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_turn_runs_at_once_and_is_passed_on_when_it_counts() -> None:
    inner: list[str] = []
    commitment = Commitment()
    held = Held(turn(inner), LiveOptions(commitment))
    await settled()
    assert inner == ["began", "ended", "closed"]
    assert held.steps == []
    commitment.make()
    await held.task
    assert held.steps == ["commit", "Heard", "ReplyDelta"]


async def test_a_withdrawn_turn_passes_nothing_on_and_is_undone() -> None:
    commitment = Commitment()
    held = Held(turn([]), LiveOptions(commitment))
    await settled()
    commitment.withdraw()
    await held.task
    assert held.steps == ["discard"]
    with pytest.raises(RuntimeError):
        commitment.make()


async def test_a_cancelled_turn_is_closed_and_undone() -> None:
    inner: list[str] = []

    async def endless() -> AsyncGenerator[TurnEvent]:
        async for event in turn(inner):
            yield event
        await asyncio.Event().wait()

    held = Held(endless(), LiveOptions(Commitment()))
    await settled()
    held.task.cancel()
    await asyncio.wait([held.task])
    assert held.steps == ["discard"]
    assert inner[-1] == "closed"


async def test_what_fails_before_the_turn_counts_is_raised_at_once() -> None:
    held = Held(turn([], fails=True), LiveOptions(Commitment()))
    with pytest.raises(LookupError):
        await held.task
    assert held.steps == ["discard"]


async def test_what_fails_afterwards_is_raised_behind_the_events_before_it() -> None:
    commitment = Commitment()
    commitment.make()
    held = Held(turn([], fails=True), LiveOptions(commitment))
    with pytest.raises(LookupError):
        await held.task
    assert held.steps == ["commit", "Heard"]


class Interruptible:
    """A playback that is interrupted by hand."""

    def __init__(self) -> None:
        self.stopped = asyncio.Event()

    @property
    def interrupted(self) -> bool:
        return self.stopped.is_set()

    async def wait_interrupted(self) -> None:
        await self.stopped.wait()

    async def finished(self) -> None:
        await self.stopped.wait()

    def played(self) -> list[tuple[int, float]]:
        return []


async def test_an_interruption_closes_the_turn_and_raises_nothing() -> None:
    closed = asyncio.Event()

    async def endless() -> AsyncGenerator[TurnEvent]:
        try:
            yield Heard("Hello.")
            await asyncio.Event().wait()
        finally:
            closed.set()

    commitment, playback = Commitment(), Interruptible()
    commitment.make()
    held = Held(endless(), LiveOptions(commitment, playback))
    await settled()
    assert held.steps == ["commit", "Heard"]
    playback.stopped.set()
    await held.task
    assert closed.is_set()
    assert held.steps == ["commit", "Heard"]


def test_only_whole_words_count_as_heard() -> None:
    pieces = {0: "It is noon.", 1: "And it is raining."}
    assert heard_words(pieces, [(0, 1.0), (1, 0.6)]) == "It is noon. And it is"
    assert heard_words(pieces, [(0, 0.1)]) == ""
    assert interrupted_reply("It is") == "It is [interrupted]"
    assert interrupted_reply("") == "[interrupted]"
