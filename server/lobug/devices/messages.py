"""The text frames of the device protocol, in both directions. Pure.

``parse`` reads what a device sends: unknown fields are ignored and an unknown type is ``Unknown``,
so that newer firmware keeps working. The functions below it write what the server sends: each
returns the JSON text.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

from pydantic import ValidationError

from lobug.conversation.sensors import SensorReading, SensorRequest
from lobug.devices.caption_font import HEIGHT as GLYPH_SIZE
from lobug.devices.caption_font import Glyph
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.devices.report import Report, read_report
from lobug.errors import MessageError
from lobug.language.emotions import Emotion

MAX_MESSAGE_CHARS = 65_536
"""Longest message that ``parse`` reads."""

MAX_DEPTH = 32
"""Deepest nesting of a message; the tool schemas of devices nest about 8 deep."""

MAX_WAKE_WORD_CHARS = 200
"""Longest text of a wake word; the rest is cut off."""

_MAX_NAME_CHARS = 64
"""Characters kept of a type, a reason or a format."""


class ListenMode(StrEnum):
    """Who ends an utterance."""

    AUTO = "auto"
    """The server."""
    MANUAL = "manual"
    """The person: it ends with ``ListenStop`` (push to talk)."""
    REALTIME = "realtime"
    """The server, while the device listens also during replies (full duplex, echo cancellation)."""


@dataclass(frozen=True, slots=True)
class AudioParams:
    """Audio as a ``hello`` describes it; None for what it leaves out."""

    format: str | None = None
    sample_rate: int | None = None
    """Hz."""
    channels: int | None = None
    frame_duration: float | None = None
    """Milliseconds."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The device's first message."""

    version: int | None = None
    """Version of the binary frames."""
    transport: str | None = None
    mcp: bool = False
    """Whether the device serves tools."""
    aec: bool = False
    """Whether it expects the server to cancel its echo."""
    audio: AudioParams = AudioParams()
    """The format that it sends."""
    downlink: AudioParams = AudioParams()
    """The format that it wants to receive. An addition of Lo-Bug's."""
    drops_on_abort: bool = False
    """Whether it empties its audio queue by itself when it interrupts a reply. An addition of
    Lo-Bug's."""
    interim: bool = False
    """Whether it shows words while they are still being spoken. An addition of Lo-Bug's."""
    memories: bool = False
    """Whether it wants to know which memories were used for a reply. An addition of Lo-Bug's."""
    glyphs: int = 0
    """How many pictures of characters it keeps, to draw what its font lacks; 0: it takes none. An
    addition of Lo-Bug's."""
    report: Report | None = None
    """What it says of its own condition. An addition of Lo-Bug's."""


@dataclass(frozen=True, slots=True)
class ListenStart:
    """The audio that follows is meant for Lo-Bug."""

    mode: ListenMode = ListenMode.AUTO


@dataclass(frozen=True, slots=True)
class ListenStop:
    """The person has finished, or no longer wants to be heard."""


@dataclass(frozen=True, slots=True)
class WakeWord:
    """The device heard its wake word (state ``detect``)."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Abort:
    """Stop speaking."""

    reason: str | None = None
    """``wake_word_detected``, or None for a button or touch."""


@dataclass(frozen=True, slots=True)
class Playing:
    """The device began to play a reply. An addition of Lo-Bug's, so that the server's stage times
    include the playing."""

    delay_s: float
    """Seconds from the arrival of the reply's first audio frame to its first sound, by the device's
    clock."""


@dataclass(frozen=True, slots=True)
class Sensed:
    """What the device feels of being held and moved; the same as `POST /context/sensors`. An
    addition of Lo-Bug's."""

    reading: SensorReading


@dataclass(frozen=True, slots=True)
class Reported:
    """What the device says of its own condition. An addition of Lo-Bug's."""

    report: Report


@dataclass(frozen=True, slots=True)
class McpMessage:
    """A JSON-RPC 2.0 message of the device's tool server."""

    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Goodbye:
    """The conversation is over. Firmware sends this over MQTT only, other clients also here."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A message of a type that this server does not know; it is ignored."""

    type: str


DeviceMessage = (
    Hello
    | ListenStart
    | ListenStop
    | WakeWord
    | Abort
    | Playing
    | Sensed
    | Reported
    | McpMessage
    | Goodbye
    | Unknown
)


def parse(text: str | bytes) -> DeviceMessage:
    """Read one message.

    Raises MessageError if it is not a JSON object with a ``type``, has a known field of a wrong
    type, nests deeper than ``MAX_DEPTH`` or is longer than ``MAX_MESSAGE_CHARS``.
    """
    fields = _Fields(_decode(text))
    kind = fields.text("type")
    if kind is None:
        raise MessageError("the message has no type")
    read = _READERS.get(kind)
    return Unknown(_name(kind)) if read is None else read(fields)


class _Fields:
    """The fields of an object, each read as its type. ``null`` counts as absent."""

    def __init__(self, values: Mapping[str, Any], path: str = "") -> None:
        self._values = values
        self._path = path

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        if value is None or isinstance(value, str):
            return value
        raise self._wrong(name, "a text")

    def flag(self, name: str) -> bool:
        value = self._values.get(name)
        if value is None or isinstance(value, bool):
            return bool(value)
        raise self._wrong(name, "true or false")

    def number(self, name: str) -> float | None:
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(name, "a number")
        if not abs(value) < _LARGEST_NUMBER:
            raise self._wrong(name, "a number of this size")
        return float(value)

    def whole(self, name: str) -> int | None:
        value = self.number(name)
        if value is None:
            return None
        if not value.is_integer():
            raise self._wrong(name, "a whole number")
        return int(value)

    def object(self, name: str) -> _Fields:
        return _Fields(self.mapping(name) or {}, f"{self._path}{name}.")

    def raw(self, name: str) -> Any:
        """Whatever is there; None: nothing."""
        return self._values.get(name)

    def mapping(self, name: str) -> Mapping[str, Any] | None:
        value = self._values.get(name)
        if value is None or isinstance(value, dict):
            return value
        raise self._wrong(name, "an object")

    def _wrong(self, name: str, wanted: str) -> MessageError:
        return MessageError(f"{self._path}{name} is not {wanted}")


_LARGEST_NUMBER = 2.0**53
_LONGEST_DELAY_MS = 60_000


def _decode(text: str | bytes) -> dict[str, Any]:
    if len(text) > MAX_MESSAGE_CHARS:
        raise MessageError(f"{len(text)} characters are too many")
    try:
        if isinstance(text, bytes):
            text = text.decode()
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as fault:
        raise MessageError("the message is not valid JSON") from fault
    if not isinstance(value, dict):
        raise MessageError("the message is not an object")
    if text.count("{") + text.count("[") > MAX_DEPTH and _deeper_than(value, MAX_DEPTH):
        raise MessageError(f"the message nests deeper than {MAX_DEPTH}")
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as fault:  # half a surrogate pair is not valid text
            raise MessageError("the message holds half a character") from fault
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _deeper_than(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        inner: list[Any] = []
        for one in level:
            parts = one.values() if isinstance(one, dict) else one
            inner.extend(part for part in parts if isinstance(part, dict | list))
        if not inner:
            return False
        level = inner
    return True


def _name(text: str) -> str:
    """A name made safe for a log line."""
    return "".join(c if c.isprintable() else "?" for c in text[:_MAX_NAME_CHARS])


def _audio(fields: _Fields) -> AudioParams:
    codec = fields.text("format")
    return AudioParams(
        None if codec is None else _name(codec),
        fields.whole("sample_rate"),
        fields.whole("channels"),
        fields.number("frame_duration"),
    )


def _hello(fields: _Fields) -> DeviceMessage:
    features = fields.object("features")
    transport = fields.text("transport")
    return Hello(
        version=fields.whole("version"),
        transport=None if transport is None else _name(transport),
        mcp=features.flag("mcp"),
        aec=features.flag("aec"),
        drops_on_abort=features.flag("drops_on_abort"),
        interim=features.flag("interim"),
        memories=features.flag("memories"),
        glyphs=_kept_glyphs(features.raw("glyphs")),
        report=read_report(fields.raw("report")),
        audio=_audio(fields.object("audio_params")),
        downlink=_audio(fields.object("downlink")),
    )


_MOST_GLYPHS = 4096


def _kept_glyphs(told: Any) -> int:
    """How many pictures of our size a device keeps; 0 for anything else than such a wish."""
    if not isinstance(told, dict) or told.get("size") != GLYPH_SIZE:
        return 0
    keeps = told.get("keeps")
    if isinstance(keeps, bool) or not isinstance(keeps, int) or keeps < 1:
        return 0
    return min(keeps, _MOST_GLYPHS)


def _listen(fields: _Fields) -> DeviceMessage:
    state = fields.text("state")
    if state == "start":
        mode = fields.text("mode")
        try:
            return ListenStart(ListenMode.AUTO if mode is None else ListenMode(mode))
        except ValueError:
            raise MessageError(f"mode {_name(str(mode))!r} is not known") from None
    if state == "stop":
        return ListenStop()
    if state == "detect":
        printable = "".join(c if c.isprintable() else " " for c in fields.text("text") or "")
        return WakeWord(" ".join(printable.split())[:MAX_WAKE_WORD_CHARS])
    if state is None:
        raise MessageError("listen has no state")
    return Unknown(_name(f"listen {state}"))


def _abort(fields: _Fields) -> DeviceMessage:
    reason = fields.text("reason")
    return Abort(None if reason is None else _name(reason))


def _playing(fields: _Fields) -> DeviceMessage:
    delay_ms = fields.number("delay_ms")
    if delay_ms is None or not 0 <= delay_ms <= _LONGEST_DELAY_MS:
        raise MessageError(f"playing has no delay_ms from 0 to {_LONGEST_DELAY_MS}")
    return Playing(delay_ms / 1000)


def _sensors(fields: _Fields) -> DeviceMessage:
    reading = fields.mapping("reading")
    if reading is None:
        raise MessageError("sensors has no reading")
    try:
        # As JSON, so that exactly what the POST takes is taken.
        return Sensed(SensorRequest.model_validate_json(json.dumps(reading)).reading())
    except ValidationError as fault:
        wrong = ", ".join(str(error["loc"][0]) for error in fault.errors(include_input=False))
        raise MessageError(f"not valid in a reading: {_name(wrong)}") from None


def _report(fields: _Fields) -> DeviceMessage:
    report = read_report(fields.raw("report"))
    if report is None:
        raise MessageError("report has no report")
    return Reported(report)


def _mcp(fields: _Fields) -> DeviceMessage:
    payload = fields.mapping("payload")
    if payload is None:
        raise MessageError("mcp has no payload")
    return McpMessage(payload)


_READERS: dict[str, Callable[[_Fields], DeviceMessage]] = {
    "hello": _hello,
    "listen": _listen,
    "abort": _abort,
    "playing": _playing,
    "sensors": _sensors,
    "report": _report,
    "mcp": _mcp,
    "goodbye": lambda _: Goodbye(),
}


FORMATS = tuple(AudioCodec)
"""The formats that the server's hello offers."""


def hello(session_id: str, downlink: AudioFormat, formats: Sequence[AudioCodec] = FORMATS) -> str:
    """Answer the device's hello. ``audio_params`` is the format that the server will send;
    ``formats`` (an addition, which firmware ignores) are those that a hello may ask for. So are
    ``features`` (an addition, too): which messages of Lo-Bug's own it takes."""
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
        features={"sensors": True, "reports": True},
    )


def stt(session_id: str, text: str) -> str:
    """The words that were heard."""
    return _message("stt", session_id, text=text)


def interim_stt(session_id: str, text: str) -> str:
    """The words so far of somebody who is still speaking; empty: they were none after all. Only
    for a device that asked for them (``Hello.interim``)."""
    return _message("stt", session_id, text=text, interim=True)


def llm(session_id: str, emotion: Emotion, text: str | None = None) -> str:
    """The face to draw. ``text`` None: its emoji."""
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


def glyphs(session_id: str, pictures: Sequence[Glyph]) -> str:
    """Pictures of characters that the next texts have and the device's font lacks. An addition of
    Lo-Bug's, for those who asked for it in their hello."""
    return _message(
        "glyphs",
        session_id,
        glyphs=[
            {
                "code": glyph.code,
                "width": glyph.width,
                "height": GLYPH_SIZE,
                "bits": b64encode(glyph.bits).decode(),
            }
            for glyph in pictures
        ],
    )


def mcp(session_id: str, payload: Mapping[str, Any]) -> str:
    """A JSON-RPC 2.0 message to the device's tool server."""
    return _message("mcp", session_id, payload=payload)


def memories(session_id: str, message_id: int, entries: Sequence[Mapping[str, Any]]) -> str:
    """What was used for the reply to a message of the user. An addition of Lo-Bug's, for those who
    asked for it in their hello."""
    return _message("memories", session_id, message_id=message_id, entries=list(entries))


def system_reboot(session_id: str) -> str:
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
    # A model can write half a surrogate pair, which is not valid text and cannot be sent.
    return text.encode("utf-8", "replace").decode()


def _plain(number: float) -> int | float:
    """60 rather than 60.0: some small JSON readers take whole numbers only."""
    return int(number) if number.is_integer() else number
