"""Whose memory a call may see and change: the only way into anybody's memories. Pure.

Every function that reads or writes memories takes a ``MemoryScope``; none works without one.
A memory belongs to a *scope*: one conversation (this person on this device), one user (the person,
on all devices) or the household (everybody whom the owner's settings let in).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import and_, bindparam, or_

from lobug.errors import MemoryForbiddenError
from lobug.memory.base import ConversationKey
from lobug.storage.tables import memories

EntryScope = Literal["conversation", "user", "household"]
HouseholdGrant = Literal["none", "read", "write"]

HOUSEHOLD = "household:"
"""The user that household memories are stored under. No person can have this name: names with a
colon at the end are refused by the settings."""


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """What one caller may see and change: own conversation and own user always, the household's
    memories only where the owner's settings say so."""

    user: str
    conversation: str | None
    """None: the person's whole memory, without any one conversation's own memories in particular
    (the owner at the command line); every conversation of this user is then included."""
    household: HouseholdGrant = "none"

    @property
    def owners(self) -> tuple[str, ...]:
        """The values of the column ``user`` whose memories may be seen."""
        return (self.user,) if self.household == "none" else (self.user, HOUSEHOLD)

    def require(self, scope: EntryScope, *, write: bool) -> None:
        """Raises MemoryForbiddenError unless the scope may be read, or written."""
        if scope != "household":
            return
        if self.household == "none" or (write and self.household == "read"):
            raise MemoryForbiddenError(
                f"{self.user} may not {'change' if write else 'see'} the household's memories;"
                " memory.household grants that"
            )

    def stored_under(self, scope: EntryScope) -> str:
        """The value of the column ``user`` for memories of a scope."""
        return HOUSEHOLD if scope == "household" else self.user


def scope_of(
    conversation_key: ConversationKey, household: Mapping[str, HouseholdGrant]
) -> MemoryScope:
    """What an owner may see: their own, and the household's by the settings' grants."""
    return MemoryScope(
        conversation_key.user,
        conversation_key.conversation,
        household.get(conversation_key.user, "none"),
    )


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
