"""Step 4: how many entries each user has and how long they are, for the scores of a text search.

The text index ``memories_text`` holds the entries of everybody, and SQLite's ``bm25()`` counts all
of them: how an own entry scored told which words other people's entries hold. With these tables a
search scores by the entries of its own user (and of the household). Triggers keep them true in the
very transaction in which an entry changes, whoever changes it.
"""

from __future__ import annotations

from lobug.storage.driver import Connection
from lobug.storage.migrations.m002_create_tables import statements

WORDS = (
    "2 + length({row}.content) - length(replace({row}.content, ' ', ''))"
    " + length({row}.key) - length(replace({row}.key, '_', '')) + json_array_length({row}.tags)"
)
"""Words in the content, the key and the tags of a row of ``memories``, counted by what separates
them."""

TABLES = """
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

TRIGGERS = f"""
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
    for statement in statements(TABLES + TRIGGERS + ENTRIES):
        connection.execute(statement)
