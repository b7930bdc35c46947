"""Audio formats of the device protocol."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AudioCodec(StrEnum):
    """How audio is written on the wire."""

    OPUS = "opus"
    """Bare Opus packets (RFC 6716)."""
    PCM = "pcm"
    """Signed 16-bit samples, little endian; for devices without a codec."""


OPUS_RATES = (8_000, 12_000, 16_000, 24_000, 48_000)
"""Hz (RFC 6716, section 2)."""

FRAME_DURATIONS_MS = (2.5, 5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0)
"""What one Opus packet may hold, milliseconds (RFC 6716, section 3.1: frames of 2.5 to 60 ms, or
several of them up to 120 ms). The same for PCM."""

PCM_RATES = (8_000, 48_000)
"""Lowest and highest rate of PCM, Hz."""


@dataclass(frozen=True, slots=True)
class AudioFormat:
    """One direction's audio."""

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
"""The protocol's own, where a device says nothing."""

DEFAULT_DOWNLINK_RATE = 24_000
"""Hz; what devices of this protocol play."""
