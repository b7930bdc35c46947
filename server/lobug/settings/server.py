"""Settings of HTTPS, of discovery, of the Wyoming door, of firmware updates and of telemetry."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network, ip_address
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from lobug.settings.section import Seconds, Section

_LONGEST = 60
"""Bytes. A DNS label has 63; a second server of the same name gets a number appended."""


def _name(text: str) -> str:
    if not text.isprintable() or text != text.strip() or "." in text:
        raise ValueError("must be printable, without a dot, and not begin or end with a space")
    if not 0 < len(text.encode()) <= _LONGEST:
        raise ValueError(f"must have 1 to {_LONGEST} bytes")
    return text


_HOST = re.compile(r"(?=.{1,253}$)[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*", re.ASCII)


def _place(text: str) -> str:
    """A host name in lower case, or an IP address."""
    try:
        return str(ip_address(text))
    except ValueError:
        if not _HOST.fullmatch(text):
            raise ValueError(f"{text!r} is neither a host name nor an IP address") from None
        return text.lower()


class TlsSettings(Section):
    """HTTPS, on a port of its own beside the one for HTTP (docs/https.md)."""

    enabled: bool = Field(True, description="Serve HTTPS as well.")
    port: int = Field(
        8322, ge=0, le=65535, description="Port of HTTPS to listen on; 0 picks a free one."
    )
    names: tuple[Annotated[str, AfterValidator(_place)], ...] = Field(
        (),
        description="Further host names and IP addresses under which browsers and devices reach"
        " this computer, as a JSON list, for Lo-Bug's own certificate. It has `localhost`, the"
        " addresses of this computer, `access.hostnames` and the host of `access.public_url`"
        " anyway.",
    )
    certificate: Path | None = Field(
        None,
        description="A certificate of your own instead of Lo-Bug's: a PEM file, the server's"
        " certificate first, then those that lead to its authority. Needs `tls.key`.",
    )
    key: Path | None = Field(
        None, description="The private key of `tls.certificate`: a PEM file without a password."
    )


class DiscoverySettings(Section):
    """How devices with Lo-Bug's firmware find the server by themselves: multicast DNS."""

    announce: bool = Field(
        True,
        description="Tell the local network where the server is (`_lobug._tcp`), unless it listens"
        " to this computer alone.",
    )
    name: Annotated[str, AfterValidator(_name)] = Field(
        "Lo-Bug", description="What it is announced as; everybody in the local network sees it."
    )


class WyomingSettings(Section):
    """The Wyoming door, for Home Assistant and other voice programs (docs/wyoming.md)."""

    enabled: bool = Field(
        False,
        description="Offer speech-to-text, text-to-speech and conversation over the Wyoming"
        " protocol. It has no authentication, so `wyoming.allowed_networks` decides who may use"
        " it.",
    )
    port: int = Field(
        10_800, ge=0, le=65535, description="Port of Wyoming to listen on; 0 picks a free one."
    )
    allowed_networks: tuple[IPv4Network | IPv6Network, ...] = Field(
        (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128")),
        description="Who may use it, as a JSON list of CIDR ranges, such as"
        ' `["192.168.1.20/32"]` for Home Assistant alone; others are refused. By default this'
        " computer only.",
    )
    max_connections: int = Field(
        16, ge=1, description="Wyoming connections at once; a further one is refused."
    )
    max_message_bytes: int = Field(
        131_072,
        ge=1024,
        description="Largest header and largest data of an event of a Wyoming client, bytes each.",
    )
    max_payload_bytes: int = Field(
        1024 * 1024,
        ge=1024,
        description="Largest sound in one event of a Wyoming client, bytes. How long all of it may"
        " be says `limits.max_audio_seconds`.",
    )
    event_timeout_s: Seconds = Field(
        10.0, description="Longest time from the first to the last byte of an event, seconds."
    )
    idle_timeout_s: Seconds = Field(
        60.0,
        description="A Wyoming connection on which nothing comes is closed after this, seconds.",
    )


class FirmwareSettings(Section):
    """Firmware images for devices, see `lobug firmware`."""

    directory: Path = Field(
        Path("firmware"), description="Where the images are kept; relative to `data_dir`."
    )
    max_image_bytes: int = Field(
        8 * 1024 * 1024,
        ge=1024,
        description="Largest image, bytes. A device with 16 MB of flash memory has two places of"
        " less than half of it.",
    )


class TelemetrySettings(Section):
    """What Lo-Bug tells about itself: times, counts and codes. Of what somebody said it keeps only
    the last utterances, in main memory."""

    turns_kept: int = Field(
        200, ge=0, le=10_000, description="Turns whose stage times `/turns` and `lobug turns` show."
    )
    heard_kept: int = Field(
        100,
        ge=0,
        le=10_000,
        description="Utterances that `/web/heard` shows, with why one was ignored. They are words,"
        " so they are kept in main memory only, and gone when anything of their person is"
        " forgotten. 0: none.",
    )
    loop_lag_every_s: Seconds = Field(
        0.1, description="How often the event loop's lag is measured, seconds."
    )
