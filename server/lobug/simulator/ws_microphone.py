"""The microphone of a streaming device: which packet is recorded next. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from lobug.simulator.ws_speech import EncodedSpeech


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
