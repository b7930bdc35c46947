"""`/devices`, for the owner: which devices may talk, alerts and reboots."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
)

from lobug.access.devices import Introduction
from lobug.access.records import Device
from lobug.devices import messages
from lobug.devices.report import Report
from lobug.errors import (
    AccessFullError,
    AccessUnavailableError,
    BodyTimeoutError,
    BodyTooLargeError,
    DeviceOfflineError,
    DeviceRefusedError,
    DeviceUnknownError,
    InvalidEncodingError,
    InvalidRequestError,
    LobugError,
    OwnerOnlyError,
    PairingCodeError,
    StorageError,
    TooManyAttemptsError,
)
from lobug.http.dependencies import ServerDep, documented, json_body, require_admin
from lobug.http.formats import Answer, Time
from lobug.http.problems import error_responses
from lobug.language.emotions import Emotion
from lobug.server import LobugServer
from lobug.settings.section import UserName


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("it must be one line of printable text")
    return text


def _digits(code: object) -> object:
    """The code without the spaces and hyphens with which people group digits."""
    return "".join(code.split()).replace("-", "") if isinstance(code, str) else code


Name = Annotated[str, Field(max_length=80), AfterValidator(_printable)]


User = Annotated[UserName, AfterValidator(_printable)]


Code = Annotated[str, BeforeValidator(_digits), Field(pattern=r"^[0-9]{6}$")]


class KnownDevice(Answer):
    """A device that was approved once."""

    id: str = Field(description="Its `Device-Id`, in lower case.")
    name: str = Field(description="What the owner calls it; may be empty.")
    user: str | None = Field(
        description="Whose words come from it; null: `conversation.users` says, else it is a user"
        " of its own."
    )
    state: Literal["approved", "paired", "revoked"] = Field(
        description="`approved`: it has not used a token yet. `paired`: it has."
        " `revoked`: it may not talk."
    )
    approved_at: Time = Field(description="When it was let in.")
    last_seen_at: Time | None = Field(description="When its token was used last.")
    connected: bool | None = Field(
        description="Whether it has an open connection, to whichever server; null: unknown."
    )
    at_another_server: bool = Field(
        description="It is connected to another server of this house: that one knows its condition,"
        " and can send it something."
    )
    board: str | None = Field(
        description="Type of its board. This and the next are what it last said of itself; null:"
        " nothing."
    )
    firmware: str | None = Field(description="Name and version of its firmware.")
    report: Report | None = Field(
        description="Its latest report of its own condition; null: it has sent none."
    )
    reported_at: Time | None = Field(description="When that came.")
    battery: int | None = Field(
        description="Percent. This and all that follow are known since the server started."
    )
    charging: bool | None = Field(description="Whether its battery is being charged.")
    signal: str | None = Field(description="Of its Wi-Fi: strong, medium, weak or none.")
    signal_dbm: int | None = Field(description="Strength of its Wi-Fi, where it tells.")
    volume: int | None = Field(description="Percent.")
    last_heard_at: Time | None = Field(description="When it last heard words.")
    address: str | None = Field(description="Where its last request or connection came from.")
    update: str | None = Field(
        description="Version of the firmware that it is offered; null: it runs the newest."
    )


class WaitingDevice(Answer):
    """A device that shows a code."""

    code: str = Field(description="What it shows.")
    id: str = Field(description="Its `Device-Id`, in lower case.")
    description: str = Field(description="What it says of itself: board and firmware.")
    address: str = Field(description="Where it asked from.")
    expires_at: Time = Field(description="Until when the code can be approved.")
    replaces: bool = Field(
        description="Whether a device with this id is paired already: either it was wiped, or"
        " somebody else uses its id."
    )


class KnownDevices(BaseModel):
    """All devices."""

    devices: list[KnownDevice] = Field(description="Those that were approved once, oldest first.")
    waiting: list[WaitingDevice] = Field(description="Those that show a code, oldest first.")


class ApproveRequest(BaseModel):
    """Which device may talk."""

    model_config = ConfigDict(extra="forbid")

    code: Code = Field(description="What the device shows: six digits.")
    name: Name | None = Field(None, description="What to call it.")
    user: User | None = Field(None, description="Whose words come from it.")


class DescribeRequest(BaseModel):
    """What changes about a device; what is absent or null stays."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = Field(None, description="What to call it; empty: nothing.")
    user: User | Literal[""] | None = Field(
        None, description="Whose words come from it; empty: as the settings say."
    )
    volume: int | None = Field(
        None, ge=0, le=100, description="How loud it is, percent; it must be connected."
    )


class AlertRequest(BaseModel):
    """Something that a device is to show and sound."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(min_length=1, max_length=500, description="A sentence.")
    status: str = Field("Lo-Bug", min_length=1, max_length=60, description="A short title.")
    emotion: Emotion = Field(Emotion.NEUTRAL, description="The face that goes with it.")


class Sent(BaseModel):
    """The message has gone to the device."""

    status: Literal["sent"] = Field("sent", description="Always `sent`.")


OWNER_ERRORS: tuple[type[LobugError], ...] = (
    OwnerOnlyError,
    InvalidRequestError,
    AccessUnavailableError,
    StorageError,
)
"""Errors of every route of the owner's."""

OWNER_BODY_ERRORS: tuple[type[LobugError], ...] = (
    *OWNER_ERRORS,
    InvalidEncodingError,
    BodyTooLargeError,
    BodyTimeoutError,
)
"""Errors of the owner's routes that take a body."""

router = APIRouter(prefix="/devices", tags=["devices"], dependencies=[Depends(require_admin)])

DeviceId = Annotated[str, Path(max_length=128, description="The `Device-Id` of a device.")]


@router.get("", responses=error_responses(*OWNER_ERRORS))
async def devices(server: ServerDep) -> KnownDevices:
    """List the devices that were approved, and those that wait for it.

    Connected devices that nobody talks with are asked how they are, at most once a minute; their
    answers are in the next list, and are told of by `/web/events`.
    """
    server.device_statuses.ask()
    access = server.access
    known = access.devices.all()
    paired = {device.device_id for device in known if device.token_hash is not None}
    elsewhere = await _elsewhere(server)
    return KnownDevices(
        devices=[await _known_device(server, device, elsewhere) for device in known],
        waiting=[
            WaitingDevice.of(pairing, id=pairing.device_id, replaces=pairing.device_id in paired)
            for pairing in access.devices.waiting()
        ],
    )


@router.get("/{device_id}", responses=error_responses(*OWNER_ERRORS, DeviceUnknownError))
async def device(device_id: DeviceId, server: ServerDep) -> KnownDevice:
    """One device that was approved once, revoked or not."""
    known = server.access.devices.get(device_id)
    seen = {one.device_id: one for one in server.access.devices.all()}
    return await _known_device(server, seen[known.device_id], await _elsewhere(server))


@router.post(
    "/approve",
    openapi_extra=documented(ApproveRequest),
    responses=error_responses(
        *OWNER_BODY_ERRORS, PairingCodeError, TooManyAttemptsError, AccessFullError
    ),
)
async def approve(
    body: Annotated[ApproveRequest, Depends(json_body(ApproveRequest))],
    request: Request,
    server: ServerDep,
) -> KnownDevice:
    """Let the device in that shows this code. It fetches its token by itself."""
    device = await server.access.devices.approve(
        body.code,
        name=body.name,
        user=body.user,
        address=request.client.host if request.client else None,
    )
    return await _known_device(server, device, await _elsewhere(server))


@router.patch(
    "/{device_id}",
    openapi_extra=documented(DescribeRequest),
    responses=error_responses(
        *OWNER_BODY_ERRORS, DeviceUnknownError, DeviceOfflineError, DeviceRefusedError
    ),
)
async def describe(
    device_id: DeviceId,
    body: Annotated[DescribeRequest, Depends(json_body(DescribeRequest))],
    server: ServerDep,
) -> KnownDevice:
    """Give a device another name, user or volume. With another user its open connection is
    ended."""
    if body.volume is not None:
        server.access.devices.get(device_id)  # otherwise it would be loud already when this fails
        await server.device_statuses.set_volume(device_id.lower(), body.volume)
    device = await server.access.devices.describe(device_id, name=body.name, user=body.user)
    return await _known_device(server, device, await _elsewhere(server))


@router.delete("/{device_id}", responses=error_responses(*OWNER_ERRORS, DeviceUnknownError))
async def revoke(device_id: DeviceId, server: ServerDep) -> KnownDevice:
    """End a device's right to talk, at once. To come back it has to be approved again."""
    device = await server.access.devices.revoke(device_id)
    return await _known_device(server, device, await _elsewhere(server))


async def _elsewhere(server: LobugServer) -> frozenset[str] | None:
    """The devices that are connected to other servers; None: unknown."""
    try:
        async with asyncio.timeout(ELSEWHERE_S):
            return await server.memory.kept_in.people.devices_elsewhere()
    except (StorageError, TimeoutError):
        return None


async def _known_device(
    server: LobugServer, device: Device, elsewhere: frozenset[str] | None
) -> KnownDevice:
    """``elsewhere``: the devices that are connected to other servers; None: unknown."""
    access = server.access
    here = access.connected is not None and access.connected(f"device:{device.device_id}")
    at_another = not here and elsewhere is not None and device.device_id in elsewhere
    unknown = access.connected is None or elsewhere is None
    connected = True if here or at_another else None if unknown else False
    state: Literal["approved", "paired", "revoked"] = "approved"
    if device.revoked_at is not None:
        state = "revoked"
    elif device.token_hash is not None and device.last_seen_at is not None:
        state = "paired"
    status = server.device_statuses.of(device.device_id)
    told = status.introduction
    image = None if told is None else await server.firmware.newer(told)
    shown = {name: getattr(status, name) for name in _FROM_STATUS}
    return KnownDevice.of(
        device,
        **shown,
        board=None if told is None else told.board,
        firmware=None if told is None else _firmware(told),
        update=None if image is None else image.version,
        id=device.device_id,
        state=state,
        approved_at=device.created_at,
        connected=connected,
        at_another_server=at_another,
    )


ELSEWHERE_S = 1.0
"""How long the database is asked for devices at other servers: without it the answer says that it
does not know."""

_FROM_STATUS = (
    "report",
    "reported_at",
    "battery",
    "charging",
    "signal",
    "signal_dbm",
    "volume",
    "last_heard_at",
    "address",
)


def _firmware(told: Introduction) -> str | None:
    return " ".join(filter(None, (told.application, told.version))) or None


@router.post(
    "/{device_id}/alert",
    openapi_extra=documented(AlertRequest),
    responses=error_responses(*OWNER_BODY_ERRORS, DeviceOfflineError),
)
async def alert(
    device_id: DeviceId,
    body: Annotated[AlertRequest, Depends(json_body(AlertRequest))],
    server: ServerDep,
) -> Sent:
    """Let a connected device show and sound a message."""
    write = partial(messages.alert, status=body.status, message=body.message, emotion=body.emotion)
    await server.connections.send(f"device:{device_id.lower()}", write)
    return Sent()


@router.post("/{device_id}/reboot", responses=error_responses(*OWNER_ERRORS, DeviceOfflineError))
async def reboot(device_id: DeviceId, server: ServerDep) -> Sent:
    """Restart a connected device."""
    await server.connections.send(f"device:{device_id.lower()}", messages.system_reboot)
    return Sent()
