"""`/xiaozhi/ota/`: discovery. A device asks where to talk, and waits for the owner's approval.
`/firmware`: the images that discovery offers.

The field names of the replies are those of the device protocol.
"""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Header, Request, Response
from pydantic import BaseModel, Field

from lobug import __version__
from lobug.access.addresses import is_forwarded
from lobug.access.devices import Discovery, Introduction, read_introduction
from lobug.access.rules import checked_client_id, checked_device_id, require_own_name
from lobug.errors import (
    AccessFullError,
    AccessUnavailableError,
    BodyTimeoutError,
    BodyTooLargeError,
    FirmwareUnknownError,
    HostUnknownError,
    InvalidRequestError,
    OwnerOnlyError,
    StorageError,
    TooManyAttemptsError,
)
from lobug.http.dependencies import CallerDep, ServerDep, caller_of
from lobug.http.firmware_image import ImageResponse
from lobug.http.problems import error_responses
from lobug.language.en.data import PAIRING
from lobug.ota.image import FirmwareImage
from lobug.ota.offers import APPLICATION
from lobug.ota.signing import Signed, read_nonce

SOCKET_PATH = "/xiaozhi/v1/"
"""Path of the devices' WebSocket."""

FIRMWARE_PATH = "/firmware"
"""Path of firmware images, by board and version."""

PROTOCOL_VERSION = 1
"""Version of the audio frames on the WebSocket: every firmware knows version 1."""

NO_VERSION = "0.0.0"
"""Stands for the version of a device that names none. No version is older, so the device never
updates itself."""

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?", re.ASCII)


class ServerTime(BaseModel):
    """By which a device sets its clock."""

    timestamp: int = Field(description="Milliseconds since the epoch.")
    timezone_offset: int = Field(description="Minutes by which local time is ahead of UTC.")


class Firmware(BaseModel):
    """The firmware to run: the one that the device has, or a newer one of its owner's."""

    version: str = Field(description="The device's own version, or the one that it is offered.")
    url: str = Field(
        "",
        description="Where the image is, for its token; empty: nothing is offered. Only a paired"
        " device with Lo-Bug's own firmware is ever offered one.",
    )
    size: int | None = Field(None, description="Of the image, bytes.")
    sha256: str | None = Field(None, description="Of the image, hexadecimal.")
    force: bool | None = Field(
        None, description="True: to be taken even if the device's own version is newer."
    )
    signature: str | None = Field(
        None,
        description="Ed25519, of the offer and the device's `update_nonce`, hexadecimal: for a"
        " device that sends one.",
    )


class Socket(BaseModel):
    """Where to talk."""

    url: str = Field(description="Address of the WebSocket.")
    version: int = Field(description="How binary frames are made: 1, the bare Opus packet.")
    token: str | None = Field(
        None,
        description="The device's token; absent when it has one that it has used, empty while it"
        " waits for approval.",
    )
    update_key: str | None = Field(
        None,
        description="The Ed25519 key that signs updates, hexadecimal: for a device that sends an"
        " `update_nonce`. It keeps the first one.",
    )


class Activation(BaseModel):
    """What a device shows until the owner has approved it."""

    code: str = Field(description="Six digits.")
    message: str = Field(description="What to show.")
    challenge: str = Field(description="With it a device polls `/xiaozhi/ota/activate`.")
    timeout_ms: int = Field(description="How long the code is valid, milliseconds.")


class DiscoveryReply(BaseModel):
    """A device may talk when `activation` is absent."""

    server_time: ServerTime = Field(description="The server's clock.")
    firmware: Firmware = Field(description="The firmware to run.")
    websocket: Socket | None = Field(
        None,
        description="Where to talk. A device that waits for approval is told its code there and"
        " nothing else; Lo-Bug's own firmware, which shows it anyway, gets no address until then.",
    )
    activation: Activation | None = Field(
        None, description="What to show, for a device that waits for approval."
    )


def server_time(now: datetime) -> ServerTime:
    """The time in the device protocol's form. ``now`` has a time zone."""
    offset = now.utcoffset()
    return ServerTime(
        timestamp=int(now.timestamp() * 1000),
        timezone_offset=round(offset.total_seconds() / 60) if offset else 0,
    )


def server_url(public_url: str, scheme: str, host: str | None) -> str:
    """Address of this server for a device (``http`` or ``https``, no slash at the end): the one
    that the owner has set, else the one that the device has just called.

    Raises:
        InvalidRequestError: the ``Host`` header is missing or is neither a name nor an address.
    """
    if public_url:
        parts = urlsplit(public_url)
        scheme, host, base = parts.scheme, parts.netloc, parts.path.rstrip("/")
    else:
        base = ""
    if host is None or not _HOST.fullmatch(host):
        raise InvalidRequestError("the header Host is missing or is not an address")
    secure = scheme in {"https", "wss"}
    return f"{'https' if secure else 'http'}://{host}{base}"


def called_url(public_url: str, scheme: str, host: str | None, *, forwarded: bool) -> str:
    """Address of this server as the device has called it; it takes firmware from no other address.
    ``public_url`` counts only if the device used it, or a proxy forwarded the request
    (``forwarded``). Raises InvalidRequestError."""
    by_public = forwarded or (host or "").lower() == urlsplit(public_url).netloc.lower()
    return server_url(public_url if by_public else "", scheme, host)


def reply_to(
    introduction: Introduction,
    found: Discovery,
    *,
    url: str,
    now: datetime,
    image: FirmwareImage | None = None,
    image_url: str = "",
    signed: Signed | None = None,
) -> DiscoveryReply:
    """The reply to a device. ``url``: address of this server; ``now`` has a time zone; ``image``:
    the firmware that a paired device is offered, from the server at ``image_url``; ``signed``: for
    one that verifies it."""
    reply = DiscoveryReply(
        server_time=server_time(now),
        firmware=Firmware(version=introduction.version or NO_VERSION),
    )
    pairing = found.pairing
    socket_url = f"ws{url.removeprefix('http')}{SOCKET_PATH}"
    if pairing is None:
        reply.websocket = Socket(
            url=socket_url,
            version=PROTOCOL_VERSION,
            token=found.token,
            update_key=None if signed is None else signed.key,
        )
        if image is not None:
            reply.firmware = _offer(image, image_url)
            reply.firmware.signature = None if signed is None else signed.signature
    else:
        if introduction.application != APPLICATION:
            # Many clients read the address, and even the token, without looking whether it is
            # there. An empty token is one that they do not send.
            reply.websocket = Socket(url=socket_url, version=PROTOCOL_VERSION, token="")
        left_s = max(0.0, pairing.expires_at - now.timestamp())
        reply.activation = Activation(
            code=pairing.code,
            message=PAIRING["code"].format(code=pairing.code),
            challenge=pairing.challenge,
            timeout_ms=int(left_s * 1000),
        )
    return reply


def _offer(image: FirmwareImage, url: str) -> Firmware:
    return Firmware(
        version=image.version,
        url=f"{url}{FIRMWARE_PATH}/{image.board}/{image.version}",
        size=image.size,
        sha256=image.sha256,
        force=True if image.forced else None,
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
    """Tell a device where to talk, and which code to show until the owner has approved it.

    The body is the device's description of itself; only `application`, `board` and `update_nonce`
    are looked at.
    A device asks again after it has been approved, and gets its token then. With Lo-Bug's own
    firmware it is then offered a newer image for its board, if the owner has added one.
    """
    response.headers["Cache-Control"] = "no-store"
    if request.method == "GET" and device_id is None and client_id is None:
        return DiscoveryHelp(message=PAIRING["address"])
    device, client = checked_device_id(device_id), checked_client_id(client_id)
    body = await request.body()
    introduction = read_introduction(body)
    address = request.client.host if request.client else None
    settings = server.settings.access
    if not settings.pairing:
        require_own_name(request.headers.get("host"), settings)
    called = (settings.public_url, request.url.scheme, request.headers.get("host"))
    url = server_url(*called)
    found = await server.access.devices.discover(
        device,
        client,
        description=introduction.description,
        address=address,
        at_this_computer=caller_of(request.scope).at_this_computer,
    )
    image = signed = None
    if found.pairing is None:
        told = {} if introduction.signal_dbm is None else {"signal_dbm": introduction.signal_dbm}
        server.device_statuses.note(device, introduction=introduction, address=address, **told)
        image = await server.firmware.offer(device, introduction)
        nonce = read_nonce(body)
        if nonce is not None:
            signed = await server.firmware.signed(image, nonce)
            image = None if signed is None else image
    now = datetime.fromtimestamp(server.access.now(), UTC).astimezone()
    image_url = called_url(*called, forwarded=is_forwarded(request.headers.keys()))
    return reply_to(
        introduction, found, url=url, now=now, image=image, image_url=image_url, signed=signed
    )


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


@router.get(
    f"{FIRMWARE_PATH}/{{board}}/{{version}}",
    response_class=Response,
    responses={
        200: {
            "content": {"application/octet-stream": {}},
            "description": "The image; `ETag` is its SHA-256.",
        },
        **error_responses(OwnerOnlyError, FirmwareUnknownError),
    },
)
async def fetch_image(board: str, version: str, server: ServerDep, caller: CallerDep) -> Response:
    """Give a paired device a firmware image; the owner may have it too."""
    if caller.kind != "device" and not caller.owner:
        raise OwnerOnlyError("firmware is for devices that are paired, and for the owner")
    image, content = await asyncio.to_thread(server.firmware.library.open, board, version)
    timeout_s = server.settings.streaming.send_timeout_s

    def fetched() -> None:
        if caller.device_id is not None:
            server.firmware.fetched(caller.device_id, image)

    return ImageResponse(image, content, timeout_s=timeout_s, fetched=fetched)
