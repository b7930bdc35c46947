"""A process that uses memory and dies at a named point: ``memory_child.py DB POINT OCCURRENCE``.

It prints "ack <id>" for every message that memory has acknowledged, and kills itself with SIGKILL
when the point is reached for the given time. It ends by itself when the point never comes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from lobug.settings import MemorySettings
from support.memory_kit import ADA, Kit

SETTINGS = MemorySettings(
    short_term_threshold=6,
    short_term_keep=2,
    long_term_threshold=2,
    long_term_keep=0,
    duplicate_distance_threshold=0.0,
)

SAID = [f"I keep {thing}" for thing in ("bees", "goats", "owls", "foxes", "hens", "cows", "frogs")]


class Dying:
    """The checkpoint that ends the process."""

    def __init__(self, point: str, occurrence: int) -> None:
        self.point = point
        self.left = occurrence

    def __call__(self, name: str) -> None:
        if name == self.point:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def acknowledge(what: str) -> None:
    """Tell the parent, at once."""
    sys.stdout.write(f"ack {what}\n")
    sys.stdout.flush()


async def live(path: Path, point: str, occurrence: int) -> None:
    """Seven exchanges, each processed to its end."""
    kit = Kit(path, settings=SETTINGS, checkpoint=Dying(point, occurrence))
    memory = kit.manager()
    await memory.start(work=False)
    for said in SAID:
        message_id = await memory.log_user_message(ADA, said)
        acknowledge(f"{message_id} user {said}")
        reply_id = await memory.log_reply(ADA, message_id, f"Noted: {said}.", extract=True)
        acknowledge(f"{reply_id} assistant Noted: {said}.")
        await memory.process_due()
    await memory.close()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
