"""Memory as tools that a caller with a JSON interface can call: the chat model, other programs.

Names, parameters and defaults are those of the designs that Lo-Bug's memory unites. Arguments are
hostile input: a model invents them, and a stored memory may have told it to. They are checked
against closed models before anything is changed; no tool purges.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from lobug.errors import InvalidRequestError, LobugError, MemoryContentError, MemoryNotFoundError
from lobug.language.en.fact_comparison import wrong_entry
from lobug.memory import entries
from lobug.memory.model import Category, Draft, Entry, Filter, Hit, MemoryScope, Source
from lobug.memory.service import Memory

MAX_CONTENT_CHARS = 4_000
"""Longest memory that a tool may write; the setting ``memory.max_content_chars`` may be lower."""
MAX_LISTED = 50
"""Memories that one call returns at most."""

Key = Annotated[str, StringConstraints(min_length=1, max_length=entries.MAX_KEY_CHARS)]
Content = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_CONTENT_CHARS)
]
Query = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1_000)]
Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64)]
Milliseconds = Annotated[int, Field(ge=0, le=253_402_300_799_999)]
"""Unix milliseconds, up to the year 9999."""


class Arguments(BaseModel):
    """The arguments of a tool. Unknown names and converted types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class StoreArguments(Arguments):
    """Of ``memory_store``."""

    key: Key = Field(description="Semantic identifier, for example 'user_language_pref'. Unique.")
    content: Content = Field(description="The full content of the memory.")
    category: Category = Field(
        "knowledge",
        description="'knowledge' for facts and preferences, 'timeline' for what happened.",
    )
    importance: float = Field(
        0.5, ge=0.0, le=1.0, description="0.0 to 1.0; 0.8 and more for what is critical."
    )


class RecallArguments(Arguments):
    """Of ``memory_recall``."""

    query: Query = Field(description="What to look for; with a time range it may be empty.")
    category: Category | None = Field(None, description="Only this category; left out: all.")
    since: Milliseconds | None = Field(None, description="Start of a time range, Unix ms.")
    until: Milliseconds | None = Field(None, description="End of a time range, Unix ms.")
    limit: int = Field(10, ge=1, le=MAX_LISTED, description="Most results.")


class ForgetArguments(Arguments):
    """Of ``memory_forget``."""

    key: Key = Field(description="The key of the memory to delete.")


class CorrectArguments(Arguments):
    """Of ``memory_correct``."""

    content: Content = Field(description="What is right, as a whole sentence.")
    key: Key | None = Field(
        None, description="The key of the wrong memory; left out: it is looked for."
    )


class WriteArguments(Arguments):
    """Of ``memory_write``."""

    action: Literal["add", "update", "remove"]
    layer: Literal["L0", "L1"] = Field(
        description="L0: identity, always in the prompt. L1: knowledge, recalled when it fits."
    )
    content: Content | None = Field(None, description="New content; for add and update.")
    target_id: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,18}$")] | None = Field(
        None, description="Id of the memory; for update and remove."
    )
    tags: Annotated[list[Tag], Field(max_length=20)] | None = None


class MemoryArguments(Arguments):
    """Of ``memory``: explicit memories of the user."""

    action: Literal["save", "list", "delete"]
    key: Key | None = Field(None, description="For save and delete.")
    content: Content | None = Field(None, description="For save.")


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The outcome of a tool call."""

    success: bool
    output: str
    """A sentence or a list for the caller."""
    error: LobugError | None = None
    """The error, with its stable code and its spoken sentence; None: it succeeded."""
    entries: tuple[Entry, ...] = ()
    """What was stored or found."""


@dataclass(frozen=True, slots=True)
class _Call:
    memory: Memory
    scope: MemoryScope
    source: Source
    source_message_id: int | None


_Work = Callable[[_Call, Any], Coroutine[Any, Any, ToolResult]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool with its description and its arguments."""

    name: str
    description: str
    arguments: type[Arguments]
    work: _Work
    read_only: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON schema of the arguments."""
        return self.arguments.model_json_schema()


def validated(name: str, arguments: object) -> Arguments:
    """Check the arguments of a tool; they may be the JSON text that models write.

    Raises InvalidRequestError, MemoryContentError, MemoryKeyError.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise InvalidRequestError("there is no such tool")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            raise InvalidRequestError("the arguments are not JSON") from None
    try:
        checked = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        places = sorted({".".join(map(str, e["loc"])) or "arguments" for e in error.errors()})
        # Names of parameters only: values may be secrets.
        known = [place for place in places if place.split(".")[0] in tool.arguments.model_fields]
        raise MemoryContentError(
            f"wrong arguments: {', '.join(known) or 'unknown names'}"
        ) from None
    key = getattr(checked, "key", None)
    if key is not None:
        entries.checked_key(key)
    return checked


async def run(
    memory: Memory,
    scope: MemoryScope,
    name: str,
    arguments: object,
    *,
    source: Source = "agent",
    source_message_id: int | None = None,
) -> ToolResult:
    """Call a tool. Errors are returned in the result, never raised.

    ``source`` says who calls; ``source_message_id`` names the message that it comes from.
    """
    try:
        checked = validated(name, arguments)
        return await TOOLS[name].work(_Call(memory, scope, source, source_message_id), checked)
    except LobugError as error:
        return ToolResult(False, "", error)


async def _store(call: _Call, asked: StoreArguments) -> ToolResult:
    draft = Draft(
        content=asked.content,
        key=asked.key,
        category=asked.category,
        layer="archive" if asked.category == "timeline" else "knowledge",
        importance=asked.importance,
        source=call.source,
        source_message_id=call.source_message_id,
    )
    entry = await call.memory.store(call.scope, draft)
    return ToolResult(True, f"Memory stored: {entry.key}", entries=(entry,))


async def _recall(call: _Call, asked: RecallArguments) -> ToolResult:
    where = Filter(
        category=asked.category,
        since=None if asked.since is None else asked.since / 1_000,
        until=None if asked.until is None else asked.until / 1_000,
    )
    if not asked.query and asked.since is None and asked.until is None:
        raise MemoryContentError("wrong arguments: query is empty and there is no time range")
    hits = await call.memory.search(call.scope, asked.query, where, limit=asked.limit)
    found = tuple(hit.entry for hit in hits if hit.entry is not None)
    if not hits:
        return ToolResult(True, "No matching memories found.")
    lines = "\n".join(_line(hit) for hit in hits)
    return ToolResult(True, f"Found {len(hits)} memories:\n{lines}", entries=found)


async def _forget(call: _Call, asked: ForgetArguments) -> ToolResult:
    await call.memory.forget_key(call.scope, asked.key)
    return ToolResult(True, f"Memory deleted: {asked.key}")


async def _correct(call: _Call, asked: CorrectArguments) -> ToolResult:
    if asked.key is not None:
        wrong: Entry | None = await call.memory.find_key(call.scope, asked.key)
    else:
        hits = await call.memory.search(call.scope, asked.content, Filter(), limit=10)
        wrong = wrong_entry(asked.content, None, [h.entry for h in hits if h.entry is not None])
    # Only the user's own word is a correction that outranks what they said before.
    source: Source = "correction" if call.source == "user" else call.source
    if wrong is not None:
        entry = await call.memory.correct(call.scope, wrong.id, asked.content, source=source)
        return ToolResult(True, f"Memory corrected: {entry.key}", entries=(entry,))
    draft = Draft(
        asked.content,
        importance=1.0 if source == "correction" else 0.5,
        source=source,
        source_message_id=call.source_message_id,
    )
    entry = await call.memory.store(call.scope, draft)
    return ToolResult(True, f"Memory stored: {entry.key}", entries=(entry,))


async def _write(call: _Call, asked: WriteArguments) -> ToolResult:
    layer: Literal["identity", "knowledge"] = "identity" if asked.layer == "L0" else "knowledge"
    tags = None if asked.tags is None else tuple(asked.tags)
    if asked.action == "add":
        if asked.content is None or asked.target_id is not None:
            raise MemoryContentError("add takes content and no target_id")
        draft = Draft(
            asked.content,
            layer=layer,
            source=call.source,
            tags=tags or (),
            source_message_id=call.source_message_id,
        )
        entry = await call.memory.store(call.scope, draft)
        return ToolResult(True, f"Memory added: {entry.id}", entries=(entry,))
    if asked.target_id is None:
        raise MemoryContentError(f"{asked.action} takes a target_id")
    target = (await call.memory.get(call.scope, int(asked.target_id))).entry
    if target.layer != layer:
        raise MemoryNotFoundError(f"memory {target.id} is not in {asked.layer}")
    if asked.action == "remove":
        await call.memory.deactivate(call.scope, target.id)
        return ToolResult(True, f"Memory removed: {target.id}")
    if asked.content is None and tags is None:
        raise MemoryContentError("update takes content or tags")
    entry = await call.memory.edit(call.scope, target.id, content=asked.content, tags=tags)
    return ToolResult(True, f"Memory updated: {entry.id}", entries=(entry,))


async def _memory(call: _Call, asked: MemoryArguments) -> ToolResult:
    if asked.action == "list":
        found = await call.memory.entries(call.scope, Filter(), limit=MAX_LISTED)
        lines = "\n".join(f"- {entry.key}: {_flat(entry.content)}" for entry in found)
        return ToolResult(True, lines or "No memories.", entries=tuple(found))
    if asked.key is None or (asked.action == "save") != (asked.content is not None):
        raise MemoryContentError("save takes key and content, delete takes key")
    if asked.content is None:
        return await _forget(call, ForgetArguments(key=asked.key))
    return await _store(
        call,
        StoreArguments(key=asked.key, content=asked.content, category="knowledge", importance=0.5),
    )


def _line(hit: Hit) -> str:
    if hit.entry is None:
        return f"- [message {hit.id}]: {_flat(hit.content)}"
    entry = hit.entry
    return (
        f"- {entry.key} [{entry.category}] [importance: {entry.importance:.1f}]:"
        f" {_flat(entry.content)}"
    )


def _flat(content: str) -> str:
    # On one line a memory cannot pose as another part of the model's input.
    return " ".join(content.split())


_ALL: Sequence[Tool] = (
    Tool(
        "memory_store",
        "Store a fact, preference or insight in long-term memory, under a descriptive key; an"
        " existing key gets a new version.",
        StoreArguments,
        _store,
    ),
    Tool(
        "memory_recall",
        "Search long-term memory by words, category and time.",
        RecallArguments,
        _recall,
        read_only=True,
    ),
    Tool(
        "memory_forget",
        "Erase a memory by its key, for good. For what is wrong use memory_correct.",
        ForgetArguments,
        _forget,
    ),
    Tool(
        "memory_correct",
        "Put a wrong memory right; the wrong one is never recalled again.",
        CorrectArguments,
        _correct,
    ),
    Tool(
        "memory_write",
        "Add, update or remove a memory of layer L0 (identity) or L1 (knowledge). Write declarative"
        " facts, not instructions; no passing states.",
        WriteArguments,
        _write,
    ),
    Tool(
        "memory",
        "Save, list or delete explicit memories of the user by key.",
        MemoryArguments,
        _memory,
    ),
)

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _ALL}
"""All tools by name."""
