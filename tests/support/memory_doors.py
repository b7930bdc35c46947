"""The application with the memory control that a test passes."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI

from lobug.app import create_app
from lobug.http.memory.scope import get_control
from lobug.memory.control import MemoryControl
from lobug.settings import Settings
from support.running import ScriptedEngines, scripted_assembler, settings_for
from support.scripted import ScriptedChatModel

SMALL_LIMITS = {"max_body_bytes": 400_000, "max_text_chars": 500}


def quiet_engines() -> ScriptedEngines:
    """Return engines whose chat model extracts no facts."""
    chat = ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "Okay.")
    return ScriptedEngines(chat=chat)


def door_settings(folder: Path, **sections: object) -> Settings:
    """Return settings with small limits."""
    return settings_for(folder, **{"limits": SMALL_LIMITS, **sections})


def app_with(settings: Settings, control: MemoryControl | None = None) -> FastAPI:
    """Return the application; ``control`` None: with the real one."""
    app = create_app(settings, assembler=scripted_assembler(quiet_engines()))
    if control is not None:
        app.dependency_overrides[get_control] = lambda: control
    return app
