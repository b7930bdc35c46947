"""Processes that use the agenda and die at given points: ``alerts_child.py FOLDER POINT...``.

For each point a process of its own lives in a folder of that name. It writes a line "<name> <ids>"
into ``acknowledged`` there after each change that the agenda has acknowledged.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from lobug.agenda.alerts import Alert, NewAlert
from lobug.agenda.service import FILE, Agenda
from lobug.settings.skills import SkillSettings
from support.database_place import place_of

START = 1_800_000_000.0
ACKNOWLEDGED = "acknowledged"


def new_alert(label: str, due_at: float, *, rule: str | None = None) -> NewAlert:
    return NewAlert(
        user="ada",
        conversation="desk",
        kind="alarm" if rule else "timer",
        label=label,
        due_at=due_at,
        zone="Europe/Berlin",
        rule=rule,
        starts="2027-01-15T09:00:00" if rule else None,
    )


async def live(folder: Path, point: str) -> None:
    """Set, change, let ring, snooze, end and cancel."""

    def checkpoint(name: str) -> None:
        if name == point:
            os.kill(os.getpid(), signal.SIGKILL)

    def acknowledge(name: str, alerts: Iterable[Alert]) -> None:
        with (folder / ACKNOWLEDGED).open("a", encoding="utf-8") as file:
            file.write(f"{name} {' '.join(str(alert.id) for alert in alerts)}\n")

    agenda = Agenda(
        SkillSettings(),
        folder / FILE,
        clock=lambda: START,
        checkpoint=checkpoint,
        place=place_of(folder / FILE),
    )
    await agenda.start()
    alerts = agenda.alerts
    set_ = await alerts.add(
        [
            new_alert("pasta", START + 10),
            new_alert("tea", START + 20),
            new_alert("work", START + 30, rule="FREQ=DAILY"),
        ]
    )
    acknowledge("add_alerts", set_)
    await alerts.replace(replace(set_[0], label="noodles"))
    acknowledge("replace_alert", set_[:1])
    ringing = await alerts.take_due(START + 60)
    acknowledge("take_due_alerts", ringing)
    snoozed = await alerts.snooze([ringing[0].id], START + 600)
    acknowledge("snooze_alerts", snoozed)
    await alerts.finish([ringing[1].id])
    acknowledge("finish_alerts", ringing[1:2])
    acknowledge("cancel_alerts", await alerts.cancel("ada", [ringing[2].id]))
    await agenda.close()


def main(root: Path, points: Iterable[str]) -> None:
    """Let one process live for each point."""
    for point in points:
        folder = root / point
        folder.mkdir()
        child = os.fork()  # no thread runs yet
        if child == 0:
            asyncio.run(live(folder, point))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            sys.exit(f"the process did not reach {point}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
