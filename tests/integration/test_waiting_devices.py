"""A device that its owner has not approved opens its WebSocket all the same, as other people's
clients do: it is told its code, and nothing that it sends has any effect."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from lobug.app import create_app
from lobug.errors import EngineUnavailableError
from lobug.language.en.data import PAIRING
from lobug.server import LobugServer
from support.app_server import ScriptedEngines, client_of, scripted_assembler, settings_for
from support.device_client import HELLO, silence, tone, until
from support.paired_firmware import Firmware
from support.simulated_address import with_simulated_addresses

OPUS_HELLO = {
    "type": "hello",
    "version": 1,
    "features": {"mcp": True},
    "transport": "websocket",
    "audio_params": {"format": "opus", "sample_rate": 16000, "channels": 1, "frame_duration": 60},
}


@dataclass
class House:
    http: httpx.AsyncClient
    server: LobugServer
    scripted: ScriptedEngines

    async def approve(self, firmware: Firmware) -> None:
        assert firmware.activation is not None
        code = firmware.activation["code"]
        assert (await self.http.post("/devices/approve", json={"code": code})).status_code == 200

    def opening(self, firmware: Firmware, token: str | None = None) -> Any:
        """Its WebSocket, at the address that discovery gave it."""
        headers = {**firmware.opening(), "Device-Id": firmware.device_id, "Protocol-Version": "1"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return connect(firmware.stored["url"], additional_headers=headers, compression=None)

    async def nothing_came_of_it(self) -> None:
        """Whatever was sent: nobody was heard, answered or remembered, and nothing is left."""
        await until(lambda: len(self.server.waiting_devices) == 0)
        assert self.scripted.stt.heard == []
        assert self.scripted.chat.calls == []
        assert self.server.heard.newest(10) == []
        assert self.server.memory.stats().messages == 0
        assert len(self.server.connections) == 0
        status = self.server.device_statuses.of("aa:bb:cc:dd:ee:01")
        assert (status.report, status.last_heard_at) == (None, None)


@asynccontextmanager
async def house(folder: Path, **sections: Any) -> AsyncIterator[House]:
    scripted = ScriptedEngines()
    app = create_app(settings_for(folder, **sections), assembler=scripted_assembler(scripted))
    async with client_of(with_simulated_addresses(app)) as http:
        yield House(http, app.state.lobug, scripted)


async def greeted(socket: ClientConnection, hello: object = OPUS_HELLO) -> dict[str, Any]:
    await socket.send(json.dumps(hello))
    answer: dict[str, Any] = json.loads(await socket.recv())
    return answer


async def received(socket: ClientConnection) -> tuple[list[dict[str, Any]], int]:
    """All messages until the connection ends, and the number of audio packets."""
    texts, packets = [], 0
    try:
        async for message in socket:
            if isinstance(message, str):
                texts.append(json.loads(message))
            else:
                packets += 1
    except ConnectionClosed:
        pass
    return texts, packets


def told(texts: list[dict[str, Any]]) -> list[str]:
    """Type and state of each message."""
    return [" ".join(filter(None, (one["type"], one.get("state")))) for one in texts]


async def test_it_says_its_code_and_goes_on_once_it_is_approved(tmp_path: Path) -> None:
    """As the common firmware does: discovery, hello, listen; later discovery again, and a turn."""
    async with house(tmp_path) as home:
        firmware = Firmware(home.http)
        await firmware.check_version()
        assert firmware.activation is not None
        code = firmware.activation["code"]
        async with home.opening(firmware) as socket:
            hello = await greeted(socket)
            assert hello["audio_params"]["sample_rate"] == 24000
            await socket.send(json.dumps({"type": "listen", "state": "start", "mode": "auto"}))
            reading = asyncio.create_task(received(socket))
            spoken = [PAIRING["spoken"], "zero"]
            await until(lambda: len(home.scripted.tts.spoken) >= len(spoken))
            await home.approve(firmware)
            texts, _ = await reading
        assert (socket.close_code, told(texts)[0]) == (4010, "alert")
        assert code in texts[0]["message"]
        assert await firmware.activate() == 200
        await home.nothing_came_of_it()
        await firmware.check_version()
        assert firmware.stored["token"].startswith("lobug_")
        async with home.opening(firmware) as socket:
            await greeted(socket, HELLO)
            await socket.send(json.dumps({"type": "listen", "state": "start", "mode": "auto"}))
            sound = tone(0.6) + silence(1.5)
            for start in range(0, len(sound), 1920):
                await socket.send(sound[start : start + 1920])
            while "stt" not in str(await socket.recv()):
                pass


async def test_every_word_of_it_is_the_code(tmp_path: Path) -> None:
    """To its end, with a client that never says that it listens; the voice speaks each line once,
    however often somebody connects."""
    async with house(tmp_path, streaming={"waiting_device_s": 4.0}) as home:
        firmware = Firmware(home.http)
        await firmware.check_version()
        assert firmware.activation is not None
        code = firmware.activation["code"]
        for _ in range(2):
            async with home.opening(firmware, token="test-token") as socket:
                hello = await greeted(socket)
                texts, packets = await received(socket)
            assert socket.close_code == 4009
            assert set(hello) - {"formats", "features"} == {
                "type", "session_id", "transport", "audio_params",
            }  # fmt: skip
            assert told(texts) == [
                "alert", "tts start", "tts sentence_start", "tts sentence_start", "tts stop",
            ]  # fmt: skip
            assert texts[3]["text"] == " ".join(code)
            assert packets > 20
            assert "lobug_" not in json.dumps(texts)
        assert len(home.scripted.tts.spoken) == 1 + len(set(code))
        await home.nothing_came_of_it()


async def test_without_a_voice_the_code_is_shown(tmp_path: Path) -> None:
    async with house(tmp_path, streaming={"waiting_device_s": 2.0}) as home:
        home.scripted.tts.fail = EngineUnavailableError("tts", "no voice")
        firmware = Firmware(home.http)
        await firmware.check_version()
        async with home.opening(firmware) as socket:
            await greeted(socket)
            await socket.send(json.dumps({"type": "listen", "state": "detect", "text": "hi"}))
            texts, packets = await received(socket)
        assert packets == 0
        assert told(texts) == [
            "alert", "tts start", "tts sentence_start", "tts sentence_start", "tts stop",
        ]  # fmt: skip


async def test_hostile_messages_have_no_effect(tmp_path: Path) -> None:
    async with house(tmp_path, streaming={"waiting_device_s": 2.0}) as home:
        firmware = Firmware(home.http)
        await firmware.check_version()
        async with home.opening(firmware) as socket:
            await greeted(socket, HELLO)
            for junk in (
                {"type": "listen", "state": "start", "mode": "manual"},
                {"type": "mcp", "payload": {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}},
                {"type": "sensors", "reading": {"orientation": "face_up"}},
                {"type": "report", "report": {"uptime_s": 4, "reset": "panic"}},
                {"type": "hello", "version": 9},
                {"type": "listen", "state": "start", "mode": "sideways"},
                {"type": {"deeply": [["wrong"]]}},
            ):
                await socket.send(json.dumps(junk))
            await socket.send("{" * 500)
            await socket.send(b"\xff" * 4000)
            await socket.send(tone(0.5) + silence(1.0))
            await socket.send(json.dumps({"type": "listen", "state": "stop"}))
            texts, _ = await received(socket)
        assert {one["type"] for one in texts} == {"alert", "tts"}, (
            "not even its tools are asked for"
        )
        assert socket.close_code == 4009
        await home.nothing_came_of_it()


async def test_a_hello_that_is_none(tmp_path: Path) -> None:
    hellos: tuple[tuple[str | bytes | None, int], ...] = (
        ("not even JSON", 4002),
        ('{"type":"listen","state":"start"}', 4002),
        ('{"type":"hello","audio_params":{"format":"mp3"}}', 4002),
        (b"\x00\x01", 4002),
        (None, 4001),
    )
    async with house(tmp_path, streaming={"hello_timeout_s": 0.3}) as home:
        firmware = Firmware(home.http)
        await firmware.check_version()
        for hello, code in hellos:
            async with home.opening(firmware) as socket:
                if hello is not None:
                    await socket.send(hello)
                texts, packets = await received(socket)
            assert (socket.close_code, packets) == (code, 0), hello
            assert all(one["type"] == "alert" for one in texts)
        assert home.scripted.tts.spoken == []
        await home.nothing_came_of_it()


async def test_floods_are_cut_off(tmp_path: Path) -> None:
    limits = {"max_messages_per_s": 10, "max_message_bytes": 1024}
    async with house(tmp_path, streaming=limits, listening={"max_backlog_s": 0.1}) as home:
        firmware = Firmware(home.http)
        await firmware.check_version()
        for message, code in ((b"1234", 4008), (b"x" * 2000, 1009)):
            async with home.opening(firmware) as socket:
                await greeted(socket)
                try:
                    for _ in range(200):
                        await socket.send(message)
                except ConnectionClosed:
                    pass
                await received(socket)
            assert socket.close_code == code
        await home.nothing_came_of_it()


async def test_it_has_one_connection_and_few_attempts(tmp_path: Path) -> None:
    async with house(tmp_path, access={"attempts_per_minute": 3}) as home:
        firmware = Firmware(home.http)
        await firmware.check_version()
        async with home.opening(firmware) as first, home.opening(firmware) as second:
            await received(first)
            assert first.close_code == 4003
            assert len(home.server.waiting_devices) == 1
            async with home.opening(firmware) as third:
                await received(second)
                with pytest.raises(InvalidStatus) as failure:
                    await home.opening(firmware)
                assert failure.value.response.status_code == 429
                elsewhere = Firmware(home.http, address="192.168.1.8", client_id="another")
                elsewhere.stored = firmware.stored
                await elsewhere.check_version()
                async with home.opening(elsewhere) as socket:
                    await greeted(socket)
                    assert len(home.server.waiting_devices) == 2
                assert third.close_code is None, "another Client-Id does not take its place"


async def test_whom_nobody_waits_for_is_refused_as_ever(tmp_path: Path) -> None:
    """Without discovery, with another's ids, with an expired code, on other paths."""
    async with house(tmp_path, access={"code_lifetime_s": 1.0}) as home:
        stranger = Firmware(home.http, device_id="AA:BB:CC:DD:EE:09")
        stranger.stored["url"] = str(home.http.base_url.copy_with(scheme="ws")) + "/xiaozhi/v1/"
        with pytest.raises(InvalidStatus) as failure:
            await home.opening(stranger)
        assert failure.value.response.status_code == 401
        firmware = Firmware(home.http)
        await firmware.check_version()
        impostor = Firmware(home.http, client_id="mine-i-say", stored=firmware.stored)
        with pytest.raises(InvalidStatus):
            await home.opening(impostor)
        answer = await home.http.post(
            "/chat/text", json={"text": "Hi"}, headers={**firmware.headers}
        )
        assert answer.status_code == 401
        await asyncio.sleep(1.0)  # until the code has expired
        with pytest.raises(InvalidStatus):
            await home.opening(firmware)


async def test_an_approved_device_that_comes_without_its_token(tmp_path: Path) -> None:
    """A client that does not ask discovery again is told what is wrong, and gets no token here."""
    async with house(tmp_path) as home:
        firmware = Firmware(home.http)
        await firmware.check_version()
        await home.approve(firmware)
        async with home.opening(firmware, token="test-token") as socket:
            await greeted(socket)
            texts, packets = await received(socket)
        assert (socket.close_code, packets) == (4010, 0)
        assert [one["message"] for one in texts] == [PAIRING["approved"]]
        await home.nothing_came_of_it()


async def test_a_revoked_device_shows_a_new_code(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        firmware = Firmware(home.http)
        await firmware.check_version()
        await home.approve(firmware)
        await firmware.check_version()
        token = firmware.stored["token"]
        await home.http.delete(f"/devices/{firmware.device_id}")
        with pytest.raises(InvalidStatus):
            await home.opening(firmware, token=token)
        await firmware.check_version()
        assert firmware.activation is not None
        async with home.opening(firmware, token=token) as socket:
            await greeted(socket)
            await socket.send(json.dumps({"type": "listen", "state": "start", "mode": "auto"}))
            first = json.loads(await socket.recv())
            assert firmware.activation["code"] in first["message"]


async def test_the_server_stops_while_one_waits(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        firmware = Firmware(home.http)
        await firmware.check_version()
        socket = await home.opening(firmware)
        await greeted(socket)
    await received(socket)
    assert socket.close_code in {1001, 1012}
