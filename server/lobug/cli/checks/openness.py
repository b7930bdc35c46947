"""Who may talk by the settings: whether the owner has opened more than is good. Pure."""

from __future__ import annotations

from lobug.access.addresses import is_loopback
from lobug.cli.checks.finding import Finding, ok, warn
from lobug.settings import Settings

NAME = "who may talk"

_HOUSEHOLD = {4: 16, 6: 48}
"""Shortest prefix of a network that may be one household's, by the version of IP."""


def check_openness(settings: Settings) -> list[Finding]:
    """A warning for each way in that needs no approval."""
    if is_loopback(settings.host) or settings.host == "localhost":
        return [ok(NAME, "only programs on this computer can reach the server")]
    access = settings.access
    findings = []
    if not access.pairing:
        findings.append(
            warn(
                NAME,
                "every device in the network that asks gets a token",
                "Remove LOBUG_ACCESS__PAIRING=false once your devices are paired.",
            )
        )
    wide = [n for n in access.trusted_networks if n.prefixlen < _HOUSEHOLD[n.version]]
    if wide:
        findings.append(
            warn(
                NAME,
                f"whoever calls from {', '.join(map(str, wide))} needs no token",
                "Name single devices in LOBUG_ACCESS__TRUSTED_NETWORKS, such as 192.168.1.20/32.",
            )
        )
    if findings:
        return findings
    trusted = ", ".join(map(str, access.trusted_networks))
    whoever = f"; anyone in {trusted} needs none" if trusted else ""
    return [ok(NAME, f"other computers and devices need a token of yours{whoever}")]
