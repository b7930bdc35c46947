"""The vector index of turns: vectors of turns and words, and the sign bits for a first look.

The vector of a turn is made from the turn and the one before it in the session: an answer says
little without its question. Each turn has one vector, of the model that it was embedded with last.
A change of model replaces them one by one; vectors of another model are never compared with a
question.

Vectors are stored as signed bytes with a scale: 0.5 kB instead of 2 kB for 512 dimensions. The
signs of 512 turns are one row (``BLOCK``): a search reads the signs of all of a user's turns, 64
bytes a turn, and only the vectors of turns that are scored. Only this module reads and writes
``turn_codes``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    Column,
    Integer,
    LargeBinary,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from lobug.storage.connection import Connection
from lobug.storage.index_tables import (
    turn_codes,
    turn_index,
    turn_vector_sets,
    turn_vectors,
    turn_word_vectors,
    turn_words,
)
from lobug.storage.statements import (
    HandWritten,
    Row,
    columns_of,
    insert_once,
    insert_or_replace,
    run,
    run_for_bytes,
)

Floats = NDArray[np.float32]


def encode(vector: Floats) -> bytes | None:
    """A vector as it is stored; None for one without a direction (zero or not finite)."""
    largest = float(np.abs(vector).max(initial=0.0))
    if not np.isfinite(vector).all() or largest == 0.0:
        return None
    scale = np.array([largest / 127.0], "<f4")
    stored: bytes = scale.tobytes() + np.rint(vector / scale).astype(np.int8).tobytes()
    return stored


def decode(stored: Sequence[bytes], dimension: int) -> Floats:
    """Stored vectors, (n, dimension)."""
    raw = np.frombuffer(b"".join(stored), np.uint8).reshape(len(stored), 4 + dimension)
    scale = np.ascontiguousarray(raw[:, :4]).view("<f4")
    return np.asarray(raw[:, 4:].view(np.int8) * scale, np.float32)


def code(vector: Floats) -> bytes:
    """The signs of a vector's components, filled up to whole words of 64 bits."""
    bits = np.packbits(vector >= 0).tobytes()
    return bits + bytes(-len(bits) % 8)


BLOCK = 512
"""Turns whose sign bits share one row."""

WINDOW_CHARS = 2_000
"""Characters of a turn that are embedded at most: models read no further."""

BEFORE_CHARS = 1_000
"""Characters of the turn before that are embedded, from its end: a question comes last."""

Ints = NDArray[np.int64]
Codes = NDArray[np.uint64]

NOWHERE = np.uint16(0xFFFF)
"""Distance of a slot without bits."""


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The vectors of one model."""

    id: int
    model_id: str
    dimension: int

    @property
    def code_size(self) -> int:
        """Bytes of a turn's sign bits: whole words of 64."""
        return (self.dimension + 63) // 64 * 8


@dataclass(frozen=True, slots=True)
class Window:
    """A turn to be embedded, with the one before it."""

    user: str
    message_id: int
    text: str
    own: str
    """The text without the turn before."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the vocabulary that is to be embedded."""

    id: int
    text: str


FIND_SET = (
    select(*columns_of(turn_vector_sets, VectorSet))
    .where(
        turn_vector_sets.c.model_id == bindparam("model_id"),
        turn_vector_sets.c.dimension
        == func.coalesce(bindparam("dimension"), turn_vector_sets.c.dimension),
    )
    .order_by(turn_vector_sets.c.id.desc())
    .limit(1)
)


def find_set(
    connection: Connection, model_id: str, dimension: int | None = None
) -> VectorSet | None:
    """The set of a model; without a dimension, the newest."""
    row = run(connection, FIND_SET, model_id=model_id, dimension=dimension).first()
    return None if row is None else VectorSet(**row._asdict())


INSERT_SET = insert_once(turn_vector_sets)


def make_set(connection: Connection, model_id: str, dimension: int) -> VectorSet:
    """The set of a model, created where there is none."""
    run(connection, INSERT_SET, model_id=model_id, dimension=dimension)
    row = run(connection, FIND_SET, model_id=model_id, dimension=dimension).one()
    return VectorSet(**row._asdict())


OTHERS = select(turn_vector_sets.c.id).where(turn_vector_sets.c.id != bindparam("keep")).limit(1)


def has_others(connection: Connection, keep: VectorSet) -> bool:
    """Whether there are vectors of another model, or an empty set of one."""
    return run(connection, OTHERS, keep=keep.id).first() is not None


DROP_EMPTY_SETS = delete(turn_vector_sets).where(
    turn_vector_sets.c.id != bindparam("keep"),
    ~exists(select(1).where(turn_vectors.c.set_id == turn_vector_sets.c.id)),
    ~exists(select(1).where(turn_words.c.vector_set == turn_vector_sets.c.id)),
)


def drop_empty_sets(connection: Connection, keep: VectorSet) -> None:
    """Delete the models of which no vector is left."""
    run(connection, DROP_EMPTY_SETS, keep=keep.id)


def unembedded(connection: Connection, present: VectorSet | None, limit: int) -> list[Window]:
    """Analysed turns without a vector of the current model; all of them where it is not known
    (None)."""
    ids = _not_in(connection, TURNS_WITHOUT, present, limit)
    return windows(connection, ids)


def unembedded_words(connection: Connection, present: VectorSet | None, limit: int) -> list[Word]:
    """Words without a vector of the current model."""
    ids = _not_in(connection, WORDS_WITHOUT, present, limit)
    rows = run(
        connection,
        "SELECT w.id, w.word AS text FROM json_each(:ids) j"
        " CROSS JOIN turn_words w WHERE w.id = j.value",
        ids=json.dumps(ids),
    )
    return [Word(**row._asdict()) for row in rows]


def windows(connection: Connection, message_ids: Collection[int]) -> list[Window]:
    """The texts to embed for turns, in the order given; deleted turns are left out."""
    # Hand-written: CROSS JOIN keeps the order of the ids, each of which is looked up.
    rows = run(
        connection,
        'SELECT l."user", l.id, l.speaker, l.content, b.speaker AS before_speaker,'
        " b.content AS before FROM json_each(:ids) j CROSS JOIN turn_index t"
        " JOIN conversation_log l ON l.id = t.message_id"
        " LEFT JOIN conversation_log b ON b.id ="
        " (SELECT o.message_id FROM turn_index o WHERE o.session_id = t.session_id"
        "  AND o.place < t.place ORDER BY o.place DESC LIMIT 1)"
        " WHERE t.message_id = j.value ORDER BY j.key",
        ids=json.dumps(list(message_ids)),
    )
    return [_window(row) for row in rows]


def _window(row: Row) -> Window:
    before = None if row.before is None else row.before[-BEFORE_CHARS:]
    own = _said(row.content[:WINDOW_CHARS], row.speaker, "")
    return Window(row.user, row.id, _said(before, row.before_speaker, " ") + own, own)


_next_slot = (
    select(func.max(turn_vectors.c.slot) + 1)
    .where(
        turn_vectors.c.set_id == bindparam("set_id", type_=Integer),
        turn_vectors.c.owner == turn_index.c.owner,
    )
    .scalar_subquery()
)
INSERT_VECTOR = (
    insert(turn_vectors)
    .from_select(
        ["message_id", "set_id", "owner", "slot", "vector"],
        select(
            turn_index.c.message_id,
            bindparam("set_id", type_=Integer),
            turn_index.c.owner,
            func.coalesce(_next_slot, 0),
            bindparam("vector", type_=LargeBinary),
        ).where(
            turn_index.c.message_id == bindparam("message_id"), turn_index.c.words.is_not(None)
        ),
    )
    .returning(turn_vectors.c.owner, turn_vectors.c.slot)
)
DELETE_VECTOR = delete(turn_vectors).where(turn_vectors.c.message_id == bindparam("of_message"))
NOTE_TURN = update(turn_index).where(turn_index.c.message_id == bindparam("of_message"))


def store(
    connection: Connection, present: VectorSet, embedded: Sequence[tuple[Window, Floats]]
) -> None:
    """Store the vectors of turns in place of former ones. A turn that has changed since
    ``embedded`` was read is skipped; it is embedded again later."""
    ids = [window.message_id for window, _ in embedded]
    now = {window.message_id: window for window in windows(connection, ids)}
    by_owner: dict[int, dict[int, bytes]] = {}
    for window, vector in embedded:
        if now.get(window.message_id) != window:
            continue
        run(connection, DELETE_VECTOR, of_message=window.message_id)
        encoded = encode(vector)
        row = run(
            connection,
            INSERT_VECTOR,
            message_id=window.message_id,
            set_id=present.id,
            vector=encoded,
        ).first()
        if row is None:
            continue
        run(connection, NOTE_TURN, of_message=window.message_id, vector_set=present.id)
        if encoded is not None:
            by_owner.setdefault(row.owner, {})[row.slot] = code(vector)
    for owner, codes in by_owner.items():
        _write_codes(connection, present, owner, codes)


PUT_WORD_VECTOR = insert_or_replace(turn_word_vectors).from_select(
    ["word_id", "set_id", "vector"],
    select(
        turn_words.c.id,
        bindparam("of_set", type_=Integer),
        bindparam("encoded", type_=LargeBinary),
    ).where(turn_words.c.id == bindparam("of_word"), turn_words.c.word == bindparam("text")),
)
NOTE_WORD = update(turn_words).where(turn_words.c.id == bindparam("of_word"))


def store_words(
    connection: Connection, present: VectorSet, embedded: Sequence[Word], vectors: Floats
) -> None:
    """Store the vectors of words, (words, dimension); words that were deleted are skipped."""
    for word, vector in zip(embedded, vectors, strict=True):
        run(
            connection,
            PUT_WORD_VECTOR,
            of_set=present.id,
            encoded=encode(vector),
            of_word=word.id,
            text=word.text,
        )
        run(connection, NOTE_WORD, of_word=word.id, vector_set=present.id)


CODES = select(turn_codes.c.block, turn_codes.c.codes).where(
    turn_codes.c.set_id == bindparam("set_id"), turn_codes.c.owner == bindparam("owner")
)
ONE_BLOCK = select(turn_codes.c.codes).where(
    turn_codes.c.set_id == bindparam("set_id"),
    turn_codes.c.owner == bindparam("owner"),
    turn_codes.c.block == bindparam("block"),
)
PUT_BLOCK = insert_or_replace(turn_codes)
IN_SLOTS = HandWritten(
    # CROSS JOIN, and an array, look the few slots up instead of going through all of the user's
    # vectors. PostgreSQL would do that where it has one plan for all users: most have few.
    sqlite="SELECT v.message_id, v.slot FROM json_each(:slots) j CROSS JOIN turn_vectors v"
    " WHERE v.set_id = :set_id AND v.owner = :owner AND v.slot = j.value",
    postgres="SELECT message_id, slot FROM turn_vectors WHERE set_id = :set_id AND owner = :owner"
    " AND slot = ANY(ARRAY(SELECT value FROM json_each(:slots)))",
)


@dataclass(frozen=True, slots=True)
class Signs:
    """The sign bits of a user's turns, by slot."""

    bits: Codes
    """Shape (words of 64 bits, slots); all zero: the slot has none."""
    empty: NDArray[np.bool_]
    """Shape (slots,): where the slot has none."""

    @classmethod
    def of(cls, blocks: Mapping[int, bytes], present: VectorSet) -> Signs:
        """Those of whole blocks, by their number."""
        words = present.code_size // 8
        return cls(np.zeros((words, 0), np.uint64), np.zeros(0, np.bool_)).with_blocks(blocks)

    def with_blocks(self, blocks: Mapping[int, bytes]) -> Signs:
        """These with some blocks, by their number, in place of what they were."""
        words, slots = self.bits.shape
        bits = np.zeros((words, max(slots, (max(blocks, default=-1) + 1) * BLOCK)), np.uint64)
        bits[:, :slots] = self.bits
        for block, stored in blocks.items():
            own = np.frombuffer(stored, np.uint64).reshape(-1, words)
            bits[:, block * BLOCK : (block + 1) * BLOCK] = 0
            bits[:, block * BLOCK : block * BLOCK + len(own)] = own.T
        return Signs(bits, np.logical_not(bits.any(axis=0)))

    def distances(self, vector: Floats) -> NDArray[np.uint16]:
        """How many signs of each slot differ from those of a vector, (slots,)."""
        apart = np.zeros(self.bits.shape[1], np.uint16)
        for own, asked in zip(self.bits, np.frombuffer(code(vector), np.uint64), strict=True):
            apart += np.bitwise_count(own ^ asked)
        apart[self.empty] = NOWHERE
        return apart


def read_signs(connection: Connection, present: VectorSet, owner: int) -> Signs:
    """The sign bits of all of a user's turns."""
    rows = run_for_bytes(connection, CODES, set_id=present.id, owner=owner)
    return Signs.of(dict(rows.all()), present)


def nearest(
    connection: Connection,
    present: VectorSet,
    owner: int,
    signs: Signs,
    vector: Floats,
    k: int,
    allowed: Ints | None = None,
) -> tuple[Ints, Floats]:
    """Ids of the ``k`` turns of a user that are nearest to a vector, by the signs of its
    components, in no order, and roughly their cosines. Fewer: no others have a vector.
    ``allowed``: slots that may be among them.

    Of two vectors at an angle of x the signs would differ in x / pi of random directions (Charikar,
    2002).
    """
    distance = signs.distances(vector)
    if not len(distance) or k <= 0:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    if allowed is not None:
        others = np.ones(len(distance), np.bool_)
        others[allowed[allowed < len(distance)]] = False
        distance[others] = NOWHERE
    best = np.argpartition(distance, min(k, len(distance)) - 1)[:k]
    best = best[distance[best] < NOWHERE]
    rows = run(
        connection,
        IN_SLOTS,
        slots=json.dumps(best.tolist()),
        set_id=present.id,
        owner=owner,
    ).tuples()
    ids, slots = np.array(rows, np.int64).reshape(-1, 2).T
    cosines = np.cos(np.pi / present.dimension * distance[slots])
    return ids, np.asarray(cosines, np.float32)


OF_WORDS = HandWritten(
    # CROSS JOIN looks each word up.
    sqlite="SELECT v.word_id, v.vector FROM json_each(:ids) j CROSS JOIN turn_word_vectors v"
    " WHERE v.word_id = j.value AND v.set_id = :set_id AND v.vector IS NOT NULL",
    postgres="SELECT word_id, vector FROM turn_word_vectors"
    " WHERE word_id = ANY(ARRAY(SELECT value FROM json_each(:ids)))"
    " AND set_id = :set_id AND vector IS NOT NULL",
)


def of_words(
    connection: Connection, present: VectorSet, word_ids: Sequence[int]
) -> Mapping[int, bytes]:
    """The stored vectors of words, by id; words without a vector are left out."""
    ids = json.dumps(list(word_ids))
    return dict(run_for_bytes(connection, OF_WORDS, ids=ids, set_id=present.id).all())


def _said(content: str | None, speaker: str | None, end: str) -> str:
    if content is None:
        return ""
    return (content if speaker is None else f"{speaker}: {content}") + end


def _without_vector(key: Column[int], vector_set: Column[int], *ready: Any) -> tuple[Any, Any]:
    """Two statements: ids of rows that have a vector of an earlier set or none, and of a later set.
    Together they are what is not in a set, by the index on ``vector_set``."""
    every = (
        select(key.label("id"))
        .where(*ready)
        .order_by(vector_set, key)
        .limit(bindparam("limit", type_=Integer))
    )
    present = bindparam("present", type_=Integer)
    return every.where(vector_set < present), every.where(vector_set > present)


TURNS_WITHOUT = _without_vector(
    turn_index.c.message_id, turn_index.c.vector_set, turn_index.c.words.is_not(None)
)
WORDS_WITHOUT = _without_vector(turn_words.c.id, turn_words.c.vector_set)


def _not_in(
    connection: Connection, without: tuple[Any, Any], present: VectorSet | None, limit: int
) -> list[int]:
    """Ids of rows whose vector is not in a set."""
    set_id = -1 if present is None else present.id
    found: list[int] = []
    # Those without any come first: that is what was said last.
    for statement in without:
        found += run(connection, statement, present=set_id, limit=limit - len(found)).scalars()
    return found


def _write_codes(
    connection: Connection, present: VectorSet, owner: int, codes: Mapping[int, bytes]
) -> None:
    """Write bits into their slots; slots before them without bits are zero."""
    size = present.code_size
    for block in sorted({slot // BLOCK for slot in codes}):
        at = {"set_id": present.id, "owner": owner, "block": block}
        data = bytearray(run(connection, ONE_BLOCK, **at).scalar() or b"")
        for slot, bits in codes.items():
            if slot // BLOCK == block:
                start = slot % BLOCK * size
                data.extend(bytes(max(start + size - len(data), 0)))
                data[start : start + size] = bits
        run(connection, PUT_BLOCK, **at, codes=bytes(data))
