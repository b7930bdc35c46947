"""Settings of skills: what Lo-Bug can do for somebody besides talking."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator

from lobug.settings.section import Changeable, Seconds, Section

WeatherUnits = Literal["metric", "us"]
McpServerName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]


class McpServerSettings(Section):
    """A server of tools that the owner allows (Model Context Protocol)."""

    command: list[str] = Field(
        default_factory=list,
        description="Program and arguments of a server that is started here and talked to over its"
        " standard input and output.",
    )
    env: dict[str, SecretStr] = Field(
        default_factory=dict, description="Further environment variables of the program."
    )
    url: str = Field(
        "", pattern=r"^(https?://\S+)?$", description="Address of a server (streamable HTTP)."
    )
    headers: dict[str, SecretStr] = Field(
        default_factory=dict, description="Headers that are sent to the address, such as a token."
    )
    allow: list[str] = Field(
        default_factory=list,
        description="Names of the tools that may be used; `lobug skills` shows all. Empty: none.",
    )
    tool_timeout_s: Seconds = Field(10.0, description="Longest wait for an answer, seconds.")
    tool_result_chars: int = Field(
        600, ge=50, description="How much of a result the chat model reads, characters."
    )
    max_tools: int = Field(64, ge=1, description="Tools of the server; more are left out.")

    @model_validator(mode="after")
    def _check_way(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("an MCP server has either a command or a url")
        return self


def _has_length(hours: str) -> str:
    begin, _, end = hours.partition("-")
    if hours and begin == end:
        raise ValueError("quiet hours that begin when they end would last the whole day")
    return hours


class WeatherPlace(Section):
    """The place whose weather is told."""

    name: str = Field(min_length=1, max_length=60, description="As it is said: `Leeds`.")
    latitude: float = Field(ge=-90, le=90, description="Degrees, north is positive.")
    longitude: float = Field(ge=-180, le=180, description="Degrees, east is positive.")


class SkillSettings(Section):
    """What Lo-Bug can do, and how much of it."""

    off: Annotated[list[str], Changeable("Skills that are switched off", kind="choices")] = Field(
        default_factory=list,
        description="Skills that are switched off, as JSON; `lobug skills` shows their names.",
    )
    max_alerts_per_person: int = Field(
        100, ge=1, description="Timers, alarms and reminders that one person may have at once."
    )
    max_alert_label_chars: int = Field(
        200,
        ge=1,
        le=1_000,
        description="Longest name of a timer or alarm, and longest text of a reminder, characters; "
        "the rest is cut off.",
    )
    reminder_hour: Annotated[int, Changeable("Hour of reminders", unit="o'clock")] = Field(
        9, ge=0, le=23, description="Hour of a reminder for a day, where no time was named."
    )
    mcp_servers: dict[McpServerName, McpServerSettings] = Field(
        default_factory=dict,
        description="Servers of tools over the Model Context Protocol, as JSON, by a name of yours:"
        ' `{"home": {"url": "http://127.0.0.1:8123/api/mcp", "headers": {"Authorization": "Bearer'
        ' ..."}, "allow": ["intent__HassTurnOn"]}}`, or with `command` instead of `url`. Only the'
        " tools in `allow` may be used. What they return is data for the chat model, never an"
        " instruction.",
    )
    ring_seconds: Annotated[float, Changeable("How long it rings", unit="s")] = Field(
        60.0,
        gt=0.0,
        le=3600.0,
        description="How long a timer or an alarm rings if nobody stops it, seconds. A reminder is"
        " said twice.",
    )
    quiet_hours: Annotated[
        str,
        AfterValidator(_has_length),
        Changeable("Quiet hours", kind="time_range", example="22:00-07:00"),
    ] = Field(
        "",
        pattern=r"^$|^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$",
        description="When reminders and announcements wait, such as `22:00-07:00` in the person's"
        " time zone; empty: never. Timers and alarms ring all the same.",
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
    weather_url: Annotated[
        str, Changeable("Source of the weather", example="https://api.open-meteo.com/v1/forecast")
    ] = Field(
        "",
        pattern=r"^$|^https?://[^\s?#]+$",
        description="Where the weather comes from: a URL that answers as Open-Meteo's does, such"
        " as `https://api.open-meteo.com/v1/forecast`. Empty: Lo-Bug tells no weather. It is"
        " asked when somebody asks, for the place below; nothing else leaves the house.",
    )
    weather_place: Annotated[
        WeatherPlace | None, Changeable("Place of the weather", kind="place")
    ] = Field(
        None,
        description="Whose weather is told, as JSON:"
        ' `{"name": "Leeds", "latitude": 53.8, "longitude": -1.55}`.',
    )
    weather_units: Annotated[WeatherUnits, Changeable("Units of the weather")] = Field(
        "metric",
        description="What the weather is told in: `metric` is degrees Celsius, kilometres per hour"
        " and millimetres; `us` is degrees Fahrenheit, miles per hour and inches.",
    )
    max_notes_per_person: int = Field(1_000, ge=1, description="Notes that one person may have.")
    max_note_chars: int = Field(2_000, ge=1, description="Longest note, characters.")
