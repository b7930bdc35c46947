"""What a device and the server agree on when a connection opens. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from lobug.device.formats import AudioFormat
from lobug.device.messages import Hello


@dataclass(frozen=True, slots=True)
class Agreed:
    """How the two talk on this connection."""

    version: int
    """Of the binary frames: 1, 2 or 3."""
    uplink: AudioFormat
    """What the device sends."""
    downlink: AudioFormat
    """What the server sends."""
    mcp: bool
    """Whether the device serves tools."""
    aec: bool
    """Whether the device leaves echo cancellation to the server."""


def agree(hello: Hello, protocol_version: str | None = None) -> Agreed:
    """What follows from a hello and from the header ``Protocol-Version`` (None: not sent).

    Raises HelloError, which says what is served, for everything else.
    """
    raise NotImplementedError
