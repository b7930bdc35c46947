"""Connects to the primary of several PostgreSQLs, and cuts connections off that wait for one which
does not answer.

A computer that has vanished refuses nothing: each attempt to connect, and each statement under way,
would wait for it until a time-out, though its standby is a primary by then.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any
from weakref import WeakSet

import psycopg

from lobug.storage.postgres.errors import reason

HEAD_START_S = 1.0
"""How long a host may be silent until the next one is asked as well, seconds. So the first primary
in the address is taken, unless it is as good as gone."""

AGAIN_S = 1.0
"""How often a host that has refused, such as a standby, is asked again while another one is silent,
seconds."""


class Line(psycopg.Connection[Any]):
    """A connection that may be cut off in any thread."""

    _end: socket.socket | None = None
    """The same end of the connection once more: the number that libpq has for it may be another
    connection's by the time it is cut off."""

    def allow_cut(self) -> None:
        """Let ``cut`` work from now on."""
        self._end = socket.socket(fileno=os.dup(self.fileno()))

    def cut(self) -> None:
        """Let whatever waits for PostgreSQL fail at once. It may have been done all the same."""
        end = self._end
        if end is not None:
            with suppress(OSError):  # it is closed already
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close it. Safe to call twice."""
        super().close()
        end, self._end = self._end, None
        if end is not None:
            end.close()


class Lines:
    """The connections that belong together, and those that are being made."""

    def __init__(self) -> None:
        self._using = threading.Lock()
        self._open = WeakSet[Line]()
        self._awaited = set[Future[Line]]()

    def wait_for(self, outcome: Future[Line]) -> Line:
        """Wait for a connection; from then on it is one of these. Raises why there is none."""
        with self._using:
            self._awaited.add(outcome)
        try:
            line = outcome.result()
            with self._using:
                self._open.add(line)
            return line
        finally:
            with self._using:
                self._awaited.discard(outcome)

    def cut(self) -> None:
        """Let all fail that are there, or are being made. Later ones are not concerned."""
        with self._using:
            for outcome in self._awaited:
                with suppress(InvalidStateError):
                    outcome.set_exception(psycopg.OperationalError("the connection was given up"))
                if outcome.exception() is None:
                    outcome.result().cut()
            for line in self._open:
                line.cut()


def first_of(hosts: Sequence[tuple[str, Callable[[], Line]]]) -> Future[Line]:
    """Connect to the first host that accepts it, each in a thread of its own: the later ones when
    those before have refused or are silent. The outcome is an OperationalError when all have failed
    once. ``hosts``: what each is called, and what connects to it."""
    attempt = _Attempt(hosts)
    for place in range(len(hosts)):
        threading.Thread(
            target=attempt.ask, args=(place,), name="lobug-connect", daemon=True
        ).start()
    return attempt.outcome


class _Attempt:
    def __init__(self, hosts: Sequence[tuple[str, Callable[[], Line]]]) -> None:
        self.outcome: Future[Line] = Future()
        self._hosts = hosts
        self._errors: dict[int, Exception] = {}
        """The last one of each host that has failed."""
        self._news = threading.Condition()

    def ask(self, place: int) -> None:
        """Try to connect to a host, again and again while another one has not failed."""
        self._wait(lambda: all(n in self._errors for n in range(place)), HEAD_START_S * place)
        while not self.outcome.done():
            try:
                line = self._hosts[place][1]()
                line.allow_cut()
            except Exception as error:  # noqa: BLE001 - whatever it is, the caller waits for it
                self._failed(place, error)
                self._wait(self.outcome.done, AGAIN_S)
            else:
                self._connected(line)

    def _connected(self, line: Line) -> None:
        try:
            self.outcome.set_result(line)
        except InvalidStateError:  # another host was quicker, or nobody waits any more
            line.close()
        self._tell()

    def _failed(self, place: int, error: Exception) -> None:
        self._errors[place] = error
        if len(self._errors) == len(self._hosts):
            with suppress(InvalidStateError):
                self.outcome.set_exception(self._fault())
        self._tell()

    def _fault(self) -> Exception:
        if len(self._hosts) == 1:
            return self._errors[0]
        said = []
        for place, (name, _) in enumerate(self._hosts):
            why = reason(self._errors[place])
            said.append(why if name in why else f"{name}: {why}")
        return psycopg.OperationalError("; ".join(said))

    def _wait(self, condition: Callable[[], bool], longest_s: float) -> None:
        with self._news:
            self._news.wait_for(lambda: self.outcome.done() or condition(), longest_s)

    def _tell(self) -> None:
        with self._news:
            self._news.notify_all()
