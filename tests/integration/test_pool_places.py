"""Who gets a place at which of several servers, and what becomes of requests that wait, are given
up, are late or come while the pool stops. The servers follow a script.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

import numpy as np
import pytest

from lobug.engines.base import SERVERS, WAITING, ChatMessage, ChatOptions
from lobug.engines.model_pools import ChatPool, EmbedderPool
from lobug.engines.replicas import Replica, preferred
from lobug.errors import (
    EngineBusyError,
    EngineError,
    EngineTimeoutError,
    EngineUnavailableError,
)
from lobug.settings import ChatSettings
from lobug.telemetry.metrics import _engines
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel, ScriptedEmbedder

HELLO = [ChatMessage("user", "Hello")]


class House:
    """Chat models "a", "b", ..., which answer with their name, and a pool of them."""

    def __init__(self, names: str = "ab", **chat: Any) -> None:
        self.models = {name: ScriptedChatModel([name]) for name in names}
        self.now = 1000.0
        settings = ChatSettings(**{"first_token_timeout_s": PATIENCE_S, "timeout_s": 90.0, **chat})
        self.pool = ChatPool(dict(self.models), settings, lambda: self.now)
        self.order: list[str] = []
        """Which requests were answered, in this order."""

    def script(self, name: str, *steps: Any) -> None:
        self.models[name]._replies = [steps]

    def lane(self, order: str) -> str:
        """A conversation that prefers the models in this order."""
        replicas = [Replica(name) for name in self.models]
        wanted = [list(self.models).index(name) for name in order]
        lanes = (f"ada/{number}" for number in range(10_000))
        return next(one for one in lanes if preferred(replicas, one, 0.0)[: len(order)] == wanted)

    async def ask(self, order: str, label: str = "", **options: Any) -> str:
        asked = ChatOptions(9, lane=self.lane(order), **options)
        reply = "".join([piece async for piece in self.pool.stream(HELLO, asked)])
        self.order.append(label)
        return reply

    def begin(self, order: str, label: str = "", **options: Any) -> asyncio.Task[str]:
        return asyncio.ensure_future(self.ask(order, label, **options))

    def known(self, key: str) -> list[Any]:
        return [one[key] for one in self.pool.status().details[SERVERS]]

    async def until_waiting(self, count: int) -> None:
        await until(lambda: self.pool.status().details[WAITING] == count)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - a status is read, not announced
            await asyncio.sleep(0)


async def within_patience(task: asyncio.Task[str]) -> str:
    return await asyncio.wait_for(task, PATIENCE_S)


async def test_who_came_first_is_served_first_and_nobody_who_asks_again_and_again_overtakes() -> (
    None
):
    house = House("a", max_requests=1)
    gate = asyncio.Event()
    house.script("a", gate, "a")

    async def again_and_again() -> None:
        for number in range(3):
            await house.ask("a", f"busy {number}")

    busy = asyncio.ensure_future(again_and_again())
    await house.models["a"].wait_for_calls(1)
    waiting = []
    for number in range(3):
        waiting.append(house.begin("a", f"waits {number}"))
        await house.until_waiting(number + 1)
    metrics = {
        sample.name: sample.value
        for metric in _engines({"chat": house.pool.status()})
        for sample in metric.samples
    }
    assert metrics["lobug_engine_waiting"] == 3.0
    waiting[1].cancel()
    gate.set()
    await asyncio.wait_for(busy, PATIENCE_S)
    await asyncio.gather(*waiting, return_exceptions=True)
    assert house.order == ["busy 0", "waits 0", "waits 2", "busy 1", "busy 2"]
    assert house.known("under_way") == [0]


async def test_who_waits_goes_to_a_server_that_recovers_while_no_request_ends() -> None:
    house = House(max_requests=1)
    house.models["a"].fail = EngineUnavailableError("chat", "away")
    gate = asyncio.Event()
    house.script("b", gate, "b")
    held = house.begin("ba")
    await house.models["b"].wait_for_calls(1)
    waits = house.begin("ba")
    await house.until_waiting(1)
    house.models["a"].fail = None
    assert await within_patience(waits) == "a"
    gate.set()
    assert await within_patience(held) == "b"


@pytest.mark.parametrize("limit", ["timeout_s", "first_token_timeout_s"])
async def test_nobody_waits_longer_for_a_place_than_the_request_may_take(limit: str) -> None:
    options: dict[str, Any] = {limit: 0.01}
    house = House("a", max_requests=1)
    house.script("a", asyncio.Event())
    held = house.begin("a")
    await house.models["a"].wait_for_calls(1)
    with pytest.raises(EngineBusyError, match="busy for longer than"):
        await within_patience(house.begin("a", **options))
    held.cancel()
    await asyncio.wait([held])
    assert house.known("under_way") == [0]
    assert house.pool.status().details[WAITING] == 0


async def test_a_server_is_not_blamed_for_the_time_that_a_request_waited() -> None:
    house = House("a", max_requests=1)
    gate = asyncio.Event()

    def times_out(_messages: object, _options: object) -> list[Any]:
        if len(house.models["a"].calls) == 1:
            return [gate, "a"]
        house.now += 2.0
        return [EngineTimeoutError("chat", "no whole answer within 1 s")]

    house.models["a"]._replies = times_out
    held = house.begin("a")
    await house.models["a"].wait_for_calls(1)
    waits = house.begin("a", timeout_s=60.0)
    await house.until_waiting(1)
    house.now += 59.0
    gate.set()
    with pytest.raises(EngineTimeoutError):
        await within_patience(waits)
    assert await held == "a"
    assert house.models["a"].calls[1].options.timeout_s == 1.0
    assert house.known("ready") == [True]
    with pytest.raises(EngineTimeoutError):
        await house.ask("a", timeout_s=1.0)
    assert house.known("ready") == [True], "a short time was the request's own choice"


async def test_a_request_does_not_wait_for_a_server_that_has_refused_it() -> None:
    """The server that refused is busy again by then, and the only other one is resting."""
    house = House(max_requests=1)
    house.script("b", EngineUnavailableError("chat", "away"))
    assert await house.ask("ba") == "a"
    assert house.known("ready") == [True, False]
    house.script("b", "b")
    gate = asyncio.Event()
    refusal = EngineError("chat", "status 500")
    house.models["a"]._next = 0
    house.models["a"]._replies = [[gate, refusal], [asyncio.Event()]]
    refused = house.begin("ab")
    await house.models["a"].wait_for_calls(2)
    held = house.begin("ab")
    await house.until_waiting(1)
    gate.set()
    assert await within_patience(refused) == "b"
    held.cancel()
    await asyncio.wait([held])


async def test_a_second_server_that_fails_at_once_is_replaced_while_the_first_is_late() -> None:
    house = House("abc", hedge_s=0.01)
    house.script("a", asyncio.Event())
    house.script("b", EngineUnavailableError("chat", "away"))
    assert await within_patience(house.begin("abc")) == "c"
    await until(lambda: house.known("under_way") == [0, 0, 0])
    assert house.known("ready") == [True, False, True]
    assert house.models["a"].calls[0].cancelled


class SlowToClose(ScriptedChatModel):
    """A model whose connection takes its time to close."""

    def __init__(self) -> None:
        super().__init__([[asyncio.Event()]])
        self.may_close = asyncio.Event()

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        try:
            async for piece in super().stream(messages, options):
                yield piece
        finally:
            await self.may_close.wait()


async def test_an_answer_does_not_wait_until_the_beaten_server_is_closed() -> None:
    house = House(hedge_s=0.01)
    slow = SlowToClose()
    house.models["a"] = slow
    house.pool = ChatPool(dict(house.models), ChatSettings(hedge_s=0.01), lambda: house.now)
    assert await within_patience(house.begin("ab")) == "b"
    assert house.known("under_way") == [1, 0], "it works on it as long as it is not closed"
    slow.may_close.set()
    await house.pool.close()
    assert house.known("under_way") == [0, 0]


async def test_a_place_that_is_given_to_who_has_just_gone_is_not_lost() -> None:
    house = House("a", max_requests=1)
    gate = asyncio.Event()
    house.script("a", gate, "a")
    held, gone, next_one = house.begin("a"), house.begin("a"), house.begin("a")
    await house.until_waiting(2)
    places = house.pool._pool._places
    give_back = places.give_back

    def and_goes(ended: Sequence[int]) -> None:
        give_back(ended)
        gone.cancel()

    places.give_back = and_goes  # type: ignore[method-assign, assignment]
    gate.set()
    assert await within_patience(held) == "a"
    assert await within_patience(next_one) == "a"
    with pytest.raises(asyncio.CancelledError):
        await gone
    assert house.known("under_way") == [0]


async def test_who_waits_when_the_pool_stops_is_told_and_not_sent_to_a_stopped_server() -> None:
    house = House("a", max_requests=1)
    gate = asyncio.Event()
    house.script("a", gate, "a")
    held = house.begin("a")
    await house.models["a"].wait_for_calls(1)
    waits = house.begin("a")
    await house.until_waiting(1)
    await house.pool.close()
    with pytest.raises(EngineUnavailableError, match="being stopped"):
        await within_patience(waits)
    gate.set()
    assert await within_patience(held) == "a", "what had begun may end"
    with pytest.raises(EngineUnavailableError):
        await house.ask("a")
    await house.pool.start()
    assert await house.ask("a") == "a"


async def test_one_engine_that_cannot_be_closed_leaves_no_other_open() -> None:
    house = House()

    async def fails() -> None:
        raise OSError("no")

    house.models["a"].close = fails  # type: ignore[method-assign]
    with pytest.raises(OSError, match="no"):
        await house.pool.close()
    assert house.models["b"].closed


async def test_after_its_rest_one_request_tries_a_server_and_the_others_do_not_follow() -> None:
    house = House()
    house.script("a", EngineTimeoutError("chat", "nothing for 45 s"))
    assert await house.ask("ab") == "b"
    assert "nothing for 45 s" in house.known("reason")[0]
    house.now += 3.0
    gate = asyncio.Event()
    house.script("a", gate, "a")
    trial = house.begin("ab")
    await house.models["a"].wait_for_calls(2)
    assert await house.ask("ab") == "b"
    gate.set()
    assert await within_patience(trial) == "a"
    assert await house.ask("ab") == "a"


# Embedders


async def test_vectors_of_another_model_with_the_same_dimension_are_not_used() -> None:
    servers = [ScriptedEmbedder(), ScriptedEmbedder(model_id="scripted/another")]
    pool = EmbedderPool({str(number): one for number, one in enumerate(servers)})
    await pool.start()
    first, other = servers
    expected = await first.embed(["a green door"])
    assert np.array_equal(await pool.embed(["a green door"]), expected)
    assert (await pool.embed([])).shape == (0, first.dimension)
    first.go_down()
    with pytest.raises(EngineError, match="another model"):
        await pool.embed(["a green door"])
    # It is repaired, and once it is known it is asked for the texts alone.
    other.model_id = first.model_id
    for _ in range(2):
        assert np.array_equal(await pool.embed(["a green door"]), expected)
    assert other.calls[-1] == ("a green door",)
    # One that has failed may have come back with another model.
    other.go_down()
    with pytest.raises(EngineError):
        await pool.embed(["a green door"])
    other.model_id, other.fail = "scripted/another", None
    with pytest.raises(EngineError):
        await pool.embed(["a green door"])
    first.fail = None
    assert np.array_equal(await pool.embed(["a green door"]), expected)
    await pool.close()
