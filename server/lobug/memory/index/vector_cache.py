"""Keeps what searches read of the vector index of turns in PostgreSQL.

Somebody with many turns has megabytes of sign bits, and each question reads them all; thousands of
words are compared with those of a question. SQLite has them in this process already.

It shows what a search would read: a block of signs is kept as long as its row is the same version,
and the vector of a word never changes, nor does its number come back. After a crash of PostgreSQL
that does not hold for what the crash has lost, so ``Memory.refresh`` drops everything where
something was; and so does an erasure.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from lobug.memory.index import turn_vectors
from lobug.memory.index.turn_vectors import BLOCK, Signs, VectorSet
from lobug.memory.index.turn_words import TurnTotals
from lobug.storage.connection import Connection
from lobug.storage.statements import SQLITE, dialect_of, run, run_for_bytes

KEPT_FROM_BLOCKS = 4
"""Somebody with fewer is read as quickly as asked whether there is something new."""

SIGN_BYTES = 64_000_000
"""Signs that are kept: those of a million turns at 512 dimensions."""

WORDS = 20_000
"""Vectors of words that are kept: 10 MB at 512 dimensions."""

# A row of PostgreSQL is never changed: a new version of it stands elsewhere.
VERSIONS = (
    "SELECT block, CAST(xmin AS text) || CAST(ctid AS text) AS version FROM turn_codes"
    " WHERE set_id = :set_id AND owner = :owner"
)
BLOCKS = (
    "SELECT block, codes FROM turn_codes WHERE set_id = :set_id AND owner = :owner"
    " AND block = ANY(ARRAY(SELECT value FROM json_each(:blocks)))"
)


@dataclass(frozen=True, slots=True)
class _Kept:
    """The signs of a user's turns."""

    versions: Mapping[int, str]
    """Of the rows that they were read from, by block."""
    signs: Signs


class VectorCache:
    """Signs and vectors that were read before. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._signs: OrderedDict[tuple[int, int], _Kept] = OrderedDict()
        self._words: dict[int, dict[int, bytes]] = {}
        """Vectors of words, by the set that they are of."""

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._signs.clear()
            self._words.clear()

    def signs(self, connection: Connection, present: VectorSet, owner: int) -> Signs:
        """The sign bits of all of a user's turns, as PostgreSQL has them."""
        of = {"set_id": present.id, "owner": owner}
        versions = dict(run(connection, VERSIONS, **of).all())
        with self._lock:
            kept = self._signs.get((present.id, owner))
        before = {} if kept is None else kept.versions
        changed = [block for block, version in versions.items() if before.get(block) != version]
        if kept is None or before.keys() - versions.keys():
            signs = turn_vectors.read_signs(connection, present, owner)
        elif changed:
            rows = run_for_bytes(connection, BLOCKS, **of, blocks=json.dumps(changed))
            signs = kept.signs.with_blocks(dict(rows.all()))
        else:
            signs = kept.signs
        with self._lock:
            self._signs[present.id, owner] = _Kept(versions, signs)
            self._signs.move_to_end((present.id, owner))
            size = sum(one.signs.bits.nbytes for one in self._signs.values())
            while size > SIGN_BYTES:
                _, dropped = self._signs.popitem(last=False)
                size -= dropped.signs.bits.nbytes
        return signs

    def of_words(
        self, connection: Connection, present: VectorSet, word_ids: Sequence[int]
    ) -> Mapping[int, bytes]:
        """The stored vectors of words, by id; words without a vector are left out."""
        with self._lock:
            kept = self._words.get(present.id, {})
            found = {one: vector for one in word_ids if (vector := kept.get(one)) is not None}
        new = [word_id for word_id in word_ids if word_id not in found]
        if new:
            read = turn_vectors.of_words(connection, present, new)
            found |= read
            with self._lock:
                # Which of so many will be asked for is not known: begin anew with these.
                if len(kept) + len(read) > WORDS or present.id not in self._words:
                    self._words = {present.id: dict(found)}
                else:
                    kept.update(read)
        return found


def signs_of(
    connection: Connection, present: VectorSet, totals: TurnTotals, cache: VectorCache | None
) -> Signs:
    """The sign bits of all of a user's turns."""
    few = totals.turns < KEPT_FROM_BLOCKS * BLOCK
    if cache is None or few or dialect_of(connection) is SQLITE:
        return turn_vectors.read_signs(connection, present, totals.owner)
    return cache.signs(connection, present, totals.owner)


def vectors_of_words(
    connection: Connection, present: VectorSet, word_ids: Sequence[int], cache: VectorCache | None
) -> Mapping[int, bytes]:
    """The stored vectors of words, by id; words without a vector are left out."""
    if cache is None or dialect_of(connection) is SQLITE:
        return turn_vectors.of_words(connection, present, word_ids)
    return cache.of_words(connection, present, word_ids)
