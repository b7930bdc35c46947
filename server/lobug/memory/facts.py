"""Rows of facts: what Lo-Bug knows about a user.

A fact that another one has replaced stays, linked to its successor, but no search finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lobug.memory import replacing, vectors, words
from lobug.memory.base import RelevantFact
from lobug.memory.driver import Connection
from lobug.memory.guards import NewFact
from lobug.memory.vectors import Vector, VectorIndex


@dataclass(frozen=True, slots=True)
class UnembeddedFact:
    """A fact that an index has not seen."""

    id: int
    user: str
    content: str
    compared: bool
    """Whether it has been compared with the facts before it; that happens once in its life."""


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
) -> None:
    """Insert facts extracted from a message. The same fact from the same message is stored once."""
    for fact in facts:
        connection.execute(
            "INSERT INTO facts (user, content, fact_type, source, source_message_id, created_at)"
            " VALUES (?, ?, ?, 'conversation', ?, ?) ON CONFLICT DO NOTHING",
            (user, fact.content, fact.fact_type, message_id, said_at),
        )


def count(connection: Connection) -> int:
    """Facts that a search can find."""
    row = connection.execute("SELECT count(*) FROM facts WHERE replaced_by IS NULL").fetchone()
    return int(row[0])


def count_unembedded(connection: Connection, index: VectorIndex | None) -> int:
    """Facts that an index has not seen; None: there is no index, so all of them."""
    row = connection.execute(
        "SELECT count(*) FROM facts f WHERE replaced_by IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM fact_vectors v WHERE v.index_id = ? AND v.fact_id = f.id)",
        (None if index is None else index.id,),
    ).fetchone()
    return int(row[0])


def unembedded(
    connection: Connection, index: VectorIndex | None, after_id: int, limit: int
) -> list[UnembeddedFact]:
    """The next facts that an index has not seen, in the order of their ids."""
    rows = connection.execute(
        "SELECT id, user, content, compared FROM facts f"
        " WHERE replaced_by IS NULL AND id > ? AND NOT EXISTS"
        " (SELECT 1 FROM fact_vectors v WHERE v.index_id = ? AND v.fact_id = f.id)"
        " ORDER BY id LIMIT ?",
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
    """Put a fact into an index and, the first time, let it replace what it makes obsolete.

    The user's nearest fact about the same people is replaced when its cosine distance is below
    ``duplicate_distance``, and so is every fact about a thing of which there is only one (see
    ``replacing``). Of two facts the one that was said later stays, whichever was extracted first.
    Returns False when there was nothing to do: replaced or embedded meanwhile.
    """
    row = connection.execute(
        "SELECT user, content, compared, coalesce(source_message_id, 0) FROM facts f"
        " WHERE id = ? AND replaced_by IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM fact_vectors v WHERE v.index_id = ? AND v.fact_id = f.id)",
        (fact_id, index.id),
    ).fetchone()
    if row is None:
        return False
    user, content, compared, said = row
    if not compared:
        connection.execute("UPDATE facts SET compared = 1 WHERE id = ?", (fact_id,))
        rivals = [
            *_near_duplicate(connection, index, user, content, vector, duplicate_distance),
            *_same_slot(connection, user, fact_id, content),
        ]
        for rival_id, rival_said in rivals:
            if rival_said > said:
                replace(connection, fact_id, rival_id, now)
                return True
        for rival_id, _ in rivals:
            replace(connection, rival_id, fact_id, now)
    vectors.add(connection, index, fact_id, vector)
    return True


def _near_duplicate(
    connection: Connection,
    index: VectorIndex,
    user: str,
    content: str,
    vector: Vector,
    duplicate_distance: float,
) -> list[tuple[int, int]]:
    """The nearest fact about the same people if it is near enough: id and source message."""
    for near in vectors.nearest(connection, index, user, vector, COMPARED_NEIGHBOURS):
        if near.distance >= duplicate_distance:
            break
        row = connection.execute(
            "SELECT content, coalesce(source_message_id, 0) FROM facts WHERE id = ?",
            (near.fact_id,),
        ).fetchone()
        if replacing.about_the_same(row[0], content):
            return [(near.fact_id, row[1])]
    return []


def _same_slot(
    connection: Connection, user: str, fact_id: int, content: str
) -> list[tuple[int, int]]:
    """The user's other facts about a thing of which there is only one: id and source message."""
    slot = replacing.slot_of(content)
    if slot is None:
        return []
    rows = connection.execute(
        "SELECT id, content, coalesce(source_message_id, 0) FROM facts"
        " WHERE user = ? AND replaced_by IS NULL AND id <> ? AND compared = 1",
        (user, fact_id),
    )
    return [(row[0], row[2]) for row in rows if replacing.slot_of(row[1]) == slot]


def replace(connection: Connection, old_id: int, new_id: int, now: float) -> None:
    """Let one fact take another's place: the old one stays, linked, and is found no more."""
    vectors.remove(connection, old_id)
    connection.execute(
        "UPDATE facts SET replaced_by = ?, replaced_at = ? WHERE id = ?", (new_id, now, old_id)
    )


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
        vectors.find(connection, embedded.model_id, len(embedded.vector))
        if embedded is not None
        else None
    )
    found: list[RelevantFact] = []
    if index is not None and embedded is not None:
        for near in vectors.nearest(connection, index, user, embedded.vector, k):
            fact = _live(connection, user, near.fact_id, 1.0 - near.distance)
            if fact is not None:
                found.append(fact)
    found += _by_text(connection, user, query, index, k)
    found = [fact for fact in found if fact.similarity >= min_similarity]
    return sorted(found, key=lambda fact: -fact.similarity)[: max(k, 0)]


def newest_id(connection: Connection) -> int:
    """The id of the newest fact of all; 0: there is none."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM facts").fetchone()[0])


def newest(connection: Connection, user: str, limit: int) -> list[RelevantFact]:
    """The facts that the user told last, newest first."""
    rows = connection.execute(
        "SELECT id, content, fact_type, created_at FROM facts"
        " WHERE user = ? AND replaced_by IS NULL ORDER BY id DESC LIMIT ?",
        (user, limit),
    )
    return [RelevantFact(row[0], row[1], row[2], 0.0, row[3]) for row in rows]


def _live(
    connection: Connection, user: str, fact_id: int, similarity: float
) -> RelevantFact | None:
    row = connection.execute(
        "SELECT id, content, fact_type, created_at FROM facts"
        " WHERE id = ? AND user = ? AND replaced_by IS NULL",
        (fact_id, user),
    ).fetchone()
    return None if row is None else RelevantFact(row[0], row[1], row[2], similarity, row[3])


def _by_text(
    connection: Connection, user: str, query: str, index: VectorIndex | None, k: int
) -> list[RelevantFact]:
    """Facts without a usable vector in ``index`` that share content words with the query."""
    wanted = words.content_words(query)[:MAX_QUERY_WORDS]
    if not wanted or k <= 0:
        return []
    rows = connection.execute(
        "SELECT f.id, f.content, f.fact_type, f.created_at FROM facts_text t"
        " JOIN facts f ON f.id = t.rowid"
        " WHERE facts_text MATCH ? AND f.user = ? AND f.replaced_by IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM fact_vectors v"
        "  WHERE v.index_id = ? AND v.fact_id = f.id AND v.usable = 1)"
        " ORDER BY bm25(facts_text), f.id DESC LIMIT ?",
        (words.any_of(wanted), user, None if index is None else index.id, k),
    )
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


COMPARED_NEIGHBOURS = 4
"""Near facts that are looked at for one about the same people."""

MAX_QUERY_WORDS = 64
"""Words of a query that a text search looks for: a long text has enough with its first ones."""
