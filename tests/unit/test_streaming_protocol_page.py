"""docs/protocol.md: every example of the streaming protocol is what the code reads and writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from lobug.devices import frames, messages
from lobug.devices.caption_font import Glyph, caption_font
from lobug.devices.connection import negotiate
from lobug.devices.frames import (
    FRAME_DURATIONS_MS,
    OPUS_RATES,
    AudioCodec,
    AudioFormat,
    CloseCode,
)
from lobug.devices.messages import (
    DeviceMessage,
    Hello,
    ListenMode,
    ListenStart,
    Reported,
    Unknown,
    parse,
)
from lobug.devices.report import ResetReason
from lobug.language.emotions import Emotion
from lobug.settings import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
STREAMING = PAGE[PAGE.index("\n# The streaming protocol") :]


def examples(kind: str) -> list[str]:
    """The messages of every block that is marked so, one on each line."""
    blocks = re.findall(rf"^```json {kind}\n(.*?)^```", STREAMING, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()]


def written(message: dict[str, Any]) -> str:
    """The same message as the server writes it."""
    session = message["session_id"]
    audio = message.get("audio_params", {})
    builders: dict[str, Callable[[], str]] = {
        "hello": lambda: messages.hello(
            session,
            AudioFormat(
                AudioCodec(audio["format"]), audio["sample_rate"], float(audio["frame_duration"])
            ),
        ),
        "stt": lambda: (
            messages.interim_stt(session, message["text"])
            if message.get("interim")
            else messages.stt(session, message["text"])
        ),
        "llm": lambda: messages.llm(session, Emotion(message["emotion"])),
        "tts start": lambda: messages.tts_start(session),
        "tts sentence_start": lambda: messages.sentence_start(session, message["text"]),
        "tts stop": lambda: messages.tts_stop(session),
        "mcp": lambda: messages.mcp(session, message["payload"]),
        "memories": lambda: messages.memories(session, message["message_id"], message["entries"]),
        "glyphs": lambda: messages.glyphs(session, pictures(message)),
        "system": lambda: messages.system_reboot(session),
        "alert": lambda: messages.alert(
            session, message["status"], message["message"], Emotion(message["emotion"])
        ),
    }
    return builders[name_of(message)]()


def pictures(message: dict[str, Any]) -> list[Glyph]:
    """Those of the font, which must be what the example shows."""
    return caption_font().glyphs("".join(chr(glyph["code"]) for glyph in message["glyphs"]))


def name_of(message: dict[str, Any]) -> str:
    return f"{message['type']} {message['state']}" if message["type"] == "tts" else message["type"]


@pytest.mark.parametrize("example", examples("device"))
def test_what_a_device_sends_is_understood(example: str) -> None:
    assert not isinstance(parse(example), Unknown)


@pytest.mark.parametrize("example", examples("unknown"))
def test_what_is_said_to_be_ignored_is(example: str) -> None:
    assert isinstance(parse(example), Unknown)


@pytest.mark.parametrize("example", examples("server"))
def test_what_the_server_sends_is_what_it_writes(example: str) -> None:
    assert json.loads(written(json.loads(example))) == json.loads(example)


def test_no_message_is_missing() -> None:
    read = [parse(example) for example in examples("device") + examples("unknown")]
    assert {type(message) for message in read} == set(get_args(DeviceMessage))
    assert {m.mode for m in read if isinstance(m, ListenStart)} == set(ListenMode)
    written_names = {name_of(json.loads(example)) for example in examples("server")}
    assert written_names == {
        "hello",
        "stt",
        "llm",
        "tts start",
        "tts sentence_start",
        "tts stop",
        "mcp",
        "memories",
        "glyphs",
        "system",
        "alert",
    }


def test_every_hello_is_served() -> None:
    hellos = [m for m in map(parse, examples("device")) if isinstance(m, Hello)]
    first, pcm, mixed, asking, dropping, _, drawing = (negotiate(hello) for hello in hellos)
    answer = json.loads(examples("server")[0])["audio_params"]
    assert json.loads(messages.hello("s", first.downlink))["audio_params"] == answer
    assert pcm.downlink == pcm.uplink
    assert (mixed.downlink.codec, mixed.downlink.sample_rate) == (AudioCodec.PCM, 22_050)
    assert [a.drops_on_abort for a in (first, pcm, mixed, dropping)] == [False, False, False, True]
    assert [a.interim for a in (first, asking)] == [False, True]
    assert [a.memories for a in (first, asking)] == [False, True]
    assert [hello.report is not None for hello in hellos] == [False] * 5 + [True, False]
    assert [a.glyphs for a in (first, drawing)] == [0, 256]


def test_every_value_of_the_example_of_a_report_is_read() -> None:
    (told,) = [json.loads(line) for line in examples("device") if '"type": "report"' in line]
    read = parse(json.dumps(told))
    assert isinstance(read, Reported)
    assert read.report.model_dump(exclude_none=True, mode="json") == told["report"]


def test_every_reason_for_a_start_is_named() -> None:
    row = next(line for line in STREAMING.splitlines() if line.startswith("| `reset` |"))
    assert re.findall(r"`(\w+)`", row)[1:] == [reason.value for reason in ResetReason]


def test_every_close_code_is_there() -> None:
    rows = re.findall(r"^\| (\d{4}) \| `(\w+)` \| (.*) \|$", STREAMING, re.MULTILINE)
    assert rows == [(str(int(code)), code.name, code.description) for code in CloseCode]


def test_the_numbers_are_those_of_the_code() -> None:
    words = " ".join(STREAMING.split())
    assert ", ".join(str(rate) for rate in OPUS_RATES[:-1]) in words
    durations = [f"{ms:g}" for ms in FRAME_DURATIONS_MS]
    assert f"{', '.join(durations[:-1])} or {durations[-1]} ms" in words
    assert f"1 to {frames.MAX_PAYLOAD_BYTES} bytes" in words
    assert ", ".join(Emotion) in words


def test_every_setting_exists() -> None:
    named = re.findall(r"`(streaming\.\w+)`", STREAMING)
    assert named
    streaming = Settings.model_fields["streaming"].annotation
    assert streaming is not None
    for name in named:
        assert name.removeprefix("streaming.") in streaming.model_fields, name
