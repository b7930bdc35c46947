"""Close codes, audio formats and binary frames (versions 1, 2 and 3) of the device protocol. Pure.

Layouts of the frames, big endian:

- version 1: the payload, nothing else; always audio.
- version 2: u16 version, u16 type (0 audio, 1 JSON), u32 reserved, u32 timestamp (ms), u32 payload
  size, payload.
- version 3: u8 type (0 audio, 1 JSON), u8 reserved, u16 payload size, payload.

Bytes after the payload and reserved fields are ignored, as the firmware does.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Literal

from lobug.errors import FrameError


class CloseCode(IntEnum):
    """Why the server closes a connection: a WebSocket close code (RFC 6455, 7.4) and its
    ``description``, which is sent as the reason."""

    description: str

    def __new__(cls, value: int, description: str = "") -> CloseCode:
        """A code with its description."""
        code = int.__new__(cls, value)
        code._value_ = value
        code.description = description
        return code

    NORMAL = 1000, "The conversation is over."
    GOING_AWAY = 1001, "The server shuts down; connect again later."
    POLICY = 1008, "Too many broken frames or messages."
    TOO_LARGE = 1009, "A message was larger than `streaming.max_message_bytes`."
    INTERNAL = 1011, "The server failed; its log says why."
    HELLO_TIMEOUT = 4001, "No `hello` came within `streaming.hello_timeout_s`."
    HELLO_INVALID = 4002, "The `hello` asks for something that is not served here."
    REPLACED = 4003, "The same device has opened a newer connection."
    TOKEN_REVOKED = 4004, "The device's token was revoked."
    TOO_SLOW = 4005, "The device read nothing for `streaming.send_timeout_s`."
    IDLE = 4006, "Nothing was said for `streaming.idle_timeout_s`."
    SERVER_FULL = 4007, "`streaming.max_connections` devices are connected."
    TOO_MANY_MESSAGES = 4008, "More than `streaming.max_messages_per_s`, in messages or in audio."
    NOT_APPROVED = 4009, "The owner has not approved the device yet; it may connect again."
    APPROVED = 4010, "The device is approved: it gets its token from discovery, then connects."


class AudioCodec(StrEnum):
    """The encoding of audio on the wire."""

    OPUS = "opus"
    """Bare Opus packets (RFC 6716)."""
    PCM = "pcm"
    """Signed 16-bit samples, little endian; for devices without a codec."""


OPUS_RATES = (8_000, 12_000, 16_000, 24_000, 48_000)
"""Hz (RFC 6716, section 2)."""

FRAME_DURATIONS_MS = (2.5, 5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0)
"""Milliseconds of audio in one Opus packet (RFC 6716, section 3.1: frames of 2.5 to 60 ms, or
several of them up to 120 ms). The same for PCM."""

PCM_RATES = (8_000, 48_000)
"""Lowest and highest rate of PCM, Hz."""


@dataclass(frozen=True, slots=True)
class AudioFormat:
    """The audio format of one direction."""

    codec: AudioCodec
    sample_rate: int
    """Hz."""
    frame_ms: float
    """Audio in one frame, milliseconds."""
    channels: int = 1

    @property
    def frame_s(self) -> float:
        """Audio in one frame, seconds."""
        return self.frame_ms / 1000

    @property
    def frame_samples(self) -> int:
        """Samples in one frame, of each channel."""
        return round(self.sample_rate * self.frame_ms / 1000)


DEFAULT_UPLINK = AudioFormat(AudioCodec.OPUS, 16_000, 60.0)
"""The protocol's default, for a device that names no format."""

DEFAULT_DOWNLINK_RATE = 24_000
"""Hz; the rate that devices of this protocol play."""


VERSIONS = (1, 2, 3)
"""The protocol versions that are served."""

MAX_PAYLOAD_BYTES = 65_535
"""Largest value of version 3's size field; far more than any frame of audio needs."""

_HEADER_2 = struct.Struct(">HHIII")
_HEADER_3 = struct.Struct(">BBH")
_AUDIO, _JSON = 0, 1


@dataclass(frozen=True, slots=True)
class Frame:
    """The content of a binary frame."""

    kind: Literal["audio", "json"]
    payload: bytes
    """Never empty."""
    timestamp_ms: int = 0
    """Version 2 only: timestamp of the audio that the device played while it recorded this, for
    echo cancellation; 0: unknown."""


def pack_audio(version: int, payload: bytes, timestamp_ms: int = 0) -> bytes:
    """Pack audio into a frame.

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
    """Unpack a received frame. Raises FrameError if it is malformed."""
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
