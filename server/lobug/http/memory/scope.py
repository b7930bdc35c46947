"""The memory scope of a request."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request, Response

from lobug.errors import InvalidRequestError, MemoryForbiddenError
from lobug.http.caller import ConversationDep, caller_of
from lobug.http.state import ServerDep
from lobug.memory.model import HOUSEHOLD, MemoryScope, scope_of
from lobug.memory.service import Memory


async def get_memory(server: ServerDep) -> Memory:
    """The server's memory."""
    return server.memory


async def private(response: Response) -> None:
    """Forbid caches to keep an answer; for every route of memory."""
    response.headers["Cache-Control"] = "no-store"


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
