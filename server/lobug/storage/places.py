"""Where Lo-Bug keeps things: in files, each a database, or in schemas of one PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import MetaData

from lobug.storage.database import Checkpoint, Database, no_checkpoint
from lobug.storage.sqlite_database import DatabaseOptions, SqliteDatabase


@dataclass(frozen=True, slots=True)
class DatabasePlace:
    """One place for all databases of a server."""

    url: str | None = None
    """``postgresql://...``; None: files."""
    connections: int = 8
    """The most that one server has open at once to each database."""
    patience_s: float = 5.0
    """How long a write waits for others, or for a connection."""

    def database(
        self,
        name: str,
        file: DatabaseOptions,
        tables: MetaData | None,
        *,
        clock: Callable[[], float],
        checkpoint: Checkpoint = no_checkpoint,
    ) -> Database:
        """A database, not yet open: the file, or the schema ``lobug_<name>`` with ``tables`` (None:
        those of memory). ``clock``: seconds since the epoch."""
        if self.url is None:
            return SqliteDatabase(file, clock=clock, checkpoint=checkpoint)
        # Its driver is installed only where it is wanted.
        from lobug.storage.postgres.database import (  # noqa: PLC0415
            PostgresDatabase,
            PostgresOptions,
        )
        from lobug.storage.postgres.memory_schema import MEMORY_STEPS  # noqa: PLC0415
        from lobug.storage.postgres.tables import declared  # noqa: PLC0415

        options = PostgresOptions(
            self.url,
            schema=f"lobug_{name}",
            steps=MEMORY_STEPS if tables is None else declared(tables),
            connections=self.connections,
            patience_s=self.patience_s,
        )
        return PostgresDatabase(options, clock=clock, checkpoint=checkpoint)


FILES = DatabasePlace()
