"""`/memory/entries` and `/memory/keys`: list, store, change and erase single entries."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from lobug.errors import (
    IdentityFullError,
    InvalidRequestError,
    MemoryKeyError,
    TextTooLongError,
)
from lobug.http.dependencies import documented
from lobug.http.formats import Answer, Time, epoch_seconds
from lobug.http.memory.requests import (
    MAX_ID,
    WITH_BODY,
    WITH_ID,
    Body,
    MemoryDep,
    ScopeDep,
    Tag,
    get_filter,
    memory_body,
)
from lobug.http.problems import error_responses
from lobug.language.protocol import FactType
from lobug.memory.model import (
    EPOCH,
    Category,
    Draft,
    Entry,
    EntryScope,
    Filter,
    Layer,
)


def shown_fields(model: type[Any]) -> dict[str, Any]:
    """The annotations of an answer that has the fields of a value type of memory: the same names,
    types and descriptions, with RFC 3339 text for seconds since the epoch."""
    found = get_type_hints(model, include_extras=True)
    return {
        name: _shown_field(*get_args(found[name]))
        if get_origin(found[name]) is Annotated
        else found[name]
        for name in (field.name for field in fields(model))
    }


def _shown_field(of: Any, *notes: Any) -> Any:
    if EPOCH in notes:
        of = Time | None if type(None) in get_args(of) else Time
    return Annotated[of, *(note for note in notes if note is not EPOCH)]


class MemoryEntry(Answer):
    """One version of a memory. A change makes a new version under the same key."""

    __annotations__ = shown_fields(Entry)


class MemoryEntries(BaseModel):
    """A page of entries, in the order that was asked for."""

    entries: list[MemoryEntry]
    next: int | None = Field(
        description="In the order of ids: give it as `after` for the next page; null: no more."
    )
    total: int | None = Field(
        None, description="How many entries the filter lets through, where `count` asks for it."
    )


class MemoryHistory(BaseModel):
    """All versions of a memory, oldest first."""

    entries: list[MemoryEntry]


class MemoryProvenance(Answer):
    """An entry and where it comes from."""

    entry: MemoryEntry
    message: str | None = Field(description="The user's words that it was taken from.")
    message_at: Time | None = Field(description="When they were said.")
    derived_from: list[int] = Field(description="Entries that it was distilled from.")


class MemoryForgotten(Answer):
    """What was erased. Nothing in it repeats what was forgotten."""

    entries: list[int] = Field(description="Ids, all versions.")
    keys: list[str] = Field(description="Keys of the entries.")
    messages: int = Field(description="Messages of the log that were blanked.")
    derived: int = Field(description="Summaries and identity lines that contained it.")
    dry_run: bool = Field(False, description="True: nothing was erased, this is what would go.")


EntryId = Annotated[int, Path(ge=1, le=MAX_ID, description="Id of an entry.")]
Key = Annotated[str, Path(max_length=200, description="Key of a memory, such as `user_name`.")]
Tags = Annotated[list[Tag], Field(max_length=32)]
Importance = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


def _moment(value: object) -> object:
    return epoch_seconds(value) if isinstance(value, str) else value


Moment = Annotated[
    float,
    Field(ge=-62_000_000_000, le=253_000_000_000, allow_inf_nan=False),
    BeforeValidator(_moment),
    WithJsonSchema({"anyOf": [{"type": "string", "format": "date-time"}, {"type": "number"}]}),
]
"""RFC 3339, a date, or seconds since the epoch."""


class StoreRequest(Body):
    """A memory to be kept; where its key exists in its scope, a new version of it."""

    content: str = Field(description="What to remember, as a sentence about the user.")
    key: str | None = Field(
        None,
        description="Semantic name: `^[a-z][a-z0-9_]*$`, at most 64 characters, not beginning with"
        " `system_` or `internal_`. Without one it is made from the content.",
    )
    layer: Layer = Field(
        "knowledge",
        description="`identity`: always in the prompt. `knowledge`: recalled when it fits."
        " `archive`: recalled on demand.",
    )
    category: Category = Field("knowledge", description="`timeline`: a dated event.")
    scope: EntryScope = Field(
        "user",
        description="Who recalls it: this `conversation` only, the `user` on all devices, or the"
        " `household` (where `memory.household` grants that).",
    )
    fact_type: FactType = Field("knowledge", description="What kind of fact it is.")
    section: str | None = Field(
        None, max_length=100, description="Of layer identity: the heading it stands under."
    )
    importance: Importance = Field(0.5, description="0 to 1.")
    tags: Tags = Field(default_factory=list, description="Words to find it by.")
    project: str | None = Field(None, max_length=200, description="Project it belongs to.")
    said_at: Moment | None = Field(
        None, description="When it was said, RFC 3339 or seconds since the epoch; default: now."
    )


class EditRequest(Body):
    """Changes of an entry; what is left out stays."""

    content: str | None = Field(None, description="New content.")
    importance: Importance | None = Field(None, description="0 to 1.")
    tags: Tags | None = Field(None, description="All tags from now on.")
    project: str | None = Field(None, max_length=200, description="Project it belongs to.")
    layer: Layer | None = Field(
        None,
        description="Another layer. In `identity` it is in every prompt, word for word, until it is"
        " moved or removed; what is said later does not end it by itself.",
    )


class CorrectRequest(Body):
    """How it really is."""

    content: str = Field(description="What is true instead.")


router = APIRouter()


@router.get("/entries", responses=error_responses(*WITH_ID, TextTooLongError))
async def list_entries(
    scope: ScopeDep,
    memory: MemoryDep,
    where: Annotated[Filter, Depends(get_filter)],
    limit: Annotated[int, Query(ge=1, le=200, description="Entries on a page.")] = 50,
    after: Annotated[
        int, Query(ge=0, le=MAX_ID, description="`next` of the page before this one.")
    ] = 0,
    order: Annotated[
        Literal["id", "newest"],
        Query(description="By `id`, paged by `after`; or said last first, paged by `skip`."),
    ] = "id",
    skip: Annotated[
        int, Query(ge=0, le=MAX_ID, description="With `order=newest`: entries to leave out first.")
    ] = 0,
    count: Annotated[bool, Query(description="Also say how many there are: `total`.")] = False,
) -> MemoryEntries:
    """List memories, a page at a time. Raises InvalidRequestError."""
    if (after and order == "newest") or (skip and order == "id"):
        raise InvalidRequestError("after goes with order=id, skip with order=newest")
    following: int | None = None
    if order == "newest":
        page = await memory.newest(scope, where, limit=limit, skip=skip)
    else:
        found = await memory.entries(scope, where, limit=limit + 1, after_id=after)
        page = found[:limit]
        following = page[-1].id if len(found) > limit else None
    return MemoryEntries(
        entries=[MemoryEntry.of(entry) for entry in page],
        next=following,
        total=await memory.count(scope, where) if count else None,
    )


@router.post(
    "/entries",
    openapi_extra=documented(StoreRequest),
    responses=error_responses(*WITH_BODY, IdentityFullError),
)
async def store_entry(
    body: Annotated[StoreRequest, Depends(memory_body(StoreRequest))],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryEntry:
    """Remember something; where the key exists already, as its new version."""
    if body.scope == "conversation" and scope.conversation is None:
        raise InvalidRequestError(
            "scope: a conversation's memory is stored by its caller, not with ?user="
        )
    fields_given = body.model_dump() | {"tags": tuple(dict.fromkeys(body.tags))}
    draft = Draft(source="user", **fields_given)
    return MemoryEntry.of(await memory.store(scope, draft))


@router.get("/entries/{entry_id}", responses=error_responses(*WITH_ID))
async def show_entry(entry_id: EntryId, scope: ScopeDep, memory: MemoryDep) -> MemoryProvenance:
    """Show a memory, and the words that it came from."""
    return MemoryProvenance.of(await memory.get(scope, entry_id))


@router.patch(
    "/entries/{entry_id}",
    openapi_extra=documented(EditRequest),
    responses=error_responses(*WITH_BODY, IdentityFullError),
)
async def edit_entry(
    entry_id: EntryId,
    body: Annotated[EditRequest, Depends(memory_body(EditRequest))],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryEntry:
    """Change a memory: a new version; what is left out stays."""
    if not body.model_fields_set:
        raise InvalidRequestError(
            "nothing to change: give content, importance, tags, project or layer"
        )
    edited = await memory.edit(
        scope,
        entry_id,
        content=body.content,
        importance=body.importance,
        tags=None if body.tags is None else tuple(dict.fromkeys(body.tags)),
        project=body.project,
        layer=body.layer,
    )
    return MemoryEntry.of(edited)


@router.post(
    "/entries/{entry_id}/correct",
    openapi_extra=documented(CorrectRequest),
    responses=error_responses(*WITH_BODY, IdentityFullError),
)
async def correct_entry(
    entry_id: EntryId,
    body: Annotated[CorrectRequest, Depends(memory_body(CorrectRequest))],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryEntry:
    """Correct a wrong memory: it is never recalled again, and the correction outranks all else."""
    return MemoryEntry.of(await memory.correct(scope, entry_id, body.content))


@router.delete("/entries/{entry_id}", responses=error_responses(*WITH_ID))
async def forget_entry(
    entry_id: EntryId,
    scope: ScopeDep,
    memory: MemoryDep,
    dry_run: Annotated[bool, Query(description="Only say what would go.")] = False,
) -> MemoryForgotten:
    """Erase a memory: all versions, the words it came from and what was derived from them. Cannot
    be undone; `/remove` can."""
    gone = await memory.forget(scope, entry_id, dry_run=dry_run)
    return MemoryForgotten.of(gone, dry_run=dry_run)


@router.post("/entries/{entry_id}/remove", responses=error_responses(*WITH_ID))
async def remove_entry(entry_id: EntryId, scope: ScopeDep, memory: MemoryDep) -> MemoryEntry:
    """Take a memory out of use, without erasing it; `/restore` brings it back."""
    return MemoryEntry.of(await memory.deactivate(scope, entry_id))


@router.post("/entries/{entry_id}/restore", responses=error_responses(*WITH_ID, IdentityFullError))
async def restore_entry(entry_id: EntryId, scope: ScopeDep, memory: MemoryDep) -> MemoryEntry:
    """Make an old version the active one again."""
    return MemoryEntry.of(await memory.restore(scope, entry_id))


@router.get("/entries/{entry_id}/history", responses=error_responses(*WITH_ID))
async def entry_history(entry_id: EntryId, scope: ScopeDep, memory: MemoryDep) -> MemoryHistory:
    """Show all versions of a memory, oldest first."""
    versions = await memory.history(scope, entry_id)
    return MemoryHistory(entries=[MemoryEntry.of(entry) for entry in versions])


@router.get("/keys/{key}", responses=error_responses(*WITH_ID, MemoryKeyError))
async def show_key(key: Key, scope: ScopeDep, memory: MemoryDep) -> MemoryEntry:
    """Show the active memory of a key."""
    return MemoryEntry.of(await memory.find_key(scope, key))


@router.delete("/keys/{key}", responses=error_responses(*WITH_ID, MemoryKeyError))
async def forget_key(key: Key, scope: ScopeDep, memory: MemoryDep) -> MemoryForgotten:
    """Erase the memory of a key, as `DELETE /memory/entries/{entry_id}` does."""
    return MemoryForgotten.of(await memory.forget_key(scope, key))
