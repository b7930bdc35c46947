"""Rows of the retrieval log: what was searched for a turn, found, and put into the prompt."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lobug.errors import MemoryNotFoundError
from lobug.memory import entries
from lobug.memory.model import ConversationKey, Hit, MemoryScope, Recall
from lobug.storage.driver import Connection


@dataclass(frozen=True, slots=True)
class NewRecall:
    """A search to be noted."""

    conversation_key: ConversationKey
    message_id: int | None
    query: str | None
    """None: the words of the message."""
    created_at: float
    took_ms: float
    hits: Sequence[Hit]
    injected: Collection[str]
    """References ("memory:ID", "turn:ID") of the hits that went to the prompt."""


def reference(hit: Hit) -> str:
    """What a hit is called in ``Recall.injected``."""
    return f"{hit.kind}:{hit.id}"


def insert(connection: Connection, new: NewRecall) -> int:
    """Note a search and count what was recalled. What was erased since is left out."""
    cursor = connection.execute(
        "INSERT INTO recalls (user, conversation, message_id, query, created_at, took_ms)"
        " VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
        (
            new.conversation_key.user,
            new.conversation_key.conversation,
            new.message_id,
            new.query,
            new.created_at,
            new.took_ms,
        ),
    )
    recall_id = int(cursor.fetchone()[0])
    for rank, hit in enumerate(new.hits, start=1):
        table = "memories" if hit.kind == "memory" else "conversation_log"
        known = connection.execute(f"SELECT 1 FROM {table} WHERE id = ?", (hit.id,)).fetchone()
        if known is None:
            continue
        injected = reference(hit) in new.injected
        connection.execute(
            "INSERT INTO recall_hits (recall_id, rank, memory_id, message_id, score, confidence,"
            " parts, injected) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                recall_id,
                rank,
                hit.id if hit.kind == "memory" else None,
                hit.id if hit.kind == "turn" else None,
                hit.score,
                hit.confidence,
                json.dumps({name: round(value, 4) for name, value in hit.parts.items()}),
                int(injected),
            ),
        )
        if injected and hit.kind == "memory":
            connection.execute(
                "UPDATE memories SET recall_count = recall_count + 1, last_recalled_at = ?"
                " WHERE id = ?",
                (new.created_at, hit.id),
            )
    return recall_id


def latest(connection: Connection, scope: MemoryScope, limit: int) -> list[Recall]:
    """The searches of a user, of the access's conversation where it has one, newest first."""
    rows = connection.execute(
        "SELECT id FROM recalls WHERE user = ?1 AND (?2 IS NULL OR conversation = ?2)"
        " ORDER BY id DESC LIMIT ?3",
        (scope.user, scope.conversation, max(limit, 0)),
    ).fetchall()
    return [_recall(connection, scope, row[0]) for row in rows]


def of_message(connection: Connection, scope: MemoryScope, message_id: int) -> Recall:
    """The search for a message. Raises MemoryNotFoundError."""
    row = None
    if 0 < message_id <= entries.MAX_ID:
        row = connection.execute(
            "SELECT id FROM recalls WHERE user = ? AND message_id = ? ORDER BY id DESC LIMIT 1",
            (scope.user, message_id),
        ).fetchone()
    if row is None:
        raise MemoryNotFoundError(f"nothing is noted about message {message_id}")
    return _recall(connection, scope, row[0])


def _recall(connection: Connection, scope: MemoryScope, recall_id: int) -> Recall:
    head = connection.execute(
        "SELECT r.id, r.message_id, coalesce(r.query, l.content, ''), r.created_at, r.took_ms"
        " FROM recalls r LEFT JOIN conversation_log l ON l.id = r.message_id WHERE r.id = ?",
        (recall_id,),
    ).fetchone()
    rows = connection.execute(
        "SELECT h.memory_id, h.message_id, h.score, h.confidence, h.parts, h.injected,"
        " l.content, l.created_at, l.role, l.speaker, l.user"
        " FROM recall_hits h LEFT JOIN conversation_log l ON l.id = h.message_id"
        " WHERE h.recall_id = ? ORDER BY h.rank",
        (recall_id,),
    ).fetchall()
    known = entries.by_ids(connection, scope, [row[0] for row in rows if row[0] is not None])
    hits, injected = [], []
    for row in rows:
        memory_id, message_id, score, confidence, parts, sent, said, said_at, *who = row
        role, speaker, user = who
        entry = known.get(memory_id)
        if entry is None and (message_id is None or user != scope.user):
            continue
        hit = Hit(
            kind="memory" if entry is not None else "turn",
            id=memory_id if entry is not None else message_id,
            content=said if entry is None else entry.content,
            said_at=said_at if entry is None else entry.said_at,
            score=score,
            confidence=confidence,
            entry=entry,
            role=role,
            speaker=speaker,
            parts=json.loads(parts),
        )
        hits.append(hit)
        if sent:
            injected.append(reference(hit))
    return Recall(
        id=head[0],
        message_id=head[1],
        query=head[2],
        created_at=head[3],
        took_ms=head[4],
        hits=tuple(hits),
        injected=tuple(injected),
    )
