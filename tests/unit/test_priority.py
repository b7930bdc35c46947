"""Turns first, background work only while nobody talks."""

from __future__ import annotations

import asyncio

import pytest

from lobug.priority import PreemptedError, TurnPriority


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
