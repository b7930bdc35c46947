"""Events of Wyoming from a server that is not trusted."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wyoming.event import Event, async_write_event

from lobug.engines.wyoming_wire import (
    MAX_DATA_BYTES,
    MAX_HEADER_BYTES,
    MAX_PAYLOAD_BYTES,
    WireError,
    read_event,
)


def reader_of(data: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=MAX_HEADER_BYTES)
    reader.feed_data(data)
    reader.feed_eof()
    return reader


async def events_in(data: bytes) -> list[Event]:
    reader, found = reader_of(data), []
    while (event := await read_event(reader)) is not None:
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
    ("data", "said"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "no JSON"),
        (b"[1]\n", "no event"),
        (b'{"data": {}}\n', "no event"),
        (b'{"type": 5}\n', "no event"),
        (b'{"type": "info"', "no JSON"),
        (b'{"type": "info"}', "no event"),
        (b'{"type": "info", "data": [1]}\n', "no event"),
        (b'{"type": "info", "data_length": -1}\n', "impossible length"),
        (b'{"type": "info", "data_length": true}\n', "impossible length"),
        (b'{"type": "info", "payload_length": 1.5}\n', "impossible length"),
        (b'{"type": "info", "data_length": 2147483648}\n{}', "announces 2147483648 bytes"),
        (b'{"type": "audio-chunk", "payload_length": 2147483648}\n', "announces 2147483648"),
        (f'{{"type": "x", "data_length": {MAX_DATA_BYTES + 1}}}\n'.encode(), "announces"),
        (f'{{"type": "x", "payload_length": {MAX_PAYLOAD_BYTES + 1}}}\n'.encode(), "announces"),
        (b'{"type": "info", "data_length": 10}\n{}', "breaks an event off"),
        (b'{"type": "info", "data_length": 2}\n[]', "no event"),
        (b'{"type": "info", "payload_length": 10}\nxyz', "breaks an event off"),
        (b"x" * (3 * MAX_HEADER_BYTES), "endless line"),
        (b'{"type":' + b"[" * 50_000 + b"\n", "no JSON"),
    ],
)
async def test_junk_is_said(data: bytes, said: str) -> None:
    with pytest.raises(WireError, match=said):
        await events_in(data)
