"""The application for tests of memory's routes."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI

from lobug.app import create_app
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from lobug.server import LobugServer
from lobug.settings import Settings
from support.app_server import ScriptedEngines, scripted_assembler, settings_for
from support.scripted import ScriptedChatModel

SMALL_LIMITS = {"max_body_bytes": 400_000, "max_text_chars": 500}


def quiet_engines() -> ScriptedEngines:
    """Return engines whose chat model extracts no facts."""
    chat = ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "Okay.")
    return ScriptedEngines(chat=chat)


def door_settings(folder: Path, **sections: object) -> Settings:
    """Settings of a server for one person's doors; its background work does not begin."""
    memory = {"idle_delay_s": 3_600.0, **sections.pop("memory", {})}  # type: ignore[dict-item]  # a section is a dict
    return settings_for(folder, **{"limits": SMALL_LIMITS, "memory": memory, **sections})


def app_with(settings: Settings) -> FastAPI:
    """The application with quiet engines."""
    return create_app(settings, assembler=scripted_assembler(quiet_engines()))


def memory_of(app: FastAPI) -> Memory:
    """The memory of an application that runs."""
    server: LobugServer = app.state.lobug
    return server.memory


async def exchange(
    memory: Memory, user: str, said: str = "Do I like tea?", *, said_at: float | None = None
) -> int:
    """Log an exchange with its search, as a turn does. Returns the id of the user's message."""
    conversation_key = ConversationKey(user, f"{user}/desk")
    message_id = await memory.log_user_message(conversation_key, said, said_at=said_at)
    await memory.retrieve_context(conversation_key, said, message_id=message_id)
    await memory.log_reply(conversation_key, message_id, "Okay.", extract=True)
    return message_id
