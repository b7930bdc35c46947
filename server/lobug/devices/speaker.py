"""Plays a turn's speech on a device: encodes it, sends it at the pace at which it is played, and
knows how much of it was heard."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Protocol, TypeVar

from lobug.devices import messages as say
from lobug.devices.codec import Encoder
from lobug.engines.base import Samples
from lobug.turn.events import NOTICE_INDEX, Piece, SpeechAudio

_TOLERANCE = 1e-9
"""Seconds; readings of a clock are compared with sums of frames."""


class Pacer:
    """Says when each frame of one reply may be sent, and which of them have been played. Pure:
    readings of the clock (``now``, seconds, never decreasing) are passed in.

    A device plays a frame as soon as the one before is over. Its buffer is small, so audio is sent
    a few frames ahead (the lead) and then in real time. When its buffer has run empty, the device
    plays the next frame on arrival, and the lead is built up again.
    """

    def __init__(self, lead_s: float, frame_s: float) -> None:
        """``lead_s``: longest lead, seconds, at least one frame. ``frame_s``: audio in a frame."""
        self._lead_s = max(lead_s, frame_s)
        self._frame_s = frame_s
        self._handed_over = 0
        self._sent = 0
        self._run_start = -math.inf
        """When the device began to play the frames since its buffer last ran empty."""
        self._run_first = 0
        """The first of those frames."""
        self._stopped_at: float | None = None
        self._pieces: list[tuple[int, float, float]] = []
        self._open: float | None = None
        """Least end of the last piece while parts of it are still to come, in frames."""

    @property
    def sent_frames(self) -> int:
        """Frames sent so far; also the index of the next one."""
        return self._sent

    @property
    def waiting_frames(self) -> int:
        """Frames that were handed over and not sent yet."""
        return self._handed_over - self._sent

    def hand_over(self, frames: int = 1) -> None:
        """Add frames that are ready to be sent."""
        self._handed_over += frames

    def delay(self, now: float) -> float:
        """Seconds until the next frame may be sent; 0: now. Infinite once stopped."""
        if self._stopped_at is not None:
            return math.inf
        if self._sent == 0:
            return 0.0
        wait = self._all_sent_played_at + self._frame_s - self._lead_s - now
        return wait if wait > _TOLERANCE else 0.0

    def sent(self, now: float) -> None:
        """The next frame has been sent. Raises ValueError when none was waiting."""
        if self.waiting_frames <= 0:
            raise ValueError("no frame is waiting")
        if self._sent == 0 or now > self._all_sent_played_at:
            self._run_start = now
            self._run_first = self._sent
        self._sent += 1

    def stop(self, now: float) -> None:
        """The device plays nothing more from ``now`` on; the rest counts as not played."""
        if self._stopped_at is None:
            self._stopped_at = now

    def position(self, now: float) -> float:
        """Frames played by now, a part of one included."""
        if self._sent == 0:
            return 0.0
        if self._stopped_at is not None:
            now = min(now, self._stopped_at)
        in_run = (now - self._run_start) / self._frame_s
        return self._run_first + min(max(in_run, 0.0), float(self._sent - self._run_first))

    def playing(self, now: float) -> int | None:
        """Index of the frame that is being played; None: the device is silent."""
        if self._stopped_at is not None and now >= self._stopped_at:
            return None
        position = self.position(now)
        return int(position) if position < self._sent else None

    def finished_at(self, now: float) -> float:
        """When everything that was handed over will have been played, or was."""
        if self._stopped_at is not None:
            return self._stopped_at
        if self._sent == 0:
            return now + self.waiting_frames * self._frame_s
        end = self._all_sent_played_at
        waiting = self.waiting_frames
        return max(end, now) + waiting * self._frame_s if waiting else end

    def mark_piece(
        self, index: int, start_frame: float, end_frame: float, expected_end: float | None = None
    ) -> None:
        """Note that a piece of the reply, or its next part, is the audio from ``start_frame`` to
        ``end_frame``. ``expected_end``: where the piece will end, as far as can be guessed while
        parts of it are still to come; None: here."""
        if self._open is not None and self._pieces[-1][0] == index:
            start_frame = self._pieces.pop()[1]
        self._pieces.append((index, start_frame, end_frame))
        self._open = None if expected_end is None else max(expected_end, end_frame + 1.0)

    def played(self, now: float) -> list[tuple[int, float]]:
        """Index of each piece of which something was played, and the fraction of it, 0 to 1. A
        piece without audio counts as played when its place is reached."""
        position = self.position(now)
        heard = []
        pieces = self._pieces
        if self._open is not None:
            index, start, _ = pieces[-1]
            pieces = [*pieces[:-1], (index, start, self._open)]
        for index, start, end in pieces:
            if end <= start:
                if position >= start:
                    heard.append((index, 1.0))
            elif position > start:
                heard.append((index, min((position - start) / (end - start), 1.0)))
        return heard

    @property
    def _all_sent_played_at(self) -> float:
        return self._run_start + (self._sent - self._run_first) * self._frame_s


log = logging.getLogger(__name__)

T = TypeVar("T")

CHUNK_FRAMES = 6
"""Frames encoded at once, so that the first frame of a long piece is sent early."""

SECONDS_PER_CHAR = 0.07
"""Speech of one character, about, for a piece whose audio has not all come yet: 14 a second."""

START_DELAY_S = 0.06
"""Seconds between ``tts start`` and the first audio. The common firmware clears its queue when it
changes to speaking, a moment after the message."""

FLUSH_S = 0.06
"""Seconds for which an interrupted device is put back into speaking, which empties its queue."""

STOP_DELAY_S = 0.12
"""Seconds between the last audio and ``tts stop``, for the network's delay and the device's buffer;
older firmware cuts off the ending otherwise."""


class Wire(Protocol):
    """What a speaker needs from the connection."""

    session_id: str

    @property
    def frame_s(self) -> float:
        """Audio in one frame, seconds."""

    async def send(self, message: str) -> None:
        """Send a text frame. Does nothing once the connection is closed."""

    async def send_audio(self, packet: bytes) -> bool:
        """Send an audio frame. Returns whether it was sent; once the connection is closed it is
        not."""

    def encoder(self, source_rate: int) -> Encoder:
        """A new encoder of the format that the device takes."""

    async def compute(self, work: Callable[[], T]) -> T:
        """Run ``work`` off the event loop and return its result."""


class _End:
    """Marks the end of the speech in the queue."""


class Speaker:
    """The playback of one turn (``turn.commitment.Playback``)."""

    def __init__(
        self,
        wire: Wire,
        lead_s: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_first_sent: Callable[[], None] = lambda: None,
        on_stopped: Callable[[], None] = lambda: None,
        *,
        flush: bool = False,
    ) -> None:
        """Plays on ``wire``, at most ``lead_s`` seconds ahead. ``on_stopped`` is called before
        ``tts stop`` is sent. ``flush``: an interrupted device has to be made to empty its queue."""
        self._flush = flush
        self._on_stopped = on_stopped
        self._wire = wire
        self._pacer = Pacer(lead_s, wire.frame_s)
        self._clock = clock
        self._sleep = sleep
        self._on_first_sent = on_first_sent
        self._queue: asyncio.Queue[SpeechAudio | _End] = asyncio.Queue()
        self._texts: dict[int, str] = {}
        self._captioned: set[int] = set()
        self._announced = asyncio.Event()
        """Set once the first piece, or the end without any, is known."""
        self._interrupted = asyncio.Event()
        self._finished = asyncio.Event()
        self._encoder: Encoder | None = None
        self._started = False
        self._piece = 0
        """The piece that is being sent."""
        self._part_of: int | None = None
        self._part_start = 0.0
        """The piece whose parts are being sent, and the frame at which it began."""
        self._reply_began = False
        self._ready_at = 0.0
        self._ended_at: float | None = None
        self._ahead_s = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped before its end."""
        return self._interrupted.is_set()

    @property
    def active(self) -> bool:
        """Whether ``tts start`` was sent and ``tts stop`` was not."""
        return self._started and not self._finished.is_set()

    @property
    def ended_at(self) -> float | None:
        """When it ended or was interrupted, by the clock; None: it goes on."""
        return self._ended_at

    @property
    def texts(self) -> list[str]:
        """The words of every piece so far, in order."""
        return [text for _, text in sorted(self._texts.items())]

    def announce(self, piece: Piece) -> None:
        """Take the words of a piece whose audio follows."""
        self._texts[piece.index] = piece.text
        self._announced.set()
        self._run()

    def play(self, audio: SpeechAudio) -> None:
        """Play a piece's audio after the audio before it."""
        self._queue.put_nowait(audio)
        self._run()

    def all_said(self) -> None:
        """Note that no audio follows."""
        self._queue.put_nowait(_End())
        self._announced.set()
        self._run()

    def interrupt(self, *, flush: bool = True) -> None:
        """Stop at once. What was not played by now counts as not said. ``flush`` False: the device
        has emptied its queue by itself."""
        if not self._finished.is_set() and not self.interrupted:
            self._flush = self._flush and flush
            self._ended_at = self._clock()
            unplayed = self._pacer.sent_frames - self._pacer.position(self._ended_at)
            self._ahead_s = unplayed * self._wire.frame_s
            self._pacer.stop(self._ended_at)
            self._interrupted.set()

    async def wait_interrupted(self) -> None:
        """Return once it has been interrupted."""
        await self._interrupted.wait()

    async def finished(self) -> None:
        """Return once ``tts stop`` was sent, at the end or after an interruption."""
        await self._finished.wait()

    def played(self) -> list[tuple[int, float]]:
        """Index of each piece of which something was played, and the fraction of it."""
        return self._pacer.played(self._clock())

    def played_s(self) -> float:
        """Length of the audio that was played, seconds."""
        return self._pacer.position(self._clock()) * self._wire.frame_s

    async def close(self) -> None:
        """Stop, and wait until nothing is sent any more."""
        self.interrupt()
        if self._task is not None:
            await asyncio.wait([self._task])
        self._finished.set()

    def _run(self) -> None:
        if self._task is None:
            self._task = asyncio.ensure_future(self._play())

    async def _play(self) -> None:
        playing = asyncio.ensure_future(self._send_all())
        interrupted = asyncio.ensure_future(self._interrupted.wait())
        try:
            await asyncio.wait([playing, interrupted], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (playing, interrupted):
                task.cancel()
            await asyncio.wait([playing, interrupted])
            if not playing.cancelled() and (fault := playing.exception()) is not None:
                log.error("a reply could not be played to its end", exc_info=fault)
                self.interrupt()  # what was not played counts as not said
            with suppress(asyncio.CancelledError):
                if self._started:
                    await self._stop()
            self._ended_at = self._ended_at or self._clock()
            self._finished.set()

    async def _stop(self) -> None:
        stop = say.tts_stop(self._wire.session_id)
        self._on_stopped()
        await self._wire.send(stop)
        if self.interrupted and self._flush and self._ahead_s > self._wire.frame_s:
            # The common firmware plays its queue to the end, and empties it when it begins to speak
            # again; the pause keeps it from reading both messages at once.
            await self._wire.send(say.tts_start(self._wire.session_id))
            await self._sleep(FLUSH_S)
            await self._wire.send(stop)

    async def _send_all(self) -> None:
        await self._announced.wait()
        if self._texts:
            # Sent while the first piece is still synthesised: devices need a moment to get ready
            # and lose audio that comes earlier.
            self._started = True
            await self._wire.send(say.tts_start(self._wire.session_id))
            self._ready_at = self._clock() + START_DELAY_S
        while isinstance(item := await self._queue.get(), SpeechAudio):
            await self._send_piece(item)
        if self._encoder is not None:
            await self._send_packets(await self._wire.compute(self._encoder.flush))
        for index in sorted(set(self._texts) - self._captioned):  # without audio: to be read
            await self._caption(index)
            self._pacer.mark_piece(index, self._pacer.sent_frames, self._pacer.sent_frames)
        if self._started:
            now = self._clock()
            await self._sleep(max(0.0, self._pacer.finished_at(now) - now) + STOP_DELAY_S)

    async def _send_piece(self, audio: SpeechAudio) -> None:
        if self._encoder is None:
            self._encoder = self._wire.encoder(audio.sample_rate)
        encoder = self._encoder
        self._piece = audio.index
        await self._caption(audio.index)
        if audio.index != self._part_of:
            self._part_of, self._part_start = audio.index, encoder.position
        start = encoder.position
        end = start + audio.samples.size / audio.sample_rate / self._wire.frame_s
        expected_end: float | None = None
        if not audio.last:
            guess_s = len(self._texts.get(audio.index, "")) * SECONDS_PER_CHAR
            expected_end = self._part_start + guess_s / self._wire.frame_s
        self._pacer.mark_piece(audio.index, start, end, expected_end)
        size = max(1, int(CHUNK_FRAMES * self._wire.frame_s * audio.sample_rate))
        for chunk in _chunks(audio.samples, size):
            await self._send_packets(await self._wire.compute(partial(encoder.feed, chunk)))
        # The next piece may be late; the end of this one must not wait. Between its parts there
        # must be no silence.
        if audio.last and self._queue.empty():
            await self._send_packets(await self._wire.compute(encoder.flush))

    async def _send_packets(self, packets: list[bytes]) -> None:
        self._pacer.hand_over(len(packets))
        for packet in packets:
            now = self._clock()
            wait = max(self._pacer.delay(now), self._ready_at - now)
            if wait > 0:
                await self._sleep(wait)
            if not await self._wire.send_audio(packet):
                self.interrupt()
                return
            if not self._reply_began and self._piece != NOTICE_INDEX:
                self._reply_began = True
                self._on_first_sent()
            self._pacer.sent(self._clock())

    async def _caption(self, index: int) -> None:
        if index not in self._captioned:
            self._captioned.add(index)
            text = self._texts.get(index, "")
            if text:
                await self._wire.send(say.sentence_start(self._wire.session_id, text))


def _chunks(samples: Samples, size: int) -> Iterator[Samples]:
    for start in range(0, samples.size, size):
        yield samples[start : start + size]
