"""A device's WebSocket connection, with a network model between device and server."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from websockets import CloseCode
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from lobug.simulator.streaming.network import NetworkOptions, Sender, TcpPath

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
        """Read again."""
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
