"""A running server and the files of its models: hashed beside it, and not used when wrong."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
import pytest

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.concurrency import Backoff
from lobug.engines import llama_child
from lobug.engines.chat_embedded import EmbeddedChat, llama_options
from lobug.engines.integrity import ModelIntegrity
from lobug.engines.llama_process import LlamaProcess
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.errors import ModelDamagedError
from lobug.models import catalog, verify
from lobug.server import LobugServer
from lobug.settings import Settings
from support import scripted_llama
from support.app_server import ScriptedEngines, client_of, settings_for
from support.faults import assert_problem, degraded, say, until, until_ok
from support.models import tiny_model


class Installed:
    """A model on disk that a scripted process loads."""

    def __init__(self, folder: Path) -> None:
        self.models_dir = folder / "models"
        self.path = self.models_dir / "tiny" / "model.gguf"
        self.path.parent.mkdir(parents=True)
        (folder / "probes").touch()
        behaviour = {"talks": True, "computes": True, "probes": str(folder / "probes")}
        self.right = json.dumps(behaviour).encode() + b" "
        self.wrong = b" " + self.right[:-1]
        self.model = tiny_model(self.right)
        self.write(self.right)

    def write(self, content: bytes) -> None:
        """Put ``content`` in place, with an old time of change, and record it as verified."""
        self.path.write_bytes(content)
        os.utime(self.path, (1_000_000_000, 1_000_000_000))
        verify.record(self.models_dir, self.model)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    found = Installed(tmp_path)
    monkeypatch.setattr(llama_child, "_WORKER", scripted_llama.__file__)
    monkeypatch.setattr(catalog, "CATALOG", dict(catalog.CATALOG) | {"tiny": found.model})
    return found


@asynccontextmanager
async def running(
    folder: Path, busy: AsyncExitStack | None = None
) -> AsyncIterator[tuple[httpx.AsyncClient, LobugServer]]:
    """A server with the scripted process; ``busy``: somebody talks until it is closed."""

    async def assemble(settings: Settings) -> LobugServer:
        process = LlamaProcess(
            llama_options(settings.chat, settings.models_dir), Backoff(0.01, 0.01)
        )
        chat = EmbeddedChat(settings.chat, process)
        server = with_memory(settings, replace(ScriptedEngines().engines(), chat=chat))
        server.integrity = ModelIntegrity(
            server.engines.all(), settings.models_dir, lambda: server.priority.busy, look_s=0.02
        )
        if busy is not None:
            await busy.enter_async_context(server.priority.turn())
        return server

    app = create_app(settings_for(folder, chat={"embedded_model": "tiny"}), assembler=assemble)
    async with client_of(app) as client:
        yield client, app.state.lobug


async def state_of(client: httpx.AsyncClient) -> Any:
    report = (await client.get("/health")).json()
    return report["engines"]["chat"]["details"]["model_file"]


async def test_a_model_is_unverified_until_it_was_hashed(
    tmp_path: Path, installed: Installed
) -> None:
    async with AsyncExitStack() as busy, running(tmp_path, busy) as (client, server):
        assert await state_of(client) == "unverified"
        assert server.engines.chat.status().ready, "nobody waits for it"
        await busy.aclose()

        async def verified() -> bool:
            return bool(await state_of(client) == "verified")

        await until(verified)
        assert (await say(client)).json() == {"response": "Hello there."}


async def test_a_tampered_model_does_not_go_on_talking(
    tmp_path: Path, installed: Installed
) -> None:
    """Size, time of change and the record of an earlier check are those of the right file."""
    installed.write(installed.wrong)
    assert verify.check_model(installed.models_dir, installed.model, deep=False).verified
    async with AsyncExitStack() as busy, running(tmp_path, busy) as (client, server):
        chat = server.engines.chat
        assert isinstance(chat, EmbeddedChat)
        assert chat.process.pid is not None
        child = psutil.Process(chat.process.pid)
        await busy.aclose()

        async def damaged() -> bool:
            return bool(await state_of(client) == "damaged")

        await until(damaged)
        await asyncio.to_thread(child.wait, 60)
        sentence = await degraded(client, "chat")
        assert "SHA-256 differs" in sentence
        assert "lobug models pull tiny" in sentence
        body = assert_problem(await say(client), 503, "model_damaged")
        assert body["response"] == "One of my models is damaged. Please ask my owner to check it."
        # The right file is found without a restart of the server.
        installed.path.write_bytes(installed.right)
        await until_ok(client)
        assert await state_of(client) == "verified"
        assert (await say(client)).json() == {"response": "Hello there."}


async def test_a_file_that_is_changed_later_is_found(tmp_path: Path, installed: Installed) -> None:
    async with running(tmp_path) as (client, _):

        async def verified() -> bool:
            return bool(await state_of(client) == "verified")

        await until(verified)
        installed.write(installed.wrong)

        async def refused() -> bool:
            return (await say(client)).status_code == 503

        await until(refused)
        assert "SHA-256 differs" in await degraded(client, "chat")


async def test_ears_that_were_withdrawn_hear_nothing(tmp_path: Path) -> None:
    ears = WhisperSpeechToText(settings_for(tmp_path))
    error = ModelDamagedError("stt", "its SHA-256 differs; run `lobug models pull whisper-base`")
    assert ears.catalog_model == "whisper-base"
    await ears.withdraw(error)
    assert "lobug models pull" in str(ears.status().reason)
    assert not ears.status().ready
    with pytest.raises(ModelDamagedError):
        await ears.transcribe(np.zeros(16_000, np.float32), None)
