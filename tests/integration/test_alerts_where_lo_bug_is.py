"""Alerts with the settings as shipped: the time on the clock is that of the computer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from support.computer_zone import computer_in
from support.memory_kit import Clock
from support.unasked_kit import House, house

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture(autouse=True)
def in_berlin() -> Iterator[None]:
    with computer_in("Europe/Berlin"):
        yield


def clock(at: str) -> Clock:
    return Clock(datetime.fromisoformat(at).replace(tzinfo=BERLIN).timestamp())


def local(at: float) -> str:
    return f"{datetime.fromtimestamp(at, BERLIN):%a %d %b %H:%M}"


async def rings(here: House, times: int = 3) -> list[str]:
    """When the only alert rings."""
    found: list[str] = []
    while len(found) < times:
        (alert,) = [one for one in await here.alerts() if one.state == "pending"]
        found.append(local(alert.due_at))
        here.wall.now = alert.due_at
        for one in await here.server.agenda.alerts.take_due(alert.due_at):
            await here.server.agenda.alerts.finish([one.id])
    return found


DAILY = ["Wed 02 Jun 06:40", "Thu 03 Jun 06:40", "Fri 04 Jun 06:40"]


async def test_an_alarm_by_voice_keeps_its_time(tmp_path: Path) -> None:
    async with house(tmp_path, wall=clock("2027-06-01 20:00")) as here:
        await here.say("Set an alarm for every day at 6:40.")
        assert await rings(here) == DAILY


async def test_an_alarm_by_a_program_keeps_its_time(tmp_path: Path) -> None:
    async with house(tmp_path, wall=clock("2027-06-01 20:00")) as here:
        alarm = {"kind": "alarm", "at": "2027-06-02T06:40", "rule": "FREQ=DAILY"}
        made = await here.client.post("/alerts", json=alarm, headers={"Device-Id": "phone"})
        assert made.json()["zone"] == "Europe/Berlin"
        assert await rings(here) == DAILY


async def test_an_alarm_rings_at_its_time_after_the_clocks_have_changed(tmp_path: Path) -> None:
    async with house(tmp_path, wall=clock("2027-03-26 20:00")) as here:
        await here.say("Wake me on Monday at 6:40.")
        (alert,) = await here.alerts()
        assert local(alert.due_at) == "Mon 29 Mar 06:40"


async def test_what_is_said_of_an_alarm_is_the_time_on_the_clock(tmp_path: Path) -> None:
    async with house(tmp_path, wall=clock("2027-06-01 20:00")) as here:
        await here.say("Wake me at half past six.")
        assert "seven in the morning" in await here.say("Move my alarm to seven.")
        (alert,) = await here.alerts()
        assert local(alert.due_at) == "Wed 02 Jun 07:00"


async def test_a_changed_alarm_rings_in_the_zone_that_it_was_changed_in(tmp_path: Path) -> None:
    async with house(tmp_path, wall=clock("2027-06-01 20:00")) as here:
        await here.say("Set an alarm for every day at 6:40.")
        (alert,) = await here.alerts()
        await here.live.change({"conversation.time_zone": "America/New_York"})
        url, person = f"/alerts/{alert.id}", {"Device-Id": "phone"}
        moved = await here.client.patch(url, json={"at": "2027-06-02T07:00"}, headers=person)
        assert moved.json()["zone"] == "America/New_York"
        assert await rings(here, 2) == ["Wed 02 Jun 13:00", "Thu 03 Jun 13:00"]
