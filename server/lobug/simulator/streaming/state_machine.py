"""The state machine of a device with the open firmware: event in, new state and actions out. Pure.

It follows the firmware's own state machine with its quirks. After ``tts stop`` in auto mode the
device listens only once all received audio is played. An abort by itself stops no sound; the
server's answer to it does. Audio that arrives while the device does not speak is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from lobug.devices.messages import ListenMode


class State(StrEnum):
    """State of a device that has booted."""

    IDLE = "idle"
    LISTENING = "listening"
    SPEAKING = "speaking"


class Event(StrEnum):
    """What happens to the device."""

    BUTTON = "button"
    """A short press: talk, or interrupt."""
    HELD = "held"
    """The button of manual mode goes down."""
    RELEASED = "released"
    WAKE_WORD = "wake word"
    TTS_START = "tts start"
    TTS_STOP = "tts stop"
    AUDIO = "audio"
    """A packet has come."""
    DRAINED = "drained"
    """All that had come is played."""
    CLOSED = "closed"
    """The connection is gone."""


class Action(StrEnum):
    """What the device does in answer to an event."""

    SEND_START = "send listen start"
    SEND_STOP = "send listen stop"
    SEND_DETECT = "send listen detect"
    SEND_ABORT = "send abort"
    SEND_ABORT_WAKE_WORD = "send abort, wake word detected"
    OPEN_MICROPHONE = "open the microphone"
    CLOSE_MICROPHONE = "close the microphone"
    STOP_SPEAKER = "throw away what waits to be played"
    BEGIN_REPLY = "begin a reply"
    """Drop the packets that wait to be played: another reply follows."""
    END_REPLY = "the reply is complete"
    PLAY = "play the packet"
    DROP = "drop the packet"
    CLOSE = "close the connection"


class DeviceMachine:
    """The device's state. ``default_mode``: how it listens after a wake word or a short press."""

    def __init__(self, default_mode: ListenMode = ListenMode.AUTO) -> None:
        self._default_mode = default_mode
        self.state = State.IDLE
        self.mode = default_mode
        """How it listens, or did last."""
        self.microphone_open = False
        self.waits_for_silence = False
        """It will listen as soon as the loudspeaker is silent."""

    def handle(self, event: Event, *, silent: bool = True) -> Sequence[Action]:
        """What to do, in order. ``silent``: nothing is left to play."""
        match event, self.state:
            case Event.AUDIO, _:
                return (Action.PLAY if self.state is State.SPEAKING else Action.DROP,)
            case Event.TTS_START, State.IDLE | State.LISTENING:
                return self._speak()
            case Event.TTS_STOP, State.SPEAKING:
                return self._finish_speaking(silent=silent)
            case Event.DRAINED, State.LISTENING if self.waits_for_silence:
                return self._open_microphone()
            case Event.CLOSED, _:
                return self._rest()
            case Event.WAKE_WORD, _:
                return self._woken(silent=silent)
            case ((Event.BUTTON | Event.HELD | Event.RELEASED), _):
                return self._pressed(event, silent=silent)
            case _:
                return ()

    def _pressed(self, event: Event, *, silent: bool) -> Sequence[Action]:
        match event, self.state:
            case Event.BUTTON, State.IDLE:
                return self._listen(self._default_mode, silent=silent)
            case Event.BUTTON, State.SPEAKING:
                return (Action.SEND_ABORT,)
            case Event.BUTTON, State.LISTENING:
                return (Action.CLOSE,)
            case Event.HELD, State.IDLE:
                return self._listen(ListenMode.MANUAL, silent=silent)
            case Event.HELD, State.SPEAKING:
                return (Action.SEND_ABORT, *self._listen(ListenMode.MANUAL, silent=silent))
            case Event.RELEASED, State.LISTENING:
                return (Action.SEND_STOP, *self._rest())
            case _:
                return ()

    def _woken(self, *, silent: bool) -> Sequence[Action]:
        if self.state is State.LISTENING:
            return (Action.SEND_ABORT_WAKE_WORD, Action.SEND_START, Action.STOP_SPEAKER)
        if self.state is State.IDLE:
            return (Action.SEND_DETECT, *self._listen(self._default_mode, silent=silent))
        # It starts to listen again in realtime mode too.
        self.microphone_open = False
        return (Action.SEND_ABORT_WAKE_WORD, *self._listen(self._default_mode, silent=silent))

    def _speak(self) -> Sequence[Action]:
        self.state = State.SPEAKING
        self.waits_for_silence = False
        if self.mode is ListenMode.REALTIME:
            return (Action.BEGIN_REPLY,)
        self.microphone_open = False
        return (Action.CLOSE_MICROPHONE, Action.BEGIN_REPLY)

    def _finish_speaking(self, *, silent: bool) -> Sequence[Action]:
        if self.mode is ListenMode.MANUAL:
            return (Action.END_REPLY, *self._rest())
        return (Action.END_REPLY, *self._listen(self.mode, silent=silent))

    def _listen(self, mode: ListenMode, *, silent: bool) -> Sequence[Action]:
        self.state = State.LISTENING
        self.mode = mode
        self.waits_for_silence = False
        if self.microphone_open:
            return ()
        if mode is ListenMode.AUTO and not silent:
            self.waits_for_silence = True
            return ()
        return self._open_microphone()

    def _open_microphone(self) -> Sequence[Action]:
        self.waits_for_silence = False
        self.microphone_open = True
        # Opening it resets the firmware's decoder and all that waits for it.
        return (Action.SEND_START, Action.OPEN_MICROPHONE, Action.STOP_SPEAKER)

    def _rest(self) -> Sequence[Action]:
        self.state = State.IDLE
        self.waits_for_silence = False
        if not self.microphone_open:
            return ()
        self.microphone_open = False
        return (Action.CLOSE_MICROPHONE,)
