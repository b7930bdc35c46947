"""The numbered steps that bring ``access.db`` to its present schema; see the memory's."""

from __future__ import annotations

from lobug.memory.storage.driver import Connection
from lobug.memory.storage.migrations import Step


def m001_create_tables(connection: Connection, _legacy_user: str) -> None:
    """Devices, those that wait, API tokens. Of a token only the SHA-256 is here."""
    for statement in (
        """
        CREATE TABLE devices (
          device_id TEXT PRIMARY KEY,
          client_id TEXT NOT NULL,
          name TEXT NOT NULL,
          user TEXT,
          token_hash TEXT UNIQUE,
          created_at REAL NOT NULL,
          last_seen_at REAL,
          token_given_at REAL,
          token_used_at REAL,
          revoked_at REAL
        ) STRICT
        """,
        """
        CREATE TABLE pairings (
          device_id TEXT NOT NULL,
          client_id TEXT NOT NULL,
          code TEXT NOT NULL UNIQUE,
          challenge TEXT NOT NULL,
          description TEXT NOT NULL,
          address TEXT NOT NULL,
          created_at REAL NOT NULL,
          expires_at REAL NOT NULL,
          PRIMARY KEY (device_id, client_id)
        ) STRICT
        """,
        """
        CREATE TABLE api_tokens (
          token_id TEXT PRIMARY KEY,
          name TEXT NOT NULL,
          token_hash TEXT NOT NULL UNIQUE,
          user TEXT,
          conversation TEXT,
          owner INTEGER NOT NULL,
          created_at REAL NOT NULL,
          last_used_at REAL,
          revoked_at REAL
        ) STRICT
        """,
    ):
        connection.execute(statement)


def m002_add_scope(connection: Connection, _legacy_user: str) -> None:
    """An API token may be good for one purpose alone."""
    connection.execute("ALTER TABLE api_tokens ADD COLUMN scope TEXT")


STEPS: tuple[Step, ...] = (m001_create_tables, m002_add_scope)
"""Step n, counted from 1, turns a file of version n - 1 into one of version n."""
