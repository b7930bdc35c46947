"""The microphone of a streaming device: which packet is recorded next. Pure.

The microphone and the loudspeaker of a connection, with the clocks that move them.

Timers of the event loop, no tasks: many devices in one process cost little."""

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
    """Records what is said, one packet after the other, and the silence around it.

    ``silence``: the packet of a room in which nobody has spoken yet.
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
        """Say this as soon as the microphone is open and what was said before is over. ``begun``
        is told when its first packet begins to be recorded."""
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
        """The microphone has been closed: the rest of what was being said is not recorded. Returns
        how much speech was lost, seconds."""
        if self._current is None:
            return 0.0
        speech, sent = self._current.speech, self._current.sent
        self._current = None
        return max(0.0, speech.speech_end_s - sent * speech.frame_s)

    def forget(self) -> None:
        """Say nothing more."""
        self._current = None
        self._waiting.clear()


_FRAME_S = FRAME_MS / 1000


class Sound:
    """``on_packet`` gets each packet as soon as it is recorded, and whether an utterance has ended
    with it; ``on_silence`` is told when the loudspeaker is silent, where that was asked for."""

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
        """Record from now on, if it does not yet."""
        if self._recording is None:
            self._record_from(self._loop.time())

    def close_microphone(self) -> float:
        """Record nothing more. Returns how much speech was lost by that, seconds."""
        if self._recording is not None:
            self._recording.cancel()
            self._recording = None
        return self._microphone.cut_off() if self._microphone is not None else 0.0

    def tell_silence(self) -> None:
        """Call ``on_silence`` once nothing is left to play: at the next turn of the event loop, if
        it is so already. Replaces what was asked for before."""
        self.forget_silence()
        at = max(self.speaker.silent_at, self._loop.time())
        self._silence = self._loop.call_at(at, self._fell_silent)

    def forget_silence(self) -> None:
        """Do not."""
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None

    def end(self) -> None:
        """Stop the clocks."""
        self.close_microphone()
        self.forget_silence()

    def _fell_silent(self) -> None:
        self._silence = None
        now = self._loop.time()
        if self.speaker.is_silent(now):
            self._on_silence(now)
        else:  # more has come since
            self.tell_silence()

    def _record_from(self, start: float) -> None:
        """Record the next packet: it is whole, and sent, one frame later."""
        self._recording = self._loop.call_at(start + _FRAME_S, self._recorded, start)

    def _recorded(self, start: float) -> None:
        self._record_from(start + _FRAME_S)
        microphone = self._microphone
        if microphone is None:  # nobody has said yet how silence is encoded
            return
        speaking = microphone.speaking
        packet = microphone.next_packet(start)
        self._on_packet(packet, speaking and not microphone.speaking)
