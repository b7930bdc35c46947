"""The sentences of ``sentences.toml``, read once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files

_TABLES = tomllib.loads(
    (files("lobug.language") / "en" / "sentences.toml").read_text(encoding="utf-8")
)

REPLIES: Mapping[str, str] = _TABLES["replies"]
"""Replies without the chat model."""

PAIRING: Mapping[str, str] = _TABLES["pairing"]
"""What a new device and the address for devices show."""
