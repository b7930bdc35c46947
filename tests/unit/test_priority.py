"""Turns first; background work while nobody talks, and beside turns once it is overdue."""

from __future__ import annotations

import asyncio

import pytest

from lobug.priority import Deferral, PreemptedError, TurnPriority
from support.memory_kit import Clock


async def test_background_work_runs_while_nobody_talks() -> None:
    async def work() -> int:
        return 42

    assert await TurnPriority().background(work) == 42


async def test_a_turn_stops_background_work() -> None:
    priority = TurnPriority()
    started, stopped = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    task = asyncio.create_task(priority.background(work))
    await started.wait()
    async with priority.turn():
        with pytest.raises(PreemptedError):
            await task
        assert stopped.is_set()


async def test_background_work_waits_for_the_last_of_several_turns() -> None:
    priority = TurnPriority()
    ran = asyncio.Event()

    async def work() -> None:
        ran.set()

    async with priority.turn():
        async with priority.turn():
            task = asyncio.create_task(priority.background(work))
            await asyncio.sleep(0)
        for _ in range(10):
            await asyncio.sleep(0)
        assert not ran.is_set()
    await task
    assert ran.is_set()


async def test_errors_of_the_work_come_through() -> None:
    async def work() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await TurnPriority().background(work)


async def test_cancelling_the_caller_stops_the_work() -> None:
    priority = TurnPriority()
    started, stopped = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    task = asyncio.create_task(priority.background(work))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stopped.is_set()


async def test_a_short_turn_starts_the_quiet_time_anew() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:
            async with priority.turn():
                pass

    priority = TurnPriority(1.5, sleep)
    await priority.wait_idle()
    assert slept == [1.5, 1.5]


# ---- what is overdue


async def forever(_seconds: float) -> None:
    """A quiet that never comes: somebody always talks before it is long enough."""
    await asyncio.Event().wait()


async def steps() -> None:
    """Let everything go on that can."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_how_long_work_may_be_put_off() -> None:
    clock = Clock(1_000.0)
    deferral = Deferral(30.0, clock, due=990.0)
    assert (deferral.left(), deferral.deadline) == (20.0, 1_020.0)
    clock.advance(20.0)
    assert deferral.left() == 0.0
    clock.now = 5.0  # put back: nobody knows how long it has been
    assert deferral.left() == 30.0


def test_work_that_goes_on_was_due_when_it_began() -> None:
    clock = Clock(1_000.0)
    deferral = Deferral(30.0, clock)
    assert deferral.left() == deferral.deadline == float("inf")
    deferral.begin()
    clock.advance(10.0)
    deferral.begin()
    assert deferral.left() == 20.0
    deferral.end()
    assert deferral.left() == float("inf")


async def test_overdue_work_begins_beside_turns_and_no_turn_stops_it() -> None:
    clock = Clock()
    priority = TurnPriority(1.0, forever, clock)
    began, finish = asyncio.Event(), asyncio.Event()

    async def work() -> str:
        began.set()
        await finish.wait()
        return "done"

    deferral = Deferral(10.0, clock, clock())
    task = asyncio.create_task(priority.background(work, left_s=deferral.left))
    for _ in range(20):  # 0.5 s apart
        assert not began.is_set()
        clock.advance(0.5)
        async with priority.turn():
            await steps()
    assert began.is_set(), "10 seconds are over"
    for _ in range(20):
        async with priority.turn():
            await steps()
    finish.set()
    assert await task == "done"


async def test_work_that_is_not_overdue_is_still_stopped() -> None:
    clock = Clock()
    priority = TurnPriority(clock=clock)
    deferral = Deferral(10.0, clock, clock())
    task = asyncio.create_task(
        priority.background(lambda: asyncio.Event().wait(), left_s=deferral.left)
    )
    await steps()
    clock.advance(9.0)
    async with priority.turn():
        with pytest.raises(PreemptedError):
            await task


async def test_work_that_becomes_overdue_under_way_is_finished() -> None:
    clock = Clock()
    priority = TurnPriority(clock=clock)
    finish = asyncio.Event()
    deferral = Deferral(10.0, clock, clock())
    task = asyncio.create_task(priority.background(finish.wait, left_s=deferral.left))
    await steps()
    clock.advance(10.0)
    async with priority.turn():
        await steps()
        finish.set()
        assert await task is True


async def test_after_overdue_work_turns_have_the_cores_as_long_as_it_took() -> None:
    clock = Clock()
    priority = TurnPriority(1.0, forever, clock)
    ran: list[float] = []

    async def work() -> None:
        ran.append(clock())
        clock.advance(8.0)

    start = clock()
    async with priority.turn():
        for _ in range(2):
            overdue = Deferral(0.0, clock, start)
            task = asyncio.create_task(priority.background(work, left_s=overdue.left))
            while not task.done():
                await steps()
                clock.advance(0.5)
                priority.look_again()
            await task
    assert ran[0] == start
    assert 8.0 <= ran[1] - (ran[0] + 8.0) <= 9.0


async def test_what_is_outdated_is_not_waited_for() -> None:
    priority = TurnPriority(1.0, forever)
    urgent = False

    async def work() -> None:
        raise AssertionError("it must not begin")

    async with priority.turn():
        task = asyncio.create_task(priority.background(work, outdated=lambda: urgent))
        await steps()
        assert not task.done()
        urgent = True
        priority.look_again()
        with pytest.raises(PreemptedError):
            await task


async def test_in_quiet_what_is_outdated_begins_all_the_same() -> None:
    """Or whoever notes work again and again would keep all of it from ever beginning."""
    priority = TurnPriority(0.0)

    async def done() -> str:
        return "done"

    task = asyncio.create_task(priority.background(done, outdated=lambda: True))
    for _ in range(20):
        priority.look_again()
        await asyncio.sleep(0)
    assert await task == "done"


async def test_nothing_runs_beside_what_excludes_it_however_overdue() -> None:
    clock = Clock()
    priority = TurnPriority(clock=clock)
    began = 0

    async def work() -> None:
        nonlocal began
        began += 1
        await asyncio.Event().wait()

    def start() -> asyncio.Task[None]:
        left = Deferral(0.0, clock, clock()).left
        return asyncio.create_task(priority.background(work, left_s=left))

    running = start()
    await steps()
    async with priority.exclusive():
        with pytest.raises(PreemptedError):
            await running
        waiting = start()
        await steps()
        assert began == 1
    await steps()
    assert began == 2
    waiting.cancel()
    await asyncio.wait([waiting])
