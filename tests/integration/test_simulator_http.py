"""The simulated device against scripted servers, good and bad, on real sockets."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lobug.simulator import requests
from lobug.simulator.http_device import SimulatedDevice
from lobug.simulator.recordings import Recording
from lobug.simulator.requests import Timeouts, parse_server
from lobug.simulator.results import (
    HealthResult,
    Result,
    SensorResult,
    TurnResult,
)
from lobug.simulator.runs import RunOptions, UnreachableError, run_http
from support.patience import PATIENCE_S
from support.recording_server import (
    GOOD_HEALTH,
    Answer,
    RecordingServer,
    as_json,
    audio_reply,
    good_script,
    recording_server,
    tone_wav,
)

RECORDING = Recording("hello.wav", tone_wav(1.0), 1.0)


def device_for(
    door: RecordingServer, report: Callable[[Result], None] = lambda _: None, **options: object
) -> SimulatedDevice:
    return SimulatedDevice(
        parse_server(door.url),
        on_result=report,
        **options,  # type: ignore[arg-type] # a table of options has no one type
    )


async def take_one_turn(answer: Answer, timeouts: Timeouts | None = None) -> TurnResult:
    with recording_server(good_script(audio=[answer])) as door:
        async with device_for(door, timeouts=timeouts) as device:
            return await device.speak(RECORDING)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


async def test_the_whole_request_as_it_goes_over_the_network() -> None:
    with recording_server() as door:
        async with device_for(door) as device:
            turn = await device.speak(RECORDING)
        raw = door.requests["/chat/audio"][0]
    body = requests.multipart_body(RECORDING.wav)
    assert (
        raw
        == (
            b"POST /chat/audio HTTP/1.1\r\n"
            b"Host: 127.0.0.1:%d\r\n"
            b"User-Agent: ESP32HTTPClient\r\n"
            b"Connection: keep-alive\r\n"
            b"Accept-Encoding: identity;q=1,chunked;q=0.1,*;q=0\r\n"
            b"Content-Type: multipart/form-data; boundary=----M5StackBoundary\r\n"
            b"Content-Length: %d\r\n"
            b"\r\n" % (door.port, len(body))
        )
        + body
    )
    assert turn.ok
    assert (turn.transcription, turn.action) == ("hello bug", "respond")
    assert turn.wav == tone_wav()
    assert turn.first_byte_s is not None
    assert turn.first_byte_s <= turn.seconds


async def test_a_get_has_no_body_and_a_device_id_is_additive() -> None:
    with recording_server() as door:
        async with device_for(door, device_id="core2-1") as device:
            assert not (await device.check_health()).problems
            assert (await device.type("Hello")).response == "Hello, typist."
        health = door.requests["/health"][0]
        text = door.requests["/chat/text"][0]
    assert health.endswith(b"\r\nDevice-Id: core2-1\r\n\r\n")
    assert b"Content-Length" not in health
    assert b"\r\nDevice-Id: core2-1\r\n" in text
    assert text.endswith(b'{"text":"Hello"}')


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (audio_reply(action="shout"), "`action` is 'shout'"),
        (audio_reply(transcription=None), "`transcription` is missing"),
        (audio_reply(audio_b64="!"), "not valid base64"),
        (as_json({"error": {"code": "engine_timeout", "message": "chat: slow"}}, 504), "504"),
        (Answer(b"oops", 500), "answered 500: oops"),
        (Answer(b"{}", 302, (("Location", "/elsewhere"),)), "answered 302"),
        (replace(audio_reply(), cut=True), "the connection broke"),
        (Answer(b"\x1f\x8b", headers=(("Content-Encoding", "gzip"),)), "compressed (gzip)"),
    ],
)
async def test_a_bad_server_makes_a_failed_turn_and_no_exception(
    answer: Answer, problem: str
) -> None:
    turn = await take_one_turn(answer)
    assert not turn.ok
    assert problem in "; ".join(turn.problems)


async def test_the_servers_error_code_is_kept() -> None:
    turn = await take_one_turn(as_json({"error": {"code": "busy", "message": "full"}}, 503))
    assert (turn.status, turn.error_code) == (503, "busy")


async def test_a_server_that_hangs_is_left_after_the_time_out() -> None:
    turn = await take_one_turn(Answer(hang=True), timeouts=Timeouts(turn_s=0.05))
    assert turn.problems == ("no whole answer within 0.05 s",)
    assert turn.status is None


async def test_the_devices_patience_is_its_own_and_not_that_of_the_http_library() -> None:
    """httpx gives up after 5 s of silence unless told otherwise; a slow first turn takes longer."""
    turn = await take_one_turn(Answer(hang=True), timeouts=Timeouts(turn_s=5.5))
    assert turn.problems == ("no whole answer within 5.5 s",)
    assert turn.seconds >= 5.5


async def test_a_server_that_is_not_there() -> None:
    address = parse_server(f"127.0.0.1:{free_port()}")
    async with SimulatedDevice(address) as device:
        turn = await device.speak(RECORDING)
        health = await device.check_health()
    assert "cannot connect" in turn.problems[0]
    assert "cannot connect" in health.problems[0]


async def test_sensors_and_health_go_on_while_a_turn_takes_its_time() -> None:
    """The server answers the turn only after three beats of both kinds."""
    beats: list[Result] = []
    enough = asyncio.Event()

    def report(result: Result) -> None:
        beats.append(result)
        sensors = sum(isinstance(beat, SensorResult) for beat in beats)
        if min(sensors, len(beats) - sensors) >= 3:
            enough.set()

    with recording_server(good_script(audio=[Answer(hang=True)])) as door:
        device = device_for(door, report, health_period_s=0.02, sensor_period_s=0.02)
        async with device:
            device.switch_on()
            turn = asyncio.create_task(device.speak(RECORDING))
            await asyncio.wait_for(enough.wait(), PATIENCE_S)
            assert not turn.done()
            turn.cancel()
        reports = len(door.requests["/context/sensors"])
    assert reports >= 3
    assert all(not beat.problems for beat in beats if not isinstance(beat, TurnResult))


async def test_a_run_saves_replies_and_counts() -> None:
    results: list[Result] = []
    with recording_server() as door:
        summary = await run_http(
            lambda report: device_for(door, report),
            [RECORDING, "typed"],
            RunOptions(),
            results.append,
        )
    assert summary.ok
    assert [type(result) for result in results] == [
        HealthResult,
        SensorResult,
        TurnResult,
        TurnResult,
    ]
    assert summary.record()["turns"] == 2


async def test_a_run_writes_the_reply_as_a_wav(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "replies"
    with recording_server() as door:
        options = RunOptions(replies_dir=folder)
        summary = await run_http(
            lambda report: device_for(door, report), [RECORDING], options, lambda _: None
        )
    saved = folder / "001-hello.wav"
    assert summary.turns[0].saved == saved
    assert saved.read_bytes() == tone_wav()


async def test_until_stops_at_the_first_match() -> None:
    answers = [audio_reply(response=f"I know {name}.") for name in ("nobody", "Alex", "Eve")]
    with recording_server(good_script(audio=answers)) as door:
        options = RunOptions(until=re.compile("alex", re.IGNORECASE))
        summary = await run_http(
            lambda report: device_for(door, report), [RECORDING], options, lambda _: None
        )
    assert summary.matched
    assert summary.ok
    assert len(summary.turns) == 2


async def test_a_server_that_comes_up_late_is_waited_for() -> None:
    bad, good = as_json({}, 503), as_json(GOOD_HEALTH)
    with recording_server(good_script(health=[bad, bad, good])) as door:
        summary = await run_http(
            lambda report: device_for(door, report), ["hi"], RunOptions(wait_s=60), lambda _: None
        )
        assert len(door.requests["/health"]) == 3
    assert summary.ok
    assert (summary.health_checks, summary.health_failures) == (1, 0)


async def test_a_server_that_is_not_healthy_ends_the_run_before_a_turn() -> None:
    with recording_server(good_script(health=[as_json({"status": 1})])) as door:
        with pytest.raises(UnreachableError, match="status"):
            await run_http(
                lambda report: device_for(door, report), ["hi"], RunOptions(), lambda _: None
            )
        assert not door.requests["/chat/text"]
