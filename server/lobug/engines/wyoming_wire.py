"""Events of the Wyoming protocol on a connection to a server that is not trusted.

The ``wyoming`` package writes the events and knows their fields. It reads whatever length a header
states, and takes junk for the end of the stream; so events are read here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
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

MAX_HEADER_BYTES = 65_536
"""Longest first line of an event."""
MAX_DATA_BYTES = 1 << 20
"""Longest JSON that follows it. The list of all of Piper's voices has about 100 kB."""
MAX_PAYLOAD_BYTES = 8 << 20
"""Longest payload: a server may send a whole sentence at once."""
MAX_EVENTS = 20_000
"""Most events of one answer, so that a server which sends nothing but events does not keep a
request busy for its whole time-out."""


class WireError(ValueError):
    """What arrives is not Wyoming. The message is the end of a sentence that begins with who sent
    it, and quotes nothing."""


async def read_event(reader: asyncio.StreamReader) -> Event | None:
    """The next event; None: the stream has ended between two events.

    The reader's own limit bounds the first line. Raises WireError, OSError.
    """
    try:
        line = await reader.readline()
    except ValueError as error:
        raise WireError("sends an endless line") from error
    if not line:
        return None
    header = _object(line)
    kind = header.get("type")
    if not isinstance(kind, str) or not line.endswith(b"\n"):
        raise WireError("sends what is no event")
    data_bytes = _length(header.get("data_length"), MAX_DATA_BYTES)
    payload_bytes = _length(header.get("payload_length"), MAX_PAYLOAD_BYTES)
    data = header.get("data") or {}
    if not isinstance(data, dict):
        raise WireError("sends what is no event")
    try:
        if data_bytes:
            data |= _object(await reader.readexactly(data_bytes))
        payload = await reader.readexactly(payload_bytes) if payload_bytes else None
    except asyncio.IncompleteReadError as error:
        raise WireError("breaks an event off") from error
    return Event(type=kind, data=data, payload=payload)


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WireError("sends what is no JSON") from error
    if not isinstance(value, dict):
        raise WireError("sends what is no event")
    return value


def _length(value: object, longest: int) -> int:
    if value is None:
        return 0
    if type(value) is not int or value < 0:
        raise WireError("sends an event of an impossible length")
    if value > longest:
        raise WireError(f"announces {value} bytes, more than {longest}")
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
                event = await read_event(self._reader)
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
                    parts.path, limit=MAX_HEADER_BYTES
                )
            else:
                reader, writer = await asyncio.open_connection(
                    parts.hostname, parts.port, limit=MAX_HEADER_BYTES
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
