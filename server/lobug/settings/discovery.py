"""Settings of how devices find the server."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from lobug.settings.section import Section

_LONGEST = 60
"""Bytes. A label of DNS has 63; a second server of the same name gets a number behind it."""


def _name(text: str) -> str:
    if not text.isprintable() or text != text.strip() or "." in text:
        raise ValueError("must be printable, without a dot, and not begin or end with a space")
    if not 0 < len(text.encode()) <= _LONGEST:
        raise ValueError(f"must have 1 to {_LONGEST} bytes")
    return text


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
