"""Marks rows as processed, all or none: what both cascades rest on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from lobug.memory.storage.driver import Connection

Table = Literal["conversation_log", "memories"]
Column = Literal["summarized", "incorporated"]


def mark_once(
    connection: Connection, table: Table, column: Column, user: str, ids: Sequence[int]
) -> bool:
    """Set ``column`` to 1 in the user's rows ``ids``. False, and nothing is set, when some had it
    already or are not the user's."""
    wanted = json.dumps(list(ids))
    # Table and column are the program's own words, as their types say; the rest is bound.
    changed = connection.execute(
        f"UPDATE {table} SET {column} = 1 WHERE user = ?1 AND {column} = 0"
        " AND id IN (SELECT value FROM json_each(?2))"
        f" AND ?3 = (SELECT count(*) FROM {table} WHERE user = ?1 AND {column} = 0"
        " AND id IN (SELECT value FROM json_each(?2)))",
        (user, wanted, len(ids)),
    )
    return int(changed.rowcount) == len(ids)
