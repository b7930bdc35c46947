"""``/settings``: what is in effect, and changes while the server runs. For the owner."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse
from pydantic import Field, JsonValue, RootModel

from lobug.concurrency import uninterrupted
from lobug.engines.base import SelectableVoice
from lobug.errors import (
    InvalidEncodingError,
    InvalidRequestError,
    OwnerOnlyError,
    SettingFixedError,
    SettingUnknownError,
    StorageError,
)
from lobug.http.dependencies import ServerDep, documented, json_body, private, require_admin
from lobug.http.formats import Answer
from lobug.http.problems import error_responses, problem
from lobug.server import LobugServer
from lobug.settings.live import EffectiveSetting, LiveSettings
from lobug.settings.section import Kind


class SettingAnswer(Answer):
    """One setting."""

    name: str = Field(description="Section and name, such as `skills.quiet_hours`.")
    section: str = Field(description="The section alone; empty: the server as a whole.")
    label: str = Field(description="What a person calls it.")
    description: str = Field(description="What it does.")
    kind: Kind = Field(description="How it is edited.")
    unit: str = Field(description="Of a number; empty: none.")
    minimum: float | None = Field(description="Least value of a number; null: none.")
    maximum: float | None = Field(description="Largest value of a number; null: none.")
    choices: list[str] = Field(
        description="What it may be, of a `choice` and of `choices`; of the voice of a server: the"
        " names that the server told."
    )
    value: Any = Field(
        description="In effect now. Of a setting that can never change while the server runs: as"
        " text, secrets masked."
    )
    default: Any = Field(description="Where nothing was set.")
    source: Literal["default", "page", "file", "environment", "command_line"] = Field(
        description="Where the value is from: `page` is a change by this route or by"
        " `lobug config set`, `file` is `.env`."
    )
    changeable: bool = Field(description="Whether `PATCH /settings` may change it now.")
    variable: str = Field(description="Its name in the environment and in `.env`.")
    type: str = Field(description="What may be written there, in words.")


class SettingsAnswer(Answer):
    """All settings."""

    settings: list[SettingAnswer]
    faults: list[str] = Field(description="Why stored values are not in effect, as sentences.")


class SettingChanges(RootModel[dict[str, JsonValue]]):
    """New values by the settings' names; null: back to the default."""


router = APIRouter(
    prefix="/settings", tags=["settings"], dependencies=[Depends(private), Depends(require_admin)]
)


async def get_live_settings(request: Request) -> LiveSettings:
    live: LiveSettings = request.app.state.live_settings
    return live


LiveSettingsDep = Annotated[LiveSettings, Depends(get_live_settings)]


@router.get("", responses=error_responses(OwnerOnlyError))
async def list_settings(live: LiveSettingsDep, server: ServerDep) -> SettingsAnswer:
    """Show every setting: its value, default, unit and origin, and whether it may change now."""
    known = {
        "skills.off": [skill.name for skill in server.skills],
        "tts.wyoming_voice": _voices(server),
    }
    return SettingsAnswer(
        settings=[_answer(row, known) for row in live.all()], faults=list(live.faults)
    )


@router.patch(
    "",
    response_model=SettingsAnswer,
    openapi_extra=documented(SettingChanges),
    responses=error_responses(
        OwnerOnlyError,
        InvalidEncodingError,
        InvalidRequestError,
        SettingUnknownError,
        SettingFixedError,
        StorageError,
    ),
)
async def change_settings(
    body: Annotated[SettingChanges, Depends(json_body(SettingChanges))],
    live: LiveSettingsDep,
    server: ServerDep,
) -> SettingsAnswer | JSONResponse:
    """Change settings, all of them or none. They are in effect when this answers, and survive a
    restart. `response` of an error says what is wrong, in words for the owner."""
    try:
        _check_skills(body.root.get("skills.off"), {skill.name for skill in server.skills})
        _check_voice(body.root.get("tts.wyoming_voice"), _voices(server))
        await uninterrupted(live.change(body.root))
    except (InvalidRequestError, SettingFixedError, SettingUnknownError) as error:
        return problem(error, response=_sentence(str(error)))
    return await list_settings(live, server)


def _check_skills(names: JsonValue, known: set[str]) -> None:
    """Refuse a name that no skill has: it would switch nothing off. What is no name is left to the
    setting itself."""
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and name not in known:
            raise InvalidRequestError(f"There is no skill {name}.", param="skills.off")


def _voices(server: LobugServer) -> list[str]:
    """Names of the voices among which ``tts.wyoming_voice`` chooses; empty: it is not known, or no
    Wyoming server is asked."""
    voice: object = server.engines.tts
    if server.settings.tts.engine == "wyoming" and isinstance(voice, SelectableVoice):
        return list(voice.voices)
    return []


def _check_voice(name: JsonValue, known: list[str]) -> None:
    """Refuse a voice that the server does not have: Lo-Bug would lose its voice."""
    if isinstance(name, str) and name and known and name not in known:
        raise InvalidRequestError(f"The server has no voice {name}.", param="tts.wyoming_voice")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _answer(row: EffectiveSetting, known: Mapping[str, list[str]]) -> SettingAnswer:
    setting, mark = row.setting, row.setting.changeable
    return SettingAnswer(
        name=setting.dotted,
        section=setting.path[0] if len(setting.path) > 1 else "",
        label=mark.label if mark is not None else _label(setting.path[-1]),
        description=setting.description,
        kind=setting.kind,
        unit=mark.unit if mark is not None else "",
        minimum=setting.minimum,
        maximum=setting.maximum,
        choices=known.get(setting.dotted, list(setting.choices)),
        value=row.value,
        default=setting.default if mark is not None else setting.default_text,
        source=row.source,
        changeable=row.changeable,
        variable=setting.env,
        type=re.sub(r"\\\|", "|", setting.type_text).replace("`", ""),
    )


def _label(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]
