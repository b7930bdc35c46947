"""Who is calling: the user whose memory it is and the conversation that it belongs to. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from lobug.errors import InvalidRequestError
from lobug.memory.base import Owner

_DEVICE_ID = re.compile(r"[\w.:@+\-]{1,128}", re.ASCII)


def caller_key(device_id: str | None, authorization: str | None, address: str | None) -> str:
    """The caller's stable name: its ``Device-Id``, else its token, else its address.

    The first firmware sends neither header, so its address has to do. Of a token only a digest is
    kept: the key is stored with every message.

    Raises:
        InvalidRequestError: the ``Device-Id`` is not 1 to 128 letters, digits or ``. : @ + - _``.
    """
    if device_id is not None:
        if not _DEVICE_ID.fullmatch(device_id):
            raise InvalidRequestError("Device-Id must be 1 to 128 of: letters digits . : @ + - _")
        return f"device:{device_id.lower()}"
    if authorization:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer" and token.strip():
            digest = hashlib.sha256(token.strip().encode()).hexdigest()
            return f"token:{digest[:32]}"
    return f"address:{address or 'unknown'}"


def owner_of(caller: str, users: Mapping[str, str]) -> Owner:
    """The owner behind a caller: the user that the settings name, else a user of its own.

    Every caller has its own conversation; only long-term memory is shared, and only between
    callers that the owner's settings give to the same user.
    """
    by_caller = {key.lower(): user for key, user in users.items()}
    user = by_caller.get(caller.lower(), caller)
    return Owner(user=user, conversation=f"{user}/{caller}")
