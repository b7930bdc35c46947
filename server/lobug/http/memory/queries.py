"""Searches and views: search, identity, sessions, retrieval log, counts, users."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from lobug.errors import EmptyTextError, TextTooLongError
from lobug.http.caller import CallerDep, ConversationDep
from lobug.http.memory.requests import (
    EVERYWHERE,
    MAX_ID,
    WITH_ID,
    check_text,
    get_filter,
)
from lobug.http.memory.schemas import (
    MemoryHit,
    MemoryHits,
    MemoryIdentity,
    MemoryRecall,
    MemoryRecalls,
    MemorySession,
    MemorySessions,
    MemoryUser,
    MemoryUsers,
    shown,
)
from lobug.http.memory.scope import (
    MemoryDep,
    ScopeDep,
    is_at_this_computer,
    require_this_computer,
)
from lobug.http.problems import error_responses
from lobug.http.state import ServerDep
from lobug.memory.model import Filter

router = APIRouter()


@router.get("/search", responses=error_responses(*EVERYWHERE, EmptyTextError, TextTooLongError))
async def search(
    caller: CallerDep,
    scope: ScopeDep,
    memory: MemoryDep,
    server: ServerDep,
    where: Annotated[Filter, Depends(get_filter)],
    q: Annotated[str, Query(description="Words or a question; empty: all of a time range.")] = "",
    limit: Annotated[int, Query(ge=1, le=100, description="Most hits.")] = 5,
    turns: Annotated[bool, Query(description="Also search what was said, word for word.")] = False,
) -> MemoryHits:
    """Search memories by meaning and words, best first."""
    check_text("q", q, server.settings.limits.max_text_chars)
    if not q.strip() and where.since is None and where.until is None:
        raise EmptyTextError("q is empty: give words, or since and until")
    hits = await memory.search(scope, q, where, limit=limit, turns=turns)
    return MemoryHits(hits=[MemoryHit.of(hit, parts=caller.owner) for hit in hits])


@router.get("/identity", responses=error_responses(*EVERYWHERE))
async def identity(scope: ScopeDep, memory: MemoryDep) -> MemoryIdentity:
    """Show what Lo-Bug always keeps in mind, and how much room is left."""
    return MemoryIdentity.of(await memory.identity(scope))


@router.get("/sessions", responses=error_responses(*EVERYWHERE))
async def sessions(
    scope: ScopeDep,
    memory: MemoryDep,
    limit: Annotated[int, Query(ge=1, le=200, description="Sessions on a page.")] = 50,
    before: Annotated[
        int | None, Query(ge=1, le=MAX_ID, description="`next` of the page before this one.")
    ] = None,
) -> MemorySessions:
    """List sessions, newest first, a page at a time."""
    found = await memory.sessions(scope, limit=limit + 1, before_id=before)
    page = found[:limit]
    return MemorySessions(
        sessions=[MemorySession.of(session) for session in page],
        next=page[-1].id if len(found) > limit else None,
    )


@router.get("/why", responses=error_responses(*WITH_ID))
async def why(
    caller: CallerDep,
    scope: ScopeDep,
    memory: MemoryDep,
    message_id: Annotated[
        int | None,
        Query(ge=1, le=MAX_ID, description="Of the user's message; without it the last one."),
    ] = None,
) -> MemoryRecall:
    """Show which memories a turn used, and how they scored."""
    return MemoryRecall.of(await memory.explain(scope, message_id), parts=caller.owner)


@router.get("/recalls", responses=error_responses(*EVERYWHERE))
async def recalls(
    caller: CallerDep,
    scope: ScopeDep,
    memory: MemoryDep,
    limit: Annotated[int, Query(ge=1, le=200, description="Most rows.")] = 20,
) -> MemoryRecalls:
    """Show the retrieval log, newest first."""
    found = await memory.recalls(scope, limit=limit)
    return MemoryRecalls(recalls=[MemoryRecall.of(recall, parts=caller.owner) for recall in found])


@router.get("/stats", responses=error_responses(*EVERYWHERE))
async def stats(request: Request, scope: ScopeDep, memory: MemoryDep) -> dict[str, Any]:
    """Count what is remembered of the user, and what room it takes."""
    counts = shown(await memory.user_stats(scope))
    if not is_at_this_computer(request):
        counts.pop("database", None)  # place and size of the file are for the owner only
    return counts


@router.get(
    "/users",
    dependencies=[Depends(require_this_computer)],
    responses=error_responses(*EVERYWHERE),
)
async def users(memory: MemoryDep, conversation_key: ConversationDep) -> MemoryUsers:
    """List everybody of whom anything is kept; for the owner at the computer that Lo-Bug runs
    on."""
    known = await memory.users()
    return MemoryUsers(users=[MemoryUser.of(user) for user in known], you=conversation_key.user)
