"""The caller of a request that ``Authentication`` has let in, as dependencies for routes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Request
from starlette.types import Scope

from lobug.access.callers import Caller
from lobug.conversation.registry import conversation_of
from lobug.errors import OwnerOnlyError
from lobug.http.authentication import STATE_KEY
from lobug.http.state import ServerDep
from lobug.memory.model import ConversationKey
from lobug.quota import Claimant
from lobug.settings import Settings


def caller_of(scope: Scope) -> Caller:
    """The caller of a request or a WebSocket. Raises KeyError if ``Authentication`` did not run."""
    caller: Caller = scope["state"][STATE_KEY]
    return caller


def conversation_of_caller(caller: Caller, settings: Settings) -> ConversationKey:
    """The user and the conversation to which a caller's words belong."""
    return conversation_of(
        caller.key,
        settings.conversation.users,
        user=caller.user,
        conversation=caller.conversation,
    )


def conversation_of_scope(scope: Scope, settings: Settings) -> ConversationKey:
    """User and conversation of a request or a WebSocket. Raises KeyError as ``caller_of``."""
    return conversation_of_caller(caller_of(scope), settings)


def claimant_of_scope(scope: Scope, settings: Settings) -> Claimant:
    """The claimant whose quotas a request or a WebSocket uses. Raises KeyError as ``caller_of``."""
    caller = caller_of(scope)
    return Claimant(conversation_of_caller(caller, settings).user, caller.privileged)


async def get_caller(request: Request) -> Caller:
    """The caller of this request."""
    return caller_of(request.scope)


async def get_conversation(
    request: Request,
    server: ServerDep,
    # Only for OpenAPI; ``Authentication`` has read the header.
    device_id: Annotated[
        str | None,
        Header(
            description="Names the device; each device has its own conversation. A token that was"
            " given to a device or to a person says more than this. Without either, another bearer"
            " token counts, else the address (the first firmware sends neither)."
        ),
    ] = None,
) -> ConversationKey:
    """User and conversation of this request."""
    return conversation_of_scope(request.scope, server.settings)


async def require_admin(request: Request) -> Caller:
    """The caller, who must be the owner: on this computer, or with an owner's token. Raises
    OwnerOnlyError."""
    caller = caller_of(request.scope)
    if not caller.owner:
        raise OwnerOnlyError(
            "this is for the owner: at the computer that Lo-Bug runs on, or with an owner's token"
        )
    return caller


async def require_watcher(request: Request) -> Caller:
    """The caller, who must be the owner or have a token with the scope `metrics`. Raises
    OwnerOnlyError."""
    caller = caller_of(request.scope)
    if not caller.may_watch:
        raise OwnerOnlyError(
            "this is for the owner, or for a token that was made with `--scope metrics`"
        )
    return caller


CallerDep = Annotated[Caller, Depends(get_caller)]
ConversationDep = Annotated[ConversationKey, Depends(get_conversation)]
AdminDep = Annotated[Caller, Depends(require_admin)]
