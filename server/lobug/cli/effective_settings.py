"""The settings as commands see them: with the origin of every value, or a sentence for each
fault."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from pydantic import BaseModel, ValidationError
from pydantic_settings import SettingsError

from lobug.cli.sentences import sentence
from lobug.cli.terminal import CommandError
from lobug.settings import Settings
from lobug.settings.inventory import (
    DELIMITER,
    PREFIX,
    Setting,
    all_settings,
    sections,
    text_of,
    value_of,
)
from lobug.settings.live import LiveSettings

OTHER_VARIABLES: frozenset[str] = frozenset({"LOBUG_TEST_WITHOUT_SPEECH"})
"""Variables with our prefix that are not settings but are read elsewhere."""


def unknown_variables(names: Iterable[str], model: type[BaseModel] = Settings) -> list[str]:
    """One sentence for each variable that has our prefix but is no setting."""
    known = {setting.env: setting for setting in all_settings(model)}
    wholes = {PREFIX + section.name.upper() for section in sections(model) if section.name}
    mappings = tuple(env + DELIMITER for env, setting in known.items() if setting.is_mapping)
    sentences = []
    for name in sorted(set(names)):
        upper = name.upper()
        if (
            not upper.startswith(PREFIX)
            or upper in known
            or upper in wholes
            or upper in OTHER_VARIABLES
            or upper.startswith(mappings)
        ):
            continue
        near = difflib.get_close_matches(upper, known, n=1, cutoff=0.75)
        hint = _hint(near[0] if near else None)
        sentences.append(sentence("settings.unknown_ignored", name=name, hint=hint))
    return sentences


def nearest(env: str) -> str | None:
    """The setting with the most similar name; None: none is similar."""
    near = difflib.get_close_matches(env, [s.env for s in all_settings()], n=1, cutoff=0.7)
    return near[0] if near else None


_SOURCES = {"file": ".env", "command_line": "command line"}
"""What other sources are called where a person reads them."""

DOTENV = Path(".env")
"""Where ``Settings`` looks, relative to the working directory."""


@dataclass(frozen=True, slots=True)
class EffectiveValue:
    """A setting's value and its origin."""

    setting: Setting
    value: str
    """As it is written in ``.env``; secrets masked."""
    source: str
    """default, page, .env, environment or command line."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings that are valid."""

    settings: Settings
    """With what was changed while a server ran."""
    warnings: tuple[str, ...]
    """Sentences about names and stored values that have no effect."""
    live: LiveSettings
    """For a server, which reads what is stored anew."""
    overrides: Mapping[str, Any]
    """What the command line set."""

    def values(self) -> list[EffectiveValue]:
        """Every setting with its value and origin."""
        return [
            EffectiveValue(
                row.setting,
                text_of(value_of(self.settings, row.setting.path)),
                _SOURCES.get(row.source, row.source),
            )
            for row in self.live.all()
        ]


def load_settings(**overrides: Any) -> Loaded:
    """The effective settings. ``overrides`` that are None count as not given.

    Raises CommandError with one sentence for each thing that is wrong.
    """
    given = {name: value for name, value in overrides.items() if value is not None}
    in_file = read_dotenv()
    try:
        settings = Settings(**given)
    except ValidationError as error:
        raise CommandError(*(_fault(item, in_file) for item in error.errors())) from error
    except SettingsError as error:
        raise CommandError(sentence("settings.unreadable", error=error)) from error
    live = LiveSettings(settings, command_line=given)
    current = live.load(repair=False)
    unknown = unknown_variables([*os.environ, *in_file])
    return Loaded(current, (*unknown, *live.faults), live, given)


def read_dotenv(path: Path = DOTENV) -> dict[str, str]:
    """The variables of ``.env``; empty when there is none. Raises CommandError."""
    try:
        if not path.is_file():
            return {}
        return {name: value or "" for name, value in dotenv_values(path, encoding="utf-8").items()}
    except OSError as error:
        raise CommandError(
            sentence("settings.file_unreadable", path=path.absolute(), reason=error.strerror)
        ) from error
    except UnicodeDecodeError as error:
        raise CommandError(
            sentence("settings.file_not_utf8", path=path.absolute(), byte=error.start)
        ) from error


def _fault(item: Mapping[str, Any], in_file: Mapping[str, str]) -> str:
    """The fault of one setting, under the name that the user wrote. Values of secret settings are
    left out."""
    path = tuple(str(part) for part in item["loc"])
    if not path:  # settings that do not go together; the sentence names them
        return str(item["msg"]).removeprefix("Value error, ")
    env = PREFIX + DELIMITER.join(path).upper()
    where = (
        sentence("settings.in_file")
        if env in {name.upper() for name in in_file} and not _in_env(env)
        else ""
    )
    if item["type"] == "extra_forbidden":
        return sentence("settings.unknown", name=env, where=where, hint=_hint(nearest(env)))
    setting = next((s for s in all_settings() if s.path == path[: len(s.path)]), None)
    given = ""
    if setting is not None and not setting.secret:
        given = sentence("settings.given", value=repr(item["input"]))
    problem = item["msg"].replace("Input should", "it should", 1)
    return sentence("settings.invalid", name=env, where=where, problem=problem, given=given)


def _hint(near: str | None) -> str:
    return sentence("settings.did_you_mean", name=near) if near else ""


def _in_env(name: str) -> bool:
    return name in {key.upper() for key in os.environ}
