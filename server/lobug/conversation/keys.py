"""Who is calling: the user whose memory it is and the conversation that it belongs to. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from lobug.errors import InvalidRequestError
from lobug.memory.model import ConversationKey

_DEVICE_ID = re.compile(r"[\w.:@+\-]{1,128}", re.ASCII)


def caller_key(device_id: str | None, authorization: str | None, address: str | None) -> str:
    """The caller's stable name: its ``Device-Id``, else its token, else its address.

    The first firmware sends neither header, so its address has to do. Of a token only a digest is
    kept: the key is stored with every message.

    Raises:
        InvalidRequestError: the ``Device-Id`` is not 1 to 128 letters, digits or ``. : @ + - _``.
    """
    if device_id is not None:
        return device_key(device_id)
    if authorization:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer" and token.strip():
            return token_key(hashlib.sha256(token.strip().encode()).hexdigest())
    return f"address:{address or 'unknown'}"


def device_key(device_id: str) -> str:
    """The name of a device. Raises InvalidRequestError."""
    if not _DEVICE_ID.fullmatch(device_id):
        raise InvalidRequestError("Device-Id must be 1 to 128 of: letters digits . : @ + - _")
    return f"device:{device_id.lower()}"


def token_key(digest: str) -> str:
    """The name of whoever came with a token. ``digest``: its SHA-256, hexadecimal."""
    return f"token:{digest[:32]}"


def conversation_of(
    caller: str,
    users: Mapping[str, str],
    *,
    user: str | None = None,
    conversation: str | None = None,
) -> ConversationKey:
    """The owner behind a caller: the ``user`` that its token says, else the one that the settings
    name, else a user of its own.

    Every caller has its own ``conversation``, unless its token says which; only long-term memory is
    shared, and only between callers that belong to the same user.
    """
    if user is None:
        by_caller = {key.lower(): name for key, name in users.items()}
        user = by_caller.get(caller.lower(), caller)
    return ConversationKey(user=user, conversation=f"{user}/{conversation or caller}")
