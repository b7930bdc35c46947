"""Tools of memory: those of ``memory/tools.py``, and routes of `/memory` that a model may use."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from lobug.errors import ConfirmationRequiredError, InvalidRequestError
from lobug.http.formats import Answer, Time
from lobug.http.mcp.tool import McpAnswer, McpCall, McpTool, answer_of
from lobug.http.memory import entries, erasure
from lobug.http.memory.entries import MemoryForgotten
from lobug.http.memory.requests import MAX_ID
from lobug.memory.model import Category, Filter, Layer
from lobug.memory.tools import MAX_LISTED, TOOLS, Arguments, Key, run

Id = Annotated[int, Field(ge=1, le=MAX_ID)]


class ListMemoriesArguments(Arguments):
    """Of ``memory_list``."""

    layer: Layer | None = Field(None, description="Only this layer.")
    category: Category | None = Field(None, description="Only this category.")
    status: Literal["active", "past", "inactive", "all"] = Field(
        "active", description="`active`: held to be true; `past`: was; `inactive`: replaced."
    )
    limit: int = Field(20, ge=1, le=MAX_LISTED, description="Most memories.")
    skip: int = Field(0, ge=0, le=MAX_ID, description="How many to leave out first.")


class EntryArguments(Arguments):
    """Of ``memory_show``: with exactly one of ``id`` and ``key``."""

    id: Id | None = Field(None, description="Id of the memory.")
    key: Key | None = Field(None, description="Key of the memory.")


class ForgetArguments(EntryArguments):
    """Of ``memory_forget``: with exactly one of ``id``, ``key`` and ``text``."""

    text: Annotated[str, StringConstraints(min_length=1)] | None = Field(
        None, description="Whatever says this is erased."
    )
    confirm: bool = Field(
        False,
        description="Without it nothing is erased, and the answer says what would be. Set it only"
        " after the person has agreed: it cannot be undone.",
    )


class Remembered(Answer):
    """A memory as a model needs it; `GET /memory/entries` shows all of it."""

    id: int
    key: str
    content: str
    layer: Layer
    category: Category
    status: str
    importance: float
    tags: list[str]
    project: str | None
    said_at: Time


class MemoryToolResult(BaseModel):
    """What a tool of memory came to."""

    output: str
    memories: list[Remembered]


class ListedMemories(BaseModel):
    """A page of memories."""

    memories: list[Remembered]
    total: int


class ShownMemory(BaseModel):
    """A memory and where it comes from."""

    memory: Remembered
    message: str | None
    message_at: Time | None


async def _of_memory(name: str, call: McpCall, asked: Arguments) -> McpAnswer:
    """Call a tool of memory as `POST /memory/tools/{name}` does."""
    result = await run(call.server.memory, call.scope, name, asked.model_dump(), source="agent")
    if result.error is not None:
        raise result.error
    memories = [Remembered.of(entry) for entry in result.entries]
    return answer_of(MemoryToolResult(output=result.output, memories=memories), result.output)


async def _recall(call: McpCall, asked: Arguments) -> McpAnswer:
    return await _of_memory("memory_recall", call, asked)


async def _store(call: McpCall, asked: Arguments) -> McpAnswer:
    return await _of_memory("memory_store", call, asked)


async def _correct(call: McpCall, asked: Arguments) -> McpAnswer:
    return await _of_memory("memory_correct", call, asked)


async def _list(call: McpCall, asked: ListMemoriesArguments) -> McpAnswer:
    where = Filter(
        layer=asked.layer,
        category=asked.category,
        status=None if asked.status == "all" else asked.status,
    )
    found = await entries.list_entries(
        call.scope,
        call.server.memory,
        where,
        limit=asked.limit,
        order="newest",
        skip=asked.skip,
        count=True,
    )
    memories = [Remembered.of(entry) for entry in found.entries]
    return answer_of(ListedMemories(memories=memories, total=found.total or 0))


async def _entry_id(call: McpCall, asked: EntryArguments) -> int:
    """The id of an entry that is named by id or key. Raises MemoryNotFoundError, MemoryKeyError."""
    if asked.id is not None:
        return asked.id
    return (await call.server.memory.find_key(call.scope, asked.key or "")).id


async def _show(call: McpCall, asked: EntryArguments) -> McpAnswer:
    if (asked.id is None) == (asked.key is None):
        raise InvalidRequestError("give exactly one of id and key")
    entry_id = await _entry_id(call, asked)
    found = await entries.show_entry(entry_id, call.scope, call.server.memory)
    return answer_of(
        ShownMemory(
            memory=Remembered.of(found.entry),
            message=found.message,
            message_at=found.message_at,
        )
    )


async def _forget(call: McpCall, asked: ForgetArguments) -> McpAnswer:
    memory, scope = call.server.memory, call.scope
    if sum(given is not None for given in (asked.id, asked.key, asked.text)) != 1:
        raise InvalidRequestError("give exactly one of id, key and text")
    if asked.text is not None:
        request = erasure.ForgetRequest(text=asked.text, confirm=asked.confirm)
        return _forgotten(await erasure.forget(request, scope, memory))
    entry_id = await _entry_id(call, asked)
    if not asked.confirm:
        found = await memory.forget(scope, entry_id, dry_run=True)
        raise ConfirmationRequiredError(
            f"this would erase {erasure.counted(found)}; send confirm: true"
        )
    return _forgotten(await entries.forget_entry(entry_id, scope, memory))


def _forgotten(gone: MemoryForgotten) -> McpAnswer:
    if gone.entries or gone.messages or gone.derived:
        text = f"Erased for good: {erasure.counted(gone)}."
    else:
        text = "Nothing was erased, because nothing says that."
    return answer_of(gone, text)


MEMORY_TOOLS: tuple[McpTool, ...] = (
    McpTool(
        name="memory_recall",
        title="Search memory",
        description=TOOLS["memory_recall"].description,
        scope="memory:read",
        arguments=TOOLS["memory_recall"].arguments,
        work=_recall,
        read_only=True,
    ),
    McpTool(
        name="memory_list",
        title="List memories",
        description="List what is remembered of the user, said last first.",
        scope="memory:read",
        arguments=ListMemoriesArguments,
        work=_list,
        read_only=True,
    ),
    McpTool(
        name="memory_show",
        title="Show a memory",
        description="Show one memory, by id or key, and the words that it came from.",
        scope="memory:read",
        arguments=EntryArguments,
        work=_show,
        read_only=True,
    ),
    McpTool(
        name="memory_store",
        title="Remember",
        description=TOOLS["memory_store"].description,
        scope="memory:write",
        arguments=TOOLS["memory_store"].arguments,
        work=_store,
    ),
    McpTool(
        name="memory_correct",
        title="Correct a memory",
        description=TOOLS["memory_correct"].description,
        scope="memory:write",
        arguments=TOOLS["memory_correct"].arguments,
        work=_correct,
        destructive=True,
    ),
    McpTool(
        name="memory_forget",
        title="Forget",
        description="Erase a memory for good, by id, by key, or by what it says: all its versions,"
        " the words that it came from and what was derived from them. Call it without confirm"
        " first, tell the person what would go, and confirm only when they agree. For what is"
        " wrong use memory_correct.",
        scope="memory:write",
        arguments=ForgetArguments,
        work=_forget,
        destructive=True,
        idempotent=True,
    ),
)
