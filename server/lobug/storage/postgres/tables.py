"""Makes declared tables in PostgreSQL, and the functions that SQLite has and PostgreSQL has not."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import types
from sqlalchemy.schema import CreateIndex, CreateTable, MetaData

from lobug.storage.connection import Connection
from lobug.storage.postgres_dialect import POSTGRES
from lobug.storage.statements import table_has_rowid

Step = Callable[[Connection], None]
"""A numbered migration; takes the connection, inside a transaction."""

FUNCTIONS = """
CREATE FUNCTION iif(boolean, text, text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN $1 THEN $2 ELSE $3 END;
CREATE FUNCTION json_valid(text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN $1 IS JSON;
CREATE FUNCTION json_array_length(text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN jsonb_array_length(CAST($1 AS jsonb));
CREATE FUNCTION instr(text, text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN strpos($1, $2);
CREATE FUNCTION json_each(text, OUT key bigint, OUT value bigint) RETURNS SETOF record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 300
    AS 'SELECT at - 1, CAST(item AS bigint)
        FROM jsonb_array_elements_text(CAST($1 AS jsonb)) WITH ORDINALITY j (item, at)';
CREATE FUNCTION json_texts(text, OUT key bigint, OUT value text) RETURNS SETOF record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 50
    AS 'SELECT at - 1, item
        FROM jsonb_array_elements_text(CAST($1 AS jsonb)) WITH ORDINALITY j (item, at)';
"""
"""SQLite's functions of the same names, ``json_each`` for whole numbers."""


def create_tables(connection: Connection, tables: MetaData) -> None:
    """Create the tables as they are declared, with their indexes, and the functions in their
    conditions, and with the order of insertion. Links between tables come last: some are linked
    in a circle."""
    connection.execute(FUNCTIONS)
    for table in tables.tables.values():
        create = CreateTable(table, include_foreign_key_constraints=[])
        connection.execute(_text(create))
        if table_has_rowid(table):
            connection.execute(
                f"ALTER TABLE {table.name} ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY"
            )
        for index in sorted(table.indexes, key=lambda one: str(one.name)):
            index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]
            connection.execute(_text(CreateIndex(index)))
    for table in tables.tables.values():
        for link in sorted(table.foreign_keys, key=lambda one: one.parent.name):
            target = link.column
            deleted = f" ON DELETE {link.ondelete}" if link.ondelete else ""
            connection.execute(
                f'ALTER TABLE {table.name} ADD FOREIGN KEY ("{link.parent.name}")'
                f' REFERENCES {target.table.name} ("{target.name}"){deleted}'
            )


def _text(statement: CreateTable | CreateIndex) -> str:
    return str(statement.compile(dialect=POSTGRES))


def declared(tables: MetaData) -> tuple[Step, ...]:
    """The steps of a schema that holds declared tables and nothing else."""

    def create(connection: Connection) -> None:
        create_tables(connection, tables)
        for table in tables.tables.values():
            for column in table.c:
                if isinstance(column.type, types.String | types.TypeDecorator | types.LargeBinary):
                    keep_no_samples(connection, table.name, column.name)

    return (create,)


def keep_no_samples(connection: Connection, table: str, column: str) -> None:
    """Let PostgreSQL keep no samples of a column's words for its planner: those would outlive what
    was forgotten."""
    connection.execute(f'ALTER TABLE {table} ALTER COLUMN "{column}" SET STATISTICS 0')
