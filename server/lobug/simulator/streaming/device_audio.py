"""The microphone of a streaming device, and the timers that move it and the loudspeaker.

They are timers of the event loop, not tasks, so that many devices in one process cost little.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from lobug.simulator.streaming.protocol import FRAME_MS
from lobug.simulator.streaming.speaker import Speaker
from lobug.simulator.streaming.speech import EncodedSpeech


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
        """Stop all timers."""
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
