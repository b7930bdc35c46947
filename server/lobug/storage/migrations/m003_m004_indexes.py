"""Steps 3 and 4: what a search needs to score turns and entries. All of it is derived, by triggers,
in the very transaction in which a message or an entry changes, whoever changes it.

Step 3: an index over the turns of the log, by words and by meaning. When words change, are
forgotten or are deleted, the triggers take out: the words from the text index and, where nobody
else has them, from the vocabulary; the vector of the turn and of the next one, which was made from
both; the bits. Turns that are in the log already are noted as not yet analysed.

Step 4: how many entries each user has and how long they are. The text index ``memories_text`` holds
the entries of everybody, and SQLite's ``bm25()`` counts all of them: how an own entry scored told
which words other people's entries hold. With these tables a search scores by the entries of its own
user (and of the household).
"""

from __future__ import annotations

from lobug.storage.driver import Connection
from lobug.storage.migrations.m002_create_tables import statements

TURN_TABLES = """
CREATE TABLE turn_owners (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,     -- never given to anybody else
    user  TEXT NOT NULL UNIQUE,
    turns INTEGER NOT NULL DEFAULT 0,            -- analysed ones
    words INTEGER NOT NULL DEFAULT 0             -- in them
) STRICT;
CREATE TABLE turn_index (                        -- what may be found: neither forgotten nor ignored
    message_id INTEGER PRIMARY KEY REFERENCES conversation_log (id),
    owner      INTEGER NOT NULL REFERENCES turn_owners (id),
    session_id INTEGER NOT NULL,                 -- without one: a negative number of its own
    place      INTEGER NOT NULL,                 -- in the session; ascending
    asking     REAL NOT NULL DEFAULT 0,          -- share of it that are questions
    timed      INTEGER NOT NULL DEFAULT 0,       -- has a word of time
    words      TEXT,                             -- JSON array of ids; null: not analysed yet
    vector_set INTEGER NOT NULL DEFAULT 0        -- where its vector is; 0: it has none yet
) STRICT;
CREATE UNIQUE INDEX turn_index_by_session ON turn_index (session_id, place);
CREATE INDEX turn_index_pending ON turn_index (message_id) WHERE words IS NULL;
CREATE INDEX turn_index_by_set ON turn_index (vector_set, message_id);

CREATE TABLE turn_words (                        -- the vocabulary of all turns
    id   INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE,
    stem TEXT NOT NULL,
    uses INTEGER NOT NULL DEFAULT 0,             -- how often turns have it; 0: it is deleted
    vector_set INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX turn_words_by_set ON turn_words (vector_set, id);
CREATE VIRTUAL TABLE turn_text USING fts5 (      -- "<owner>x<stem>" for each word of a turn
    tokens, content = '', tokenize = 'ascii'
);
INSERT INTO turn_text (turn_text, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE turn_terms USING fts5vocab (turn_text, 'row');

CREATE TABLE turn_vector_sets (                  -- one for each embedding model in use
    id        INTEGER PRIMARY KEY,
    model_id  TEXT NOT NULL,
    dimension INTEGER NOT NULL CHECK (dimension > 0),
    UNIQUE (model_id, dimension)
) STRICT;
CREATE TABLE turn_vectors (                      -- of a turn with the one before it
    message_id INTEGER PRIMARY KEY REFERENCES turn_index (message_id),
    set_id     INTEGER NOT NULL REFERENCES turn_vector_sets (id),
    owner      INTEGER NOT NULL,
    slot       INTEGER NOT NULL,                 -- where its bits are
    vector     BLOB                              -- float32 scale, int8 ...; null: no direction
) STRICT;
CREATE UNIQUE INDEX turn_vectors_by_slot ON turn_vectors (set_id, owner, slot);
CREATE TABLE turn_codes (                        -- the signs of 512 vectors; all zero: none there
    set_id INTEGER NOT NULL,
    owner  INTEGER NOT NULL,
    block  INTEGER NOT NULL,                     -- slot / 512
    codes  BLOB NOT NULL,
    PRIMARY KEY (set_id, owner, block)
) STRICT;
CREATE TABLE turn_word_vectors (
    word_id INTEGER PRIMARY KEY REFERENCES turn_words (id),
    set_id  INTEGER NOT NULL REFERENCES turn_vector_sets (id),
    vector  BLOB                                 -- as above
) STRICT;

CREATE INDEX conversation_log_by_time ON conversation_log (user, created_at);
CREATE INDEX conversation_log_speakers ON conversation_log (user, speaker)
    WHERE speaker IS NOT NULL;
"""

TURN_TRIGGERS = """
CREATE TRIGGER turn_index_insert AFTER INSERT ON conversation_log
WHEN new.content <> '' AND new.forgotten = 0 AND new.meant = 1 BEGIN
    INSERT INTO turn_owners (user) SELECT new.user
        WHERE NOT EXISTS (SELECT 1 FROM turn_owners WHERE user = new.user);
    INSERT INTO turn_index (message_id, owner, session_id, place)
    SELECT new.id, o.id, coalesce(new.session_id, -new.id),
           coalesce((SELECT max(t.place) + 1 FROM turn_index t
                     WHERE t.session_id = coalesce(new.session_id, -new.id)), 0)
    FROM turn_owners o WHERE o.user = new.user;
END;
CREATE TRIGGER turn_index_update AFTER UPDATE OF content, forgotten, meant, speaker
ON conversation_log
WHEN (old.content, old.forgotten, old.meant, old.speaker)
     IS NOT (new.content, new.forgotten, new.meant, new.speaker) BEGIN
    UPDATE turn_index SET words = NULL WHERE message_id = new.id;
    DELETE FROM turn_index
    WHERE message_id = new.id AND (new.content = '' OR new.forgotten = 1 OR new.meant = 0);
END;
CREATE TRIGGER turn_index_delete AFTER DELETE ON conversation_log BEGIN
    UPDATE turn_index SET words = NULL WHERE message_id = old.id;
    DELETE FROM turn_index WHERE message_id = old.id;
    DELETE FROM turn_owners WHERE user = old.user
        AND NOT EXISTS (SELECT 1 FROM conversation_log WHERE user = old.user);
END;

-- Rows of turn_index are only ever deleted after this: it takes out all that hangs on the words.
CREATE TRIGGER turn_index_clear AFTER UPDATE OF words ON turn_index WHEN new.words IS NULL BEGIN
    DELETE FROM turn_vectors WHERE message_id IN
        (old.message_id, (SELECT t.message_id FROM turn_index t WHERE t.session_id = old.session_id
                          AND t.place > old.place ORDER BY t.place LIMIT 1));
    INSERT INTO turn_text (turn_text, rowid, tokens)
        SELECT 'delete', old.message_id, tokens FROM
            (SELECT group_concat(old.owner || 'x' || w.stem, ' ') AS tokens
             FROM json_each(old.words) j CROSS JOIN turn_words w ON w.id = j.value)
        WHERE tokens IS NOT NULL;
    UPDATE turn_owners SET turns = turns - 1, words = words - json_array_length(old.words)
        WHERE id = old.owner AND old.words IS NOT NULL;
    UPDATE turn_words SET uses = uses -
            (SELECT count(*) FROM json_each(old.words) j WHERE j.value = turn_words.id)
        WHERE id IN (SELECT value FROM json_each(old.words));
    DELETE FROM turn_words WHERE uses <= 0 AND id IN (SELECT value FROM json_each(old.words));
END;
CREATE TRIGGER turn_words_delete BEFORE DELETE ON turn_words BEGIN
    DELETE FROM turn_word_vectors WHERE word_id = old.id;
END;
CREATE TRIGGER turn_vectors_delete AFTER DELETE ON turn_vectors BEGIN
    UPDATE turn_index SET vector_set = 0 WHERE message_id = old.message_id;
    UPDATE turn_codes SET codes = CAST(
        substr(codes, 1, old.slot % 512 * size)
        || zeroblob(iif(length(codes) > old.slot % 512 * size, size, 0))
        || substr(codes, (old.slot % 512 + 1) * size + 1) AS BLOB)
    FROM (SELECT (dimension + 63) / 64 * 8 AS size FROM turn_vector_sets WHERE id = old.set_id)
    WHERE set_id = old.set_id AND owner = old.owner AND block = old.slot / 512;
    DELETE FROM turn_codes WHERE set_id = old.set_id AND owner = old.owner
        AND block = old.slot / 512 AND codes = zeroblob(length(codes));
END;
"""

BACKLOG = """
INSERT INTO turn_owners (user) SELECT DISTINCT user FROM conversation_log;
INSERT INTO turn_index (message_id, owner, session_id, place)
    SELECT l.id, o.id, coalesce(l.session_id, -l.id),
           row_number() OVER (PARTITION BY coalesce(l.session_id, -l.id) ORDER BY l.id) - 1
    FROM conversation_log l JOIN turn_owners o ON o.user = l.user
    WHERE l.content <> '' AND l.forgotten = 0 AND l.meant = 1;
"""


def m003_turn_index(connection: Connection, _legacy_user: str) -> None:
    """Create the index and note every turn of the log as not yet analysed."""
    for statement in statements(TURN_TABLES + TURN_TRIGGERS + BACKLOG):
        connection.execute(statement)


WORDS = (
    "2 + length({row}.content) - length(replace({row}.content, ' ', ''))"
    " + length({row}.key) - length(replace({row}.key, '_', '')) + json_array_length({row}.tags)"
)
"""Words in the content, the key and the tags of a row of ``memories``, counted by what separates
them."""

LENGTH_TABLES = """
CREATE TABLE memory_owners (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,   -- never given to anybody else
    user    TEXT NOT NULL UNIQUE,                -- 'household:' for the scope household
    entries INTEGER NOT NULL DEFAULT 0,          -- all versions, as the text index has them
    words   INTEGER NOT NULL DEFAULT 0           -- in them
) STRICT;
CREATE TABLE memory_lengths (
    memory_id INTEGER PRIMARY KEY REFERENCES memories (id),
    owner     INTEGER NOT NULL REFERENCES memory_owners (id),
    words     INTEGER NOT NULL
) STRICT;
"""

LENGTH_TRIGGERS = f"""
CREATE TRIGGER memory_lengths_insert AFTER INSERT ON memories BEGIN
    INSERT INTO memory_owners (user) SELECT new.user
        WHERE NOT EXISTS (SELECT 1 FROM memory_owners WHERE user = new.user);
    INSERT INTO memory_lengths (memory_id, owner, words)
        SELECT new.id, o.id, {WORDS.format(row="new")} FROM memory_owners o WHERE o.user = new.user;
    UPDATE memory_owners SET entries = entries + 1,
        words = words + (SELECT words FROM memory_lengths WHERE memory_id = new.id)
        WHERE user = new.user;
END;
CREATE TRIGGER memory_lengths_update AFTER UPDATE OF key, content, tags ON memories BEGIN
    UPDATE memory_owners
        SET words = words - (SELECT words FROM memory_lengths WHERE memory_id = new.id)
                    + {WORDS.format(row="new")}
        WHERE id = (SELECT owner FROM memory_lengths WHERE memory_id = new.id);
    UPDATE memory_lengths SET words = {WORDS.format(row="new")} WHERE memory_id = new.id;
END;
CREATE TRIGGER memory_lengths_delete AFTER DELETE ON memories BEGIN
    UPDATE memory_owners SET entries = entries - 1,
        words = words - (SELECT words FROM memory_lengths WHERE memory_id = old.id)
        WHERE id = (SELECT owner FROM memory_lengths WHERE memory_id = old.id);
    DELETE FROM memory_lengths WHERE memory_id = old.id;
    DELETE FROM memory_owners WHERE user = old.user AND entries <= 0;
END;
"""

ENTRIES = f"""
INSERT INTO memory_owners (user, entries, words)
    SELECT m.user, count(*), sum({WORDS.format(row="m")}) FROM memories m GROUP BY m.user;
INSERT INTO memory_lengths (memory_id, owner, words)
    SELECT m.id, o.id, {WORDS.format(row="m")} FROM memories m JOIN memory_owners o USING (user);
"""


def m004_word_statistics(connection: Connection, _legacy_user: str) -> None:
    """Create the tables and count what is there."""
    for statement in statements(LENGTH_TABLES + LENGTH_TRIGGERS + ENTRIES):
        connection.execute(statement)
