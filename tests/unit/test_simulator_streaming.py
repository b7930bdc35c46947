"""What a streaming device sends and reads: speech as packets, messages, tools, identities."""

from __future__ import annotations

import json
import random
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.devices import messages
from lobug.devices.codec import make_decoder, make_encoder
from lobug.devices.frames import FRAME_DURATIONS_MS, AudioCodec, AudioFormat
from lobug.devices.messages import ListenMode
from lobug.simulator import protocol
from lobug.simulator.device_audio import Microphone, SpeakerAccount
from lobug.simulator.device_tools import DeviceTools
from lobug.simulator.discovery import (
    DeviceStore,
    DiscoveryError,
    Endpoint,
    identity_of,
    socket_url,
)
from lobug.simulator.protocol import Action
from lobug.simulator.recordings import (
    encode_speech,
    packet_seconds,
    reply_wav,
    speech_bounds,
)
from lobug.simulator.results import TurnRecorder, WsSummary, WsTurnResult
from lobug.simulator.streaming_device import backoff_s
from support.scripted_ws import opus_packets, tone

# ---- speech


@pytest.mark.parametrize("frame_ms", FRAME_DURATIONS_MS)
@pytest.mark.parametrize("rate", [8_000, 16_000, 24_000, 48_000])
def test_the_length_of_an_opus_packet_is_read_from_its_first_bytes(
    frame_ms: float, rate: int
) -> None:
    format_ = AudioFormat(AudioCodec.OPUS, rate, frame_ms)
    packets = make_encoder(format_, rate).feed(tone(0.5, rate))
    assert {packet_seconds(packet, format_) for packet in packets} == {frame_ms / 1000}


@given(st.binary(max_size=8))
def test_whatever_comes_a_packet_has_a_length_or_none(packet: bytes) -> None:
    for codec in AudioCodec:
        seconds = packet_seconds(packet, AudioFormat(codec, 24_000, 60.0))
        assert seconds is None or 0 < seconds <= 0.12 + 1e-9


def test_the_bounds_of_speech_are_exact_to_ten_milliseconds() -> None:
    samples = np.concatenate([np.zeros(3200), tone(1.0), np.zeros(4800)]).astype(np.float32)
    noise = np.random.default_rng(1).normal(0, 0.001, len(samples)).astype(np.float32)
    start_s, end_s = speech_bounds(samples + noise)
    assert start_s == pytest.approx(0.3, abs=0.0101)
    assert end_s == pytest.approx(1.1, abs=0.0101)


def test_speech_is_heard_on_the_other_side_with_silence_after_it() -> None:
    speech = encode_speech("tone", tone(0.6))
    decoder = make_decoder(AudioFormat(AudioCodec.OPUS, 16_000, 60.0))
    heard = np.concatenate([decoder.decode(packet) for packet in speech.packets])
    assert speech_bounds(heard) == pytest.approx((0.1, 0.5), abs=0.025)
    for packet in speech.silence * 3:
        after = decoder.decode(packet)
    assert np.abs(after).max() < 0.001


def test_a_packet_that_cannot_be_decoded_is_left_out_of_the_reply() -> None:
    format_ = AudioFormat(AudioCodec.OPUS, 24_000, 60.0)
    packets = opus_packets(4)
    broken = [packets[0], b"\xff", *packets[1:]]
    assert len(reply_wav(broken, format_)) == pytest.approx(len(reply_wav(packets, format_)), 0.01)


# ---- microphone


def test_the_microphone_records_what_is_said_and_silence_around_it() -> None:
    speech = encode_speech("tone", tone(0.3))
    microphone = Microphone(b"quiet")
    begun: list[float] = []
    assert microphone.next_packet(0.0) == b"quiet"
    microphone.say(speech, begun.append)
    microphone.say(speech, begun.append)
    recorded = [microphone.next_packet(float(number)) for number in range(1, 11)]
    assert tuple(recorded) == speech.packets * 2
    assert begun == [1.0, 6.0]
    assert microphone.speaking is False
    after = [microphone.next_packet(11.0) for _ in range(30)]
    assert tuple(after[:10]) == speech.silence
    assert set(after[10:]) == {speech.silence[-1]}


def test_a_microphone_that_is_closed_loses_the_rest_of_the_speech() -> None:
    speech = encode_speech("tone", tone(0.3))
    microphone = Microphone(b"quiet")
    microphone.say(speech, lambda _at: None)
    for _ in range(2):
        microphone.next_packet(0.0)
    assert microphone.cut_off() == pytest.approx(0.2 - 0.12, abs=0.011)
    assert microphone.cut_off() == 0.0
    assert not microphone.speaking


# ---- messages


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (Action.SEND_START, messages.ListenStart(ListenMode.REALTIME)),
        (Action.SEND_STOP, messages.ListenStop()),
        (Action.SEND_DETECT, messages.WakeWord("hey bug")),
        (Action.SEND_ABORT, messages.Abort()),
        (Action.SEND_ABORT_WAKE_WORD, messages.Abort("wake_word_detected")),
    ],
)
def test_the_server_understands_what_a_device_says(action: Action, said: object) -> None:
    text = protocol.message_of(action, "s1", ListenMode.REALTIME, "hey bug")
    assert messages.parse(text) == said
    assert json.loads(text)["session_id"] == "s1"


def test_the_hello_is_the_firmwares() -> None:
    hello = messages.parse(protocol.hello(3, "opus", tools=True, echo_cancelling=True))
    assert isinstance(hello, messages.Hello)
    assert (hello.version, hello.mcp, hello.aec, hello.audio.frame_duration) == (3, True, True, 60)


def test_a_machines_action_that_is_no_message() -> None:
    with pytest.raises(ValueError, match="no message"):
        protocol.message_of(Action.PLAY, "s1", ListenMode.AUTO)


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_whatever_the_server_sends_is_read_or_ignored(text: str) -> None:
    message = protocol.read(text)
    assert message is None or isinstance(message["type"], str)


_VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)


@given(
    st.dictionaries(
        st.sampled_from(["type", "transport", "session_id", "audio_params"]),
        _VALUES
        | st.sampled_from(["hello", "websocket"])
        | st.dictionaries(st.sampled_from(["format", "sample_rate", "frame_duration"]), _VALUES),
    )
)
def test_a_servers_hello_of_any_kind_gives_numbers_that_work(message: dict[str, Any]) -> None:
    hello = protocol.read_hello(message)
    if hello is not None:
        assert hello.sample_rate > 0
        assert hello.frame_ms > 0
        assert isinstance(hello.session_id, str)


# ---- tools


def ask(tools: DeviceTools, method: str, **params: object) -> Any:
    answer = tools.answer({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
    assert answer is not None
    assert answer["id"] == 7
    return answer


def test_tools_come_in_pages() -> None:
    tools = DeviceTools()
    names, cursor, pages = [], "", 0
    while True:
        page = ask(tools, "tools/list", cursor=cursor)["result"]
        names += [tool["name"] for tool in page["tools"]]
        pages += 1
        if "nextCursor" not in page:
            break
        cursor = page["nextCursor"]
    assert pages == 3
    assert len(names) == len(set(names)) == 5
    assert "self.audio_speaker.set_volume" in names


def test_tools_change_what_the_status_tells() -> None:
    tools = DeviceTools()
    ask(tools, "tools/call", name="self.screen.set_brightness", arguments={"brightness": 10})
    ask(tools, "tools/call", name="self.screen.set_theme", arguments={"theme": "dark"})
    ask(
        tools,
        "tools/call",
        name="self.light.set_rgb",
        arguments={"red": 1, "green": 2, "blue": 3},
    )
    result = ask(tools, "tools/call", name="self.get_device_status")["result"]
    status = json.loads(result["content"][0]["text"])
    assert status["screen"] == {"brightness": 10, "theme": "dark"}
    assert status["light"] == {"rgb": [1, 2, 3]}
    assert status["battery"]["level"] == 82
    assert len(tools.calls) == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"name": "self.fly"}, "Unknown tool: self.fly"),
        ({"name": "self.audio_speaker.set_volume"}, "Missing valid argument: volume"),
        (
            {"name": "self.audio_speaker.set_volume", "arguments": {"volume": True}},
            "Missing valid argument: volume",
        ),
        (
            {"name": "self.audio_speaker.set_volume", "arguments": {"volume": 101}},
            "volume is not within 0 to 100",
        ),
        ({"name": "self.screen.set_theme", "arguments": {"theme": "mauve"}}, "no theme mauve"),
        ({"name": "self.get_device_status", "arguments": []}, "Invalid arguments"),
    ],
)
def test_a_call_that_cannot_be_carried_out(call: dict[str, Any], message: str) -> None:
    tools = DeviceTools()
    assert message in ask(tools, "tools/call", **call)["error"]["message"]
    assert tools.calls == []


@pytest.mark.parametrize(
    "request_",
    [
        {"jsonrpc": "1.0", "id": 1, "method": "initialize"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "one", "method": "initialize"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []},
        {},
    ],
)
def test_what_is_no_request_is_not_answered(request_: dict[str, Any]) -> None:
    assert DeviceTools().answer(request_) is None


def test_a_method_that_does_not_exist() -> None:
    assert "not implemented" in ask(DeviceTools(), "resources/list")["error"]["message"]


# ---- identities and what is kept


def test_devices_are_counted_on_from_the_first() -> None:
    assert identity_of("02:00:00:00:00:ff", 1).device_id == "02:00:00:00:01:00"
    assert identity_of("kitchen", 0).device_id == "kitchen"
    assert identity_of("kitchen", 2).device_id == "kitchen-3"
    assert identity_of("zz:00:00:00:00:00", 1).device_id == "zz:00:00:00:00:00-2"
    identities = [identity_of(None, index) for index in range(100)]
    assert len({one.device_id for one in identities}) == 100
    assert len({one.client_id for one in identities}) == 100
    assert identity_of(None, 3) == identities[3], "the same after a restart"


def test_where_the_socket_is() -> None:
    assert socket_url("http://127.0.0.1:8321") == "ws://127.0.0.1:8321/xiaozhi/v1/"
    assert socket_url("https://bug.example/base") == "wss://bug.example/base/xiaozhi/v1/"


def test_what_a_device_was_told_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "devices.json"
    first, second = identity_of(None, 0), identity_of(None, 1)
    store = DeviceStore(path)
    store.save(first, Endpoint("ws://one", "secret", 3))
    store.save(second, Endpoint("ws://two"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = DeviceStore(path)
    assert again.load(first) == Endpoint("ws://one", "secret", 3)
    assert again.load(second) == Endpoint("ws://two")
    assert again.load(identity_of(None, 2)) is None
    assert "secret" not in repr(again.load(first))


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": {"url": "x"}}', "\x00"])
def test_a_damaged_state_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "devices.json"
    path.write_text(text)
    with pytest.raises(DiscoveryError, match=r"devices\.json is damaged"):
        DeviceStore(path)


def test_pauses_between_attempts_grow_and_differ() -> None:
    randomness = random.Random(1)
    pauses = [backoff_s(attempt, randomness) for attempt in range(1, 12)]
    assert all(pause <= 30.0 for pause in pauses)
    assert all(backoff_s(n, randomness) >= 0.25 * 2 ** (n - 1) for n in range(1, 7))
    assert len({backoff_s(3, randomness) for _ in range(20)}) == 20


# ---- results


def test_times_of_a_turn_count_from_the_end_of_speech() -> None:
    recorder = TurnRecorder("hello.wav")
    recorder.begin(100.0, 0.2, 1.5)
    recorder.transcript_at, recorder.speaking_at, recorder.first_packet_at = 101.9, 102.0, 102.1
    recorder.interrupted_at = 103.0
    result = recorder.result("one", 3, SpeakerAccount(first_at=102.25, silent_at=103.15, frames=9))
    assert result.speech_s == pytest.approx(1.3)
    assert result.transcript_s == pytest.approx(0.4)
    assert result.first_audio_s == pytest.approx(0.75)
    assert result.interrupted_silence_s == pytest.approx(0.15)
    assert result.problems == ()
    record = result.record()
    assert (record["device"], record["turn"], record["first_audio_s"]) == ("one", 3, 0.75)
    json.dumps(record)


def test_an_end_of_the_connection_is_a_problem_unless_the_device_brought_it_about() -> None:
    recorder = TurnRecorder("hello.wav")
    recorder.begin(0.0, 0.0, 1.0)
    recorder.closed = "it broke off"
    assert not recorder.result("one", 1, SpeakerAccount()).ok
    recorder.provoked = True
    assert recorder.result("one", 1, SpeakerAccount(starvations=1)).ok


def test_a_summary_counts_and_finds_the_percentiles() -> None:
    summary = WsSummary(devices=2)
    for number in range(1, 21):
        recorder = TurnRecorder("x")
        recorder.begin(0.0, 0.0, 1.0)
        account = SpeakerAccount(first_at=1.0 + number / 10, frames=10, seconds=0.6)
        summary.turns.append(recorder.result("one", number, account))
    assert summary.record()["ok"] is True
    bad = TurnRecorder("x")
    bad.begin(0.0, 0.0, 1.0)
    summary.turns.append(bad.result("two", 1, SpeakerAccount(starvations=2, starved_s=0.3)))
    record = summary.record()
    assert (record["turns"], record["failed_turns"], record["starvations"]) == (21, 1, 2)
    assert (record["first_audio_p50_s"], record["first_audio_p95_s"]) == (1.1, 1.9)
    assert record["packets"] == 200
    assert not summary.ok
    assert summary.turns[-1].problems == ("playback ran dry 2 times, for 0.30 s",)
    json.dumps(record)


def test_a_run_is_not_well_without_every_device_and_the_reply_that_was_waited_for() -> None:
    assert WsSummary(1).ok
    assert not WsSummary(1, unreachable=["one: gone"]).ok
    assert not WsSummary(1, until="alex").ok
    assert WsSummary(1, until="alex", matched=True).ok
    assert WsTurnResult("x").ok
