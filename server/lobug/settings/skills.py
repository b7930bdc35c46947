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
    max_lists_per_person: int = Field(
        100, ge=1, description="Lists that one person, or the household, may have."
    )
    max_items_per_list: int = Field(
        500, ge=1, description="Things that may be on one list; ticked ones make room for new ones."
    )
    max_item_chars: int = Field(
        200, ge=1, description="Longest thing on a list and longest name of a list, characters."
    )
    max_notes_per_person: int = Field(1_000, ge=1, description="Notes that one person may have.")
    max_note_chars: int = Field(2_000, ge=1, description="Longest note, characters.")
