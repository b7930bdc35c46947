"""The settings as commands see them: each as a row, read with the origin of every value.

The configuration page, ``.env.example``, ``lobug config`` and the search for misspelt names all use
the same rows, so that none of them can miss a setting.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from dotenv import dotenv_values
from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource, SettingsError

from lobug.cli.sentences import sentence
from lobug.cli.terminal import CommandError
from lobug.settings import Settings

PREFIX = "LOBUG_"
DELIMITER = "__"

MACHINE_DEFAULTS: Mapping[str, str] = {
    "data_dir": "the user's data folder: `~/.local/share/lobug` on Linux,"
    " `~/Library/Application Support/lobug` on macOS",
    "models_dir": "`models` in the user's cache folder: `~/.cache/lobug/models` on Linux,"
    " `~/Library/Caches/lobug/models` on macOS",
}
"""Descriptions of defaults that differ between machines: a page must not show one machine's."""

OTHER_VARIABLES: frozenset[str] = frozenset({"LOBUG_TEST_WITHOUT_SPEECH"})
"""Variables with our prefix that are not settings but are read elsewhere."""

_BOUNDS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting."""

    path: tuple[str, ...]
    """Section and name, or the name alone."""
    type_text: str
    default_text: str
    """As it is written in ``.env``; empty for empty text and for what is not set."""
    description: str
    secret: bool
    is_mapping: bool

    @property
    def env(self) -> str:
        """The name in the environment."""
        return PREFIX + DELIMITER.join(self.path).upper()

    @property
    def dotted(self) -> str:
        """The name in prose, such as ``chat.engine``."""
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class Section:
    """Settings that belong together."""

    name: str
    """Empty for settings outside any section."""
    description: str
    settings: tuple[Setting, ...]


def sections(model: type[BaseModel] = Settings) -> list[Section]:
    """All settings, in the order in which they are declared."""
    loose: list[Setting] = []
    grouped: list[Section] = []
    for name, info in model.model_fields.items():
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            group = info.annotation
            rows = tuple(_setting((name, key), field) for key, field in group.model_fields.items())
            grouped.append(Section(name, " ".join((group.__doc__ or "").split()), rows))
        else:
            loose.append(_setting((name,), info))
    return [Section("", "The server as a whole.", tuple(loose)), *grouped]


def all_settings(model: type[BaseModel] = Settings) -> Iterator[Setting]:
    for section in sections(model):
        yield from section.settings


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


def text_of(value: object) -> str:
    """A value as it is written in ``.env``. Secrets are not revealed."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case SecretStr():
            return str(value)
        case Enum():
            return str(value.value)
        case dict() | list() | tuple():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)


def _setting(path: tuple[str, ...], info: FieldInfo) -> Setting:
    default = info.default
    if path[-1] in MACHINE_DEFAULTS and len(path) == 1:
        default_text = ""
    elif default is PydanticUndefined:
        default_text = text_of(info.get_default(call_default_factory=True, validated_data={}))
    else:
        default_text = text_of(default)
    inner = _without_none(info.annotation)
    return Setting(
        path=path,
        type_text=_type_text(info),
        default_text=default_text,
        description=info.description or "",
        secret=inner is SecretStr,
        is_mapping=get_origin(inner) is dict,
    )


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) in {Union, UnionType}:
        rest = [part for part in get_args(annotation) if part is not NoneType]
        if len(rest) == 1:
            return rest[0]
    return annotation


def _type_text(info: FieldInfo) -> str:
    inner = _without_none(info.annotation)
    if get_origin(inner) is Literal:
        return ", ".join(f"`{text_of(value)}`" for value in get_args(inner))
    names: dict[Any, str] = {
        bool: "`true`, `false`",
        int: "whole number",
        float: "number",
        str: "text",
        Path: "path",
        SecretStr: "secret text",
    }
    of_json = {dict: "JSON object", tuple: "JSON list"}
    name = of_json.get(get_origin(inner) or inner) or names.get(inner, str(inner))
    bounds = []
    for constraint in info.metadata:
        for attribute, sign in _BOUNDS.items():
            limit = getattr(constraint, attribute, None)
            if limit is not None:
                bounds.append(f"{sign} {limit:g}")
        pattern = getattr(constraint, "pattern", None)
        if pattern:
            bounds.append(f"like `{pattern}`".replace("|", "\\|"))
    return f"{name}, {' and '.join(bounds)}" if bounds else name


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
        raise CommandError(*(_fault(item, in_file) for item in error.errors())) from error
    except SettingsError as error:
        raise CommandError(sentence("settings.unreadable", error=error)) from error
    return Loaded(settings, tuple(unknown_variables([*os.environ, *in_file])), given)


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
