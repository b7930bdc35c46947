"""A chat model and an embedder on several servers, each on a real socket: which of them answers
when some fail, hang, are busy or are gone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.cli.doctor.engines import check_openai
from lobug.engines.base import BACKGROUND_LANE, SERVERS, ChatMessage, ChatModel, ChatOptions
from lobug.engines.model_pools import ChatPool
from lobug.engines.ollama import OllamaChat, OllamaProbe, OllamaProbes
from lobug.engines.openai import OpenAIChat
from lobug.engines.replicas import Replica, preferred
from lobug.engines.selection import choose_chat, choose_embedder
from lobug.errors import (
    ContextOverflowError,
    EngineBusyError,
    EngineError,
    EngineInterruptedError,
    EngineTimeoutError,
    EngineUnavailableError,
)
from lobug.server import LobugServer
from lobug.settings import ChatSettings, OllamaSettings, Settings
from lobug.telemetry.metrics import _engines
from support.app_server import ScriptedEngines, client_of, settings_for
from support.faults import assert_problem, say
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.scripted_http import ScriptedOllama, ScriptedOpenAI, as_json, serving

HELLO = [ChatMessage("user", "Hello")]
Server = ScriptedOllama | ScriptedOpenAI
KINDS = pytest.mark.parametrize("kind", [ScriptedOllama, ScriptedOpenAI])
REFUSAL = as_json({"error": {"message": "no"}}, status=500)
OVERFLOW = as_json({"error": {"message": "maximum context length"}}, status=400)


@dataclass
class House:
    """A pool, its servers, and the clock of the pool."""

    pool: ChatPool
    servers: Sequence[Server]
    addresses: Sequence[str]
    now: float = 1000.0

    def lane_of(self, place: int) -> str:
        """A conversation that prefers the server at this place."""
        replicas = [Replica(address) for address in self.addresses]
        lanes = (f"ada/{number}" for number in range(1000))
        return next(lane for lane in lanes if preferred(replicas, lane, 0.0)[0] == place)

    async def reply(self, place: int = 0, **options: Any) -> str:
        """The reply in a conversation that prefers the server at this place."""
        asked = ChatOptions(max_tokens=17, lane=self.lane_of(place), **options)
        return "".join([piece async for piece in self.pool.stream(HELLO, asked)])

    def asked(self) -> list[int]:
        """How many replies each server was asked for."""
        return [sum("chat" in one.path for one in server.received) for server in self.servers]

    def known(self, key: str) -> list[object]:
        return [one[key] for one in self.pool.status().details[SERVERS]]


@asynccontextmanager
async def a_house(
    kind: type[Server] = ScriptedOpenAI,
    count: int = 2,
    *,
    impatient_with: int | None = None,
    **chat: Any,
) -> AsyncIterator[House]:
    """The servers say their number: "0", "1", ... ``impatient_with``: the place of one that has
    50 ms for its first word."""
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serving(kind())) for _ in range(count)]
        for number, server in enumerate(servers):
            server.chat = server.says(str(number))
        settings = ChatSettings(**{"first_token_timeout_s": PATIENCE_S, "timeout_s": 90.0, **chat})
        engines: dict[str, ChatModel] = {}
        for place, server in enumerate(servers):
            url = f"{server.url}/v1"
            update: dict[str, Any] = {"openai_base_url": url}
            if place == impatient_with:
                update["first_token_timeout_s"] = 0.05
            one = settings.model_copy(update=update)
            if isinstance(server, ScriptedOllama):
                probe = OllamaProbe(OllamaSettings(host=server.url), interval_s=0.01)
                engines[server.url] = OllamaChat(one, probe)
            else:
                engines[url] = OpenAIChat(one, interval_s=0.01)
        pool = ChatPool(engines, settings, lambda: house.now)
        house = House(pool, servers, list(engines))
        await pool.start()
        stack.push_async_callback(pool.close)
        yield house


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - a status is read, not announced
            await asyncio.sleep(0.005)


@KINDS
async def test_a_conversation_stays_with_its_server_and_comes_back_to_it(
    kind: type[Server], caplog: pytest.LogCaptureFixture
) -> None:
    async with a_house(kind) as house:
        for _ in range(3):
            assert (await house.reply(0), await house.reply(1)) == ("0", "1")
        assert house.asked() == [3, 3]
        assert not house.pool.status().degraded
        with caplog.at_level(logging.INFO):
            await house.servers[0].stop()
            assert await house.reply(0) == "1"
            status = house.pool.status()
            assert (status.ready, status.degraded) == (True, True)
            assert str(status.reason).startswith("1 of 2 servers can be used. ")
            assert "does not answer" in str(status.reason)
            assert house.known("ready") == [False, True]
            await house.servers[0].restart()
            house.now += 2.5  # it has failed once
            await until(lambda: house.known("ready") == [True, True])
            assert await house.reply(0) == "0"
        assert house.pool.status().reason is None
        ours = [record.getMessage() for record in caplog.records if "places" in record.name]
        assert len(ours) == 2, ours
        assert house.known("under_way") == [0, 0]
        assert not any("Hello" in line for line in ours)


@KINDS
async def test_nobody_hears_words_twice(kind: type[Server]) -> None:
    async with a_house(kind) as house:
        house.servers[0].chat.chunks = [house.servers[0].says("one ").chunks[0], None]
        stream = house.pool.stream(HELLO, ChatOptions(9, lane=house.lane_of(0)))
        assert await anext(stream) == "one "
        with pytest.raises(EngineInterruptedError):
            await anext(stream)
        assert house.asked() == [1, 0]
        assert await house.reply(0) == "1", "it rests"
        assert house.known("ready") == [False, True]
        assert house.known("under_way") == [0, 0]


@KINDS
async def test_a_server_that_hangs_or_breaks_off_before_its_first_word_is_replaced(
    kind: type[Server],
) -> None:
    async with a_house(kind, 3, impatient_with=0) as house:
        hanging, broken, _ = house.servers
        hanging.chat.chunks = [asyncio.Event()]
        broken.chat.chunks = [None]
        # Whichever comes second for this lane, the third answers at last.
        assert await house.reply(0) == "2"
        assert house.known("ready")[0] is False
        assert house.addresses[0] in str(house.pool.status().reason)
        assert await house.reply(1) == "2"
        assert house.known("ready") == [False, False, True]
        assert house.known("under_way") == [0, 0, 0]


async def test_who_is_refused_by_all_was_wrong_and_who_refuses_alone_is() -> None:
    async with a_house() as house:
        first, second = house.servers
        good = second.chat
        first.chat = second.chat = REFUSAL
        with pytest.raises(EngineError, match="status 500"):
            await house.reply(0)
        assert house.asked() == [1, 1]
        assert house.known("ready") == [True, True]
        second.chat = good
        assert await house.reply(0) == "1"
        assert house.known("ready") == [False, True]


async def test_a_prompt_that_is_too_long_is_not_tried_elsewhere() -> None:
    async with a_house() as house:
        house.servers[0].chat = OVERFLOW
        with pytest.raises(ContextOverflowError):
            await house.reply(0)
        assert house.asked() == [1, 0]
        assert house.known("ready") == [True, True]


async def test_all_are_away_and_the_error_says_so() -> None:
    async with a_house() as house:
        for server in house.servers:
            await server.stop()
        with pytest.raises(EngineUnavailableError, match="does not answer"):
            await house.reply(0)
        await until(lambda: not house.pool.status().ready)  # a probe may have been on its way
        status = house.pool.status()
        assert status.degraded
        assert str(status.reason).startswith("0 of 2 servers can be used. ")
        with pytest.raises(EngineUnavailableError):
            await house.pool.start()
        await house.servers[1].restart()
        await house.pool.start()
        assert await house.reply(0) == "1"


# Hedged requests


@pytest.mark.parametrize("winner", [0, 1])
async def test_a_second_server_is_asked_when_the_first_is_late(winner: int) -> None:
    async with a_house(hedge_s=0.01) as house:
        gates = [asyncio.Event(), asyncio.Event()]
        for gate, server in zip(gates, house.servers, strict=True):
            server.chat.chunks = [gate, *server.chat.chunks]
        reply = asyncio.ensure_future(house.reply(0))
        for server in house.servers:
            await server.wait_for_requests("/v1/chat/completions", 1)
        assert house.known("under_way") == [1, 1]
        gates[winner].set()
        assert await reply == str(winner)
        loser = house.servers[1 - winner].requests_to("/v1/chat/completions")[0]
        async with asyncio.timeout(PATIENCE_S):
            await loser.gone.wait()
        await until(lambda: house.known("under_way") == [0, 0])
        assert house.known("ready") == [True, True], "who is beaten has not failed"


async def test_the_second_server_is_not_asked_without_need() -> None:
    async with a_house(hedge_s=600.0) as house:
        assert await house.reply(0) == "0"
        assert house.asked() == [1, 0]
        house.servers[0].chat = REFUSAL
        assert await house.reply(0) == "1", "a failure is replaced at once"


# Busy servers


async def test_a_busy_server_sends_on_and_who_finds_all_busy_waits_or_is_refused() -> None:
    async with a_house(max_requests=1, max_waiting=1) as house:
        gates = [asyncio.Event(), asyncio.Event()]
        says = [server.chat for server in house.servers]
        for gate, server in zip(gates, house.servers, strict=True):
            server.chat = replace(server.chat, chunks=[gate, *server.chat.chunks])
        replies = [asyncio.ensure_future(house.reply(0)) for _ in range(4)]
        for server in house.servers:
            await server.wait_for_requests("/v1/chat/completions", 1)
        assert house.asked() == [1, 1], "the second of the same lane went to the other server"
        with pytest.raises(EngineBusyError):
            await house.reply(1)
        replies[3].cancel()
        await asyncio.wait([replies[3]])
        for server, answer in zip(house.servers, says, strict=True):
            server.chat = answer
        gates[1].set()
        # The one that waits gets the place of the one that ends, though its lane prefers the other.
        assert await asyncio.wait_for(replies[1], PATIENCE_S) == "1"
        assert await asyncio.wait_for(replies[2], PATIENCE_S) == "1"
        gates[0].set()
        assert await asyncio.wait_for(replies[0], PATIENCE_S) == "0"
        assert house.known("under_way") == [0, 0]


async def test_a_dead_server_is_not_asked_for_those_who_wait_for_a_live_one() -> None:
    async with a_house(max_requests=1, max_waiting=0) as house:
        await house.servers[0].stop()
        gate = asyncio.Event()
        house.servers[1].chat.chunks = [gate, *house.servers[1].chat.chunks]
        reply = asyncio.ensure_future(house.reply(0))
        await house.servers[1].wait_for_requests("/v1/chat/completions", 1)
        with pytest.raises(EngineBusyError):
            await house.reply(0)
        gate.set()
        assert await reply == "1"


@pytest.mark.parametrize("hedge_s", [0.0, 0.01])
async def test_who_stops_waiting_ends_all_requests(hedge_s: float) -> None:
    async with a_house(hedge_s=hedge_s) as house:
        for server in house.servers:
            server.chat.chunks = [asyncio.Event()]
        reply = asyncio.ensure_future(house.reply(0))
        asked = house.servers if hedge_s else house.servers[:1]
        for server in asked:
            await server.wait_for_requests("/v1/chat/completions", 1)
        reply.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reply
        async with asyncio.timeout(PATIENCE_S):
            for server in asked:
                await server.requests_to("/v1/chat/completions")[0].gone.wait()
        assert house.known("under_way") == [0, 0]


async def test_a_device_hears_at_once_that_all_servers_are_busy(tmp_path: Path) -> None:
    async with a_house(max_requests=1, max_waiting=0) as house:
        gates = [asyncio.Event(), asyncio.Event()]
        for gate, server in zip(gates, house.servers, strict=True):
            server.chat.chunks = [gate, *server.chat.chunks]
        holders = [asyncio.ensure_future(house.reply(place)) for place in (0, 1)]
        for server in house.servers:
            await server.wait_for_requests("/v1/chat/completions", 1)
        memory = {"enable_summarization": False}
        settings = settings_for(tmp_path, memory=memory)

        async def assemble(settings: Settings) -> LobugServer:
            return with_memory(settings, replace(ScriptedEngines().engines(), chat=house.pool))

        async with client_of(create_app(settings, assembler=assemble)) as client:
            body = assert_problem(await say(client), 503, "engine_busy")
            assert "too much to do" in body["response"]
            for gate in gates:
                gate.set()
            assert sorted(await asyncio.gather(*holders)) == ["0", "1"]
            assert (await say(client)).json()["response"] in {"0", "1"}
            health = (await client.get("/health")).json()["engines"]["chat"]
            assert [one["ready"] for one in health["details"][SERVERS]] == [True, True]


# What else a pool does


async def test_background_work_goes_to_the_least_busy_server() -> None:
    async with a_house() as house:
        gate = asyncio.Event()
        answer = house.servers[0].chat
        house.servers[0].chat = replace(answer, chunks=[gate, *answer.chunks])
        held = asyncio.ensure_future(house.reply(0))
        await house.servers[0].wait_for_requests("/v1/chat/completions", 1)
        background = ChatOptions(9, lane=BACKGROUND_LANE)
        assert [piece async for piece in house.pool.stream(HELLO, background)] == ["1"]
        gate.set()
        assert await held == "0"


async def test_the_time_out_holds_for_all_servers_together() -> None:
    async with a_house() as house:
        house.servers[0].chat.chunks = [asyncio.Event()]
        asked: list[float | None] = []
        second = house.pool._pool.engines[1]
        stream = second.stream

        def spied(messages: Sequence[ChatMessage], options: ChatOptions) -> Any:
            asked.append(options.timeout_s)
            return stream(messages, options)

        second.stream = spied  # type: ignore[method-assign]
        reply = asyncio.ensure_future(house.reply(0, timeout_s=40.0))
        await house.servers[0].wait_for_requests("/v1/chat/completions", 1)
        house.now += 30.0
        await house.servers[0].stop()
        assert await reply == "1"
        assert asked == [10.0]


async def test_when_the_time_is_up_no_other_server_is_asked_or_blamed() -> None:
    """The first is given up after 39 of 40 s, and the second has one second, which is too short."""
    models = {name: ScriptedChatModel() for name in ("a", "b")}
    now = [0.0]
    pool = ChatPool(dict(models), ChatSettings(timeout_s=40.0), lambda: now[0])
    lanes = (f"ada/{number}" for number in range(1000))
    places = [Replica(name) for name in models]
    lane = next(one for one in lanes if preferred(places, one, 0.0)[0] == 0)

    def fails_at(model: ScriptedChatModel, when: float) -> None:
        def script(_messages: object, _options: object) -> list[Exception]:
            now[0] = when
            return [EngineTimeoutError("chat", "too slow")]

        model._replies = script

    async def ask() -> list[bool]:
        with pytest.raises(EngineTimeoutError):
            await anext(pool.stream(HELLO, ChatOptions(9, lane=lane)))
        return [one["ready"] for one in pool.status().details[SERVERS]]

    fails_at(models["a"], 39.0)
    fails_at(models["b"], 40.0)
    assert await ask() == [False, True]
    assert models["b"].calls[0].options.timeout_s == 1.0
    now[0] = 100.0
    fails_at(models["a"], 140.0)
    assert await ask() == [False, True], "it had all the time that there was"
    assert [len(model.calls) for model in models.values()] == [2, 1]


async def test_auto_takes_ollama_when_one_of_several_has_the_model(tmp_path: Path) -> None:
    async with (
        serving(ScriptedOllama(models=[])) as bare,
        serving(ScriptedOllama()) as full,
    ):
        settings = settings_for(
            tmp_path, ollama={"host": f"{bare.url} {full.url}", "probe_timeout_s": 30.0}
        )
        probes = OllamaProbes(settings.ollama)
        chat, why = await choose_chat(settings, probes)
        assert isinstance(chat, ChatPool)
        assert full.url in why
        embedder, _ = await choose_embedder(settings, probes)
        await probes.start()
        await chat.start()
        await embedder.start()
        assert "ollama pull" in str(chat.status().reason)
        options = ChatOptions(9)
        assert [piece async for piece in chat.stream(HELLO, options)] == ["Hello", " there."]
        assert (await embedder.embed(["a", "b"])).shape == (2, full.dimension)
        # Another model at the other address would spoil what is remembered.
        bare.models = list(full.models)
        bare.dimension = 5
        await probes.refresh()
        await full.stop()
        await probes.refresh()
        with pytest.raises(EngineError, match="5 dimensions instead of 8"):
            await embedder.embed(["a"])
        bare.dimension = 8
        for engine in (embedder, chat, probes):
            await engine.close()


async def test_doctor_and_metrics_show_each_server(tmp_path: Path) -> None:
    async with a_house() as house:
        await house.servers[1].stop()
        base = " ".join(house.addresses)
        settings = settings_for(tmp_path, chat={"engine": "openai", "openai_base_url": base})
        found = await asyncio.to_thread(check_openai, settings)
        assert [finding.level.value for finding in found] == ["ok", "fail"]
        for finding, address in zip(found, house.addresses, strict=True):
            assert address in finding.message
        with pytest.raises(EngineUnavailableError):
            await house.pool._pool.engines[1].start()
        samples = {
            (sample.name, sample.labels.get("server")): sample.value
            for metric in _engines({"chat": house.pool.status()})
            for sample in metric.samples
        }
        for address, ready in zip(house.addresses, (1, 0), strict=True):
            assert samples["lobug_engine_server_ready", address] == ready
            assert samples["lobug_engine_server_requests", address] == 0


async def test_a_pool_prepares_one_server_and_forgets_on_all() -> None:
    models = {name: ScriptedChatModel(context_tokens=4096 + len(name)) for name in ("a", "bb")}
    models["bb"].ms_per_token = 3.0
    pool = ChatPool(dict(models), ChatSettings())
    await pool.start()
    replicas = [Replica(name) for name in models]
    for number in range(20):
        lane = f"ada/{number}"
        await pool.prefill(HELLO, lane)
        expected = list(models.values())[preferred(replicas, lane, 0.0)[0]]
        assert expected.prefills[-1][1] == lane
    assert all(model.prefills for model in models.values())
    pool.forget("ada/3".__eq__)
    assert all(model.forgotten[0]("ada/3") for model in models.values())
    assert pool.context_tokens == 4097
    assert pool.prefill_ms_per_token == 3.0
    await pool.close()
    assert all(model.closed for model in models.values())
