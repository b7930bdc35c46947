"""Servers for tests: the real application on a real socket, with engines that follow a script."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.engines.base import Engines
from lobug.server import LobugServer
from lobug.settings import Settings
from support.scripted import ScriptedChatModel, ScriptedEmbedder
from support.scripted_speech import ScriptedGate, ScriptedSpeechToText, ScriptedTextToSpeech


@dataclass
class ScriptedEngines:
    """The scripted engines of one server; change them while it runs."""

    chat: ScriptedChatModel = field(default_factory=ScriptedChatModel)
    embedder: ScriptedEmbedder = field(default_factory=ScriptedEmbedder)
    stt: ScriptedSpeechToText = field(default_factory=ScriptedSpeechToText)
    gate: ScriptedGate = field(default_factory=ScriptedGate)
    tts: ScriptedTextToSpeech = field(default_factory=ScriptedTextToSpeech)

    def engines(self) -> Engines:
        """Return them as a server expects them."""
        return Engines(self.chat, self.embedder, self.stt, self.gate, self.tts)


def settings_for(folder: Path, **sections: object) -> Settings:
    """Settings that read neither environment nor ``.env``; data under ``folder``."""
    memory = {"idle_delay_s": 0.0, **sections.pop("memory", {})}  # type: ignore[dict-item]  # a section is a dict
    return Settings.model_validate(
        {
            "data_dir": folder / "data",
            "models_dir": folder / "models",
            "port": 0,
            "memory": memory,
            **sections,
        }
    )


def scripted_assembler(
    scripted: ScriptedEngines,
) -> Callable[[Settings], Awaitable[LobugServer]]:
    """For ``create_app``: scripted engines, real memory."""

    async def assemble(settings: Settings) -> LobugServer:
        return with_memory(settings, scripted.engines())

    return assemble


@asynccontextmanager
async def client_of(app: ASGIApp, port: int = 0) -> AsyncIterator[httpx.AsyncClient]:
    """Run ``app`` on a port of loopback, in this event loop; yield a client. ``port`` 0: a free
    one."""
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning", lifespan="on")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server._serve())  # without signal handlers, which pytest owns
    while not server.started:
        if task.done():
            task.result()
            raise RuntimeError("the server ended before it started")
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        # To read all certificate authorities, of which HTTP needs none, takes as long as a test.
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", timeout=120, trust_env=False, verify=False
        ) as client:
            yield client
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def running(
    settings: Settings, scripted: ScriptedEngines
) -> AsyncIterator[tuple[httpx.AsyncClient, LobugServer]]:
    """The application with scripted engines; yields a client and the server object."""
    app = create_app(settings, assembler=scripted_assembler(scripted))
    async with client_of(app) as client:
        yield client, app.state.lobug


def in_thread(app: FastAPI, **options: Any) -> tuple[uvicorn.Server, threading.Thread, int]:
    """Run ``app`` in a thread of its own, for clients that block; ``options`` are uvicorn's.
    Returns server, thread, port."""
    server = uvicorn.Server(
        uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", lifespan="on", **options)
    )
    thread = threading.Thread(target=lambda: asyncio.run(server._serve()), daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("the server ended before it started")
        thread.join(0.01)
    return server, thread, server.servers[0].sockets[0].getsockname()[1]
