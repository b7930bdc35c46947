"""Text messages of the open firmware: those it writes, and the server's as it reads them. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lobug.devices.messages import ListenMode
from lobug.simulator.streaming.state_machine import Action

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
    """The device's first message."""
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
