"""How facts get along: which one ends another, which two say the same.

A fact that another one has replaced stays, linked to its successor: past where it was true once,
inactive where the two say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Integer, bindparam, or_, select, true

from lobug.language import words
from lobug.language.en import paraphrase, replacement
from lobug.memory import entries, identity
from lobug.memory.control import Entry, Source
from lobug.memory.index import fact_vectors
from lobug.memory.index.fact_vectors import Vector, VectorIndex
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import memories

COMPARED_NEIGHBOURS = 8
"""Near facts that are looked at for one that says the same."""

MAX_TELLINGS = 50
"""Former tellings of a fact that a new one is compared with."""

RETOLD_WITHIN = 3.0
"""Facts within so many times the distance of duplicates are compared by their words."""


def merge(
    connection: Connection,
    index: VectorIndex,
    fact: Entry,
    vector: Vector,
    *,
    duplicate_distance: float,
    now: float,
) -> None:
    """Let a fact, new to the index, replace what it makes obsolete, or give way itself.

    The user's nearest fact about the same people is replaced when its cosine distance is below
    ``duplicate_distance``; so are facts that tell the same in other words (``retelling``) and every
    fact about a thing of which there is only one (``replacing``). Of two facts the one that was
    said later stays, whichever was extracted first.
    """
    rivals = [
        *_same_slot(connection, fact),
        *_near_duplicate(connection, index, fact, vector, duplicate_distance),
    ]
    settle(connection, fact, rivals, now)


@dataclass(frozen=True, slots=True)
class Rival:
    """An older or newer entry that says the same, or something else of what there is only one."""

    entry: Entry
    reason: Literal["superseded", "duplicate"]


def settle(connection: Connection, fact: Entry, rivals: Sequence[Rival], now: float) -> None:
    """Decide which of a fact and its rivals holds: of a thing of which there is only one, what was
    said last; of two that say the same, what has the more trusted source, else what tells more,
    else what was said last.
    """
    for rival in rivals:
        if status(connection, rival.entry.id) != "active":
            continue
        if status(connection, fact.id) != "active":
            return
        older, newer = sorted((rival.entry, fact), key=_said)
        if rival.reason == "duplicate" and _better(older, newer):
            older, newer = newer, older
        replace(connection, older, newer, rival.reason, now)


def _better(older: Entry, newer: Entry) -> bool:
    """Whether of two that say the same the older one is worth more."""
    if older.source != newer.source:
        return TRUST[older.source] > TRUST[newer.source]
    same = paraphrase.retells(older.content, newer.content)
    return same and paraphrase.says_more(older.content, newer.content)


def _said(entry: Entry) -> tuple[float, int, int]:
    return (entry.said_at, entry.source_message_id or 0, entry.id)


TRUST: dict[Source, int] = {"correction": 3, "user": 2, "agent": 1, "import": 1, "system": 0}
"""How far a source is trusted."""


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
    """The nearest fact about the same people if it is near enough, and those that tell the same in
    other words."""
    near_ids = {
        near.fact_id: near.distance
        for near in fact_vectors.nearest(connection, index, fact.user, vector, COMPARED_NEIGHBOURS)
        if near.distance < RETOLD_WITHIN * duplicate_distance
    }
    if not near_ids:
        return []
    rivals = [rival for rival in _rivals_of(connection, fact) if rival.id in near_ids]
    found: list[Rival] = []
    nearest = True
    for rival in sorted(rivals, key=lambda known: near_ids[known.id]):
        # What somebody wrote on purpose is a duplicate only of what says the very same.
        written = rival.source != "system" or fact.source != "system"
        if written and _differs(rival.content, fact.content):
            continue
        near = near_ids[rival.id] < duplicate_distance and replacement.about_the_same(
            rival.content, fact.content
        )
        retold = any(
            paraphrase.retells(content, fact.content) for content in _tellings(connection, rival)
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
    select(memories.c.content).where(memories.c.id.in_(select(_chain.c.id))).limit(MAX_TELLINGS)
)


def _tellings(connection: Connection, entry: Entry) -> list[str]:
    """How an entry was told: its content, and those of the duplicates that it has replaced."""
    return run(connection, TELLINGS, entry_id=entry.id).scalars()


def _same_slot(connection: Connection, fact: Entry) -> list[Rival]:
    """The user's other facts about a thing of which there is only one."""
    slot = replacement.slot_of(fact.content)
    if slot is None:
        return []
    return [
        Rival(rival, "superseded")
        for rival in _rivals_of(connection, fact)
        if replacement.slot_of(rival.content) == slot
    ]


def replace(
    connection: Connection,
    old: Entry,
    new: Entry,
    reason: Literal["superseded", "duplicate"],
    now: float,
) -> None:
    """Let one fact take another's place. What was superseded is past: it was true until the new one
    was said, and questions about the past find it. A duplicate is inactive. The successor takes
    over the key, and the time since when it holds from a duplicate."""
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
    """Whether two facts about the same thing say something else of it."""
    said = words.stems(words.content_words(one)) ^ words.stems(words.content_words(other))
    return bool(said - replacement.COMMON)
