"""What is kept of the vector index of turns, beside a real PostgreSQL that changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lobug.memory.index import turn_vectors, vector_cache
from lobug.memory.index.turn_vectors import BLOCK, Signs, VectorSet
from lobug.memory.index.turn_words import TurnTotals
from lobug.memory.index.vector_cache import VectorCache, signs_of, vectors_of_words
from lobug.storage.connection import Connection, PostgresConnection
from lobug.storage.statements import run
from support import postgres

SET = VectorSet(1, "scripted", 64)
OWNER = 7


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[PostgresConnection]:
    with postgres.in_use(), postgres.opened(tmp_path / "memory.db") as opened:
        opened.execute(
            "INSERT INTO turn_vector_sets (id, model_id, dimension) VALUES (1, 'scripted', 64)"
        )
        yield opened


def put(connection: Connection, block: int, slots: int, seed: int) -> None:
    """Write a block of signs as the index does."""
    codes = np.random.default_rng(seed).bytes(8 * slots)
    of = {"set_id": SET.id, "owner": OWNER, "block": block}
    run(connection, turn_vectors.PUT_BLOCK, **of, codes=codes)


def same(one: Signs, other: Signs) -> bool:
    return bool(np.array_equal(one.bits, other.bits) and np.array_equal(one.empty, other.empty))


def test_signs_are_those_of_the_database_whatever_happens_to_it(
    connection: PostgresConnection,
) -> None:
    cache = VectorCache()

    def kept() -> Signs:
        found = cache.signs(connection, SET, OWNER)
        assert same(found, turn_vectors.read_signs(connection, SET, OWNER))
        return found

    assert kept().bits.shape == (1, 0)
    for block in range(3):
        put(connection, block, BLOCK, block)
    put(connection, 3, 5, 3)
    first = kept()
    assert first.bits.shape == (1, 4 * BLOCK)
    assert int(first.empty.sum()) == BLOCK - 5
    assert kept() is first, "nothing has changed"
    put(connection, 3, 6, 4)  # a turn more
    put(connection, 1, BLOCK, 5)  # embedded anew
    assert int(kept().empty.sum()) == BLOCK - 6
    assert int(first.empty.sum()) == BLOCK - 5, "what a search holds does not change"
    put(connection, 3, 2, 6)  # shorter than it was
    assert int(kept().empty.sum()) == BLOCK - 2
    connection.execute("DELETE FROM turn_codes WHERE block = 3")
    assert kept().bits.shape == (1, 3 * BLOCK)
    connection.execute("DELETE FROM turn_codes")
    assert kept().bits.shape == (1, 0)


def test_of_many_people_the_latest_are_kept(
    connection: PostgresConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(connection, 0, BLOCK, 1)
    monkeypatch.setattr(vector_cache, "SIGN_BYTES", 2 * 8 * BLOCK)
    cache = VectorCache()
    own = cache.signs(connection, SET, OWNER)
    for other in range(2):
        connection.execute(
            "INSERT INTO turn_codes SELECT set_id, %s, block, codes FROM turn_codes"
            " WHERE owner = %s",
            (100 + other, OWNER),
        )
        cache.signs(connection, SET, 100 + other)
    assert cache.signs(connection, SET, 101) is cache.signs(connection, SET, 101)
    assert cache.signs(connection, SET, OWNER) is not own


def test_a_short_log_is_read_and_not_kept(connection: PostgresConnection) -> None:
    put(connection, 0, 9, 1)
    cache = VectorCache()
    short, long = TurnTotals(OWNER, 9, 90), TurnTotals(OWNER, 5_000, 50_000)
    assert signs_of(connection, SET, short, cache) is not signs_of(connection, SET, short, cache)
    assert signs_of(connection, SET, long, cache) is signs_of(connection, SET, long, cache)


def test_vectors_of_words_are_asked_for_once(
    connection: PostgresConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, word in enumerate(("boat", "kite", "tent"), start=1):
        connection.execute(
            "INSERT INTO turn_words (id, word, stem) VALUES (%s, %s, %s)", (number, word, word)
        )
        if number != 3:
            connection.execute(
                "INSERT INTO turn_word_vectors VALUES (%s, 1, %s)", (number, bytes([number] * 68))
            )
    asked: list[list[int]] = []
    read = turn_vectors.of_words

    def noted(connection: Connection, present: VectorSet, ids: list[int]) -> dict[int, bytes]:
        asked.append(list(ids))
        return dict(read(connection, present, ids))

    monkeypatch.setattr(turn_vectors, "of_words", noted)
    cache = VectorCache()
    for wanted in ([1, 3], [1, 2], [2, 1]):
        found = vectors_of_words(connection, SET, wanted, cache)
        assert found == {one: bytes([one] * 68) for one in wanted if one != 3}
    assert asked == [[1, 3], [2]], "one without a vector may get one"
    monkeypatch.setattr(vector_cache, "WORDS", 1)
    cache.clear()
    for wanted in ([1], [2], [1]):
        assert list(vectors_of_words(connection, SET, wanted, cache)) == wanted
