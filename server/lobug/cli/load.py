"""Reads the settings for a command: faults as sentences, and the origin of every value."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from pydantic import BaseModel, SecretStr, ValidationError
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource, SettingsError

from lobug.cli.faults import CommandError
from lobug.cli.reference import (
    DELIMITER,
    PREFIX,
    Setting,
    all_settings,
    nearest,
    text_of,
    unknown_variables,
)
from lobug.settings import Settings

DOTENV = Path(".env")
"""Where ``Settings`` looks, relative to the working directory."""


@dataclass(frozen=True, slots=True)
class EffectiveValue:
    """A setting's value and its origin."""

    setting: Setting
    value: str
    """As it is written in ``.env``; secrets masked."""
    source: str
    """default, .env, environment or command line."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings that are valid."""

    settings: Settings
    warnings: tuple[str, ...]
    """Sentences about names that have no effect."""
    overrides: Mapping[str, Any]
    """What the command line set."""

    def values(self) -> list[EffectiveValue]:
        """Every setting with its value and origin."""
        layers = (
            ("command line", dict(self.overrides)),
            ("environment", EnvSettingsSource(Settings)()),
            (".env", DotEnvSettingsSource(Settings)()),
        )
        rows = []
        for setting in all_settings():
            names = (name for name, layer in layers if _holds(layer, setting.path))
            value = text_of(_lookup(self.settings, setting.path))
            rows.append(EffectiveValue(setting, value, next(names, "default")))
        return rows


def load_settings(**overrides: Any) -> Loaded:
    """The effective settings. ``overrides`` that are None count as not given.

    Raises CommandError with one sentence for each thing that is wrong.
    """
    given = {name: value for name, value in overrides.items() if value is not None}
    in_file = read_dotenv()
    try:
        settings = Settings(**given)
    except ValidationError as error:
        raise CommandError(*(_sentence(item, in_file) for item in error.errors())) from error
    except SettingsError as error:
        raise CommandError(f"the settings cannot be read: {error} (expected JSON)") from error
    return Loaded(settings, tuple(unknown_variables([*os.environ, *in_file])), given)


def read_dotenv(path: Path = DOTENV) -> dict[str, str]:
    """The variables of ``.env``; empty when there is none. Raises CommandError."""
    try:
        if not path.is_file():
            return {}
        return {name: value or "" for name, value in dotenv_values(path, encoding="utf-8").items()}
    except OSError as error:
        raise CommandError(f"{path.absolute()} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{path.absolute()} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from error


def _sentence(item: Mapping[str, Any], in_file: Mapping[str, str]) -> str:
    """The fault of one setting, under the name that the user wrote. Values of secret settings are
    left out."""
    path = tuple(str(part) for part in item["loc"])
    env = PREFIX + DELIMITER.join(path).upper()
    where = " in .env" if env in {name.upper() for name in in_file} and not _in_env(env) else ""
    if item["type"] == "extra_forbidden":
        near = nearest(env)
        return f"{env}{where} is not a setting" + (f"; did you mean {near}?" if near else "")
    setting = next((s for s in all_settings() if s.path == path[: len(s.path)]), None)
    given = "" if setting is None or setting.secret else f" (it is {item['input']!r})"
    message = item["msg"].replace("Input should", "it should", 1)
    return f"{env}{where} does not fit: {message}{given}"


def _in_env(name: str) -> bool:
    return name in {key.upper() for key in os.environ}


def _holds(layer: object, path: tuple[str, ...]) -> bool:
    for part in path:
        if not isinstance(layer, dict) or part not in layer:
            return False
        layer = layer[part]
    return True


def _lookup(settings: BaseModel, path: tuple[str, ...]) -> object:
    value: object = settings
    for part in path:
        value = getattr(value, part)
    if isinstance(value, SecretStr):
        return "********" if value.get_secret_value() else ""
    return value
