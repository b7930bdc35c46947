"""The conversation key of a caller: its user, and the conversation. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from lobug.memory.model import ConversationKey


def conversation_of(
    caller: str,
    users: Mapping[str, str],
    *,
    user: str | None = None,
    conversation: str | None = None,
) -> ConversationKey:
    """The user and conversation of a caller.

    Every caller has its own conversation unless its token names one. Only long-term memory is
    shared, and only between callers of the same user.

    Args:
        caller: its key.
        users: names of users by caller's key, from the settings.
        user: the user that the token names; None: the one of ``users``, else the caller itself.
        conversation: the conversation that the token names; None: the caller's own.
    """
    if user is None:
        by_caller = {key.lower(): name for key, name in users.items()}
        user = by_caller.get(caller.lower(), caller)
    return ConversationKey(user=user, conversation=f"{user}/{conversation or caller}")
