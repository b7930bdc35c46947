"""Loudspeaker and microphone of a streaming device, and the timers that move them.

A packet is played as soon as the one before it has ended; the first is played at once. The buffer
is bounded: a packet that finds it full is dropped. Times are seconds of the device's clock. The
timers are those of the event loop, not tasks, so that many devices in one process cost little.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from lobug.simulator.protocol import FRAME_MS
from lobug.simulator.recordings import EncodedSpeech

BUFFER_FRAMES = 40
"""Packets that wait to be decoded: 2.4 s of 60 ms each, the firmware's bound."""

DECODED_FRAMES = 2
"""Packets that are decoded and wait to be played."""

OUTPUT_S = 0.06
"""Sound in the output's 6 DMA buffers of 10 ms, seconds: it is played even after a stop."""

_ROUNDING_S = 1e-6


@dataclass(slots=True)
class SpeakerAccount:
    """Playback figures of one reply."""

    first_at: float | None = None
    """When its first sample was heard; None: none was."""
    silent_at: float | None = None
    """When its last sample was, so far."""
    frames: int = 0
    """Packets that were played."""
    seconds: float = 0.0
    """Length of what was played."""
    overflowed: int = 0
    """Packets that found the buffer full."""
    starvations: int = 0
    """How often the buffer ran empty in the middle of a piece of speech."""
    starved_s: float = 0.0
    """For how long in all, seconds."""
    pauses: int = 0
    """How often it ran empty between two pieces, where a pause belongs anyway."""
    paused_s: float = 0.0
    """For how long in all, seconds."""
    discarded: int = 0
    """Packets that were dropped when playback was stopped."""


class Speaker:
    """Plays packets one after the other. Calls come in the order of their times."""

    def __init__(self, buffer_frames: int = BUFFER_FRAMES) -> None:
        self._capacity = buffer_frames + DECODED_FRAMES
        self._waiting: deque[tuple[float, float]] = deque()
        """Start and length of each packet that the output has not taken over yet."""
        self._until = float("-inf")
        self._at_boundary = True
        self._account = SpeakerAccount()

    @property
    def silent_at(self) -> float:
        """When everything that has come so far is played."""
        return self._until

    def is_silent(self, at: float) -> bool:
        """Whether nothing is left to play."""
        return at >= self._until - _ROUNDING_S

    def begin_reply(self, at: float) -> None:
        """Drop the rest of the reply before, and start a new account."""
        self.stop(at)
        self._account = SpeakerAccount()
        self._at_boundary = True

    def begin_piece(self) -> None:
        """The next packet begins a piece of speech: a pause before it is no starvation."""
        self._at_boundary = True

    def take(self, at: float, seconds: float) -> bool:
        """Take a packet. False: the buffer is full and the packet is dropped."""
        self._hand_over(at)
        account = self._account
        if len(self._waiting) >= self._capacity:
            account.overflowed += 1
            return False
        start = max(at, self._until)
        gap_s = start - self._until
        if account.first_at is None:
            account.first_at = start
        elif gap_s > _ROUNDING_S and self._at_boundary:
            account.pauses += 1
            account.paused_s += gap_s
        elif gap_s > _ROUNDING_S:
            account.starvations += 1
            account.starved_s += gap_s
        self._at_boundary = False
        self._until = start + seconds
        self._waiting.append((start, seconds))
        account.silent_at = self._until
        account.frames += 1
        account.seconds += seconds
        return True

    def stop(self, at: float) -> int:
        """Drop the packets that have not reached the output; returns their number."""
        self._hand_over(at)
        thrown = len(self._waiting)
        if not thrown:
            return 0
        account = self._account
        account.frames -= thrown
        account.discarded += thrown
        account.seconds -= sum(seconds for _start, seconds in self._waiting)
        # What was handed over before them ends no later than they would have begun.
        self._until = self._waiting[0][0]
        account.silent_at = self._until
        self._waiting.clear()
        return thrown

    def account(self) -> SpeakerAccount:
        """The account of the last reply, so far."""
        return replace(self._account)

    def _hand_over(self, at: float) -> None:
        while self._waiting and self._waiting[0][0] <= at + OUTPUT_S:
            self._waiting.popleft()


@dataclass(slots=True)
class _Utterance:
    speech: EncodedSpeech
    begun: Callable[[float], None]
    sent: int = 0


class Microphone:
    """Which packet is recorded next: of an utterance, or of the silence around it. Pure.

    ``silence``: the packet that is recorded before anybody has spoken.
    """

    def __init__(self, silence: bytes) -> None:
        self._silence: deque[bytes] = deque([silence])
        self._waiting: deque[_Utterance] = deque()
        self._current: _Utterance | None = None

    @property
    def speaking(self) -> bool:
        """Whether an utterance is being recorded, or will be."""
        return self._current is not None or bool(self._waiting)

    def say(self, speech: EncodedSpeech, begun: Callable[[float], None]) -> None:
        """Say this once the microphone is open and earlier utterances are over. ``begun`` gets the
        time at which recording of the first packet begins."""
        self._waiting.append(_Utterance(speech, begun))

    def next_packet(self, at: float) -> bytes:
        """The packet whose recording began at this time."""
        if self._current is None and self._waiting:
            self._current = self._waiting.popleft()
            self._current.begun(at)
            self._silence = deque(self._current.speech.silence)
        if self._current is None:
            return self._silence.popleft() if len(self._silence) > 1 else self._silence[0]
        packet = self._current.speech.packets[self._current.sent]
        self._current.sent += 1
        if self._current.sent == len(self._current.speech.packets):
            self._current = None
        return packet

    def cut_off(self) -> float:
        """Drop the rest of the current utterance: the microphone was closed. Returns how many
        seconds of speech were lost."""
        if self._current is None:
            return 0.0
        speech, sent = self._current.speech, self._current.sent
        self._current = None
        return max(0.0, speech.speech_end_s - sent * speech.frame_s)

    def forget(self) -> None:
        """Drop the current utterance and all that wait."""
        self._current = None
        self._waiting.clear()


_FRAME_S = FRAME_MS / 1000


class DeviceAudio:
    """Microphone and loudspeaker of one connection, by the event loop's clock.

    ``on_packet`` gets each recorded packet, and whether it ended an utterance. ``on_silence`` gets
    the time at which the loudspeaker fell silent, if ``notify_silence`` asked for it.
    """

    def __init__(
        self,
        buffer_frames: int,
        on_packet: Callable[[bytes, bool], None],
        on_silence: Callable[[float], None],
    ) -> None:
        self.speaker = Speaker(buffer_frames)
        self._microphone: Microphone | None = None
        self._on_packet = on_packet
        self._on_silence = on_silence
        self._loop = asyncio.get_running_loop()
        self._recording: asyncio.TimerHandle | None = None
        self._silence: asyncio.TimerHandle | None = None

    def say(self, speech: EncodedSpeech, begun: Callable[[float], None]) -> None:
        """Say this as soon as the microphone is open; see ``Microphone.say``."""
        if self._microphone is None:
            self._microphone = Microphone(speech.silence[-1])
        self._microphone.say(speech, begun)

    def open_microphone(self) -> None:
        """Start to record, unless it records already."""
        if self._recording is None:
            self._record_from(self._loop.time())

    def close_microphone(self) -> float:
        """Stop recording. Returns how many seconds of speech were lost by that."""
        if self._recording is not None:
            self._recording.cancel()
            self._recording = None
        return self._microphone.cut_off() if self._microphone is not None else 0.0

    def notify_silence(self) -> None:
        """Call ``on_silence`` once nothing is left to play; if nothing is, at the next turn of the
        event loop. Replaces an earlier request."""
        self.cancel_silence_notice()
        at = max(self.speaker.silent_at, self._loop.time())
        self._silence = self._loop.call_at(at, self._fell_silent)

    def cancel_silence_notice(self) -> None:
        """Withdraw the request of ``notify_silence``."""
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None

    def end(self) -> None:
        self.close_microphone()
        self.cancel_silence_notice()

    def _fell_silent(self) -> None:
        self._silence = None
        now = self._loop.time()
        if self.speaker.is_silent(now):
            self._on_silence(now)
        else:  # more has come since
            self.notify_silence()

    def _record_from(self, start: float) -> None:
        """Record the next packet; it is complete one frame after ``start``."""
        self._recording = self._loop.call_at(start + _FRAME_S, self._recorded, start)

    def _recorded(self, start: float) -> None:
        self._record_from(start + _FRAME_S)
        microphone = self._microphone
        if microphone is None:  # no utterance yet, so no encoded silence to send
            return
        speaking = microphone.speaking
        packet = microphone.next_packet(start)
        self._on_packet(packet, speaking and not microphone.speaking)
