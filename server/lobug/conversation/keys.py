"""The conversation key of a caller: its user, and the conversation. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from lobug.memory.base import ConversationKey


def conversation_of(
    caller: str,
    users: Mapping[str, str],
    *,
    user: str | None = None,
    conversation: str | None = None,
) -> ConversationKey:
    """Return the conversation key of a caller. Its user is ``user`` from its token, else the one
    that the settings name for it, else a user of its own.

    Every caller has its own ``conversation``, unless its token says which; only long-term memory is
    shared, and only between callers that belong to the same user.
    """
    if user is None:
        by_caller = {key.lower(): name for key, name in users.items()}
        user = by_caller.get(caller.lower(), caller)
    return ConversationKey(user=user, conversation=f"{user}/{conversation or caller}")
