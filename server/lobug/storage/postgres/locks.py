"""Numbers of the advisory locks that writes hold."""

from __future__ import annotations

import hashlib

EVERYBODY = 0
"""The number of the lock that a write without a person holds alone and all others share."""


def lock_class(schema: str) -> int:
    """The number of a schema's locks; ``EVERYBODY`` is that of its writes."""
    return _number_of(schema)


def number_of_person(person: str) -> int:
    """The number of the lock that writes which concern a person alone hold; never that of
    ``EVERYBODY``."""
    return _number_of(person) or 1


def _number_of(name: str) -> int:
    """A signed number of 32 bits for a name, the same on every server."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big", signed=True)
