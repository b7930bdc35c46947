"""Tombstones: what was forgotten, so that words said before cannot bring it back.

A row holds a salted digest: of a subject and relation ("where I live"), of a whole claim, or of the
distinctive words of a statement. The words themselves are gone; whoever has the file can test a
guess against it, not read it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from itertools import combinations

import sqlalchemy as sa
from sqlalchemy import bindparam, delete, select

from lobug.language.claims import Claim, Path
from lobug.language.en import mentions
from lobug.memory import claim_rows
from lobug.storage.connection import Connection
from lobug.storage.statements import run, run_many
from lobug.storage.tables import tombstones

MOST_STEMS = 3
"""Most distinctive words of a forgotten statement that are compared together."""
MOST_COMPARED = 14
"""Most distinctive words of a text that are compared: all combinations of them are."""


def slot(subject: Path, relation: str, kind: str) -> str:
    """What stands for a subject and relation, whatever the value."""
    return f"slot {claim_rows.text_of(subject)} {relation} {kind}"


def of_claim(claim: Claim) -> tuple[str, ...]:
    """What a claim may have been forgotten as."""
    value = " ".join(sorted(claim.value.lower().split()))
    whole = slot(claim.subject, claim.relation, claim.kind)
    subjects = (
        f"subject {claim_rows.text_of(claim.subject[:end])}"
        for end in range(1, len(claim.subject) + 1)
    )
    return (whole, f"{whole} {value}", *subjects)


def of_text(text: str) -> tuple[str, ...]:
    """What a text may have been forgotten as: each few of its distinctive words."""
    stems, parts = mentions.distinctive(text)
    words = sorted({*stems, *parts})[:MOST_COMPARED]
    return tuple(
        f"words {' '.join(chosen)}"
        for number in range(1, MOST_STEMS + 1)
        for chosen in combinations(words, number)
    )


def mark_of(text: str) -> str | None:
    """What stands for a forgotten statement; None: it has no distinctive word."""
    stems, parts = mentions.distinctive(text)
    telling = sorted(mentions.names_in(text)) or sorted({*stems, *parts})
    return f"words {' '.join(telling[:MOST_STEMS])}" if telling else None


def _digest(salt: str, what: str) -> str:
    return hashlib.sha256(f"{salt}\n{what}".encode()).hexdigest()


INSERT = sa.insert(tombstones)
SINCE = select(tombstones.c.salt, tombstones.c.digest).where(
    tombstones.c.user == bindparam("user"), tombstones.c.forgotten_at > bindparam("said_at")
)
DELETE = delete(tombstones).where(tombstones.c.user == bindparam("of_user"))


def add(connection: Connection, user: str, what: Iterable[str], now: float) -> None:
    """Note what was forgotten."""
    rows = []
    for one in dict.fromkeys(what):
        salt = secrets.token_hex(8)
        rows.append({"user": user, "salt": salt, "digest": _digest(salt, one), "forgotten_at": now})
    run_many(connection, INSERT, rows)


class Tombstones:
    """The tombstones of a user that are younger than a time, read once in a transaction."""

    def __init__(self, connection: Connection, user: str, said_at: float) -> None:
        self._rows = run(connection, SINCE, user=user, said_at=said_at).all()

    def covers(self, what: Sequence[str]) -> bool:
        """Whether one of these was forgotten."""
        return any(_digest(row.salt, one) == row.digest for row in self._rows for one in what)


def covers(connection: Connection, user: str, what: Sequence[str], said_at: float) -> bool:
    """Whether something was forgotten after ``said_at`` that is one of these."""
    return Tombstones(connection, user, said_at).covers(what)


def remove_all(connection: Connection, user: str) -> None:
    """Delete a user's tombstones, where nothing older is left."""
    run(connection, DELETE, of_user=user)
