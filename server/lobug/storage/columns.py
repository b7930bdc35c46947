"""Types of columns, and how their values travel between Python and SQLite."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import REAL, Boolean, Double, Integer, Text, bindparam, column, func, select
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import TypeDecorator, TypeEngine

Number: TypeEngine[float] = Double().with_variant(REAL(), "sqlite")
"""A floating-point number of 64 bits: all times (seconds since the epoch), scores and shares."""


class Flag(TypeDecorator[bool]):
    """A truth value; SQLite stores 0 or 1."""

    impl = Boolean
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """An integer where the tables are STRICT, which have no truth values."""
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else Boolean())

    def process_result_value(self, value: Any, dialect: Dialect) -> bool | None:
        """Read 0 and 1."""
        return None if value is None else bool(value)


class TextList(TypeDecorator[tuple[str, ...]]):
    """Several texts, stored as a JSON array."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Iterable[str] | None, dialect: Dialect) -> str | None:
        """Write a JSON array."""
        return None if value is None else json.dumps(list(value), ensure_ascii=False)

    def process_result_value(self, value: Any, dialect: Dialect) -> tuple[str, ...] | None:
        """Read a JSON array."""
        return None if value is None else tuple(json.loads(value))


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
    values = func.json_each(bindparam(parameter, type_=_Ids)).table_valued(column("value"))
    return tested.in_(select(values.c.value))
