"""Settings of access control."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr

from lobug.settings.section import Changeable, Seconds, Section


def _small(name: str) -> str:
    return name.lower()


def _url(text: str) -> str:
    urlsplit(text)  # raises ValueError when the host looks like an IPv6 address but is not one
    return text


HostName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,253}$"), AfterValidator(_small)]


class AccessSettings(Section):
    """Who may talk: pairing of devices and browsers, tokens, networks."""

    pairing: Annotated[bool, Changeable("Ask before a new device may talk")] = Field(
        True,
        description="A new device shows a code that the owner has to approve. Off: every device"
        " that asks gets a token at once.",
    )
    loopback: Literal["free", "token"] = Field(
        "free",
        description="What a program on this computer needs to count as the owner. `free`: nothing."
        " `token`: a token. The `lobug` commands then send one that only those who may read the"
        " data folder know.",
    )
    trusted_networks: tuple[IPv4Network | IPv6Network, ...] = Field(
        (),
        description="Networks that need no token, as a JSON list of CIDR ranges: for devices with"
        " the first firmware, which cannot send one. This computer itself never needs one.",
    )
    hostnames: tuple[HostName, ...] = Field(
        (),
        description="Names of this computer, as a JSON list, under which callers that need no token"
        " may reach Lo-Bug. `localhost` and addresses are always accepted; any other name may have"
        " been pointed here by a foreign web page.",
    )
    public_url: Annotated[str, AfterValidator(_url)] = Field(
        "",
        pattern=r"^$|^(http|https|ws|wss)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?"
        r"(/[^?#\s]*)?$",
        description="Where devices reach Lo-Bug, such as `https://lobug.example.org`; empty: at the"
        " address that they called.",
    )
    code_lifetime_s: Seconds = Field(
        600.0,
        description="How long an activation code can be approved, and an invitation used, seconds.",
    )
    browser_days: int = Field(
        180,
        ge=1,
        le=400,  # browsers keep no cookie for longer
        description="How long a browser stays signed in after its last use, days.",
    )
    max_waiting_devices: int = Field(
        50,
        ge=1,
        le=10_000,
        description="Devices with a code, and invitations of browsers, at once; a further one"
        " replaces the oldest.",
    )
    max_devices: int = Field(
        1_000, ge=1, description="Most devices, most browsers and most API tokens that are known."
    )
    codes_per_minute: int = Field(
        10, ge=1, description="New codes (without pairing: new devices) a minute for one address."
    )
    attempts_per_minute: int = Field(
        20,
        ge=1,
        description="Wrong tokens, wrong codes, and WebSockets of devices that wait for approval, a"
        " minute from one address.",
    )
    token: SecretStr = Field(
        SecretStr(""),
        description="API token that the commands of this program send to a server on another"
        " computer (`--server`).",
    )
