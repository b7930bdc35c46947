"""A Lo-Bug to talk to about its memory: real doors, real memory, scripted engines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.memory.model import Entry, Filter, MemoryScope
from lobug.memory.service import Memory
from lobug.server import LobugServer
from lobug.settings import Settings
from support.app_server import ScriptedEngines, client_of, settings_for
from support.memory_kit import Clock, look
from support.scripted import ScriptedChatModel


@dataclass
class Talk:
    """A running Lo-Bug."""

    client: httpx.AsyncClient
    server: LobugServer
    scripted: ScriptedEngines
    clock: Clock

    async def say(self, text: str, device: str = "desk") -> str:
        """Run a turn that must succeed; return its reply."""
        answer = await self.post(text, device)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["response"])

    async def post(self, text: str, device: str = "desk") -> httpx.Response:
        """Run a turn; return the answer, whatever its status."""
        headers = {"Device-Id": device}
        return await self.client.post("/chat/text", json={"text": text}, headers=headers)

    def rows(self, query: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return rows of the database."""
        return look(self.server.settings.database_path, query, parameters)

    @property
    def memory(self) -> Memory:
        """Its memory."""
        return self.server.memory

    async def kept(self, user: str = "device:desk") -> list[Entry]:
        """All versions of all memories of a user."""
        scope = MemoryScope(user, None)
        return list(await self.memory.entries(scope, Filter(status=None), limit=1_000))

    @property
    def log(self) -> list[tuple[str, str]]:
        """Return role and content of all messages."""
        found = self.rows("SELECT role, content FROM conversation_log ORDER BY id")
        return [(role, content) for role, content in found]

    @property
    def asked(self) -> list[str]:
        """Return the chat model's prompts of turns and of commands."""
        return [call.prompt for call in self.scripted.chat.calls]


def answering(reply: str = "An ordinary reply.", choice: str = "[]") -> ScriptedChatModel:
    """Return a chat model with one reply; with a schema it answers ``choice``."""
    return ScriptedChatModel(lambda _, options: choice if options.json_schema else reply)


@dataclass
class Setup:
    """Options of the Lo-Bug under test."""

    folder: Path
    scripted: ScriptedEngines = field(default_factory=lambda: ScriptedEngines(chat=answering()))
    sections: dict[str, object] = field(default_factory=dict)


@asynccontextmanager
async def talking(setup: Setup) -> AsyncIterator[Talk]:
    """Run a Lo-Bug that answers turns but does no background work."""
    clock = Clock()
    memory = {"idle_delay_s": 3_600.0, **setup.sections.pop("memory", {})}  # type: ignore[dict-item]  # a section is a dict

    async def assemble(settings: Settings) -> LobugServer:
        made = with_memory(settings, setup.scripted.engines())
        return LobugServer(settings, made.engines, made.memory, made.priority, clock=clock)

    app = create_app(
        settings_for(setup.folder, memory=memory, **setup.sections), assembler=assemble
    )
    async with client_of(app) as client:
        yield Talk(client, app.state.lobug, setup.scripted, clock)
