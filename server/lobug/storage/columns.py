"""Types of columns and how their values travel between Python and a database; short forms to
declare columns and indexes.

A table is declared once, for SQLite and for PostgreSQL.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import (
    REAL,
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Table,
    text,
)
from sqlalchemy import (
    Integer as AnyInteger,
)
from sqlalchemy import (
    Text as AnyText,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

Text: TypeEngine[str] = AnyText().with_variant(AnyText(collation="C"), "postgresql")
"""A text; sorted by its code points in both databases."""

Integer: TypeEngine[int] = AnyInteger().with_variant(BigInteger(), "postgresql")
"""A whole number of 64 bits."""

Number: TypeEngine[float] = Double().with_variant(REAL(), "sqlite")
"""A floating-point number of 64 bits: all times (seconds since the epoch), scores and shares."""


class Flag(TypeDecorator[bool]):
    """A truth value, stored as 0 or 1."""

    impl = AnyInteger
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> int | None:
        """Write 0 or 1."""
        return None if value is None else int(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> bool | None:
        """Read 0 and 1."""
        return None if value is None else bool(value)


class TextList(TypeDecorator[tuple[str, ...]]):
    """Several texts, stored as a JSON array."""

    impl = AnyText
    cache_ok = True

    def process_bind_param(self, value: Iterable[str] | None, dialect: Dialect) -> str | None:
        """Write a JSON array."""
        return None if value is None else json.dumps(list(value), ensure_ascii=False)

    def process_result_value(self, value: Any, dialect: Dialect) -> tuple[str, ...] | None:
        """Read a JSON array."""
        return None if value is None else tuple(json.loads(value))


STRICT: dict[str, Any] = {"sqlite_strict": True}
NUMBERED: dict[str, Any] = {**STRICT, "sqlite_autoincrement": True}
"""An id is never given twice, even after its row is gone."""
KEYED: dict[str, Any] = {**STRICT, "sqlite_with_rowid": False}
"""A table that is stored in the order of its primary key."""


def row_id() -> Column[int]:
    """The primary key "id"."""
    return Column("id", Integer, primary_key=True, nullable=True)


def flag(name: str, comment: str, *, default: int | None = 0) -> Column[bool]:
    """A truth value; ``default`` None: a row must have it."""
    return Column(
        name,
        Flag,
        CheckConstraint(f"{name} IN (0, 1)"),
        nullable=False,
        server_default=None if default is None else text(str(default)),
        comment=comment,
    )


def one_of(name: str, values: str, comment: str, *, default: str | None = None) -> Column[str]:
    """A text that is one of a few words."""
    listed = ", ".join(f"'{value}'" for value in values.split())
    return Column(
        name,
        Text,
        CheckConstraint(f"{name} IN ({listed})"),
        nullable=False,
        server_default=None if default is None else text(f"'{default}'"),
        comment=comment,
    )


def link(
    name: str, target: str, comment: str | None = None, *, ondelete: str | None = None
) -> Column[int]:
    """The id of another row; null: none."""
    return Column(name, Integer, ForeignKey(target, ondelete=ondelete), comment=comment)


def count(name: str, comment: str) -> Column[int]:
    """A whole number, at first 0."""
    return Column(name, Integer, nullable=False, server_default=text("0"), comment=comment)


def words(name: str, comment: str) -> Column[str]:
    """A text, at first empty."""
    return Column(name, Text, nullable=False, server_default=text("''"), comment=comment)


def required(name: str, kind: Any, comment: str = "") -> Column[Any]:
    """A column that is never null."""
    return Column(name, kind, nullable=False, comment=comment or None)


def of_rows(where: str | None) -> dict[str, Any]:
    """The options of an index over those rows alone for which ``where`` holds. Only SQLite's: an
    option of PostgreSQL's would load its dialect."""
    return {} if where is None else {"sqlite_where": text(where)}


def add_index(
    name: str,
    table: Table,
    columns: str,
    *,
    where: str | None = None,
    unique: bool = False,
    beside: str = "",
    long: str = "",
) -> None:
    """An index over columns; ``where``: over some of the rows only. ``beside``: columns that
    PostgreSQL keeps in it, too; they are the row's id, which an index of SQLite has anyway.
    ``long``: columns in place of which PostgreSQL's has digests, since it takes no long texts."""
    Index(
        name,
        *(table.c[column] for column in columns.split()),
        unique=unique,
        info={"beside": beside.split(), "long": long.split()},
        **of_rows(where),
    )
