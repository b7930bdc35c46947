"""When something that was said into a stream happened, on the server's clock. Pure.

A device's ears: its audio, decoded, in the listener that fits the mode."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial

from lobug.devices.codec import Decoder
from lobug.devices.connection import Connection
from lobug.engines.base import STT_SAMPLE_RATE, SpeechGate, SpeechToText
from lobug.errors import AudioPacketError
from lobug.settings import Settings
from lobug.turn.listen.endpointing import ListeningMode
from lobug.turn.listen.events import ListeningEvent
from lobug.turn.listen.listener import Listener


class StreamClock:
    """Turns seconds of stream into readings of the clock.

    A sample cannot arrive before it was spoken, so the earliest arrival, counted from the stream's
    beginning, is the nearest to the truth; the network only ever adds to it. A gap in the stream (a
    device that stopped sending for a while) begins a new count.
    """

    GAP_S = 1.0
    """Later than this means that the device did not send for a while."""

    def __init__(self) -> None:
        self._fed_s = 0.0
        self._start = math.inf
        self._gap = False

    @property
    def fed_s(self) -> float:
        """Seconds of stream so far."""
        return self._fed_s

    def arrived(self, seconds: float, now: float) -> None:
        """So much audio has arrived now."""
        self._fed_s += seconds
        start = now - self._fed_s
        if self._gap or start > self._start + self.GAP_S:
            self._start = start
        self._gap = False
        self._start = min(self._start, start)

    def deaf(self) -> None:
        """Audio has come that is no part of the stream: a gap, however short."""
        self._gap = True

    def at(self, stream_s: float) -> float:
        """The reading of the clock at which that second of the stream was spoken."""
        return self._start + stream_s


_JUDGED_PACKETS = 50
"""Packets by whose share of broken ones a device is judged: 3 s of 60 ms. A poor network loses
packets, it breaks none; a device that sends something else breaks most."""


class Microphone:
    """Listens when the device does: not while it speaks, except in realtime mode."""

    def __init__(
        self,
        gate: SpeechGate,
        stt: SpeechToText,
        settings: Settings,
        connection: Connection,
        clock: Callable[[], float],
        *,
        busy: Callable[[], bool],
    ) -> None:
        """``busy``: whether the cores have something better to do than interim transcripts."""
        self.mode: ListeningMode = "auto"
        self._gate = gate
        self._stt = stt
        self._busy = busy
        self._settings = settings
        self._connection = connection
        self._clock = clock
        self._open = False
        self._answering = False
        self._listener: Listener | None = None
        self._decoder: Decoder | None = None
        self._stream = StreamClock()
        self._changed = asyncio.Event()
        self._closed = False
        self.restarts = 0
        """How often what was heard before was forgotten: what is still told of it is void."""
        self.bad_packets = 0
        """Audio packets that could not be decoded since ``start``; they are skipped."""
        self._broken: deque[bool] = deque(maxlen=_JUDGED_PACKETS)

    @property
    def stopped(self) -> bool:
        """Whether the device has said that that was all, and waits."""
        return self._listener is not None and not self._open

    @property
    def mostly_broken(self) -> bool:
        """Whether most of the last packets could not be decoded: this is another format."""
        return 2 * sum(self._broken) > _JUDGED_PACKETS

    def start(self, mode: ListeningMode) -> None:
        """The device listens from now on. What it sent before is forgotten."""
        self.restarts += 1
        self.bad_packets = 0
        if self._listener is not None:
            self._listener.close()
        self.mode = mode
        self._decoder = self._connection.decoder()
        stream = self._stream = StreamClock()
        self._listener = Listener(
            self._gate,
            self._stt,
            self._settings,
            mode=mode,
            busy=self._busy,
            stood_in=lambda seconds: stream.arrived(seconds, self._clock()),
            clock=self._clock,
        )
        self._open, self._answering = True, False
        self._changed.set()

    def stop(self) -> None:
        """The button was let go: that was all."""
        if self._listener is not None and self._open:
            self._listener.stop()
            self._open = False

    def reset(self) -> None:
        """Forget what was heard so far."""
        self.restarts += 1
        if self._listener is not None:
            self._listener.reset()

    def answering(self) -> None:
        """A reply is on its way: the device hears only in realtime mode."""
        self._answering = True
        if self.mode != "realtime" and self._listener is not None:
            # Words that have begun meanwhile would have a hole in them.
            self._listener.reset()

    def answered(self) -> None:
        """The reply is over. A device that was not told to speak still listens."""
        self._answering = False

    def moment(self, stream_s: float) -> float:
        """When a second of the stream was spoken, on the clock."""
        return self._stream.at(stream_s)

    async def take(self, packet: bytes) -> None:
        """Hear an audio packet. Raises AudioPacketError for what is no audio; it is skipped."""
        deaf = self._answering and self.mode != "realtime"
        listener, decoder = self._listener, self._decoder
        if deaf:
            self._stream.deaf()
        if listener is None or decoder is None or deaf or not self._open:
            return
        try:
            samples = await self._connection.compute(partial(decoder.decode, packet))
        except AudioPacketError:
            self.bad_packets += 1
            self._broken.append(True)
            raise
        self._broken.append(False)
        self._stream.arrived(samples.size / STT_SAMPLE_RATE, self._clock())
        listener.push(samples)

    async def events(self) -> AsyncGenerator[ListeningEvent]:
        """What is noticed, whichever listener is at work, until ``close``."""
        while not self._closed:
            self._changed.clear()
            listener = self._listener
            if listener is None:
                await self._changed.wait()
                continue
            async with aclosing(listener.events()) as events:
                async for event in events:
                    if listener is self._listener:
                        yield event
            if listener is self._listener and not self._closed:
                await self._changed.wait()

    async def close(self) -> None:
        """Stop listening."""
        self._closed = True
        if self._listener is not None:
            self._listener.close()
        self._changed.set()
