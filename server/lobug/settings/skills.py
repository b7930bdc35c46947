"""Settings of skills: what Lo-Bug can do for somebody besides talking."""

from __future__ import annotations

from pydantic import Field

from lobug.settings.section import Section


class SkillSettings(Section):
    """What Lo-Bug can do, and how much of it."""

    off: list[str] = Field(
        default_factory=list,
        description="Skills that are switched off, as JSON; `lobug skills` shows their names.",
    )
    max_alerts_per_person: int = Field(
        100, ge=1, description="Timers, alarms and reminders that one person may have at once."
    )
