"""What discovery answers. The field names are those of the device protocol. Pure."""

from __future__ import annotations

import re
from datetime import datetime
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from lobug.access.devices import Discovery
from lobug.access.introduction import Introduction
from lobug.errors import InvalidRequestError
from lobug.firmware.image import FirmwareImage

SOCKET_PATH = "/xiaozhi/v1/"
"""Where devices talk."""

FIRMWARE_PATH = "/firmware"
"""Where firmware images are, by board and version."""

PROTOCOL_VERSION = 1
"""How audio is framed on the socket: version 1 is known by every firmware there is."""

NO_VERSION = "0.0.0"
"""For a device that does not say its version: newer than none, so it never updates itself."""

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?", re.ASCII)


class ServerTime(BaseModel):
    """By which a device sets its clock."""

    timestamp: int = Field(description="Milliseconds since the epoch.")
    timezone_offset: int = Field(description="Local time is ahead of UTC by so many minutes.")


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


class Socket(BaseModel):
    """Where to talk."""

    url: str = Field(description="Address of the WebSocket.")
    version: int = Field(description="How binary frames are made: 1, the bare Opus packet.")
    token: str | None = Field(
        None, description="The device's token; absent when it has one that it has used."
    )


class Activation(BaseModel):
    """What a device shows until the owner has approved it."""

    code: str = Field(description="Six digits.")
    message: str = Field(description="What to show.")
    challenge: str = Field(description="With it a device polls `/xiaozhi/ota/activate`.")
    timeout_ms: int = Field(description="For how long the code is good, milliseconds.")


class DiscoveryReply(BaseModel):
    """Either `websocket` or `activation` is there."""

    server_time: ServerTime = Field(description="The server's clock.")
    firmware: Firmware = Field(description="The firmware to run.")
    websocket: Socket | None = Field(None, description="Where to talk, for a device that may.")
    activation: Activation | None = Field(
        None, description="What to show, for a device that waits for approval."
    )


def server_time(now: datetime) -> ServerTime:
    """The time as devices take it. ``now``: with its time zone."""
    offset = now.utcoffset()
    return ServerTime(
        timestamp=int(now.timestamp() * 1000),
        timezone_offset=round(offset.total_seconds() / 60) if offset else 0,
    )


def server_url(public_url: str, scheme: str, host: str | None) -> str:
    """Where a device finds this server (``http`` or ``https``, no slash at the end): at the address
    that the owner has set, else at the one that it has just called.

    Raises:
        InvalidRequestError: the ``Host`` header is missing or is no name or address.
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
    """The same, as the device has called it: it takes firmware from nowhere else. That is the
    owner's address only where the device came by it. ``forwarded``: a proxy passed it on. Raises
    InvalidRequestError."""
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
) -> DiscoveryReply:
    """The answer for a device. ``url``: of this server; ``now``: with its time zone; ``image``:
    what a paired device is offered, from the server at ``image_url``."""
    reply = DiscoveryReply(
        server_time=server_time(now),
        firmware=Firmware(version=introduction.version or NO_VERSION),
    )
    pairing = found.pairing
    if pairing is None:
        reply.websocket = Socket(
            url=f"ws{url.removeprefix('http')}{SOCKET_PATH}",
            version=PROTOCOL_VERSION,
            token=found.token,
        )
        if image is not None:
            reply.firmware = _offer(image, image_url)
    else:
        left_s = max(0.0, pairing.expires_at - now.timestamp())
        reply.activation = Activation(
            code=pairing.code,
            message=f"Lo-Bug: my owner can let me in with\n{pairing.code}",
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
