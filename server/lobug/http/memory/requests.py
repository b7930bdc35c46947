"""What routes of memory read of a request: scope, filter, ids, and bodies with checked texts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Literal, TypeVar

from fastapi import Depends, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from lobug.errors import (
    BodyTimeoutError,
    BodyTooLargeError,
    ForeignOriginError,
    InvalidEncodingError,
    InvalidRequestError,
    LobugError,
    MemoryContentError,
    MemoryDisabledError,
    MemoryForbiddenError,
    MemoryKeyError,
    MemoryNotFoundError,
    StorageError,
    TextTooLongError,
)
from lobug.http.dependencies import ConversationDep, ServerDep, caller_of, json_body
from lobug.http.formats import epoch_seconds
from lobug.memory.model import HOUSEHOLD, Category, EntryScope, Filter, Layer, MemoryScope, scope_of
from lobug.memory.service import Memory


async def get_memory(server: ServerDep) -> Memory:
    return server.memory


def is_at_this_computer(request: Request) -> bool:
    """Whether the caller sits at the computer that Lo-Bug runs on. A caller with a token is the
    token's user, there too."""
    return caller_of(request.scope).at_this_computer


async def require_this_computer(request: Request) -> None:
    """Raises MemoryForbiddenError for a caller from elsewhere."""
    if not is_at_this_computer(request):
        raise MemoryForbiddenError(
            "only the owner at the computer that Lo-Bug runs on may name a user"
        )


async def get_scope(
    request: Request,
    server: ServerDep,
    conversation_key: ConversationDep,
    user: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=200,
            description="Whose memory; without it the caller's own. Only the owner may name a user,"
            " from the computer that Lo-Bug runs on. All conversations of the user are then meant.",
        ),
    ] = None,
) -> MemoryScope:
    """The scope of a request. Raises InvalidRequestError, MemoryForbiddenError."""
    grants = server.settings.memory.household
    if user is None:
        return scope_of(conversation_key, grants)
    await require_this_computer(request)
    if user == HOUSEHOLD or not user.isprintable():
        raise InvalidRequestError("user is not the name of a user")
    return MemoryScope(user, None, grants.get(user, "none"))


MemoryDep = Annotated[Memory, Depends(get_memory)]
ScopeDep = Annotated[MemoryScope, Depends(get_scope)]


M = TypeVar("M", bound=BaseModel)

MAX_ID = 2**63 - 1
"""The largest id that SQLite knows."""

EVERYWHERE: tuple[type[LobugError], ...] = (
    ForeignOriginError,
    InvalidRequestError,
    MemoryForbiddenError,
    MemoryDisabledError,
    StorageError,
    *StorageError.__subclasses__(),
)
"""Errors of every route of memory."""

WITH_ID: tuple[type[LobugError], ...] = (*EVERYWHERE, MemoryNotFoundError)
WITH_BODY: tuple[type[LobugError], ...] = (
    *EVERYWHERE,
    InvalidEncodingError,
    BodyTooLargeError,
    BodyTimeoutError,
    TextTooLongError,
    MemoryKeyError,
    MemoryContentError,
    MemoryNotFoundError,
)

Tag = Annotated[str, Field(min_length=1, max_length=64)]


class Body(BaseModel):
    """A body of the owner's. Unknown fields are refused: a typing error must not be silent."""

    model_config = ConfigDict(extra="forbid")


def memory_body(model: type[M]) -> Callable[[Request, ServerDep], Awaitable[M]]:
    """``json_body`` with no text longer than ``limits.max_text_chars``; also raises
    TextTooLongError, InvalidEncodingError."""
    read_json = json_body(model)

    async def read(request: Request, server: ServerDep) -> M:
        body = await read_json(request, server)
        limit = server.settings.limits.max_text_chars
        check_texts("body", dict(body), limit)
        return body

    return read


def check_texts(name: str, value: object, limit: int) -> None:
    """``check_text`` for every text in a JSON value. Pydantic has limited its depth to 200
    levels."""
    if isinstance(value, str):
        check_text(name, value, limit)
    elif isinstance(value, list):
        for inner in value:
            check_texts(name, inner, limit)
    elif isinstance(value, dict):
        for key, inner in value.items():
            check_text("a name", key, limit)
            check_texts(key, inner, limit)


def check_text(name: str, text: str, limit: int) -> None:
    """Raises TextTooLongError, InvalidEncodingError, InvalidRequestError."""
    if len(text) > limit:
        raise TextTooLongError(f"{name} has {len(text)} characters, the limit is {limit}")
    if "\0" in text:
        raise InvalidRequestError(f"{name} holds a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidEncodingError(f"{name} holds half a surrogate pair") from None


async def get_filter(
    server: ServerDep,
    layer: Annotated[Layer | None, Query(description="Only this layer.")] = None,
    category: Annotated[Category | None, Query(description="Only this category.")] = None,
    scope: Annotated[EntryScope | None, Query(description="Only this scope.")] = None,
    status: Annotated[
        Literal["active", "past", "inactive", "all"],
        Query(description="`active`: held to be true; `past`: was; `inactive`: replaced."),
    ] = "active",
    project: Annotated[str | None, Query(description="Only of this project.")] = None,
    tags: Annotated[
        list[Tag] | None, Query(description="Only with this tag; give it again for each.")
    ] = None,
    since: Annotated[
        str | None,
        Query(description="Said at this time or later: RFC 3339, a date or epoch seconds."),
    ] = None,
    until: Annotated[str | None, Query(description="Said before this time.")] = None,
) -> Filter:
    """The filter of a list or a search. Raises InvalidRequestError, TextTooLongError."""
    limit = server.settings.limits.max_text_chars
    for name, text in (("project", project), *(("tags", tag) for tag in tags or ())):
        check_text(name, text or "", limit)
    start, end = _time("since", since), _time("until", until)
    if start is not None and end is not None and start > end:
        raise InvalidRequestError("since is later than until")
    return Filter(
        layer=layer,
        category=category,
        scope=scope,
        status=None if status == "all" else status,
        project=project,
        tags=tuple(dict.fromkeys(tags or ())),
        since=start,
        until=end,
    )


def _time(name: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return epoch_seconds(text)
    except ValueError as error:
        raise InvalidRequestError(f"{name}: {error}") from None
