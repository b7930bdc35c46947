"""Runs SQLAlchemy Core statements on the drivers' own connections; reads rows by name. The same
statement runs on SQLite and on PostgreSQL.

A statement is built once, as a constant of its module, with ``bindparam`` for whatever differs
between calls; it is compiled the first time it runs. From then on a run costs little more than the
driver does (docs/decisions/sqlalchemy-core.md). Hand-written SQL goes the same way.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict, namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import (
    BindParameter,
    Column,
    Delete,
    Insert,
    Select,
    Table,
    Text,
    Update,
    bindparam,
    cast,
    column,
    func,
    literal_column,
    select,
    types,
)
from sqlalchemy.dialects.sqlite import Insert as UpsertInsert
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler, SQLiteDialect
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import visitors
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.functions import GenericFunction
from sqlalchemy.sql.selectable import CompoundSelect
from sqlalchemy.types import TypeDecorator, TypeEngine

from lobug.storage.compilers import ConstantsInText
from lobug.storage.connection import Connection, PostgresConnection

Statement = Select[*tuple[Any, ...]] | CompoundSelect[Any] | Insert | Update | Delete

Row = Any
"""A named tuple: ``row.id``, ``row._asdict()``."""

T = TypeVar("T")

PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")
"""A parameter of hand-written SQL; ``::text`` is none."""


class _SqliteCompiler(ConstantsInText, SQLiteCompiler):
    def get_from_hint_text(self, _table: Any, text: str | None) -> str | None:
        """Write ``Select.with_hint`` behind the table: ``INDEXED BY`` and an index."""
        return text


class _SqliteDialect(SQLiteDialect):
    supports_statement_cache = True
    statement_compiler = _SqliteCompiler


SQLITE = _SqliteDialect(paramstyle="named")


def dialect_of(connection: Connection) -> Dialect:
    """The dialect of SQL that a connection speaks."""
    if not isinstance(connection, PostgresConnection):
        return SQLITE
    # Who has no PostgreSQL does not wait for SQLAlchemy's part of it at each start.
    from lobug.storage.postgres_dialect import POSTGRES  # noqa: PLC0415

    return POSTGRES


@dataclass(frozen=True, slots=True)
class HandWritten:
    """A statement with one text for each database; both have the same parameters."""

    sqlite: str
    postgres: str

    def of(self, connection: Connection) -> str:
        """The text for a connection's database."""
        return self.sqlite if dialect_of(connection) is SQLITE else self.postgres


class Result:
    """What a statement returned, read once."""

    __slots__ = ("_cursor", "_make")

    def __init__(self, cursor: Any, make: Callable[[Any], Row] | None) -> None:
        self._cursor = cursor
        self._make = make

    def __iter__(self) -> Iterator[Row]:
        return map(self._maker(), self._cursor)

    def all(self) -> list[Row]:
        """All rows."""
        return [*map(self._maker(), self._cursor.fetchall())]

    def tuples(self) -> list[tuple[Any, ...]]:
        """All rows of hand-written SQL, without the names of their columns."""
        return list(self._cursor.fetchall())

    def first(self) -> Row | None:
        """The first row; None: there is none."""
        values = self._cursor.fetchone()
        row = None if values is None else self._maker()(values)
        self._cursor.close()
        return row

    def one(self) -> Row:
        """The first row of a statement that always has one."""
        row = self.first()
        if row is None:
            raise LookupError("the statement returned no row")
        return row

    def scalar(self) -> Any:
        """The first column of the first row; None: there is no row."""
        row = self.first()
        return None if row is None else row[0]

    def scalars(self) -> list[Any]:
        """The first column of every row."""
        if self._make is None:
            return [row[0] for row in self._cursor.fetchall()]
        return [row[0] for row in self.all()]

    @property
    def rowcount(self) -> int:
        """Rows that were inserted, changed or deleted."""
        return int(self._cursor.rowcount)

    def _maker(self) -> Callable[[Any], Row]:
        if self._make is None:
            self._make = _row_class(tuple(column[0] for column in self._cursor.description))
        return self._make


class _Prepared:
    """A compiled statement: its text, and what its values and rows go through."""

    __slots__ = ("_constants", "_encoders", "make", "sql")

    def __init__(self, dialect: Dialect, statement: Statement, names: Sequence[str]) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=_columns(statement, names))
        self.sql = str(compiled)
        self._constants = {
            name: value for name, value in compiled.params.items() if value is not None
        }
        self._encoders = {
            bound.key: encode
            for bound in compiled.bind_names
            if (encode := _own(bound.type, dialect).bind_processor(dialect)) is not None
        }
        columns = statement.exported_columns
        self.make = _maker(
            tuple(map(str, columns.keys())),
            tuple(_own(one.type, dialect).result_processor(dialect, None) for one in columns),
        )

    def bound(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The parameters as the driver takes them."""
        if not self._constants and not self._encoders:
            return values
        every = {**self._constants, **values}
        for name, encode in self._encoders.items():
            every[name] = encode(every[name])
        return every


def columns_of(table: Table, record: type[Any]) -> list[Column[Any]]:
    """The columns that a dataclass has as fields; ``records`` makes some of their rows. Fields that
    are no columns are left out."""
    return [table.c[field.name] for field in fields(record) if field.name in table.c]


def records(kind: type[T], rows: Iterable[Row]) -> list[T]:
    """Rows as a dataclass that has their columns as fields."""
    return [kind(**row._asdict()) for row in rows]


def run(
    connection: Connection, statement: Statement | HandWritten | str, /, **values: Any
) -> Result:
    """Run a statement, or hand-written SQL with parameters by ``:name``. Raises the driver's
    errors."""
    dialect = dialect_of(connection)
    if isinstance(statement, HandWritten):
        statement = statement.of(connection)
    if isinstance(statement, str):
        return Result(connection.execute(_hand_written(dialect, statement), values), None)
    prepared = _prepared(dialect, statement, values)
    return Result(connection.execute(prepared.sql, prepared.bound(values)), prepared.make)


def run_for_bytes(
    connection: Connection, statement: Statement | HandWritten | str, /, **values: Any
) -> Result:
    """The same, for a statement whose rows hold many bytes; their other columns are texts, numbers
    of rows and times. Raises the driver's errors."""
    if not isinstance(connection, PostgresConnection):
        return run(connection, statement, **values)
    dialect = dialect_of(connection)
    if isinstance(statement, HandWritten):
        statement = statement.of(connection)
    if isinstance(statement, str):
        text = _hand_written(dialect, statement)
        return Result(connection.execute_for_bytes(text, values), None)
    prepared = _prepared(dialect, statement, values)
    cursor = connection.execute_for_bytes(prepared.sql, prepared.bound(values))
    return Result(cursor, prepared.make)


def run_many(
    connection: Connection, statement: Statement, values: Iterable[Mapping[str, Any]]
) -> None:
    """Run a statement that returns nothing once for each set of values; all have the same names.
    Raises the driver's errors."""
    every = list(values)
    if every:
        prepared = _prepared(dialect_of(connection), statement, every[0])
        connection.executemany(prepared.sql, [prepared.bound(one) for one in every])


def sql_of(statement: Statement, *names: str, dialect: Dialect = SQLITE) -> str:
    """The text that a database gets for a statement, for measurements and tests."""
    return _prepared(dialect, statement, dict.fromkeys(names)).sql


@cache
def _hand_written(dialect: Dialect, sql: str) -> str:
    """The text with its parameters as the driver wants them."""
    if dialect is SQLITE:
        return sql
    return PARAMETER.sub(r"%(\1)s", sql.replace("%", "%%"))


_KNOWN: defaultdict[Dialect, WeakKeyDictionary[Statement, dict[tuple[str, ...], _Prepared]]] = (
    defaultdict(WeakKeyDictionary)
)
"""Compiled statements, by the names of their values: an INSERT has the columns that are given."""


def _prepared(dialect: Dialect, statement: Statement, values: Mapping[str, Any]) -> _Prepared:
    names = tuple(values)
    known = _KNOWN[dialect].get(statement)
    if known is None:
        known = _KNOWN[dialect][statement] = {}
    prepared = known.get(names)
    if prepared is None:
        prepared = known[names] = _Prepared(dialect, statement, names)
    return prepared


def _own(kind: TypeEngine[Any], dialect: Dialect) -> TypeEngine[Any]:
    """What a type does with values itself; psycopg converts those of PostgreSQL's own types."""
    if dialect is not SQLITE and not isinstance(kind, TypeDecorator):
        return types.NULLTYPE
    return kind.dialect_impl(dialect)


def _columns(statement: Statement, names: Sequence[str]) -> list[str] | None:
    """Of the names of values those that are columns to be written, not the statement's own
    parameters; None: it writes none."""
    if not isinstance(statement, Insert | Update):
        return None
    own = {
        part.key
        for part in visitors.iterate(statement)
        if isinstance(part, BindParameter) and part.required
    }
    return [name for name in names if name not in own]


def _maker(names: tuple[str, ...], decoders: Sequence[Any]) -> Callable[[Any], Row]:
    make = _row_class(names)
    if not any(decoders):
        return make
    changed = [(at, decode) for at, decode in enumerate(decoders) if decode is not None]

    def decoded(values: Any) -> Row:
        every = list(values)
        for at, decode in changed:
            every[at] = decode(every[at])
        return make(every)

    return decoded


@cache
def _row_class(names: tuple[str, ...]) -> Callable[[Any], Row]:
    kind: Any = namedtuple("Row", names, rename=True)  # type: ignore[misc]
    make: Callable[[Any], Row] = kind._make
    return make


# What standard SQL lacks, or what the two databases have under different names.


def insert_once(table: Table) -> UpsertInsert:
    """An INSERT that does nothing where a row has the same key already."""
    return upsert(table).on_conflict_do_nothing()


def insert_or_replace(table: Table) -> UpsertInsert:
    """An INSERT that takes the place of the row that has the same primary key."""
    statement = upsert(table)
    keys = list(table.primary_key)
    return statement.on_conflict_do_update(
        index_elements=keys,
        set_={one.name: statement.excluded[one.name] for one in table.c if one not in set(keys)},
    )


def insert_or_add(table: Table, key: str, number: str) -> UpsertInsert:
    """An INSERT that adds its ``number`` to that of the row that has the same ``key``."""
    statement = upsert(table)
    return statement.on_conflict_do_update(
        index_elements=[table.c[key]],
        set_={number: table.c[number] + statement.excluded[number]},
    )


def insertion_order(table: Table) -> ColumnElement[Any]:
    """What to sort rows by that have the same time: as they were inserted. A table of PostgreSQL
    without numbers for keys has a column for it."""
    return literal_column("rowid") if table_has_rowid(table) else next(iter(table.primary_key))


def table_has_rowid(table: Table) -> bool:
    """Whether rows have a number that is not their key."""
    kinds = [one.type for one in table.primary_key]
    numbered = len(kinds) == 1 and isinstance(kinds[0], types.Integer)
    return not numbered and bool(table.dialect_options["sqlite"]["with_rowid"])


def holds(text: ColumnElement[Any], parameter: str) -> ColumnElement[bool]:
    """The condition that a text has another one in it, in the same case."""
    return func.instr(text, bindparam(parameter)) > 0


class _Larger(GenericFunction[Any]):
    inherit_cache = True


class _Smaller(GenericFunction[Any]):
    inherit_cache = True


class _Each(GenericFunction[Any]):
    """The values of a JSON array, as rows with the column ``value``."""

    inherit_cache = True


class _Typed(GenericFunction[Any]):
    """A value of a JSON array as the type that it is compared with: SQLite has it already."""

    inherit_cache = True


class _Bytes(GenericFunction[Any]):
    inherit_cache = True


FUNCTIONS = {
    _Bytes: ("length(CAST({} AS BLOB))", "octet_length({})"),
    _Larger: ("max({})", "greatest({})"),
    _Smaller: ("min({})", "least({})"),
    _Each: ("json_each({})", "jsonb_array_elements_text(CAST({} AS jsonb))"),
}
"""What SQLite and PostgreSQL call a function."""


def _named(kind: type[GenericFunction[Any]], dialect: str, pattern: str) -> None:
    def write(element: Any, compiler: Any, **options: Any) -> str:
        return pattern.format(compiler.process(element.clauses, **options))

    compiles(kind, dialect)(write)


for _kind, (_sqlite, _postgres) in FUNCTIONS.items():
    _named(_kind, "sqlite", _sqlite)
    _named(_kind, "postgresql", _postgres)


@compiles(_Typed, "sqlite")
def _typed_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return str(compiler.process(element.clauses, **options))


@compiles(_Typed, "postgresql")
def _typed_postgres(element: Any, compiler: Any, **options: Any) -> str:
    (value,) = element.clauses
    return str(compiler.process(cast(value, element.type), **options))


def byte_length(text: ColumnElement[Any]) -> ColumnElement[Any]:
    """Length of a text in UTF-8, bytes."""
    return _Bytes(text, type_=types.Integer())


def larger_of(one: Any, other: Any) -> ColumnElement[Any]:
    """The larger of two values of one row, neither of them null."""
    return _Larger(one, other)


def smaller_of(one: Any, other: Any) -> ColumnElement[Any]:
    """The smaller of two values of one row, neither of them null."""
    return _Smaller(one, other)


def elements(array: ColumnElement[Any]) -> ColumnElement[Any]:
    """The column of the values of a JSON array of texts."""
    return _Each(array).table_valued(column("value")).c.value


class _Ids(TypeDecorator[Iterable[int]]):
    """Ids of rows, passed as one parameter."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Iterable[Any] | None, dialect: Dialect) -> str:
        """Write a JSON array."""
        return json.dumps(list(value or ()))


def among(tested: ColumnElement[Any], parameter: str) -> ColumnElement[bool]:
    """The condition that a column's value is one of those in a parameter, of any length.

    One parameter instead of one for each value: SQLite allows 32,766 of them, and an erasure may
    name more rows than that.
    """
    value = elements(bindparam(parameter, type_=_Ids))
    return tested.in_(select(_Typed(value, type_=tested.type)))
