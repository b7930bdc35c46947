"""``GET /skills``: what Lo-Bug can do for whoever asks."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import Field

from lobug.http.dependencies import CallerDep, ServerDep
from lobug.http.formats import Answer
from lobug.language import language_of
from lobug.skills.registry import LANGUAGE


class SkillAnswer(Answer):
    """One skill."""

    name: str = Field(description="As the setting `skills.off` names it.")
    about: str = Field(description="What it does, in one sentence.")
    state: Literal["on", "off", "unavailable"] = Field(
        description="`off`: the owner has switched it off; `unavailable`: something is missing."
    )
    reason: str = Field(description="Why it is unavailable; else empty.")
    examples: list[str] = Field(description="What a person may say, the most telling first.")


class ServerAnswer(Answer):
    """One MCP server that the owner configured."""

    name: str = Field(description="As in the setting `skills.mcp_servers`.")
    connected: bool = Field(description="Whether its tools can be used now.")
    fault: str = Field(description="Why it is not connected; empty: it is, or was never tried.")
    tools: dict[str, bool] = Field(description="Its tools, and whether the owner allows each.")


class SkillsAnswer(Answer):
    """What Lo-Bug can do."""

    skills: list[SkillAnswer]
    mcp_servers: list[ServerAnswer] = Field(description="For the owner; else empty.")


router = APIRouter(tags=["skills"])


@router.get("/skills")
async def list_skills(server: ServerDep, caller: CallerDep) -> SkillsAnswer:
    """Show all skills with examples, also those that are switched off. Does no I/O."""
    sentences = language_of(LANGUAGE).skills
    found = []
    for skill in server.skills:
        on = server.skills.is_on(skill.name)
        reason = (skill.unavailable() or "") if on else ""
        state: Literal["on", "off", "unavailable"] = "on" if on else "off"
        found.append(
            SkillAnswer(
                name=skill.name,
                about=sentences.about(skill.name) if sentences else "",
                state="unavailable" if reason else state,
                reason=reason,
                examples=list(sentences.examples(skill.name)) if sentences else [],
            )
        )
    servers = [
        ServerAnswer(
            name=state.name,
            connected=state.connected,
            fault=state.fault,
            tools=dict(state.tools),
        )
        for state in (server.mcp_servers.states() if caller.owner else ())
    ]
    return SkillsAnswer(skills=found, mcp_servers=servers)
