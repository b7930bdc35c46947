"""What decides in a move between files and PostgreSQL: order, batches, comparison, refusals."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, ForeignKey, MetaData, Table

from lobug.database_move.house import house_databases
from lobug.database_move.move import Begun, Finished, decide, require_same
from lobug.database_move.plan import Part, in_order, links_ahead, parts_of
from lobug.database_move.rows import batches, digest, first_difference, normalised, nul_texts
from lobug.database_move.sides import Note
from lobug.errors import MoveDifferenceError, MoveTargetError, StorageUnfinishedError
from lobug.settings import Settings
from lobug.storage.columns import Integer
from lobug.storage.postgres.schemas import STEPS

NOTES = Part("notes", ("id",), ("id", "content"))
HERE = Note("m1", "/data", 1.0, source_id="/data 1")
NEW = Note("m9", "/data", 7.0, source_id="/data 1")


def declared(**links: str) -> MetaData:
    """Tables in this order, each with links to others."""
    tables = MetaData()
    for name, targets in links.items():
        Table(
            name,
            tables,
            Column("id", Integer, primary_key=True),
            *(Column(f"to_{one}", Integer, ForeignKey(f"{one}.id")) for one in targets.split()),
        )
    return tables


@pytest.mark.parametrize(
    ("links", "order", "ahead"),
    [
        ({"a": "", "b": "", "c": ""}, "a b c", ""),
        ({"a": "b c", "b": "c", "c": ""}, "c b a", ""),
        ({"a": "a", "b": "a"}, "a b", "a>a"),
        ({"a": "b", "b": "a", "c": "b"}, "a b c", "a>b"),
        ({"a": "b c", "b": "a", "c": ""}, "c a b", "a>b"),
    ],
)
def test_tables_come_after_those_that_they_link_to(
    links: dict[str, str], order: str, ahead: str
) -> None:
    tables = declared(**links)
    assert [table.name for table in in_order(tables)] == order.split()
    found = [f"{one.table}>{one.target}" for one in links_ahead(tables)]
    assert found == ahead.split()


def test_no_database_and_no_table_is_left_out(tmp_path: Path) -> None:
    databases = house_databases(Settings(data_dir=tmp_path))
    assert {one.schema for one in databases} == set(STEPS)
    assert len({one.path for one in databases}) == len(databases)
    for one in databases:
        parts = parts_of(one.tables)
        assert {part.table for part in parts} == set(one.tables.tables)
        for part in parts:
            columns = [column.name for column in one.tables.tables[part.table].columns]
            assert [name for name in part.columns if name != "rowid"] == columns
            assert set(part.key) <= set(part.columns)


def test_the_order_of_insertion_is_copied_where_no_number_tells_it(tmp_path: Path) -> None:
    parts = {
        part.table: part
        for one in house_databases(Settings(data_dir=tmp_path))
        for part in parts_of(one.tables)
    }
    assert "rowid" in parts["devices"].columns
    assert "rowid" not in parts["alerts"].columns  # it has an id
    assert "rowid" not in parts["claims"].columns  # it is stored by its key
    assert parts["alerts"].numbered
    assert not parts["turn_words"].numbered


def test_batches_are_cut_by_rows_and_by_size() -> None:
    rows = [(1, "abc"), (2, b"defg"), (3, None), (4, "h")]
    assert [len(one) for one in batches(rows, most_rows=3)] == [3, 1]
    assert [len(one) for one in batches(rows, most_bytes=4)] == [2, 2]
    assert [len(one) for one in batches(rows, most_rows=1, most_bytes=1)] == [1, 1, 1, 1]
    assert list(batches([])) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1,), (1.0,)),
        ((1,), ("1",)),
        (("a",), (b"a",)),
        ((None,), ("",)),
        ((0.1,), (math.nextafter(0.1, 1.0),)),
        (("\u00e9",), ("e\u0301",)),
        (("a", "b"), ("b", "a")),
    ],
)
def test_rows_that_are_not_the_same_have_another_fingerprint(
    one: tuple[Any, ...], other: tuple[Any, ...]
) -> None:
    assert digest([normalised(one)]) != digest([normalised(other)])
    assert digest([normalised(one)]) == digest([normalised(one)])


def test_what_one_of_the_databases_cannot_hold_counts_as_the_same() -> None:
    assert repr(normalised(("a\x00b", -0.0, b"\x00"))) == repr(("a\ufffdb", 0.0, b"\x00"))
    assert nul_texts([("a\x00b", b"\x00", None), ("c", "\x00\x00")]) == 2


@pytest.mark.parametrize(
    ("ours", "theirs", "key"),
    [
        ([(1, "a"), (2, "b")], [(1, "a"), (2, "c")], 2),
        ([(1, "a"), (2, "b")], [(1, "a")], 2),
        ([(1, "a")], [(1, "a"), (5, "e")], 5),
        ([(2, "b")], [(1, "a"), (2, "b")], 2),
    ],
)
def test_a_difference_is_told_with_its_key(ours: Any, theirs: Any, key: int) -> None:
    with pytest.raises(MoveDifferenceError, match=rf"^notes differs at id {key}$"):
        require_same(NOTES, ours, theirs)
    require_same(NOTES, ours, list(ours))
    with pytest.raises(LookupError):
        first_difference(ours, ours)


def test_an_empty_target_begins_and_an_unfinished_move_goes_on() -> None:
    goes_on = Begun(HERE, goes_on=True)
    assert decide(["memory"], NEW, {}, []) == Begun(NEW)
    assert decide(["memory", "agenda"], NEW, {"agenda": HERE}, []) == goes_on
    whole = replace(HERE, completed_at=3.0)
    # Killed while file after file was noted to be whole.
    assert decide(["memory", "agenda"], NEW, {"memory": whole, "agenda": HERE}, []) == goes_on
    assert decide(["memory"], NEW, {"memory": whole}, []) == Finished(whole)
    # The same PostgreSQL by another name of its computer.
    assert decide(["memory"], replace(NEW, source="/link"), {"memory": HERE}, []) == goes_on


@pytest.mark.parametrize(
    ("source_id", "notes", "filled", "error"),
    [
        ("/data 1", {}, ["lobug_agenda.notes"], MoveTargetError),
        ("/data 1", {"memory": HERE}, ["lobug_agenda.notes"], MoveTargetError),
        ("/data 2", {"memory": HERE}, [], StorageUnfinishedError),
        (
            "/data 1",
            {"memory": HERE, "agenda": replace(HERE, move="m2")},
            [],
            StorageUnfinishedError,
        ),
        ("/data 1", {"memory": HERE, "webhooks": HERE}, [], StorageUnfinishedError),
        ("/data 1", {"memory": replace(HERE, completed_at=3.0)}, [], MoveTargetError),
        (
            "/data 2",
            {name: replace(HERE, completed_at=3.0) for name in ("memory", "agenda")},
            [],
            MoveTargetError,
        ),
    ],
)
def test_what_is_not_this_move_is_refused(
    source_id: str, notes: dict[str, Note], filled: list[str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        decide(["memory", "agenda"], replace(NEW, source_id=source_id), notes, filled)


def test_a_note_is_read_as_it_was_written() -> None:
    assert Note.of(replace(HERE, completed_at=2.5).text()) == replace(HERE, completed_at=2.5)
    of_another_version = HERE.text().replace("{", '{"colour": "red", ', 1)
    assert Note.of(of_another_version) == HERE
