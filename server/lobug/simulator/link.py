"""A device's WebSocket connection, with a model of a poor network between device and server.

TCP loses nothing and reorders nothing. A lost segment is sent again once the sender has noticed the
loss, and later segments wait behind it (head-of-line blocking), so a program sees loss as one long
delay. How soon the sender notices depends on its stack. A server's kernel watches which later
segments arrived (RACK-TLP, RFC 8985, the default on Linux), also for a segment that it sends again.
The small stack of a device waits for three later segments the first time, then for a time-out.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from websockets import CloseCode
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

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
            self._last = max(self._last, sent + self._options.latency_s)
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
        losses = 0
        while losses < MAX_LOSSES and self._randomness.random() < self._options.loss:
            losses += 1
        self.lost_segments += losses
        return self._options.recovery_s(self._sender, losses)


MAX_WAITING = 40
"""Most audio packets that wait to be sent, as in the firmware; beyond it the oldest is dropped."""

MAX_MESSAGE_BYTES = 1_000_000
"""Largest message of a server that is read."""

_READ_AHEAD = 4
"""Messages that the WebSocket library queues while the device does not read."""


class LinkError(Exception):
    """The connection could not be opened; the text says why."""


@dataclass(frozen=True, slots=True)
class Closed:
    """How a connection ended."""

    code: int | None
    """The close code; None: it broke off without one."""
    reason: str = ""


class Link:
    """An open connection. ``on_message`` gets the time of arrival, by the event loop's clock, and
    the message; ``on_close`` is called once, after the last message."""

    def __init__(
        self,
        socket: ClientConnection,
        network: NetworkOptions,
        randomness: random.Random,
        on_message: Callable[[float, str | bytes], None],
        on_close: Callable[[Closed], None],
    ) -> None:
        self._socket = socket
        self._on_message = on_message
        self._on_close = on_close
        self._loop = asyncio.get_running_loop()
        self._perfect = network.perfect
        chances = (random.Random(randomness.random()) for _ in range(2))  # noqa: S311 - a model
        self._up = TcpPath(network, Sender.DEVICE, next(chances))
        self._down = TcpPath(network, Sender.SERVER, next(chances))
        self._coming: deque[tuple[float, str | bytes]] = deque()
        self._going: deque[tuple[float, str | bytes]] = deque()
        self._something_to_send = asyncio.Event()
        self._may_read = asyncio.Event()
        self._may_read.set()
        self._closed = False
        self.unsent = 0
        """Audio packets that were dropped because the connection was too slow."""
        self._tasks = (
            asyncio.create_task(self._read(), name="simulated device: reads"),
            asyncio.create_task(self._write(), name="simulated device: writes"),
        )

    @property
    def lost_segments(self) -> int:
        """How many segments the network model lost, both ways."""
        return self._up.lost_segments + self._down.lost_segments

    def send(self, message: str | bytes) -> None:
        """Queue a message; it is sent as soon as the network model allows. Never waits."""
        if self._closed:
            return
        sent = self._loop.time()
        arrival = sent if self._perfect else self._up.arrival(sent, len(message))
        if isinstance(message, bytes) and len(self._going) >= MAX_WAITING:
            self._drop_oldest_audio(sent)
        self._going.append((arrival, message))
        self._something_to_send.set()

    def stop_reading(self) -> None:
        """Stop reading, as a device that hangs."""
        self._may_read.clear()

    def read_on(self) -> None:
        self._may_read.set()

    def cut(self) -> None:
        """Cut the connection without a goodbye, as a device whose battery is empty."""
        self._socket.transport.abort()

    async def close(self) -> None:
        """Say good-bye and end. Safe to call twice."""
        self._closed = True
        reader, writer = self._tasks
        writer.cancel()
        self._may_read.set()
        if not self._socket.transport.is_closing():
            await self._socket.close()
        await asyncio.gather(reader, writer, return_exceptions=True)

    async def _read(self) -> None:
        try:
            while True:
                await self._may_read.wait()
                message = await self._socket.recv()
                now = self._loop.time()
                if self._perfect:
                    self._on_message(now, message)
                    continue
                arrival = self._down.arrival(now, len(message))
                self._coming.append((arrival, message))
                # Timers of the same time fire in any order: each takes the oldest message.
                self._loop.call_at(arrival, self._deliver)
        except ConnectionClosed:
            pass
        if self._coming:
            await asyncio.sleep(self._coming[-1][0] - self._loop.time())
        while self._coming:
            self._deliver()
        self._closed = True
        code = self._socket.close_code
        broke_off = code in {None, CloseCode.ABNORMAL_CLOSURE}
        self._on_close(Closed(None if broke_off else code, self._socket.close_reason or ""))

    def _deliver(self) -> None:
        if self._coming:
            self._on_message(*self._coming.popleft())

    async def _write(self) -> None:
        try:
            while True:
                while not self._going:
                    self._something_to_send.clear()
                    await self._something_to_send.wait()
                arrival, message = self._going[0]
                if (early_s := arrival - self._loop.time()) > 0:
                    await asyncio.sleep(early_s)
                    continue
                self._going.popleft()
                await self._socket.send(message)
        except ConnectionClosed:
            pass

    def _drop_oldest_audio(self, now: float) -> None:
        """Drop the oldest packet whose arrival time has passed: packets that the network model
        delays do not make the queue full."""
        for position, (arrival, message) in enumerate(self._going):
            if arrival > now:
                return
            if isinstance(message, bytes):
                del self._going[position]
                self.unsent += 1
                return


async def open_link(
    url: str,
    headers: Mapping[str, str],
    network: NetworkOptions,
    randomness: random.Random,
    on_message: Callable[[float, str | bytes], None],
    on_close: Callable[[Closed], None],
    timeout_s: float = 10.0,
) -> Link:
    """Connect. Raises LinkError."""
    try:
        socket = await connect(
            url,
            additional_headers=headers,
            user_agent_header=None,
            compression=None,
            open_timeout=timeout_s,
            close_timeout=1.0,
            ping_interval=None,
            max_size=MAX_MESSAGE_BYTES,
            max_queue=_READ_AHEAD,
            proxy=None,
        )
    except (OSError, InvalidHandshake, InvalidURI, TimeoutError) as error:
        raise LinkError(f"cannot connect to {url}: {error or type(error).__name__}") from error
    return Link(socket, network, randomness, on_message, on_close)
