"""Facts: entries of layer knowledge that come from what the user said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from lobug.language.en import words
from lobug.language.facts import NewFact
from lobug.memory import entries, fact_merge, keys
from lobug.memory.entries import NewVersion
from lobug.memory.index import entry_words, fact_vectors
from lobug.memory.index.fact_vectors import Vector, VectorIndex
from lobug.memory.model import RelevantFact
from lobug.storage.driver import Connection


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
    and not at all if the user has corrected or removed it since the message."""
    where = connection.execute(
        "SELECT conversation, session_id FROM conversation_log WHERE id = ?", (message_id,)
    ).fetchone()
    for fact in facts:
        known = connection.execute(
            "SELECT 1 FROM memories WHERE source_message_id = ? AND content = ?"
            " UNION ALL SELECT 1 FROM memories WHERE user = ? AND content = ?"
            " AND reason IN ('corrected', 'removed') AND expired_at > ? LIMIT 1",
            (message_id, fact.content, user, fact.content, said_at),
        ).fetchone()
        if known is not None:
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
                conversation=where[0] if where else None,
                session_id=where[1] if where else None,
                fact_type=fact.fact_type,
                source_message_id=message_id,
            ),
        )


def count(connection: Connection) -> int:
    """Number of active facts."""
    row = connection.execute(
        "SELECT count(*) FROM memories WHERE layer = 'knowledge' AND status = 'active'"
    ).fetchone()
    return int(row[0])


EMBEDDABLE = "m.status <> 'inactive' AND m.layer <> 'identity'"
"""Entries that belong in the vector indexes: all that a search may find."""


def count_unembedded(connection: Connection, index: VectorIndex | None) -> int:
    """Number of entries that are not in an index; ``index`` None: all of them."""
    row = connection.execute(
        f"SELECT count(*) FROM memories m WHERE {EMBEDDABLE} AND NOT EXISTS"
        " (SELECT 1 FROM memory_vectors v WHERE v.index_id = ? AND v.memory_id = m.id)",
        (None if index is None else index.id,),
    ).fetchone()
    return int(row[0])


def unembedded(
    connection: Connection, index: VectorIndex | None, after_id: int, limit: int
) -> list[UnembeddedFact]:
    """The next entries that are not in an index, in the order of their ids."""
    rows = connection.execute(
        f"SELECT m.id, m.user, m.content, m.compared FROM memories m"
        f" WHERE {EMBEDDABLE} AND m.id > ? AND NOT EXISTS"
        " (SELECT 1 FROM memory_vectors v WHERE v.index_id = ? AND v.memory_id = m.id)"
        " ORDER BY m.id LIMIT ?",
        (after_id, None if index is None else index.id, limit),
    )
    return [UnembeddedFact(row[0], row[1], row[2], bool(row[3])) for row in rows]


def embed(
    connection: Connection,
    index: VectorIndex,
    fact_id: int,
    vector: Vector,
    *,
    duplicate_distance: float,
    now: float,
) -> bool:
    """Add a fact to an index and, the first time, replace the facts that it makes obsolete
    (``fact_merge``). Returns False if there was nothing to do because it was replaced or embedded
    meanwhile."""
    row = connection.execute(
        f"{entries.SELECT}, m.compared FROM memories m WHERE m.id = ? AND {EMBEDDABLE}"
        " AND NOT EXISTS"
        " (SELECT 1 FROM memory_vectors v WHERE v.index_id = ? AND v.memory_id = m.id)",
        (fact_id, index.id),
    ).fetchone()
    if row is None:
        return False
    fact, compared = entries.entry_of(row[:-1]), bool(row[-1])
    if not compared:
        connection.execute("UPDATE memories SET compared = 1 WHERE id = ?", (fact_id,))
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


def newest_id(connection: Connection) -> int:
    """The id of the newest fact of all; 0: there is none."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM memories").fetchone()[0])


def newest(connection: Connection, user: str, limit: int) -> list[RelevantFact]:
    """The facts that the user told last, newest first; none of scope "conversation"."""
    rows = connection.execute(
        "SELECT id, content, fact_type, created_at FROM memories"
        " WHERE user = ? AND scope = 'user' AND status = 'active' AND layer = 'knowledge'"
        " ORDER BY id DESC LIMIT ?",
        (user, limit),
    )
    return [RelevantFact(row[0], row[1], row[2], 0.0, row[3]) for row in rows]


def only_believed(
    connection: Connection, user: str, found: Sequence[RelevantFact]
) -> list[RelevantFact]:
    """The active facts of layer knowledge among ``found``; none of scope "conversation"."""
    rows = connection.execute(
        "SELECT id FROM memories WHERE user = ? AND scope = 'user' AND status = 'active'"
        " AND layer = 'knowledge' AND id IN (SELECT value FROM json_each(?))",
        (user, json.dumps([fact.id for fact in found])),
    )
    believed = {row[0] for row in rows}
    return [fact for fact in found if fact.id in believed]


def _live(
    connection: Connection, user: str, fact_id: int, similarity: float
) -> RelevantFact | None:
    row = connection.execute(
        "SELECT id, content, fact_type, created_at FROM memories"
        " WHERE id = ? AND user = ? AND replaced_by IS NULL",
        (fact_id, user),
    ).fetchone()
    return None if row is None else RelevantFact(row[0], row[1], row[2], similarity, row[3])


def _by_text(
    connection: Connection, user: str, query: str, index: VectorIndex | None, k: int
) -> list[RelevantFact]:
    """Facts without a usable vector in ``index`` that share content words with the query."""
    wanted = words.content_words(query)[: entry_words.MAX_QUERY_WORDS]
    if not wanted or k <= 0:
        return []
    scores = entry_words.scores(connection, (user,), wanted)
    found = connection.execute(
        "SELECT f.id, f.content, f.fact_type, f.said_at FROM memories f"
        " WHERE f.id IN (SELECT value FROM json_each(?)) AND f.user = ? AND f.status = 'active'"
        " AND f.layer = 'knowledge' AND NOT EXISTS"
        " (SELECT 1 FROM memory_vectors v"
        "  WHERE v.index_id = ? AND v.memory_id = f.id AND v.usable = 1)",
        (json.dumps(list(scores)), user, None if index is None else index.id),
    )
    rows = sorted(found, key=lambda row: (-scores[row[0]], -row[0]))[:k]
    stems = words.stems(wanted)
    return [
        RelevantFact(
            row[0],
            row[1],
            row[2],
            len(stems & words.stems(words.content_words(row[1]))) / len(stems),
            row[3],
        )
        for row in rows
    ]
