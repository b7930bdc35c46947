"""The schemas of a Lo-Bug in PostgreSQL, and the numbered steps that make them.

What SQLite does with FTS5 and triggers, tables of tokens and triggers do in the schema of memory.
The functions of each schema have SQLite's names, so that conditions and hand-written statements
read the same. Columns that hold words, or what was computed from words, have ``STATISTICS 0``:
samples that PostgreSQL keeps for its planner would outlive what was forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files

from lobug.storage.connection import Connection

Step = Callable[[Connection], None]
"""A numbered migration; takes the connection, inside a transaction."""


def script(name: str) -> Step:
    """A step that is one of the files in ``steps``."""

    def run(connection: Connection) -> None:
        path = files("lobug.storage.postgres") / "steps" / f"{name}.sql"
        connection.execute(path.read_text(encoding="utf-8"))

    return run


STEPS: Mapping[str, tuple[Step, ...]] = {
    "lobug_memory": tuple(script(f"memory_{number:03}") for number in range(1, 7)),
    "lobug_access": (script("access_001"),),
    "lobug_agenda": (script("agenda_001"),),
    "lobug_webhooks": (script("webhooks_001"),),
}
"""Step n of a schema, counted from 1, turns version n - 1 into version n. Released ones are never
edited: a column that is declared later comes with a step of its own."""
