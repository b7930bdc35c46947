"""Speech that nobody asked for: its chime, its playback, and whether a device's message is a touch.

What somebody does while it rings silences it. But firmware says ``listen start`` by itself too:
after each ``tts stop`` in the modes auto and realtime, and when it has connected.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from lobug.agenda.schedule import Chime, Said, Unasked
from lobug.devices.speaker import Speaker
from lobug.engines.base import Samples, TextToSpeech, ToolBox
from lobug.memory.model import ConversationKey
from lobug.turn.events import Piece, SpeechAudio, TurnEvent
from lobug.turn.speech import SpeechOutcome, speak

_NOTES: dict[Chime, tuple[tuple[float, float], ...]] = {
    Chime.NONE: (),
    Chime.GENTLE: ((659.3, 0.22), (523.3, 0.38)),
    Chime.INSISTENT: ((880.0, 0.12), (1108.7, 0.12), (880.0, 0.12), (1108.7, 0.26)) * 2,
}
"""Frequency in Hz and length in seconds of each note: E5 C5; A5 and C sharp 6 in turn."""
_LOUDNESS = {Chime.NONE: 0.0, Chime.GENTLE: 0.25, Chime.INSISTENT: 0.5}
_ATTACK_S = 0.008
_DECAY_PER_S = 6.0
_AFTER_S = 0.15
"""Silence between the chime and the words, seconds."""


def chime_samples(chime: Chime, sample_rate: int) -> Samples:
    """A chime as mono samples between -1 and 1; empty for ``Chime.NONE``. Pure."""
    notes = [_note(pitch, seconds, sample_rate) for pitch, seconds in _NOTES[chime]]
    if not notes:
        return np.zeros(0, np.float32)
    pause = np.zeros(int(_AFTER_S * sample_rate), np.float32)
    samples: Samples = np.concatenate([*notes, pause]) * np.float32(_LOUDNESS[chime])
    return samples


def _note(pitch: float, seconds: float, sample_rate: int) -> Samples:
    """One note that is struck and fades, with an overtone, so that a small speaker carries it."""
    at = np.arange(int(seconds * sample_rate)) / sample_rate
    left = seconds - at
    envelope = np.minimum(1.0, at / _ATTACK_S) * np.exp(-_DECAY_PER_S * at)
    envelope *= np.minimum(1.0, left / _ATTACK_S)
    wave = np.sin(2 * np.pi * pitch * at) + 0.3 * np.sin(4 * np.pi * pitch * at)
    note: Samples = (envelope * wave / 1.3).astype(np.float32)
    return note


@dataclass(frozen=True, slots=True)
class VoicedSpeech:
    """Sentences with their sound, ready to be played on any device."""

    pieces: tuple[Piece, ...]
    audio: tuple[SpeechAudio, ...]
    """The chime first; without words where the voice fails."""
    logged: bool
    """Whether it belongs in the conversation log."""

    @property
    def text(self) -> str:
        """All words."""
        return " ".join(piece.text for piece in self.pieces)


async def voiced(
    sentences: Sequence[str],
    chime: Chime,
    tts: TextToSpeech,
    *,
    speed: float,
    logged: bool = True,
) -> VoicedSpeech:
    """Speak sentences, all of them before any is played: the words follow the chime at once.
    ``speed``: times the voice's own; the chime is always the same."""
    pieces = tuple(Piece(index, text) for index, text in enumerate(sentences))
    sound = chime_samples(chime, tts.sample_rate)
    audio = [SpeechAudio(0, sound, tts.sample_rate)] if sound.size else []
    spoken = speak(_events(pieces), tts, SpeechOutcome(), None, speed=speed)
    async with aclosing(spoken):
        audio += [event async for event in spoken if isinstance(event, SpeechAudio)]
    return VoicedSpeech(pieces, tuple(audio), logged)


async def play_unasked(speaker: Speaker, speech: VoicedSpeech) -> None:
    """Play speech, and return when all was played or it was interrupted."""
    for piece in speech.pieces:
        speaker.announce(piece)
    for audio in speech.audio:
        speaker.play(audio)
    speaker.all_said()
    await speaker.finished()


async def _events(pieces: Sequence[Piece]) -> AsyncGenerator[TurnEvent]:
    for piece in pieces:
        yield piece


AUDIBLE_S = 0.3
"""Sound after which somebody may have heard it and reacted, seconds."""
RELISTEN_S = 2.5
"""Time within which a device listens again by itself after ``tts stop``: it plays what it holds and
opens its microphone."""

ListenMeaning = Literal["touch", "automatic", "early"]


class TouchRules:
    """Tells a person's touch from what a device sends by itself. Pure: instants are seconds of a
    clock that is passed in."""

    def __init__(self) -> None:
        self._stopped_at: float | None = None
        """When the last speech ended, if the device has not listened since."""
        self._listens_again = True
        """Whether the device listened by itself after the last speech, as far as is known."""

    def speech_ended(self, now: float) -> None:
        """``tts stop`` was sent."""
        if self._stopped_at is not None and now > self._stopped_at + RELISTEN_S:
            self._listens_again = False
        self._stopped_at = now

    def listen_start(
        self, now: float, *, held: bool, speaking: bool, audible: bool
    ) -> ListenMeaning:
        """What a ``listen start`` means.

        Args:
            now: when it came.
            held: whether its mode is manual, so that somebody holds a button.
            speaking: whether speech that nobody asked for is under way.
            audible: whether enough of that speech was played to be noticed.

        Returns ``early`` for one that was sent before the device knew of the speech.
        """
        stopped_at, self._stopped_at = self._stopped_at, None
        if speaking:
            return "touch" if audible or held else "early"
        if stopped_at is None or held:
            return "touch"
        soon = now <= stopped_at + RELISTEN_S
        automatic = soon and self._listens_again
        self._listens_again = soon
        return "automatic" if automatic else "touch"


class UnaskedSession(Protocol):
    """The session of a connected device, as far as it speaks unasked (``DeviceSession``)."""

    @property
    def conversation_key(self) -> ConversationKey:
        """Whose conversation it is."""

    @property
    def device(self) -> str:
        """The device's id, or where it has none, its conversation."""

    @property
    def tools(self) -> ToolBox | None:
        """The device's tools; None: it has none."""

    @property
    def idle_tools(self) -> ToolBox | None:
        """The device's tools, while nobody talks with it; None: somebody does, or it has none."""

    async def say_unasked(self, speech: VoicedSpeech) -> Said:
        """Say something once no reply is on its way and nobody speaks. Cancel it to fall silent."""

    async def until_silent(self) -> None:
        """Return once neither Lo-Bug, asked or unasked, nor a person speaks at the device, or after
        the longest wait for the person."""


class Sessions(Protocol):
    """The devices that are connected (``ConnectedDevices``)."""

    def sessions(self, user: str | None = None) -> list[UnaskedSession]:
        """The sessions of a user's devices, or of all (None), the newest first."""


class OtherDevices(Protocol):
    """The devices that are connected to other servers (``DevicesElsewhere``)."""

    async def conversations(self) -> Mapping[str, ConversationKey]:
        """Their conversations, by their ids. Raises StorageError."""


class DeviceVoices:
    """Speaks unasked on connected devices (``agenda.schedule.Voice``)."""

    def __init__(
        self,
        connections: Sessions,
        elsewhere: OtherDevices,
        tts: TextToSpeech,
        speed_for: Callable[[str], float],
    ) -> None:
        """``speed_for`` gives how fast to speak to a user, times the voice's own speed."""
        self._connections = connections
        self._elsewhere = elsewhere
        self._tts = tts
        self._speed_for = speed_for

    def reaches(self, user: str) -> bool:
        """Whether a device of this user is connected."""
        return bool(self._connections.sessions(user))

    async def elsewhere(self) -> frozenset[str]:
        """The conversations whose devices are connected to other servers. Raises StorageError."""
        found = await self._elsewhere.conversations()
        return frozenset(key.conversation for key in found.values())

    async def say(self, what: Unasked) -> Said:
        """Say it in the conversation that it belongs to, else on another device of the user."""
        sessions = in_order(self._connections.sessions(what.user), what.conversation)
        if not sessions:
            return Said()
        speech = await voiced(
            what.sentences,
            what.chime,
            self._tts,
            speed=self._speed_for(what.user),
            logged=what.logged,
        )
        for session in sessions:
            said = await session.say_unasked(speech)
            if said.places:
                return said
        return Said()


def in_order(sessions: Sequence[UnaskedSession], conversation: str | None) -> list[UnaskedSession]:
    """Sessions in the order in which they are tried: that of a conversation first. Pure."""
    return sorted(sessions, key=lambda one: one.conversation_key.conversation != conversation)
