"""Step 7: the index over a user's entries by time also holds what lists select by, so that a page
far down a list of 100,000 entries, and their number, are read from the index alone."""

from __future__ import annotations

from lobug.storage.driver import Connection
from lobug.storage.migrations.m002_create_tables import statements

LISTING_INDEX = """
DROP INDEX memories_by_time;
CREATE INDEX memories_by_time ON memories
    (user, said_at, id, status, layer, category, scope, conversation, project);
"""


def m007_listing_index(connection: Connection, _legacy_user: str) -> None:
    """Replace the index."""
    for statement in statements(LISTING_INDEX):
        connection.execute(statement)
