"""What the owner's doors, `/devices` and `/tokens`, share."""

from __future__ import annotations

from lobug.errors import (
    AccessUnavailableError,
    BodyTimeoutError,
    BodyTooLargeError,
    InvalidEncodingError,
    InvalidRequestError,
    LobugError,
    OwnerOnlyError,
    StorageError,
)

FAULTS: tuple[type[LobugError], ...] = (
    OwnerOnlyError,
    InvalidRequestError,
    AccessUnavailableError,
    StorageError,
)
"""What may go wrong at each of them."""

WITH_BODY: tuple[type[LobugError], ...] = (
    *FAULTS,
    InvalidEncodingError,
    BodyTooLargeError,
    BodyTimeoutError,
)
