"""Decides between facts that exclude each other or say the same.

A replaced fact stays, linked to its successor: past if it was true once, inactive if both say the
same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Integer, bindparam, or_, select, true

from lobug.language.en import fact_comparison, words
from lobug.memory import entries, identity
from lobug.memory.index import fact_vectors
from lobug.memory.index.fact_vectors import Vector, VectorIndex
from lobug.memory.model import Entry, Source
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import memories

COMPARED_NEIGHBOURS = 8
"""Near facts that are compared with a new one."""

MAX_PHRASINGS = 50
"""Former wordings of a fact that a new one is compared with."""

PARAPHRASE_RANGE = 3.0
"""Facts within this multiple of the duplicate distance are compared by their words."""


def merge(
    connection: Connection,
    index: VectorIndex,
    fact: Entry,
    vector: Vector,
    *,
    duplicate_distance: float,
    now: float,
) -> None:
    """Let a fact that is new to the index replace the facts that it makes obsolete, or be replaced
    itself.

    The user's nearest fact about the same people is replaced if its cosine distance is below
    ``duplicate_distance``; so are facts that say the same in other words
    (``language.en.paraphrase``) and other values of what a person has only one of
    (``language.en.replacement``). Of two facts the one that was said later stays, whichever was
    extracted first.
    """
    rivals = [
        *_same_slot(connection, fact),
        *_near_duplicate(connection, index, fact, vector, duplicate_distance),
    ]
    resolve_rivals(connection, fact, rivals, now)


@dataclass(frozen=True, slots=True)
class Rival:
    """An entry that says the same, or another value of what a person has only one of."""

    entry: Entry
    reason: Literal["superseded", "duplicate"]


def resolve_rivals(
    connection: Connection, fact: Entry, rivals: Sequence[Rival], now: float
) -> None:
    """Decide which of a fact and its rivals stays active. Of two values, the one said last; of two
    that say the same, the one from the more trusted source, else the one that says more, else the
    one said last."""
    for rival in rivals:
        if status(connection, rival.entry.id) != "active":
            continue
        if status(connection, fact.id) != "active":
            return
        older, newer = sorted((rival.entry, fact), key=_said_order)
        if rival.reason == "duplicate" and _better(older, newer):
            older, newer = newer, older
        replace(connection, older, newer, rival.reason, now)


def _better(older: Entry, newer: Entry) -> bool:
    """Whether the older of two duplicates is worth more."""
    if older.source != newer.source:
        return TRUST[older.source] > TRUST[newer.source]
    same = fact_comparison.is_paraphrase(older.content, newer.content)
    return same and fact_comparison.is_fuller(older.content, newer.content)


def _said_order(entry: Entry) -> tuple[float, int, int]:
    return (entry.said_at, entry.source_message_id or 0, entry.id)


TRUST: dict[Source, int] = {"correction": 3, "user": 2, "agent": 1, "import": 1, "system": 0}
"""Rank of sources: the higher, the more trusted."""


STATUS = select(memories.c.status).where(entries.BY_ID)


def status(connection: Connection, entry_id: int) -> str:
    """An entry's status."""
    return str(run(connection, STATUS, entry_id=entry_id).scalar())


RIVALS = entries.ENTRY.where(
    memories.c.user == bindparam("user"),
    memories.c.status == "active",
    memories.c.layer == "knowledge",
    memories.c.category == "knowledge",
    memories.c.id != bindparam("entry_id"),
    memories.c.scope == bindparam("scope"),
    or_(
        memories.c.scope != "conversation",
        memories.c.conversation.is_not_distinct_from(bindparam("conversation")),
    ),
    memories.c.compared == true(),
)


def _rivals_of(connection: Connection, fact: Entry) -> list[Entry]:
    rows = run(
        connection,
        RIVALS,
        user=fact.user,
        entry_id=fact.id,
        scope=fact.scope,
        conversation=fact.conversation,
    )
    return [entries.entry_of(row) for row in rows]


def _near_duplicate(
    connection: Connection,
    index: VectorIndex,
    fact: Entry,
    vector: Vector,
    duplicate_distance: float,
) -> list[Rival]:
    """The nearest fact about the same people if it is near enough, and facts that say the same in
    other words."""
    near_ids = {
        near.fact_id: near.distance
        for near in fact_vectors.nearest(connection, index, fact.user, vector, COMPARED_NEIGHBOURS)
        if near.distance < PARAPHRASE_RANGE * duplicate_distance
    }
    if not near_ids:
        return []
    rivals = [rival for rival in _rivals_of(connection, fact) if rival.id in near_ids]
    found: list[Rival] = []
    nearest = True
    for rival in sorted(rivals, key=lambda known: near_ids[known.id]):
        # What a person wrote on purpose is a duplicate only of exactly the same statement.
        written = rival.source != "system" or fact.source != "system"
        if written and _differs(rival.content, fact.content):
            continue
        near = near_ids[rival.id] < duplicate_distance and fact_comparison.same_people(
            rival.content, fact.content
        )
        retold = any(
            fact_comparison.is_paraphrase(content, fact.content)
            for content in _phrasings(connection, rival)
        )
        if (near and nearest) or retold:
            found.append(Rival(rival, "duplicate"))
            nearest = nearest and not near
    return found


_chain = select(bindparam("entry_id", type_=Integer).label("id")).cte("chain", recursive=True)
_chain = _chain.union(
    select(memories.c.id)
    .join(_chain, memories.c.replaced_by == _chain.c.id)
    .where(memories.c.reason == "duplicate")
)
TELLINGS = (
    select(memories.c.content).where(memories.c.id.in_(select(_chain.c.id))).limit(MAX_PHRASINGS)
)


def _phrasings(connection: Connection, entry: Entry) -> list[str]:
    """How an entry was told: its content, and those of the duplicates that it has replaced."""
    return run(connection, TELLINGS, entry_id=entry.id).scalars()


def _same_slot(connection: Connection, fact: Entry) -> list[Rival]:
    """The user's other values of what a person has only one of."""
    slot = fact_comparison.slot_of(fact.content)
    if slot is None:
        return []
    return [
        Rival(rival, "superseded")
        for rival in _rivals_of(connection, fact)
        if fact_comparison.slot_of(rival.content) == slot
    ]


def replace(
    connection: Connection,
    old: Entry,
    new: Entry,
    reason: Literal["superseded", "duplicate"],
    now: float,
) -> None:
    """Make one fact the successor of another. A superseded fact is past: it was true until the new
    one was said, and questions about the past find it. A duplicate is inactive. The successor takes
    the key and, from a duplicate, the earlier ``valid_from``."""
    superseded = reason == "superseded" and _differs(old.content, new.content)
    entries.retire(
        connection,
        old.id,
        status="past" if superseded else "inactive",
        reason="superseded" if superseded else "duplicate",
        now=now,
        replaced_by=new.id,
        valid_until=new.valid_from if superseded else None,
    )
    if superseded:
        identity.without(
            connection, old.user, old.content, now, entry_id=old.id, instead=new.content
        )
    entries.change(
        connection,
        new.id,
        key=old.key,
        valid_from=new.valid_from if superseded else min(old.valid_from, new.valid_from),
    )


def _differs(one: str, other: str) -> bool:
    """Whether two facts about the same subject have different content words."""
    said = words.stems(words.content_words(one)) ^ words.stems(words.content_words(other))
    return bool(said - fact_comparison.COMMON)
