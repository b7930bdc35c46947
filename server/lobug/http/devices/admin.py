"""`/devices`, for the owner: which devices may talk, alerts and reboots."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request

from lobug.access.records import Device
from lobug.access.service import Access
from lobug.devices import messages
from lobug.errors import (
    AccessFullError,
    AccessUnavailableError,
    BodyTimeoutError,
    BodyTooLargeError,
    DeviceOfflineError,
    DeviceUnknownError,
    InvalidEncodingError,
    InvalidRequestError,
    LobugError,
    OwnerOnlyError,
    PairingCodeError,
    StorageError,
    TooManyAttemptsError,
)
from lobug.http.body import documented, json_body
from lobug.http.caller import require_admin
from lobug.http.devices.schemas import (
    AlertRequest,
    ApproveRequest,
    DescribeRequest,
    KnownDevice,
    KnownDevices,
    Sent,
    WaitingDevice,
)
from lobug.http.problems import error_responses
from lobug.http.state import ServerDep

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
    """List the devices that were approved, and those that wait for it."""
    access = server.access
    known = access.devices.all()
    paired = {device.device_id for device in known if device.token_hash is not None}
    return KnownDevices(
        devices=[_known_device(access, device) for device in known],
        waiting=[
            WaitingDevice.of(pairing, replaces=pairing.device_id in paired)
            for pairing in access.devices.waiting()
        ],
    )


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
    return _known_device(server.access, device)


@router.patch(
    "/{device_id}",
    openapi_extra=documented(DescribeRequest),
    responses=error_responses(*OWNER_BODY_ERRORS, DeviceUnknownError),
)
async def describe(
    device_id: DeviceId,
    body: Annotated[DescribeRequest, Depends(json_body(DescribeRequest))],
    server: ServerDep,
) -> KnownDevice:
    """Give a device another name or user. With another user its open connection is ended."""
    device = await server.access.devices.describe(device_id, name=body.name, user=body.user)
    return _known_device(server.access, device)


@router.delete("/{device_id}", responses=error_responses(*OWNER_ERRORS, DeviceUnknownError))
async def revoke(device_id: DeviceId, server: ServerDep) -> KnownDevice:
    """End a device's right to talk, at once. To come back it has to be approved again."""
    return _known_device(server.access, await server.access.devices.revoke(device_id))


def _known_device(access: Access, device: Device) -> KnownDevice:
    connected = None
    if access.connected is not None:
        connected = access.connected(f"device:{device.device_id}")
    return KnownDevice.of(device, connected=connected)


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
    """Let a connected device start again."""
    await server.connections.send(f"device:{device_id.lower()}", messages.system_reboot)
    return Sent()
