"""Facts: entries of layer knowledge that come from what the user said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Integer, and_, bindparam, exists, func, select, true

from lobug.language.en import words
from lobug.language.protocol import NewFact
from lobug.memory import entries, fact_merge, keys
from lobug.memory.entries import NewVersion
from lobug.memory.index import entry_words, fact_vectors
from lobug.memory.index.fact_vectors import Vector, VectorIndex
from lobug.memory.model import RelevantFact
from lobug.storage.columns import among
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import conversation_log, memories, memory_vectors


@dataclass(frozen=True, slots=True)
class UnembeddedFact:
    """A fact that is not in a vector index yet."""

    id: int
    user: str
    content: str
    compared: bool
    """Whether it has been compared with older facts; that is done once."""


@dataclass(frozen=True, slots=True)
class EmbeddedQuery:
    """A query's vector and the model it comes from."""

    model_id: str
    vector: Vector


TOLD_IN = select(conversation_log.c.conversation, conversation_log.c.session_id).where(
    conversation_log.c.id == bindparam("message_id")
)
FROM_MESSAGE = (
    select(memories.c.id)
    .where(
        memories.c.source_message_id == bindparam("message_id"),
        memories.c.content == bindparam("content"),
    )
    .limit(1)
)
TAKEN_BACK = (
    select(memories.c.id)
    .where(
        memories.c.user == bindparam("user"),
        memories.c.content == bindparam("content"),
        memories.c.reason.in_(("corrected", "removed")),
        memories.c.expired_at > bindparam("said_at"),
    )
    .limit(1)
)


def insert(
    connection: Connection,
    user: str,
    facts: Sequence[NewFact],
    *,
    message_id: int,
    said_at: float,
    now: float,
) -> None:
    """Insert facts extracted from a message. The same fact from the same message is stored once,
    and not at all where the user has put it right or taken it away since it was said."""
    told_in = run(connection, TOLD_IN, message_id=message_id).first()
    for fact in facts:
        about = {"user": user, "content": fact.content, "said_at": said_at}
        if run(connection, FROM_MESSAGE, message_id=message_id, content=fact.content).first():
            continue
        if run(connection, TAKEN_BACK, **about).first():
            continue
        entries.insert(
            connection,
            NewVersion(
                user=user,
                told_by=user,
                content=fact.content,
                key=entries.free_key(connection, user, "user", None, keys.key_for(fact.content)),
                source="system",
                said_at=said_at,
                now=now,
                conversation=told_in.conversation if told_in else None,
                session_id=told_in.session_id if told_in else None,
                fact_type=fact.fact_type,
                source_message_id=message_id,
            ),
        )


COUNT = select(func.count()).where(memories.c.layer == "knowledge", memories.c.status == "active")


def count(connection: Connection) -> int:
    """Facts that hold."""
    return int(run(connection, COUNT).scalar())


EMBEDDABLE = and_(memories.c.status != "inactive", memories.c.layer != "identity")
"""What the vector indexes hold: all that a search may find."""

UNSEEN = ~exists(
    select(1).where(
        memory_vectors.c.index_id == bindparam("index_id"),
        memory_vectors.c.memory_id == memories.c.id,
    )
)
"""The index has not seen the entry; without an index it has seen none."""

COUNT_UNEMBEDDED = select(func.count()).select_from(memories).where(EMBEDDABLE, UNSEEN)


def count_unembedded(connection: Connection, index: VectorIndex | None) -> int:
    """Entries that an index has not seen; None: there is no index, so all of them."""
    return int(run(connection, COUNT_UNEMBEDDED, index_id=_id(index)).scalar())


UNEMBEDDED = (
    select(memories.c.id, memories.c.user, memories.c.content, memories.c.compared)
    .where(EMBEDDABLE, memories.c.id > bindparam("after_id"), UNSEEN)
    .order_by(memories.c.id)
    .limit(bindparam("limit", type_=Integer))
)


def unembedded(
    connection: Connection, index: VectorIndex | None, after_id: int, limit: int
) -> list[UnembeddedFact]:
    """The next entries that an index has not seen, in the order of their ids."""
    rows = run(connection, UNEMBEDDED, after_id=after_id, index_id=_id(index), limit=limit)
    return [UnembeddedFact(**row._asdict()) for row in rows]


def _id(index: VectorIndex | None) -> int | None:
    return None if index is None else index.id


TO_EMBED = entries.ENTRY.where(entries.BY_ID, EMBEDDABLE, UNSEEN)
COMPARED = select(memories.c.compared).where(entries.BY_ID)


def embed(
    connection: Connection,
    index: VectorIndex,
    fact_id: int,
    vector: Vector,
    *,
    duplicate_distance: float,
    now: float,
) -> bool:
    """Put a fact into an index and, the first time, let it replace what it makes obsolete.

    ``fact_merge`` decides what that is. Returns False when there was nothing to do: the fact was
    replaced or embedded in the meantime.
    """
    row = run(connection, TO_EMBED, entry_id=fact_id, index_id=index.id).first()
    if row is None:
        return False
    fact = entries.entry_of(row)
    if not run(connection, COMPARED, entry_id=fact_id).scalar():
        entries.change(connection, fact_id, compared=True)
        if fact.layer == "knowledge" and fact.status == "active":
            fact_merge.merge(
                connection, index, fact, vector, duplicate_distance=duplicate_distance, now=now
            )
    fact_vectors.add(connection, index, fact_id, vector)
    if fact_merge.status(connection, fact_id) == "inactive":
        fact_vectors.remove(connection, fact_id)
    return True


def search(
    connection: Connection,
    user: str,
    query: str,
    embedded: EmbeddedQuery | None,
    *,
    k: int,
    min_similarity: float,
) -> list[RelevantFact]:
    """The user's facts relevant to a query, best first.

    By cosine similarity where the fact has a vector of the query's model. Facts that have none
    (not embedded yet, or the embedder is down) are found by their words; their similarity is the
    share of the query's content words that they hold.
    """
    index = (
        fact_vectors.find(connection, embedded.model_id, len(embedded.vector))
        if embedded is not None
        else None
    )
    found: list[RelevantFact] = []
    if index is not None and embedded is not None:
        for near in fact_vectors.nearest(connection, index, user, embedded.vector, 4 * k):
            fact = _live(connection, user, near.fact_id, 1.0 - near.distance)
            if fact is not None:
                found.append(fact)
    found += _by_text(connection, user, query, index, k)
    found = [fact for fact in found if fact.similarity >= min_similarity]
    return sorted(found, key=lambda fact: -fact.similarity)[: max(k, 0)]


NEWEST_ID = select(func.coalesce(func.max(memories.c.id), 0))


def newest_id(connection: Connection) -> int:
    """The id of the newest fact of all; 0: there is none."""
    return int(run(connection, NEWEST_ID).scalar())


BELIEVED = and_(
    memories.c.user == bindparam("user"),
    memories.c.scope == "user",
    memories.c.status == "active",
    memories.c.layer == "knowledge",
)
"""Facts that hold, are of layer knowledge and belong to no one conversation."""

NEWEST = (
    select(memories.c.id, memories.c.content, memories.c.fact_type, memories.c.created_at)
    .where(BELIEVED)
    .order_by(memories.c.id.desc())
    .limit(bindparam("limit", type_=Integer))
)


def newest(connection: Connection, user: str, limit: int) -> list[RelevantFact]:
    """The facts that the user told last, newest first; none that belong to one conversation."""
    rows = run(connection, NEWEST, user=user, limit=limit)
    return [RelevantFact(similarity=0.0, **row._asdict()) for row in rows]


AMONG = select(memories.c.id).where(BELIEVED, among(memories.c.id, "ids"))


def only_believed(
    connection: Connection, user: str, found: Sequence[RelevantFact]
) -> list[RelevantFact]:
    """Of facts those that hold, are of layer knowledge and belong to no one conversation."""
    believed = set(run(connection, AMONG, user=user, ids=[fact.id for fact in found]).scalars())
    return [fact for fact in found if fact.id in believed]


LIVE = select(memories.c.id, memories.c.content, memories.c.fact_type, memories.c.created_at).where(
    entries.BY_ID, memories.c.user == bindparam("user"), memories.c.replaced_by.is_(None)
)


def _live(
    connection: Connection, user: str, fact_id: int, similarity: float
) -> RelevantFact | None:
    row = run(connection, LIVE, entry_id=fact_id, user=user).first()
    return None if row is None else RelevantFact(similarity=similarity, **row._asdict())


WITHOUT_VECTOR = select(
    memories.c.id,
    memories.c.content,
    memories.c.fact_type,
    memories.c.said_at.label("created_at"),
).where(
    among(memories.c.id, "ids"),
    memories.c.user == bindparam("user"),
    memories.c.status == "active",
    memories.c.layer == "knowledge",
    ~exists(
        select(1).where(
            memory_vectors.c.index_id == bindparam("index_id"),
            memory_vectors.c.memory_id == memories.c.id,
            memory_vectors.c.usable == true(),
        )
    ),
)


def _by_text(
    connection: Connection, user: str, query: str, index: VectorIndex | None, k: int
) -> list[RelevantFact]:
    """Facts without a usable vector in ``index`` that share content words with the query."""
    wanted = words.content_words(query)[: entry_words.MAX_QUERY_WORDS]
    if not wanted or k <= 0:
        return []
    scores = entry_words.scores(connection, (user,), wanted)
    found = run(connection, WITHOUT_VECTOR, ids=scores, user=user, index_id=_id(index))
    rows = sorted(found, key=lambda row: (-scores[row.id], -row.id))[:k]
    stems = words.stems(wanted)
    return [
        RelevantFact(
            similarity=len(stems & words.stems(words.content_words(row.content))) / len(stems),
            **row._asdict(),
        )
        for row in rows
    ]
