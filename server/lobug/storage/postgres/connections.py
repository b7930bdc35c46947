"""Keeps connections to PostgreSQL open between uses."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import errors
from psycopg.pq import ExecStatus

Raw = psycopg.Connection[Any]


class WholeCursor(psycopg.Cursor[Any]):
    """A cursor whose rows are made all at once: all of them have come from PostgreSQL by then, and
    one at a time they take ten times as long."""

    def __iter__(self) -> Any:
        return iter(self.fetchall())


def run_plain(raw: Raw, statements: bytes) -> None:
    """Run statements that have no parameters and whose rows nobody wants. Raises what psycopg
    raises.

    What begins and ends a transaction is half of all statements; straight to libpq it takes a third
    of the time that it takes with a cursor.
    """
    result = raw.pgconn.exec_(statements)
    if result.status not in {ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK}:
        error = errors.error_from_result(result, encoding=raw.info.encoding)
        # Without a code it is libpq's own: the connection is lost.
        raise error if error.sqlstate is not None else psycopg.OperationalError(*error.args)


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
    def lend(self, failures: int, begin: bytes) -> Iterator[Raw]:
        """One on which a transaction has been begun with the statements ``begin``; ``failures``:
        how many there were when it was asked for. Raises what psycopg raises."""
        raw = self._begun(begin)
        try:
            if raw is None:
                raw = self._connected(failures)
                run_plain(raw, begin)
            yield raw
        finally:
            if raw is not None:
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

    def _begun(self, begin: bytes) -> Raw | None:
        """An unused one on which a transaction has been begun; None: there is none that the server
        has not closed."""
        try:
            raw = self._unused.pop()
        except IndexError:
            return None
        try:
            run_plain(raw, begin)
        except psycopg.Error:
            if raw.closed:
                # Very likely the server has ended, and with it all of them.
                self._drop()
                return None
            try:
                run_plain(raw, b"ROLLBACK")
            except psycopg.Error:
                raw.close()
            else:
                self._unused.append(raw)
            raise
        return raw

    def _drop(self) -> None:
        while self._unused:
            try:
                self._unused.pop().close()
            except IndexError:  # another thread was quicker
                return
