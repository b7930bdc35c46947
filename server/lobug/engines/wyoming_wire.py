"""Reads the events of untrusted Wyoming peers; opens connections to Wyoming servers.

The ``wyoming`` package writes the events and knows their fields. It reads whatever length a header
states, and takes junk for the end of the stream; so events are read here, those of servers and
those of the clients of our own door.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from wyoming.error import Error
from wyoming.event import Event, Eventable, async_write_event

from lobug.errors import (
    EngineError,
    EngineInterruptedError,
    EngineTimeoutError,
    EngineUnavailableError,
)


@dataclass(frozen=True, slots=True)
class EventLimits:
    """How long the parts of an event may be, bytes."""

    header: int
    """Of the first line. The stream's own limit must be this too."""
    data: int
    """Of the JSON that follows it."""
    payload: int


SERVER_LIMITS = EventLimits(header=65_536, data=1 << 20, payload=8 << 20)
"""Of what a server sends. The list of all of Piper's voices has about 100 kB, and a whole sentence
may be one payload."""
MAX_EVENTS = 20_000
"""Most events of one answer, so that a server which sends nothing but events does not keep a
request busy for its whole time-out."""


class WireError(ValueError):
    """What arrives is not Wyoming. The message is the end of a sentence that begins with who sent
    it, and quotes nothing."""


class WireTooLargeError(WireError):
    """An event is longer than its limits."""


class WireBrokenOffError(WireError):
    """The stream ends within an event."""


async def read_event(
    stream: asyncio.StreamReader, limits: EventLimits, *, within_s: float | None = None
) -> Event | None:
    """The next event, however long it takes to begin; None: the stream has ended before it.

    ``within_s``: longest time from its first to its last byte, seconds; None: no limit. Raises
    WireError and its subclasses, TimeoutError, OSError. Nothing can be read afterwards, because
    where the next event begins is unknown.
    """
    first = await stream.read(1)
    if not first:
        return None
    try:
        async with asyncio.timeout(within_s):
            return await _rest_of_event(stream, limits, first)
    except asyncio.IncompleteReadError:
        raise WireBrokenOffError("breaks an event off") from None


async def _rest_of_event(stream: asyncio.StreamReader, limits: EventLimits, first: bytes) -> Event:
    try:
        line = first if first == b"\n" else first + await stream.readuntil(b"\n")
    except asyncio.LimitOverrunError:
        line = b""
    if not line or len(line) > limits.header:
        raise WireTooLargeError(f"sends a line of more than {limits.header} bytes")
    header = _object(line)
    kind, data = header.get("type"), header.get("data") or {}
    if not isinstance(kind, str) or not kind or not isinstance(data, dict):
        raise WireError("sends what is no event")
    data_bytes = _length(header, "data_length", limits.data)
    payload_bytes = _length(header, "payload_length", limits.payload)
    if data_bytes:
        data = {**data, **_object(await stream.readexactly(data_bytes))}
    payload = await stream.readexactly(payload_bytes) if payload_bytes else None
    return Event(kind, data, payload)


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text.decode())
    except (ValueError, RecursionError):
        raise WireError("sends what is no JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise WireError("sends what is no event")
    return value


def _length(header: Mapping[str, Any], name: str, longest: int) -> int:
    value = header.get(name)
    if value is None:
        return 0
    if type(value) is not int or value < 0:
        raise WireError(f"sends a {name} that is no number of bytes")
    if value > longest:
        raise WireTooLargeError(f"announces a {name} of more than {longest} bytes")
    return value


class WyomingConnection:
    """One connection, for one request. Every failure is an EngineError."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        engine: str,
        where: str,
        answer_timeout_s: float,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._engine = engine
        self._where = where
        self._answer_timeout_s = answer_timeout_s
        self._received = 0

    async def send(self, event: Eventable) -> None:
        """Send an event. Waits, within the time-out, while the server takes nothing."""
        try:
            async with asyncio.timeout(self._answer_timeout_s):
                await async_write_event(event.event(), self._writer)
        except TimeoutError:
            raise self._slow() from None
        except OSError as error:
            raise self._broken() from error

    async def receive(self) -> Event:
        """The next event; one that reports an error is raised. Raises EngineError."""
        self._received += 1
        if self._received > MAX_EVENTS:
            raise EngineInterruptedError(self._engine, f"{self._where} sends events without end")
        try:
            async with asyncio.timeout(self._answer_timeout_s):
                event = await read_event(self._reader, SERVER_LIMITS)
        except TimeoutError:
            raise self._slow() from None
        except OSError as error:
            raise self._broken() from error
        except WireError as error:
            raise EngineInterruptedError(self._engine, f"{self._where} {error}") from error
        if event is None:
            raise self._broken()
        if Error.is_type(event.type):
            # Its text may quote the request, and errors are logged.
            raise EngineError(self._engine, f"{self._where} reports an error")
        return event

    def _slow(self) -> EngineTimeoutError:
        return EngineTimeoutError(
            self._engine, f"{self._where} sends nothing for {self._answer_timeout_s:g} s"
        )

    def _broken(self) -> EngineInterruptedError:
        return EngineInterruptedError(self._engine, f"{self._where} broke the connection off")


@asynccontextmanager
async def connected(
    url: str, *, engine: str, connect_timeout_s: float, answer_timeout_s: float
) -> AsyncGenerator[WyomingConnection]:
    """A connection to the server at ``url``, ``tcp://host:port`` or ``unix:///path``.

    It is closed at once however the context ends, so that a server can notice that nobody wants
    the answer any more. Raises EngineUnavailableError, EngineTimeoutError.
    """
    where = where_is(url)
    parts = urlsplit(url)
    try:
        async with asyncio.timeout(connect_timeout_s):
            if parts.scheme == "unix":
                reader, writer = await asyncio.open_unix_connection(
                    parts.path, limit=SERVER_LIMITS.header
                )
            else:
                reader, writer = await asyncio.open_connection(
                    parts.hostname, parts.port, limit=SERVER_LIMITS.header
                )
    except TimeoutError:
        raise EngineTimeoutError(
            engine, f"{where} takes no connection within {connect_timeout_s:g} s"
        ) from None
    except (OSError, ValueError) as error:
        raise EngineUnavailableError(engine, f"{where} does not answer") from error
    try:
        yield WyomingConnection(
            reader, writer, engine=engine, where=where, answer_timeout_s=answer_timeout_s
        )
    finally:
        writer.transport.abort()


def where_is(url: str) -> str:
    """The server, for a sentence."""
    return f"the Wyoming server at {url}"
