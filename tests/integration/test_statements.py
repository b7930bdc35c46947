"""Statements of SQLAlchemy Core on the driver's own connection."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import bindparam, delete, insert, select, update

from lobug.storage.driver import Connection, connect
from lobug.storage.migrations import STEPS
from lobug.storage.statements import among, run, run_many, sql_of
from lobug.storage.tables import background_tasks, memories, memory_sources

NEW = {
    "user": "jordan",
    "told_by": "jordan",
    "layer": "knowledge",
    "category": "knowledge",
    "source": "user",
    "said_at": 1.0,
    "created_at": 1.0,
    "updated_at": 1.0,
    "valid_from": 1.0,
}
INSERT = insert(memories).returning(memories.c.id)


@pytest.fixture
def connection() -> Iterator[Connection]:
    connection = connect(":memory:", timeout_s=1.0)
    for step in STEPS:
        step(connection, "owner")
    yield connection
    connection.close()


def add(connection: Connection, key: str, **values: object) -> int:
    return int(run(connection, INSERT, **NEW, key=key, content=f"about {key}", **values).one().id)


def test_rows_are_read_by_name_with_python_values(connection: Connection) -> None:
    entry_id = add(connection, "tea", tags=["drinks", "é"], compared=True)

    statement = select(memories.c.tags, memories.c.compared, memories.c.incorporated).where(
        memories.c.id == bindparam("entry_id")
    )
    row = run(connection, statement, entry_id=entry_id).one()

    assert row.tags == ("drinks", "é")
    assert (row.compared, row.incorporated) == (True, False)
    assert type(row.compared) is bool
    assert run(connection, "SELECT tags FROM memories").scalar() == '["drinks", "é"]'


def test_hand_written_sql_is_read_by_name_too(connection: Connection) -> None:
    add(connection, "tea")

    row = run(connection, "SELECT key, 1 AS number FROM memories WHERE key = :key", key="tea").one()

    assert (row.key, row.number) == ("tea", 1)
    assert run(connection, "SELECT key FROM memories WHERE key = :key", key="no").first() is None


def test_an_update_sets_the_columns_that_are_named(connection: Connection) -> None:
    entry_id = add(connection, "tea")
    statement = update(memories).where(memories.c.id == bindparam("entry_id"))

    changed = run(connection, statement, entry_id=entry_id, importance=0.7, told_by="o'brien")

    assert changed.rowcount == 1
    row = run(connection, select(memories.c.importance, memories.c.told_by)).one()
    assert row == (0.7, "o'brien")


def test_any_number_of_ids_is_one_parameter(connection: Connection) -> None:
    wanted = [add(connection, "tea"), add(connection, "coffee")]
    add(connection, "milk")
    statement = select(memories.c.id).where(among(memories.c.id, "ids")).order_by(memories.c.id)

    assert run(connection, statement, ids=[*wanted, *range(1_000, 50_000)]).scalars() == wanted
    assert run(connection, statement, ids=[]).all() == []


def test_many_rows_go_in_at_once(connection: Connection) -> None:
    one, other = add(connection, "tea"), add(connection, "coffee")
    links = [{"memory_id": one, "source_id": other}, {"memory_id": other, "source_id": one}]

    run_many(connection, insert(memory_sources), links)
    run_many(connection, insert(memory_sources), [])

    assert len(run(connection, select(memory_sources)).all()) == 2
    assert run(connection, delete(memory_sources)).rowcount == 2


def test_constants_stand_in_the_text_so_that_partial_indexes_are_used(
    connection: Connection,
) -> None:
    statement = select(background_tasks.c.id).where(
        background_tasks.c.kind == "extract",
        background_tasks.c.message_id == bindparam("message_id"),
    )

    plan = run(connection, f"EXPLAIN QUERY PLAN {sql_of(statement)}", message_id=1)

    assert "background_tasks_extract_once" in plan.one().detail


def test_a_value_that_could_be_sql_is_never_part_of_the_text(connection: Connection) -> None:
    add(connection, "tea")
    statement = select(memories.c.id).where(memories.c.key == "tea' OR '1' = '1")

    assert "OR" not in sql_of(statement)
    assert run(connection, statement).all() == []


def test_a_statement_that_returned_nothing_says_so(connection: Connection) -> None:
    assert run(connection, select(memories.c.id)).scalar() is None
    with pytest.raises(LookupError):
        run(connection, select(memories.c.id)).one()
