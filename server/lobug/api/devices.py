"""`/devices`: which devices may talk, for the owner."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request

from lobug.access.control import Access
from lobug.access.records import Device
from lobug.api.access_schemas import (
    ApproveRequest,
    DescribeRequest,
    KnownDevice,
    KnownDevices,
    WaitingDevice,
)
from lobug.api.body import documented, json_body
from lobug.api.caller import require_owner
from lobug.api.owners_doors import FAULTS, WITH_BODY
from lobug.api.problems import error_responses
from lobug.api.state import ServerDep
from lobug.errors import (
    AccessFullError,
    DeviceUnknownError,
    PairingCodeError,
    TooManyAttemptsError,
)

router = APIRouter(prefix="/devices", tags=["devices"], dependencies=[Depends(require_owner)])

DeviceId = Annotated[str, Path(max_length=128, description="The `Device-Id` of a device.")]


@router.get("", responses=error_responses(*FAULTS))
async def devices(server: ServerDep) -> KnownDevices:
    """List the devices that were approved, and those that wait for it."""
    access = server.access
    known = access.devices.all()
    paired = {device.device_id for device in known if device.token_hash is not None}
    return KnownDevices(
        devices=[_shown(access, device) for device in known],
        waiting=[
            WaitingDevice.of(pairing, replaces=pairing.device_id in paired)
            for pairing in access.devices.waiting()
        ],
    )


@router.post(
    "/approve",
    openapi_extra=documented(ApproveRequest),
    responses=error_responses(*WITH_BODY, PairingCodeError, TooManyAttemptsError, AccessFullError),
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
    return _shown(server.access, device)


@router.patch(
    "/{device_id}",
    openapi_extra=documented(DescribeRequest),
    responses=error_responses(*WITH_BODY, DeviceUnknownError),
)
async def describe(
    device_id: DeviceId,
    body: Annotated[DescribeRequest, Depends(json_body(DescribeRequest))],
    server: ServerDep,
) -> KnownDevice:
    """Give a device another name or user. With another user its open connection is ended."""
    device = await server.access.devices.describe(device_id, name=body.name, user=body.user)
    return _shown(server.access, device)


@router.delete("/{device_id}", responses=error_responses(*FAULTS, DeviceUnknownError))
async def revoke(device_id: DeviceId, server: ServerDep) -> KnownDevice:
    """End a device's right to talk, at once. To come back it has to be approved again."""
    return _shown(server.access, await server.access.devices.revoke(device_id))


def _shown(access: Access, device: Device) -> KnownDevice:
    connected = None
    if access.connected is not None:
        connected = access.connected(f"device:{device.device_id}")
    return KnownDevice.of(device, connected=connected)
