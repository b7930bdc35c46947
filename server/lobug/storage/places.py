"""Where Lo-Bug keeps things: in files, each a database, or in schemas of one PostgreSQL."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lobug.errors import StorageDriverError, StorageError
from lobug.settings.database import DatabaseSettings
from lobug.storage.database import Checkpoint, Database, no_checkpoint
from lobug.storage.people import ALL_PEOPLE, People
from lobug.storage.sqlite_database import DatabaseOptions, SqliteDatabase

if TYPE_CHECKING:
    from lobug.storage.postgres.lease import Lease

SMALL_SHARE = 2
"""Connections of each database but memory's: one that writes, one that reads."""


@dataclass(frozen=True, slots=True)
class DatabasePlace:
    """One place for all databases of a server."""

    url: str | None = field(default=None, repr=False)
    """``postgresql://...``; None: files."""
    connections: int = 10
    """The most that one server has open at once, of all its databases; at least 8."""
    patience_s: float = 5.0
    """How long a write waits for a lock of others; how long it may take to connect."""
    rewrite_bytes: int = 500_000_000
    """Largest table that a compaction rewrites."""
    lease: Lease | None = field(default=None, repr=False, compare=False)
    """What a server must hold to use a PostgreSQL; None: it needs none."""
    people: People = field(default=ALL_PEOPLE, repr=False, compare=False)
    """For whom the server acts."""

    @classmethod
    def of(cls, settings: DatabaseSettings) -> DatabasePlace:
        """The place that the settings name, for a program that works beside a server."""
        url = settings.url.get_secret_value()
        if not url:
            return FILES
        rewrite_bytes = settings.rewrite_mb * 1_000_000
        return cls(url, settings.connections, settings.patience_s, rewrite_bytes)

    @classmethod
    def for_server(cls, settings: DatabaseSettings) -> DatabasePlace:
        """The same for a server, which uses a PostgreSQL only while no other server does, or shares
        its people with others. Raises StorageDriverError where its driver is wanted and not
        installed."""
        found = cls.of(settings)
        if found.url is None:
            return found
        with needing_driver():
            from lobug.storage.postgres.address import PROGRAM, Address  # noqa: PLC0415 - as below
            from lobug.storage.postgres.lease import Lease, LeaseOptions  # noqa: PLC0415
            from lobug.storage.postgres.membership import Membership  # noqa: PLC0415
            from lobug.storage.postgres.shared_people import SharedPeople  # noqa: PLC0415
        options = LeaseOptions(f"{PROGRAM} {secrets.token_hex(8)}", settings.takeover_s)
        address = Address.of(found.url)
        if settings.servers == "one":
            return replace(found, lease=Lease(options, address, settings.patience_s))
        membership = Membership(options, address, settings.patience_s)
        people = SharedPeople(membership, address, settings.patience_s, settings.handover_s)
        return replace(found, lease=membership, people=people)

    @property
    def fault(self) -> StorageError | None:
        """Why this server may not use the place now; None: it may. No I/O."""
        return None if self.lease is None else self.lease.fault

    def database(
        self,
        name: str,
        file: DatabaseOptions,
        *,
        clock: Callable[[], float],
        checkpoint: Checkpoint = no_checkpoint,
    ) -> Database:
        """A database, not yet open: the file, or the schema ``lobug_<name>``. ``clock``: seconds
        since the epoch. Raises StorageDriverError where the driver of PostgreSQL is wanted and not
        installed.

        Each schema has connections of its own: the schema is part of a connection's state, which
        its prepared statements rely on, and a long search in memory keeps nobody from logging in.
        """
        if self.url is None:
            return SqliteDatabase(file, clock=clock, checkpoint=checkpoint)
        # Its driver is installed only where it is wanted.
        with needing_driver():
            from lobug.storage.postgres.database import (  # noqa: PLC0415
                PostgresDatabase,
                PostgresOptions,
            )
        from lobug.storage.postgres.schemas import STEPS  # noqa: PLC0415

        schema, memory = f"lobug_{name}", name == "memory"
        options = PostgresOptions(
            self.url,
            schema=schema,
            steps=STEPS[schema],
            vectors=memory,
            connections=self.connections - 3 * SMALL_SHARE if memory else SMALL_SHARE,
            patience_s=self.patience_s,
            rewrite_bytes=self.rewrite_bytes,
            lease=self.lease,
            news="" if memory or self.people.server is None else name,
        )
        return PostgresDatabase(options, clock=clock, checkpoint=checkpoint)


FILES = DatabasePlace()


@contextmanager
def needing_driver() -> Iterator[None]:
    """Turn a failed import inside into a sentence. Raises StorageDriverError."""
    try:
        yield
    except ImportError as error:
        raise StorageDriverError(
            f"LOBUG_DATABASE__URL names a PostgreSQL, but its driver cannot be loaded ({error}):"
            " pip install 'lobug[postgres]'"
        ) from error
