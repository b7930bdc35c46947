"""A device's microphone: decodes its audio and passes it to the listener of the present mode."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from lobug.devices.codec import Decoder
from lobug.devices.connection import Connection
from lobug.engines.base import STT_SAMPLE_RATE, SpeechGate, SpeechToText
from lobug.errors import AudioPacketError
from lobug.settings import Settings
from lobug.turn.endpointing import ListeningMode
from lobug.turn.events import ListeningEvent
from lobug.turn.listener import Listener

_JUDGED_PACKETS = 50
"""Packets by which a device's format is judged: 3 s of 60 ms. A poor network loses packets but
breaks none; of a wrong format most cannot be decoded."""


class Microphone:
    """Decodes a device's audio and listens to it: not while a reply is played, except in realtime
    mode."""

    def __init__(
        self,
        gate: SpeechGate,
        stt: SpeechToText,
        settings: Callable[[], Settings],
        connection: Connection,
        clock: Callable[[], float],
        *,
        busy: Callable[[], bool],
    ) -> None:
        """``settings`` returns those in effect. ``busy``: whether interim transcripts would delay
        more urgent work."""
        self.mode: ListeningMode = "auto"
        self._gate = gate
        self._stt = stt
        self._busy = busy
        self._settings = settings
        self._connection = connection
        self._clock = clock
        self._open = False
        self._replying = False
        self._listener: Listener | None = None
        self._decoder: Decoder | None = None
        self._changed = asyncio.Event()
        self._closed = False
        self.restarts = 0
        """Number of starts and resets. Events from before the last one are discarded."""
        self.bad_packets = 0
        """Audio packets that could not be decoded since ``start``; they are skipped."""
        self._bad: deque[bool] = deque(maxlen=_JUDGED_PACKETS)

    @property
    def stopped(self) -> bool:
        """Whether the device has sent ``stop`` and waits for a reply."""
        return self._listener is not None and not self._open

    @property
    def open(self) -> bool:
        """Whether the device sends what it hears."""
        return self._open

    @property
    def mostly_bad(self) -> bool:
        """Whether most of the last packets could not be decoded, as of a wrong format."""
        return 2 * sum(self._bad) > _JUDGED_PACKETS

    def start(self, mode: ListeningMode) -> None:
        """Listen to a new stream. What was sent before is discarded."""
        self.restarts += 1
        self.bad_packets = 0
        if self._listener is not None:
            self._listener.close()
        self.mode = mode
        self._decoder = self._connection.decoder()
        self._listener = Listener(
            self._gate,
            self._stt,
            self._settings,
            mode=mode,
            busy=self._busy,
            clock=self._clock,
        )
        self._open, self._replying = True, False
        self._changed.set()

    def stop(self) -> None:
        """End the utterance: the button was let go."""
        if self._listener is not None and self._open:
            self._listener.stop()
            self._open = False

    def reset(self) -> None:
        """Discard what was heard so far."""
        self.restarts += 1
        if self._listener is not None:
            self._listener.reset()

    def reply_began(self) -> None:
        """A reply is on its way: audio is ignored until its end, except in realtime mode."""
        self._replying = True
        if self.mode != "realtime" and self._listener is not None:
            # Words that began already would have a gap in them.
            self._listener.reset()

    def reply_ended(self) -> None:
        """The reply is over: audio counts again."""
        self._replying = False

    def moment(self, stream_s: float) -> float:
        """The reading of the clock at which second ``stream_s`` of the stream was spoken. Raises
        RuntimeError before the first ``start``."""
        if self._listener is None:
            raise RuntimeError("the device has not listened yet")
        return self._listener.moment(stream_s)

    def decode(self, packet: bytes) -> float:
        """Decode an audio packet and listen to it. Returns the seconds of audio in it, 0 for one
        that is ignored. A packet that is not audio is skipped and raises AudioPacketError.

        Not in a thread: to decode 60 ms takes 0.2 ms, to hand it to a thread and back 0.4 ms."""
        ignored = self._replying and self.mode != "realtime"
        listener, decoder = self._listener, self._decoder
        if listener is None or decoder is None:
            return 0.0
        if ignored:
            listener.skip()
        if ignored or not self._open:
            return 0.0
        try:
            samples = decoder.decode(packet)
        except AudioPacketError:
            self.bad_packets += 1
            self._bad.append(True)
            raise
        self._bad.append(False)
        listener.push(samples)
        return len(samples) / STT_SAMPLE_RATE

    async def events(self) -> AsyncGenerator[ListeningEvent]:
        """Yield what is noticed, across all streams, until ``close``."""
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
        self._closed = True
        if self._listener is not None:
            self._listener.close()
        self._changed.set()
