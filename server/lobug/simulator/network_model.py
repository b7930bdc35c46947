"""A poor network between device and server: what TCP makes of loss, latency and jitter. Pure.

TCP loses nothing and reorders nothing. A lost segment is sent again after a time-out, and all that
was sent after it waits behind it (head-of-line blocking): what a programme sees of loss is delay,
in one lump.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

SEGMENT_BYTES = 1_440
"""Payload of a segment on Wi-Fi: 1,500 bytes less the headers of IPv4 and TCP and their options."""

MIN_TIMEOUT_S = 0.2
"""What Linux adds at least to the round trip before it takes a segment for lost (TCP_RTO_MIN)."""

MAX_LOSSES = 6
"""How often a segment is lost in a row at most, so that every delay has a bound."""


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """A network, the same in both directions."""

    loss: float = 0.0
    """Share of segments that are lost, 0 to 1."""
    jitter_s: float = 0.0
    """A segment's delay varies by so much, evenly distributed, seconds."""
    latency_s: float = 0.0
    """Least delay one way, seconds."""

    @property
    def perfect(self) -> bool:
        """Whether it delays nothing."""
        return self == NetworkOptions()

    @property
    def timeout_s(self) -> float:
        """After how long a segment is sent again for the first time, seconds; it doubles then.

        RFC 6298 with Linux' least: the smoothed round trip, and four times its mean deviation,
        which is a third of the jitter for the sum of two evenly distributed delays.
        """
        round_trip_s = 2 * self.latency_s + self.jitter_s
        return round_trip_s + max(MIN_TIMEOUT_S, 4 * self.jitter_s / 3)

    @property
    def max_delay_s(self) -> float:
        """No message takes longer than this, seconds."""
        worst_s = self.timeout_s * (2**MAX_LOSSES - 1) if self.loss > 0 else 0.0
        return self.latency_s + self.jitter_s + worst_s


class TcpPath:
    """One direction of a connection. Times are seconds of any clock that only goes forward."""

    def __init__(self, options: NetworkOptions, randomness: random.Random) -> None:
        self._options = options
        self._randomness = randomness
        self._last = float("-inf")
        self.lost_segments = 0
        """How many had to be sent again."""

    def arrival(self, sent: float, size: int) -> float:
        """When a message of ``size`` bytes that is sent now arrives whole, never before one that
        was sent earlier."""
        segments = max(1, -(-size // SEGMENT_BYTES))
        delay_s = max(self._segment_delay_s() for _ in range(segments))
        self._last = max(self._last, sent + delay_s)
        return self._last

    def _segment_delay_s(self) -> float:
        options = self._options
        delay_s = options.latency_s + self._randomness.uniform(0.0, options.jitter_s)
        timeout_s = options.timeout_s
        for _ in range(MAX_LOSSES):
            if self._randomness.random() >= options.loss:
                break
            self.lost_segments += 1
            delay_s += timeout_s
            timeout_s *= 2
        return delay_s
