"""Step 2: the tables; a database of the first Lo-Bug is taken over into them.

Step 1 does nothing. It made other tables, which no release has used; the number stays, because
files have later ones.

The first Lo-Bug had one user, no version, and facts only in a vec0 table. Its vectors are not kept:
nothing in the file says which model made them. The facts are embedded again in the background and
are found by their text until then.
"""

from __future__ import annotations

import re

from lobug.errors import StorageError
from lobug.storage.driver import Connection, driver

TABLES = """
CREATE TABLE conversation_log (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user         TEXT NOT NULL,
    conversation TEXT NOT NULL,
    role         TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    content      TEXT NOT NULL,
    created_at   REAL NOT NULL,                  -- seconds since the epoch
    summarized   INTEGER NOT NULL DEFAULT 0 CHECK (summarized IN (0, 1)),
    reply_to     INTEGER REFERENCES conversation_log (id),
    session_id   INTEGER REFERENCES sessions (id),
    speaker      TEXT,                           -- who said it, where several people talk
    forgotten    INTEGER NOT NULL DEFAULT 0 CHECK (forgotten IN (0, 1)),  -- its words were erased
    meant        INTEGER NOT NULL DEFAULT 1
                 CHECK (meant IN (0, 1))         -- 0: not said to Lo-Bug; never summed up
) STRICT;
CREATE INDEX conversation_log_by_owner ON conversation_log (user, conversation, id);
CREATE INDEX conversation_log_unsummarized ON conversation_log (user, id) WHERE summarized = 0;
CREATE UNIQUE INDEX conversation_log_one_reply ON conversation_log (reply_to)
    WHERE reply_to IS NOT NULL;
CREATE INDEX conversation_log_by_session ON conversation_log (session_id, id);
CREATE INDEX conversation_log_unsummarized_here ON conversation_log (user, conversation, id)
    WHERE summarized = 0;

CREATE TABLE sessions (
    id                   INTEGER PRIMARY KEY AUTOINCREMENT,
    user                 TEXT NOT NULL,
    conversation         TEXT NOT NULL,
    channel              TEXT NOT NULL,          -- 'device', 'token', 'address', 'import' ...
    external_id          TEXT,                   -- its name where it was imported from
    started_at           REAL NOT NULL,
    last_active_at       REAL NOT NULL,
    ended_at             REAL,
    last_consolidated_at REAL,                   -- time of the last message that an entry sums up
    failures             INTEGER NOT NULL DEFAULT 0,  -- consolidations that failed in a row
    summary              TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX sessions_by_conversation ON sessions (user, conversation, id);
CREATE UNIQUE INDEX sessions_by_external_id ON sessions (user, external_id)
    WHERE external_id IS NOT NULL;

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

CREATE TABLE projects (
    user        TEXT NOT NULL,
    name        TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    status      TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
    created_at  REAL NOT NULL,
    PRIMARY KEY (user, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE project_tasks (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user         TEXT NOT NULL,
    project      TEXT,
    title        TEXT NOT NULL CHECK (trim(title) <> ''),
    status       TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'done')),
    state        TEXT NOT NULL DEFAULT '',
    created_at   REAL NOT NULL,
    completed_at REAL,
    archived_as  INTEGER REFERENCES memories (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX project_tasks_by_user ON project_tasks (user, id);

CREATE TABLE memories (                          -- one version of an entry
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    user              TEXT NOT NULL,             -- 'household:' for the scope household
    scope             TEXT NOT NULL DEFAULT 'user'
                      CHECK (scope IN ('conversation', 'user', 'household')),
    conversation      TEXT,
    session_id        INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    told_by           TEXT NOT NULL,             -- the user who said or wrote it
    layer             TEXT NOT NULL CHECK (layer IN ('identity', 'knowledge', 'archive')),
    category          TEXT NOT NULL CHECK (category IN ('knowledge', 'timeline')),
    key               TEXT NOT NULL,
    content           TEXT NOT NULL CHECK (trim(content) <> ''),
    fact_type         TEXT NOT NULL DEFAULT 'knowledge'
                      CHECK (fact_type IN ('personal', 'preference', 'knowledge', 'event')),
    section           TEXT,
    importance        REAL NOT NULL DEFAULT 0.5 CHECK (importance BETWEEN 0 AND 1),
    source            TEXT NOT NULL
                      CHECK (source IN ('correction', 'user', 'agent', 'system', 'import')),
    status            TEXT NOT NULL DEFAULT 'active'
                      CHECK (status IN ('active', 'past', 'inactive')),
    reason            TEXT CHECK (reason IN ('superseded', 'duplicate', 'corrected', 'edited',
                                             'removed', 'evicted', 'expired')),
    tags              TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    project           TEXT,
    task_id           INTEGER REFERENCES project_tasks (id) ON DELETE SET NULL,
    source_message_id INTEGER REFERENCES conversation_log (id),
    from_message_id   INTEGER,                   -- timeline: first and last message, in
    to_message_id     INTEGER,                   -- conversation_log, of one conversation
    incorporated      INTEGER NOT NULL DEFAULT 0 CHECK (incorporated IN (0, 1)),
    said_at           REAL NOT NULL,             -- seconds since the epoch, as all times
    created_at        REAL NOT NULL,             -- of its first version
    updated_at        REAL NOT NULL,             -- of this version
    valid_from        REAL NOT NULL,             -- in the world
    valid_until       REAL,
    expired_at        REAL,                      -- when Lo-Bug ceased to believe it
    replaced_by       INTEGER REFERENCES memories (id) ON DELETE SET NULL,
    compared          INTEGER NOT NULL DEFAULT 0 CHECK (compared IN (0, 1)),
    recall_count      INTEGER NOT NULL DEFAULT 0,
    last_recalled_at  REAL,
    CHECK ((status = 'active') = (reason IS NULL)),
    CHECK ((scope = 'household') = (user = 'household:')),
    CHECK (scope <> 'conversation' OR conversation IS NOT NULL)
) STRICT;
CREATE INDEX memories_by_user ON memories (user, status, layer, id);
CREATE INDEX memories_by_time ON memories (user, said_at);
CREATE INDEX memories_replaced ON memories (replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX memories_by_message ON memories (source_message_id)
    WHERE source_message_id IS NOT NULL;
CREATE INDEX memories_by_session ON memories (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX memories_by_task ON memories (task_id) WHERE task_id IS NOT NULL;
CREATE UNIQUE INDEX memories_key ON memories
    (user, iif(scope = 'conversation', conversation, ''), key) WHERE status = 'active';
CREATE UNIQUE INDEX memories_once ON memories (source_message_id, content)
    WHERE source_message_id IS NOT NULL AND source = 'system' AND layer = 'knowledge'
    AND status = 'active';
CREATE INDEX memories_unincorporated ON memories (user, id)
    WHERE category = 'timeline' AND incorporated = 0 AND status = 'active';

CREATE TABLE memory_sources (                    -- what an entry was distilled from
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    source_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, source_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_sources_by_source ON memory_sources (source_id);

CREATE VIRTUAL TABLE memories_text USING fts5 (
    key, content, tags, content = 'memories', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memories_text (memories_text, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER memories_text_insert AFTER INSERT ON memories BEGIN
    INSERT INTO memories_text (rowid, key, content, tags)
    VALUES (new.id, new.key, new.content, new.tags);
END;
CREATE TRIGGER memories_text_delete AFTER DELETE ON memories BEGIN
    INSERT INTO memories_text (memories_text, rowid, key, content, tags)
    VALUES ('delete', old.id, old.key, old.content, old.tags);
END;
CREATE TRIGGER memories_text_update AFTER UPDATE OF key, content, tags ON memories BEGIN
    INSERT INTO memories_text (memories_text, rowid, key, content, tags)
    VALUES ('delete', old.id, old.key, old.content, old.tags);
    INSERT INTO memories_text (rowid, key, content, tags)
    VALUES (new.id, new.key, new.content, new.tags);
END;

CREATE TABLE recalls (                           -- the retrieval log: one search for a turn
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    user            TEXT NOT NULL,
    conversation    TEXT NOT NULL,
    message_id      INTEGER REFERENCES conversation_log (id) ON DELETE CASCADE,
    query           TEXT,                        -- null: the words of the message
    created_at      REAL NOT NULL,
    took_ms         REAL NOT NULL
) STRICT;
CREATE INDEX recalls_by_user ON recalls (user, conversation, id);
CREATE INDEX recalls_by_message ON recalls (message_id) WHERE message_id IS NOT NULL;
CREATE TABLE recall_hits (
    recall_id  INTEGER NOT NULL REFERENCES recalls (id) ON DELETE CASCADE,
    rank       INTEGER NOT NULL,                 -- 1: best
    memory_id  INTEGER REFERENCES memories (id) ON DELETE CASCADE,
    message_id INTEGER REFERENCES conversation_log (id) ON DELETE CASCADE,
    score      REAL NOT NULL,
    confidence REAL NOT NULL,
    parts      TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(parts)),
    injected   INTEGER NOT NULL CHECK (injected IN (0, 1)),  -- went to the prompt
    PRIMARY KEY (recall_id, rank),
    CHECK ((memory_id IS NULL) <> (message_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX recall_hits_by_memory ON recall_hits (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX recall_hits_by_message ON recall_hits (message_id) WHERE message_id IS NOT NULL;

CREATE TABLE memory_vectors (                    -- which entries an index has seen
    index_id  INTEGER NOT NULL REFERENCES vector_indexes (id) ON DELETE CASCADE,
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    usable    INTEGER NOT NULL CHECK (usable IN (0, 1)),  -- 0: no direction; found by text only
    PRIMARY KEY (index_id, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_vectors_by_memory ON memory_vectors (memory_id);

CREATE TABLE background_tasks (                  -- what is still to be done; done is deleted
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    kind            TEXT NOT NULL CHECK (kind IN ('extract', 'summarize', 'distill', 'end_session',
                                                  'gap_fill', 'retention', 'compact')),
    user            TEXT NOT NULL,
    message_id      INTEGER REFERENCES conversation_log (id),  -- extract: the user's words
    session_id      INTEGER REFERENCES sessions (id) ON DELETE CASCADE,  -- work on one session
    up_to_id        INTEGER,                     -- cascades: last message or entry to take in
    state           TEXT NOT NULL CHECK (state IN ('waiting', 'pending', 'parked',
                                                   'scheduled')),
    attempts        INTEGER NOT NULL DEFAULT 0,  -- failed ones
    next_attempt_at REAL NOT NULL,
    last_error      TEXT,
    created_at      REAL NOT NULL
) STRICT;
CREATE UNIQUE INDEX background_tasks_extract_once ON background_tasks (message_id)
    WHERE kind = 'extract';
CREATE UNIQUE INDEX background_tasks_session_once ON background_tasks (kind, session_id)
    WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX background_tasks_user_once ON background_tasks (kind, user)
    WHERE message_id IS NULL AND session_id IS NULL;
CREATE INDEX background_tasks_due ON background_tasks (state, next_attempt_at);

CREATE VIEW facts AS                             -- what is or was known, to be read
    SELECT id, user, content, fact_type, source, source_message_id, said_at AS created_at,
           replaced_by, expired_at AS replaced_at
    FROM memories WHERE layer = 'knowledge';
CREATE VIEW memory_summaries AS                  -- the timeline, to be read
    SELECT id, user, conversation, content, from_message_id AS source_from_id,
           to_message_id AS source_to_id, created_at, incorporated
    FROM memories WHERE category = 'timeline' AND status = 'active';
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


def m001_nothing(_connection: Connection, _legacy_user: str) -> None:
    """Take the number."""


def m002_create_tables(connection: Connection, legacy_user: str) -> None:
    """Create every table; copy what a database of the first Lo-Bug holds. Raises StorageError for a
    file with the tables of version 1."""
    legacy = is_first_design(connection)
    if not legacy and _exists(connection, "conversation_log"):
        raise StorageError(
            "the database was written by a Lo-Bug from before 0.1.0 (version 1 of the database),"
            " which this program cannot read. Open it with Lo-Bug 0.1.0 once, or move it away."
        )
    if legacy:
        _set_aside(connection)
    for statement in statements(TABLES):
        connection.execute(statement)
    if legacy:
        _copy_over(connection, legacy_user)


CONVERSATION = "legacy"
"""The conversation that the messages of the first Lo-Bug go to: it did not tell them apart."""

IDLE_S = 600.0
"""A pause of this length begins a new session."""

IDENTITY_CHARS = 1_000
"""What layer identity may hold; the rest of an old base memory goes to layer knowledge."""

SECTION = re.compile(
    r"^[#*\s]*(User Profile|Preferences|Ongoing Topics|Key History)(?:\W*$|[\s*_]*:[\s*_]*(.+)$)",
    re.I,
)
"""A heading, and what follows it on its line: "Preferences: likes tea"."""

PLAIN_TABLES = ("conversation_log", "memory_summaries", "memory_base")


def is_first_design(connection: Connection) -> bool:
    """Whether the file was written by the first Lo-Bug."""
    columns = {row[1] for row in connection.execute("PRAGMA table_info(conversation_log)")}
    return bool(columns) and "user" not in columns


def _exists(connection: Connection, table: str) -> bool:
    """Whether there is a table of this name."""
    query = "SELECT 1 FROM sqlite_master WHERE name = ? AND type = 'table'"
    return connection.execute(query, (table,)).fetchone() is not None


def _set_aside(connection: Connection) -> None:
    """Rename the old tables to ``first_...``; copy the facts out of their vec0 table and drop it.

    A vec0 table cannot be renamed: its shadow tables keep the old name.
    """
    for table in PLAIN_TABLES:
        if _exists(connection, table):
            connection.execute(f"ALTER TABLE {table} RENAME TO first_{table}")
    if _exists(connection, "memory_facts"):
        connection.execute(
            "CREATE TABLE first_memory_facts AS"
            " SELECT id, content, source, fact_type, created_at FROM memory_facts"
        )
        connection.execute("DROP TABLE memory_facts")


MESSAGES = """
INSERT INTO conversation_log (id, user, conversation, role, content, created_at, summarized)
    SELECT id, :user, :conversation, role, content, created_at, summarized <> 0
    FROM first_conversation_log WHERE role IN ('user', 'assistant')
"""

SESSIONS = """
CREATE TEMP TABLE session_of AS
    SELECT id, user, conversation, created_at,
           sum(first) OVER (PARTITION BY user, conversation ORDER BY id) AS number
    FROM (SELECT id, user, conversation, created_at,
                 coalesce(created_at - lag(created_at) OVER
                          (PARTITION BY user, conversation ORDER BY id) > :idle, 1) AS first
          FROM conversation_log);
INSERT INTO sessions (user, conversation, channel, started_at, last_active_at)
    SELECT user, conversation, 'import', min(created_at), max(created_at)
    FROM session_of GROUP BY user, conversation, number ORDER BY min(id);
UPDATE conversation_log SET session_id = (
    SELECT s.id FROM sessions s JOIN session_of o
        ON s.user = o.user AND s.conversation = o.conversation
    WHERE o.id = conversation_log.id AND s.started_at <= o.created_at
    ORDER BY s.started_at DESC, s.id DESC LIMIT 1);
UPDATE sessions SET ended_at = last_active_at WHERE id NOT IN
    (SELECT max(id) FROM sessions GROUP BY user, conversation);
DROP TABLE session_of;
"""

FACTS = """
INSERT INTO memories (id, user, told_by, layer, category, key, content, fact_type, source, said_at,
                      created_at, updated_at, valid_from, compared)
    SELECT id, :user, :user, 'knowledge', 'knowledge', 'fact_' || id, content,
           CASE WHEN fact_type IN ('personal', 'preference', 'knowledge', 'event')
                THEN fact_type ELSE 'knowledge' END,
           CASE source WHEN 'conversation' THEN 'system' ELSE 'import' END,
           at, at, at, at, 1
    FROM (SELECT *, coalesce(created_at, 0.0) AS at FROM first_memory_facts)
    WHERE trim(content) <> '' ORDER BY id
"""

SUMMARIES = """
INSERT INTO memories (user, told_by, conversation, session_id, layer, category, key, content,
                      fact_type, source, from_message_id, to_message_id, incorporated, said_at,
                      created_at, updated_at, valid_from, compared)
    SELECT :user, :user, :conversation, m.session_id, 'archive', 'timeline', 'ctx_' || s.id,
           '[' || strftime('%Y-%m-%d %H:%M', coalesce(m.created_at, s.created_at), 'unixepoch',
                           'localtime') || '] ' || s.content,
           'event', 'system', s.source_from_id, s.source_to_id, s.incorporated <> 0,
           coalesce(m.created_at, s.created_at), s.created_at, s.created_at, s.created_at, 1
    FROM first_memory_summaries s LEFT JOIN conversation_log m ON m.id = s.source_from_id
    ORDER BY s.id
"""


def _copy_over(connection: Connection, user: str) -> None:
    """Copy what was set aside into the new tables, messages and facts under the same ids, and drop
    the old tables."""
    owner = {"user": user, "conversation": CONVERSATION}
    connection.execute(MESSAGES, owner)
    for statement in filter(None, map(str.strip, SESSIONS.split(";"))):
        connection.execute(statement, {"idle": IDLE_S} if ":idle" in statement else {})
    if _exists(connection, "first_memory_facts"):
        connection.execute(FACTS, owner)
    if _exists(connection, "first_memory_summaries"):
        connection.execute(SUMMARIES, owner)
    if _exists(connection, "first_memory_base"):
        _copy_base_memory(connection, user)
    for table in (*PLAIN_TABLES, "memory_facts"):
        connection.execute(f"DROP TABLE IF EXISTS first_{table}")


def _copy_base_memory(connection: Connection, user: str) -> None:
    """One entry for each line of the old document: of layer identity as long as there is room."""
    rows = connection.execute(
        "SELECT content, updated_at FROM first_memory_base WHERE trim(content) <> ''"
    ).fetchall()
    for document, updated_at in rows:
        section, used, sections = "User Profile", 0, set[str]()
        for number, raw in enumerate(document.splitlines(), start=1):
            heading = SECTION.match(raw)
            if heading is not None:
                section = heading[1].title()
            text = raw if heading is None else heading[2] or ""
            line = " ".join(text.strip(" \t-*#").split())
            if not line:
                continue
            cost = len(line) + 3 + (0 if section in sections else len(section) + 4)
            fits = used + cost <= IDENTITY_CHARS
            if fits:
                used += cost
                sections.add(section)
            connection.execute(
                "INSERT INTO memories (user, told_by, layer, category, key, content, section,"
                " source, said_at, created_at, updated_at, valid_from, compared)"
                " VALUES (?, ?, ?, 'knowledge', ?, ?, ?, 'system', ?, ?, ?, ?, 1)",
                (
                    user,
                    user,
                    "identity" if fits else "knowledge",
                    f"base_{number}",
                    line,
                    section if fits else None,
                    *([updated_at] * 4),
                ),
            )
