"""Every setting as a row: its names, type, default and meaning, and what is known of its origin.

The configuration page, ``.env.example``, ``lobug config``, ``GET /settings`` and the search for
misspelt names all use the same rows, so that none of them can miss a setting.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from lobug.settings import Settings
from lobug.settings.section import Changeable, Kind

PREFIX = "LOBUG_"
DELIMITER = "__"

MACHINE_DEFAULTS: Mapping[str, str] = {
    "data_dir": "the user's data folder: `~/.local/share/lobug` on Linux,"
    " `~/Library/Application Support/lobug` on macOS",
    "models_dir": "`models` in the user's cache folder: `~/.cache/lobug/models` on Linux,"
    " `~/Library/Caches/lobug/models` on macOS",
}
"""Descriptions of defaults that differ between machines: a page must not show one machine's."""

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
    changeable: Changeable | None
    """How it may be changed while the server runs; None: it may not."""
    kind: Kind
    default: object
    """As JSON, of a changeable setting; else None."""
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]

    @property
    def env(self) -> str:
        """The name in the environment."""
        return PREFIX + DELIMITER.join(self.path).upper()

    @property
    def dotted(self) -> str:
        """The name in prose, such as ``chat.engine``."""
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class SectionRow:
    """The settings of a section, or those outside any."""

    name: str
    """Empty for settings outside any section."""
    description: str
    settings: tuple[Setting, ...]


def sections(model: type[BaseModel] = Settings) -> list[SectionRow]:
    """All settings, in the order in which they are declared."""
    loose: list[Setting] = []
    grouped: list[SectionRow] = []
    for name, info in model.model_fields.items():
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            group = info.annotation
            rows = tuple(_setting((name, key), field) for key, field in group.model_fields.items())
            grouped.append(SectionRow(name, " ".join((group.__doc__ or "").split()), rows))
        else:
            loose.append(_setting((name,), info))
    return [SectionRow("", "The server as a whole.", tuple(loose)), *grouped]


@cache
def all_settings(model: type[BaseModel] = Settings) -> tuple[Setting, ...]:
    """All settings, in the order in which they are declared. Collected once: it takes tens of
    milliseconds, in which a server could do nothing else."""
    return tuple(setting for section in sections(model) for setting in section.settings)


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
            return json.dumps(to_jsonable_python(value), ensure_ascii=False)
        case BaseModel():
            return value.model_dump_json()
        case _:
            return str(value)


def _setting(path: tuple[str, ...], info: FieldInfo) -> Setting:
    default = info.default
    if default is PydanticUndefined:
        default = info.get_default(call_default_factory=True, validated_data={})
    of_machine = path[-1] in MACHINE_DEFAULTS and len(path) == 1
    default_text = "" if of_machine else text_of(default)
    inner = _without_none(info.annotation)
    marks = [mark for mark in info.metadata if isinstance(mark, Changeable)]
    changeable = marks[0] if marks else None
    return Setting(
        path=path,
        type_text=_type_text(info),
        default_text=default_text,
        description=info.description or "",
        secret=inner is SecretStr,
        is_mapping=get_origin(inner) is dict,
        changeable=changeable,
        kind=(changeable and changeable.kind) or _kind(inner),
        default=to_jsonable_python(default) if changeable else None,
        minimum=_limit(info, "ge", "gt"),
        maximum=_limit(info, "le", "lt"),
        choices=_choices(inner, changeable),
    )


def _kind(inner: Any) -> Kind:
    if get_origin(inner) is Literal:
        return "choice"
    kinds: dict[Any, Kind] = {bool: "switch", int: "number", float: "number"}
    return kinds.get(inner, "text")


def _choices(inner: Any, changeable: Changeable | None) -> tuple[str, ...]:
    if changeable is not None and changeable.choices:
        return changeable.choices
    return tuple(map(str, get_args(inner))) if get_origin(inner) is Literal else ()


def _limit(info: FieldInfo, *attributes: str) -> float | None:
    found = [getattr(c, name, None) for c in info.metadata for name in attributes]
    return next((float(limit) for limit in found if limit is not None), None)


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
    of_json = {dict: "JSON object", tuple: "JSON list", list: "JSON list"}
    name = of_json.get(get_origin(inner) or inner) or names.get(inner)
    if name is None:
        is_section = isinstance(inner, type) and issubclass(inner, BaseModel)
        name = "JSON object" if is_section else str(inner)
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


def holds(layer: object, path: tuple[str, ...]) -> bool:
    for part in path:
        if not isinstance(layer, dict) or part not in layer:
            return False
        layer = layer[part]
    return True


def value_of(settings: BaseModel, path: tuple[str, ...]) -> object:
    value: object = settings
    for part in path:
        value = getattr(value, part)
    if isinstance(value, SecretStr):
        return "********" if value.get_secret_value() else ""
    return value
