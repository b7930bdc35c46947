"""Step 5: what entries claim, and what was forgotten.

The claims of entries that are there already are read in the background: a step knows no language.
"""

from __future__ import annotations

from lobug.storage.driver import Connection
from lobug.storage.migrations.m002_create_tables import statements

TABLES = """
CREATE TABLE claims (
    memory_id  INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    place      INTEGER NOT NULL,
    user       TEXT NOT NULL,
    subject    TEXT NOT NULL,                    -- 'user/sister'
    relation   TEXT NOT NULL,
    kind       TEXT NOT NULL DEFAULT '',
    value      TEXT NOT NULL DEFAULT '',
    holds      INTEGER NOT NULL DEFAULT 1 CHECK (holds IN (0, 1)),
    reader     TEXT NOT NULL CHECK (reader IN ('rules', 'model', 'owner')),
    confidence REAL NOT NULL,
    ended_by   INTEGER,                          -- the message that ended it or put it right
    PRIMARY KEY (memory_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_subject ON claims (user, subject, relation);
CREATE INDEX claims_by_relation ON claims (user, relation);
CREATE INDEX claims_by_end ON claims (ended_by) WHERE ended_by IS NOT NULL;

CREATE TABLE claim_backlog (                     -- entries whose claims are still to be read
    memory_id INTEGER NOT NULL PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO claim_backlog (memory_id)
    SELECT id FROM memories WHERE status <> 'inactive' AND category = 'knowledge';

CREATE TABLE tombstones (                        -- so that older words bring nothing back
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user         TEXT NOT NULL,
    salt         TEXT NOT NULL,
    digest       TEXT NOT NULL,
    forgotten_at REAL NOT NULL
) STRICT;
CREATE INDEX tombstones_by_user ON tombstones (user, forgotten_at);
"""


def m005_claims(connection: Connection, _legacy_user: str) -> None:
    """Create the tables and note every entry that holds or held as not yet read."""
    for statement in statements(TABLES):
        connection.execute(statement)
