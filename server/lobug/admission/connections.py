"""Open connections: their deadlines, the closing of those that the ledger evicts, and the limit of
file descriptors."""

from __future__ import annotations

import asyncio
import errno
import itertools
import logging
import resource
import time
from collections.abc import Callable
from typing import Any

from lobug.access.addresses import is_loopback, source_of
from lobug.access.callers import Caller
from lobug.admission.ledger import LOOPBACK, Capacity, ConnectionLedger
from lobug.errors import TooManyConnectionsError
from lobug.settings.conversation import LimitSettings

log = logging.getLogger(__name__)

_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def raise_descriptor_limit(wanted: int) -> int:
    """Raise this process's soft limit of file descriptors to ``wanted``, as far as its hard limit
    allows; never lower it. Returns the limit in force."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft == unlimited:
        return wanted
    target = wanted if hard == unlimited else min(wanted, hard)
    if soft >= target:
        return soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
    except (OSError, ValueError) as error:  # macOS has a further limit of the kernel
        log.warning("the limit of open files stays at %d: %s", soft, error)
        return soft
    return target


class AcceptFaults:
    """The event loop's exception handler.

    When no descriptor is free, asyncio logs a stack trace for every connection that it cannot
    accept, thousands a second. This handler counts them instead and closes other connections.
    Everything else goes to the default handler.
    """

    def __init__(self, admission: Admission) -> None:
        self._admission = admission

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in _EXHAUSTED and "socket" in context:
            self._admission.out_of_descriptors(error)
        else:
            loop.default_exception_handler(context)


STATE_KEY = "connection"
"""Key of the ``OpenConnection`` in ``scope["state"]``; missing under servers other than uvicorn."""

LOG_EVERY_S = 60.0
"""Least seconds between two log lines about the same problem."""

SHED_EVERY_S = 1.0
"""Least seconds between two rounds of closing connections because no descriptor is free: asyncio
reports every connection that it cannot accept."""


class Admission:
    """All open connections of one server.

    Args:
        capacity: how many connections may be open.
        limits: the deadlines.
        address_of: maps the socket's address; tests use it to simulate other computers.
        clock: monotonic, seconds.
    """

    def __init__(
        self,
        capacity: Capacity,
        limits: LimitSettings,
        *,
        address_of: Callable[[str | None], str | None] = lambda address: address,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.capacity = capacity
        self.ledger = ConnectionLedger(capacity)
        self.headers_timeout_s = limits.headers_timeout_s
        self.stranger_timeout_s = limits.body_timeout_s + limits.headers_timeout_s
        """Deadline of a whole request of an unknown caller: its body, and reading the answer."""
        self.now = clock
        self._address_of = address_of
        self._numbers = itertools.count(1)
        self._open: dict[int, OpenConnection] = {}
        self._evictions = _Tally(clock)
        self._refusals = _Tally(clock)
        self._shed_at = -SHED_EVERY_S
        self._stopping = False

    def __len__(self) -> int:
        """Number of open connections, including those that are being closed."""
        return len(self._open)

    def open(
        self, transport: asyncio.Transport, too_slow: Callable[[], None] | None = None
    ) -> OpenConnection:
        """Register a new connection. ``too_slow`` is called before the connection is closed because
        no request arrived in time."""
        peer = transport.get_extra_info("peername")
        address = self._address_of(peer[0] if isinstance(peer, tuple) and peer else None)
        number = next(self._numbers)
        connection = OpenConnection(self, number, transport, too_slow)
        self._open[number] = connection
        source = LOOPBACK if is_loopback(address) else source_of(address)
        self.abort(self.ledger.open(number, source, self.now()))
        connection.await_request()
        if self._stopping:
            connection.abort()
        return connection

    def stop(self) -> None:
        """Close every connection that is made from now on, because the server stops. Uvicorn closes
        its open ones, but would wait for one that is just being accepted."""
        self._stopping = True

    def abort(self, victims: list[int]) -> None:
        """Close the connections that the ledger has evicted."""
        for number in victims:
            connection = self._open.get(number)
            if connection is None:
                continue
            if total := self._evictions.count():
                log.warning(
                    "%d connections without a token were closed to make room for others, the last"
                    " one from %s",
                    total,
                    self.ledger.source(number),
                )
            connection.abort()

    def out_of_descriptors(self, error: OSError) -> None:
        """Close some connections without a token, because no new one can be accepted."""
        now = self.now()
        if now - self._shed_at >= SHED_EVERY_S:
            self._shed_at = now
            self.abort(self.ledger.shed(2 * self.capacity.accepts_at_once))
        if total := self._refusals.count():
            log.error(
                "no descriptor was free for a new connection, %d times since the last such line: %s"
                " (docs/operations.md, Floods of connections)",
                total,
                error.strerror,
            )

    def lost(self, number: int) -> None:
        """Remove a connection that has ended."""
        self._open.pop(number, None)
        self.ledger.close(number)


class OpenConnection:
    """One connection, from its acceptance to its end. It has at most one deadline."""

    def __init__(
        self,
        admission: Admission,
        number: int,
        transport: asyncio.Transport,
        too_slow: Callable[[], None] | None,
    ) -> None:
        self._admission = admission
        self._number = number
        self._transport = transport
        self._socket = transport
        """The transport below TLS; the same without TLS."""
        self._too_slow = too_slow
        self._timer: asyncio.TimerHandle | None = None
        self._known = False
        self._lost = False
        self._idle = True
        """Whether it waits for a request."""
        self._unsent = 0
        """Bytes in the write buffer when the deadline was set."""

    def secure(self, transport: asyncio.Transport, too_slow: Callable[[], None]) -> None:
        """Record that the connection goes on over TLS, by ``transport``. Its deadline stays."""
        self._transport = transport
        self._too_slow = too_slow

    def await_request(self) -> None:
        """Start the deadline for all headers of the next request."""
        self._idle = True
        self._set_deadline(self._admission.headers_timeout_s)

    def recognize(self, caller: Caller) -> None:
        """Record that the present request comes from a known caller. Raises
        TooManyConnectionsError."""
        admission = self._admission
        here = caller.at_this_computer
        unnamed = LOOPBACK if here else admission.ledger.source(self._number)
        admitted = admission.ledger.recognize(
            self._number,
            unnamed if here else caller.token_hash or unnamed,
            now=admission.now(),
            reserved=caller.privileged,
            token=not here,
        )
        if not admitted:
            raise TooManyConnectionsError("this caller has too many connections open already")
        self._known = True
        self._idle = False
        self._cancel_deadline()

    def disown(self) -> None:
        """Record that the caller of the present request is unknown, and start its deadline."""
        self._known = False
        self._idle = False
        self._admission.abort(self._admission.ledger.disown(self._number, self._admission.now()))
        self._set_deadline(self._admission.stranger_timeout_s)

    def end(self) -> None:
        """Start the deadline for the other end to read the rest of the answer and close."""
        self._idle = False
        self._set_deadline(self._admission.stranger_timeout_s)

    def lost(self) -> None:
        """Record that the connection has ended."""
        self._lost = True
        self._cancel_deadline()
        self._admission.lost(self._number)

    def abort(self) -> None:
        """Close the connection at once and discard unsent bytes."""
        self._cancel_deadline()
        self._admission.ledger.close(self._number)
        self._transport.abort()

    def _set_deadline(self, seconds: float) -> None:
        self._cancel_deadline()
        if self._lost:
            return  # the application may still work on a lost connection, without a deadline
        self._unsent = self._count_unsent()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(seconds, self._expire, seconds)

    def _cancel_deadline(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self, seconds: float) -> None:
        unsent = self._count_unsent()
        if self._known and 0 < unsent < self._unsent:
            self._set_deadline(seconds)  # a slow network is still taking the last answer
            return
        if self._idle and not unsent:
            if self._too_slow is not None:
                self._too_slow()
            self._transport.close()
            if not self._count_unsent():
                return
        self.abort()

    def _count_unsent(self) -> int:
        """Bytes in the write buffers, of TLS and of the socket."""
        size = self._transport.get_write_buffer_size()
        if self._socket is not self._transport:
            size += self._socket.get_write_buffer_size()
        return size


class _Tally:
    """Counts events that are too frequent for a log line each."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._total = 0
        self._reported_at: float | None = None

    def count(self) -> int:
        """Count one event. Returns the number of events since the last report, or 0 if that was
        less than ``LOG_EVERY_S`` ago."""
        self._total += 1
        now = self._clock()
        if self._reported_at is not None and now - self._reported_at < LOG_EVERY_S:
            return 0
        total, self._total, self._reported_at = self._total, 0, now
        return total
