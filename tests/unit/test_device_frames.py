"""Binary frames of the device protocol."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.devices.frames import (
    MAX_PAYLOAD_BYTES,
    VERSIONS,
    Frame,
    pack_audio,
    unpack,
)
from lobug.errors import FrameError

VERSION = st.sampled_from(VERSIONS)
PAYLOAD = st.binary(min_size=1, max_size=2_000)


@given(VERSION, PAYLOAD, st.integers(0, 2**32 - 1))
def test_what_is_packed_comes_back(version: int, payload: bytes, timestamp: int) -> None:
    frame = unpack(version, pack_audio(version, payload, timestamp))
    assert frame == Frame("audio", payload, timestamp if version == 2 else 0)


def test_the_layouts_are_those_of_the_firmware() -> None:
    assert pack_audio(1, b"opus") == b"opus"
    assert (
        pack_audio(2, b"opus", 0x01020304)
        == bytes.fromhex("0002 0000 00000000 01020304 00000004".replace(" ", "")) + b"opus"
    )
    assert pack_audio(3, b"opus") == b"\x00\x00\x00\x04opus"


def test_json_may_come_in_a_binary_frame() -> None:
    header = bytes.fromhex("0002 0001 00000000 00000000 00000002".replace(" ", ""))
    assert unpack(2, header + b"{}") == Frame("json", b"{}")
    assert unpack(3, b"\x01\x00\x00\x02{}") == Frame("json", b"{}")


@given(VERSION.filter(lambda version: version > 1), PAYLOAD, st.binary(min_size=1, max_size=50))
def test_bytes_after_the_payload_are_ignored(version: int, payload: bytes, more: bytes) -> None:
    assert unpack(version, pack_audio(version, payload) + more).payload == payload


@given(VERSION.filter(lambda version: version > 1), PAYLOAD, st.data())
def test_a_frame_cut_short_is_refused(version: int, payload: bytes, data: st.DataObject) -> None:
    whole = pack_audio(version, payload)
    with pytest.raises(FrameError):
        unpack(version, whole[: data.draw(st.integers(0, len(whole) - 1))])


@pytest.mark.parametrize(
    ("version", "data"),
    [
        (1, b""),
        (1, bytes(MAX_PAYLOAD_BYTES + 1)),
        (2, b""),
        (2, bytes(16)),  # version 0 in its header
        (2, bytes.fromhex("00020002000000000000000000000001ff")),  # type 2
        (2, bytes.fromhex("00020000000000000000000000000000")),  # no payload
        (2, bytes.fromhex("000200000000000000000000ffffffff") + bytes(100)),
        (3, bytes.fromhex("02000001ff")),
        (3, bytes.fromhex("00000000")),
        (3, bytes.fromhex("0000ffff") + bytes(100)),
        (0, b"x"),
        (4, b"x"),
    ],
)
def test_malformed_frames_are_refused(version: int, data: bytes) -> None:
    with pytest.raises(FrameError) as refused:
        unpack(version, data)
    assert refused.value.code == "frame_invalid"


@given(st.integers(-1, 5), st.binary(max_size=200))
def test_anything_is_a_frame_or_refused(version: int, data: bytes) -> None:
    try:
        frame = unpack(version, data)
    except FrameError:
        return
    assert frame.kind in ("audio", "json")
    assert frame.payload
    assert frame.payload in data


@pytest.mark.parametrize(
    ("version", "payload"), [(1, b""), (3, bytes(MAX_PAYLOAD_BYTES + 1)), (9, b"x")]
)
def test_nothing_is_packed_that_could_not_be_read(version: int, payload: bytes) -> None:
    with pytest.raises(FrameError):
        pack_audio(version, payload)


def test_a_clock_that_has_run_over_is_no_fault() -> None:
    assert unpack(2, pack_audio(2, b"x", 2**32 + 7)).timestamp_ms == 7
