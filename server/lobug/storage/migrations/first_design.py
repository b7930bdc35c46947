"""Takes over a database of the first Lo-Bug: one user, no version, facts only in a vec0 table.

Its vectors are not kept: nothing in the file says which model made them. The facts are embedded
again in the background and are found by their text until then.
"""

from __future__ import annotations

from lobug.storage.driver import Connection

CONVERSATION = "legacy"
"""The conversation that the messages of the first Lo-Bug go to: it did not tell them apart."""

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


def bring_in(connection: Connection, user: str) -> None:
    """Copy what was set aside into the new tables, under the same ids, and drop the old ones."""
    owner = {"user": user, "conversation": CONVERSATION}
    connection.execute(
        "INSERT INTO conversation_log"
        " (id, user, conversation, role, content, created_at, summarized)"
        " SELECT id, :user, :conversation, role, content, created_at, summarized <> 0"
        " FROM first_conversation_log WHERE role IN ('user', 'assistant')",
        owner,
    )
    connection.execute("DROP TABLE first_conversation_log")
    if exists(connection, "first_memory_facts"):
        connection.execute(
            "INSERT INTO facts (id, user, content, fact_type, source, created_at, compared)"
            " SELECT id, :user, content,"
            " CASE WHEN fact_type IN ('personal', 'preference', 'knowledge', 'event')"
            "      THEN fact_type ELSE 'knowledge' END,"
            " coalesce(nullif(source, ''), 'import'), coalesce(created_at, 0.0), 1"
            " FROM first_memory_facts WHERE trim(content) <> '' ORDER BY id",
            owner,
        )
        connection.execute("DROP TABLE first_memory_facts")
    if exists(connection, "first_memory_summaries"):
        connection.execute(
            "INSERT INTO memory_summaries (id, user, conversation, content, source_from_id,"
            " source_to_id, created_at, incorporated)"
            " SELECT id, :user, :conversation, content, source_from_id, source_to_id, created_at,"
            " incorporated <> 0 FROM first_memory_summaries",
            owner,
        )
        connection.execute("DROP TABLE first_memory_summaries")
    if exists(connection, "first_memory_base"):
        connection.execute(
            "INSERT INTO memory_base (user, content, updated_at)"
            " SELECT :user, content, updated_at FROM first_memory_base WHERE trim(content) <> ''",
            owner,
        )
        connection.execute("DROP TABLE first_memory_base")
