"""Options of a command, declared as fields of dataclasses: once, with type, help and default."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints


def with_option_sets(command: Callable[..., None]) -> Callable[..., None]:
    """Let typer see each field of a command's dataclass parameters as an option of its own.

    Every field is annotated as typer wants it and has a default. A parameter that is no dataclass
    stays as it is. The options keep the order of the parameters and their fields.
    """
    hints = get_type_hints(command, include_extras=True)
    sets: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    @functools.wraps(command)
    def flat(**given: Any) -> None:
        for name, kind in sets.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in sets:
            parameters += _options_of(sets[parameter.name])
        else:
            annotation = hints[parameter.name]
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(parameter.replace(annotation=annotation, kind=kind))
    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return flat


def _options_of(option_set: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(option_set, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(option_set)
    ]
