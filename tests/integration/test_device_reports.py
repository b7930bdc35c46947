"""Devices that report their condition and their senses over their connection, to a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from lobug.access.records import DeviceDetails
from lobug.devices.report import read_report
from lobug.devices.status import SAVE_EVERY_S, DetailsStore, DeviceStatuses
from lobug.errors import StorageError
from lobug.server import LobugServer
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import HELLO, device, until

DEVICE = "aa:bb:cc:dd:ee:01"
INTRODUCTION = {
    "application": {"name": "lobug", "version": "2.0.0"},
    "board": {"type": "m5stack-core2", "name": "m5stack-core2", "rssi": -58},
}
REPORT: dict[str, Any] = {
    "uptime_s": 5,
    "reset": "task_watchdog",
    "audio": {"gaps": 2, "late_ms": 500, "dropped_ms": 0, "unsent_ms": 20},
    "wifi": {"rssi": -71, "reconnects": 1, "losses": {"201": 2, "77": 1}},
    "memory": {"free": 81234, "largest": 40960, "least": 61234},
    "stacks": {"device": 3000, "audio": 1800},
}
TELLING: Mapping[str, Any] = {**HELLO, "report": REPORT}


async def introduce(http: httpx.AsyncClient) -> None:
    headers = {"Device-Id": DEVICE, "Client-Id": "7f1d3b3e-0d52-4b6c-9d60-4f1a3c0e2b11"}
    found = (await http.post("/xiaozhi/ota/", json=INTRODUCTION, headers=headers)).json()
    if "activation" in found:
        await http.post("/devices/approve", json={"code": found["activation"]["code"]})
        await http.post("/xiaozhi/ota/", json=INTRODUCTION, headers=headers)


async def shown(http: httpx.AsyncClient) -> dict[str, Any]:
    answer = await http.get(f"/devices/{DEVICE}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def told(row: Mapping[str, Any]) -> dict[str, Any]:
    """A report without what is null in it."""

    def without(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {name: without(one) for name, one in value.items() if one is not None}

    return dict(without(row["report"]))


async def test_a_report_in_the_hello_is_shown_and_known_after_a_restart(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines()) as (http, server):
        await introduce(http)
        assert (await shown(http))["report"] is None
        async with device(str(http.base_url), device_id=DEVICE, hello=TELLING) as client:
            (hello,) = client.messages("hello")
            assert hello["features"] == {"sensors": True, "reports": True}
            row = await shown(http)
            assert told(row) == REPORT
            assert row["signal_dbm"] == -71
            assert row["reported_at"] is not None
            await client.say(type="report", report={**REPORT, "uptime_s": 905})
            await until(lambda: server.device_statuses.of(DEVICE).report.uptime_s == 905)  # type: ignore[union-attr] # there is one
        last = (await shown(http))["reported_at"]
    async with running(settings_for(tmp_path), ScriptedEngines()) as (http, _):
        row = await shown(http)
        assert told(row) == {**REPORT, "uptime_s": 905}
        assert row["reported_at"] == last
        assert (row["board"], row["firmware"]) == ("m5stack-core2", "lobug 2.0.0")
        (listed,) = (await http.get("/devices")).json()["devices"]
        assert listed["report"] == row["report"]


async def test_a_device_that_nobody_knows_is_not_stored_and_not_shown(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines()) as (http, server):
        async with device(str(http.base_url), device_id=DEVICE, hello=TELLING):
            await until(lambda: server.device_statuses.of(DEVICE).report is not None)
            answer = await http.get(f"/devices/{DEVICE}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "device_unknown")
    async with running(settings_for(tmp_path), ScriptedEngines()) as (_, server):
        assert server.device_statuses.of(DEVICE).report is None


HOSTILE = [
    {"uptime_s": -1, "memory": {"free": "much"}},
    {"uptime_s": 2**80},
    {"crash": {"backtrace": ["x" * 60_000]}},
    {"wifi": {"losses": {str(n): n for n in range(3_000)}}},
    {"stacks": {"\x1b[31m": 5}, "reset": "<b>"},
    {f"unknown{n}": {"a": [n] * 9} for n in range(300)},
    {},
]


async def test_hostile_values_are_refused_and_the_session_goes_on(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines()) as (http, server):
        await introduce(http)
        hello = {**HELLO, "report": HOSTILE[3]}
        async with device(str(http.base_url), device_id=DEVICE, hello=hello) as client:
            for report in HOSTILE * 5:
                await client.say(type="report", report=report)
            await client.say(type="report", report={"uptime_s": 77})
            await until(lambda: server.device_statuses.of(DEVICE).report.uptime_s == 77)  # type: ignore[union-attr] # there is one
            assert client.messages("alert") == []
            assert told(await shown(http)) == {"uptime_s": 77}
            # What is no report at all is a broken message, as any other is.
            await client.say(type="report", report="fine")
            await client.until_said("alert")
            assert not client.closed.is_set()


async def metrics(http: httpx.AsyncClient) -> dict[str, float]:
    lines = (await http.get("/metrics")).text.splitlines()
    values = [line.rpartition(" ") for line in lines if line.startswith("lobug_device")]
    return {name: float(value) for name, _, value in values if "_created" not in name}


async def test_the_metrics_count_without_names(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines()) as (http, server):
        assert (await metrics(http))["lobug_devices_reporting"] == 0
        async with device(str(http.base_url), device_id=DEVICE, hello=TELLING) as client:
            await until(lambda: server.device_statuses.of(DEVICE).report is not None)
            found = await metrics(http)
            assert found['lobug_device_starts_total{reason="task_watchdog"}'] == 1
            assert found["lobug_device_audio_gaps_total"] == 2
            assert found['lobug_device_audio_seconds_total{what="late"}'] == 0.5
            assert found['lobug_device_wifi_losses_total{reason="not_found"}'] == 2
            assert found['lobug_device_wifi_losses_total{reason="other"}'] == 1
            assert found["lobug_devices_reporting"] == 1
            assert found["lobug_device_least_memory_bytes"] == 61234
            assert found["lobug_device_smallest_block_bytes"] == 40960
            assert found["lobug_device_least_stack_bytes"] == 1800
            assert found["lobug_device_weakest_signal_dbm"] == -71
            again = {**REPORT, "uptime_s": 6, "audio": {"gaps": 3}}
            await client.say(type="report", report=again)
            await until(lambda: server.device_statuses.of(DEVICE).report.uptime_s == 6)  # type: ignore[union-attr] # there is one
            found = await metrics(http)
            assert found["lobug_device_audio_gaps_total"] == 3
            assert sum(v for name, v in found.items() if "starts" in name) == 1
    assert DEVICE not in (await_text := json.dumps(found)), await_text


READING = {"orientation": "face_up", "is_moving": True, "accel_z": 1.0}


def felt(server: LobugServer) -> str:
    """What the device's next prompt would say of its senses."""
    (session,) = server.connections.sessions()
    key = session.conversation_key
    return server.conversations.get(key).sensors.summary(server.clock())


async def test_senses_over_the_connection_are_those_of_the_post(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), ScriptedEngines()) as (http, server),
        device(str(http.base_url), device_id=DEVICE) as client,
    ):
        posted = {**READING, "orientation": "upright", "is_moving": False}
        headers = {"Device-Id": DEVICE}
        await http.post("/context/sensors", json=posted, headers=headers)
        before = felt(server)
        assert before
        await client.say(type="sensors", reading=READING)
        await until(lambda: felt(server) != before)
        over_connection = felt(server)
        await http.post("/context/sensors", json=READING, headers=headers)
        assert felt(server) == over_connection


@pytest.mark.parametrize(
    "reading",
    [{"is_moving": "perhaps"}, {"accel_x": "much"}, {"orientation": "x" * 65}, "upright", None],
)
async def test_a_reading_that_the_post_refuses_is_a_broken_message(
    tmp_path: Path, reading: object
) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines()) as (http, server):
        posted = await http.post("/context/sensors", json=reading, headers={"Device-Id": DEVICE})
        assert posted.status_code in {400, 422}
        async with device(str(http.base_url), device_id=DEVICE) as client:
            await client.say(type="sensors", reading=reading)
            await client.until_said("alert")
            assert felt(server) == ""
            await client.say(type="sensors", reading=READING)
            await until(lambda: felt(server) != "")


class Shelf(DetailsStore):
    """Keeps what it is given; fails as often as it is told."""

    def __init__(self) -> None:
        self.kept: list[DeviceDetails] = []
        self.failures = 0

    def details(self, device_id: str) -> DeviceDetails | None:
        return self.kept[-1] if self.kept else DeviceDetails(device_id)

    async def keep_details(self, details: DeviceDetails) -> None:
        await asyncio.sleep(0)
        if self.failures:
            self.failures -= 1
            raise StorageError("the disk is full")
        self.kept.append(details)


def numbered(uptime_s: int) -> Any:
    return read_report({"uptime_s": uptime_s})


async def test_a_talkative_device_is_stored_once_a_minute_and_last_at_the_end() -> None:
    shelf = Shelf()
    statuses = DeviceStatuses(list, lambda: 0.0, store=shelf, wall=lambda: 5.0)
    for number in range(200):
        statuses.take_report(DEVICE, numbered(number))
        await asyncio.sleep(0)
    await until(lambda: len(shelf.kept) == 1)
    await statuses.close()
    assert len(shelf.kept) == 2
    assert json.loads(shelf.kept[-1].report or "") == {"uptime_s": 199}


async def test_what_could_not_be_stored_is_stored_later(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf, now = Shelf(), 0.0
    waited: list[float] = []

    async def wait(seconds: float) -> None:
        nonlocal now
        waited.append(seconds)
        now += seconds

    statuses = DeviceStatuses(list, lambda: now, store=shelf, wall=lambda: 5.0)
    shelf.failures = 2
    statuses.take_report(DEVICE, numbered(1))
    with monkeypatch.context() as patched:
        sleep = asyncio.sleep
        patched.setattr("lobug.devices.status.asyncio.sleep", lambda s: wait(s) if s else sleep(s))
        for _ in range(40):
            await sleep(0)
    assert len(shelf.kept) == 1
    assert waited == [SAVE_EVERY_S, SAVE_EVERY_S]
    await statuses.close()
