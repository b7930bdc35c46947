"""Makes tables in PostgreSQL as they are declared, to compare them with what the steps make."""

from __future__ import annotations

from copy import copy

from sqlalchemy import Column, Index, func
from sqlalchemy.schema import CreateIndex, CreateTable, MetaData

from lobug.storage.connection import Connection
from lobug.storage.postgres_dialect import POSTGRES
from lobug.storage.statements import table_has_rowid


def create_tables(connection: Connection, tables: MetaData) -> None:
    """Create the tables as they are declared, with their indexes and with the order of insertion;
    the functions in their conditions must be there. Links between tables come last: some are linked
    in a circle."""
    for table in tables.tables.values():
        create = CreateTable(table, include_foreign_key_constraints=[])
        connection.execute(_text(create))
        if table_has_rowid(table):
            connection.execute(
                f"ALTER TABLE {table.name} ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY"
            )
        for index in sorted(table.indexes, key=lambda one: str(one.name)):
            index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]
            index.dialect_options["postgresql"]["include"] = index.info.get("beside", [])
            connection.execute(_text(CreateIndex(_with_digests(index))))
    for table in tables.tables.values():
        for link in sorted(table.foreign_keys, key=lambda one: one.parent.name):
            target = link.column
            deleted = f" ON DELETE {link.ondelete}" if link.ondelete else ""
            connection.execute(
                f'ALTER TABLE {table.name} ADD FOREIGN KEY ("{link.parent.name}")'
                f' REFERENCES {target.table.name} ("{target.name}"){deleted}'
            )


def _with_digests(index: Index) -> Index:
    """An index with digests in place of what may be long."""
    changed = copy(index)
    changed.expressions = [
        func.digest_of(one)
        if isinstance(one, Column) and one.name in index.info.get("long", [])
        else one
        for one in index.expressions
    ]
    return changed


def _text(statement: CreateTable | CreateIndex) -> str:
    return str(statement.compile(dialect=POSTGRES))
