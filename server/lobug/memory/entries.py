"""Rows of ``memories``: one for each version of an entry.

A change never overwrites: it inserts a version and makes the old one inactive, linked to it. What
an owner's call reads or writes goes through ``MemoryScope``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import (
    Integer,
    Select,
    and_,
    bindparam,
    case,
    column,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)

from lobug.errors import MemoryNotFoundError
from lobug.language.protocol import FactType
from lobug.memory import keys
from lobug.memory.access import VISIBLE, seen_by
from lobug.memory.index import fact_vectors
from lobug.memory.model import (
    Category,
    Entry,
    EntryScope,
    Filter,
    Layer,
    MemoryScope,
    Reason,
    Source,
    Status,
)
from lobug.storage.columns import TextList, among
from lobug.storage.driver import Connection
from lobug.storage.statements import Result, Row, run, run_many
from lobug.storage.tables import memories, memory_sources, project_tasks

MAX_ID = 2**63 - 1
"""The largest id that SQLite knows."""

ENTRY = select(*(memories.c[field.name] for field in fields(Entry)))
"""The columns of an entry, by the names of its fields."""

BY_ID = memories.c.id == bindparam("entry_id")


@dataclass(frozen=True, slots=True)
class NewVersion:
    """The values of a new row; the database fills in the others."""

    user: str
    """The value of the column ``user``: ``MemoryScope.stored_under``."""
    told_by: str
    content: str
    key: str
    source: Source
    said_at: float
    now: float
    scope: EntryScope = "user"
    conversation: str | None = None
    session_id: int | None = None
    layer: Layer = "knowledge"
    category: Category = "knowledge"
    fact_type: FactType = "knowledge"
    section: str | None = None
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    project: str | None = None
    task_id: int | None = None
    source_message_id: int | None = None
    from_message_id: int | None = None
    to_message_id: int | None = None
    created_at: float | None = None
    valid_from: float | None = None
    compared: bool = False


def entry_of(row: Row) -> Entry:
    """The entry in a row of ``ENTRY``."""
    return Entry(**row._asdict())


INSERT = sa.insert(memories).returning(memories.c.id)


def insert(connection: Connection, new: NewVersion) -> int:
    """Insert a version. Returns its id. The key must be free (``free_key``)."""
    values = {field.name: getattr(new, field.name) for field in fields(new) if field.name != "now"}
    values["created_at"] = new.now if new.created_at is None else new.created_at
    values["updated_at"] = new.now
    values["valid_from"] = new.said_at if new.valid_from is None else new.valid_from
    return int(run(connection, INSERT, **values).scalar())


def free_key(
    connection: Connection, user: str, scope: EntryScope, conversation: str | None, wanted: str
) -> str:
    """``wanted``, or it with the first number that no active entry of the scope has."""
    key, number = wanted, 1
    while active_key(connection, user, scope, conversation, key) is not None:
        number += 1
        key = keys.numbered(wanted, number)
    return key


ACTIVE_KEY = select(memories.c.id).where(
    memories.c.user == bindparam("user"),
    memories.c.status == "active",
    memories.c.key == bindparam("key"),
    # The expression of the unique index memories_key.
    func.iif(memories.c.scope == "conversation", memories.c.conversation, "")
    == bindparam("conversation"),
)


def active_key(
    connection: Connection, user: str, scope: EntryScope, conversation: str | None, key: str
) -> int | None:
    """The id of the active entry that has a key in a scope."""
    found: int | None = run(
        connection,
        ACTIVE_KEY,
        user=user,
        key=key,
        conversation=(conversation or "") if scope == "conversation" else "",
    ).scalar()
    return found


FIND = ENTRY.where(BY_ID, VISIBLE)


def find(connection: Connection, scope: MemoryScope, entry_id: int) -> Entry:
    """A version that the scope may see. Raises MemoryNotFoundError."""
    row = None
    if 0 < entry_id <= MAX_ID:
        row = run(connection, FIND, entry_id=entry_id, **seen_by(scope)).first()
    if row is None:
        raise MemoryNotFoundError(f"there is no memory {entry_id}")
    return entry_of(row)


FIND_KEY = (
    ENTRY.where(memories.c.key == bindparam("key"), memories.c.status == "active", VISIBLE)
    .order_by(case({"conversation": 0, "user": 1}, value=memories.c.scope, else_=2))
    .limit(1)
)


def find_key(connection: Connection, scope: MemoryScope, key: str) -> Entry:
    """The active entry of a key, the narrowest scope first. Raises MemoryNotFoundError."""
    row = run(connection, FIND_KEY, key=key, **seen_by(scope)).first()
    if row is None:
        raise MemoryNotFoundError(f"there is no memory under the key {key}")
    return entry_of(row)


_wanted_tags = func.json_each(bindparam("with_tags", type_=TextList)).table_valued(column("value"))
_own_tags = func.json_each(memories.c.tags).table_valued(column("value"))

CONDITIONS = {
    "with_layer": memories.c.layer == bindparam("with_layer"),
    "with_category": memories.c.category == bindparam("with_category"),
    "with_scope": memories.c.scope == bindparam("with_scope"),
    "with_status": memories.c.status == bindparam("with_status"),
    "with_project": memories.c.project == bindparam("with_project"),
    "with_tags": ~exists(
        select(1)
        .select_from(_wanted_tags)
        .where(_wanted_tags.c.value.not_in(select(_own_tags.c.value)))
    ),
    "since": memories.c.said_at >= bindparam("since"),
    "until": memories.c.said_at < bindparam("until"),
}
"""What a filter asks for, by the name of the parameter."""

BELIEVED = memories.c.status != "inactive"


@cache
def _filtered(
    statement: Select[*tuple[Any, ...]], names: tuple[str, ...], *, believed: bool
) -> Select[*tuple[Any, ...]]:
    asked = [CONDITIONS[name] for name in names]
    return statement.where(VISIBLE, *asked, *([BELIEVED] if believed else []))


def matching(
    connection: Connection,
    statement: Select[*tuple[Any, ...]],
    scope: MemoryScope,
    where: Filter,
    **values: Any,
) -> Result:
    """Run a statement over ``memories``, a constant, on what the scope sees and a filter asks for.
    ``values`` are the statement's own parameters."""
    believed = where.status == "believed"
    asked: Mapping[str, Any] = {
        "with_layer": where.layer,
        "with_category": where.category,
        "with_scope": where.scope,
        "with_status": None if believed else where.status,
        "with_project": where.project,
        "with_tags": where.tags or None,
        "since": where.since,
        "until": where.until,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    filtered = _filtered(statement, tuple(given), believed=believed)
    return run(connection, filtered, **values, **given, **seen_by(scope))


LISTED = (
    ENTRY.where(memories.c.id > bindparam("after_id"))
    .order_by(memories.c.id)
    .limit(bindparam("limit", type_=Integer))
)


def listed(
    connection: Connection, scope: MemoryScope, where: Filter, *, limit: int, after_id: int
) -> list[Entry]:
    """Entries in the order of their ids."""
    rows = matching(
        connection,
        LISTED,
        scope,
        where,
        after_id=max(0, min(after_id, MAX_ID)),
        limit=max(0, min(limit, MAX_ID)),
    )
    return [entry_of(row) for row in rows]


EVERYTHING = Filter(status=None)
"""The filter that every version passes."""

BY_IDS = ENTRY.where(among(memories.c.id, "ids"))


def by_ids(
    connection: Connection, scope: MemoryScope, ids: Iterable[int], where: Filter = EVERYTHING
) -> dict[int, Entry]:
    """The entries of these ids that the scope may see and the filter lets through."""
    rows = matching(connection, BY_IDS, scope, where, ids=ids)
    return {row.id: entry_of(row) for row in rows}


_chain = select(bindparam("entry_id", type_=Integer).label("id")).cte("chain", recursive=True)
_chain = _chain.union(
    select(memories.c.id).join(_chain, memories.c.replaced_by == _chain.c.id),
    select(memories.c.replaced_by)
    .join(_chain, memories.c.id == _chain.c.id)
    .where(memories.c.replaced_by.is_not(None)),
)
CHAIN = select(_chain.c.id)
"""An entry, all that it replaced and all that replaced it, one step after the other."""


def versions(connection: Connection, scope: MemoryScope, entry_id: int) -> list[Entry]:
    """All versions of an entry, oldest first. Raises MemoryNotFoundError."""
    find(connection, scope, entry_id)
    ids = run(connection, CHAIN, entry_id=entry_id).scalars()
    found = by_ids(connection, scope, ids)
    return [found[known] for known in sorted(found)]


SOURCES = (
    select(memory_sources.c.source_id)
    .where(memory_sources.c.memory_id == bindparam("entry_id"))
    .order_by(memory_sources.c.source_id)
)


def sources(connection: Connection, entry_id: int) -> tuple[int, ...]:
    """The ids of the entries that one was distilled from."""
    return tuple(run(connection, SOURCES, entry_id=entry_id).scalars())


_replacing = memories.alias()
BRIDGE = (
    update(memories)
    .values(
        replaced_by=select(_replacing.c.replaced_by)
        .where(_replacing.c.id == bindparam("entry_id"))
        .scalar_subquery()
    )
    .where(memories.c.replaced_by == bindparam("entry_id"))
)
DELETE = delete(memories).where(BY_ID)


def delete_row(connection: Connection, entry_id: int) -> None:
    """Delete a version with its vectors; what it replaced is linked to what replaced it."""
    run(connection, BRIDGE, entry_id=entry_id)
    fact_vectors.remove(connection, entry_id)
    run(connection, DELETE, entry_id=entry_id)


WHOLE_ROW = select(memories).where(BY_ID)
LINKS = select(memory_sources).where(
    or_(
        memory_sources.c.memory_id == bindparam("entry_id"),
        memory_sources.c.source_id == bindparam("entry_id"),
    )
)
INSERT_LINK = sa.insert(memory_sources)
REPLACED = select(memories.c.id).where(memories.c.replaced_by == bindparam("entry_id"))
LINK_REPLACED = update(memories).where(BY_ID)
ARCHIVED = select(project_tasks.c.id).where(project_tasks.c.archived_as == bindparam("entry_id"))
LINK_ARCHIVED = update(project_tasks).where(project_tasks.c.id == bindparam("task_id"))


def rewrite(connection: Connection, entry_id: int, content: str) -> int:
    """Put a row with another content in a version's place, with all its links, so that whatever was
    made from the old content goes with the old row. Returns the new id."""
    kept = run(connection, WHOLE_ROW, entry_id=entry_id).one()._asdict()
    links = run(connection, LINKS, entry_id=entry_id).all()
    replaced = run(connection, REPLACED, entry_id=entry_id).scalars()
    archived = run(connection, ARCHIVED, entry_id=entry_id).scalars()
    fact_vectors.remove(connection, entry_id)
    run(connection, DELETE, entry_id=entry_id)
    del kept["id"]
    new_id = int(run(connection, INSERT, **{**kept, "content": content}).scalar())
    run_many(
        connection,
        LINK_REPLACED,
        ({"entry_id": known, "replaced_by": new_id} for known in replaced),
    )
    run_many(
        connection, LINK_ARCHIVED, ({"task_id": known, "archived_as": new_id} for known in archived)
    )
    run_many(
        connection,
        INSERT_LINK,
        (
            {name: new_id if known == entry_id else known for name, known in link._asdict().items()}
            for link in links
        ),
    )
    return new_id


_newer, _first, _same = memories.alias(), memories.alias(), memories.alias()
NO_LONGER_BELIEVED = (
    select(memories.c.source_message_id)
    .distinct()
    .select_from(memories.outerjoin(_newer, _newer.c.id == memories.c.replaced_by))
    .where(
        memories.c.user == bindparam("user"),
        among(memories.c.source_message_id, "message_ids"),
        or_(
            memories.c.reason.in_(("corrected", "edited", "removed")),
            and_(
                bindparam("past", type_=Integer) == 0,
                or_(
                    memories.c.reason == "superseded",
                    and_(
                        memories.c.reason == "duplicate",
                        _newer.c.source_message_id > memories.c.source_message_id,
                    ),
                ),
            ),
        ),
        # What the words themselves said is its first version; restored, it is believed again.
        ~exists(
            select(1).where(
                _first.c.replaced_by == memories.c.id,
                _first.c.source_message_id == memories.c.source_message_id,
            )
        ),
        ~exists(
            select(1).where(
                _same.c.user == memories.c.user,
                _same.c.status == "active",
                _same.c.source_message_id == memories.c.source_message_id,
                _same.c.content == memories.c.content,
            )
        ),
    )
)


def no_longer_believed(
    connection: Connection, user: str, message_ids: Iterable[int], *, past: bool
) -> set[int]:
    """Which of these messages told a fact that was corrected, removed or told again since, or that
    is no longer true (``past``: those may answer). What else they told has entries of its own."""
    rows = run(connection, NO_LONGER_BELIEVED, user=user, message_ids=message_ids, past=int(past))
    return set(rows.scalars())


RETIRE = (
    update(memories)
    .values(
        replaced_by=func.coalesce(bindparam("successor"), memories.c.replaced_by),
        valid_until=func.coalesce(bindparam("ended_at"), memories.c.valid_until),
    )
    .where(BY_ID)
)


def retire(
    connection: Connection,
    entry_id: int,
    *,
    status: Status,
    reason: Reason,
    now: float,
    replaced_by: int | None = None,
    valid_until: float | None = None,
) -> None:
    """Make a version past or inactive. An inactive one leaves the vector indexes; a past one stays
    in them, since questions about the past find it."""
    if status == "inactive":
        fact_vectors.remove(connection, entry_id)
    run(
        connection,
        RETIRE,
        entry_id=entry_id,
        status=status,
        reason=reason,
        expired_at=now,
        successor=replaced_by,
        ended_at=valid_until,
    )


COUNT = select(func.count()).where(
    memories.c.user == bindparam("user"),
    memories.c.layer == bindparam("layer"),
    memories.c.status == "active",
)


def count(connection: Connection, user: str, layer: Layer) -> int:
    """Active entries of a layer."""
    return int(run(connection, COUNT, user=user, layer=layer).scalar())


UPDATE = update(memories).where(BY_ID)


def change(connection: Connection, entry_id: int, **values: Any) -> None:
    """Set columns of a version."""
    run(connection, UPDATE, entry_id=entry_id, **values)
