"""The threads that write to PostgreSQL, and how many of their writes were committed."""

from __future__ import annotations

import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class PersonalWriters:
    """Threads for what concerns one person each.

    What is asked for one person is done in that order, also where nobody waits for it any more; for
    different people it is done side by side. For any thread."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self._threads = threads
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[Callable[[], None]]] = {}
        """What waits for something of the same person to be done."""

    def submit(self, person: str, work: Callable[[], T]) -> Future[T]:
        """Do work for a person, after what was asked for the same one before."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - who awaits the future has it
                future.set_exception(error)
            else:
                future.set_result(result)

        with self._lock:
            waiting = self._waiting.get(person)
            if waiting is not None:
                waiting.append(run)
                return future
            self._waiting[person] = deque()
        self._threads.submit(self._run_all, person, run)
        return future

    def shutdown(self) -> None:
        """Do what was asked for, and end."""
        self._threads.shutdown()

    def _run_all(self, person: str, run: Callable[[], None]) -> None:
        """Do something, and all that waits for it."""
        next_run: Callable[[], None] | None = run
        while next_run is not None:
            next_run()
            with self._lock:
                waiting = self._waiting[person]
                next_run = waiting.popleft() if waiting else None
                if next_run is None:
                    del self._waiting[person]


class Gate:
    """Lets what concerns one person pass side by side, and what concerns everybody alone.

    Of one process only: PostgreSQL's locks do the same for all of them, but there a write waits for
    a limited time, and one of this process may last for minutes. For any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._passing = 0
        self._alone = 0
        """How many pass alone, or wait to."""
        self._one = threading.Lock()

    @contextmanager
    def passing(self, *, alone: bool) -> Iterator[None]:
        """While a write is under way."""
        with self._alone_in() if alone else self._together():
            yield

    @contextmanager
    def _together(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._alone)
            self._passing += 1
        try:
            yield
        finally:
            with self._changed:
                self._passing -= 1
                self._changed.notify_all()

    @contextmanager
    def _alone_in(self) -> Iterator[None]:
        with self._changed:
            self._alone += 1
        try:
            with self._one:
                with self._changed:
                    self._changed.wait_for(lambda: not self._passing)
                yield
        finally:
            with self._changed:
                self._alone -= 1
                self._changed.notify_all()


class WriteCount:
    """How many writes each thread of this process has committed, and the names by which the
    database counts them. For any thread."""

    def __init__(self, server: str, threads: int) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._names = [f"{server} {number}" for number in range(threads)]
        self._committed = [0] * threads
        self._former: list[str] = []
        self._under_way = 0

    def name(self, number: int) -> str:
        """What a thread counts its writes as. On one row all threads would wait for the one that is
        committing."""
        with self._lock:
            return self._names[number]

    @contextmanager
    def committing(self, number: int) -> Iterator[None]:
        """While a thread sends a commit and awaits the answer. Without an answer nobody knows what
        became of it: what the thread has counted until then is taken for another's, so that it is
        noticed, now and when it still comes."""
        with self._lock:
            self._under_way += 1
        try:
            yield
        except BaseException:
            with self._lock:
                self._under_way -= 1
                self._former.append(self._names[number])
                self._names[number] = f"{self._server} {number} {secrets.token_hex(4)}"
                self._committed[number] = 0
            raise
        with self._lock:
            self._under_way -= 1
            self._committed[number] += 1

    def known(self) -> tuple[list[str], list[str], int]:
        """All names, former ones, and how many writes were committed under the present ones."""
        with self._lock:
            return list(self._names), list(self._former), sum(self._committed)

    def unexplained(self, names: list[str], before: int, counted: int) -> int:
        """How many more writes the database has ``counted`` than there can be, below 0: how many
        fewer. ``names`` and ``before``: what was ``known`` before it counted."""
        with self._lock:
            if names != self._names:  # a commit was not answered meanwhile: that is noticed anyway
                return 0
            return counted - min(max(counted, before), sum(self._committed) + self._under_way)
