"""Alerts in a real `agenda.db`: ringing, changes of the clocks, erasure, crashes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Set
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from lobug.agenda.alerts import Alert, NewAlert
from lobug.agenda.service import FILE, Agenda
from lobug.errors import AlertLimitError, StorageBusyError
from lobug.settings.skills import SkillSettings
from support.alerts_child import ACKNOWLEDGED, START, new_alert
from support.app_server import client_of
from support.computer_zone import computer_in
from support.database_place import place_of
from support.memory_app import app_with, door_settings
from support.programs import run

pytestmark = pytest.mark.usefixtures("each_database")


@asynccontextmanager
async def opened(
    folder: Path, *, most: int = 100, time_zone: str = "", now: float = START
) -> AsyncIterator[Agenda]:
    agenda = Agenda(
        SkillSettings(max_alerts_per_person=most),
        folder / FILE,
        time_zone=time_zone,
        clock=lambda: now,
        place=place_of(folder / FILE),
    )
    await agenda.start()
    try:
        yield agenda
    finally:
        await agenda.close()


async def held(agenda: Agenda) -> dict[str, str]:
    """Label and state of each alert."""
    return {alert.label: alert.state for alert in await agenda.alerts.of_user("ada")}


async def test_alerts_ring_are_snoozed_and_end(tmp_path: Path) -> None:
    async with opened(tmp_path) as agenda:
        changes: list[Set[str]] = []
        agenda.alerts.changed = changes.append
        pasta, tea = await agenda.alerts.add(
            [new_alert("pasta", START + 10), new_alert("tea", START + 20)]
        )
        assert await agenda.alerts.next_due_at() == START + 10
        assert [alert.id for alert in await agenda.alerts.take_due(START + 15)] == [pasta.id]
        assert await held(agenda) == {"pasta": "ringing", "tea": "pending"}
        (snoozed,) = await agenda.alerts.snooze([pasta.id, tea.id], START + 100)
        assert (snoozed.id, snoozed.due_at, snoozed.state) == (pasta.id, START + 100, "pending")
        assert await agenda.alerts.ringing() == []
        await agenda.alerts.take_due(START + 200)
        await agenda.alerts.finish([pasta.id])
        assert await held(agenda) == {"tea": "ringing"}
        assert not await agenda.alerts.replace(replace(pasta, label="late"))
        assert [gone.id for gone in await agenda.alerts.cancel("bob", [tea.id])] == []
        assert [gone.id for gone in await agenda.alerts.cancel("ada", [tea.id, 99])] == [tea.id]
        assert len(changes) == 8


async def test_all_or_none_are_set_and_never_too_many(tmp_path: Path) -> None:
    async with opened(tmp_path, most=2) as agenda:
        await agenda.alerts.add([new_alert("one", START + 10)])
        with pytest.raises(AlertLimitError):
            await agenda.alerts.add([new_alert("two", START + 10), new_alert("three", START + 10)])
        assert await held(agenda) == {"one": "pending"}
        await agenda.alerts.take_due(START + 20)
        await agenda.alerts.finish([1])
        await agenda.alerts.add([new_alert("two", START + 10), new_alert("three", START + 10)])


async def test_a_recurring_alert_keeps_its_id_and_rings_as_another(tmp_path: Path) -> None:
    async with opened(tmp_path) as agenda:
        (daily,) = await agenda.alerts.add([new_alert("work", START, rule="FREQ=DAILY")])
        # Off for ten days: it rings once, and next at its next time.
        (rings,) = await agenda.alerts.take_due(START + 10 * 86_400)
        assert (rings.rule, rings.state, rings.due_at) == (None, "ringing", START)
        pending = next(one for one in await agenda.alerts.of_user("ada") if one.id == daily.id)
        assert pending.state == "pending"
        assert 0 < pending.due_at - (START + 10 * 86_400) <= 86_400


WALL = "%a %d %b %H:%M"


@pytest.mark.parametrize(
    ("zone", "begins", "rule", "rings"),
    [
        ("Europe/Berlin", "2027-03-26T06:40", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
         ["Fri 26 Mar 06:40", "Mon 29 Mar 06:40", "Tue 30 Mar 06:40"]),
        ("Europe/Berlin", "2027-03-27T02:30", "FREQ=DAILY",
         ["Sat 27 Mar 02:30", "Sun 28 Mar 03:30", "Mon 29 Mar 02:30"]),
        ("Europe/Berlin", "2027-10-30T02:30", "FREQ=DAILY",
         ["Sat 30 Oct 02:30", "Sun 31 Oct 02:30", "Mon 01 Nov 02:30"]),
        ("America/New_York", "2027-03-13T06:40", "FREQ=DAILY",
         ["Sat 13 Mar 06:40", "Sun 14 Mar 06:40", "Mon 15 Mar 06:40"]),
        ("America/New_York", "2027-11-06T01:30", "FREQ=DAILY",
         ["Sat 06 Nov 01:30", "Sun 07 Nov 01:30", "Mon 08 Nov 01:30"]),
        ("America/New_York", "2027-11-05T09:00", "FREQ=DAILY;INTERVAL=2",
         ["Fri 05 Nov 09:00", "Sun 07 Nov 09:00", "Tue 09 Nov 09:00"]),
    ],
)  # fmt: skip
async def test_recurring_alerts_keep_the_time_on_the_clock(
    tmp_path: Path, zone: str, begins: str, rule: str, rings: list[str]
) -> None:
    start = datetime.fromisoformat(begins).replace(tzinfo=ZoneInfo(zone))
    new = NewAlert("ada", "desk", "alarm", "", start.timestamp(), zone, rule=rule, starts=begins)
    async with opened(tmp_path) as agenda:
        await agenda.alerts.add([new])
        found: list[str] = []
        while len(found) < len(rings):
            at = await agenda.alerts.next_due_at()
            assert at is not None
            (rung,) = await agenda.alerts.take_due(at)
            found.append(datetime.fromtimestamp(rung.due_at, start.tzinfo).strftime(WALL))
            await agenda.alerts.cancel("ada", [rung.id])
    assert found == rings


BERLIN = ZoneInfo("Europe/Berlin")
SET_AT = datetime(2027, 6, 1, 20, tzinfo=BERLIN).timestamp()


def stored_as_utc(label: str, due: str, starts: str | None, rule: str | None) -> NewAlert:
    """An alert as earlier versions stored it on a computer in Berlin."""
    due_at = datetime.fromisoformat(due).timestamp()
    return NewAlert("ada", "desk", "alarm", label, due_at, "UTC", rule=rule, starts=starts)


STORED = (
    # One that has not rung yet, and one that has: its next time was taken as UTC.
    stored_as_utc("new", "2027-06-02T06:40+02:00", "2027-06-02T06:40:00", "FREQ=DAILY"),
    stored_as_utc("old", "2027-06-02T08:40+02:00", "2027-05-30T06:40:00", "FREQ=DAILY"),
    stored_as_utc("late", "2027-06-01T18:30+02:00", "2027-06-01T18:30:00", "FREQ=WEEKLY"),
    stored_as_utc("hourly", "2027-06-02T01:00+02:00", "2027-05-30T16:00:00",
                  "FREQ=HOURLY;INTERVAL=5"),
    stored_as_utc("once", "2027-06-02T07:00+02:00", None, None),
)  # fmt: skip


@pytest.mark.parametrize(
    ("computer", "setting", "zone", "due"),
    [
        ("Europe/Berlin", "", "Europe/Berlin",
         {"new": "02 06:40", "old": "02 06:40", "late": "01 18:30", "hourly": "01 23:00",
          "once": "02 07:00"}),
        ("Europe/Berlin", "Europe/London", "Europe/Berlin", None),
        ("Europe/Berlin", "UTC", "Etc/UTC", None),
        ("UTC", "", "Etc/UTC",
         {"new": "02 08:40", "old": "02 08:40", "late": "01 18:30", "hourly": "02 01:00",
          "once": "02 07:00"}),
    ],
)  # fmt: skip
async def test_alerts_that_were_stored_without_their_zone_get_it_once(
    tmp_path: Path, computer: str, setting: str, zone: str, due: dict[str, str] | None
) -> None:
    async with opened(tmp_path, now=SET_AT) as agenda:
        await agenda.alerts.add(STORED)
    with computer_in(computer):
        async with opened(tmp_path, time_zone=setting, now=SET_AT) as agenda:
            found = await agenda.alerts.of_user("ada")
    assert {alert.zone for alert in found} == {zone}
    times = {a.label: f"{datetime.fromtimestamp(a.due_at, BERLIN):%d %H:%M}" for a in found}
    assert due is None or times == due
    with computer_in("America/New_York"):
        async with opened(tmp_path, now=SET_AT) as agenda:
            assert await agenda.alerts.of_user("ada") == found


def words_in(folder: Path, words: str) -> bool:
    """Whether words can be read in any file of the agenda."""
    return any(words.encode() in path.read_bytes() for path in folder.glob(f"{FILE}*"))


async def test_what_another_program_changes_counts_here_even_if_it_could_not_be_read_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: object) -> None:
        raise StorageBusyError("the database is too busy")

    async with opened(tmp_path) as agenda, opened(tmp_path) as other:
        told: list[str] = []
        await other.speeds.change("ada", 1.5)
        with monkeypatch.context() as patched:
            patched.setattr(agenda.database, "read", fail)
            with pytest.raises(StorageBusyError):
                await agenda.refresh()
        agenda.changed_elsewhere = lambda: told.append("changed")
        await agenda.refresh()
        assert agenda.speeds.of("ada") == 1.5
        await agenda.refresh()
        assert told == ["changed"]


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
async def test_words_of_what_is_cancelled_or_long_over_are_gone(tmp_path: Path) -> None:
    async with opened(tmp_path) as agenda:
        alerts = agenda.alerts
        secret, other = await alerts.add(
            [new_alert("walnut surgery", START + 10), new_alert("hazel divorce", START + 10)]
        )
        await alerts.take_due(START + 20)
        await alerts.finish([other.id])
        await alerts.cancel("ada", [secret.id])
        assert not words_in(tmp_path, "walnut surgery")
        assert words_in(tmp_path, "hazel divorce")
        over_at = await alerts.next_due_at()
        assert over_at == START + 20 + 86_400
        assert await alerts.take_due(over_at) == []
        assert await alerts.next_due_at() is None
    assert not words_in(tmp_path, "hazel divorce")


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
async def test_everything_of_a_person_goes_with_the_memory_of_them(tmp_path: Path) -> None:
    settings = door_settings(tmp_path)
    app = app_with(settings)
    async with client_of(app) as http:
        await http.post("/alerts", json={"kind": "reminder", "label": "walnut", "in_s": 600})
        await http.post("/lists/shopping/items", json={"items": ["walnut"]})
        await http.post("/notes", json={"content": "walnut"})
        asked = await http.post("/memory/purge", json={"user": True})
        assert "alarms, reminders, lists and notes" in asked.json()["error"]["message"]
        assert (await http.get("/alerts")).json()["alerts"] != []
        gone = await http.post("/memory/purge", json={"user": True, "confirm": True})
        assert gone.status_code == 200
        assert (await http.get("/alerts")).json() == {"alerts": []}
        assert (await http.get("/lists")).json() == {"lists": []}
        assert (await http.get("/notes")).json() == {"notes": []}
        assert not words_in(settings.data_dir, "walnut")


STEPS = (
    "add_alerts", "replace_alert", "take_due_alerts", "snooze_alerts", "finish_alerts",
    "cancel_alerts",
)  # fmt: skip
POINTS = [f"{name}.{moment}" for name in STEPS for moment in ("before_commit", "after_commit")]


def test_what_was_acknowledged_outlives_kill_9(tmp_path: Path) -> None:
    run(["support.alerts_child", str(tmp_path), *POINTS]).check_returncode()
    for point in POINTS:
        file = tmp_path / point / ACKNOWLEDGED
        said = file.read_text(encoding="utf-8").split("\n") if file.is_file() else []
        steps = [line.split(" ")[0] for line in said if line]
        name, moment = point.split(".")
        if moment == "after_commit":
            steps.append(name)  # committed, although nobody was told
        assert asyncio.run(states(tmp_path / point)) == expected(steps), point


async def states(folder: Path) -> dict[str, list[str]]:
    """The states of the alerts by their labels."""
    async with opened(folder) as agenda:
        found: dict[str, list[str]] = {}
        every: list[Alert] = await agenda.alerts.of_user("ada")
        for alert in sorted(every, key=lambda alert: alert.id):
            found.setdefault(alert.label, []).append(alert.state)
        return found


def expected(steps: list[str]) -> dict[str, list[str]]:
    """What must be there after the steps of ``alerts_child``."""
    if "add_alerts" not in steps:
        return {}
    first = "noodles" if "replace_alert" in steps else "pasta"
    found = {first: ["pending"], "tea": ["pending"], "work": ["pending"]}
    if "take_due_alerts" in steps:
        found = {first: ["ringing"], "tea": ["ringing"], "work": ["pending", "ringing"]}
    if "snooze_alerts" in steps:
        found[first] = ["pending"]
    if "finish_alerts" in steps:
        del found["tea"]
    if "cancel_alerts" in steps:
        found["work"] = ["pending"]
    return found
