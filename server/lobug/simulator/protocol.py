"""The open firmware's side of the protocol: its state machine and its messages. Pure.

The state machine follows the firmware's own with its quirks. After ``tts stop`` in auto mode the
device listens only once all received audio is played. An abort by itself stops no sound; the
server's answer to it does. Audio that arrives while the device does not speak is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

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


MICROPHONE_RATE = 16_000
"""Hz of what a device sends."""

FRAME_MS = 60
"""Length of a packet that a device sends, milliseconds."""


@dataclass(frozen=True, slots=True)
class ServerHello:
    """The server's side of the hello."""

    session_id: str
    sample_rate: int
    """Hz of the audio that it sends."""
    frame_ms: int
    audio_format: str
    """opus or pcm."""


def hello(version: int, audio_format: str, *, tools: bool, echo_cancelling: bool) -> str:
    features: dict[str, bool] = {}
    if echo_cancelling:
        features["aec"] = True
    if tools:
        features["mcp"] = True
    return _text(
        type="hello",
        version=version,
        features=features,
        transport="websocket",
        audio_params={
            "format": audio_format,
            "sample_rate": MICROPHONE_RATE,
            "channels": 1,
            "frame_duration": FRAME_MS,
        },
    )


def message_of(
    action: Action, session_id: str, mode: ListenMode, wake_word: str | None = None
) -> str:
    """The message of an action of the state machine. Raises ValueError for an action that sends
    none."""
    listen = {"session_id": session_id, "type": "listen"}
    abort = {"session_id": session_id, "type": "abort"}
    match action:
        case Action.SEND_START:
            return _text(**listen, state="start", mode=mode.value)
        case Action.SEND_STOP:
            return _text(**listen, state="stop")
        case Action.SEND_DETECT:
            return _text(**listen, state="detect", text=wake_word or "")
        case Action.SEND_ABORT:
            return _text(**abort)
        case Action.SEND_ABORT_WAKE_WORD:
            return _text(**abort, reason="wake_word_detected")
    raise ValueError(f"{action} is no message")


def mcp(session_id: str, payload: Mapping[str, Any]) -> str:
    """An answer of the device's tools."""
    return _text(session_id=session_id, type="mcp", payload=payload)


def read(text: str) -> Mapping[str, Any] | None:
    """A message of the server; None: not a JSON object with a type, which devices ignore."""
    try:
        message = json.loads(text)
    except ValueError:
        return None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        return None
    return message


def read_hello(message: Mapping[str, Any]) -> ServerHello | None:
    """The server's hello; None: the message is another one, and the device keeps waiting."""
    if message.get("type") != "hello" or message.get("transport") != "websocket":
        return None
    audio = message.get("audio_params")
    audio = audio if isinstance(audio, Mapping) else {}
    session_id, audio_format = message.get("session_id"), audio.get("format")
    return ServerHello(
        session_id=session_id if isinstance(session_id, str) else "",
        # The firmware's own values where the server names none.
        sample_rate=_number(audio.get("sample_rate"), 24_000),
        frame_ms=_number(audio.get("frame_duration"), FRAME_MS),
        audio_format=audio_format if isinstance(audio_format, str) else "opus",
    )


def _number(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) and value > 0 else otherwise


def _text(**fields: object) -> str:
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
