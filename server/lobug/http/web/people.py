"""`/web/people`: who talks with Lo-Bug, by which devices, browsers and tokens."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from lobug.access.callers import token_key
from lobug.conversation.registry import conversation_of
from lobug.errors import AccessUnavailableError, OwnerOnlyError, StorageError
from lobug.http.dependencies import (
    CallerDep,
    ServerDep,
    conversation_of_caller,
    private,
    require_admin,
)
from lobug.http.formats import Answer, Time
from lobug.http.problems import error_responses
from lobug.memory.model import RememberedUser


class Person(Answer):
    """A person."""

    user: str = Field(description="The person's name in memory.")
    devices: list[str] = Field(description="Ids of the devices from which the person talks.")
    browsers: list[str] = Field(description="Ids of the paired browsers.")
    tokens: list[str] = Field(description="Ids of the tokens.")
    memories: int | None = Field(
        description="Entries that are not inactive. This and the next two are null for everybody"
        " but the caller, unless the caller is at the computer that Lo-Bug runs on."
    )
    messages: int | None = Field(description="Messages of the conversation log.")
    last_active_at: Time | None = Field(description="When something was last said or changed.")


class People(BaseModel):
    """Everybody."""

    people: list[Person] = Field(description="By name.")


@dataclass(slots=True)
class _Means:
    devices: list[str] = field(default_factory=list)
    browsers: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)


router = APIRouter(
    prefix="/web", tags=["web"], dependencies=[Depends(private), Depends(require_admin)]
)


@router.get(
    "/people",
    responses=error_responses(
        OwnerOnlyError, AccessUnavailableError, StorageError, *StorageError.__subclasses__()
    ),
)
async def people(server: ServerDep, caller: CallerDep) -> People:
    """List everybody of whom anything is kept, or who may talk."""
    users = server.settings.conversation.users
    own = conversation_of_caller(caller, server.settings).user
    means: defaultdict[str, _Means] = defaultdict(_Means)
    for device in server.access.devices.all():
        if device.revoked_at is None:
            key = conversation_of(f"device:{device.device_id}", users, user=device.user)
            means[key.user].devices.append(device.device_id)
    for token in server.access.tokens.all():
        if token.revoked_at is None and token.scope is None:
            key = conversation_of(token_key(token.token_hash), users, user=token.user)
            means[key.user].tokens.append(token.token_id)
    for browser in server.access.browsers.all():
        expires_at = server.access.browsers.expires_at(browser)
        if browser.revoked_at is None and server.access.now() < expires_at:
            means[browser.user].browsers.append(browser.browser_id)
    if caller.at_this_computer:
        kept = {one.user: one for one in await server.memory.users()}
    else:
        mine = await server.memory.one_user(own)
        kept = {} if mine is None else {own: mine}
    names = {own, *users.values(), *means, *kept}
    return People(people=[_person(user, means[user], kept.get(user)) for user in sorted(names)])


def _person(user: str, means: _Means, kept: RememberedUser | None) -> Person:
    return Person.of(
        means,
        user=user,
        memories=None if kept is None else kept.entries,
        messages=None if kept is None else kept.messages,
        last_active_at=None if kept is None else kept.last_active_at,
    )
