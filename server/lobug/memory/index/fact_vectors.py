"""Vector indexes over facts: one vec0 table for each embedding model in use.

A user's vectors are a partition of their own (``user`` is the partition key): a search reads the
user's chunks only, so it can neither see nor be slowed by others. A partition allocates whole
chunks, hence the small ones: with the default of 1,024, a hundred users of ten facts took 211 MB;
with 32 they take 7 MB (512 dimensions), and a search of 10,000 vectors is as fast (11 ms).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lobug.storage.driver import Connection

CHUNK_SIZE = 32
"""Vectors that a partition allocates at once; see above."""

MAX_K = 4096
"""The most neighbours that sqlite-vec returns."""

Vector = NDArray[np.float32]
"""Shape (dimension,)."""


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


def _index(row: Sequence[object] | None) -> VectorIndex | None:
    if row is None:
        return None
    return VectorIndex(int(str(row[0])), str(row[1]), str(row[2]), int(str(row[3])))


def find(connection: Connection, model_id: str, dimension: int | None = None) -> VectorIndex | None:
    """The index of a model; without a dimension, the one written to last."""
    return _index(
        connection.execute(
            "SELECT id, name, model_id, dimension FROM vector_indexes"
            " WHERE model_id = ? AND dimension = coalesce(?, dimension)"
            " ORDER BY current DESC, id DESC LIMIT 1",
            (model_id, dimension),
        ).fetchone()
    )


def current(connection: Connection) -> VectorIndex | None:
    """The index that facts were last written to."""
    return _index(
        connection.execute(
            "SELECT id, name, model_id, dimension FROM vector_indexes WHERE current = 1"
        ).fetchone()
    )


def make_current(connection: Connection, model_id: str, dimension: int, now: float) -> VectorIndex:
    """The index of a model, created where there is none. Others stay until ``drop_others``."""
    connection.execute(
        "UPDATE vector_indexes SET current = 0 WHERE model_id <> ? OR dimension <> ?",
        (model_id, dimension),
    )
    index = find(connection, model_id, dimension)
    if index is None:
        index = _create(connection, model_id, dimension, now)
    connection.execute("UPDATE vector_indexes SET current = 1 WHERE id = ?", (index.id,))
    return index


def _create(connection: Connection, model_id: str, dimension: int, now: float) -> VectorIndex:
    used = {row[0] for row in connection.execute("SELECT name FROM vector_indexes")}
    number = next(n for n in range(1, len(used) + 2) if _name(n) not in used)
    name = _name(number)
    # content, source, fact_type, created_at are copies, so that the index can be read on its own.
    connection.execute(
        f"CREATE VIRTUAL TABLE {name} USING vec0 ("
        "id INTEGER PRIMARY KEY, user TEXT PARTITION KEY,"
        f" embedding float[{int(dimension)}] distance_metric=cosine,"
        # FLOAT, not REAL: vec0 reads REAL as a vector type.
        " +content TEXT, +source TEXT, +fact_type TEXT, +created_at FLOAT,"
        f" chunk_size={CHUNK_SIZE})"
    )
    cursor = connection.execute(
        "INSERT INTO vector_indexes (name, model_id, dimension, current, created_at)"
        " VALUES (?, ?, ?, 0, ?) RETURNING id",
        (name, model_id, dimension, now),
    )
    return VectorIndex(int(cursor.fetchone()[0]), name, model_id, dimension)


def _name(number: int) -> str:
    return "memory_facts" if number == 1 else f"memory_facts_{number}"


def others(connection: Connection, keep: VectorIndex) -> list[VectorIndex]:
    """All indexes but one."""
    rows = connection.execute(
        "SELECT id, name, model_id, dimension FROM vector_indexes WHERE id <> ?", (keep.id,)
    )
    return [index for row in rows if (index := _index(row)) is not None]


def drop_others(connection: Connection, keep: VectorIndex) -> None:
    """Drop every index but one, once that one holds every fact."""
    for index in others(connection, keep):
        connection.execute(f"DROP TABLE {index.name}")
        connection.execute("DELETE FROM vector_indexes WHERE id = ?", (index.id,))


def is_direction(vector: Vector) -> bool:
    """Whether cosine distance means anything for a vector: finite and not zero."""
    return bool(np.isfinite(vector).all() and np.any(vector))


def add(connection: Connection, index: VectorIndex, fact_id: int, vector: Vector) -> None:
    """Put a fact into an index; one whose vector has no direction is noted as such."""
    usable = is_direction(vector)
    if usable:
        connection.execute(
            f"INSERT INTO {index.name}"
            " (id, user, embedding, content, source, fact_type, created_at)"
            " SELECT id, user, ?, content, source, fact_type, said_at FROM memories WHERE id = ?",
            (np.ascontiguousarray(vector, dtype="<f4").tobytes(), fact_id),
        )
    connection.execute(
        "INSERT INTO memory_vectors (index_id, memory_id, usable) VALUES (?, ?, ?)",
        (index.id, fact_id, int(usable)),
    )


def remove(connection: Connection, fact_id: int) -> None:
    """Take a fact out of every index."""
    rows = connection.execute(
        "SELECT i.name FROM vector_indexes i JOIN memory_vectors v ON v.index_id = i.id"
        " WHERE v.memory_id = ? AND v.usable = 1",
        (fact_id,),
    ).fetchall()
    for (name,) in rows:
        connection.execute(f"DELETE FROM {name} WHERE id = ?", (fact_id,))
    connection.execute("DELETE FROM memory_vectors WHERE memory_id = ?", (fact_id,))


def nearest(
    connection: Connection, index: VectorIndex, user: str, vector: Vector, k: int
) -> list[Neighbour]:
    """The user's ``k`` facts nearest to a vector, nearest first; exact, by cosine distance."""
    if k <= 0 or not is_direction(vector):
        return []
    rows = connection.execute(
        f"SELECT id, distance FROM {index.name}"
        " WHERE embedding MATCH ? AND k = ? AND user = ? ORDER BY distance",
        (np.ascontiguousarray(vector, dtype="<f4").tobytes(), min(k, MAX_K), user),
    )
    return [Neighbour(int(row[0]), float(row[1])) for row in rows]
