"""The schedule of one of several servers whose people are taken by another one at a bad moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lobug.agenda.alerts import Alert, NewAlert
from lobug.agenda.schedule import Schedule
from lobug.storage.people import AllPeople
from support.device_client import until
from support.unasked_kit import DESK, House, house


@dataclass
class LeavingPeople(AllPeople):
    """All are here, until another server takes one of them."""

    schedule: Schedule
    gone: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    first_is_taken: bool = False
    """Whether the first one asked for is taken while it is asked for the second one."""

    async def has(self, person: str) -> bool:
        self.asked.append(person)
        if self.first_is_taken and len(self.asked) == 2:
            self.take(self.asked[0])
        return self.here(person)

    def here(self, person: str) -> bool:
        return person not in self.gone

    def take(self, person: str) -> None:
        self.gone.add(person)
        self.schedule.person_left(person)


@dataclass
class Begun:
    """What a house with people who leave has begun to ring."""

    here: House
    people: LeavingPeople
    rang: list[str] = field(default_factory=list)

    async def fall_due(self, **ago_s: float) -> None:
        """Let timers of people fall due at once, as if it were so many seconds ago."""
        now = self.here.wall()
        await self.here.server.agenda.alerts.add(
            [
                NewAlert(user, f"{user}/device:{DESK}", "timer", user, now - ago, "UTC")
                for user, ago in ago_s.items()
            ]
        )

    def note(self, alert: Alert, _late: bool) -> None:
        self.rang.append(alert.user)


@asynccontextmanager
async def begun(folder: Path, **sections: Any) -> AsyncIterator[Begun]:
    """A house whose schedule does one step at a time, when a test says so."""
    async with house(folder, **sections) as here:
        schedule = here.server.schedule
        people = LeavingPeople(schedule)
        found = Begun(here, people)
        schedule._acts_for, schedule.began = people, found.note
        yield found


async def test_who_leaves_while_it_is_asked_for_another_one_does_not_ring(tmp_path: Path) -> None:
    async with begun(tmp_path) as found:
        found.people.first_is_taken = True
        await found.fall_due(ada=0, bob=0)
        await until(lambda: bool(found.rang))
        first, second = found.people.asked[:2]
        assert found.rang == [second]
        await asyncio.sleep(0.1)
        assert set(found.here.server.schedule._people) == {second}
        assert found.here.server.schedule.ringing_for(first) is None


async def test_who_leaves_while_another_one_s_alert_is_ended_does_not_ring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with begun(tmp_path) as found:
        waiting = found.here.server.agenda.waiting
        end_ringing = waiting.end_ringing

        async def end(*over: Any, **how: Any) -> None:
            await end_ringing(*over, **how)
            found.people.take("ada")

        monkeypatch.setattr(waiting, "end_ringing", end)
        await found.fall_due(bob=600, ada=0)
        await until(lambda: "ada" in found.people.gone)
        await asyncio.sleep(0.1)
        assert found.rang == ["bob"]
        assert found.here.server.schedule._people == {}
        assert found.here.server.schedule.ringing_for("ada") is None


@pytest.mark.parametrize("all_leave", [False, True])
async def test_who_comes_back_rings_again_even_if_the_ring_had_hardly_begun(
    tmp_path: Path, all_leave: bool
) -> None:
    """Its task may be cancelled before it has run at all."""
    async with begun(tmp_path) as found, found.here.connect() as client:
        schedule, left = found.here.server.schedule, list[asyncio.Future[None]]()

        async def leave() -> None:
            """Runs before the task that is made next."""
            if all_leave:
                await schedule.give_up()
            else:
                found.people.take("ada")

        def leave_once(_alert: Alert, _late: bool) -> None:
            if not left:
                left.append(asyncio.ensure_future(leave()))

        schedule.began = leave_once
        await found.fall_due(ada=0)
        await until(lambda: bool(left))
        await left[0]
        found.people.gone.clear()
        schedule.wake()
        await client.until_said("tts", state="start")
