"""The tables as declared are the tables that the migrations make."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import MetaData, create_engine
from sqlalchemy.pool import StaticPool

from lobug.access import store as access_store
from lobug.access.tables import metadata as access_metadata
from lobug.agenda import migrations as agenda_migrations
from lobug.agenda.tables import metadata as agenda_metadata
from lobug.storage import migrations
from lobug.storage.database import no_checkpoint
from lobug.storage.driver import Connection, connect, driver
from lobug.storage.index_tables import turn_index
from lobug.webhooks import outbox

SHADOW = re.compile(r"(memories_text|turn_text|turn_terms|memory_facts|sqlite)_?")


def migrated(path: Path, steps: Any) -> Connection:
    connection = connect(str(path), timeout_s=1.0)
    migrations.migrate(
        connection,
        path,
        legacy_user="owner",
        backups_keep=1,
        now=0.0,
        checkpoint=no_checkpoint,
        steps=steps,
    )
    return connection


memory_metadata = turn_index.metadata


def declared(metadata: MetaData) -> Connection:
    connection = connect(":memory:", timeout_s=1.0)
    engine = create_engine(
        "sqlite://", creator=lambda: connection, poolclass=StaticPool, module=driver()
    )
    metadata.create_all(engine)
    return connection


def checks(sql: str) -> list[str]:
    """The conditions of a table, whatever their order and spacing."""
    found = []
    for begin in re.finditer(r"CHECK \(", re.sub(r"--[^\n]*", "", sql)):
        text = re.sub(r"--[^\n]*", "", sql)[begin.end() :]
        depth, end = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        found.append(re.sub(r'[\s"]+', "", text[: end - 1]))
    return sorted(found)


def schema(connection: Connection) -> dict[str, Any]:
    tables = [
        (row[0], row[1])
        for row in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        if not SHADOW.match(row[0])
    ]
    return {name: table(connection, name, sql) for name, sql in tables}


def table(connection: Connection, name: str, sql: str) -> dict[str, Any]:
    columns = {
        row[1]: row[2:6] for row in connection.execute(f"PRAGMA table_info({name})").fetchall()
    }
    links = {
        (row[3], row[2], row[4], row[6])
        for row in connection.execute(f"PRAGMA foreign_key_list({name})").fetchall()
    }
    (options,) = connection.execute(
        "SELECT wr || '/' || strict FROM pragma_table_list WHERE name = ?", (name,)
    ).fetchone()
    return {
        "columns": columns,
        "links": links,
        "checks": checks(sql),
        "without rowid / strict": options,
        "ids are never given twice": "AUTOINCREMENT" in sql,
        "indexes": indexes(connection, name),
    }


def indexes(connection: Connection, table: str) -> list[Any]:
    found = []
    for row in connection.execute(f"PRAGMA index_list({table})").fetchall():
        name, unique, origin, partial = row[1:5]
        columns = [
            part[2] for part in connection.execute(f"PRAGMA index_info('{name}')").fetchall()
        ]
        where = ""
        if partial:
            (sql,) = connection.execute(
                "SELECT sql FROM sqlite_master WHERE name = ?", (name,)
            ).fetchone()
            where = re.sub(r"\s+", "", sql.partition("WHERE")[2])
        shown = name if origin == "c" else ""
        found.append((shown, unique, origin, tuple(str(column) for column in columns), where))
    return sorted(found)


@pytest.mark.parametrize(
    ("steps", "metadata"),
    [
        pytest.param(migrations.STEPS, memory_metadata, id="memory"),
        pytest.param(access_store.STEPS, access_metadata, id="access"),
        pytest.param(agenda_migrations.STEPS, agenda_metadata, id="agenda"),
        pytest.param(outbox.STEPS, outbox.metadata, id="webhooks"),
    ],
)
def test_the_declared_tables_are_those_of_a_migrated_file(
    tmp_path: Path, steps: Any, metadata: MetaData
) -> None:
    file, own = migrated(tmp_path / "made.db", steps), declared(metadata)
    try:
        made, wanted = schema(file), schema(own)
        assert made.keys() == wanted.keys()
        for name in made:
            assert wanted[name] == made[name], name
    finally:
        file.close()
        own.close()


@pytest.mark.parametrize(
    "metadata", [memory_metadata, access_metadata, agenda_metadata, outbox.metadata]
)
def test_every_table_of_several_columns_says_what_it_is(metadata: MetaData) -> None:
    assert all(
        table.comment or any(column.comment for column in table.columns)
        for table in metadata.tables.values()
    )
