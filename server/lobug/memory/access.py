"""Whose memory a call may see and change: the only way into anybody's memories. Pure.

Every function that reads or writes memories takes a ``MemoryScope``; none works without one.
A memory belongs to a *scope*: one conversation (this person on this device), one user (the person,
on all devices) or the household (everybody whom the owner's settings let in).
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import and_, bindparam, or_

from lobug.memory.model import HOUSEHOLD, MemoryScope
from lobug.storage.tables import memories

VISIBLE = and_(
    memories.c.user.in_([bindparam("seen_user"), bindparam("seen_household")]),
    or_(
        memories.c.user == bindparam("seen_household"),
        bindparam("seen_conversation").is_(None),
        memories.c.scope != "conversation",
        memories.c.conversation == bindparam("seen_conversation"),
    ),
)
"""The condition that every query over ``memories`` carries; ``seen_by`` has its parameters."""


def seen_by(scope: MemoryScope) -> Mapping[str, str | None]:
    """The parameters of ``VISIBLE``; None stands for what nobody sees."""
    return {
        "seen_user": scope.user,
        "seen_conversation": scope.conversation,
        "seen_household": None if scope.household == "none" else HOUSEHOLD,
    }
