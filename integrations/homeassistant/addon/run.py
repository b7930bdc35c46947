"""Starts Lo-Bug as an add-on of Home Assistant: its options become settings."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DATA = Path("/data")
"""What the Supervisor keeps for the add-on; ``options.json`` in it is its own."""
USER = 10001
"""Account of the server, which needs no rights of root."""

FIXED = {
    "LOBUG_HOST": "0.0.0.0",  # noqa: S104 - who has no token gets no answer
    "LOBUG_PORT": "8321",
    "LOBUG_TLS__PORT": "8322",
    # The add-on shares the network of its host, so every other program there would be the owner.
    "LOBUG_ACCESS__LOOPBACK": "token",
}
_SETTING = re.compile(r"LOBUG_[A-Z0-9_]+")


def settings_of(options: Mapping[str, Any], data: Path = DATA) -> dict[str, str]:
    """The environment for the server. Raises ValueError: an option is none that it can have."""
    found: dict[str, str] = {}
    for row in options.get("settings") or []:
        name, value = row.get("name"), row.get("value")
        if not isinstance(name, str) or not _SETTING.fullmatch(name) or not isinstance(value, str):
            raise ValueError(f"no setting: {name}")
        if name in FIXED or name in {"LOBUG_DATA_DIR", "LOBUG_MODELS_DIR"}:
            raise ValueError(f"the add-on decides {name} itself")
        found[name] = value
    for option, name in (
        ("chat_engine", "LOBUG_CHAT__ENGINE"),
        ("ollama_url", "LOBUG_OLLAMA__HOST"),
        ("log_level", "LOBUG_LOG_LEVEL"),
    ):
        if value := options.get(option):
            found[name] = str(value)
    folders = {"LOBUG_DATA_DIR": str(data / "lobug"), "LOBUG_MODELS_DIR": str(data / "models")}
    return {**found, **FIXED, **folders}


def main() -> None:
    """Become the server."""
    try:
        options = json.loads((DATA / "options.json").read_text())
        os.environ.update(settings_of(options))
    except (OSError, ValueError) as error:
        sys.exit(f"the options of the add-on cannot be used: {error}")
    for name in ("lobug", "models"):
        folder = DATA / name
        folder.mkdir(mode=0o700, exist_ok=True)
        os.chown(folder, USER, USER)
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)
    os.environ["HOME"] = "/home/lobug"
    subprocess.run(["lobug", "models", "pull"], check=False)  # noqa: S607 - says itself what failed
    if person := options.get("invite"):
        # Valid for ten minutes and for one browser: the door of who installs the add-on.
        subprocess.run(["lobug", "browsers", "invite", "--owner", "--", person], check=False)  # noqa: S603, S607
    os.execvp("lobug", ["lobug", "serve"])  # noqa: S606, S607


if __name__ == "__main__":
    main()
