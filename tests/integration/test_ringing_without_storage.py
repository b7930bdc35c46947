"""Alerts ring while the agenda can be read but not written."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from lobug.agenda.alerts import NewAlert
from lobug.agenda.ringing import RingLimits
from lobug.agenda.schedule import CHECK_S, Said, Schedule, Unasked
from lobug.agenda.service import FILE, Agenda
from lobug.errors import StorageFullError
from lobug.settings.skills import SkillSettings
from support.database_place import place_of
from support.memory_kit import Clock
from support.patience import PATIENCE_S


@dataclass
class Speaker:
    """A device that plays at once whatever is said."""

    said: list[str] = field(default_factory=list)
    fail: Exception | None = None

    def reaches(self, _user: str) -> bool:
        return True

    async def elsewhere(self) -> frozenset[str]:
        return frozenset()

    async def say(self, what: Unasked) -> Said:
        self.said += what.sentences
        if self.fail is not None:
            raise self.fail
        return Said(places=("ada/desk",), complete=True)


@dataclass
class House:
    """A schedule whose disk can be full, and whose pauses pass when a test says so."""

    agenda: Agenda
    schedule: Schedule
    speaker: Speaker
    wall: Clock
    sleeping: list[float]
    """How long each pause of the schedule that has begun is, seconds."""
    full: bool = False

    async def set(self, label: str, in_s: float) -> None:
        new = NewAlert("ada", "ada/desk", "timer", label, self.wall() + in_s, "UTC", span_s=in_s)
        await self.agenda.alerts.add([new])

    def pass_s(self, seconds: float) -> None:
        self.wall.advance(seconds)
        self.schedule.wake()

    async def until_ringing(self, *labels: str) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while await self.ringing() != list(labels):  # noqa: ASYNC110 - nobody tells of it
                await asyncio.sleep(0.01)

    async def ringing(self) -> list[str]:
        return [alert.label for alert in await self.agenda.alerts.ringing()]


@asynccontextmanager
async def house(tmp_path: Path) -> AsyncIterator[House]:
    wall, speaker, sleeping = Clock(), Speaker(), list[float]()

    def checkpoint(name: str) -> None:
        if here.full and name.endswith("before_commit"):
            raise StorageFullError("no room")

    async def sleep(seconds: float) -> None:
        sleeping.append(seconds)
        ends = wall() + seconds
        while wall() < ends:  # noqa: ASYNC110 - the clock announces nothing
            await asyncio.sleep(0.005)

    agenda = Agenda(
        SkillSettings(),
        tmp_path / FILE,
        clock=wall,
        checkpoint=checkpoint,
        place=place_of(tmp_path / FILE),
    )
    schedule = Schedule(
        agenda.alerts,
        agenda.waiting,
        speaker,
        RingLimits(),
        quiet_hours=None,
        wall=wall,
        clock=wall,
        now=lambda _user: datetime.fromtimestamp(wall(), UTC),
        sleep=sleep,
    )
    here = House(agenda, schedule, speaker, wall, sleeping)
    agenda.alerts.changed = lambda _user: schedule.wake()
    await agenda.start()
    running = asyncio.create_task(schedule.run())
    try:
        yield here
    finally:
        running.cancel()
        await asyncio.wait([running])
        await agenda.close()


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.01)


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


async def test_an_end_that_cannot_be_stored_is_tried_again_and_keeps_nothing_else_silent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with house(tmp_path) as here:
        await here.set("pasta", 10.0)
        await here.set("egg", 65.0)
        here.pass_s(10.0)
        await until(lambda: len(here.speaker.said) == 1)
        here.pass_s(55.0)
        await here.until_ringing("pasta", "egg")
        here.pass_s(3.0)
        await until(lambda: "egg" in here.speaker.said[-1])
        here.full = True
        here.pass_s(7.0)  # the pasta's minute is over
        await until(lambda: bool(warnings(caplog)))
        count = len(here.speaker.said)
        here.pass_s(5.0)
        await until(lambda: len(here.speaker.said) > count)
        assert set(here.speaker.said[count:]) == {"Your egg timer is done."}
        await asyncio.sleep(0.5)
        assert len(warnings(caplog)) == 1
        here.full = False
        here.pass_s(CHECK_S)
        await here.until_ringing("egg")


async def test_a_ring_that_fails_pauses_longer_each_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with house(tmp_path) as here:
        here.speaker.fail = StorageFullError("no room")
        await here.set("pasta", 10.0)
        here.pass_s(10.0)
        for failures, pause_s in ((1, 3.0), (2, 6.0), (3, 12.0)):
            await until(partial(here.sleeping.__contains__, pause_s))
            await asyncio.sleep(0.1)
            assert len(here.speaker.said) == failures == len(warnings(caplog))
            here.speaker.fail = None if failures == 3 else here.speaker.fail
            here.pass_s(pause_s)
        await until(lambda: len(here.speaker.said) == 4)
        here.pass_s(3.0)
        await until(lambda: len(here.speaker.said) == 5)
        await here.until_ringing("pasta")
