"""What discovery answers. The field names are those of the device protocol. Pure."""

from __future__ import annotations

import re
from datetime import datetime
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from lobug.access.devices import Discovery
from lobug.access.introduction import Introduction
from lobug.errors import InvalidRequestError

SOCKET_PATH = "/xiaozhi/v1/"
"""Where devices talk."""

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
    """The firmware to run: always the one that the device has."""

    version: str = Field(description="The device's own version.")
    url: str = Field("", description="Always empty: Lo-Bug gives out no firmware.")


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


def socket_url(public_url: str, scheme: str, host: str | None) -> str:
    """Where a device finds the WebSocket: at the address that the owner has set, else at the one
    that it has just called.

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
    return f"{'wss' if secure else 'ws'}://{host}{base}{SOCKET_PATH}"


def reply_to(
    introduction: Introduction, found: Discovery, *, url: str, now: datetime
) -> DiscoveryReply:
    """The answer for a device. ``url``: where it may talk; ``now``: with its time zone."""
    reply = DiscoveryReply(
        server_time=server_time(now),
        firmware=Firmware(version=introduction.version or NO_VERSION),
    )
    pairing = found.pairing
    if pairing is None:
        reply.websocket = Socket(url=url, version=PROTOCOL_VERSION, token=found.token)
    else:
        left_s = max(0.0, pairing.expires_at - now.timestamp())
        reply.activation = Activation(
            code=pairing.code,
            message=f"Lo-Bug: my owner can let me in with\n{pairing.code}",
            challenge=pairing.challenge,
            timeout_ms=int(left_s * 1000),
        )
    return reply
