"""What is said with a device when the server is told to stop comes to its end first."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import httpx
import pytest
import uvicorn

from lobug.admission.connections import Admission
from lobug.admission.ledger import capacity_for
from lobug.cli.http_server import AnnouncingServer
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import DeviceClient, device
from support.faults import assert_problem, until
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText
from support.unasked_kit import house, said

REPLY = "This is a long reply. It has three sentences. And here is the last of them."


async def closed(client: DeviceClient) -> int | None:
    async with asyncio.timeout(PATIENCE_S):
        await client.closed.wait()
    return client.socket.close_code


async def test_a_reply_is_said_to_its_end_before_all_devices_go(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, streaming={"farewell_s": PATIENCE_S})
    stt = ScriptedSpeechToText(("Tell me something.",) * 2)
    scripted = ScriptedEngines(chat=ScriptedChatModel(lambda _messages, _options: REPLY), stt=stt)
    async with running(settings, scripted) as (http, server):
        url = str(http.base_url)
        async with device(url) as talking, device(url, "aa:bb:cc:dd:ee:02") as idle:
            await talking.listen()
            await talking.speak()
            await talking.until_said("tts", state="sentence_start")
            farewell = asyncio.ensure_future(server.say_farewell())
            await until(lambda: _refuses(http))
            assert await closed(talking) == 1001
            assert await closed(idle) == 1001
            said = [m["text"] for m in talking.messages("tts") if "text" in m]
            assert " ".join(said) == REPLY
            assert talking.messages("tts")[-1]["state"] == "stop"
            await farewell


async def test_an_announcement_is_said_to_its_end_before_the_device_goes(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, streaming={"farewell_s": PATIENCE_S})
    async with (
        running(settings, ScriptedEngines()) as (http, server),
        device(str(http.base_url)) as client,
    ):
        asked = {"text": REPLY, "device": "aa:bb:cc:dd:ee:01", "chime": False}
        announcing = asyncio.ensure_future(http.post("/announce", json=asked))
        await client.until_said("tts", state="sentence_start")
        await server.say_farewell()
        assert await closed(client) == 1001
        assert " ".join(said(client)) == REPLY
        assert client.messages("tts")[-1]["state"] == "stop"
        assert (await announcing).json()["status"] == "said"


async def test_an_alarm_is_waited_for_until_its_next_pause(tmp_path: Path) -> None:
    streaming = {"farewell_s": 10 * PATIENCE_S}
    async with house(tmp_path, streaming=streaming) as here, here.connect() as client:
        await here.set("alarm", "", in_s=60)
        here.pass_s(60)
        await client.until_said("tts", state="sentence_start")
        await here.server.say_farewell()
        assert await closed(client) == 1001
        assert client.messages("tts")[-1]["state"] == "stop"


async def test_a_person_who_does_not_end_is_not_waited_for(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, streaming={"farewell_s": 0.3})
    async with (
        running(settings, ScriptedEngines()) as (http, server),
        device(str(http.base_url)) as talking,
    ):
        await talking.say(type="listen", state="start", mode="manual")
        assert (await http.get("/ready")).status_code == 200
        assert not talking.closed.is_set()
        await server.say_farewell()
        assert await closed(talking) == 1001


async def served(farewell_ends: asyncio.Event, farewells: list[str]) -> AnnouncingServer:
    async def app(scope: object, receive: object, send: object) -> None:
        raise AssertionError((scope, receive, send))

    async def farewell() -> None:
        farewells.append("begun")
        await farewell_ends.wait()
        farewells.append("over")

    limits = settings_for(Path("unused")).limits
    config = uvicorn.Config(app, lifespan="off", log_config=None)
    admission = Admission(capacity_for(64, limits), limits)
    return AnnouncingServer(config, lambda: None, admission, farewell=farewell)


@pytest.mark.parametrize("told_twice", [False, True])
async def test_a_server_that_stops_waits_for_it_unless_it_is_told_twice(
    *, told_twice: bool
) -> None:
    ends, farewells = asyncio.Event(), list[str]()
    server = await served(ends, farewells)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        serving = asyncio.ensure_future(server._serve([listener]))
        await until(lambda: _is(server.started))
        server.should_exit = True
        await until(lambda: _is(bool(farewells)))
        assert not serving.done()
        if told_twice:
            server.force_exit = True
        else:
            ends.set()
        async with asyncio.timeout(PATIENCE_S):
            await serving
    assert farewells == (["begun"] if told_twice else ["begun", "over"])


async def _refuses(http: httpx.AsyncClient) -> bool:
    answer = await http.get("/ready")
    if answer.status_code == 200:
        return False
    assert_problem(answer, 503, "engine_unavailable")
    return True


async def _is(true: bool) -> bool:
    return true
