"""The schemas of a Lo-Bug in PostgreSQL."""

from __future__ import annotations

from lobug.storage.postgres.memory_schema import MEMORY_STEPS

NEWEST = {
    "lobug_memory": len(MEMORY_STEPS),
    "lobug_access": 1,
    "lobug_agenda": 1,
    "lobug_webhooks": 1,
}
"""Each with the number of its steps (``tables.declared`` is one)."""
