"""What `/devices` tells of devices: firmware, battery, volume, over real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.devices.status import MAX_DEVICES, DeviceStatuses, read_status
from lobug.engines import tool_client
from lobug.engines.base import Tool, ToolResult
from lobug.errors import DeviceOfflineError, DeviceRefusedError
from lobug.server import LobugServer
from lobug.simulator.device_tools import DeviceState
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import HELLO, TOOLS, answering, device, until
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText

DEVICE = "aa:bb:cc:dd:ee:01"
assert tool_client
"""Imported before anything is timed: it takes seconds where other processes need the cores."""

INTRODUCTION = {
    "application": {"name": "lobug", "version": "0.1.0"},
    "board": {"type": "m5stack-core-s3", "name": "core-s3", "rssi": -58},
}


async def introduce(http: httpx.AsyncClient) -> None:
    headers = {"Device-Id": DEVICE, "Client-Id": "7f1d3b3e-0d52-4b6c-9d60-4f1a3c0e2b11"}
    found = (await http.post("/xiaozhi/ota/", json=INTRODUCTION, headers=headers)).json()
    if "activation" in found:
        await http.post("/devices/approve", json={"code": found["activation"]["code"]})
        await http.post("/xiaozhi/ota/", json=INTRODUCTION, headers=headers)


def knows_tools(server: LobugServer) -> bool:
    tools = server.connections.sessions()[0].idle_tools
    return tools is not None and bool(tools.tools())


async def row(http: httpx.AsyncClient) -> dict[str, Any]:
    (found,) = (await http.get("/devices")).json()["devices"]
    return dict(found)


async def test_a_device_is_described_by_what_it_says_of_itself(tmp_path: Path) -> None:
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(("Hello",)))
    state = DeviceState(volume=40, battery=61, charging=True)
    async with running(settings_for(tmp_path), scripted) as (http, server):
        await introduce(http)
        known = await row(http)
        assert (known["board"], known["firmware"]) == ("m5stack-core-s3", "lobug 0.1.0")
        assert (known["signal_dbm"], known["address"]) == (-58, "127.0.0.1")
        assert (known["battery"], known["last_heard_at"], known["update"]) == (None, None, None)
        async with (
            device(str(http.base_url), device_id=DEVICE, hello=TOOLS) as client,
            answering(client, state) as called,
        ):
            await until(lambda: knows_tools(server))
            await http.get("/devices")
            await until(lambda: server.device_statuses.of(DEVICE).battery == 61)
            known = await row(http)
            assert (known["battery"], known["charging"], known["volume"]) == (61, True, 40)
            assert known["signal"] == "strong"
            assert called.count("self.get_device_status") == 1, "at most once a minute"

            answer = await http.patch(f"/devices/{DEVICE}", json={"volume": 25, "name": "Desk"})
            assert (answer.json()["volume"], answer.json()["name"], state.volume) == (
                25,
                "Desk",
                25,
            )
            await client.listen()
            await client.speak()
            await until(lambda: server.device_statuses.of(DEVICE).last_heard_at is not None)
        await until(lambda: not server.connections.sessions())
        gone = await http.patch(f"/devices/{DEVICE}", json={"volume": 30, "name": "Shelf"})
        assert (gone.status_code, gone.json()["error"]["code"]) == (409, "device_offline")
        assert (await row(http))["name"] == "Desk", "nothing was changed"
        bad = await http.patch(f"/devices/{DEVICE}", json={"volume": 101})
        assert (bad.status_code, bad.json()["error"]["code"]) == (422, "invalid_request")


async def test_a_device_that_nobody_approved_is_not_made_louder(tmp_path: Path) -> None:
    state = DeviceState(volume=40)
    async with running(settings_for(tmp_path), ScriptedEngines()) as (http, server):
        async with (
            device(str(http.base_url), device_id=DEVICE, hello=TOOLS) as client,
            answering(client, state),
        ):
            await until(lambda: knows_tools(server))
            answer = await http.patch(f"/devices/{DEVICE}", json={"volume": 90})
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "device_unknown")
        assert state.volume == 40


async def test_a_reply_is_followed_by_the_memories_that_it_used(tmp_path: Path) -> None:
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "Okay."),
        stt=ScriptedSpeechToText(("Which cake could I bake?",) * 2),
    )
    asking: Mapping[str, Any] = {**HELLO, "features": {"memories": True}}
    async with running(settings_for(tmp_path), scripted) as (http, server):
        stored = await http.post(
            "/memory/entries",
            json={"content": "The user bakes apple cake with cinnamon"},
            headers={"Device-Id": DEVICE},
        )
        async with device(str(http.base_url), device_id=DEVICE, hello=asking) as client:
            await client.listen()
            await client.speak()
            await until(lambda: bool(client.messages("memories")))
            (told,) = client.messages("memories")
            (used,) = [one for one in told["entries"] if one["kind"] == "memory"]
            assert used["id"] == stored.json()["id"]
            assert used["content"] == "The user bakes apple cake with cinnamon"
            assert used["layer"] == "knowledge"
            why = await http.get(
                "/memory/why",
                params={"message_id": told["message_id"]},
                headers={"Device-Id": DEVICE},
            )
            assert f"memory:{used['id']}" in why.json()["injected"]
        async with device(str(http.base_url), device_id=DEVICE) as usual:
            turns = len(server.telemetry.turns.newest(10))
            await usual.listen()
            await usual.speak()
            await until(lambda: len(server.telemetry.turns.newest(10)) > turns)
            assert usual.messages("memories") == []


class Box:
    """A ``ToolBox`` whose calls have one result."""

    def __init__(self, name: str, result: ToolResult) -> None:
        self.name = name
        self.result = result
        self.calls = 0

    def tools(self) -> list[Tool]:
        return [Tool(self.name, "", {})]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        assert name == self.name
        self.calls += 1
        return self.result


class Session:
    """Of a device; ``talks``: somebody talks with it."""

    conversation_key: Any = None

    def __init__(self, box: Box | None, *, talks: bool = False) -> None:
        self.device = DEVICE
        self.tools = box
        self.idle_tools = None if talks else box

    async def say_unasked(self, speech: object) -> Any:
        raise AssertionError(speech)

    async def until_silent(self) -> None:
        raise AssertionError


async def test_a_device_is_asked_once_a_minute_and_never_while_it_talks() -> None:
    now = 0.0
    box = Box("self.get_device_status", ToolResult(json.dumps({"battery": {"level": 5}})))
    session = Session(box, talks=True)
    statuses = DeviceStatuses(lambda: [session], lambda: now)
    statuses.ask()
    assert box.calls == 0
    session.idle_tools = box
    for _ in range(3):
        statuses.ask()
        await asyncio.sleep(0)
    assert box.calls == 1
    await until(lambda: statuses.of(DEVICE).battery == 5)
    now = 60.0
    statuses.ask()
    await asyncio.sleep(0)
    assert box.calls == 2
    await statuses.close()


async def test_a_volume_that_was_not_set_is_not_said_to_be() -> None:
    for result in (ToolResult("false"), ToolResult("no", is_error=True)):
        box = Box("self.audio_speaker.set_volume", result)
        statuses = DeviceStatuses(lambda box=box: [Session(box)], lambda: 0.0)  # type: ignore[misc] # a default
        with pytest.raises(DeviceRefusedError):
            await statuses.set_volume(DEVICE, 5)
        assert statuses.of(DEVICE).volume is None
    for sessions in ([Session(None)], [Session(Box("other", ToolResult("true")))]):
        statuses = DeviceStatuses(lambda sessions=sessions: sessions, lambda: 0.0)  # type: ignore[misc] # a default
        with pytest.raises(DeviceRefusedError):
            await statuses.set_volume(DEVICE, 5)
    with pytest.raises(DeviceOfflineError):
        await DeviceStatuses(list, lambda: 0.0).set_volume(DEVICE, 5)


def test_so_many_devices_are_remembered() -> None:
    statuses = DeviceStatuses(list, lambda: 0.0)
    for number in range(MAX_DEVICES + 1):
        statuses.note(str(number), battery=1)
    assert statuses.of("0").battery is None
    assert statuses.of(str(MAX_DEVICES)).battery == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["battery", "level", "charging", "network", "rssi", "audio_speaker"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_nothing_that_a_device_says_is_believed_beyond_its_bounds(told: object) -> None:
    found = read_status(json.dumps(told))
    assert 0 <= found.get("battery", 0) <= 100
    assert 0 <= found.get("volume", 0) <= 100
    assert -127 <= found.get("signal_dbm", 0) <= 0


@pytest.mark.parametrize("text", ["", "true", "[" * 100_000, "{"])
def test_an_answer_that_makes_no_sense_tells_nothing(text: str) -> None:
    assert read_status(text) == {}
