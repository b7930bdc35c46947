"""What a device says of itself when it asks discovery. Pure.

It is believed in nothing that matters: it is shown to the owner, the firmware's version is told
back, and a device that says it runs Lo-Bug's firmware may be offered a newer one.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic_core import from_json

MAX_BYTES = 64 * 1024
"""More is not looked at: a device sends about 2 kB."""

MAX_WORD = 48
"""Characters of a name or version; a longer one is cut."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """The part of a device's description that is of use."""

    version: str | None
    """Of its firmware."""
    description: str
    """For the owner: board and firmware; one line of printable text, may be empty."""
    application: str | None = None
    """How its firmware calls itself."""
    board: str | None = None
    """The type of its board."""


def read_introduction(body: bytes) -> Introduction:
    """Read a device's description; of what is no JSON, or other JSON, nothing."""
    try:
        document = from_json(body) if body and len(body) <= MAX_BYTES else None
    except ValueError:
        document = None
    application = _field(document, "application")
    board = _field(document, "board")
    version = _word(_field(application, "version"))
    kind = _word(_field(board, "type"))
    application_name = _word(_field(application, "name"))
    names = (_word(_field(board, "name")) or kind, application_name, version)
    described = ", ".join(name for name in names if name)
    return Introduction(version, described, application_name, kind)


def _field(document: object, name: str) -> object:
    return document.get(name) if isinstance(document, dict) else None


def _word(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    text = " ".join(value.split())[:MAX_WORD]
    return text if text and text.isprintable() else None
