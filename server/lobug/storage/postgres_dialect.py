"""How statements are written for PostgreSQL. SQLAlchemy has no types for its dialects."""

from __future__ import annotations

from typing import Any

from sqlalchemy import types
from sqlalchemy.dialects.postgresql.psycopg import PGCompiler_psycopg, PGDialect_psycopg
from sqlalchemy.engine import Dialect

from lobug.storage.compilers import ConstantsInText


class _PostgresCompiler(ConstantsInText, PGCompiler_psycopg):
    def get_from_hint_text(self, _table: Any, _text: str | None) -> str | None:
        """PostgreSQL chooses an index itself."""
        return None

    def render_bind_cast(self, type_: Any, dbapi_type: Any, sqltext: str) -> str:
        """Write the type of a parameter; every number has 64 bits."""
        if isinstance(dbapi_type, types.Integer):
            return f"{sqltext}::BIGINT"
        if isinstance(dbapi_type, types.Float):
            return f"{sqltext}::FLOAT8"
        return str(super().render_bind_cast(type_, dbapi_type, sqltext))  # type: ignore[no-untyped-call]

    def _on_conflict_target(self, clause: Any, **kwargs: Any) -> Any:
        """The columns of ``ON CONFLICT``: statements name them as for SQLite, never a constraint,
        which SQLite's clauses do not even have."""
        clause.constraint_target = None
        return super()._on_conflict_target(clause, **kwargs)  # type: ignore[no-untyped-call]


class _Double(types.Float[Any]):
    render_bind_cast = True  # a parameter that is only compared with NULL has no type otherwise


class _PostgresDialect(PGDialect_psycopg):
    supports_statement_cache = True
    statement_compiler = _PostgresCompiler
    supports_native_boolean = False  # flags are 0 and 1, as in SQLite
    colspecs = {**PGDialect_psycopg.colspecs, types.Float: _Double}  # noqa: RUF012 - declared by the base


POSTGRES: Dialect = _PostgresDialect()  # type: ignore[no-untyped-call]
