"""Reads and writes the audio of a connection, packet by packet.

Each object serves one stream: calls follow one another, from whichever thread. Opus is computed
outside Python's interpreter lock.
"""

from __future__ import annotations

from typing import Protocol

from lobug.device.formats import AudioFormat
from lobug.engines.base import Samples


class Decoder(Protocol):
    """What a device sends, as the engines take it."""

    def decode(self, packet: bytes) -> Samples:
        """The next samples, 16 kHz mono. Raises AudioPacketError for a packet that is no audio;
        the stream goes on with the next one."""

    def flush(self) -> Samples:
        """The last samples of an utterance, which filters still hold. The stream may go on."""


class Encoder(Protocol):
    """Speech, as a device takes it."""

    @property
    def position(self) -> float:
        """Audio fed so far, in frames, a part of one included: where the next sample will be."""

    def feed(self, samples: Samples) -> list[bytes]:
        """Take samples at the source's rate, any number. Returns the whole packets they fill."""

    def flush(self) -> list[bytes]:
        """The rest as packets, the last one filled up with silence. The stream may go on."""


def make_decoder(uplink: AudioFormat) -> Decoder:
    """The decoder of a format that was agreed on."""
    raise NotImplementedError


def make_encoder(downlink: AudioFormat, source_rate: int) -> Encoder:
    """The encoder of a format that was agreed on, for samples of ``source_rate`` Hz."""
    raise NotImplementedError
