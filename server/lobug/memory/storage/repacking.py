"""Repacks vec0 tables, a few chunks at a time.

vec0 stores vectors in chunks of a fixed size and frees only a chunk that is wholly empty: after
every second row was deleted a table is as large as before. So the rows of a chunk that is at most
three quarters full are deleted and inserted again: they fill up the newest chunk of their partition
and the old one is freed. (What a deleted row leaves in a chunk that stays is zeros.)
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from lobug.memory.storage.driver import Connection

FULL_ENOUGH = 0.75
"""Chunks with a larger share of live rows stay as they are."""

KEY = re.compile(r"\b(\w+)\s+integer\s+primary\s+key\b", re.IGNORECASE)
ENCODED = re.compile(r"\b(\w+)\s+(int8|bit)\s*\[", re.IGNORECASE)
"""Vector columns whose blobs are floats unless a function says otherwise."""


@dataclass(frozen=True, slots=True)
class VectorTable:
    """A vec0 table and how a row is read from it and put back."""

    name: str
    key: str
    columns: tuple[str, ...]
    values: tuple[str, ...]
    """What stands for each column's value in an INSERT."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk and the ids of its live rows."""

    id: int
    rows: tuple[int, ...]


def vector_tables(connection: Connection) -> list[VectorTable]:
    """All vec0 tables of the file, whosever they are, that have an integer primary key."""
    found = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
        " AND sql LIKE 'CREATE VIRTUAL TABLE%USING vec0%' ORDER BY name"
    ).fetchall()
    return [
        _table(connection, name, key[1], sql)
        for name, sql in found
        if (key := KEY.search(sql)) is not None
    ]


def text_tables(connection: Connection) -> list[str]:
    """All FTS5 tables of the file."""
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        " AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%' AND sql NOT LIKE '%fts5vocab%'"
        " ORDER BY name"
    )
    return [row[0] for row in rows]


def repack(connection: Connection, limit: int) -> bool:
    """Free at most ``limit`` sparse chunks. Returns whether there may be more."""
    for table in vector_tables(connection):
        chunks = list(_sparse(connection, table.name))[:limit]
        for chunk in chunks:
            _move(connection, table, chunk)
        if chunks:
            return True
    return False


def _table(connection: Connection, name: str, key: str, sql: str) -> VectorTable:
    encoded = {column.lower(): kind.lower() for column, kind in ENCODED.findall(sql)}
    columns = tuple(
        row[0]
        for row in connection.execute(
            "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", (name,)
        )
    )
    values = tuple(
        f"vec_{encoded[column.lower()]}(?)" if column.lower() in encoded else "?"
        for column in columns
    )
    return VectorTable(name, key, tuple(f'"{column}"' for column in columns), values)


def _sparse(connection: Connection, table: str) -> Iterator[Chunk]:
    """Chunks that are worth freeing; never the newest of a partition, which is being filled."""
    partitions = [
        row[0]
        for row in connection.execute(
            "SELECT name FROM pragma_table_info(?) WHERE name GLOB 'partition*'",
            (f"{table}_chunks",),
        )
    ]
    columns = ", ".join(["chunk_id", "size", "validity", "rowids", *partitions])
    newest: set[tuple[object, ...]] = set()
    for chunk_id, size, validity, rowids, *partition in connection.execute(
        f'SELECT {columns} FROM "{table}_chunks" ORDER BY chunk_id DESC'
    ):
        if tuple(partition) not in newest:
            newest.add(tuple(partition))
            continue
        live = [place for place in range(size) if validity[place // 8] >> place % 8 & 1]
        if len(live) <= FULL_ENOUGH * size:
            ids = struct.unpack(f"<{size}q", rowids)
            yield Chunk(chunk_id, tuple(ids[place] for place in live))


def _move(connection: Connection, table: VectorTable, chunk: Chunk) -> None:
    """Delete all rows of a chunk, which frees it, and insert them again."""
    columns = ", ".join(table.columns)
    rows = [
        connection.execute(
            f'SELECT {columns} FROM "{table.name}" WHERE "{table.key}" = ?', (row_id,)
        ).fetchone()
        for row_id in chunk.rows
    ]
    connection.executemany(
        f'DELETE FROM "{table.name}" WHERE "{table.key}" = ?', [(row_id,) for row_id in chunk.rows]
    )
    connection.executemany(
        f'INSERT INTO "{table.name}" ({columns}) VALUES ({", ".join(table.values)})', rows
    )
