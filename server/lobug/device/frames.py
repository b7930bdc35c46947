"""Binary frames of protocol versions 1, 2 and 3. Pure.

Layouts, big endian:

- version 1: the payload, nothing else; always audio.
- version 2: u16 version, u16 type (0 audio, 1 JSON), u32 reserved, u32 timestamp (ms), u32 payload
  size, payload.
- version 3: u8 type (0 audio, 1 JSON), u8 reserved, u16 payload size, payload.

Bytes after the payload are ignored and so is what is reserved, as the firmware does.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Literal

from lobug.errors import FrameError

VERSIONS = (1, 2, 3)
"""The protocol versions that are served."""

MAX_PAYLOAD_BYTES = 65_535
"""What the size field of version 3 can say; far more than any frame of audio needs."""

_HEADER_2 = struct.Struct(">HHIII")
_HEADER_3 = struct.Struct(">BBH")
_AUDIO, _JSON = 0, 1


@dataclass(frozen=True, slots=True)
class Frame:
    """What a binary frame holds."""

    kind: Literal["audio", "json"]
    payload: bytes
    """Never empty."""
    timestamp_ms: int = 0
    """Version 2 only: the timestamp of the audio that the device played while it recorded this,
    for echo cancellation; 0: not known."""


def pack_audio(version: int, payload: bytes, timestamp_ms: int = 0) -> bytes:
    """One frame of audio as it is sent.

    ``timestamp_ms`` is sent by version 2 only, modulo 2**32. Raises FrameError for an unknown
    version, an empty payload and one of more than ``MAX_PAYLOAD_BYTES``.
    """
    _check_size(len(payload))
    if version == 1:
        return payload
    if version == 2:
        header = _HEADER_2.pack(2, _AUDIO, 0, timestamp_ms % 2**32, len(payload))
        return header + payload
    if version == 3:
        return _HEADER_3.pack(_AUDIO, 0, len(payload)) + payload
    raise FrameError(f"protocol version {version} has no frames")


def unpack(version: int, data: bytes) -> Frame:
    """What a received frame holds. Raises FrameError for everything that is malformed."""
    if version == 1:
        _check_size(len(data))
        return Frame("audio", data)
    if version == 2:
        return _unpack_2(data)
    if version == 3:
        return _unpack_3(data)
    raise FrameError(f"protocol version {version} has no frames")


def _unpack_2(data: bytes) -> Frame:
    if len(data) < _HEADER_2.size:
        raise FrameError(f"{len(data)} bytes are less than the header")
    said_version, kind, _, timestamp_ms, size = _HEADER_2.unpack_from(data)
    if said_version != 2:
        raise FrameError(f"the header says version {said_version}, the hello 2")
    return Frame(_kind(kind), _payload(data, _HEADER_2.size, size), timestamp_ms)


def _unpack_3(data: bytes) -> Frame:
    if len(data) < _HEADER_3.size:
        raise FrameError(f"{len(data)} bytes are less than the header")
    kind, _, size = _HEADER_3.unpack_from(data)
    return Frame(_kind(kind), _payload(data, _HEADER_3.size, size))


def _kind(number: int) -> Literal["audio", "json"]:
    if number == _AUDIO:
        return "audio"
    if number == _JSON:
        return "json"
    raise FrameError(f"frame type {number} is not known")


def _payload(data: bytes, start: int, size: int) -> bytes:
    _check_size(size)
    if len(data) - start < size:
        raise FrameError(f"the header says {size} bytes, {len(data) - start} follow")
    return data[start : start + size]


def _check_size(size: int) -> None:
    if not 1 <= size <= MAX_PAYLOAD_BYTES:
        raise FrameError(f"a payload of {size} bytes")
