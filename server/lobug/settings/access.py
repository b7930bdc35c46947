"""Settings of who may talk."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network

from pydantic import Field

from lobug.settings.section import Seconds, Section


class AccessSettings(Section):
    """Who may talk: pairing of devices, tokens, networks."""

    pairing: bool = Field(
        True,
        description="A new device shows a code that the owner has to approve. Off: every device"
        " that asks gets a token at once.",
    )
    trusted_networks: tuple[IPv4Network | IPv6Network, ...] = Field(
        (),
        description="Networks that need no token, as a JSON list of CIDR ranges: for devices with"
        " the first firmware, which cannot send one. This computer itself never needs one.",
    )
    code_lifetime_s: Seconds = Field(
        600.0, description="How long an activation code can be approved, seconds."
    )
