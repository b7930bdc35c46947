"""The computer's time zone by its name, and the name of any time's zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from lobug.settings.time_zones import system_zone, system_zone_names, time_in_zone, zone_name
from support.computer_zone import computer_in

SUMMER, WINTER = datetime(2027, 6, 1, 12, tzinfo=UTC), datetime(2027, 12, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "variable", ["Europe/Berlin", ":Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin"]
)
def test_the_computers_clock_changes_with_the_season(variable: str) -> None:
    with computer_in(variable):
        assert system_zone() == ZoneInfo("Europe/Berlin")
        hours = [time_in_zone(at.timestamp(), "").hour for at in (SUMMER, WINTER)]
    assert hours == [14, 13]


def named(setting: str = "") -> str:
    return zone_name(time_in_zone(SUMMER.timestamp(), setting))


def test_another_zone_counts_once_the_process_has_it() -> None:
    for zone in ("Europe/Berlin", "Asia/Kathmandu"):
        with computer_in(zone):
            assert named() == zone
            assert named("America/New_York") == "America/New_York"


def test_a_zone_without_a_name_is_one_with_the_same_clock() -> None:
    with computer_in("XYZ-5"):
        assert time_in_zone(SUMMER.timestamp(), "").hour == 17
        assert named() == zone_name(time_in_zone(WINTER.timestamp(), ""))
    with computer_in("CET-1CEST,M3.5.0,M10.5.0/3"):
        hours = [time_in_zone(at.timestamp(), "").hour for at in (SUMMER, WINTER)]
    assert hours == [14, 13]


def test_a_clock_that_no_zone_has_keeps_its_offset() -> None:
    with computer_in("XYZ-5:07"):
        assert system_zone() is None
        there = time_in_zone(SUMMER.timestamp(), "")
        assert (there.hour, there.minute) == (17, 7)


def test_names_come_from_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    assert list(system_zone_names(tmp_path)) == []
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/timezone").write_text("Asia/Tokyo\n")
    assert list(system_zone_names(tmp_path)) == ["Asia/Tokyo"]
    (tmp_path / "etc/localtime").symlink_to("../usr/share/zoneinfo/America/Indiana/Knox")
    assert next(iter(system_zone_names(tmp_path))) == "America/Indiana/Knox"


@pytest.mark.parametrize("hours", [-9.5, -3, 0, 2, 5.5, 5.75, 14])
def test_the_name_of_an_offset_has_this_offset(hours: float) -> None:
    moment = datetime(2027, 6, 1, 12, tzinfo=timezone(timedelta(hours=hours)))
    there = moment.astimezone(ZoneInfo(zone_name(moment)))
    assert there.utcoffset() == moment.utcoffset()


def test_utc_is_written_with_its_area() -> None:
    for moment in (datetime(2027, 6, 1, tzinfo=UTC), datetime(2027, 6, 1, tzinfo=ZoneInfo("UTC"))):
        assert zone_name(moment) == "Etc/UTC"
