"""The index of entries: by words, and by vectors (one vec0 table for each embedding model in use).

By words: SQLite's ``bm25()`` counts the entries of everybody in the file, so that the score of an
own entry would tell which words other people's entries hold. Here the text index only finds
entries; how rare a word is and how long an entry is on average are counted over the given users
alone.

By vectors: only this module names the vec0 tables. A user's vectors are a partition of their own: a
search reads the user's chunks only, so it can neither see nor be slowed by others. A partition
allocates whole chunks, hence the small ones: with the default of 1,024, a hundred users of ten
facts took 211 MB; with 32 they take 7 MB (512 dimensions), and a search of 10,000 vectors is as
fast (11 ms).
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import bindparam, delete, func, insert, or_, select, true, update

from lobug.language.en import words
from lobug.storage.connection import Connection
from lobug.storage.index_tables import memory_owners, memory_vectors, vector_indexes
from lobug.storage.statements import (
    SQLITE,
    HandWritten,
    Row,
    among,
    columns_of,
    dialect_of,
    run,
)

CHUNK_SIZE = 32
"""Vectors that a partition allocates at once; the module's docstring has the measurement."""

MAX_K = 4096
"""The most neighbours that sqlite-vec returns."""

Vector = NDArray[np.float32]
"""Shape (dimension,)."""


def fts_string(word: str) -> str:
    """A word as a string of FTS5, so that it is no operator."""
    return '"' + word.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """A vec0 table and the model whose vectors it holds."""

    id: int
    name: str
    model_id: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A fact near a vector."""

    fact_id: int
    distance: float
    """Cosine distance, 0 (same direction) to 2."""


INDEX = select(*columns_of(vector_indexes, VectorIndex))


def _index(row: Row | None) -> VectorIndex | None:
    return None if row is None else VectorIndex(**row._asdict())


FIND = (
    INDEX.where(
        vector_indexes.c.model_id == bindparam("model_id"),
        vector_indexes.c.dimension
        == func.coalesce(bindparam("dimension"), vector_indexes.c.dimension),
    )
    .order_by(vector_indexes.c.current.desc(), vector_indexes.c.id.desc())
    .limit(1)
)


def find(connection: Connection, model_id: str, dimension: int | None = None) -> VectorIndex | None:
    """The index of a model; without a dimension, the one written to last."""
    return _index(run(connection, FIND, model_id=model_id, dimension=dimension).first())


CURRENT = INDEX.where(vector_indexes.c.current == true())


def current(connection: Connection) -> VectorIndex | None:
    """The index that facts were last written to."""
    return _index(run(connection, CURRENT).first())


RESIGN = (
    update(vector_indexes)
    .values(current=False)
    .where(
        or_(
            vector_indexes.c.model_id != bindparam("of_model"),
            vector_indexes.c.dimension != bindparam("of_dimension"),
        )
    )
)
BECOME_CURRENT = (
    update(vector_indexes).values(current=True).where(vector_indexes.c.id == bindparam("index_id"))
)


def make_current(connection: Connection, model_id: str, dimension: int, now: float) -> VectorIndex:
    """The index of a model, created where there is none. Others stay until ``drop_others``."""
    run(connection, RESIGN, of_model=model_id, of_dimension=dimension)
    index = find(connection, model_id, dimension)
    if index is None:
        index = _create(connection, model_id, dimension, now)
    run(connection, BECOME_CURRENT, index_id=index.id)
    return index


NAMES = select(vector_indexes.c.name)
INSERT_INDEX = insert(vector_indexes).returning(vector_indexes.c.id)


# content, source, fact_type, created_at are copies: the index can be read on its own. FLOAT,
# not REAL: vec0 reads REAL as a vector type.
CREATE = HandWritten(
    sqlite="CREATE VIRTUAL TABLE {name} USING vec0 ("
    "id INTEGER PRIMARY KEY, user TEXT PARTITION KEY,"
    " embedding float[{dimension}] distance_metric=cosine,"
    " +content TEXT, +source TEXT, +fact_type TEXT, +created_at FLOAT,"
    " chunk_size={chunk_size})",
    postgres="CREATE TABLE {name} ("
    'id bigint PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE, "user" text NOT NULL,'
    " embedding vector({dimension}) NOT NULL);"
    # As storage.postgres.schemas has it for all words, and what is computed from them.
    " ALTER TABLE {name} ALTER COLUMN embedding SET STATISTICS 0;"
    # In the row itself: a search reads all of somebody's, and each would be three reads more.
    " ALTER TABLE {name} ALTER COLUMN embedding SET STORAGE MAIN;"
    ' CREATE INDEX {name}_by_user ON {name} ("user")',
)


def _create(connection: Connection, model_id: str, dimension: int, now: float) -> VectorIndex:
    used = set(run(connection, NAMES).scalars())
    number = next(n for n in range(1, len(used) + 2) if _name(n) not in used)
    name = _name(number)
    create = CREATE.of(connection)
    connection.execute(create.format(name=name, dimension=int(dimension), chunk_size=CHUNK_SIZE))
    index_id = run(
        connection,
        INSERT_INDEX,
        name=name,
        model_id=model_id,
        dimension=dimension,
        current=False,
        created_at=now,
    ).scalar()
    return VectorIndex(index_id, name, model_id, dimension)


def _name(number: int) -> str:
    return "memory_facts" if number == 1 else f"memory_facts_{number}"


OTHERS = INDEX.where(vector_indexes.c.id != bindparam("index_id"))
DELETE_INDEX = delete(vector_indexes).where(vector_indexes.c.id == bindparam("index_id"))


def others(connection: Connection, keep: VectorIndex) -> list[VectorIndex]:
    """All indexes but one."""
    return [VectorIndex(**row._asdict()) for row in run(connection, OTHERS, index_id=keep.id)]


def drop_others(connection: Connection, keep: VectorIndex) -> None:
    """Drop every index but one, once that one holds every fact."""
    for index in others(connection, keep):
        connection.execute(f"DROP TABLE {index.name}")
        run(connection, DELETE_INDEX, index_id=index.id)


def is_direction(vector: Vector) -> bool:
    """Whether cosine distance means anything for a vector: finite and not zero."""
    return bool(np.isfinite(vector).all() and np.any(vector))


NOTE_SEEN = insert(memory_vectors)


def add(connection: Connection, index: VectorIndex, fact_id: int, vector: Vector) -> None:
    """Add a fact to an index; where its vector has no direction, note only that it was seen."""
    usable = is_direction(vector)
    if usable:
        run(
            connection,
            HandWritten(
                sqlite=f"INSERT INTO {index.name}"
                " (id, user, embedding, content, source, fact_type, created_at)"
                " SELECT id, user, :vector, content, source, fact_type, said_at FROM memories"
                " WHERE id = :fact_id",
                postgres=f'INSERT INTO {index.name} (id, "user", embedding)'
                ' SELECT id, "user", CAST(:vector AS vector) FROM memories WHERE id = :fact_id',
            ),
            vector=_stored(connection, vector),
            fact_id=fact_id,
        )
    run(connection, NOTE_SEEN, index_id=index.id, memory_id=fact_id, usable=usable)


def _stored(connection: Connection, vector: Vector) -> bytes | str:
    """A vector as the index takes it."""
    if dialect_of(connection) is SQLITE:
        return np.ascontiguousarray(vector, dtype="<f4").tobytes()
    return f"[{','.join(map(repr, np.asarray(vector, np.float32).astype(float).tolist()))}]"


HOLDING = (
    select(vector_indexes.c.name)
    .join(memory_vectors, memory_vectors.c.index_id == vector_indexes.c.id)
    .where(memory_vectors.c.memory_id == bindparam("fact_id"), memory_vectors.c.usable == true())
)
FORGET_SEEN = delete(memory_vectors).where(memory_vectors.c.memory_id == bindparam("fact_id"))


def remove(connection: Connection, fact_id: int) -> None:
    """Remove a fact from every index."""
    for name in run(connection, HOLDING, fact_id=fact_id).scalars():
        run(connection, f"DELETE FROM {name} WHERE id = :fact_id", fact_id=fact_id)
    run(connection, FORGET_SEEN, fact_id=fact_id)


def nearest(
    connection: Connection, index: VectorIndex, user: str, vector: Vector, k: int
) -> list[Neighbour]:
    """The user's ``k`` facts nearest to a vector, nearest first; exact, by cosine distance."""
    if k <= 0 or not is_direction(vector):
        return []
    rows = run(
        connection,
        HandWritten(
            sqlite=f"SELECT id AS fact_id, distance FROM {index.name}"
            " WHERE embedding MATCH :vector AND k = :k AND user = :user ORDER BY distance",
            # Materialized: exact, over this user's vectors alone, and the text of the vector is
            # read once instead of for each of them.
            postgres="WITH asked AS MATERIALIZED (SELECT CAST(:vector AS vector) AS vector),"
            " own AS MATERIALIZED (SELECT id AS fact_id,"
            " embedding <=> (SELECT vector FROM asked) AS distance"
            f' FROM {index.name} WHERE "user" = :user)'
            " SELECT fact_id, distance FROM own ORDER BY distance, fact_id LIMIT :k",
        ),
        vector=_stored(connection, vector),
        k=min(k, MAX_K),
        user=user,
    )
    return [Neighbour(**row._asdict()) for row in rows]


@dataclass(frozen=True, slots=True)
class EmbeddedQuery:
    """A query's vector and the model it comes from."""

    model_id: str
    vector: Vector


MAX_QUERY_WORDS = 64
"""Words of a query that are looked for: a long text has enough with its first ones."""

IN_KEY = 2.0
"""What a word in the key counts, against 1 in content and tags: a key says what an entry is about.
Repetitions within either do not count: entries are short."""

K1 = 1.2
"""BM25: how much a word counts more that key and content both hold."""
B = 0.75
"""BM25: how much long entries are discounted, 0 to 1."""


TOTALS = select(
    func.coalesce(func.sum(memory_owners.c.entries), 0).label("entries"),
    func.coalesce(func.sum(memory_owners.c.words), 0).label("words"),
).where(among(memory_owners.c.user, "users"))


# The order of SQLite's loops is fixed: otherwise it would go through all of a user's entries.
_HOLDERS = (
    "SELECT l.memory_id, l.words FROM memories_text t"
    " CROSS JOIN memory_lengths l ON l.memory_id = t.rowid"
    " WHERE memories_text MATCH '{columns} : ' || :word AND l.owner IN (SELECT id"
    " FROM memory_owners WHERE user IN (SELECT value FROM json_each(:owners)))"
)
IN_KEYS = _HOLDERS.format(columns="key")
IN_CONTENTS = _HOLDERS.format(columns="{content tags}")
# OFFSET 0: the tokens are made once, and the few entries that are found are looked up. PostgreSQL
# has no statistics of words and expects so many that it would read everybody's.
HOLDERS = """
SELECT a.value AS word, h.memory_id, h.in_key, l.words
FROM json_texts(:words) a
CROSS JOIN jsonb_array_elements_text(CAST(:owners AS jsonb)) u (name)
JOIN memory_owners o ON o."user" = u.name
CROSS JOIN LATERAL (SELECT word_tokens(o.id, a.value) AS tokens OFFSET 0) w
CROSS JOIN LATERAL (
    SELECT memory_id, true AS in_key FROM memory_tokens
    WHERE cardinality(w.tokens) > 0 AND key @> w.tokens
    UNION ALL
    SELECT memory_id, false FROM memory_tokens
    WHERE cardinality(w.tokens) > 0 AND (content @> w.tokens OR tags @> w.tokens)
    OFFSET 0) h
CROSS JOIN LATERAL (
    SELECT words FROM memory_lengths WHERE memory_id = h.memory_id OFFSET 0) l
"""


def word_scores(
    connection: Connection, users: Sequence[str], query_words: Sequence[str]
) -> dict[int, float]:
    """BM25 of every entry of these users that holds one of the words, by its id: above 0, higher is
    better. All versions are among them, whatever their status; the caller filters."""
    owners = json.dumps(list(users))
    total = run(connection, TOTALS, users=users).one()
    if not total.entries:
        return {}
    mean = max(total.words / total.entries, 1.0)
    by_stem: dict[str, str] = {}
    for word in query_words[:MAX_QUERY_WORDS]:
        by_stem.setdefault(words.stem(word), word)
    found: defaultdict[int, float] = defaultdict(float)
    for holders in _holders(connection, owners, list(by_stem.values())):
        counts: dict[int, tuple[float, int]] = {}
        for entry_id, in_key, size in holders:
            before, _ = counts.get(entry_id, (0.0, 0))
            counts[entry_id] = (before + (IN_KEY if in_key else 1.0), size)
        idf = math.log1p((total.entries - len(counts) + 0.5) / (len(counts) + 0.5))
        for entry_id, (count, size) in counts.items():
            found[entry_id] += idf * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * size / mean))
    return dict(found)


def _holders(
    connection: Connection, owners: str, asked: Sequence[str]
) -> Iterable[list[tuple[int, bool, int]]]:
    """The entries that hold each of these words: id, whether it is in the key, and words in all.
    ``owners``: users, as JSON."""
    if dialect_of(connection) is not SQLITE:
        rows = run(connection, HOLDERS, words=json.dumps(list(asked)), owners=owners)
        by_word: dict[str, list[tuple[int, bool, int]]] = {word: [] for word in asked}
        for row in rows:
            by_word[row.word].append((row.memory_id, row.in_key, row.words))
        return by_word.values()
    return [
        [
            (row.memory_id, statement is IN_KEYS, row.words)
            for statement in (IN_KEYS, IN_CONTENTS)
            for row in run(connection, statement, word=fts_string(word), owners=owners)
        ]
        for word in asked
    ]


WITH_ANY_OF = HandWritten(
    sqlite="SELECT l.memory_id FROM memories_text t"
    " CROSS JOIN memory_lengths l ON l.memory_id = t.rowid"
    " WHERE memories_text MATCH 'content : (' || :words || ')'"
    " AND l.owner IN (SELECT id FROM memory_owners WHERE user = :user)"
    " ORDER BY l.memory_id",
    postgres="SELECT DISTINCT t.memory_id FROM memory_owners o"
    " CROSS JOIN jsonb_array_elements_text(CAST(:words AS jsonb)) a (word)"
    " CROSS JOIN LATERAL (SELECT word_tokens(o.id, a.word) AS tokens) w"
    " JOIN memory_tokens t ON t.content @> w.tokens"
    ' WHERE o."user" = :user AND cardinality(w.tokens) > 0 ORDER BY t.memory_id',
)


def with_any_of(connection: Connection, user: str, wanted: Sequence[str]) -> list[int]:
    """The ids of a user's entries whose content has one of these words, oldest first, whatever
    their status."""
    if not wanted:
        return []
    few = wanted[:MAX_QUERY_WORDS]
    if dialect_of(connection) is SQLITE:
        words_asked = " OR ".join(map(fts_string, few))
    else:
        words_asked = json.dumps(list(few))
    return run(connection, WITH_ANY_OF, words=words_asked, user=user).scalars()
