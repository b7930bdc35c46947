"""A poor network between device and server: what TCP makes of loss, latency and jitter. Pure.

TCP loses nothing and reorders nothing. A lost segment is sent again once the sender has noticed the
loss, and later segments wait behind it (head-of-line blocking), so a program sees loss as one long
delay. How soon the sender notices depends on its stack. A server's kernel watches which later
segments arrived (RACK-TLP, RFC 8985, the default on Linux), also for a segment that it sends again.
The small stack of a device waits for three later segments the first time, then for a time-out.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum

SEGMENT_BYTES = 1_440
"""Payload of a segment on Wi-Fi: 1,500 bytes less the headers of IPv4 and TCP and their options."""

SPACING_S = 0.06
"""Between two segments of a voice stream: one packet of audio each."""

TOGETHER_S = 0.02
"""Segments sent within this many seconds get the same jitter: they wait in the same queue, or for
the same beacon of the access point while a device's radio sleeps."""

AT_ONCE_S = 0.000_5
"""Writes of the server within this many seconds share a segment as far as they fit: the server
joins the writes of one step of its event loop (``lobug.admission.protocols``)."""

DEVICE_TIMEOUT_S = 1.0
"""A device's first time-out, seconds; it doubles. An assumption: the clock of lwIP, the stack of
ESP32 firmware, has steps of half a second."""

MAX_LOSSES = 6
"""Most losses of one segment in a row, so that every delay has a bound."""


class Sender(StrEnum):
    """Which side sends, and so has to notice a loss."""

    SERVER = "server"
    DEVICE = "device"


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """A network, the same in both directions."""

    loss: float = 0.0
    """Share of segments that are lost, 0 to 1."""
    jitter_s: float = 0.0
    """Width of the delay's even distribution, seconds."""
    latency_s: float = 0.0
    """Least delay one way, seconds."""

    @property
    def perfect(self) -> bool:
        """Whether it delays nothing."""
        return self == NetworkOptions()

    @property
    def round_trip_s(self) -> float:
        """The mean round trip, seconds."""
        return 2 * self.latency_s + self.jitter_s

    def recovery_s(self, sender: Sender, losses: int) -> float:
        """Extra delay of a segment that was lost ``losses`` times in a row, seconds."""
        if losses == 0:
            return 0.0
        if sender is Sender.SERVER:
            # The next segment's acknowledgement, and a quarter of a round trip for one that was
            # only overtaken.
            return losses * (SPACING_S + 1.25 * self.round_trip_s)
        third_repeated_answer_s = 3 * SPACING_S + self.round_trip_s
        return third_repeated_answer_s + DEVICE_TIMEOUT_S * (2.0 ** (losses - 1) - 1)

    def max_delay_s(self, sender: Sender) -> float:
        """The longest delay of a message, seconds."""
        losses = MAX_LOSSES if self.loss > 0 else 0
        return self.latency_s + self.jitter_s + self.recovery_s(sender, losses)


class TcpPath:
    """One direction of a connection. Times are seconds of any clock that only goes forward."""

    def __init__(self, options: NetworkOptions, sender: Sender, randomness: random.Random) -> None:
        self._options = options
        self._sender = sender
        self._randomness = randomness
        self._last = float("-inf")
        self._jitter_drawn = float("-inf")
        self._jitter_s = 0.0
        self._segment_sent = float("-inf")
        self._segment_room = 0
        self.lost_segments = 0
        """How many segments had to be sent again."""

    def arrival(self, sent: float, size: int) -> float:
        """When a message of ``size`` bytes, sent at ``sent``, has arrived in full; never before an
        earlier one."""
        if sent - self._segment_sent <= AT_ONCE_S and size <= self._segment_room:
            self._segment_room -= size
            return self._last
        if sent - self._jitter_drawn >= TOGETHER_S:
            self._jitter_drawn = sent
            self._jitter_s = self._randomness.uniform(0.0, self._options.jitter_s)
        segments = max(1, -(-size // SEGMENT_BYTES))
        if self._sender is Sender.SERVER:
            self._segment_sent, self._segment_room = sent, segments * SEGMENT_BYTES - size
        recovery_s = max(self._recovery_s() for _ in range(segments))
        delay_s = self._options.latency_s + self._jitter_s + recovery_s
        self._last = max(self._last, sent + delay_s)
        return self._last

    def _recovery_s(self) -> float:
        """Of one segment."""
        losses = 0
        while losses < MAX_LOSSES and self._randomness.random() < self._options.loss:
            losses += 1
        self.lost_segments += losses
        return self._options.recovery_s(self._sender, losses)
