"""The thread of an engine that computes in this process, and the base class of such engines."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from lobug.errors import EngineError, EngineTimeoutError, EngineUnavailableError

T = TypeVar("T")

INFERENCE_NICENESS = 5
"""Niceness of the threads that compute, so that the event loop takes precedence. Measured once, two
turns at once on two cores: the event loop's stall fell from 2.5 to 1.4 ms at p95 and from 5.4 to
3.9 ms at p99; rare stalls of 42 ms occurred all the same."""

STUCK_AFTER_S = 10.0
"""Seconds after which abandoned work that has not ended counts as stuck; one step of Whisper takes
a second or two."""

Abandoned = threading.Event
"""Set when the result is no longer wanted; long work checks it between its steps."""

_FAULTS = (RuntimeError, ValueError, TypeError, LookupError, OSError, MemoryError, ArithmeticError)
"""What inference libraries raise for bad input or when they fail."""


def be_nice() -> None:
    """Lower the priority of the calling thread and of all threads that it starts.

    Linux only: elsewhere niceness belongs to the whole process.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):  # some sandboxes forbid it, and Lo-Bug works without
            # Root may lower niceness too: where all of Lo-Bug was started nicer, stay so.
            niceness = max(os.getpriority(os.PRIO_PROCESS, thread), INFERENCE_NICENESS)
            os.setpriority(os.PRIO_PROCESS, thread, niceness)


class WorkerThread:
    """Runs an engine's work one piece at a time, off the event loop.

    One thread: the inference libraries start threads of their own, and two pieces at once would
    compete for the same cores. Queued work can be cancelled. Running work cannot: its ``Abandoned``
    event is set, and the thread is free again when the work has noticed and returned.
    """

    def __init__(self, engine: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._clock = clock
        self._executor: ThreadPoolExecutor | None = None
        self._under_way: Abandoned | None = None
        self._given_up_at: float | None = None

    @property
    def fault(self) -> str | None:
        """Why the thread cannot take work now, as a sentence; None: it can.

        Work in a native library cannot be ended, so if it never returns only a restart helps.
        """
        since = self._given_up_at
        if since is None or (silent := self._clock() - since) < STUCK_AFTER_S:
            return None
        return (
            f"The engine is stuck: work that was given up {silent:.0f} s ago has not ended."
            " Restart Lo-Bug if it does not recover."
        )

    def open(self) -> None:
        """Start the thread. Safe to call again, also after ``close``."""
        if self._executor is None:
            self._executor = ThreadPoolExecutor(
                1, thread_name_prefix=f"lobug-{self._engine}", initializer=be_nice
            )

    async def run(self, work: Callable[[Abandoned], T], timeout_s: float | None) -> T:
        """Run ``work`` and return its result; ``timeout_s`` covers queueing and running.

        Raises EngineUnavailableError when the thread is not open, EngineTimeoutError, and
        EngineError in place of what an inference library raises.
        """
        if self._executor is None:
            raise EngineUnavailableError(self._engine, "is not started")
        abandoned = Abandoned()
        future = asyncio.get_running_loop().run_in_executor(
            self._executor, self._do, work, abandoned
        )
        try:
            async with asyncio.timeout(timeout_s):
                return await future
        except TimeoutError:
            raise EngineTimeoutError(
                self._engine, f"did not finish within {timeout_s:g} seconds"
            ) from None
        except EngineError:
            raise
        except _FAULTS as fault:
            raise EngineError(self._engine, f"failed: {fault}") from fault
        finally:
            abandoned.set()
            if self._under_way is abandoned:
                self._given_up_at = self._clock()

    def _do(self, work: Callable[[Abandoned], T], abandoned: Abandoned) -> T:
        self._under_way = abandoned
        try:
            return work(abandoned)
        finally:
            self._under_way = self._given_up_at = None

    def close(self) -> None:
        """Drop queued work and let running work finish. Safe to call twice."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)


class ThreadEngine(ABC, Generic[T]):
    """Base of an engine that loads something on its worker thread and computes with it there."""

    def __init__(self, job: str, load_timeout_s: float | None) -> None:
        self._thread = WorkerThread(job)
        self._load_timeout_s = load_timeout_s
        self._loaded: T | None = None
        """What ``_load`` returned; None while the engine is not ready."""
        self._reason: str | None = "not started"
        """Why the engine is not ready; None while it is."""

    async def start(self) -> None:
        """Load on the worker thread. Raises ModelMissingError, EngineError."""
        if self._loaded is not None:
            return
        self._thread.open()
        try:
            self._loaded = await self._thread.run(self._load, self._load_timeout_s)
        except EngineError as error:
            self._reason = str(error)
            raise
        self._reason = None

    async def close(self) -> None:
        """Free what was loaded, once running work has finished."""
        self._unload("closed")

    def _unload(self, reason: str) -> None:
        self._thread.close()
        self._loaded, self._reason = None, reason

    @abstractmethod
    def _load(self, abandoned: Abandoned) -> T:
        """Load and warm up what the engine computes with. Runs on the worker thread.

        Raises ModelMissingError, with a message that says what to do.
        """
