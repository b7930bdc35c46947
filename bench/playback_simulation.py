"""Simulates half an hour of speech over a poor network in seconds: how often playback runs dry.

The server's part is the product's own (``lobug.devices.speaker.Speaker`` with its ``Pacer``), and
so is the device's (``lobug.simulator.device_audio``). Between them stands the network model,
which turns loss and jitter into TCP's delays. Only the clock is simulated: the event loop jumps to
its next timer.

There is no encoder and no engine. Packets have the size of the encoder's bit rate, and each piece
of a reply is ready when an ordinary chat model on two cores would have written it.
"""

from __future__ import annotations

import asyncio
import heapq
import random
import selectors
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from lobug.devices.codec import BIT_RATE, Encoder
from lobug.devices.speaker import Speaker as ServerSpeaker
from lobug.engines.base import Samples
from lobug.simulator.device_audio import Speaker as DeviceSpeaker
from lobug.simulator.device_audio import SpeakerAccount
from lobug.simulator.link import NetworkOptions, Sender, TcpPath
from lobug.turn.events import Piece, SpeechAudio

T = TypeVar("T")

NETWORK = NetworkOptions(loss=0.02, jitter_s=0.1)
MINUTES = 30.0
LEADS_S = (0.18, 0.36, 0.72, 1.2)
BEGINNING_S = 0.36

FRAME_S = 0.06
WORDS_PER_S = 2.5
"""Of speech."""
WRITTEN_PER_S = 12.0
"""Words that the chat model writes; the embedded one on two cores (docs/performance.md)."""
FIRST_WORDS, MOST_WORDS, MOST_PIECES = 3, 14, 4
"""A reply has 1 to 4 pieces of 3 to 14 words."""

_RATE = 8_000
_PACKET = bytes(round(BIT_RATE * FRAME_S / 8))


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to its next timer instead of waiting. Its tasks must not wait
    for another thread or for a socket."""

    def __init__(self) -> None:
        self._virtual_s = 0.0
        super().__init__(_NeverWaits(self._jump))

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._virtual_s

    def _jump(self, seconds: float) -> None:
        self._virtual_s += seconds


class _NeverWaits(selectors.SelectSelector):
    """A selector that reports the waiting time instead of waiting."""

    def __init__(self, jump: Callable[[float], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Ready files; returns at once. Raises RuntimeError when it would wait forever."""
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("nothing will ever happen")
        if not ready and timeout is not None and timeout > 0:
            self._jump(timeout)
        return ready


def run_virtually(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on a ``VirtualLoop``. Not to be called in another event loop's thread."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to be spoken."""

    pieces: tuple[int, ...]
    """Number of words of each piece."""


def replies(seconds: float, randomness: random.Random) -> list[Reply]:
    """Replies of at least ``seconds`` of speech in all. Pure."""
    made, left_s = [], seconds
    while left_s > 0:
        count = randomness.randint(1, MOST_PIECES)
        pieces = tuple(randomness.randint(FIRST_WORDS, MOST_WORDS) for _ in range(count))
        made.append(Reply(pieces))
        left_s -= sum(pieces) / WORDS_PER_S
    return made


@dataclass(slots=True)
class Talk:
    """Playback figures of a simulated talk."""

    lead_s: float
    replies: int = 0
    spoken_s: float = 0.0
    frames: int = 0
    starvations: int = 0
    """How often playback ran dry in the middle of a piece."""
    at_beginning: int = 0
    """Starvations in the first ``BEGINNING_S`` of a reply: a device plays its first packet at once,
    so there is no lead yet."""
    starved_s: float = 0.0
    longest_s: float = 0.0
    """Longest starvation in one reply, seconds."""
    late_pieces: int = 0
    """How often it ran dry between two pieces, beyond the pause that belongs there."""
    late_s: float = 0.0
    overflowed: int = 0
    lost_segments: int = 0

    def add(self, account: SpeakerAccount, at_beginning: int) -> None:
        """Add the account of a reply."""
        self.replies += 1
        self.at_beginning += at_beginning
        self.spoken_s += account.seconds
        self.frames += account.frames
        self.starvations += account.starvations
        self.starved_s += account.starved_s
        self.longest_s = max(self.longest_s, account.starved_s)
        self.late_pieces += account.pauses
        self.late_s += account.paused_s
        self.overflowed += account.overflowed


async def talk(lead_s: float, network: NetworkOptions, minutes: float, seed: int = 0) -> Talk:
    """Speak ``minutes`` of replies to a device, one after the other, by this loop's clock.

    The same ``seed`` gives the same replies, and each reply's n-th packet the same delay, whatever
    the lead.
    """
    loop = asyncio.get_running_loop()
    figures = Talk(lead_s)
    for number, reply in enumerate(replies(60 * minutes, random.Random(seed))):  # noqa: S311
        path = TcpPath(network, Sender.SERVER, random.Random(f"{seed}/{number}"))  # noqa: S311 - a model
        device = _Device(path, loop.time)
        speaker = ServerSpeaker(device, lead_s, loop.time)
        await _say(speaker, reply)
        figures.add(*device.played())
        figures.lost_segments += path.lost_segments
    return figures


def compare(
    leads_s: Sequence[float] = LEADS_S,
    network: NetworkOptions = NETWORK,
    minutes: float = MINUTES,
    seeds: int = 1,
) -> list[Talk]:
    """The same talk with each lead, summed over ``seeds`` talks. Takes about a second for half an
    hour. Not to be called in another event loop's thread."""
    return [
        _together([run_virtually(talk(lead_s, network, minutes, seed)) for seed in range(seeds)])
        for lead_s in leads_s
    ]


def _together(talks: Sequence[Talk]) -> Talk:
    whole = replace(talks[0])
    for other in talks[1:]:
        whole.replies += other.replies
        whole.spoken_s += other.spoken_s
        whole.frames += other.frames
        whole.starvations += other.starvations
        whole.at_beginning += other.at_beginning
        whole.starved_s += other.starved_s
        whole.longest_s = max(whole.longest_s, other.longest_s)
        whole.late_pieces += other.late_pieces
        whole.late_s += other.late_s
        whole.overflowed += other.overflowed
        whole.lost_segments += other.lost_segments
    return whole


async def _say(speaker: ServerSpeaker, reply: Reply) -> None:
    for index, words in enumerate(reply.pieces):
        await asyncio.sleep(words / WRITTEN_PER_S)
        speaker.announce(Piece(index, f"piece {index}"))
        samples = np.zeros(round(words / WORDS_PER_S * _RATE), np.float32)
        speaker.play(SpeechAudio(index, samples, _RATE))
    speaker.all_said()
    await speaker.finished()
    await speaker.close()


@dataclass(slots=True)
class _Device:
    """A device behind the network, as the server's speaker sees it (``speaker.Wire``)."""

    path: TcpPath
    clock: Callable[[], float]
    session_id: str = "simulated"
    frame_s: float = FRAME_S
    coming: list[tuple[float, int, str | bytes]] = field(default_factory=list)

    async def send(self, message: str) -> None:
        self._send(message)

    async def send_audio(self, packet: bytes) -> bool:
        self._send(packet)
        return True

    def encoder(self, source_rate: int) -> Encoder:
        return _Packets(source_rate)

    async def compute(self, work: Callable[[], T]) -> T:
        return work()

    def _send(self, message: str | bytes) -> None:
        arrival = self.path.arrival(self.clock(), len(message))
        heapq.heappush(self.coming, (arrival, len(self.coming), message))

    def played(self) -> tuple[SpeakerAccount, int]:
        """Play all that was sent, in the order of arrival. Returns the account, and the number of
        starvations at the beginning."""
        speaker = DeviceSpeaker()
        at_beginning = 0
        while self.coming:
            at, _, message = heapq.heappop(self.coming)
            if isinstance(message, bytes):
                speaker.take(at, FRAME_S)
                account = speaker.account()
                if account.seconds <= BEGINNING_S:
                    at_beginning = account.starvations
            elif '"sentence_start"' in message:
                speaker.begin_piece()
            elif '"start"' in message:
                speaker.begin_reply(at)
        return speaker.account(), at_beginning


class _Packets:
    """An encoder that only counts (``codec.Encoder``)."""

    def __init__(self, source_rate: int) -> None:
        self._frame = round(source_rate * FRAME_S)
        self._fed = 0
        self._flushed = 0
        self._sent = 0

    @property
    def position(self) -> float:
        return self._flushed + self._fed / self._frame

    def feed(self, samples: Samples) -> list[bytes]:
        self._fed += len(samples)
        count = self._flushed + self._fed // self._frame - self._sent
        self._sent += count
        return [_PACKET] * count

    def flush(self) -> list[bytes]:
        packets = [_PACKET] if self._fed % self._frame else []
        self._sent += len(packets)
        self._flushed, self._fed = self._sent, 0
        return packets
