"""Runs SQLAlchemy Core statements on the driver's own connections; reads rows by name.

A statement is built once, as a constant of its module, with ``bindparam`` for whatever differs
between calls; it is compiled the first time it runs. From then on a run costs little more than the
driver does (docs/decisions/sqlalchemy-core.md). Hand-written SQL goes the same way.
"""

from __future__ import annotations

import json
import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
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
    column,
    func,
    insert,
    select,
)
from sqlalchemy.dialects.sqlite import Insert as SqliteInsert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler, SQLiteDialect
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import visitors
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.selectable import CompoundSelect
from sqlalchemy.types import TypeDecorator, TypeEngine

from lobug.storage.driver import Connection

Statement = Select[*tuple[Any, ...]] | CompoundSelect[Any] | Insert | Update | Delete

Row = Any
"""A named tuple: ``row.id``, ``row._asdict()``."""

T = TypeVar("T")

PLAIN_WORD = re.compile(r"[a-z_:]*")


class _Compiler(SQLiteCompiler):
    """Writes a statement's own constants into its text.

    SQLite uses a partial index only where the query holds the constant of its condition:
    ``status = 'active'``, not ``status = ?``.
    """

    def visit_bindparam(  # type: ignore[override]
        self, bindparam: BindParameter[Any], *, literal_binds: bool = False, **kwargs: Any
    ) -> Any:
        constant = not bindparam.required and _is_plain(bindparam.value)
        return super().visit_bindparam(  # type: ignore[no-untyped-call]
            bindparam, literal_binds=literal_binds or constant, **kwargs
        )

    def get_from_hint_text(self, _table: Any, text: str | None) -> str | None:
        """Write ``Select.with_hint`` behind the table: ``INDEXED BY`` and an index."""
        return text


def _is_plain(value: Any) -> bool:
    """Whether a value can stand in SQL as it is: a number, or a word of small letters."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(_is_plain, value))
    if isinstance(value, str):
        return PLAIN_WORD.fullmatch(value) is not None
    return value is None or isinstance(value, int)


class _Dialect(SQLiteDialect):
    supports_statement_cache = True
    statement_compiler = _Compiler


_DIALECT = _Dialect(paramstyle="named")


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
        return list(self)

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
        return [row[0] for row in self]

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

    def __init__(self, statement: Statement, names: Sequence[str]) -> None:
        compiled = statement.compile(dialect=_DIALECT, column_keys=_columns(statement, names))
        self.sql = str(compiled)
        self._constants = {
            name: value for name, value in compiled.params.items() if value is not None
        }
        self._encoders = {
            bound.key: encode
            for bound in compiled.bind_names
            if (encode := _implementation(bound.type).bind_processor(_DIALECT)) is not None
        }
        columns = statement.exported_columns
        self.make = _maker(
            tuple(map(str, columns.keys())),
            tuple(_implementation(one.type).result_processor(_DIALECT, None) for one in columns),
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


def run(connection: Connection, statement: Statement | str, /, **values: Any) -> Result:
    """Run a statement, or hand-written SQL with named parameters. Raises the driver's errors."""
    if isinstance(statement, str):
        return Result(connection.execute(statement, values), None)
    prepared = _prepared(statement, values)
    return Result(connection.execute(prepared.sql, prepared.bound(values)), prepared.make)


def run_many(
    connection: Connection, statement: Statement, values: Iterable[Mapping[str, Any]]
) -> None:
    """Run a statement that returns nothing once for each set of values; all have the same names.
    Raises the driver's errors."""
    every = list(values)
    if every:
        prepared = _prepared(statement, every[0])
        connection.executemany(prepared.sql, [prepared.bound(one) for one in every])


def sql_of(statement: Statement, *names: str) -> str:
    """The text that SQLite gets for a statement, for measurements and tests."""
    return _prepared(statement, dict.fromkeys(names)).sql


_KNOWN: WeakKeyDictionary[Statement, dict[tuple[str, ...], _Prepared]] = WeakKeyDictionary()
"""Compiled statements, by the names of their values: an INSERT has the columns that are given."""


def _prepared(statement: Statement, values: Mapping[str, Any]) -> _Prepared:
    names = tuple(values)
    known = _KNOWN.get(statement)
    if known is None:
        known = _KNOWN[statement] = {}
    prepared = known.get(names)
    if prepared is None:
        prepared = known[names] = _Prepared(statement, names)
    return prepared


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


def _implementation(kind: TypeEngine[Any]) -> TypeEngine[Any]:
    return kind.dialect_impl(_DIALECT)


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


# What standard SQL lacks, as SQLite has it.


def insert_once(table: Table) -> SqliteInsert:
    """An INSERT that does nothing where a row has the same key already."""
    return sqlite_insert(table).on_conflict_do_nothing()


def insert_or_replace(table: Table) -> Insert:
    """An INSERT that deletes the row that has the same key."""
    return insert(table).prefix_with("OR REPLACE")


def insert_or_add(table: Table, key: str, number: str) -> SqliteInsert:
    """An INSERT that adds its ``number`` to that of the row that has the same ``key``."""
    statement = sqlite_insert(table)
    return statement.on_conflict_do_update(
        index_elements=[table.c[key]],
        set_={number: table.c[number] + statement.excluded[number]},
    )


def holds(text: ColumnElement[Any], parameter: str) -> ColumnElement[bool]:
    """The condition that a text has another one in it, in the same case."""
    return func.instr(text, bindparam(parameter)) > 0


def larger_of(one: Any, other: Any) -> ColumnElement[Any]:
    """The larger of two values of one row."""
    return func.max(one, other)


def smaller_of(one: Any, other: Any) -> ColumnElement[Any]:
    """The smaller of two values of one row."""
    return func.min(one, other)


def elements(array: ColumnElement[Any]) -> ColumnElement[Any]:
    """The column of the values of a JSON array."""
    return func.json_each(array).table_valued(column("value")).c.value


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
    return tested.in_(select(elements(bindparam(parameter, type_=_Ids))))
