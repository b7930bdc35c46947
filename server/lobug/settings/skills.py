"""Settings of skills: what Lo-Bug can do for somebody besides talking."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from lobug.settings.section import Seconds, Section


def _has_length(hours: str) -> str:
    begin, _, end = hours.partition("-")
    if hours and begin == end:
        raise ValueError("quiet hours that begin when they end would last the whole day")
    return hours


class SkillSettings(Section):
    """What Lo-Bug can do, and how much of it."""

    off: list[str] = Field(
        default_factory=list,
        description="Skills that are switched off, as JSON; `lobug skills` shows their names.",
    )
    max_alerts_per_person: int = Field(
        100, ge=1, description="Timers, alarms and reminders that one person may have at once."
    )
    ring_seconds: Seconds = Field(
        60.0,
        description="How long a timer or an alarm rings if nobody stops it, seconds. A reminder is"
        " said twice.",
    )
    quiet_hours: Annotated[str, AfterValidator(_has_length)] = Field(
        "",
        pattern=r"^$|^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$",
        description="When reminders and announcements wait, such as `22:00-07:00` in the person's"
        " time zone; empty: never. Timers and alarms ring all the same.",
    )
