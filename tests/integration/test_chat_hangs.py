"""A chat model's process that hangs is found, ended and started again, and nobody waits for it.

Real child processes and sockets, without a model; ``test_embedded_chat`` stops the real one.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.concurrency import Backoff
from lobug.engines import llama_child, llama_process
from lobug.engines.base import ChatMessage, ChatOptions
from lobug.engines.chat_embedded import EmbeddedChat, llama_options
from lobug.engines.llama_process import LlamaProcess
from lobug.errors import EngineInterruptedError, EngineTimeoutError
from lobug.server import LobugServer
from lobug.settings import ChatSettings, Settings
from support import scripted_llama
from support.app_server import ScriptedEngines, client_of, settings_for
from support.faults import assert_problem, degraded, say, until_ok
from support.patience import PATIENCE_S

HELLO = [ChatMessage("user", "Hello")]
NEVER_S = 600.0
"""Of every time-out that is not to be what ends a request."""


class Model:
    """A scripted process and its file, in which the next life finds how to behave."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "model.gguf"
        self.probes = folder / "probes"
        self.probes.touch()
        self.behave()

    def behave(self, *, talks: bool = True, computes: bool = True) -> None:
        """For the process that is started next."""
        behaviour = {"talks": talks, "computes": computes, "probes": str(self.probes)}
        self.path.write_text(json.dumps(behaviour))

    @property
    def probed(self) -> int:
        """How often it was asked whether it is there."""
        return self.probes.stat().st_size


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    monkeypatch.setattr(llama_child, "_WORKER", scripted_llama.__file__)
    for name in ("BUSY_PROBE_S", "IDLE_PROBE_S", "MISSED_PROBE_S"):
        monkeypatch.setattr(llama_process, name, 0.01)
    return Model(tmp_path)


def engine_of(model: Model) -> EmbeddedChat:
    settings = ChatSettings(
        embedded_path=model.path,
        timeout_s=NEVER_S,
        first_token_timeout_s=NEVER_S,
        hang_timeout_s=3.0,
    )
    process = LlamaProcess(llama_options(settings, model.path.parent), Backoff(0.01, 0.01))
    return EmbeddedChat(settings, process)


@asynccontextmanager
async def started(engine: EmbeddedChat) -> AsyncIterator[EmbeddedChat]:
    await engine.start()
    try:
        yield engine
    finally:
        await engine.close()


def stop(engine: EmbeddedChat) -> int:
    """Let the process hang; its sockets stay open."""
    pid = engine.process.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    return pid


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - another process is watched
            await asyncio.sleep(0.005)


async def text_of(engine: EmbeddedChat, first_token_timeout_s: float = NEVER_S) -> str:
    options = ChatOptions(
        max_tokens=5, lane="ada/desk", first_token_timeout_s=first_token_timeout_s
    )
    return "".join([piece async for piece in engine.stream(HELLO, options)])


async def test_a_process_that_hangs_while_nobody_talks_is_restarted(model: Model) -> None:
    async with started(engine_of(model)) as engine:
        pid = stop(engine)
        await until(lambda: not engine.status().ready)
        status = engine.status()
        assert "has not answered for" in str(status.reason)
        assert status.degraded
        await until(lambda: engine.status().ready)
        assert engine.process.pid not in {None, pid}
        details = engine.status().details
        assert (details["restarts"], details["hangs"]) == (1, 1)
        assert "did not answer for" in details["last_restart_because"]
        assert await text_of(engine) == "Hello there."
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_a_request_under_way_ends_when_the_process_is_given_up(model: Model) -> None:
    model.behave(talks=False)
    async with started(engine_of(model)) as engine:
        asking = asyncio.ensure_future(text_of(engine))
        await until(lambda: model.probed > 1)
        stop(engine)
        with pytest.raises(EngineInterruptedError) as caught:
            async with asyncio.timeout(PATIENCE_S):  # its own time-outs are ten minutes
                await asking
        assert caught.value.spoken == "I lost my train of thought. Please ask me again."


async def test_a_model_that_is_slow_and_answers_is_left_alone(model: Model) -> None:
    model.behave(talks=False)
    async with started(engine_of(model)) as engine:
        asking = asyncio.ensure_future(text_of(engine))
        loop = asyncio.get_running_loop()
        begin = loop.time()
        await until(lambda: model.probed > 20 and loop.time() - begin > 3.5)
        assert not asking.done()
        assert engine.process.restarts == 0
        assert engine.status().ready
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


async def test_a_process_that_answers_and_computes_nothing_is_restarted(model: Model) -> None:
    """Only after a request got nothing for its whole time is more than an answer asked for."""
    model.behave(talks=False, computes=False)
    async with started(engine_of(model)) as engine:
        await until(lambda: model.probed > 5)
        assert engine.process.restarts == 0
        model.behave()
        with pytest.raises(EngineTimeoutError):
            await text_of(engine, 0.2)
        await until(lambda: engine.process.restarts == 1 and engine.status().ready)
        assert engine.process.hangs == 1
        assert await text_of(engine) == "Hello there."


async def test_a_device_hears_a_sentence_and_health_says_so(tmp_path: Path, model: Model) -> None:
    chats: list[EmbeddedChat] = []

    async def assemble(settings: Settings) -> LobugServer:
        chats.append(engine_of(model))
        return with_memory(settings, replace(ScriptedEngines().engines(), chat=chats[0]))

    model.behave(talks=False)
    async with client_of(create_app(settings_for(tmp_path), assembler=assemble)) as client:
        await until_ok(client)
        asking = asyncio.ensure_future(say(client))
        await until(lambda: model.probed > 1)
        model.behave()
        stop(chats[0])
        await until(lambda: not chats[0].status().ready)
        assert "has not answered for" in await degraded(client, "chat")
        body = assert_problem(await asking, 503, "engine_interrupted")
        assert body["response"] == "I lost my train of thought. Please ask me again."
        report = await until_ok(client)
        assert report["engines"]["chat"]["details"]["hangs"] == 1
        assert (await say(client)).json() == {"response": "Hello there."}
