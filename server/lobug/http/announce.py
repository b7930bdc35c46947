"""`POST /announce`: says a text on devices without being asked; for scripts and home automation."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator

from lobug.access.callers import Caller
from lobug.agenda.schedule import Chime
from lobug.conversation.registry import conversation_of
from lobug.devices.announcements import Audience
from lobug.errors import (
    BodyTimeoutError,
    BodyTooLargeError,
    BusyError,
    DeviceOfflineError,
    DeviceUnknownError,
    EmptyTextError,
    InvalidEncodingError,
    InvalidRequestError,
    OwnerOnlyError,
    QuietHoursError,
    StorageError,
    TextTooLongError,
    TooManyRequestsError,
)
from lobug.http.dependencies import (
    ServerDep,
    caller_of,
    claimant_of_scope,
    conversation_of_caller,
    documented,
    json_body,
)
from lobug.http.problems import error_responses
from lobug.memory.model import ConversationKey
from lobug.server import LobugServer
from lobug.settings.section import UserName
from lobug.turn.utterance import checked_text

MAX_CHARS = 500
"""Longest announcement, characters: half a minute of speech."""

router = APIRouter(tags=["devices"])


class AnnounceRequest(BaseModel):
    """What is to be said, and to whom. Without device, user and all: to everybody if the caller is
    the owner or has a token for announcements, else on the caller's own devices."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description=f"What is said; not blank, at most {MAX_CHARS} characters.")
    device: Annotated[str, Field(max_length=128)] | None = Field(
        None, description="Id or name of the device on which it is said."
    )
    user: UserName | None = Field(None, description="On all devices of this person.")
    all: bool = Field(False, description="On all devices.")
    chime: bool = Field(True, description="Whether a chime precedes it.")
    wait: bool = Field(
        True,
        description="Whether it waits where it cannot be said now, and is said when a device of the"
        " person connects or before the reply of the person's next turn. Else it is refused if no"
        " device can say it.",
    )
    expires_s: float | None = Field(
        None,
        gt=0,
        le=31_536_000,
        description="Seconds after which it is not said any more; null: it waits for ever.",
    )

    @model_validator(mode="after")
    def _one_audience(self) -> AnnounceRequest:
        if sum((self.device is not None, self.user is not None, self.all)) > 1:
            raise ValueError("give one of device, user and all")
        return self


class AnnounceReply(BaseModel):
    """What became of it."""

    status: Literal["said", "waits"] = Field(
        description="`said`: at least one device has played it to its end, or until somebody"
        " silenced it. `waits`: none has."
    )
    said_on: list[str] = Field(description="Ids of the devices that have played it.")
    waits_for: list[str] = Field(description="Users for whom it waits.")


@router.post(
    "/announce",
    openapi_extra=documented(AnnounceRequest),
    responses=error_responses(
        InvalidEncodingError,
        InvalidRequestError,
        EmptyTextError,
        TextTooLongError,
        BodyTooLargeError,
        BodyTimeoutError,
        OwnerOnlyError,
        DeviceUnknownError,
        DeviceOfflineError,
        QuietHoursError,
        TooManyRequestsError,
        BusyError,
        StorageError,
        *StorageError.__subclasses__(),
    ),
)
async def announce(
    body: Annotated[AnnounceRequest, Depends(json_body(AnnounceRequest))],
    server: ServerDep,
    request: Request,
) -> AnnounceReply:
    """Say a text on devices, without being asked. Answers when it has been said, or waits."""
    text = " ".join(checked_text(body.text, MAX_CHARS).split())
    audience = await _audience(body, caller_of(request.scope), server)
    result = await server.announcements.announce(
        text,
        audience,
        claimant_of_scope(request.scope, server.settings),
        chime=Chime.GENTLE if body.chime else Chime.NONE,
        wait=body.wait,
        expires_s=body.expires_s,
    )
    return AnnounceReply(
        status="said" if result.said_on else "waits",
        said_on=sorted(result.said_on),
        waits_for=sorted(result.waits_for),
    )


async def _audience(body: AnnounceRequest, caller: Caller, server: LobugServer) -> Audience:
    """To whom it is said. Raises OwnerOnlyError: somebody else than the caller is among them;
    DeviceUnknownError, StorageError."""
    own = conversation_of_caller(caller, server.settings).user
    everywhere = caller.may_announce
    if body.device is not None:
        key = await _conversation_of_device(body.device, server)
        audience = Audience(frozenset({key.user}), key.conversation)
    elif body.user is not None:
        audience = Audience(frozenset({body.user}))
    elif body.all or everywhere:
        audience = Audience(await _everybody(server))
    else:
        audience = Audience(frozenset({own}))
    if not everywhere and (body.all or audience.users != {own}):
        raise OwnerOnlyError("only the owner, or a token for announcements, may talk to others")
    return audience


async def _conversation_of_device(name: str, server: LobugServer) -> ConversationKey:
    """The conversation of the device with this id or name. Raises DeviceUnknownError,
    StorageError."""
    known = server.access.devices.all()
    found = [one for one in known if name.lower() == one.device_id and one.revoked_at is None]
    found = found or [one for one in known if one.name == name and one.revoked_at is None]
    if len(found) == 1:
        device = found[0]
        users = server.settings.conversation.users
        return conversation_of(f"device:{device.device_id}", users, user=device.user)
    for session in server.connections.sessions():
        if session.device == name.lower():
            return session.conversation_key
    elsewhere = await server.devices_elsewhere.conversations()
    if name.lower() in elsewhere:
        return elsewhere[name.lower()]
    raise DeviceUnknownError("no device, or more than one, has this id or name")


async def _everybody(server: LobugServer) -> frozenset[str]:
    """The users of all devices that are connected or were approved."""
    users = server.settings.conversation.users
    known = [one for one in server.access.devices.all() if one.revoked_at is None]
    keys = [conversation_of(f"device:{one.device_id}", users, user=one.user) for one in known]
    keys += [session.conversation_key for session in server.connections.sessions()]
    with suppress(StorageError):  # whoever is here hears it all the same
        keys += (await server.devices_elsewhere.conversations()).values()
    return frozenset(key.user for key in keys)
