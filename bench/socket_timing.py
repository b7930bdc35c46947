"""Times a turn at the devices' WebSocket: from the packet that ended an utterance to the reply's
first packet.

Own share of a turn, precisely: from the moment when the WebSocket library hands over the audio
packet in which the endpoint lies, to the moment when the reply's first audio packet is handed to
it, without ``START_DELAY_S``, the deliberate wait after ``tts start``. It includes decoding that
packet, the code of voice detection and endpointing, what is left to do after the endpoint of
recall, prompt, log, cutting, encoding and waiting for a turn slot, and the event loop's delays. It
excludes the endpoint's silence, which is a decision; the network; and the time that a device needs
to fill a packet. Pacing delays no first packet.

``strict_s`` counts from when that packet was due, by the earliest arrival of the stream's packets:
what a packet waits in the library's queue counts as well, and so does a device that sends late.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lobug.devices.speaker import START_DELAY_S
from lobug.engines.base import STT_SAMPLE_RATE
from lobug.simulator.protocol import FRAME_MS

PACKET_SAMPLES = STT_SAMPLE_RATE * FRAME_MS // 1000
"""What a packet of a device holds, 16 kHz."""


@dataclass(frozen=True, slots=True)
class OwnShare:
    """The times of one turn, by ``time.monotonic``."""

    decided_at: float
    """When the packet with the endpoint came."""
    speaking_at: float
    """When ``tts start`` went."""
    first_audio_at: float
    """When the first packet of the reply went."""
    due_at: float
    """When the packet with the endpoint was due."""

    @property
    def seconds(self) -> float:
        """The own share of the turn, seconds."""
        return self.first_audio_at - self.decided_at - START_DELAY_S

    @property
    def strict_s(self) -> float:
        """The own share, counted from when the packet was due."""
        return self.first_audio_at - self.due_at - START_DELAY_S


@dataclass(slots=True)
class ConnectionTiming:
    """Times the messages of one connection."""

    clock: Callable[[], float]
    arrivals: list[float] = field(default_factory=list)
    """When each audio packet of the current stream came."""
    fed_samples: int = 0
    """Samples of the current stream that voice detection got."""
    speaking: tuple[int, float] | None = None
    """Index of the packet with the endpoint, and when ``tts start`` went; None once audio of the
    reply has gone."""
    shares: list[OwnShare] = field(default_factory=list)

    def stream_begins(self) -> Callable[[int], None]:
        """Start a new stream. Returns the callback that gets the number of its samples."""
        self.arrivals.clear()
        self.fed_samples = 0
        return self._fed

    def received_message(self, message: Message) -> None:
        """Note a message from the device."""
        if message.get("bytes"):
            self.arrivals.append(self.clock())

    def sent_message(self, message: Message) -> None:
        """Note a message that is about to go to the device."""
        text = message.get("text")
        if text is not None:
            said = json.loads(text)
            if said.get("type") == "tts" and said.get("state") == "start" and self.arrivals:
                self.speaking = (self._last_fed(), self.clock())
        elif message.get("bytes") and self.speaking is not None:
            index, speaking_at = self.speaking
            self.speaking = None
            due_at = due(self.arrivals[: index + 1])
            self.shares.append(OwnShare(self.arrivals[index], speaking_at, self.clock(), due_at))

    def _fed(self, samples: int) -> None:
        self.fed_samples = samples

    def _last_fed(self) -> int:
        """Index of the packet with the endpoint. While a reply is spoken the device's audio is not
        listened to, so it is the last packet that voice detection got. A decoder may hold back a
        part of a packet."""
        packets = -(-self.fed_samples // PACKET_SAMPLES)
        return min(max(packets, 1), len(self.arrivals)) - 1


def due(arrivals: Sequence[float]) -> float:
    """When the last of some packets was due, if none came early. Pure."""
    period_s = FRAME_MS / 1000
    start = min(at - n * period_s for n, at in enumerate(arrivals))
    return start + (len(arrivals) - 1) * period_s


class SocketTiming:
    """ASGI middleware with a ``ConnectionTiming`` for each WebSocket."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._clock = clock
        self.timings: list[ConnectionTiming] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        timing = ConnectionTiming(self._clock)
        self.timings.append(timing)
        _timing.set(timing)

        async def received() -> Message:
            message = await receive()
            timing.received_message(message)
            return message

        async def sent(message: Message) -> None:
            timing.sent_message(message)
            await send(message)

        await self._app(scope, received, sent)

    def shares(self) -> list[OwnShare]:
        """The own shares of all turns so far."""
        return [share for timing in self.timings for share in timing.shares]


_timing: ContextVar[ConnectionTiming] = ContextVar("timing")
"""Timing of the connection that this task serves."""


def stream_of_this_connection() -> Callable[[int], None]:
    """For ``InstantGate``: starts a new stream on the connection that this task serves."""
    return _timing.get().stream_begins()
