"""Entries: rows of ``memories``, one for each version; their keys; who sees them.

A change inserts a version and makes the old one inactive, linked to it. Every query on behalf of a
caller carries ``VISIBLE``, with the parameters of its ``MemoryScope``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import (
    Integer,
    Select,
    Text,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)

from lobug.errors import MemoryKeyError, MemoryNotFoundError
from lobug.language.claims import Claim
from lobug.language.en import fact_comparison, words
from lobug.language.en.claims.english import CLAIMS
from lobug.language.protocol import FactType
from lobug.memory import claim_rows
from lobug.memory.claim_rows import Reader
from lobug.memory.index import entry_index
from lobug.memory.model import (
    HOUSEHOLD,
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
from lobug.storage.columns import TextList
from lobug.storage.connection import Connection
from lobug.storage.statements import Result, Row, among, columns_of, elements, run
from lobug.storage.tables import key_conversation, memories, memory_sources

MAX_ID = 2**63 - 1
"""The largest id that SQLite knows."""

ENTRY = select(*columns_of(memories, Entry))

BY_ID = memories.c.id == bindparam("entry_id")


VISIBLE = and_(
    memories.c.user.in_([bindparam("seen_user"), bindparam("seen_household")]),
    or_(
        memories.c.user == bindparam("seen_household"),
        bindparam("seen_conversation", type_=Text).is_(None),
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
    claims: tuple[Claim, ...] | None = None
    """What it claims; None: what the rules read in its content."""
    reader: Reader = "owner"


_COLUMNS = [
    field.name for field in fields(NewVersion) if field.name not in {"now", "claims", "reader"}
]
_COPIED = {field.name for field in fields(NewVersion)} & {field.name for field in fields(Entry)}


def next_version(entry: Entry, *, told_by: str, now: float, **changes: Any) -> NewVersion:
    """The next version of an entry, with these fields changed. It is not compared with other facts:
    what the owner wrote must not be merged into another one."""
    same = {name: getattr(entry, name) for name in _COPIED}
    return NewVersion(**{**same, "compared": True, **changes}, told_by=told_by, now=now)


def entry_of(row: Row) -> Entry:
    """The entry in a row of ``ENTRY``."""
    return Entry(**row._asdict())


INSERT = sa.insert(memories).returning(memories.c.id)


def insert(connection: Connection, new: NewVersion) -> int:
    """Insert a version. Returns its id. The key must be free (``free_key``)."""
    values = {name: getattr(new, name) for name in _COLUMNS}
    values["created_at"] = new.now if new.created_at is None else new.created_at
    values["updated_at"] = new.now
    values["valid_from"] = new.said_at if new.valid_from is None else new.valid_from
    entry_id = int(run(connection, INSERT, **values).scalar())
    said = read_claims(new.content) if new.claims is None else new.claims
    if new.category == "knowledge" and new.layer != "identity":
        claim_rows.insert(connection, entry_id, new.user, said, new.reader, new=True)
    return entry_id


def read_claims(content: str) -> tuple[Claim, ...]:
    """What the rules read in the content of an entry."""
    return CLAIMS.read_fact(content)


MAX_KEY_CHARS = 64
KEY = re.compile(r"[a-z][a-z0-9_]*")
RESERVED_KEY_PREFIXES = ("system_", "internal_")
"""Reserved for Lo-Bug itself."""

NAMING_WORDS = 5
"""Most content words in a made key."""


def checked_key(key: str) -> str:
    """The key, if an owner or a tool may use it. Raises MemoryKeyError."""
    if len(key) > MAX_KEY_CHARS:
        raise MemoryKeyError(f"the key has {len(key)} characters, {MAX_KEY_CHARS} are allowed")
    if not KEY.fullmatch(key):
        raise MemoryKeyError(
            "a key is a lower-case letter, then lower-case letters, digits and underscores"
        )
    for prefix in RESERVED_KEY_PREFIXES:
        if key.startswith(prefix):
            raise MemoryKeyError(f"keys that begin with {prefix} are reserved")
    return key


def key_for(content: str) -> str:
    """A key made from a content: "The user's sister is named Anna" gives ``sister_named_anna``;
    what a person has only one of has a fixed key, such as ``user_home``."""
    slot = fact_comparison.slot_of(content)
    if slot:
        return key_of_words(f"user {slot}")
    return key_of_words(
        " ".join(words.content_words(content)), most=NAMING_WORDS, without=("user", "s")
    )


def key_of_words(text: str, *, most: int = 16, without: tuple[str, ...] = ()) -> str:
    """A key made of the first words of a text."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    parts = [part for part in re.split(r"[^a-z0-9]+", plain.lower()) if part]
    parts = [part for part in parts if part not in without][:most]
    key = "_".join(parts)[:MAX_KEY_CHARS].strip("_")
    if not key or not key[0].isalpha() or key.startswith(RESERVED_KEY_PREFIXES):
        key = f"memory_{key}"[:MAX_KEY_CHARS].strip("_")
    return key


def _numbered(key: str, number: int) -> str:
    """The key for the ``number``-th entry that would have this one."""
    suffix = f"_{number}"
    return key[: MAX_KEY_CHARS - len(suffix)].rstrip("_") + suffix


def free_key(
    connection: Connection, user: str, scope: EntryScope, conversation: str | None, wanted: str
) -> str:
    """``wanted``, or it with the first number that no active entry of the scope has."""
    key, number = wanted, 1
    while active_key(connection, user, scope, conversation, key) is not None:
        number += 1
        key = _numbered(wanted, number)
    return key


ACTIVE_KEY = select(memories.c.id).where(
    memories.c.user == bindparam("user"),
    memories.c.status == "active",
    memories.c.key == bindparam("key"),
    key_conversation == bindparam("conversation"),
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


TOLD_BY = select(memories.c.id).where(
    memories.c.user == bindparam("user"),
    memories.c.source_message_id == bindparam("message_id"),
    memories.c.content == bindparam("content"),
    memories.c.status == "active",
)


def told_by(connection: Connection, user: str, message_id: int, content: str) -> int | None:
    """The active entry with this content that was taken from a message."""
    found: int | None = run(
        connection, TOLD_BY, user=user, message_id=message_id, content=content
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


ENTRY_BY_ID = ENTRY.where(BY_ID)


def by_id(connection: Connection, entry_id: int) -> Entry:
    """A version, whoever may see it: for work on behalf of its own user."""
    return entry_of(run(connection, ENTRY_BY_ID, entry_id=entry_id).one())


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


_focus_tag = elements(bindparam("focus_tags", type_=TextList))
_wanted_tag = elements(bindparam("with_tags", type_=TextList))

CONDITIONS = {
    "with_layer": memories.c.layer == bindparam("with_layer"),
    "with_category": memories.c.category == bindparam("with_category"),
    "with_scope": memories.c.scope == bindparam("with_scope"),
    "with_status": memories.c.status == bindparam("with_status"),
    "with_project": memories.c.project == bindparam("with_project"),
    "with_tags": ~exists(
        select(_wanted_tag).where(_wanted_tag.not_in(select(elements(memories.c.tags))))
    ),
    "focus_project": or_(
        memories.c.project.is_(None), memories.c.project == bindparam("focus_project")
    ),
    "focus_tags": or_(
        func.json_array_length(memories.c.tags) == 0,
        exists(select(_focus_tag).where(_focus_tag.in_(select(elements(memories.c.tags))))),
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
        "focus_project": where.focus_project,
        "focus_tags": where.focus_tags or None,
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


_BY_TIME = "INDEXED BY memories_by_time"
"""The index that holds all columns of a filter but the tags. SQLite would choose the one by status,
and sort all that it finds."""

PAGE = (
    select(memories.c.id)
    .with_hint(memories, _BY_TIME)
    .order_by(memories.c.said_at.desc(), memories.c.id.desc())
    .limit(bindparam("limit", type_=Integer))
    .offset(bindparam("skip", type_=Integer))
)
COUNT = select(func.count()).select_from(memories).with_hint(memories, _BY_TIME)


def newest(
    connection: Connection, scope: MemoryScope, where: Filter, *, limit: int, skip: int
) -> list[Entry]:
    """Entries, those said last first, without the first ``skip``."""
    page = matching(
        connection,
        PAGE,
        scope,
        where,
        limit=max(0, min(limit, MAX_ID)),
        skip=max(0, min(skip, MAX_ID)),
    )
    ids = list(page.scalars())
    found = by_ids(connection, scope, ids)
    return [found[entry_id] for entry_id in ids]


def count(connection: Connection, scope: MemoryScope, where: Filter) -> int:
    """How many entries a filter lets through."""
    return int(matching(connection, COUNT, scope, where).scalar())


EVERYTHING = Filter(status=None)
"""The filter that every version passes."""

BY_IDS = ENTRY.where(among(memories.c.id, "ids"))


def by_ids(
    connection: Connection, scope: MemoryScope, ids: Iterable[int], where: Filter = EVERYTHING
) -> dict[int, Entry]:
    """The entries of these ids that the scope may see and the filter lets through."""
    rows = matching(connection, BY_IDS, scope, where, ids=ids)
    return {row.id: entry_of(row) for row in rows}


_newer = select(bindparam("entry_id", type_=Integer).label("id")).cte("newer", recursive=True)
_newer = _newer.union(
    select(memories.c.replaced_by)
    .join(_newer, memories.c.id == _newer.c.id)
    .where(memories.c.replaced_by.is_not(None))
)
_chain = select(_newer.c.id).cte("chain", recursive=True)
_chain = _chain.union(select(memories.c.id).join(_chain, memories.c.replaced_by == _chain.c.id))
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
    """The ids of the entries that an entry was distilled from."""
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
    entry_index.remove(connection, entry_id)
    run(connection, DELETE, entry_id=entry_id)


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
        entry_index.remove(connection, entry_id)
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


KEY_OF = select(memories.c.key).where(BY_ID)


def key_of_entry(connection: Connection, entry_id: int) -> str:
    """The key of a version."""
    return str(run(connection, KEY_OF, entry_id=entry_id).scalar())


REVIVE = update(memories).where(BY_ID, memories.c.status != "active")


def revive(connection: Connection, entry_id: int) -> None:
    """Make a version active again that was retired by mistake, under a free key."""
    row = run(connection, ENTRY_BY_ID, entry_id=entry_id).first()
    if row is None:
        return
    run(
        connection,
        REVIVE,
        entry_id=entry_id,
        status="active",
        reason=None,
        expired_at=None,
        valid_until=None,
        replaced_by=None,
        key=free_key(connection, row.user, row.scope, row.conversation, row.key),
    )


UPDATE = update(memories).where(BY_ID)


def change(connection: Connection, entry_id: int, **values: Any) -> None:
    """Set columns of a version."""
    run(connection, UPDATE, entry_id=entry_id, **values)
