"""The settings in effect while a server runs, and how its owner changes them.

``Settings`` are frozen: a change makes new ones, which replace the old ones at once. What the
command line, the environment or ``.env`` sets takes precedence, so it cannot be changed here.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from lobug.errors import InvalidRequestError, SettingFixedError, SettingUnknownError
from lobug.settings import Settings, stored
from lobug.settings.inventory import Setting, all_settings, holds, text_of, value_of
from lobug.settings.stored import StoredSettingsError

Source = Literal["default", "page", "file", "environment", "command_line"]
"""Where a value comes from: ``page`` is ``settings.json``, ``file`` is ``.env``."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """A setting as it is in effect."""

    setting: Setting
    value: object
    """As JSON; of a setting that may not change: as it is written in ``.env``, secrets masked."""
    source: Source

    @property
    def changeable(self) -> bool:
        """Whether it may be changed now."""
        return self.setting.changeable is not None and self.source in {"default", "page"}


class LiveSettings:
    """The settings in effect. All methods run on one event loop, or before it."""

    def __init__(self, given: Settings, *, command_line: Collection[str] = ()) -> None:
        """``given``: by the command line, the environment and ``.env``, or by a program; what they
        leave open may be changed. ``command_line``: names that the command line set."""
        self.given = given
        self.current = given
        self._faults: dict[str, str] = {}
        """Why stored values are not in effect, by name; of the whole file: by an empty name."""
        self._sources = _sources(given, command_line)
        self._stored: dict[str, object] = {}
        self._lock = asyncio.Lock()
        self._apply: Callable[[Settings], None] = _nothing
        self._listeners: list[Callable[[frozenset[str]], None]] = []

    @property
    def faults(self) -> tuple[str, ...]:
        """Why stored values are not in effect, as sentences."""
        return tuple(self._faults.values())

    def load(self, *, repair: bool) -> Settings:
        """Read what is stored. ``repair``: a file that cannot be used is renamed, so that the next
        change does not overwrite it; only for the holder of the data folder. Returns the settings
        in effect. Blocks for one small file."""
        folder = self.given.data_dir
        self._faults = {}
        try:
            self._stored = stored.read(folder)
        except StoredSettingsError as error:
            self._stored = {}
            aside = stored.set_aside(folder) if repair else None
            kept = f"; it is kept as {aside.name}" if aside is not None else ""
            self._faults[""] = f"{error}, so the defaults are in effect{kept}"
        usable = {}
        for name, value in self._stored.items():
            try:
                self._settable(name)
                with_values(self.given, {name: value})
            except SettingFixedError:
                continue  # the environment takes precedence, as documented
            except (SettingUnknownError, InvalidRequestError) as error:
                place = folder / stored.FILE
                self._faults[name] = f"{name} in {place} has no effect: {error}"
            else:
                usable[name] = value
        for fault in self.faults:
            log.warning("settings: %s", fault)
        self.current = with_values(self.given, usable)
        return self.current

    def when_applied(self, apply: Callable[[Settings], None]) -> None:
        """Let ``apply`` put new settings into effect. It must not fail."""
        self._apply = apply

    def subscribe(self, listener: Callable[[frozenset[str]], None]) -> None:
        """Call ``listener`` with the names of the settings of a change, once it is in effect."""
        self._listeners.append(listener)

    def all(self) -> list[EffectiveSetting]:
        """Every setting as it is in effect, in the order of their declaration."""
        return [self._effective(setting) for setting in all_settings()]

    def _effective(self, setting: Setting) -> EffectiveSetting:
        source = self._sources.get(setting.path, "default")
        value = value_of(self.current, setting.path)
        if source == "default" and setting.dotted in self._stored.keys() - self._faults.keys():
            source = "page"
        shown = text_of(value) if setting.changeable is None else to_jsonable_python(value)
        return EffectiveSetting(setting, shown, source)

    async def change(self, values: Mapping[str, object]) -> frozenset[str]:
        """Change settings, all of them or none; None as a value: back to the default. They are
        stored and in effect when this returns; do not cancel it. Returns the names of those whose
        values are others now.

        Raises SettingUnknownError, SettingFixedError, InvalidRequestError with a sentence for a
        person, StorageError.
        """
        async with self._lock:
            wanted = dict(self._stored)
            for name, value in values.items():
                setting = self._settable(name)
                if value is None:
                    wanted.pop(name, None)
                    continue
                checked = with_values(self.given, {name: value})
                wanted[name] = to_jsonable_python(value_of(checked, setting.path))
            current = with_values(self.given, self._usable(wanted, values))
            if wanted != self._stored:
                await asyncio.to_thread(stored.write, self.given.data_dir, wanted)
            before, self.current, self._stored = self.current, current, wanted
            for name in ("", *values):
                self._faults.pop(name, None)
            changed = frozenset(
                name for name in values if _value(before, name) != _value(current, name)
            )
            if changed:
                self._apply(current)
                log.info("settings changed: %s", ", ".join(sorted(changed)))
            for listener in self._listeners if changed else ():
                listener(changed)
            return changed

    def _usable(self, wanted: Mapping[str, object], new: Collection[str]) -> dict[str, object]:
        """The stored values that are in effect: new ones, and former ones without a fault."""
        usable = {}
        for name, value in wanted.items():
            setting = changeable_settings().get(name)
            if setting is None or setting.path in self._sources:
                continue
            if name in new or name not in self._faults:
                usable[name] = value
        return usable

    def _settable(self, name: str) -> Setting:
        """The setting of a name. Raises SettingUnknownError, SettingFixedError."""
        setting = changeable_settings().get(name)
        if setting is None:
            fixed = next((one for one in all_settings() if one.dotted == name), None)
            if fixed is None:
                raise SettingUnknownError(f"there is no setting {name}")
            raise SettingFixedError(f"{name} cannot change while Lo-Bug runs; set {fixed.env}")
        source = self._sources.get(setting.path)
        if source is not None:
            where = {"environment": "by the environment", "file": "in .env"}
            place = where.get(source, "by whoever started Lo-Bug")
            raise SettingFixedError(f"{setting.env} is set {place}, which takes precedence")
        return setting


def with_values(settings: Settings, values: Mapping[str, object]) -> Settings:
    """Settings with other values of changeable settings, by their names. Raises
    InvalidRequestError with a sentence for a person. Pure."""
    by_section: dict[str, dict[str, object]] = {}
    for name, value in values.items():
        setting = changeable_settings()[name]
        _check_shape(setting, value)
        section, key = setting.path
        by_section.setdefault(section, {})[key] = value
    update = {}
    for name, changes in by_section.items():
        section_now: BaseModel = getattr(settings, name)
        try:
            update[name] = type(section_now).model_validate({**dict(section_now), **changes})
        except ValidationError as error:
            raise _invalid(name, error) from error
    return settings.model_copy(update=update) if update else settings


@cache
def changeable_settings() -> Mapping[str, Setting]:
    """The settings that may change while a server runs, by name."""
    return {one.dotted: one for one in all_settings() if one.changeable is not None}


def _check_shape(setting: Setting, value: object) -> None:
    """Refuse what pydantic would accept, or what could not be stored."""
    assert setting.changeable is not None  # noqa: S101 - for the type checker
    label, name = setting.changeable.label, setting.dotted
    if setting.kind == "number" and isinstance(value, bool):
        raise InvalidRequestError(f"{label} should be a number.", param=name)
    if setting.kind == "choice" and value not in setting.choices:
        raise InvalidRequestError(
            f"{label} should be one of: {', '.join(setting.choices)}.", param=name
        )
    for leaf in _leaves(value):
        if _is_infinite(leaf, as_text=setting.kind == "number"):
            raise InvalidRequestError(f"{label} should be a finite number.", param=name)
        if not isinstance(leaf, str):
            continue
        longest = setting.changeable.longest
        if len(leaf) > longest:
            message = f"{label} should have at most {longest} characters."
            raise InvalidRequestError(message, param=name)
        if any(0xD800 <= ord(character) <= 0xDFFF or character == "\0" for character in leaf):
            raise InvalidRequestError(f"{label} should be text.", param=name)


def _is_infinite(leaf: object, *, as_text: bool) -> bool:
    """Whether a value is a number, or with ``as_text`` the text of one, that is not finite."""
    if not isinstance(leaf, float) and not (as_text and isinstance(leaf, str)):
        return False
    try:
        return not math.isfinite(float(leaf))
    except ValueError:
        return False  # not a number at all, which pydantic says


def _leaves(value: object) -> Iterable[object]:
    match value:
        case dict():
            for key, item in value.items():
                yield key
                yield from _leaves(item)
        case list():
            for item in value:
                yield from _leaves(item)
        case _:
            yield value


def _invalid(section: str, error: ValidationError) -> InvalidRequestError:
    fault = error.errors(include_url=False, include_context=False)[0]
    keys = [str(part) for part in fault["loc"]]
    name = ".".join([section, *keys[:1]])
    setting = changeable_settings().get(name)
    mark = setting.changeable if setting is not None else None
    label = mark.label if mark is not None else name
    inner = f" ({keys[1]})" if len(keys) > 1 else ""
    reason = fault["msg"].removeprefix("Value error, ")
    if mark is not None and mark.example and fault["type"] == "string_pattern_mismatch":
        message = f"{label} should be written like {mark.example}."
    elif reason.startswith("Input should"):
        message = f"{label}{inner} {reason.removeprefix('Input ')}."
    else:
        message = f"{label}{inner}: {reason}."
    return InvalidRequestError(message, param=name)


def _sources(given: Settings, command_line: Collection[str]) -> dict[tuple[str, ...], Source]:
    """Where the values come from that are not defaults."""
    layers: tuple[tuple[Source, object], ...] = (
        ("command_line", dict.fromkeys(command_line)),
        ("environment", EnvSettingsSource(Settings)()),
        ("file", DotEnvSettingsSource(Settings)()),
    )
    found: dict[tuple[str, ...], Source] = {}
    for setting in all_settings():
        if _is_set(given, setting.path):
            names = (name for name, layer in layers if holds(layer, setting.path))
            found[setting.path] = next(names, "command_line")
    return found


def _is_set(settings: BaseModel, path: tuple[str, ...]) -> bool:
    model: object = settings
    for part in path:
        if not isinstance(model, BaseModel) or part not in model.model_fields_set:
            return False
        model = getattr(model, part)
    return True


def _value(settings: Settings, name: str) -> object:
    return value_of(settings, tuple(name.split(".")))


def _nothing(_settings: Settings) -> None:
    pass
