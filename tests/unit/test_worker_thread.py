"""An engine's own thread: errors, time-outs and cancellation leave it usable."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator

import pytest

from lobug.engines.worker_thread import INFERENCE_NICENESS, STUCK_AFTER_S, Abandoned, WorkerThread
from lobug.errors import (
    EngineError,
    EngineTimeoutError,
    EngineUnavailableError,
    ModelMissingError,
)


@pytest.fixture
def worker() -> Iterator[WorkerThread]:
    thread = WorkerThread("stt")
    thread.open()
    yield thread
    thread.close()


def until_abandoned(abandoned: Abandoned) -> str:
    assert abandoned.wait(20)
    return "noticed"


async def test_work_runs_in_another_thread_while_the_loop_goes_on(worker: WorkerThread) -> None:
    go = threading.Event()

    def work(_: Abandoned) -> int:
        assert go.wait(20)
        return threading.get_ident()

    running = asyncio.create_task(worker.run(work, 30))
    await asyncio.sleep(0)
    go.set()  # only reached when the loop is free
    assert await running != threading.get_ident()


async def test_one_piece_of_work_at_a_time(worker: WorkerThread) -> None:
    at_once = most = 0

    def work(_: Abandoned) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        threading.Event().wait(0.005)
        at_once -= 1

    await asyncio.gather(*(worker.run(work, 30) for _ in range(8)))
    assert most == 1


async def test_a_time_out_is_typed_tells_the_work_and_frees_the_thread(
    worker: WorkerThread,
) -> None:
    with pytest.raises(EngineTimeoutError, match=r"stt: did not finish within 0\.01 seconds"):
        await worker.run(until_abandoned, 0.01)
    assert await worker.run(lambda _: "again", 30) == "again"


async def test_cancelling_tells_the_work_and_frees_the_thread(worker: WorkerThread) -> None:
    started = threading.Event()

    def work(abandoned: Abandoned) -> str:
        started.set()
        return until_abandoned(abandoned)

    running = asyncio.create_task(worker.run(work, 30))
    await asyncio.to_thread(started.wait, 20)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await worker.run(lambda _: "again", 30) == "again"


async def test_work_that_waits_is_dropped_when_cancelled(worker: WorkerThread) -> None:
    ran = []
    first = asyncio.create_task(worker.run(until_abandoned, 30))
    second = asyncio.create_task(worker.run(lambda _: ran.append("second"), 30))
    await asyncio.sleep(0)
    second.cancel()
    first.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    assert await worker.run(lambda _: "again", 30) == "again"
    assert ran == []


@pytest.mark.parametrize("fault", [RuntimeError("broken"), ValueError("broken"), OSError("broken")])
async def test_what_a_library_raises_becomes_an_engine_error(
    worker: WorkerThread, fault: Exception
) -> None:
    def work(_: Abandoned) -> None:
        raise fault

    with pytest.raises(EngineError, match="stt: failed: broken") as caught:
        await worker.run(work, 30)
    assert caught.value.engine == "stt"
    assert caught.value.__cause__ is fault


async def test_typed_errors_pass_unchanged(worker: WorkerThread) -> None:
    def work(_: Abandoned) -> None:
        raise ModelMissingError("stt", "gone")

    with pytest.raises(ModelMissingError, match="gone"):
        await worker.run(work, 30)


async def test_closed_is_unavailable_and_can_be_opened_again() -> None:
    thread = WorkerThread("tts")
    with pytest.raises(EngineUnavailableError):
        await thread.run(lambda _: 1, 1)
    thread.open()
    thread.close()
    thread.close()
    with pytest.raises(EngineUnavailableError):
        await thread.run(lambda _: 1, 1)
    thread.open()
    assert await thread.run(lambda _: 1, 30) == 1
    thread.close()


async def test_work_that_never_returns_is_told_of() -> None:
    now = 0.0
    thread = WorkerThread("stt", lambda: now)
    thread.open()
    go_on = threading.Event()
    with pytest.raises(EngineTimeoutError):
        await thread.run(lambda _: go_on.wait(60), 0.01)
    assert thread.fault is None, "it may still notice"
    now = STUCK_AFTER_S + 1
    assert "work that was given up 11 s ago has not ended" in str(thread.fault)
    go_on.set()
    assert await thread.run(lambda _: "again", 30) == "again"
    assert thread.fault is None
    thread.close()


@pytest.mark.skipif(sys.platform != "linux", reason="niceness of a thread is Linux's")
async def test_it_lets_the_event_loop_go_first(worker: WorkerThread) -> None:
    def niceness(_: Abandoned) -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    here = niceness(Abandoned())
    assert await worker.run(niceness, 30.0) == max(here, INFERENCE_NICENESS)
