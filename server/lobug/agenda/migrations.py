"""The migrations of ``agenda.db``; released ones are never edited."""

from __future__ import annotations

from lobug.storage.driver import Connection
from lobug.storage.migrations import Step
from lobug.storage.migrations.m002_create_tables import statements

TABLES = """
CREATE TABLE alerts (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user         TEXT NOT NULL,
    conversation TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('timer', 'alarm', 'reminder')),
    label        TEXT NOT NULL DEFAULT '',
    due_at       REAL NOT NULL,
    span_s       REAL,
    rule         TEXT,
    starts       TEXT,
    zone         TEXT NOT NULL,
    state        TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'ringing', 'over')),
    rang_at      REAL,
    missed       INTEGER NOT NULL DEFAULT 0 CHECK (missed IN (0, 1)),
    created_at   REAL NOT NULL,
    silenced_at  REAL
) STRICT;
CREATE INDEX alerts_by_user ON alerts (user, state, due_at);
CREATE INDEX alerts_due ON alerts (due_at) WHERE state = 'pending';

CREATE TABLE waiting_speech (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user         TEXT NOT NULL,
    conversation TEXT,
    content      TEXT NOT NULL,
    created_at   REAL NOT NULL,
    expires_at   REAL,
    alert_id     INTEGER REFERENCES alerts (id) ON DELETE CASCADE,
    said_at      REAL
) STRICT;
CREATE INDEX waiting_speech_by_user ON waiting_speech (user, id);

CREATE TABLE lists (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user       TEXT NOT NULL,
    name       TEXT NOT NULL,
    key        TEXT NOT NULL,
    created_at REAL NOT NULL
) STRICT;
CREATE UNIQUE INDEX lists_by_key ON lists (user, key);

CREATE TABLE list_items (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    list_id    INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
    content    TEXT NOT NULL,
    done       INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
    position   INTEGER NOT NULL DEFAULT 0,
    created_at REAL NOT NULL
) STRICT;
CREATE INDEX list_items_by_list ON list_items (list_id, position);

CREATE TABLE notes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user       TEXT NOT NULL,
    content    TEXT NOT NULL,
    created_at REAL NOT NULL
) STRICT;
CREATE INDEX notes_by_user ON notes (user, id);
"""


def m001_create_tables(connection: Connection, _legacy_user: str) -> None:
    """Alerts, waiting speech, lists, notes."""
    for statement in statements(TABLES):
        connection.execute(statement)


SPEECH_SPEEDS = """
CREATE TABLE speech_speeds (
    user  TEXT NOT NULL PRIMARY KEY,
    speed REAL NOT NULL
) STRICT, WITHOUT ROWID;
"""


def m002_add_speech_speeds(connection: Connection, _legacy_user: str) -> None:
    """How fast Lo-Bug speaks to each person."""
    for statement in statements(SPEECH_SPEEDS):
        connection.execute(statement)


STEPS: tuple[Step, ...] = (m001_create_tables, m002_add_speech_speeds)
"""Step n, counted from 1, turns a file of version n - 1 into one of version n."""
