"""Reads the claims of entries that an older version stored, a few at a time, oldest words first."""

from __future__ import annotations

from sqlalchemy import Integer, bindparam, delete, func, select

from lobug.language.claims import ClaimReader
from lobug.memory import claim_rows, entries
from lobug.memory.claims.assertion import Assertion
from lobug.memory.claims.claim_writer import Origin
from lobug.storage.connection import Connection
from lobug.storage.statements import among, run
from lobug.storage.tables import claim_backlog, memories

BATCH = 20
"""Entries of one transaction: about 50 ms."""

NEXT = (
    entries.ENTRY.join(claim_backlog, claim_backlog.c.memory_id == memories.c.id)
    .order_by(memories.c.said_at, memories.c.id)
    .limit(bindparam("limit", type_=Integer))
)
COUNT = select(func.count()).select_from(claim_backlog)
DONE = delete(claim_backlog).where(among(claim_backlog.c.memory_id, "ids"))


def count(connection: Connection) -> int:
    """Entries whose claims are still to be read."""
    return int(run(connection, COUNT).scalar())


def read_some(connection: Connection, reader: ClaimReader, now: float) -> int:
    """Read the claims of the next entries and let them end what they contradict. Returns how many
    entries are left."""
    batch = [entries.entry_of(row) for row in run(connection, NEXT, limit=BATCH).all()]
    for entry in batch:
        claims = reader.read_fact(entry.content) if entry.layer != "identity" else ()
        if not claims:
            continue
        claim_rows.insert(
            connection,
            entry.id,
            entry.user,
            claims,
            "model" if entry.source == "system" else "owner",
        )
        if entry.status == "active" and entry.scope == "user":
            origin = Origin(entry.user, entry.conversation, entry.said_at, now, source=entry.source)
            Assertion(connection, reader, origin).settle(entry.id, claims)
    run(connection, DONE, ids=[entry.id for entry in batch])
    return count(connection)
