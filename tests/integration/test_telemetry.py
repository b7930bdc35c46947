"""`/metrics`, `/turns` and `lobug turns` on a real socket."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families
from typer.testing import CliRunner, Result

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.cli.app import app as commands
from lobug.devices.report import read_report
from lobug.engines.base import SERVERS, WAITING, Transcript
from lobug.errors import EngineInterruptedError
from lobug.server import LobugServer
from lobug.settings import Settings
from support.app_server import (
    ScriptedEngines,
    client_of,
    in_thread,
    running,
    scripted_assembler,
    settings_for,
)
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.wav import pcm16, tone

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"

World = tuple[httpx.AsyncClient, LobugServer, ScriptedEngines]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    scripted = ScriptedEngines()
    async with running(settings_for(tmp_path), scripted) as (client, server):
        yield client, server, scripted


async def say(client: httpx.AsyncClient, text: str = "Hello!") -> httpx.Response:
    return await client.post("/chat/text", json={"text": text})


async def speak(client: httpx.AsyncClient) -> httpx.Response:
    return await client.post("/chat/audio", files={"audio": ("recording.wav", pcm16(tone(0.5)))})


async def samples(
    client: httpx.AsyncClient,
) -> Mapping[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample of ``/metrics`` by name and sorted labels."""
    answer = await client.get("/metrics")
    assert answer.status_code == 200
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def newest(client: httpx.AsyncClient) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get("/turns")).json()["turns"][0]
    return found


# ---- turns


async def test_every_door_and_outcome_is_a_timeline(world: World) -> None:
    client, _, scripted = world
    await say(client, "Hello, you!")
    first = await newest(client)
    assert (first["door"], first["outcome"], first["error"]) == ("text", "respond", None)
    assert first["counts"]["heard_characters"] == len("Hello, you!")
    assert first["counts"]["reply_characters"] == len("Okay.")

    answer = (await speak(client)).json()
    second = await newest(client)
    assert (second["door"], second["outcome"]) == ("audio", "respond")
    assert second["counts"]["pieces"] == 1
    # The answer has the same times; what came after it, the end, is only here.
    assert answer["timings"].items() <= second["timings"].items()
    assert second["timings"].keys() - answer["timings"].keys() == {"done"}

    scripted.stt.transcript = Transcript("Hm.", "en", 0.99, -2.0, 9.0)
    await speak(client)
    assert (await newest(client))["outcome"] == "ignore"
    scripted.stt.transcript = None

    scripted.stt.fail = EngineInterruptedError("stt", "the script says so")
    assert (await speak(client)).status_code == 503
    failed = await newest(client)
    assert (failed["outcome"], failed["error"]) == ("failed", "engine_interrupted")
    scripted.stt.fail = None

    scripted.tts.fail = EngineInterruptedError("tts", "the script says so")
    await speak(client)
    mute = await newest(client)
    assert (mute["outcome"], mute["error"]) == ("respond", "engine_interrupted")

    found = (await client.get("/turns")).json()["turns"]
    assert [turn["id"] for turn in found[-2:]] == [second["id"], first["id"]]
    ended = [turn["finished_at"] for turn in found]
    assert ended == sorted(ended, reverse=True)


async def test_a_turn_can_be_asked_for_by_its_id(world: World) -> None:
    client, _, _ = world
    await say(client)
    turn = await newest(client)
    assert (await client.get(f"/turns/{turn['id']}")).json() == turn
    unknown = await client.get("/turns/nobody")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "turn_not_found")


async def test_a_caller_who_hangs_up_leaves_a_cancelled_turn(tmp_path: Path) -> None:
    never = asyncio.Event()
    scripted = ScriptedEngines(chat=ScriptedChatModel([["Once ", never, "upon"]]))
    over = asyncio.Event()
    async with running(settings_for(tmp_path), scripted) as (client, server):
        told = server.telemetry.turns.add

        def add(turn: Any) -> None:
            told(turn)
            over.set()

        server.telemetry.turns.add = add  # type: ignore[method-assign]
        asking = asyncio.create_task(say(client))
        await scripted.chat.wait_for_calls(1)
        running_turns = (await samples(client))[("lobug_turns_running", ())]
        asking.cancel()
        await asyncio.wait_for(over.wait(), PATIENCE_S)
        assert running_turns == 1
        turn = await newest(client)
        assert (turn["outcome"], turn["error"]) == ("cancelled", None)
        labels = (("door", "text"), ("outcome", "cancelled"))
        assert (await samples(client))[("lobug_turns_total", labels)] == 1


@pytest.mark.parametrize("limit", ["0", "-1", "1001", "many", ""])
async def test_a_wrong_limit_is_refused(world: World, limit: str) -> None:
    client, _, _ = world
    answer = await client.get("/turns", params={"limit": limit})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")


async def test_turns_are_the_owners(world: World) -> None:
    client, server, _ = world
    await say(client)
    turn = await newest(client)
    _, owner = await server.access.tokens.create("laptop", owner=True)
    _, guest = await server.access.tokens.create("guest", user="guest")
    for path in ("/turns", f"/turns/{turn['id']}"):
        answers = [
            await client.get(path, headers={"Authorization": f"Bearer {token}"})
            for token in (owner, guest)
        ]
        assert [answer.status_code for answer in answers] == [200, 403], path
        assert answers[1].json()["error"]["code"] == "owner_only"


async def test_a_turn_names_its_device(world: World) -> None:
    client, server, _ = world
    words, desk = {"text": "Hello!"}, "aa:bb:cc:00:00:01"
    await client.post("/chat/text", json=words, headers={"Device-Id": desk.upper()})
    assert (await newest(client))["device"] == desk
    await server.access.devices.discover(desk, "uuid", description="", address=None)
    (pairing,) = server.access.devices.waiting()
    await server.access.devices.approve(pairing.code, name="Kitchen")
    assert (await newest(client))["device"] == "Kitchen"
    await say(client)
    assert (await newest(client))["device"] == ""


async def test_figures_are_for_callers_who_may_talk(world: World) -> None:
    client, _, _ = world
    # As if a proxy had passed it on for somebody without a token.
    answer = await client.get("/metrics", headers={"X-Forwarded-For": "192.0.2.7"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token_required")


# ---- figures


class Clock:
    """Stands still until a scripted engine moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def assembler(
    scripted: ScriptedEngines, clock: Clock
) -> Callable[[Settings], Awaitable[LobugServer]]:
    async def assemble(settings: Settings) -> LobugServer:
        return dataclasses.replace(with_memory(settings, scripted.engines()), clock=clock)

    return assemble


async def test_stage_times_are_those_of_the_clock(tmp_path: Path) -> None:
    clock = Clock()

    def reply(_: object, options: Any) -> str:
        if options.json_schema is None:
            clock.now += 0.7
        return "[]" if options.json_schema else "Okay."

    scripted = ScriptedEngines(chat=ScriptedChatModel(reply))
    app = create_app(settings_for(tmp_path), assembler=assembler(scripted, clock))
    async with client_of(app) as client:
        for _ in range(3):
            await say(client)
        found = await samples(client)
        turn = await newest(client)
    assert turn["timings"]["recall"] == 0.0
    assert turn["timings"]["first_token"] == 0.7

    def bucket(stage: str, edge: str) -> float:
        labels = (("door", "text"), ("le", edge), ("stage", stage))
        return found[("lobug_turn_stage_seconds_bucket", labels)]

    assert [bucket("recall", edge) for edge in ("0.02", "+Inf")] == [3, 3]
    assert [bucket("first_token", edge) for edge in ("0.5", "0.75", "+Inf")] == [0, 3, 3]
    total = found[("lobug_turn_stage_seconds_sum", (("door", "text"), ("stage", "first_token")))]
    assert total == pytest.approx(2.1)


async def test_states_are_those_of_health(world: World) -> None:
    client, server, scripted = world
    scripted.embedder.go_down()
    await say(client)
    found = await samples(client)
    health = (await client.get("/health")).json()
    ready = {
        dict(labels)["job"]: value
        for (name, labels), value in found.items()
        if name == "lobug_engine_ready"
    }
    assert ready == {job: float(state["ready"]) for job, state in health["engines"].items()}
    assert ready["embeddings"] == 0.0
    for name in ("messages", "facts", "users"):
        assert found[(f"lobug_memory_{name}", ())] == health["memory"][name]
    assert found[("lobug_memory_messages", ())] == server.memory.stats().messages == 2
    assert found[("lobug_can_talk", ())] == 1
    assert found[("lobug_build_info", (("version", health["version"]),))] == 1


async def test_the_format_is_what_the_scraper_asks_for(world: World) -> None:
    client, _, _ = world
    await say(client)
    plain = await client.get("/metrics")
    assert plain.headers["content-type"].startswith("text/plain; version=0.0.4")
    accept = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"
    asked = await client.get("/metrics", headers={"Accept": accept})
    assert asked.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    families = openmetrics.text_string_to_metric_families(asked.text)  # type: ignore[no-untyped-call]  # the library's
    assert "lobug_turns" in {family.name for family in families}


async def test_two_servers_in_one_process_count_apart(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path / "a"), ScriptedEngines()) as (one, _),
        running(settings_for(tmp_path / "b"), ScriptedEngines()) as (other, _),
    ):
        await say(one)
        key = ("lobug_turns_total", (("door", "text"), ("outcome", "respond")))
        assert (await samples(one))[key] == 1
        assert key not in await samples(other)
        assert (await other.get("/turns")).json() == {"turns": []}


async def test_the_documented_metrics_are_those_there_are(world: World) -> None:
    client, server, scripted = world
    scripted.chat.details = {
        SERVERS: [{"server": "http://127.0.0.1:9", "ready": True, "under_way": 1}],
        WAITING: 0,
    }
    await say(client)
    report = read_report(
        {
            "memory": {"least": 9_000, "largest": 9_000},
            "stacks": {"device": 900},
            "wifi": {"rssi": -70, "losses": {"201": 1}},
        }
    )
    assert report is not None
    server.take_report("aa:bb:cc:dd:ee:01", report)
    scripted.chat.fail = EngineInterruptedError("chat", "the script says so")
    await say(client)
    gone = await client.post("/memory/purge", json={"older_than_days": 1, "confirm": True})
    assert gone.status_code == 200
    there: dict[str, tuple[str, str]] = {}
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families((await client.get("/metrics")).text):
        if not family.name.startswith("lobug_") or family.name.endswith("_created"):
            continue
        # The parser takes the ending of a counter's name off.
        name = family.name + ("_total" if family.type == "counter" else "")
        there[name] = (family.type, family.documentation)
        labels[name] = {key for sample in family.samples for key in sample.labels} - {"le"}
    rows = re.findall(
        r"^\| `(lobug_\w+)` \| (\w+) \| (.*?) ?\| (.+) \|$", OPERATIONS.read_text(), re.M
    )
    documented = {name: (kind, meaning) for name, kind, _, meaning in rows}
    assert documented == there
    assert {name: set(re.findall(r"`(\w+)`", text)) for name, _, text, _ in rows} == labels


async def test_erasures_are_counted_by_what_asked_for_them(world: World) -> None:
    client, server, _ = world
    await say(client)
    session = (await client.get("/memory/sessions")).json()["sessions"][0]["id"]
    for body in ({"older_than_days": 1}, {"session": session}, {"user": True}, {"user": True}):
        answer = await client.post("/memory/purge", json={**body, "confirm": True})
        assert answer.status_code == 200
    forget = {"text": "lives in Portland"}
    await client.post("/memory/forget", json={**forget, "confirm": True})
    await client.post("/memory/forget", json={**forget, "dry_run": True})
    refused = await client.post("/memory/purge", json={"user": True})
    assert refused.status_code == 409
    found = await samples(client)
    assert {
        dict(labels)["cause"]: value
        for (name, labels), value in found.items()
        if name == "lobug_memory_erasures_total"
    } == {"purge_older": 1, "purge_session": 1, "purge_user": 2, "forget": 1}
    assert server.memory.stats().messages == 0


async def test_the_event_loop_is_watched(world: World) -> None:
    client, server, _ = world
    telemetry = server.telemetry
    seen = asyncio.Event()
    observe = telemetry.metrics.loop_lag

    def loop_lag(lag_s: float) -> None:
        observe(lag_s)
        seen.set()

    telemetry.metrics.loop_lag = loop_lag  # type: ignore[method-assign]
    await asyncio.wait_for(seen.wait(), PATIENCE_S)
    assert (await samples(client))[("lobug_event_loop_lag_seconds_count", ())] >= 1


# ---- the command


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working directory, and a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "250")


def lobug_turns(*arguments: str) -> Result:
    return CliRunner().invoke(commands, ["turns", *arguments])


@pytest.mark.usefixtures("away")
def test_the_command_shows_the_last_turns(tmp_path: Path) -> None:
    app = create_app(
        settings_for(tmp_path / "server"), assembler=scripted_assembler(ScriptedEngines())
    )
    server, thread, port = in_thread(app)
    url = f"http://127.0.0.1:{port}"
    try:
        assert "There have been no turns yet." in lobug_turns("--server", url).stdout
        for text in ("One.", "Two.", "Three."):
            httpx.post(f"{url}/chat/text", json={"text": text}, trust_env=False, timeout=PATIENCE_S)
        shown = lobug_turns("--server", url, "-n", "2")
        listed = lobug_turns("--server", url, "--json")
    finally:
        server.should_exit = True
        thread.join(30)
    assert shown.exit_code == 0, shown.output
    lines = [line.split() for line in shown.stdout.splitlines()]
    assert lines[0][:5] == ["ended", "turn", "door", "device", "outcome"]
    assert lines[0][-1] == "done"
    turns = json.loads(listed.stdout)["turns"]
    assert [line[1] for line in lines[1:3]] == [turns[1]["id"], turns[0]["id"]]
    assert [line[0] for line in lines[3:]] == ["p50", "p95"]


@pytest.mark.usefixtures("away")
def test_the_command_without_a_server() -> None:
    result = lobug_turns("--server", "http://127.0.0.1:9")
    assert result.exit_code == 3
    assert "no Lo-Bug server answers at http://127.0.0.1:9" in result.output
