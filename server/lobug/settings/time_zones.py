"""Time zones by their names, and that of the computer."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

UTC_NAME = "Etc/UTC"
_NAME_IN_PATH = re.compile(r"/zoneinfo[^/]*/(?:posix/)?(.+)$")
_COMPARED = range(0, 366 * 86_400, 10 * 86_400)
"""Seconds from now, for a year, at which two zones are compared."""


def zone_of(name: str) -> ZoneInfo | None:
    """The time zone of a name; None: there is none of it, also where the name is empty."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return None


def time_in_zone(seconds: float, name: str) -> datetime:
    """A time as a clock in a zone shows it, aware.

    ``seconds``: since the epoch. ``name``: of the zone; empty: the system's.
    """
    zone = zone_of(name) or system_zone()
    if zone is None:
        return datetime.fromtimestamp(seconds).astimezone()
    return datetime.fromtimestamp(seconds, zone)


def zone_name(moment: datetime) -> str:
    """IANA name of the zone of an aware time. If the zone has only an offset, it is the name of one
    with this offset. Never "UTC": earlier versions stored that for every zone without a name."""
    key = getattr(moment.tzinfo, "key", None)
    if key is not None:
        return UTC_NAME if key == "UTC" else str(key)
    hours, rest = divmod(moment.utcoffset() or timedelta(), timedelta(hours=1))
    if not rest:
        return f"Etc/GMT{-hours:+d}" if hours else UTC_NAME  # POSIX counts west of Greenwich
    for name in sorted(available_timezones()):
        if moment.astimezone(ZoneInfo(name)).utcoffset() == moment.utcoffset():
            return name
    return UTC_NAME


def system_zone() -> ZoneInfo | None:
    """The computer's time zone; None: no zone has its clock. The first call may read all zones, for
    a tenth of a second."""
    return _system_zone(os.environ.get("TZ"), time.tzname)


@lru_cache(maxsize=8)
def _system_zone(_variable: str | None, _names: tuple[str, str]) -> ZoneInfo | None:
    """The arguments change when the process has got another time zone."""
    shown = _offsets(None)
    # Where nothing tells the name, any zone with the same clock is as good.
    for name in (*system_zone_names(), *sorted(available_timezones())):
        zone = zone_of(name)
        if zone is not None and _offsets(zone) == shown:
            return zone
    return None


def system_zone_names(root: Path = Path("/")) -> Iterator[str]:
    """What may be the name of the computer's time zone, the most reliable first."""
    variable = os.environ.get("TZ", "").removeprefix(":")
    if variable:
        yield _name_in(variable) or variable
    link = root / "etc/localtime"
    if link.is_symlink():
        for target in (link.readlink(), link.resolve()):
            name = _name_in(str(target))
            if name:
                yield name
    try:
        yield (root / "etc/timezone").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return


def _name_in(path: str) -> str | None:
    """The name of a time zone's file."""
    found = _NAME_IN_PATH.search(path)
    return found[1] if found else None


def _offsets(zone: ZoneInfo | None) -> list[timedelta | None]:
    """The offsets of a zone from UTC in the year to come; None: the computer's."""
    now = time.time()
    return [datetime.fromtimestamp(now + s, zone).astimezone(zone).utcoffset() for s in _COMPARED]
