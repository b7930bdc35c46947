"""What the server says to a device in text frames. Pure: each function returns the JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lobug.device.emotions import Emotion
from lobug.device.formats import AudioCodec, AudioFormat

FORMATS = tuple(AudioCodec)
"""What the server's hello offers."""


def hello(session_id: str, downlink: AudioFormat, formats: Sequence[AudioCodec] = FORMATS) -> str:
    """The answer to the device's hello: ``audio_params`` is what the server is going to send,
    ``formats`` (an addition, which firmware ignores) what a hello may ask for."""
    return _message(
        "hello",
        session_id,
        transport="websocket",
        audio_params={
            "format": downlink.codec.value,
            "sample_rate": downlink.sample_rate,
            "channels": downlink.channels,
            "frame_duration": _plain(downlink.frame_ms),
        },
        formats=[codec.value for codec in formats],
    )


def stt(session_id: str, text: str) -> str:
    """What was understood."""
    return _message("stt", session_id, text=text)


def llm(session_id: str, emotion: Emotion, text: str | None = None) -> str:
    """The face to draw; ``text`` is its emoji unless something else is given."""
    return _message(
        "llm", session_id, emotion=emotion.value, text=emotion.emoji if text is None else text
    )


def tts_start(session_id: str) -> str:
    """Speech follows. A device drops audio that comes earlier."""
    return _message("tts", session_id, state="start")


def sentence_start(session_id: str, text: str) -> str:
    """The words of the audio that follows."""
    return _message("tts", session_id, state="sentence_start", text=text)


def tts_stop(session_id: str) -> str:
    """The speech is over; the device listens again (auto, realtime) or rests (manual)."""
    return _message("tts", session_id, state="stop")


def mcp(session_id: str, payload: Mapping[str, Any]) -> str:
    """A JSON-RPC 2.0 message to the device's tool server."""
    return _message("mcp", session_id, payload=payload)


def system_reboot(session_id: str) -> str:
    """Start again."""
    return _message("system", session_id, command="reboot")


def alert(session_id: str, status: str, message: str, emotion: Emotion = Emotion.SAD) -> str:
    """Show and sound a warning. ``status`` is a short title, ``message`` a sentence."""
    return _message("alert", session_id, status=status, message=message, emotion=emotion.value)


def _message(kind: str, session_id: str, **fields: Any) -> str:
    text = json.dumps(
        {"session_id": session_id, "type": kind, **fields},
        ensure_ascii=False,
        separators=(",", ":"),
    )
    # Half a surrogate pair, which a model can write, is no text and could not be sent.
    return text.encode("utf-8", "replace").decode()


def _plain(number: float) -> int | float:
    """60 rather than 60.0: small JSON readers take whole numbers only."""
    return int(number) if number.is_integer() else number
