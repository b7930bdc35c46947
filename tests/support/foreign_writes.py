"""Asks a database whether others have written, and takes it as read."""

from __future__ import annotations

from lobug.storage.database import Database


async def changed(database: Database) -> bool:
    """Whether others have written since it was asked last, or since it was opened."""
    async with database.changed_by_others() as found:
        return found
