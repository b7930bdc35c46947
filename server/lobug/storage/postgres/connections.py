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

    A thread that finds PostgreSQL gone learns why at once, and the next use tries again: a pool
    with workers of its own (psycopg_pool) would let it wait and tell it that time is up, and after
    a long outage be slow to try.
    """

    def __init__(self, connect: Callable[[], Raw]) -> None:
        self._connect = connect
        self._unused: deque[Raw] = deque()
        self._closed = False

    @contextmanager
    def lend(self) -> Iterator[Raw]:
        """One that works. Raises what psycopg raises."""
        raw = self._working() or self._connect()
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
