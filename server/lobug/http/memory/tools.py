"""`/memory/tools`: memory as tools, for programs and models that call tools."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from pydantic import BaseModel, Field, RootModel

from lobug.errors import IdentityFullError
from lobug.http.dependencies import ServerDep, documented, json_body
from lobug.http.formats import Answer
from lobug.http.memory.entries import (
    MemoryEntry,
)
from lobug.http.memory.requests import EVERYWHERE, WITH_BODY, MemoryDep, ScopeDep, check_texts
from lobug.http.problems import error_responses
from lobug.memory.model import (
    MemoryScope,
)
from lobug.memory.service import Memory
from lobug.memory.tools import TOOLS, WriteArguments, run


class MemoryTool(Answer):
    """A tool that a program or a model may call."""

    name: str = Field(description="To be called by.")
    description: str = Field(description="What it does.")
    parameters: dict[str, Any] = Field(description="JSON schema of the arguments.")


class MemoryTools(BaseModel):
    """All tools of memory."""

    tools: list[MemoryTool]


class MemoryToolResult(BaseModel):
    """What a tool call came to."""

    success: bool = Field(description="Whether it did what it was called for.")
    output: str = Field(description="For the caller to read.")
    entries: list[MemoryEntry] = Field(description="What was stored or found.")


router = APIRouter()

_ERRORS = error_responses(*WITH_BODY, IdentityFullError)


class ToolArguments(RootModel[dict[str, Any]]):
    """The arguments of a tool: an object as its `parameters` say."""


async def read_arguments(request: Request, server: ServerDep) -> dict[str, Any]:
    """The arguments in a body; the tool checks their shape. Raises as ``memory_body`` does."""
    arguments = (await json_body(ToolArguments)(request, server)).root
    check_texts("arguments", arguments, server.settings.limits.max_text_chars)
    return arguments


@router.get("/tools", responses=error_responses(*EVERYWHERE))
async def list_tools() -> MemoryTools:
    """List the tools, with the JSON schema of their arguments."""
    return MemoryTools(tools=[MemoryTool.of(tool) for tool in TOOLS.values()])


@router.post("/tools/{name}", openapi_extra=documented(ToolArguments), responses=_ERRORS)
async def call_tool(
    name: Annotated[str, Path(max_length=100, description="A name of `GET /memory/tools`.")],
    arguments: Annotated[dict[str, Any], Depends(read_arguments)],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryToolResult:
    """Call a tool. What it writes counts as written by an agent: the owner's own words outrank
    it."""
    return await _call(memory, scope, name, arguments)


@router.post("/write", openapi_extra=documented(WriteArguments), responses=_ERRORS)
async def write(
    arguments: Annotated[dict[str, Any], Depends(read_arguments)],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryToolResult:
    """Add, update or remove a memory of layer L0 (identity) or L1 (knowledge): the tool
    `memory_write`."""
    return await _call(memory, scope, "memory_write", arguments)


async def _call(
    memory: Memory, scope: MemoryScope, name: str, arguments: dict[str, Any]
) -> MemoryToolResult:
    result = await run(memory, scope, name, arguments, source="agent")
    if result.error is not None:
        raise result.error
    return MemoryToolResult(
        success=result.success,
        output=result.output,
        entries=[MemoryEntry.of(entry) for entry in result.entries],
    )
