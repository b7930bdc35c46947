"""`/lists`: a person's lists and the household's, and what is on them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Literal
from urllib.parse import quote, unquote

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Response
from icalendar import Calendar, Todo
from pydantic import AfterValidator, BaseModel, Field
from starlette.types import ASGIApp, Receive, Scope, Send

from lobug.agenda.lists import ItemList, ListName
from lobug.errors import (
    BodyTimeoutError,
    BodyTooLargeError,
    ForeignOriginError,
    InvalidEncodingError,
    InvalidRequestError,
    ListExistsError,
    ListForbiddenError,
    ListFullError,
    ListItemError,
    ListLimitError,
    ListNotFoundError,
    LobugError,
    MemoryForbiddenError,
    StorageError,
    TextTooLongError,
)
from lobug.http.dependencies import ServerDep, documented, private
from lobug.http.formats import Answer, Time
from lobug.http.memory.requests import MAX_ID, Body, ScopeDep, memory_body
from lobug.http.problems import error_responses
from lobug.language.en.list_names import best_match, list_key, shown_name
from lobug.memory.model import HOUSEHOLD, MemoryScope
from lobug.skills.list_access import Shelf, shelf_of

ListScope = Literal["user", "household"]


class ListItem(Answer):
    """A thing on a list."""

    id: int = Field(description="By which it is changed and deleted.")
    content: str = Field(description="One line.")
    done: bool = Field(description="It was ticked off: it is kept, but not read out.")
    created_at: Time = Field(description="When it was put on the list.")


class KnownList(Answer):
    """A list with what is on it."""

    name: str = Field(description="As it is shown.")
    scope: ListScope = Field(description="Whose it is: the person's own, or the household's.")
    created_at: Time = Field(description="When it was made.")
    items: list[ListItem] = Field(description="In their order.")


class KnownLists(BaseModel):
    """All lists that the caller may see."""

    lists: list[KnownList] = Field(description="The person's own, then the household's.")


class AddedItems(BaseModel):
    """What came of adding things."""

    added: list[ListItem] = Field(description="What is new on it, or open again.")
    present: list[ListItem] = Field(description="What was on it already.")
    after: KnownList = Field(description="The list as it is now.")


class ListRequest(Body):
    """A list to be made."""

    name: str = Field(description="What to call it; at most `skills.max_item_chars` characters.")


class ItemsRequest(Body):
    """Things to be put on a list."""

    items: list[str] = Field(
        min_length=1,
        description="One line each, at most `skills.max_item_chars` characters. The list holds at"
        " most `skills.max_items_per_list` of them.",
    )


class ItemRequest(Body):
    """What to change of a thing; what is left out stays."""

    content: str | None = Field(None, description="Its new words.")
    done: bool | None = Field(None, description="Tick it off, or open it again.")


Name = Annotated[
    str,
    Path(
        max_length=500,
        description="A list's name, however it is worded: `shopping`, `groceries`. A slash in it is"
        " sent as `%2F`.",
    ),
    AfterValidator(unquote),  # of what ``EncodedSlashes`` has left encoded
]
ItemId = Annotated[int, Path(ge=1, le=MAX_ID, description="Id of a thing on the list.")]
ScopeQuery = Annotated[
    ListScope, Query(description="The person's own list, or the household's of that name.")
]

EVERYWHERE: tuple[type[LobugError], ...] = (
    ForeignOriginError,
    InvalidRequestError,
    MemoryForbiddenError,
    StorageError,
    *StorageError.__subclasses__(),
)
"""Errors of every route of lists and notes."""
SEEING: tuple[type[LobugError], ...] = (*EVERYWHERE, ListForbiddenError)
NAMED: tuple[type[LobugError], ...] = (*SEEING, ListNotFoundError)
WITH_BODY: tuple[type[LobugError], ...] = (
    *NAMED,
    InvalidEncodingError,
    BodyTooLargeError,
    BodyTimeoutError,
    TextTooLongError,
    ListItemError,
)

router = APIRouter(prefix="/lists", tags=["lists"], dependencies=[Depends(private)])


class EncodedSlashes:
    """ASGI middleware: below ``/lists/`` the routes see the slashes and percent signs inside a part
    of the path as ``%2F`` and ``%25``.

    Servers decode a path before they route it. After that ``/lists/a%2Fitems``, a list, is the same
    as ``/lists/a/items``, what is on one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and scope["path"].startswith(f"{router.prefix}/"):
            # ASGI does not promise the path as it was sent.
            sent = scope.get("raw_path") or quote(scope["path"]).encode()
            parts = sent.decode("latin-1").split("/")
            scope = {**scope, "path": "/".join(_encoded(unquote(part)) for part in parts)}
        await self._app(scope, receive, send)


def _encoded(part: str) -> str:
    return part.replace("%", "%25").replace("/", "%2F")


def allow_slashes_in_names(app: FastAPI) -> None:
    """Let the routes of an app tell a slash in a list's name from one between parts of the path."""
    app.add_middleware(EncodedSlashes)


@router.get("", responses=error_responses(*SEEING))
async def lists(scope: ScopeDep, server: ServerDep) -> KnownLists:
    """Show all lists of the person, and those of the household if that is granted."""
    shelf = await _shelf(server, scope)
    return KnownLists(lists=[_shown(one) for one in shelf.every])


@router.post(
    "",
    openapi_extra=documented(ListRequest),
    responses=error_responses(*WITH_BODY, ListExistsError, ListLimitError),
)
async def create(
    body: Annotated[ListRequest, Depends(memory_body(ListRequest))],
    scope: ScopeDep,
    server: ServerDep,
    whose: Annotated[ScopeQuery, Query(alias="scope")] = "user",
) -> KnownList:
    """Make an empty list."""
    user = _owner(await _shelf(server, scope), whose, write=True)
    return _shown(await server.agenda.lists.create(user, _named(body.name)))


@router.get(
    "/{name}",
    response_model=KnownList,
    responses={
        200: {
            "description": "The list, in the format that was asked for.",
            "content": {
                "text/calendar": {"schema": {"type": "string"}},
                "text/markdown": {"schema": {"type": "string"}},
            },
        },
        **error_responses(*NAMED),
    },
)
async def show(
    name: Name,
    scope: ScopeDep,
    server: ServerDep,
    whose: Annotated[ScopeQuery, Query(alias="scope")] = "user",
    as_format: Annotated[
        Literal["json", "ics", "markdown"],
        Query(
            alias="format",
            description="`ics`: iCalendar with a VTODO for each thing; `markdown`: a checklist.",
        ),
    ] = "json",
) -> KnownList | Response:
    """Show a list, or export it."""
    one = _found(await _shelf(server, scope), name, whose, write=False)
    if as_format == "ics":
        return Response(as_icalendar(one, server.wall()), media_type="text/calendar")
    if as_format == "markdown":
        return Response(as_markdown(one), media_type="text/markdown; charset=utf-8")
    return _shown(one)


@router.delete("/{name}", responses=error_responses(*NAMED))
async def delete(
    name: Name,
    scope: ScopeDep,
    server: ServerDep,
    whose: Annotated[ScopeQuery, Query(alias="scope")] = "user",
) -> KnownList:
    """Delete a list with all that is on it; the answer shows what it was."""
    one = _found(await _shelf(server, scope), name, whose, write=True)
    return _shown(await server.agenda.lists.delete(one.user, one.id))


@router.post(
    "/{name}/items",
    openapi_extra=documented(ItemsRequest),
    responses=error_responses(*WITH_BODY, ListFullError, ListLimitError),
)
async def add_items(
    name: Name,
    body: Annotated[ItemsRequest, Depends(memory_body(ItemsRequest))],
    scope: ScopeDep,
    server: ServerDep,
    whose: Annotated[ScopeQuery, Query(alias="scope")] = "user",
) -> AddedItems:
    """Put things on a list, all or none; the list is made if there is none."""
    shelf = await _shelf(server, scope)
    user = _owner(shelf, whose, write=True)
    found = _find(shelf, name, user)
    target = _named(name) if found is None else ListName(found.name, found.key)
    came = await server.agenda.lists.add(user, target, body.items)
    return AddedItems(
        after=_shown(came.list),
        added=[ListItem.of(item) for item in came.items],
        present=[ListItem.of(item) for item in came.present],
    )


@router.delete("/{name}/items", responses=error_responses(*NAMED))
async def clear(
    name: Name,
    scope: ScopeDep,
    server: ServerDep,
    whose: Annotated[ScopeQuery, Query(alias="scope")] = "user",
) -> KnownList:
    """Delete everything on a list; the answer shows what was on it."""
    one = _found(await _shelf(server, scope), name, whose, write=True)
    await server.agenda.lists.remove(one.user, one.id, [item.id for item in one.items])
    return _shown(one)


@router.patch(
    "/{name}/items/{item_id}",
    openapi_extra=documented(ItemRequest),
    responses=error_responses(*WITH_BODY),
)
async def change_item(
    name: Name,
    item_id: ItemId,
    body: Annotated[ItemRequest, Depends(memory_body(ItemRequest))],
    scope: ScopeDep,
    server: ServerDep,
    whose: Annotated[ScopeQuery, Query(alias="scope")] = "user",
) -> ListItem:
    """Change the words of a thing, or tick it off."""
    one = _found(await _shelf(server, scope), name, whose, write=True)
    changed = await server.agenda.lists.change(
        one.user, one.id, item_id, content=body.content, done=body.done
    )
    return ListItem.of(changed)


@router.delete("/{name}/items/{item_id}", responses=error_responses(*NAMED))
async def remove_item(
    name: Name,
    item_id: ItemId,
    scope: ScopeDep,
    server: ServerDep,
    whose: Annotated[ScopeQuery, Query(alias="scope")] = "user",
) -> ListItem:
    """Take a thing off a list; the answer shows what it was."""
    one = _found(await _shelf(server, scope), name, whose, write=True)
    gone = await server.agenda.lists.remove(one.user, one.id, [item_id])
    if not gone:
        raise ListNotFoundError("nothing of this id is on the list")
    return ListItem.of(gone[0])


async def _shelf(server: ServerDep, scope: MemoryScope) -> Shelf:
    return await shelf_of(server.agenda.lists, scope.user, server.settings.memory.household)


def _owner(shelf: Shelf, whose: ListScope, *, write: bool) -> str:
    """The user that lists of a scope are kept under. Raises ListForbiddenError."""
    if whose == "household":
        shelf.require(write=write)
        return HOUSEHOLD
    return shelf.user


def _find(shelf: Shelf, name: str, user: str) -> ItemList | None:
    known = {one.key: one for one in shelf.every if one.user == user}
    found = best_match(list_key(name), known)
    return None if found is None else known[found]


def _found(shelf: Shelf, name: str, whose: ListScope, *, write: bool) -> ItemList:
    """A list that exists. Raises ListForbiddenError, ListNotFoundError."""
    one = _find(shelf, name, _owner(shelf, whose, write=write))
    if one is None:
        raise ListNotFoundError("there is no such list")
    return one


def _named(name: str) -> ListName:
    """What a new list is called. Raises ListItemError."""
    shown = shown_name(name)
    if not shown.strip():
        raise ListItemError("a list needs a name")
    return ListName(shown, list_key(name))


def _shown(one: ItemList) -> KnownList:
    scope = "household" if one.user == HOUSEHOLD else "user"
    return KnownList.of(one, scope=scope, items=[ListItem.of(item) for item in one.items])


# Lists as files.

_MARKS = re.compile(r"([\\`*_\[\]<>#|~])")


def as_icalendar(one: ItemList, now: float) -> bytes:
    """RFC 5545; ``now``: when it is exported, seconds since the epoch."""
    calendar = Calendar()
    calendar.add("prodid", "-//Lo-Bug//Lists//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", one.name)
    stamp = datetime.fromtimestamp(int(now), UTC)
    for item in one.items:
        todo = Todo()
        todo.add("uid", f"list-{one.id}-item-{item.id}@lobug")
        todo.add("dtstamp", stamp)
        todo.add("created", datetime.fromtimestamp(int(item.created_at), UTC))
        todo.add("summary", item.content)
        todo.add("status", "COMPLETED" if item.done else "NEEDS-ACTION")
        todo.add("percent-complete", 100 if item.done else 0)
        calendar.add_component(todo)
    return bytes(calendar.to_ical())


def as_markdown(one: ItemList) -> str:
    """A heading and a checklist; signs with a meaning in Markdown are escaped."""
    lines = [f"# {_escaped(one.name)}", ""]
    lines += [f"- [{'x' if item.done else ' '}] {_escaped(item.content)}" for item in one.items]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\1", text)
