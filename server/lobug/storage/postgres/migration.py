"""Brings a schema of a PostgreSQL to the form that this program wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import errors, sql

from lobug.errors import StorageError, StorageNewerError
from lobug.storage.connection import PostgresConnection
from lobug.storage.database import MOVE_TABLE, Checkpoint
from lobug.storage.postgres.connections import Raw
from lobug.storage.postgres.locks import EVERYBODY, lock_class
from lobug.storage.postgres.membership import Membership
from lobug.storage.postgres.schemas import Step
from lobug.storage.postgres.session import milliseconds

OLDEST = 170_000
"""PostgreSQL 17, as its ``server_version_num``."""

MIGRATION_PATIENCE_S = 60.0
"""How long a server waits for another one that migrates the schema, and for locks of its tables."""

TABLES = (
    "CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL, checked_at float8)",
    "CREATE TABLE IF NOT EXISTS written (server text PRIMARY KEY, writes bigint NOT NULL)",
)
"""Of every schema, whatever it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """``run`` on a connection that works on the schema."""

    schema: str
    steps: Sequence[Step]
    """The numbered migrations."""
    place: str
    """What people know the database by."""
    vectors: bool
    """Whether the steps need pgvector."""
    membership: Membership | None
    """That of this server, where several answer at once."""
    checkpoint: Checkpoint

    def run(self, raw: Raw) -> None:
        """Run the steps that the schema has not seen, each in one transaction with its number. Of
        several servers that start at once one does it; the others wait. Where there is nothing to
        do it waits for nobody. Raises StorageError where the server or its user lack something,
        else what psycopg raises."""
        _require_features(raw, self.place)
        steps = self.steps
        version = self._version(raw)
        if version == len(steps):
            return
        if version is not None and self.membership is not None:
            self.membership.require_same_program(raw)
        raw.execute(
            "SELECT set_config('lock_timeout', %s, false),"
            " set_config('statement_timeout', '0', false)",
            (milliseconds(MIGRATION_PATIENCE_S),),
        )
        while True:
            with raw.transaction():
                raw.execute(
                    "SELECT pg_advisory_xact_lock(%s, %s)", (lock_class(self.schema), EVERYBODY)
                )
                if self.vectors:
                    _require_vectors(raw, self.place)
                require_schema(raw, self.schema)
                for table in TABLES:
                    raw.execute(table)
                version = self._version(raw)
                if version == len(steps):
                    return
                done = version or 0
                steps[done](PostgresConnection(raw))
                self.checkpoint("migrate.before_commit")
                raw.execute(
                    "UPDATE schema_version SET version = %s"
                    if version is not None
                    else "INSERT INTO schema_version (version) VALUES (%s)",
                    (done + 1,),
                )
            self.checkpoint("migrate.after_commit")

    def _version(self, raw: Raw) -> int | None:
        """How many steps the schema has seen; None: none. Raises StorageNewerError."""
        schema, most = self.schema, len(self.steps)
        there = raw.execute(
            "SELECT to_regclass(format('%%I.schema_version', %s::text)) IS NOT NULL", (schema,)
        ).fetchone()
        if there != (True,):
            return None
        row = raw.execute("SELECT version FROM schema_version").fetchone()
        if row is not None and row[0] > most:
            raise StorageNewerError(
                f"{self.place} was written by a newer Lo-Bug (version {row[0]} of the"
                f" database, this program knows {most}). Update Lo-Bug, or use"
                " another database."
            )
        return None if row is None else int(row[0])


def unfinished_move(raw: Raw, schema: str) -> str | None:
    """What is noted of a move to a schema that is not whole yet (``MOVE_TABLE``); None: there is
    none, or it was finished."""
    there = raw.execute(
        "SELECT to_regclass(format('%%I.%%I', %s::text, %s::text)) IS NOT NULL",
        (schema, MOVE_TABLE),
    ).fetchone()
    if there != (True,):
        return None
    row = raw.execute(
        sql.SQL("SELECT position FROM {} WHERE part = '' AND done = 0").format(
            sql.Identifier(schema, MOVE_TABLE)
        )
    ).fetchone()
    return None if row is None else str(row[0])


def _require_features(raw: Raw, place: str) -> None:
    """Raises StorageError where the server lacks something that the schema needs."""
    if raw.info.server_version < OLDEST:
        raise StorageError(
            f"{place} is PostgreSQL {raw.info.server_version // 10_000}; Lo-Bug needs"
            f" {OLDEST // 10_000} or newer"
        )
    if not knows_letters(raw):
        raise StorageError(
            f"{place}: its locale treats only A to Z as letters; use C.UTF-8 (CREATE DATABASE ..."
            " ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8')"
        )


def knows_letters(raw: Raw) -> bool:
    """Whether the database stores UTF-8 and knows capital letters beyond A to Z."""
    row = raw.execute("SELECT current_setting('server_encoding'), lower('\u00c4')").fetchone()
    return row == ("UTF8", "\u00e4")


def require_schema(raw: Raw, name: str) -> None:
    """Make a schema where it is not there yet: only that needs the right to make one."""
    if not raw.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (name,)).fetchone():
        raw.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))


def _require_vectors(raw: Raw, place: str) -> None:
    """Add pgvector where it is not there yet. Raises StorageError."""
    if raw.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
        return
    try:
        raw.execute("CREATE EXTENSION vector SCHEMA public")
    except (
        errors.UndefinedFile,
        errors.FeatureNotSupported,
        errors.InsufficientPrivilege,
    ) as error:
        raise StorageError(
            f"{place} has no pgvector, or its user may not add it: CREATE EXTENSION vector"
        ) from error
