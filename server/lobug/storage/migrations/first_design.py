"""Takes over a database of the first Lo-Bug: one user, no version, facts only in a vec0 table.

Its vectors are not kept: nothing in the file says which model made them. The facts are embedded
again in the background and are found by their text until then.
"""

from __future__ import annotations

import re

from lobug.storage.driver import Connection

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
"""A heading, and what stands beside it: "Preferences: likes tea"."""

PLAIN_TABLES = ("conversation_log", "memory_summaries", "memory_base")


def found(connection: Connection) -> bool:
    """Whether the file was written by the first Lo-Bug."""
    columns = {row[1] for row in connection.execute("PRAGMA table_info(conversation_log)")}
    return bool(columns) and "user" not in columns


def exists(connection: Connection, table: str) -> bool:
    """Whether there is a table of this name."""
    query = "SELECT 1 FROM sqlite_master WHERE name = ? AND type = 'table'"
    return connection.execute(query, (table,)).fetchone() is not None


def set_aside(connection: Connection) -> None:
    """Rename the old tables to ``first_...``; copy the facts out of their vec0 table and drop it.

    A vec0 table cannot be renamed: its shadow tables keep the old name.
    """
    for table in PLAIN_TABLES:
        if exists(connection, table):
            connection.execute(f"ALTER TABLE {table} RENAME TO first_{table}")
    if exists(connection, "memory_facts"):
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


def bring_in(connection: Connection, user: str) -> None:
    """Copy what was set aside into the new tables, messages and facts under the same ids, and drop
    the old tables."""
    owner = {"user": user, "conversation": CONVERSATION}
    connection.execute(MESSAGES, owner)
    for statement in filter(None, map(str.strip, SESSIONS.split(";"))):
        connection.execute(statement, {"idle": IDLE_S} if ":idle" in statement else {})
    if exists(connection, "first_memory_facts"):
        connection.execute(FACTS, owner)
    if exists(connection, "first_memory_summaries"):
        connection.execute(SUMMARIES, owner)
    if exists(connection, "first_memory_base"):
        _take_in_base_memory(connection, user)
    for table in (*PLAIN_TABLES, "memory_facts"):
        connection.execute(f"DROP TABLE IF EXISTS first_{table}")


def _take_in_base_memory(connection: Connection, user: str) -> None:
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
