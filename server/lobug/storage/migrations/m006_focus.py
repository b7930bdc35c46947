"""Step 6: what a conversation is about, and the sessions that a task was worked on in.

The summary of such a session is not copied into the task: it is read where it stands, so that what
is forgotten in it is gone from the task too.
"""

from __future__ import annotations

from lobug.storage.driver import Connection
from lobug.storage.migrations.m002_create_tables import statements

FOCUS_TABLES = """
CREATE TABLE conversation_focus (
    user         TEXT NOT NULL,
    conversation TEXT NOT NULL,
    project      TEXT,                           -- a name in projects
    tags         TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    task_id      INTEGER REFERENCES project_tasks (id) ON DELETE SET NULL,
    PRIMARY KEY (user, conversation)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_focus_by_task ON conversation_focus (task_id) WHERE task_id IS NOT NULL;

CREATE TABLE task_sessions (
    task_id    INTEGER NOT NULL REFERENCES project_tasks (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    PRIMARY KEY (task_id, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_sessions_by_session ON task_sessions (session_id);
"""


def m006_focus(connection: Connection, _legacy_user: str) -> None:
    """Create the tables."""
    for statement in statements(FOCUS_TABLES):
        connection.execute(statement)
