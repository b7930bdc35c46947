"""`/web/events` and `/web/heard` over real sockets: who is told what, and how a stream ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx_sse import aconnect_sse

from lobug.app import create_app
from lobug.conversation.registry import Conversation, Conversations
from lobug.errors import BusyError
from lobug.live.heard import HeardLog
from lobug.memory.model import ConversationKey
from lobug.server import LobugServer
from lobug.settings import Settings
from lobug.turn.commitment import Commitment, LiveOptions
from lobug.turn.events import Failed
from lobug.turn.utterance import TranscribedUtterance
from support.app_server import ScriptedEngines, client_of, running, scripted_assembler, settings_for
from support.device_client import device, until
from support.memory_app import quiet_engines
from support.patience import PATIENCE_S
from support.scripted_speech import ScriptedSpeechToText
from support.simulated_address import remote_headers, with_simulated_addresses
from support.wav import pcm16, tone

Event = tuple[str, dict[str, Any]]


@dataclass
class Watcher:
    """A page's stream of events."""

    seen: list[Event] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False

    async def read(self, http: httpx.AsyncClient, headers: dict[str, str]) -> None:
        async with aconnect_sse(http, "GET", "/web/events", headers=headers) as source:
            assert source.response.headers["cache-control"] == "no-store"
            async for event in source.aiter_sse():
                self.seen.append((event.event, json.loads(event.data)))
                self._news.set()
        self.over = True
        self._news.set()

    async def until(self, name: str, **wanted: object) -> dict[str, Any]:
        """The first event of this name with these values, of those since the last call."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                while self.seen:
                    kind, data = self.seen.pop(0)
                    if kind == name and wanted.items() <= data.items():
                        return data
                assert not self.over, f"the stream ended without {name} {wanted}"
                self._news.clear()
                await self._news.wait()

    async def end(self) -> list[Event]:
        """What was told until the stream ended."""
        async with asyncio.timeout(PATIENCE_S):
            while not self.over:
                self._news.clear()
                await self._news.wait()
        return self.seen


@asynccontextmanager
async def watching(
    http: httpx.AsyncClient, headers: dict[str, str] | None = None
) -> AsyncIterator[Watcher]:
    watcher = Watcher()
    task = asyncio.create_task(watcher.read(http, headers or {}))
    try:
        await watcher.until("hello")
        yield watcher
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, LobugServer]]:
    async with running(settings_for(tmp_path), quiet_engines()) as (http, server):
        yield http, server


async def token(http: httpx.AsyncClient, user: str, **more: object) -> dict[str, str]:
    """Headers of a person elsewhere."""
    made = await http.post("/tokens", json={"name": user, "user": user, **more})
    return {"Authorization": f"Bearer {made.json()['token']}", "Id": made.json()["id"]}


async def test_the_page_at_this_computer_is_told_of_everything(
    world: tuple[httpx.AsyncClient, LobugServer],
) -> None:
    http, server = world
    async with watching(http) as page:
        made = (await http.post("/alerts", json={"kind": "timer", "in_s": 600})).json()
        await page.until("changed", topic="alerts")
        await http.delete(f"/alerts/{made['id']}")
        await page.until("changed", topic="alerts")
        await http.post("/lists", json={"name": "shopping"})
        await page.until("changed", topic="lists")
        await http.post("/notes", json={"content": "The key is under the mat"})
        await page.until("changed", topic="notes")
        await http.post("/memory/entries", json={"content": "Ada likes tea", "key": "tea"})
        await page.until("changed", topic="memory")
        await token(http, "bob")
        await page.until("changed", topic="tokens", user=None)
        server.hub.publish("settings")
        await page.until("changed", topic="settings")


async def test_a_turn_and_what_was_heard_are_told_and_can_be_fetched(
    world: tuple[httpx.AsyncClient, LobugServer],
) -> None:
    http, _server = world
    async with watching(http) as page:
        await http.post("/chat/text", json={"text": "Hello, you!"})
        turn = await page.until("turn")
        assert (turn["door"], turn["outcome"], turn["reason"]) == ("text", "respond", None)
        assert turn["id"] == (await http.get("/turns")).json()["turns"][0]["id"]
        heard = await page.until("heard")
    assert (heard["text"], heard["outcome"], heard["reason"]) == ("Hello, you!", "respond", None)
    assert (await http.get("/web/heard")).json() == {"heard": [heard], "kept": 100}


async def test_what_is_ignored_is_told_with_its_reason(tmp_path: Path) -> None:
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(("", "Hello")))
    async with (
        running(settings_for(tmp_path), scripted) as (http, _),
        device(str(http.base_url)) as client,
        watching(http) as page,
    ):
        silent = pcm16(tone(0.5) * 0)
        await http.post("/chat/audio", files={"audio": ("recording.wav", silent)})
        heard = await page.until("heard")
        assert (heard["door"], heard["outcome"], heard["reason"]) == (
            "audio",
            "ignore",
            "no_speech",
        )
        await client.listen()
        await client.speak()
        noise = await page.until("heard", door="device")
        assert (noise["outcome"], noise["reason"], noise["text"]) == ("ignore", "noise", "")
        await client.speak()
        spoken = await page.until("heard", door="device")
        assert (spoken["outcome"], spoken["text"]) == ("respond", "Hello")


async def test_forgetting_takes_what_was_heard_with_it(
    world: tuple[httpx.AsyncClient, LobugServer], caplog: pytest.LogCaptureFixture
) -> None:
    http, _server = world
    caplog.set_level(0)
    await http.post("/chat/text", json={"text": "My name is Winnie Zamboni."})
    assert "Zamboni" in (await http.get("/web/heard")).text
    await http.post("/chat/text", json={"text": "Forget my name."})
    assert "Zamboni" not in (await http.get("/web/heard")).text
    assert "Zamboni" not in caplog.text


def far_settings(folder: Path) -> Settings:
    return settings_for(folder, telemetry={"heard_kept": 50})


async def test_two_people_are_told_nothing_of_each_other(tmp_path: Path) -> None:
    app = with_simulated_addresses(
        create_app(far_settings(tmp_path), assembler=scripted_assembler(quiet_engines()))
    )
    async with client_of(app) as http:
        ada = {**remote_headers(), **await token(http, "ada")}
        bob = {**remote_headers(), **await token(http, "bob")}
        owner = {**remote_headers(), **await token(http, "carol", owner=True)}
        async with (
            watching(http, ada) as adas,
            watching(http, bob) as bobs,
            watching(http, owner) as owners,
        ):
            await http.post("/chat/text", json={"text": "I adore marzipan"}, headers=ada)
            await http.post("/alerts", json={"kind": "timer", "in_s": 600}, headers=ada)
            await http.post("/lists", json={"name": "sweets"}, headers=ada)
            await http.post("/notes", json={"content": "More marzipan"}, headers=ada)
            await http.post("/memory/entries", json={"content": "Ada: marzipan"}, headers=ada)
            await http.post("/alerts", json={"kind": "timer", "in_s": 0.01}, headers=ada)
            await adas.until("ringing")
            assert (await owners.until("turn"))["door"] == "text"
            # Bob's own is told after all of Ada's, so nothing of hers is under way any more.
            await http.post("/notes", json={"content": "Mine"}, headers=bob)
            await http.post("/notes", json={"content": "Hers"}, headers=owner)
            await until(lambda: any(data.get("topic") == "notes" for _, data in bobs.seen))
            assert bobs.seen == [("changed", {"topic": "notes", "user": "bob"})]
            await owners.until("changed", topic="notes")
            users = {data.get("user") for _, data in owners.seen}
            assert users <= {"carol", None}
        assert "marzipan" in (await http.get("/web/heard", headers=ada)).text
        for other in (bob, owner):
            assert (await http.get("/web/heard", headers=other)).json()["heard"] == []
        assert "marzipan" in (await http.get("/web/heard")).text


async def test_what_rings_is_told_and_that_it_rings_no_more(
    world: tuple[httpx.AsyncClient, LobugServer],
) -> None:
    http, _server = world
    async with watching(http) as page:
        made = (await http.post("/alerts", json={"kind": "timer", "in_s": 0.01})).json()
        ringing = await page.until("ringing")
        assert ringing["alert"]["id"] == made["id"]
        async with watching(http) as late:
            assert (await late.until("ringing"))["alert"]["id"] == made["id"]
        await http.delete(f"/alerts/{made['id']}")
        assert await page.until("ringing") == {"alert": None}


async def test_a_revoked_token_ends_its_stream_and_no_other(tmp_path: Path) -> None:
    app = with_simulated_addresses(
        create_app(far_settings(tmp_path), assembler=scripted_assembler(quiet_engines()))
    )
    async with client_of(app) as http:
        ada = {**remote_headers(), **await token(http, "ada")}
        bob = {**remote_headers(), **await token(http, "bob")}
        async with watching(http, ada) as adas, watching(http, bob) as bobs:
            assert (await http.delete(f"/tokens/{ada['Id']}")).status_code == 200
            assert (await adas.end())[-1] == ("signed_out", {})
            await http.post("/notes", json={"content": "x"}, headers=bob)
            await bobs.until("changed", topic="notes")
        again = await http.get("/web/events", headers=ada)
        assert again.status_code == 401


async def test_one_who_leaves_is_dropped(
    world: tuple[httpx.AsyncClient, LobugServer],
) -> None:
    http, server = world
    async with watching(http):
        assert len(server.hub) == 1
    await until(lambda: not len(server.hub))


async def test_a_draft_that_is_refused_leaves_nothing_behind(
    world: tuple[httpx.AsyncClient, LobugServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing would ever take its utterance out again, because a draft has no end to be told of."""
    _, server = world
    told: list[str] = []

    def refuse(_: Conversations, _key: ConversationKey) -> Conversation:
        raise BusyError("too many turns wait")

    monkeypatch.setattr(Conversations, "get", refuse)
    monkeypatch.setattr(HeardLog, "heard", lambda *_: told.append("heard"))
    monkeypatch.setattr(HeardLog, "finished", lambda *_: told.append("finished"))
    key, spoken = ConversationKey("ada", "ada/desk"), TranscribedUtterance("Hello!", "en")
    draft = LiveOptions(Commitment())
    events = [one async for one in server.turns.run(key, spoken, voice=True, live=draft)]
    assert isinstance(events[-1], Failed)
    assert told == []
    counted = [one async for one in server.turns.run(key, spoken, voice=True)]
    assert isinstance(counted[-1], Failed)
    assert told == ["heard", "finished"]
