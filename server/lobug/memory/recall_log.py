"""Rows of the retrieval log: what a turn searched for, found, and put into its prompt."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Integer, Text, bindparam, func, or_, select

from lobug.errors import MemoryNotFoundError
from lobug.memory import entries
from lobug.memory.model import ConversationKey, Hit, MemoryScope, Recall
from lobug.storage.connection import Connection
from lobug.storage.statements import HandWritten, among, run
from lobug.storage.tables import conversation_log, memories, recall_hits, recalls


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


INSERT = sa.insert(recalls).returning(recalls.c.id)
_HITS = (
    "INSERT INTO recall_hits"
    " (recall_id, rank, memory_id, message_id, score, confidence, parts, injected) "
)
# At once: a turn finds dozens.
INSERT_HITS = HandWritten(
    sqlite=f"{_HITS} SELECT :recall_id, value ->> 'rank', value ->> 'memory_id',"
    " value ->> 'message_id', value ->> 'score', value ->> 'confidence', value ->> 'parts',"
    " value ->> 'injected' FROM json_each(:hits)",
    postgres=f"{_HITS} SELECT :recall_id, h.* FROM jsonb_to_recordset(CAST(:hits AS jsonb)) h"
    " (rank bigint, memory_id bigint, message_id bigint, score float8, confidence float8,"
    " parts text, injected bigint)",
)
ENTRIES_THERE = select(memories.c.id).where(among(memories.c.id, "ids"))
MESSAGES_THERE = select(conversation_log.c.id).where(among(conversation_log.c.id, "ids"))
COUNT_RECALL = (
    sa.update(memories)
    .values(recall_count=memories.c.recall_count + 1)
    .where(among(memories.c.id, "hit_ids"))
)


def insert(connection: Connection, new: NewRecall) -> int:
    """Store a search and count what was recalled. Hits that were erased since are left out."""
    recall_id = run(
        connection,
        INSERT,
        user=new.conversation_key.user,
        conversation=new.conversation_key.conversation,
        message_id=new.message_id,
        query=new.query,
        created_at=new.created_at,
        took_ms=new.took_ms,
    ).scalar()
    there = _there(connection, new.hits)
    hits = [(rank, hit) for rank, hit in enumerate(new.hits, start=1) if hit.reference in there]
    rows = [
        {
            "rank": rank,
            "memory_id": hit.id if hit.kind == "memory" else None,
            "message_id": hit.id if hit.kind == "turn" else None,
            "score": hit.score,
            "confidence": hit.confidence,
            "parts": json.dumps({name: round(part, 4) for name, part in hit.parts.items()}),
            "injected": int(hit.reference in new.injected),
        }
        for rank, hit in hits
    ]
    if rows:
        run(connection, INSERT_HITS, recall_id=recall_id, hits=json.dumps(rows))
    # Those of the household may be counted by two people at once. Should these wait for each other,
    # the database tries one of them again.
    recalled = [hit.id for _, hit in hits if hit.kind == "memory" and hit.reference in new.injected]
    if recalled:
        run(connection, COUNT_RECALL, hit_ids=recalled, last_recalled_at=new.created_at)
    return int(recall_id)


def _there(connection: Connection, hits: Sequence[Hit]) -> frozenset[str]:
    """References of the hits that were not erased since."""
    found: set[str] = set()
    for kind, statement in (("memory", ENTRIES_THERE), ("turn", MESSAGES_THERE)):
        references = {hit.id: hit.reference for hit in hits if hit.kind == kind}
        if references:
            ids = run(connection, statement, ids=list(references)).scalars()
            found.update(references[one] for one in ids)
    return frozenset(found)


LATEST = (
    select(recalls.c.id)
    .where(
        recalls.c.user == bindparam("user"),
        or_(
            bindparam("conversation", type_=Text).is_(None),
            recalls.c.conversation == bindparam("conversation"),
        ),
    )
    .order_by(recalls.c.id.desc())
    .limit(bindparam("limit", type_=Integer))
)
OF_MESSAGE = (
    select(recalls.c.id)
    .where(recalls.c.user == bindparam("user"), recalls.c.message_id == bindparam("message_id"))
    .order_by(recalls.c.id.desc())
    .limit(1)
)


def latest(connection: Connection, scope: MemoryScope, limit: int) -> list[Recall]:
    """The searches of a user, of the access's conversation where it has one, newest first."""
    ids = run(
        connection, LATEST, user=scope.user, conversation=scope.conversation, limit=max(limit, 0)
    ).scalars()
    return [_recall(connection, scope, recall_id) for recall_id in ids]


def of_message(connection: Connection, scope: MemoryScope, message_id: int) -> Recall:
    """The search for a message. Raises MemoryNotFoundError."""
    recall_id = None
    if 0 < message_id <= entries.MAX_ID:
        recall_id = run(connection, OF_MESSAGE, user=scope.user, message_id=message_id).scalar()
    if recall_id is None:
        raise MemoryNotFoundError(f"nothing is noted about message {message_id}")
    return _recall(connection, scope, recall_id)


_message = conversation_log.c
HEAD = (
    select(
        recalls.c.id,
        recalls.c.message_id,
        func.coalesce(recalls.c.query, _message.content, "").label("query"),
        recalls.c.created_at,
        recalls.c.took_ms,
    )
    .outerjoin(conversation_log, _message.id == recalls.c.message_id)
    .where(recalls.c.id == bindparam("recall_id"))
)
HITS = (
    select(
        recall_hits.c.memory_id,
        recall_hits.c.message_id,
        recall_hits.c.score,
        recall_hits.c.confidence,
        recall_hits.c.parts,
        recall_hits.c.injected,
        _message.content,
        _message.created_at,
        _message.role,
        _message.speaker,
        _message.user,
    )
    .outerjoin(conversation_log, _message.id == recall_hits.c.message_id)
    .where(recall_hits.c.recall_id == bindparam("recall_id"))
    .order_by(recall_hits.c.rank)
)


def _recall(connection: Connection, scope: MemoryScope, recall_id: int) -> Recall:
    head = run(connection, HEAD, recall_id=recall_id).one()
    rows = run(connection, HITS, recall_id=recall_id).all()
    known = entries.by_ids(
        connection, scope, [row.memory_id for row in rows if row.memory_id is not None]
    )
    hits, injected = [], []
    for row in rows:
        entry = known.get(row.memory_id)
        if entry is None and (row.message_id is None or row.user != scope.user):
            continue
        hit = Hit(
            kind="memory" if entry is not None else "turn",
            id=row.memory_id if entry is not None else row.message_id,
            content=row.content if entry is None else entry.content,
            said_at=row.created_at if entry is None else entry.said_at,
            score=row.score,
            confidence=row.confidence,
            entry=entry,
            role=row.role,
            speaker=row.speaker,
            parts=json.loads(row.parts),
        )
        hits.append(hit)
        if row.injected:
            injected.append(hit.reference)
    return Recall(hits=tuple(hits), injected=tuple(injected), **head._asdict())
