"""Searches and views: search, identity, sessions, retrieval log, counts, users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from pydantic import BaseModel, Field

from lobug.access.callers import Caller
from lobug.errors import (
    EmptyTextError,
    IdentityChangedError,
    IdentityFullError,
    IdentityInvalidError,
    TextTooLongError,
)
from lobug.http.dependencies import CallerDep, ConversationDep, ServerDep, documented
from lobug.http.formats import Answer, Time, rfc3339
from lobug.http.memory.entries import MemoryEntry, shown_fields
from lobug.http.memory.requests import (
    EVERYWHERE,
    MAX_ID,
    WITH_BODY,
    WITH_ID,
    Body,
    MemoryDep,
    ScopeDep,
    check_text,
    get_filter,
    is_at_this_computer,
    memory_body,
    require_this_computer,
)
from lobug.http.problems import error_responses
from lobug.memory.model import (
    Filter,
    Hit,
    Identity,
    Recall,
    RememberedUser,
    Session,
)


class MemoryHit(Answer):
    """Something that a search found."""

    kind: Literal["memory", "turn"] = Field(description="An entry, or a former turn.")
    id: int = Field(description="Of the entry, or of the message.")
    content: str = Field(description="Its words.")
    said_at: Time = Field(description="When it was said.")
    score: float = Field(description="Rank: higher is better, comparable within a search only.")
    confidence: float = Field(description="0 to 1: how well it fits.")
    parts: dict[str, float] = Field(
        description="What the score consists of; empty for everybody but the owner."
    )
    role: Literal["user", "assistant"] | None = Field(description="Of a turn: who said it.")
    speaker: str | None = Field(
        description="Of a turn: the name of who said it, where it is known."
    )
    entry: MemoryEntry | None = Field(description="Of a memory: the whole entry.")


class MemoryHits(BaseModel):
    """What a search found, best first."""

    hits: list[MemoryHit]


class MemoryIdentity(Answer):
    """What Lo-Bug always keeps in mind about the user."""

    text: str = Field(description="Markdown in sections, as the prompt gets it.")
    characters: int = Field(description="How long the document is.")
    limit: int = Field(description="Most characters.")
    used_percent: int = Field(description="How full it is.")
    version: str = Field(description="Of the text; `PUT` takes it as `If-Match`.")
    entries: list[MemoryEntry]


class IdentityRequest(Body):
    """The whole text of layer identity."""

    text: str = Field(
        description="Markdown as `GET /memory/identity` shows it: the headings that it knows, and"
        " one line `- ...` for each entry."
    )


class MemorySession(Answer):
    """A stretch of one conversation without a long pause."""

    __annotations__ = shown_fields(Session)


class MemorySessions(BaseModel):
    """A page of sessions, newest first."""

    sessions: list[MemorySession]
    next: int | None = Field(description="Give it as `before` for the next page; null: no more.")


class MemoryRecall(Answer):
    """One search for a turn, as the retrieval log has it."""

    id: int = Field(description="Of this search.")
    message_id: int | None = Field(description="The message that was answered.")
    query: str = Field(description="What was searched for.")
    created_at: Time = Field(description="When.")
    took_ms: float = Field(description="How long the search took, milliseconds.")
    hits: list[MemoryHit] = Field(description="What was found, with its scores.")
    injected: list[str] = Field(description="What went to the prompt: `memory:ID` or `turn:ID`.")


class MemoryRecalls(BaseModel):
    """The retrieval log, newest first."""

    recalls: list[MemoryRecall]


class MemoryUser(Answer):
    """A user of whom anything is kept."""

    __annotations__ = shown_fields(RememberedUser)


class MemoryUsers(BaseModel):
    """Everybody of whom anything is kept, last active first."""

    users: list[MemoryUser]
    you: str = Field(description="Who the caller is when no user is named.")


def shown(counts: Any) -> dict[str, Any]:
    """Statistics with a time for every value whose name ends with ``_at``."""
    return {
        name: rfc3339(value) if name.endswith("_at") and isinstance(value, int | float) else value
        for name, value in dict(counts).items()
    }


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
    return MemoryHits(hits=[MemoryHit.of(hit) for hit in _without_parts(hits, caller)])


@router.get("/identity", responses=error_responses(*EVERYWHERE))
async def identity(scope: ScopeDep, memory: MemoryDep, response: Response) -> MemoryIdentity:
    """Show what Lo-Bug always keeps in mind, and how much room is left. The header `ETag` names
    the version of the text."""
    return _identity(await memory.identity(scope), response)


@router.put(
    "/identity",
    openapi_extra=documented(IdentityRequest),
    responses=error_responses(
        *WITH_BODY, IdentityInvalidError, IdentityFullError, IdentityChangedError
    ),
)
async def replace_identity(
    body: Annotated[IdentityRequest, Depends(memory_body(IdentityRequest))],
    scope: ScopeDep,
    memory: MemoryDep,
    response: Response,
    if_match: Annotated[
        str | None,
        Header(
            max_length=1_000,
            description="The `ETag` of the text that was read: if it has changed since, nothing is"
            " replaced. Without the header it may have changed.",
        ),
    ] = None,
) -> MemoryIdentity:
    """Replace the text that Lo-Bug always keeps in mind. Lines that are missing are taken out of
    use (`/restore` brings them back), new ones are the user's, the others stay."""
    replaced = await memory.replace_identity(scope, body.text, versions_read=versions_of(if_match))
    return _identity(replaced, response)


def _identity(found: Identity, response: Response) -> MemoryIdentity:
    response.headers["ETag"] = f'"{found.version}"'
    return MemoryIdentity.of(found)


def versions_of(if_match: str | None) -> list[str] | None:
    """The versions that an ``If-Match`` header names; None: any will do. Pure."""
    if if_match is None or if_match.strip() == "*":
        return None
    return [tag.strip().removeprefix("W/").strip('"') for tag in if_match.split(",")]


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
    return _recall(await memory.explain(scope, message_id), caller)


@router.get("/recalls", responses=error_responses(*EVERYWHERE))
async def recalls(
    caller: CallerDep,
    scope: ScopeDep,
    memory: MemoryDep,
    limit: Annotated[int, Query(ge=1, le=200, description="Most rows.")] = 20,
) -> MemoryRecalls:
    """Show the retrieval log, newest first."""
    found = await memory.recalls(scope, limit=limit)
    return MemoryRecalls(recalls=[_recall(recall, caller) for recall in found])


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


def _recall(recall: Recall, caller: Caller) -> MemoryRecall:
    return MemoryRecall.of(replace(recall, hits=_without_parts(recall.hits, caller)))


def _without_parts(hits: Sequence[Hit], caller: Caller) -> tuple[Hit, ...]:
    """The hits; for everybody but the owner without the summands of their scores."""
    return tuple(hits) if caller.owner else tuple(replace(hit, parts={}) for hit in hits)
