"""The vector index of entries: one vec0 table for each embedding model in use.

Only this module names the vec0 tables. Verbs: ``find``, ``make_current``, ``add``, ``remove``,
``nearest``, ``drop_others``.

A user's vectors are a partition of their own (``user`` is the partition key): a search reads the
user's chunks only, so it can neither see nor be slowed by others. A partition allocates whole
chunks, hence the small ones: with the default of 1,024, a hundred users of ten facts took 211 MB;
with 32 they take 7 MB (512 dimensions), and a search of 10,000 vectors is as fast (11 ms).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import bindparam, delete, func, insert, or_, select, true, update

from lobug.storage.driver import Connection
from lobug.storage.statements import Row, run
from lobug.storage.tables import memory_vectors, vector_indexes

CHUNK_SIZE = 32
"""Vectors that a partition allocates at once; the module's docstring has the measurement."""

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


INDEX = select(
    vector_indexes.c.id,
    vector_indexes.c.name,
    vector_indexes.c.model_id,
    vector_indexes.c.dimension,
)
"""The columns of a ``VectorIndex``, by the names of its fields."""


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


def _create(connection: Connection, model_id: str, dimension: int, now: float) -> VectorIndex:
    used = set(run(connection, NAMES).scalars())
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
            f"INSERT INTO {index.name}"
            " (id, user, embedding, content, source, fact_type, created_at)"
            " SELECT id, user, :vector, content, source, fact_type, said_at FROM memories"
            " WHERE id = :fact_id",
            vector=np.ascontiguousarray(vector, dtype="<f4").tobytes(),
            fact_id=fact_id,
        )
    run(connection, NOTE_SEEN, index_id=index.id, memory_id=fact_id, usable=usable)


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
        f"SELECT id AS fact_id, distance FROM {index.name}"
        " WHERE embedding MATCH :vector AND k = :k AND user = :user ORDER BY distance",
        vector=np.ascontiguousarray(vector, dtype="<f4").tobytes(),
        k=min(k, MAX_K),
        user=user,
    )
    return [Neighbour(**row._asdict()) for row in rows]
