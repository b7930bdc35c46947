"""Lets the event loop go first where inference shares its cores.

A thread of its own for an engine that computes in this process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from lobug.errors import EngineError, EngineTimeoutError, EngineUnavailableError

INFERENCE_NICENESS = 5
"""Of the threads that compute. Tried once, one setting after the other in one process, two turns at
once on two cores: the event loop's stall fell from 2.5 to 1.4 ms at p95 and from 5.4 to 3.9 ms
at p99. That says little about the rare long stalls: 42 ms were seen with it too. Desktops and
services weigh sessions against one another, so it counts mostly among Lo-Bug's own threads."""


def be_nice() -> None:
    """Put the calling thread, and all that it starts, behind threads of ordinary priority.

    Linux only: elsewhere niceness belongs to the whole process.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):  # forbidden in some sandboxes, and only a courtesy
            # Root may go forward too: where all of Lo-Bug was started as nicer, stay so.
            niceness = max(os.getpriority(os.PRIO_PROCESS, thread), INFERENCE_NICENESS)
            os.setpriority(os.PRIO_PROCESS, thread, niceness)


T = TypeVar("T")

COMES_BACK_S = 10.0
"""How long work that nobody waits for any more may take to notice it, seconds; one step of Whisper
takes a second or two."""

Abandoned = threading.Event
"""Set when nobody waits for the result any more; long work looks at it between its steps."""

_FAULTS = (RuntimeError, ValueError, TypeError, LookupError, OSError, MemoryError, ArithmeticError)
"""What inference libraries raise when something is wrong with them or with what they were given."""


class WorkerThread:
    """Runs an engine's work one piece at a time, off the event loop.

    One thread: the inference libraries bring their own, and two pieces at once would only share
    the same cores. Work that waits its turn can be cancelled; work under way is told that it is
    abandoned, and the thread is free again when it has noticed.
    """

    def __init__(self, engine: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._clock = clock
        self._executor: ThreadPoolExecutor | None = None
        self._under_way: Abandoned | None = None
        self._given_up_at: float | None = None

    @property
    def fault(self) -> str | None:
        """Why nothing can be computed just now, as a sentence; None: nothing is known against it.
        Work in a native library cannot be ended, so only a restart helps where it never returns."""
        since = self._given_up_at
        if since is None or (silent := self._clock() - since) < COMES_BACK_S:
            return None
        return (
            f"The engine is stuck: work that was given up {silent:.0f} s ago has not ended."
            " Restart Lo-Bug if it stays so."
        )

    def open(self) -> None:
        """Make ready to run work; again after ``close`` too."""
        if self._executor is None:
            self._executor = ThreadPoolExecutor(
                1, thread_name_prefix=f"lobug-{self._engine}", initializer=be_nice
            )

    async def run(self, work: Callable[[Abandoned], T], timeout_s: float | None) -> T:
        """The result of ``work``, within ``timeout_s`` seconds of waiting and working.

        Raises EngineUnavailableError when not open, EngineTimeoutError, and EngineError for what
        the library underneath raises.
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
        """Drop what waits and let what runs come to its end. Safe to call twice."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)
