"""Keeps connections to PostgreSQL open between uses."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

Raw = psycopg.Connection[Any]


class Connections:
    """The connections of a few threads, each of which uses one at a time; so there are never more
    than threads.

    A thread that finds PostgreSQL gone learns why at once, and so does whatever asked before: of
    work that queues up each would otherwise wait out the time-out of its own. What asks later tries
    again. A pool with workers of its own (psycopg_pool) would let a thread wait and tell it that
    time is up, and after a long outage be slow to try.
    """

    def __init__(self, connect: Callable[[], Raw]) -> None:
        self._connect = connect
        self._unused: deque[Raw] = deque()
        self._closed = False
        self.failures = 0
        """How often PostgreSQL could not be reached."""
        self._failure: psycopg.Error | None = None
        """Why not, the last time; None: it could be reached since."""

    @contextmanager
    def lend(self, failures: int) -> Iterator[Raw]:
        """One that works; ``failures``: how many there were when it was asked for. Raises what
        psycopg raises."""
        raw = self._working() or self._connected(failures)
        try:
            yield raw
        finally:
            if self._closed or raw.closed or raw.info.transaction_status:
                raw.close()
            else:
                self._unused.append(raw)

    def close(self) -> None:
        """Close what nobody uses; the others are closed as they come back."""
        self._closed = True
        self._drop()

    def _connected(self, failures: int) -> Raw:
        failure = self._failure
        if failure is not None and self.failures > failures:
            raise type(failure)(*failure.args)
        try:
            raw = self._connect()
        except psycopg.Error as error:
            self._failure = type(error)(*error.args)  # without its traceback
            self.failures += 1
            raise
        self._failure = None
        return raw

    def _working(self) -> Raw | None:
        """An unused one that the server has not closed; None: there is none."""
        try:
            raw = self._unused.pop()
        except IndexError:
            return None
        try:
            raw.execute("")
        except psycopg.Error:
            # Very likely the server has ended, and with it all of them.
            raw.close()
            self._drop()
            return None
        return raw

    def _drop(self) -> None:
        while self._unused:
            try:
                self._unused.pop().close()
            except IndexError:  # another thread was quicker
                return
