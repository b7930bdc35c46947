"""The simulated device reports its condition to the real server, and tests itself."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.firmware_device import PATIENCE_S, FirmwareDevice, firmware_device, pair
from support.firmware_server import ScriptedServer, scripted_server, speaking
from support.wav import tone

DEVICE = "02:00:00:00:00:01"


@contextmanager
def paired(folder: Path, **options: Any) -> Iterator[tuple[ScriptedServer, FirmwareDevice]]:
    with (
        scripted_server(folder / "server", speaking("It is noon.")) as server,
        firmware_device(folder / "device", server=server.url, **options) as device,
    ):
        pair(device, server.url)
        yield server, device


def shown(server: ScriptedServer) -> dict[str, Any]:
    """What the owner is shown of the device."""
    answer = httpx.get(f"{server.url}/devices/{DEVICE}", trust_env=False, timeout=30)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def reported(server: ScriptedServer) -> dict[str, Any]:
    """Its report; waits for it."""
    until = time.monotonic() + PATIENCE_S
    while (report := shown(server)["report"]) is None:
        assert time.monotonic() < until
        time.sleep(0.05)
    return dict(report)


def test_the_device_reports_its_last_crash_and_its_condition(tmp_path: Path) -> None:
    with paired(tmp_path, reset="panic", crash=True) as (server, device):
        report = reported(server)
        assert report["reset"] == "panic"
        assert report["crash"] == {
            "task": "device",
            "pc": "400d1234",
            "cause": 28,
            "address": "00000010",
            "backtrace": ["400d1234", "400d5678", "4008abcd"],
            "corrupted": False,
            "image": "a1b2c3d4e5f60718",
        }
        assert report["memory"] == {"free": 200_000, "largest": 110_000, "least": 180_000}
        assert report["stacks"] == {"screen": 2000, "audio": 2000, "device": 2000}
        assert report["audio"] == {"gaps": 0, "late_ms": 0, "dropped_ms": 0, "unsent_ms": 0}
        assert report["wifi"]["rssi"] == -55
        mark = device.mark()
        device.do("wifi_down", value=200)
        device.wait_state("offline", mark)
        device.do("vitals", text="least", value=9_000)
        device.do("wifi_up")
        device.wait_state("idle", mark)
        until = time.monotonic() + PATIENCE_S
        while (report := reported(server))["wifi"]["reconnects"] == 0:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert report["wifi"]["losses"] == {"200": 1}
        assert report["memory"]["least"] == 9_000


def test_without_a_core_dump_no_crash_is_told(tmp_path: Path) -> None:
    with paired(tmp_path) as (server, _):
        report = reported(server)
    assert (report["reset"], report["crash"]) == ("power_on", None)


def test_reports_go_on_over_the_session_every_quarter_of_an_hour(tmp_path: Path) -> None:
    with paired(tmp_path, hurry=60) as (server, _):
        first = reported(server)["uptime_s"]
        until = time.monotonic() + 3 * PATIENCE_S
        while (now := reported(server)["uptime_s"]) < first + 890:
            assert time.monotonic() < until, (first, now)
            time.sleep(0.2)


def self_test_result(device: FirmwareDevice) -> dict[str, Any]:
    """The result of a self-test that the serial console begins."""
    mark = device.mark()
    device.do("console", text="selftest")
    begun = device.wait_event("console", mark)
    assert begun["answer"] == "I'm testing myself. You'll hear a beep.\n"
    done = device.wait(
        lambda e: e["event"] == "console" and e is not begun, mark, what="the self-test's result"
    )
    assert done["answer"].count("\n") == 1
    return dict(json.loads(done["answer"]))


def verdicts(result: dict[str, Any]) -> dict[str, str]:
    return {name: item["is"] for name, item in result.items() if isinstance(item, dict)}


def test_a_healthy_device_finds_itself_fine(tmp_path: Path) -> None:
    with paired(tmp_path, screen=True) as (_, device):
        device.do("battery", value=80)
        device.wait_view("server", True)
        result = self_test_result(device)
        assert verdicts(result) | {"touch": "fine", "frames": "fine"} == dict.fromkeys(
            verdicts(result), "fine"
        )
        assert result["touch"]["is"] == "doubtful", "nobody has touched it yet"
        assert result["microphone"]["before_dbfs"] < -60
        assert 0 <= result["speaker"]["to_speaker_ms"] < 300
        assert result["motion"]["mg"] == 1000
        mark = device.mark()
        device.do("touch", x=160, y=120, ms=100)  # closes the page
        device.do("tap")
        device.say(tone(0.6))
        speaking = device.events.index(device.wait_state("speaking", mark))  # as before
        device.wait_state("idle", speaking)
        device.wait_event("sound", speaking, on=False)
        time.sleep(0.5)  # the speaker closes a moment later
        assert self_test_result(device)["touch"]["is"] == "fine"
    names = ["psram", "microphone", "speaker", "frames", "touch", "motion", "battery", "signal"]
    assert list(result) == ["selftest", "version", "nvs", *names, "memory", "stacks"]


@pytest.mark.parametrize(
    ("fault", "item", "verdict"),
    [
        ({"do": "microphone_broken", "value": 1}, "microphone", "bad"),
        ({"do": "microphone_dead", "value": 1}, "microphone", "bad"),
        ({"do": "motion_dead", "value": 1}, "motion", "bad"),
        ({"do": "vitals", "text": "psram", "value": 0}, "psram", "bad"),
        ({"do": "vitals", "text": "psram_wrong", "value": 4}, "psram", "bad"),
        ({"do": "vitals", "text": "largest", "value": 7_000}, "memory", "bad"),
        ({"do": "vitals", "text": "least", "value": 9_000}, "memory", "doubtful"),
        ({"do": "vitals", "text": "stack", "value": 600}, "stacks", "doubtful"),
        ({"do": "battery", "value": 9}, "battery", "doubtful"),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else "",
)
def test_each_fault_is_found(
    tmp_path: Path, fault: dict[str, Any], item: str, verdict: str
) -> None:
    with firmware_device(tmp_path / "device", server="http://127.0.0.1:9") as device:
        device.wait_state("offline")
        mark = device.mark()
        device.do(fault["do"], **{k: v for k, v in fault.items() if k != "do"})
        device.wait_event("did", mark, command=fault["do"])
        result = self_test_result(device)
    assert result[item]["is"] == verdict
    assert result["selftest"] in {"doubtful", "bad"}


def test_nobody_is_interrupted_by_a_self_test(tmp_path: Path) -> None:
    with paired(tmp_path) as (_, device):
        mark = device.mark()
        device.do("tap")
        device.wait_event("microphone", mark, open=True)
        device.do("console", text="selftest")
        device.wait_event("console", mark, answer="I can't test myself while we talk.\n")
        assert device.states(mark) == ["listening"]
