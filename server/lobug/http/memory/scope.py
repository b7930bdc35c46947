"""Whose memory a request is about, and whether it may be."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Query, Request, Response

from lobug.errors import InvalidRequestError, MemoryForbiddenError
from lobug.http.caller import ConversationDep, caller_of
from lobug.http.state import ServerDep
from lobug.memory.access import HOUSEHOLD, MemoryScope, scope_of
from lobug.memory.control import MemoryControl


async def get_control(server: ServerDep) -> MemoryControl:
    """The owner's hand on memory: the one place where the doors take it from."""
    memory: Any = server.memory  # the turn sees less of it
    control: MemoryControl = memory.control
    return control


async def private(response: Response) -> None:
    """For every route of memory: no cache keeps the answer."""
    response.headers["Cache-Control"] = "no-store"


def is_at_this_computer(request: Request) -> bool:
    """Whether the caller sits at the computer that Lo-Bug runs on. Whoever comes with a token of
    ours is who the token says, there as well."""
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
    """What this request may see and change."""
    grants = server.settings.memory.household
    if user is None:
        return scope_of(conversation_key, grants)
    await require_this_computer(request)
    if user == HOUSEHOLD or not user.isprintable():
        raise InvalidRequestError("user is not the name of a user")
    return MemoryScope(user, None, grants.get(user, "none"))


ControlDep = Annotated[MemoryControl, Depends(get_control)]
ScopeDep = Annotated[MemoryScope, Depends(get_scope)]
