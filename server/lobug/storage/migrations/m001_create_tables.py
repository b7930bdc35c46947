"""Step 1: the tables; a database of the first Lo-Bug is taken over into them."""

from __future__ import annotations

from lobug.storage.driver import Connection, driver
from lobug.storage.migrations import first_design

TABLES = """
CREATE TABLE conversation_log (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user         TEXT NOT NULL,
    conversation TEXT NOT NULL,
    role         TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    content      TEXT NOT NULL,
    created_at   REAL NOT NULL,                  -- seconds since the epoch
    summarized   INTEGER NOT NULL DEFAULT 0 CHECK (summarized IN (0, 1)),
    reply_to     INTEGER REFERENCES conversation_log (id)
) STRICT;
CREATE INDEX conversation_log_by_owner ON conversation_log (user, conversation, id);
CREATE INDEX conversation_log_unsummarized ON conversation_log (user, id) WHERE summarized = 0;
CREATE UNIQUE INDEX conversation_log_one_reply ON conversation_log (reply_to)
    WHERE reply_to IS NOT NULL;

CREATE TABLE facts (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    user              TEXT NOT NULL,
    content           TEXT NOT NULL CHECK (trim(content) <> ''),
    fact_type         TEXT NOT NULL
                      CHECK (fact_type IN ('personal', 'preference', 'knowledge', 'event')),
    source            TEXT NOT NULL,             -- 'conversation' or 'import'
    source_message_id INTEGER REFERENCES conversation_log (id),
    created_at        REAL NOT NULL,             -- when it was said, seconds since the epoch
    compared          INTEGER NOT NULL DEFAULT 0 CHECK (compared IN (0, 1)),
    replaced_by       INTEGER REFERENCES facts (id),
    replaced_at       REAL
) STRICT;
CREATE INDEX facts_live ON facts (user, id) WHERE replaced_by IS NULL;
CREATE INDEX facts_replaced ON facts (replaced_by) WHERE replaced_by IS NOT NULL;
CREATE UNIQUE INDEX facts_once ON facts (source_message_id, content)
    WHERE source_message_id IS NOT NULL;

CREATE VIRTUAL TABLE facts_text USING fts5 (
    content, content = 'facts', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER facts_text_insert AFTER INSERT ON facts BEGIN
    INSERT INTO facts_text (rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER facts_text_delete AFTER DELETE ON facts BEGIN
    INSERT INTO facts_text (facts_text, rowid, content) VALUES ('delete', old.id, old.content);
END;
CREATE TRIGGER facts_text_update AFTER UPDATE OF content ON facts BEGIN
    INSERT INTO facts_text (facts_text, rowid, content) VALUES ('delete', old.id, old.content);
    INSERT INTO facts_text (rowid, content) VALUES (new.id, new.content);
END;

CREATE TABLE vector_indexes (                    -- one for each embedding model in use
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL UNIQUE,             -- the vec0 table
    model_id   TEXT NOT NULL,
    dimension  INTEGER NOT NULL CHECK (dimension > 0),
    current    INTEGER NOT NULL CHECK (current IN (0, 1)),
    created_at REAL NOT NULL,
    UNIQUE (model_id, dimension)
) STRICT;
CREATE UNIQUE INDEX vector_indexes_one_current ON vector_indexes (current) WHERE current = 1;
CREATE TABLE fact_vectors (                      -- which facts an index has seen
    index_id INTEGER NOT NULL REFERENCES vector_indexes (id) ON DELETE CASCADE,
    fact_id  INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    usable   INTEGER NOT NULL CHECK (usable IN (0, 1)),  -- 0: no direction; found by text only
    PRIMARY KEY (index_id, fact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_vectors_by_fact ON fact_vectors (fact_id);

CREATE TABLE memory_summaries (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    user           TEXT NOT NULL,
    conversation   TEXT NOT NULL,
    content        TEXT NOT NULL,
    source_from_id INTEGER NOT NULL,             -- first and last message, in conversation_log,
    source_to_id   INTEGER NOT NULL,             -- of this user and this conversation
    created_at     REAL NOT NULL,
    incorporated   INTEGER NOT NULL DEFAULT 0 CHECK (incorporated IN (0, 1))
) STRICT;
CREATE INDEX memory_summaries_unincorporated ON memory_summaries (user, id)
    WHERE incorporated = 0;

CREATE TABLE memory_base (
    user       TEXT PRIMARY KEY,
    content    TEXT NOT NULL DEFAULT '',
    updated_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE background_tasks (                  -- what is still to be done; done is deleted
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    kind            TEXT NOT NULL CHECK (kind IN ('extract', 'summarize', 'distill')),
    user            TEXT NOT NULL,
    message_id      INTEGER REFERENCES conversation_log (id),  -- extract: the user's words
    up_to_id        INTEGER,                     -- cascades: last message or summary to take in
    state           TEXT NOT NULL CHECK (state IN ('waiting', 'pending', 'parked')),
    attempts        INTEGER NOT NULL DEFAULT 0,  -- failed ones
    next_attempt_at REAL NOT NULL,
    last_error      TEXT,
    created_at      REAL NOT NULL
) STRICT;
CREATE UNIQUE INDEX background_tasks_extract_once ON background_tasks (message_id)
    WHERE kind = 'extract';
CREATE UNIQUE INDEX background_tasks_cascade_once ON background_tasks (kind, user)
    WHERE kind <> 'extract';
CREATE INDEX background_tasks_due ON background_tasks (state, next_attempt_at);
"""


def statements(script: str) -> list[str]:
    """The statements of a script, one by one.

    ``executescript`` would commit the migration's transaction first. A trigger's body holds
    semicolons, so a statement ends only where SQLite's own rule says that it is complete.
    """
    complete = driver().complete_statement
    found: list[str] = []
    part = ""
    for line in script.splitlines(keepends=True):
        part += line
        if part.strip() and complete(part):
            found.append(part.strip())
            part = ""
    return found


def m001_create_tables(connection: Connection, legacy_user: str) -> None:
    """Create every table; bring in what a database of the first Lo-Bug holds."""
    legacy = first_design.found(connection)
    if legacy:
        first_design.set_aside(connection)
    for statement in statements(TABLES):
        connection.execute(statement)
    if legacy:
        first_design.bring_in(connection, legacy_user)
