"""Step 8: indexes over columns that hold numbers of other tables, where a row of those may be
deleted: without them the whole table is read for each."""

from __future__ import annotations

from lobug.storage.driver import Connection
from lobug.storage.migrations.m002_create_tables import statements

LINK_INDEXES = """
CREATE INDEX turn_index_by_owner ON turn_index (owner);
CREATE INDEX memory_lengths_by_owner ON memory_lengths (owner);
CREATE INDEX background_tasks_by_message ON background_tasks (message_id)
    WHERE message_id IS NOT NULL;
CREATE INDEX background_tasks_by_session ON background_tasks (session_id)
    WHERE session_id IS NOT NULL;
CREATE INDEX project_tasks_by_entry ON project_tasks (archived_as) WHERE archived_as IS NOT NULL;
"""


def m008_link_indexes(connection: Connection, _legacy_user: str) -> None:
    """Make the indexes."""
    for statement in statements(LINK_INDEXES):
        connection.execute(statement)
