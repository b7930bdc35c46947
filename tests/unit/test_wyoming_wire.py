"""The events of untrusted Wyoming peers are read within limits."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wyoming.event import Event, async_write_event

from lobug.engines.wyoming_wire import (
    SERVER_LIMITS,
    WireBrokenOffError,
    WireError,
    WireTooLargeError,
    read_event,
)


def reader_of(data: bytes) -> asyncio.StreamReader:
    reader = reader_of_nothing()
    reader.feed_data(data)
    reader.feed_eof()
    return reader


def reader_of_nothing() -> asyncio.StreamReader:
    return asyncio.StreamReader(limit=SERVER_LIMITS.header)


async def events_in(data: bytes) -> list[Event]:
    reader, found = reader_of(data), []
    while (event := await read_event(reader, SERVER_LIMITS)) is not None:
        found.append(event)
    return found


class Written:
    """Takes what the package writes."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data

    def writelines(self, lines: tuple[bytes, ...]) -> None:
        self.data += b"".join(lines)

    async def drain(self) -> None:
        pass


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=30)
@given(
    st.lists(
        st.builds(
            Event,
            type=st.text(min_size=1, max_size=20),
            data=st.dictionaries(st.text(max_size=8), JSON, max_size=4),
            payload=st.none() | st.binary(min_size=1, max_size=300),
        ),
        max_size=4,
    )
)
def test_what_the_package_writes_is_read_back(events: list[Event]) -> None:
    async def go() -> list[Event]:
        written: Any = Written()
        for event in events:
            await async_write_event(event, written)
        return await events_in(written.data)

    assert asyncio.run(go()) == events


@settings(max_examples=150)
@given(
    st.binary(max_size=300)
    | st.builds(
        lambda header, rest: json.dumps(header).encode() + b"\n" + rest,
        st.fixed_dictionaries(
            {"type": JSON},
            optional={"data": JSON, "data_length": JSON, "payload_length": JSON},
        ),
        st.binary(max_size=60),
    )
)
def test_any_bytes_are_events_or_a_wire_error(data: bytes) -> None:
    async def go() -> list[Event]:
        return await events_in(data)

    try:
        found = asyncio.run(go())
    except WireError:
        return
    assert all(isinstance(event.type, str) and isinstance(event.data, dict) for event in found)


@pytest.mark.parametrize(
    ("data", "kind", "said"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", WireError, "no JSON"),
        (b"\n", WireError, "no JSON"),
        (b"\xff\xfe{\x00}\x00\n", WireError, "no JSON in UTF-8"),
        (b"[1]\n", WireError, "no event"),
        (b'{"data": {}}\n', WireError, "no event"),
        (b'{"type": 5}\n', WireError, "no event"),
        (b'{"type": ""}\n', WireError, "no event"),
        (b'{"type": "info"', WireBrokenOffError, "breaks an event off"),
        (b'{"type": "info"}', WireBrokenOffError, "breaks an event off"),
        (b'{"type": "info", "data": [1]}\n', WireError, "no event"),
        (b'{"type": "info", "data_length": -1}\n', WireError, "data_length that is no number"),
        (b'{"type": "info", "data_length": true}\n', WireError, "data_length that is no number"),
        (b'{"type": "info", "payload_length": 1.5}\n', WireError, "payload_length that is no"),
        (
            b'{"type": "info", "data_length": 2147483648}\n{}',
            WireTooLargeError,
            f"data_length of more than {SERVER_LIMITS.data} bytes",
        ),
        (
            b'{"type": "audio-chunk", "payload_length": 2147483648}\n',
            WireTooLargeError,
            f"payload_length of more than {SERVER_LIMITS.payload} bytes",
        ),
        (
            f'{{"type": "x", "data_length": {SERVER_LIMITS.data + 1}}}\n'.encode(),
            WireTooLargeError,
            "announces",
        ),
        (
            f'{{"type": "x", "payload_length": {SERVER_LIMITS.payload + 1}}}\n'.encode(),
            WireTooLargeError,
            "announces",
        ),
        (b'{"type": "info", "data_length": 10}\n{}', WireBrokenOffError, "breaks an event off"),
        (b'{"type": "info", "data_length": 2}\n[]', WireError, "no event"),
        (
            b'{"type": "info", "payload_length": 10}\nxyz',
            WireBrokenOffError,
            "breaks an event off",
        ),
        (b"x" * (3 * SERVER_LIMITS.header), WireTooLargeError, "a line of more than 65536 bytes"),
        (
            b"x" * SERVER_LIMITS.header + b"\n",
            WireTooLargeError,
            "a line of more than 65536 bytes",
        ),
        (b'{"type":' + b"[" * 50_000 + b"\n", WireError, "no JSON"),
    ],
)
async def test_junk_is_said(data: bytes, kind: type[WireError], said: str) -> None:
    with pytest.raises(WireError, match=said) as raised:
        await events_in(data)
    assert type(raised.value) is kind


async def test_an_event_may_take_long_to_begin_and_not_to_end() -> None:
    stream = reader_of_nothing()
    reading = asyncio.ensure_future(read_event(stream, SERVER_LIMITS, within_s=0.0))
    done, _ = await asyncio.wait({reading}, timeout=0.05)
    assert not done
    stream.feed_data(b"{")
    with pytest.raises(TimeoutError):
        await reading
