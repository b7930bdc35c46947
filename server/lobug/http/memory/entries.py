"""`/memory/entries` and `/memory/keys`: see, add, change, take back and erase single memories."""

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
from lobug.http.memory.scope import ControlDep, ScopeDep
from lobug.http.problems import error_responses
from lobug.memory.control import Draft, Filter

router = APIRouter()


@router.get("/entries", responses=error_responses(*WITH_ID, TextTooLongError))
async def list_entries(
    scope: ScopeDep,
    control: ControlDep,
    where: Annotated[Filter, Depends(get_filter)],
    limit: Annotated[int, Query(ge=1, le=200, description="Entries on a page.")] = 50,
    after: Annotated[
        int, Query(ge=0, le=MAX_ID, description="`next` of the page before this one.")
    ] = 0,
) -> MemoryEntries:
    """List memories in the order of their ids, a page at a time."""
    found = await control.entries(scope, where, limit=limit + 1, after_id=after)
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
    control: ControlDep,
) -> MemoryEntry:
    """Remember something; where the key exists already, as its new version."""
    if body.scope == "conversation" and scope.conversation is None:
        raise InvalidRequestError(
            "scope: a conversation's memory is told by its caller, not by ?user="
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
    return MemoryEntry.of(await control.store(scope, draft))


@router.get("/entries/{entry_id}", responses=error_responses(*WITH_ID))
async def show_entry(entry_id: EntryId, scope: ScopeDep, control: ControlDep) -> MemoryProvenance:
    """Show a memory, and the words that it came from."""
    return MemoryProvenance.of(await control.get(scope, entry_id))


@router.patch(
    "/entries/{entry_id}",
    openapi_extra=documented(EditRequest),
    responses=error_responses(*WITH_BODY, IdentityFullError),
)
async def edit_entry(
    entry_id: EntryId,
    body: Annotated[EditRequest, Depends(memory_body(EditRequest))],
    scope: ScopeDep,
    control: ControlDep,
) -> MemoryEntry:
    """Change a memory: a new version; what is left out stays."""
    if not body.model_fields_set:
        raise InvalidRequestError("nothing to change: give content, importance, tags or project")
    edited = await control.edit(
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
    control: ControlDep,
) -> MemoryEntry:
    """Put a wrong memory right: it is never recalled again, what is told here outranks all."""
    return MemoryEntry.of(await control.correct(scope, entry_id, body.content))


@router.delete("/entries/{entry_id}", responses=error_responses(*WITH_ID))
async def forget_entry(entry_id: EntryId, scope: ScopeDep, control: ControlDep) -> MemoryForgotten:
    """Erase a memory: all versions, the words it came from and what was derived from them. Cannot
    be undone; `/remove` can."""
    return MemoryForgotten.of(await control.forget(scope, entry_id))


@router.post("/entries/{entry_id}/remove", responses=error_responses(*WITH_ID))
async def remove_entry(entry_id: EntryId, scope: ScopeDep, control: ControlDep) -> MemoryEntry:
    """Take a memory out of use, without erasing it; `/restore` brings it back."""
    return MemoryEntry.of(await control.remove(scope, entry_id))


@router.post("/entries/{entry_id}/restore", responses=error_responses(*WITH_ID, IdentityFullError))
async def restore_entry(entry_id: EntryId, scope: ScopeDep, control: ControlDep) -> MemoryEntry:
    """Make an old version the active one again."""
    return MemoryEntry.of(await control.restore(scope, entry_id))


@router.get("/entries/{entry_id}/history", responses=error_responses(*WITH_ID))
async def entry_history(entry_id: EntryId, scope: ScopeDep, control: ControlDep) -> MemoryHistory:
    """Show all versions of a memory, oldest first."""
    versions = await control.history(scope, entry_id)
    return MemoryHistory(entries=[MemoryEntry.of(entry) for entry in versions])


@router.get("/keys/{key}", responses=error_responses(*WITH_ID, MemoryKeyError))
async def show_key(key: Key, scope: ScopeDep, control: ControlDep) -> MemoryEntry:
    """Show the active memory of a key."""
    return MemoryEntry.of(await control.find_key(scope, key))


@router.delete("/keys/{key}", responses=error_responses(*WITH_ID, MemoryKeyError))
async def forget_key(key: Key, scope: ScopeDep, control: ControlDep) -> MemoryForgotten:
    """Erase the memory of a key, as `DELETE /memory/entries/{entry_id}` does."""
    return MemoryForgotten.of(await control.forget_key(scope, key))
