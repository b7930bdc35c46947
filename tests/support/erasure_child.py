"""A process that forgets and dies at a named point: ``erasure_child.py DB POINT OCCURRENCE``.

It imports the ``sessions.json`` beside the database, talks, forgets a word that is all over it, and
rebuilds the file. It prints "forgotten" once that was acknowledged.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path

from lobug.memory.exchange.snapshot import SNAPSHOT, SnapshotSource
from lobug.memory.model import MemoryScope
from lobug.settings import MemorySettings
from lobug.storage import compaction, sqlite_database
from support.memory_child import Dying, acknowledge
from support.memory_kit import ADA, Kit, exchange

SETTINGS = MemorySettings(duplicate_distance_threshold=0.0)
SECRET = "Zanzibarix"
KNOWN = {
    "I filmed bees": "The user filmed bees",
    f"I live in {SECRET}": f"The user lives in {SECRET}",
    f"I filmed {SECRET}": f"The user filmed {SECRET}",
    "I have a dog": "The user has a dog",
    "I live in Leeds": "The user lives in Leeds",
    "I filmed owls": "The user filmed owls",
}
"""What is said, and what is known from it: the films the chat model has extracted, all else the
rules have read in the turn. The secret is a home of former times when it is forgotten."""
SAID = list(KNOWN)
CLAIMED = [("home", "Leeds"), ("pet", "dog")]
"""What is claimed once the secret is forgotten."""


def kit(path: Path, **more: object) -> Kit:
    """The memory of the child and of those who look at what it left."""
    source = SnapshotSource(path.with_name(SNAPSHOT))
    return Kit(path, settings=SETTINGS, snapshot=source, **more)  # type: ignore[arg-type]


async def live(path: Path, point: str, occurrence: int) -> None:
    """All of it."""
    dying = Dying(point, occurrence)

    class Copying(threading.Event):
        """Is asked between any two pages that are copied."""

        def is_set(self) -> bool:
            dying("compact.copying")
            return super().is_set()

    compaction.PAGES_AT_ONCE = 1
    vars(sqlite_database)["Event"] = Copying
    memory = kit(path, checkpoint=dying).memory()
    await memory.start(work=False)
    for said in SAID:
        await exchange(memory, said, f"Noted: {said}.")
    await memory.process_due()
    acknowledge("told")
    await memory.forget_text(MemoryScope(ADA.user, ADA.conversation), SECRET)
    acknowledge("forgotten")
    await memory.process_due()
    await memory.close()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
