"""`/memory/entries` and `/memory/keys`: list, store, change and erase single entries."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from lobug.errors import IdentityFullError, InvalidRequestError, MemoryKeyError, TextTooLongError
from lobug.http.body import documented
from lobug.http.memory.requests import (
    MAX_ID,
    WITH_BODY,
    WITH_ID,
    CorrectRequest,
    EditRequest,
    EntryId,
    Key,
    StoreRequest,
    get_filter,
    memory_body,
)
from lobug.http.memory.schemas import (
    MemoryEntries,
    MemoryEntry,
    MemoryForgotten,
    MemoryHistory,
    MemoryProvenance,
)
from lobug.http.memory.scope import MemoryDep, ScopeDep
from lobug.http.problems import error_responses
from lobug.memory.model import Draft, Filter

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
) -> MemoryEntries:
    """List memories in the order of their ids, a page at a time."""
    found = await memory.entries(scope, where, limit=limit + 1, after_id=after)
    page = found[:limit]
    return MemoryEntries(
        entries=[MemoryEntry.of(entry) for entry in page],
        next=page[-1].id if len(found) > limit else None,
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
    draft = Draft(
        content=body.content,
        key=body.key,
        layer=body.layer,
        category=body.category,
        scope=body.scope,
        fact_type=body.fact_type,
        section=body.section,
        importance=body.importance,
        source="user",
        tags=tuple(dict.fromkeys(body.tags)),
        project=body.project,
        said_at=body.said_at,
    )
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
        raise InvalidRequestError("nothing to change: give content, importance, tags or project")
    edited = await memory.edit(
        scope,
        entry_id,
        content=body.content,
        importance=body.importance,
        tags=None if body.tags is None else tuple(dict.fromkeys(body.tags)),
        project=body.project,
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
    """Put a wrong memory right: it is never recalled again, what is told here outranks all."""
    return MemoryEntry.of(await memory.correct(scope, entry_id, body.content))


@router.delete("/entries/{entry_id}", responses=error_responses(*WITH_ID))
async def forget_entry(entry_id: EntryId, scope: ScopeDep, memory: MemoryDep) -> MemoryForgotten:
    """Erase a memory: all versions, the words it came from and what was derived from them. Cannot
    be undone; `/remove` can."""
    return MemoryForgotten.of(await memory.forget(scope, entry_id))


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
