"""Work that outlives the cancellation of its caller."""

from __future__ import annotations

import asyncio
import gc

import pytest

from lobug.concurrency import uninterrupted


async def test_the_result_and_the_error_come_through() -> None:
    async def answer() -> int:
        return 42

    async def fail() -> None:
        raise ValueError("broken")

    assert await uninterrupted(answer()) == 42
    with pytest.raises(ValueError, match="broken"):
        await uninterrupted(fail())


@pytest.mark.parametrize("error", [None, ValueError("broken")])
async def test_a_cancelled_caller_waits_for_the_end_of_the_work(
    error: Exception | None, caplog: pytest.LogCaptureFixture
) -> None:
    begun, gate, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await gate.wait()
        ended.set()
        if error is not None:
            raise error

    task = asyncio.create_task(uninterrupted(work()))
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
    gc.collect()  # asyncio tells of what nobody has looked at
    told = [] if error is None else ["a task in the background failed: ValueError"]
    assert [record.getMessage() for record in caplog.records] == told
