"""Who is calling, from a request."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Request

from lobug.api.state import ServerDep
from lobug.conversation.identity import caller_key, owner_of
from lobug.memory.base import Owner


async def get_owner(
    request: Request,
    server: ServerDep,
    device_id: Annotated[
        str | None,
        Header(
            description="Names the device; each device has its own conversation. Without it the"
            " bearer token, else the address counts (the first firmware sends neither)."
        ),
    ] = None,
) -> Owner:
    """The owner of the words in this request."""
    caller = caller_key(
        device_id,
        request.headers.get("authorization"),
        request.client.host if request.client else None,
    )
    return owner_of(caller, server.settings.conversation.users)


OwnerDep = Annotated[Owner, Depends(get_owner)]
