"""Counts of what memory holds: of one user for the owner, and of all for ``/health``."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import ColumnElement, Integer, Table, Text, bindparam, false, func, select

from lobug.memory import embedding, facts, identity, jobs, log, timeline
from lobug.memory.claims import backlog
from lobug.memory.index.entry_index import VectorIndex
from lobug.memory.model import (
    HOUSEHOLD,
    Growth,
    GrowthPoint,
    MemoryScope,
    MemoryStats,
    RecallTime,
    RememberedUser,
)
from lobug.storage.connection import Connection
from lobug.storage.statements import HandWritten, run
from lobug.storage.tables import (
    background_tasks,
    conversation_log,
    memories,
    project_tasks,
    projects,
    recalls,
    sessions,
)


def _number_of(table: Table, user: ColumnElement[str], *conditions: ColumnElement[bool]) -> Any:
    """A subquery: how many rows of a table a user has."""
    return (
        select(func.count())
        .select_from(table)
        .where(table.c.user == user, *conditions)
        .scalar_subquery()
    )


_user: ColumnElement[str] = bindparam("user", type_=Text)
USER_COUNTS = select(
    _number_of(conversation_log, _user, conversation_log.c.forgotten == false()).label("messages"),
    _number_of(sessions, _user).label("sessions"),
    _number_of(projects, _user).label("projects"),
    _number_of(project_tasks, _user).label("tasks"),
    _number_of(recalls, _user).label("recalls"),
    _number_of(background_tasks, _user).label("background_tasks"),
)
BY_LAYER = (
    select(memories.c.layer, memories.c.status, func.count().label("number"))
    .where(memories.c.user == _user)
    .group_by(memories.c.layer, memories.c.status)
)

# Hand-written: what is compared are the newest of two tables.
_KEPT_OF = """
SELECT e."user",
       (SELECT count(*) FROM memories m WHERE m."user" = e."user" AND m.status <> 'inactive')
           AS entries,
       (SELECT count(*) FROM conversation_log l WHERE l."user" = e."user" AND l.forgotten = 0)
           AS messages,
       (SELECT count(*) FROM sessions s WHERE s."user" = e."user") AS sessions,
       (SELECT max(at) FROM (SELECT max(created_at) AS at FROM conversation_log l
                             WHERE l."user" = e."user" UNION ALL
                             SELECT max(updated_at) FROM memories m WHERE m."user" = e."user"))
           AS last_active_at
FROM ({people}) e ORDER BY last_active_at DESC, e."user"
"""
USERS = _KEPT_OF.format(people=log.USERS)
ONE_USER = _KEPT_OF.format(people='SELECT CAST(:user AS text) AS "user"')


SIZE = HandWritten(
    sqlite="SELECT c.page_count * s.page_size FROM pragma_page_count c, pragma_page_size s",
    postgres="SELECT CAST(sum(pg_total_relation_size(oid)) AS bigint) FROM pg_class"
    " WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
)
"""Bytes of everything that is stored."""


def of_user(
    connection: Connection, scope: MemoryScope, identity_limit: int, place: str
) -> Mapping[str, Any]:
    """Counts of what is kept of a user, and the size of the whole file, bytes."""
    counts = run(connection, USER_COUNTS, user=scope.user).one()
    entries: dict[str, dict[str, int]] = {}
    for row in run(connection, BY_LAYER, user=scope.user):
        entries.setdefault(row.layer, {})[row.status] = row.number
    known = identity.identity(connection, scope, identity_limit)
    size = run(connection, SIZE).scalar()
    return {
        "user": scope.user,
        **counts._asdict(),
        "entries": entries,
        "identity": {
            "characters": known.characters,
            "limit": known.limit,
            "used_percent": known.used_percent,
        },
        "database": {"path": place, "bytes": size},
    }


QUARTER_S = 900
"""Every time zone's days begin with a quarter of an hour."""

# Hand-written: one pass over each of two tables.
_GROWTH = f"""
SELECT quarter * {QUARTER_S} AS at, sum(memories) AS memories, sum(messages) AS messages
FROM (SELECT {{quarter}} AS quarter, count(*) AS memories, 0 AS messages
      FROM memories WHERE "user" = :user AND status <> 'inactive' AND created_at >= :since
      GROUP BY quarter
      UNION ALL
      SELECT {{quarter}} AS quarter, 0, count(*)
      FROM conversation_log WHERE "user" = :user AND forgotten = 0 AND created_at >= :since
      GROUP BY quarter)
GROUP BY quarter ORDER BY quarter
"""
GROWTH = HandWritten(
    sqlite=_GROWTH.format(quarter=f"CAST(created_at / {QUARTER_S} AS INTEGER)"),
    # A CAST alone would round there.
    postgres=_GROWTH.format(quarter=f"CAST(floor(created_at / {QUARTER_S}) AS bigint)"),
)
RECALL_TIMES = (
    select(recalls.c.created_at.label("at"), recalls.c.took_ms)
    .where(recalls.c.user == _user)
    .order_by(recalls.c.id.desc())
    .limit(bindparam("limit", type_=Integer))
)


def history(connection: Connection, user: str, since: float, last_recalls: int) -> Growth:
    """How a user's memory has grown since a time, and its last searches."""
    points = run(connection, GROWTH, user=user, since=since)
    times = run(connection, RECALL_TIMES, user=user, limit=last_recalls).all()
    return Growth(
        tuple(GrowthPoint(**row._asdict()) for row in points),
        tuple(RecallTime(**row._asdict()) for row in reversed(times)),
    )


def users(connection: Connection) -> Sequence[RememberedUser]:
    """All users of whom anything is kept, last active first; without the household."""
    rows = run(connection, USERS, household=HOUSEHOLD)
    return [RememberedUser(**row._asdict()) for row in rows]


def one_user(connection: Connection, user: str) -> RememberedUser | None:
    """A user; None: nothing of theirs is kept."""
    row = run(connection, ONE_USER, user=user).one()
    return None if row.last_active_at is None else RememberedUser(**row._asdict())


@dataclass(frozen=True, slots=True)
class Counted:
    """What was found when counting."""

    entries: Mapping[str, Any]
    """Numbers, by fields of ``MemoryStats`` that background work changes."""
    messages: int | None = None
    """None: neither these nor users were counted."""
    users: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Turns:
    """What turns have added."""

    users: set[str] = field(default_factory=set)
    messages: int = 0
    tasks: int = 0


class Counter:
    """The counts of ``/health``, kept in the process so that reading them costs nothing. Whoever
    changes the database updates them, on whatever thread."""

    def __init__(self) -> None:
        self.stats = MemoryStats()
        self._users: set[str] = set()
        self._meanwhile = _Turns()
        self._changing = threading.Lock()

    def begin(self) -> None:
        """Counting begins: it does not find the turns from now on."""
        with self._changing:
            self._meanwhile = _Turns()

    def publish(self, counted: Counted) -> None:
        """Use these counts from now on, with the turns since ``begin``: what was counted is
        committed."""
        with self._changing:
            meanwhile, self._meanwhile = self._meanwhile, _Turns()
            if counted.messages is not None:
                self._users = {*counted.users, *meanwhile.users}
                self.stats = replace(
                    self.stats,
                    messages=counted.messages + meanwhile.messages,
                    users=len(self._users),
                    counted=True,
                )
            self.stats = replace(self.stats, **counted.entries)
            self._add_tasks(meanwhile.tasks)

    def count_turn(self, user: str, *, messages: int, tasks: int) -> None:
        """Add the messages and tasks of a turn. Counting all tasks after each turn would cost more
        the more of them there are."""
        with self._changing:
            self._users.add(user)
            self._meanwhile.users.add(user)
            self._meanwhile.messages += messages
            self._meanwhile.tasks += tasks
            self.stats = replace(
                self.stats, messages=self.stats.messages + messages, users=len(self._users)
            )
            self._add_tasks(tasks)

    def _add_tasks(self, tasks: int) -> None:
        pending = max(0, self.stats.pending_tasks + tasks)
        self.stats = replace(self.stats, pending_tasks=pending)


def count_all(connection: Connection, index: VectorIndex | None) -> Counted:
    """Count everything; ``index`` is that of the current embedding model."""
    entries = count_entries(connection, index).entries
    return Counted(entries, log.count(connection), frozenset(log.users(connection)))


def count_entries(connection: Connection, index: VectorIndex | None) -> Counted:
    """Count what background work changes."""
    counted = jobs.counts(connection)
    return Counted(
        {
            "facts": facts.count(connection),
            "summaries": timeline.count(connection),
            "pending_tasks": counted.pending,
            "parked_tasks": counted.parked,
            "embedding_backlog": embedding.count_unembedded(connection, index),
            "claims_unread": backlog.count(connection),
        }
    )
