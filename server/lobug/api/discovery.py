"""`/xiaozhi/ota/`: a device asks where to talk, and waits until it may."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from pydantic import BaseModel, Field

from lobug import __version__
from lobug.access.addresses import is_forwarded
from lobug.access.introduction import read_introduction
from lobug.access.rules import checked_client_id, checked_device_id, require_own_name
from lobug.api.caller import caller_of
from lobug.api.discovery_reply import DiscoveryReply, called_url, reply_to, server_url
from lobug.api.problems import error_responses
from lobug.api.state import ServerDep
from lobug.errors import (
    AccessFullError,
    AccessUnavailableError,
    BodyTimeoutError,
    BodyTooLargeError,
    HostUnknownError,
    InvalidRequestError,
    StorageError,
    TooManyAttemptsError,
)

PATH = "/xiaozhi/ota/"

router = APIRouter(tags=["devices"])

DeviceIdHeader = Annotated[
    str | None, Header(description="Names the device: its MAC address. In any case of letters.")
]
ClientIdHeader = Annotated[
    str | None,
    Header(description="A UUID that the firmware made for itself; of a wiped device new."),
]
RESPONSES = error_responses(
    InvalidRequestError,
    HostUnknownError,
    BodyTooLargeError,
    BodyTimeoutError,
    TooManyAttemptsError,
    AccessFullError,
    AccessUnavailableError,
    StorageError,
)


class DiscoveryHelp(BaseModel):
    """For a person who opens the address."""

    name: str = Field("Lo-Bug", description="What answers here.")
    version: str = Field(__version__, description="Version of the server.")
    message: str = Field(description="What this address is for.")


class ActivationReply(BaseModel):
    """Whether a device may talk."""

    activated: bool = Field(description="Whether the owner has approved it.")


async def discover(
    request: Request,
    response: Response,
    server: ServerDep,
    device_id: DeviceIdHeader = None,
    client_id: ClientIdHeader = None,
) -> DiscoveryReply | DiscoveryHelp:
    """Tell a device where to talk, or which code to show until the owner has approved it.

    The body is the device's description of itself; only `application` and `board` are looked at.
    A device asks again after it has been approved, and gets its token then. With Lo-Bug's own
    firmware it is then offered a newer image for its board, if the owner has added one.
    """
    response.headers["Cache-Control"] = "no-store"
    if request.method == "GET" and device_id is None and client_id is None:
        return DiscoveryHelp(
            message="This is the address for devices: set it as their OTA URL. A new device shows a"
            " code; the owner approves it on this server's computer with"
            " `lobug devices approve CODE`."
        )
    device, client = checked_device_id(device_id), checked_client_id(client_id)
    introduction = read_introduction(await request.body())
    settings = server.settings.access
    if not settings.pairing:
        require_own_name(request.headers.get("host"), settings)
    called = (settings.public_url, request.url.scheme, request.headers.get("host"))
    url = server_url(*called)
    found = await server.access.devices.discover(
        device,
        client,
        description=introduction.description,
        address=request.client.host if request.client else None,
        at_this_computer=caller_of(request.scope).at_this_computer,
    )
    image = None
    if found.pairing is None:
        image = await server.firmware.offer(device, introduction)
    now = datetime.fromtimestamp(server.access.now(), UTC).astimezone()
    image_url = called_url(*called, forwarded=is_forwarded(request.headers.keys()))
    return reply_to(introduction, found, url=url, now=now, image=image, image_url=image_url)


for path in (PATH, PATH.rstrip("/")):
    for method in ("GET", "POST"):
        router.add_api_route(
            path,
            discover,
            methods=[method],
            responses=RESPONSES,
            response_model_exclude_none=True,
            include_in_schema=path == PATH,
            operation_id=f"discover_{method.lower()}",
        )


@router.post(
    f"{PATH}activate",
    responses={202: {"model": ActivationReply, "description": "Not yet."}, **RESPONSES},
)
async def activate(
    response: Response,
    server: ServerDep,
    device_id: DeviceIdHeader = None,
    client_id: ClientIdHeader = None,
) -> ActivationReply:
    """Say whether the owner has approved the device: 200 when so, 202 when not yet."""
    device, client = checked_device_id(device_id), checked_client_id(client_id)
    activated = server.access.devices.is_activated(device, client)
    if not activated:
        response.status_code = 202
    return ActivationReply(activated=activated)
