"""Text frames of the device protocol, in both directions."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.devices import messages
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.devices.messages import (
    MAX_DEPTH,
    MAX_MESSAGE_CHARS,
    MAX_WAKE_WORD_CHARS,
    Abort,
    AudioParams,
    DeviceMessage,
    Goodbye,
    Hello,
    ListenMode,
    ListenStart,
    ListenStop,
    McpMessage,
    Unknown,
    WakeWord,
    parse,
)
from lobug.errors import MessageError
from lobug.language.emotions import Emotion

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
KNOWN_FIELDS = st.sampled_from(
    """version features transport audio_params downlink state mode text reason payload
    session_id""".split()
)
KNOWN_TYPES = st.sampled_from(["hello", "listen", "abort", "mcp", "goodbye"])
KNOWN_WORDS = st.sampled_from(["start", "stop", "detect", "auto", "manual", "realtime"])
KNOWN_OBJECTS = st.sampled_from([{"sample_rate": 1e308}, {"mcp": True}, {"format": "pcm"}])


def test_the_hello_of_the_firmware() -> None:
    hello = parse(
        '{"type":"hello","version":1,"features":{"aec":true,"mcp":true,"glyph_push":false},'
        '"transport":"websocket","audio_params":{"format":"opus","sample_rate":16000,'
        '"channels":1,"frame_duration":60}}'
    )
    assert hello == Hello(
        version=1,
        transport="websocket",
        mcp=True,
        aec=True,
        audio=AudioParams("opus", 16_000, 1, 60.0),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"type":"hello"}', Hello()),
        ('{"type":"hello","features":null,"version":null}', Hello()),
        ('{"type":"hello","downlink":{"format":"pcm"}}', Hello(downlink=AudioParams("pcm"))),
        ('{"type":"listen","state":"start","mode":"manual"}', ListenStart(ListenMode.MANUAL)),
        ('{"type":"listen","state":"start","mode":"auto"}', ListenStart(ListenMode.AUTO)),
        ('{"type":"listen","state":"start","mode":"realtime"}', ListenStart(ListenMode.REALTIME)),
        ('{"type":"listen","state":"start"}', ListenStart(ListenMode.AUTO)),
        ('{"session_id":"s","type":"listen","state":"stop"}', ListenStop()),
        ('{"type":"listen","state":"detect","text":"Hi \\n ESP"}', WakeWord("Hi ESP")),
        ('{"type":"listen","state":"detect"}', WakeWord("")),
        ('{"type":"listen","state":"pause"}', Unknown("listen pause")),
        ('{"type":"abort"}', Abort()),
        ('{"type":"abort","reason":"wake_word_detected"}', Abort("wake_word_detected")),
        ('{"type":"mcp","payload":{"id":1}}', McpMessage({"id": 1})),
        ('{"type":"goodbye"}', Goodbye()),
        ('{"type":"iot","states":[]}', Unknown("iot")),
        ('{"type":"\\u0000\\n"}', Unknown("??")),
        (b'{"type":"abort"}', Abort()),
    ],
)
def test_messages(text: str | bytes, message: DeviceMessage) -> None:
    assert parse(text) == message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "[]",
        "null",
        '"hello"',
        "{}",
        '{"type":null}',
        '{"type":7}',
        '{"type":"hello","version":"1"}',
        '{"type":"hello","version":1.5}',
        '{"type":"hello","version":true}',
        '{"type":"hello","version":1e300}',
        '{"type":"hello","version":NaN}',
        '{"type":"hello","version":' + "9" * 400 + "}",
        '{"type":"hello","features":[]}',
        '{"type":"hello","features":{"mcp":1}}',
        '{"type":"hello","transport":{}}',
        '{"type":"hello","audio_params":"opus"}',
        '{"type":"hello","audio_params":{"sample_rate":"16000"}}',
        '{"type":"hello","audio_params":{"sample_rate":Infinity}}',
        '{"type":"listen"}',
        '{"type":"listen","state":1}',
        '{"type":"listen","state":"start","mode":"always"}',
        '{"type":"listen","state":"start","mode":3}',
        '{"type":"listen","state":"detect","text":[]}',
        '{"type":"abort","reason":1}',
        '{"type":"mcp"}',
        '{"type":"mcp","payload":"{}"}',
        '{"type":"mcp","payload":{"x":NaN}}',
        '{"type":"mcp","payload":{"x":"\\ud800"}}',
        '{"type":"mcp","payload":' + "[" * 100_000,
        '{"type":"mcp","payload":{"x":' + "[" * 5_000 + "]" * 5_000 + "}}",
        '{"type":"mcp","payload":{"x":' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}}",
        '{"type":"abort","reason":"' + "x" * MAX_MESSAGE_CHARS + '"}',
        b'{"type":"abort","reason":"\xff"}',
    ],
)
def test_what_is_wrong_is_refused_with_a_code(text: str | bytes) -> None:
    with pytest.raises(MessageError) as refused:
        parse(text)
    assert refused.value.code == "message_invalid"
    assert len(str(refused.value)) < 200, "an error says what is wrong, not all of what was sent"


def test_nesting_up_to_the_limit_is_read() -> None:
    deep = "[" * (MAX_DEPTH - 2) + "]" * (MAX_DEPTH - 2)
    assert isinstance(parse('{"type":"mcp","payload":{"x":' + deep + "}}"), McpMessage)


def test_a_wake_word_is_cut_at_its_limit() -> None:
    long = json.dumps({"type": "listen", "state": "detect", "text": "word " * 1_000})
    heard = parse(long)
    assert isinstance(heard, WakeWord)
    assert len(heard.text) <= MAX_WAKE_WORD_CHARS


@given(st.text() | st.binary())
def test_any_text_is_a_message_or_refused(text: str | bytes) -> None:
    _read(text)


@given(KNOWN_TYPES, st.dictionaries(KNOWN_FIELDS, JSON | KNOWN_WORDS | KNOWN_OBJECTS, max_size=6))
def test_any_value_of_a_known_field_is_read_or_refused(kind: str, fields: dict[str, Any]) -> None:
    _read(json.dumps({**fields, "type": kind}))


def _read(text: str | bytes) -> None:
    try:
        message = parse(text)
    except MessageError:
        return
    assert isinstance(message, get_args(DeviceMessage))
    assert repr(message).encode().decode() == repr(message)  # it can be logged: no half character


FORMAT = AudioFormat(AudioCodec.OPUS, 24_000, 60.0)
WORDS = st.lists(st.text() | st.sampled_from(["\ud800", "\udfff"])).map("".join)
"""Half characters as well: a model can write them."""


@given(WORDS)
def test_whatever_is_said_can_be_sent_and_read(words: str) -> None:
    sent = [
        messages.stt("s", words),
        messages.sentence_start("s", words),
        messages.llm("s", Emotion.SAD, words),
        messages.alert("s", words, words),
        messages.mcp("s", {"x": words}),
    ]
    for text in sent:
        read = json.loads(text.encode())
        assert read["session_id"] == "s"
        whole = words.encode("utf-8", "replace").decode()
        assert whole in (read.get("text"), read.get("message"), read.get("payload", {}).get("x"))


def test_the_hello_of_the_server() -> None:
    assert json.loads(messages.hello("s1", FORMAT)) == {
        "session_id": "s1",
        "type": "hello",
        "transport": "websocket",
        "audio_params": {
            "format": "opus",
            "sample_rate": 24_000,
            "channels": 1,
            "frame_duration": 60,
        },
        "formats": ["opus", "pcm"],
        "features": {"sensors": True, "reports": True},
    }
    # Small JSON readers take whole numbers only.
    assert '"frame_duration":60}' in messages.hello("s1", FORMAT)


@pytest.mark.parametrize("emotion", Emotion)
def test_a_face_comes_with_its_emoji(emotion: Emotion) -> None:
    assert json.loads(messages.llm("s", emotion)) == {
        "session_id": "s",
        "type": "llm",
        "emotion": emotion.value,
        "text": emotion.emoji,
    }
