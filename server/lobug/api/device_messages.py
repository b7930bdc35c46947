"""`/devices/{id}/alert` and `/reboot`: what the owner, or a program of theirs, tells a device."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends

from lobug.api.access_schemas import AlertRequest, Sent
from lobug.api.body import documented, json_body
from lobug.api.caller import require_owner
from lobug.api.devices import DeviceId
from lobug.api.owners_doors import FAULTS, WITH_BODY
from lobug.api.problems import error_responses
from lobug.api.state import ServerDep
from lobug.device import server_messages as say
from lobug.errors import DeviceOfflineError

router = APIRouter(prefix="/devices", tags=["devices"], dependencies=[Depends(require_owner)])


@router.post(
    "/{device_id}/alert",
    openapi_extra=documented(AlertRequest),
    responses=error_responses(*WITH_BODY, DeviceOfflineError),
)
async def alert(
    device_id: DeviceId,
    body: Annotated[AlertRequest, Depends(json_body(AlertRequest))],
    server: ServerDep,
) -> Sent:
    """Let a connected device show and sound a message."""
    write = partial(say.alert, status=body.status, message=body.message, emotion=body.emotion)
    await server.connections.tell(f"device:{device_id.lower()}", write)
    return Sent()


@router.post("/{device_id}/reboot", responses=error_responses(*FAULTS, DeviceOfflineError))
async def reboot(device_id: DeviceId, server: ServerDep) -> Sent:
    """Let a connected device start again."""
    await server.connections.tell(f"device:{device_id.lower()}", say.system_reboot)
    return Sent()
