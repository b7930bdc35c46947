"""How many descriptors this process may open, and what happens when there is none left.

Open connections: their deadlines, and closing those that the ledger gives up."""

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
from lobug.access.records import Caller
from lobug.admission.ledger import LOOPBACK, Capacity, ConnectionLedger
from lobug.errors import TooManyConnectionsError
from lobug.settings.conversation import LimitSettings

log = logging.getLogger(__name__)

_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def raise_descriptor_limit(wanted: int) -> int:
    """Raise this process's soft limit of descriptors to ``wanted``, as far as its hard limit
    allows; a higher one stays. Returns the limit that is in force."""
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
    """The event loop's exception handler. Asyncio writes a stack trace for every connection that
    it has no descriptor for, thousands a second, and tries again after a second: those are counted
    instead, and room is made. All else is handled as usual."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle what asyncio reports."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in _EXHAUSTED and "socket" in context:
            self._admission.out_of_descriptors(error)
        else:
            loop.default_exception_handler(context)


STATE_KEY = "connection"
"""Where the ``OpenConnection`` is in ``scope["state"]``; absent under another server software."""

LOG_EVERY_S = 60.0
"""Seconds between two lines on the same trouble."""

SHED_EVERY_S = 1.0
"""Seconds between two times that connections are closed for want of descriptors: asyncio reports
it for each connection that it cannot accept."""


class Admission:
    """All open connections of one server.

    Args:
        capacity: how many there is room for.
        limits: the deadlines.
        address_of: makes an address of what the socket says; tests pretend other computers.
        clock: seconds, never going back.
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
        """For a whole request of somebody unknown: its body, and reading the answer."""
        self.now = clock
        self._address_of = address_of
        self._numbers = itertools.count(1)
        self._open: dict[int, OpenConnection] = {}
        self._evictions = _Tally(clock)
        self._refusals = _Tally(clock)
        self._shed_at = -SHED_EVERY_S
        self._stopping = False

    def __len__(self) -> int:
        """Connections that are open, those included that are being closed."""
        return len(self._open)

    def open(
        self, transport: asyncio.Transport, too_slow: Callable[[], None] | None = None
    ) -> OpenConnection:
        """A connection was made. ``too_slow`` is called before it is closed because no request
        came in time."""
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
        """The server stops: a connection that is made from now on is closed at once. Uvicorn closes
        those that it has, and would wait for one that was only being accepted."""
        self._stopping = True

    def abort(self, victims: list[int]) -> None:
        """Close these at once: the ledger has given them up."""
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
        """No connection can be accepted: close some of those that have shown nothing."""
        now = self.now()
        if now - self._shed_at >= SHED_EVERY_S:
            self._shed_at = now
            self.abort(self.ledger.shed(2 * self.capacity.accepts_at_once))
        if total := self._refusals.count():
            log.error(
                "no descriptor was free for a new connection, %d times since this was last said: %s"
                " (docs/operations.md, Floods of connections)",
                total,
                error.strerror,
            )

    def lost(self, number: int) -> None:
        """A connection has ended."""
        self._open.pop(number, None)
        self.ledger.close(number)


class OpenConnection:
    """One connection, from its acceptance to its end. It has one deadline at most."""

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
        self._too_slow = too_slow
        self._timer: asyncio.TimerHandle | None = None
        self._known = False
        self._lost = False
        self._idle = True
        """Whether it waits for a request."""
        self._unsent = 0
        """Bytes that waited to be sent when the deadline was set."""

    def await_request(self) -> None:
        """Nothing was asked yet, or the last answer is complete: the headers of the next request
        have to come in time, however many pieces they come in."""
        self._idle = True
        self._set_deadline(self._admission.headers_timeout_s)

    def recognize(self, caller: Caller) -> None:
        """Its present request comes from somebody known. Raises TooManyConnectionsError."""
        admission = self._admission
        here = caller.at_this_computer
        unnamed = LOOPBACK if here else admission.ledger.source(self._number)
        admitted = admission.ledger.recognize(
            self._number,
            caller.token_hash or unnamed,
            now=admission.now(),
            reserved=caller.owner or caller.kind == "device",
            token=not here,
        )
        if not admitted:
            raise TooManyConnectionsError("this caller has too many connections open already")
        self._known = True
        self._idle = False
        self._cancel_deadline()

    def disown(self) -> None:
        """Nobody known stands behind its present request: that has to be over in time."""
        self._known = False
        self._idle = False
        self._admission.abort(self._admission.ledger.disown(self._number, self._admission.now()))
        self._set_deadline(self._admission.stranger_timeout_s)

    def end(self) -> None:
        """Nothing more is said on it: the other end has to take what is unsent, and close."""
        self._idle = False
        self._set_deadline(self._admission.stranger_timeout_s)

    def lost(self) -> None:
        """It has ended."""
        self._lost = True
        self._cancel_deadline()
        self._admission.lost(self._number)

    def abort(self) -> None:
        """Close it at once; what was not sent is discarded."""
        self._cancel_deadline()
        self._admission.ledger.close(self._number)
        self._transport.abort()

    def _set_deadline(self, seconds: float) -> None:
        self._cancel_deadline()
        if self._lost:
            return  # what the application still does with it has no deadline
        self._unsent = self._transport.get_write_buffer_size()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(seconds, self._expire, seconds)

    def _cancel_deadline(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self, seconds: float) -> None:
        unsent = self._transport.get_write_buffer_size()
        if self._known and 0 < unsent < self._unsent:
            self._set_deadline(seconds)  # a slow network still takes the last answer
            return
        if self._idle and not unsent:
            if self._too_slow is not None:
                self._too_slow()
            self._transport.close()
            if not self._transport.get_write_buffer_size():
                return
        self.abort()


class _Tally:
    """Counts what happens too often for a line each."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._total = 0
        self._told_at: float | None = None

    def count(self) -> int:
        """One more. Returns how many there were since it last returned a number, or 0: that was
        less than ``LOG_EVERY_S`` ago."""
        self._total += 1
        now = self._clock()
        if self._told_at is not None and now - self._told_at < LOG_EVERY_S:
            return 0
        total, self._total, self._told_at = self._total, 0, now
        return total
