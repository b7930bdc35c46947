"""Bodies, filters and ids that the routes of memory accept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Literal, TypeVar

from fastapi import Path, Query, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

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
from lobug.http.body import json_body
from lobug.http.state import ServerDep
from lobug.http.times import epoch_seconds
from lobug.language.protocol import FactType
from lobug.memory.model import Category, EntryScope, Filter, Layer

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

EntryId = Annotated[int, Path(ge=1, le=MAX_ID, description="Id of an entry.")]
TaskId = Annotated[int, Path(ge=1, le=MAX_ID, description="Id of a task.")]
Key = Annotated[str, Path(max_length=200, description="Key of a memory, such as `user_name`.")]
Tag = Annotated[str, Field(min_length=1, max_length=64)]
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


class Body(BaseModel):
    """A body of the owner's. Unknown fields are refused: a typing error must not be silent."""

    model_config = ConfigDict(extra="forbid")


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


class CorrectRequest(Body):
    """How it really is."""

    content: str = Field(description="What is true instead.")


class ForgetRequest(Body):
    """What to forget, in words."""

    text: str = Field(description="Whatever says this is erased.")
    dry_run: bool = Field(False, description="Only say what would go.")
    confirm: bool = Field(False, description="Has to be true: it cannot be undone.")


class PurgeRequest(Body):
    """What to erase: exactly one of `session`, `user` and `older_than_days`."""

    session: int | None = Field(None, ge=1, le=MAX_ID, description="Id of a session.")
    user: bool = Field(False, description="Everything of the user.")
    older_than_days: float | None = Field(
        None,
        gt=0.0,
        le=36_500.0,
        allow_inf_nan=False,
        description="Messages and timeline entries that are older.",
    )
    confirm: bool = Field(False, description="Has to be true: it cannot be undone.")


class ProjectRequest(Body):
    """A project, new or to be described anew."""

    name: str = Field(min_length=1, max_length=200, description="Its name.")
    description: str = Field("", description="What it is about.")


class TaskRequest(Body):
    """A task to be opened."""

    title: str = Field(min_length=1, max_length=500, description="What is to be done.")
    project: str | None = Field(None, max_length=200, description="Project it belongs to.")


class TaskStateRequest(Body):
    """The working state of a task."""

    state: str = Field(description="What has been done and decided so far.")


class CompleteRequest(Body):
    """How a task ended."""

    result: str = Field("", description="Goes to the archive with the working state.")


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
