"""A process that fills a list and dies at a named point: ``agenda_child.py DB POINT OCCURRENCE``.

It prints the number of every addition that was acknowledged.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from lobug.agenda.lists import ListName
from lobug.agenda.service import Agenda
from lobug.language.en.list_names import list_key
from lobug.settings.skills import SkillSettings
from support.database_place import place_of

CONTENTS = [["milk", "eggs"], ["bread", "butter"], ["salt"]]


async def live(path: Path, point: str, occurrence: int) -> None:
    """Add to a list until the process dies."""
    left = occurrence

    def die(name: str) -> None:
        nonlocal left
        if name == point:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    agenda = Agenda(SkillSettings(), path, clock=lambda: 0.0, checkpoint=die, place=place_of(path))
    await agenda.start()
    for number, contents in enumerate(CONTENTS, start=1):
        await agenda.lists.add("ada", ListName("shopping", list_key("shopping")), contents)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
