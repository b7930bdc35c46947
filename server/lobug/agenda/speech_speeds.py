"""How fast each person wants Lo-Bug to speak: rows of ``speech_speeds``.

Held in memory too, because every reply needs it at once.
"""

from __future__ import annotations

from sqlalchemy import bindparam, delete, select

from lobug.agenda.tables import speech_speeds
from lobug.storage.connection import Connection
from lobug.storage.database import Database
from lobug.storage.statements import insert_or_replace, run

NORMAL = 1.0

_ALL = select(speech_speeds.c.user, speech_speeds.c.speed)
_KEEP = insert_or_replace(speech_speeds)
_DELETE = delete(speech_speeds).where(speech_speeds.c.user == bindparam("of_user"))


class SpeechSpeeds:
    """The speeds of all users, times the voice's own speed; 0.5 to 2."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._by_user: dict[str, float] = {}

    def load(self, connection: Connection) -> None:
        """Read all speeds, in the transaction in which the file is opened."""
        self._by_user = {row.user: row.speed for row in run(connection, _ALL)}

    def of(self, user: str) -> float:
        """The speed for a user."""
        return self._by_user.get(user, NORMAL)

    async def change(self, user: str, speed: float) -> None:
        """Keep a user's speed; the normal one needs no row. Raises StorageError."""

        def work(connection: Connection) -> None:
            if speed == NORMAL:
                run(connection, _DELETE, of_user=user)
            else:
                run(connection, _KEEP, user=user, speed=speed)

        await self._database.write("speech_speed", work)
        self._by_user[user] = speed

    def forget(self, user: str) -> None:
        """Drop the speed of a user whose rows were deleted."""
        self._by_user.pop(user, None)
