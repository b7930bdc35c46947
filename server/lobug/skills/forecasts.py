"""Forecasts of a source that answers as Open-Meteo does: asked over HTTP, checked, in bounds.

What the source sends is untrusted: its size, its time and every value are limited, and it is never
followed to another address.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BaseModel, Field, ValidationError, model_validator

from lobug.settings.skills import WeatherPlace, WeatherUnits

if TYPE_CHECKING:
    import httpx

TIMEOUT_S = 6.0
"""Seconds for the whole answer: somebody waits for it."""
MAX_BYTES = 256 * 1024
"""A week's forecast has about 2 kB."""
DAYS = 8

_CURRENT = "temperature_2m,weather_code,wind_speed_10m"
_DAILY = (
    "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max,"
    "precipitation_sum,wind_speed_10m_max"
)
_UNITS: dict[WeatherUnits, dict[str, str]] = {
    "metric": {},
    "us": {
        "temperature_unit": "fahrenheit",
        "wind_speed_unit": "mph",
        "precipitation_unit": "inch",
    },
}
"""What the source is asked for besides its own units, which are metric."""

log = logging.getLogger(__name__)

Degrees = Annotated[float, Field(ge=-150, le=150, allow_inf_nan=False)]
"""Celsius or Fahrenheit."""
SkyCode = Annotated[int, Field(ge=0, le=99)]
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
Wind = Annotated[float, Field(ge=0, le=500, allow_inf_nan=False)]
"""Kilometres or miles per hour."""
Rainfall = Annotated[float, Field(ge=0, le=2_000, allow_inf_nan=False)]
"""Millimetres or inches."""


class SourceUnreachableError(Exception):
    """The source does not answer in time, or refuses."""


class SourceUnreadableError(Exception):
    """The source answers something else than a forecast."""


class Current(BaseModel):
    """The weather now."""

    temperature_2m: Degrees
    weather_code: SkyCode
    wind_speed_10m: Wind | None = None


class Daily(BaseModel):
    """The coming days, each value of a day at the same index."""

    time: list[date] = Field(min_length=1, max_length=20)
    weather_code: list[SkyCode]
    temperature_2m_max: list[Degrees]
    temperature_2m_min: list[Degrees]
    precipitation_probability_max: list[Percent | None] = Field(default_factory=list)
    precipitation_sum: list[Rainfall | None] = Field(default_factory=list)
    wind_speed_10m_max: list[Wind | None] = Field(default_factory=list)

    @model_validator(mode="after")
    def _is_even(self) -> Self:
        days = len(self.time)
        columns = (self.weather_code, self.temperature_2m_max, self.temperature_2m_min)
        optional = (
            self.precipitation_probability_max,
            self.precipitation_sum,
            self.wind_speed_10m_max,
        )
        uneven = any(len(column) != days for column in columns)
        if uneven or any(len(column) not in (0, days) for column in optional):
            raise ValueError("not every day has every value")
        return self


class Forecast(BaseModel):
    """What the source tells."""

    current: Current
    daily: Daily

    def day(self, day: date) -> int | None:
        """The index of a day; None: the forecast does not reach it."""
        return self.daily.time.index(day) if day in self.daily.time else None

    def rain_chance(self, index: int) -> int | None:
        """Chance of rain or snow on a day, percent; None: the source does not tell."""
        chance = _at(self.daily.precipitation_probability_max, index)
        return None if chance is None else round(chance)

    def rainfall(self, index: int) -> float | None:
        """Rain on a day, in the units asked for; None: the source does not tell."""
        return _at(self.daily.precipitation_sum, index)

    def wind(self, index: int) -> float | None:
        """The strongest wind on a day, in the units asked for; None: the source does not tell."""
        return _at(self.daily.wind_speed_10m_max, index)


def _at(values: Sequence[float | None], index: int) -> float | None:
    return values[index] if values else None


async def fetch_forecast(url: str, place: WeatherPlace, units: WeatherUnits) -> Forecast:
    """Ask the source. Raises SourceUnreachableError, SourceUnreadableError."""
    import httpx  # noqa: PLC0415 - few servers have a source

    try:
        async with asyncio.timeout(TIMEOUT_S):
            # Loading the certificates would block the event loop.
            client = await asyncio.to_thread(
                httpx.AsyncClient, timeout=TIMEOUT_S, follow_redirects=False, trust_env=False
            )
            async with client:
                body = await _body(client, url, place, units)
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
        log.info("the weather source does not answer: %s", type(error).__name__)
        raise SourceUnreachableError from error
    try:
        return Forecast.model_validate_json(body)
    except ValidationError as error:
        log.info("the weather source answers no forecast: %d faults", error.error_count())
        raise SourceUnreadableError from error


async def _body(
    client: httpx.AsyncClient, url: str, place: WeatherPlace, units: WeatherUnits
) -> bytes:
    asked: dict[str, str | float] = {
        "latitude": place.latitude,
        "longitude": place.longitude,
        "current": _CURRENT,
        "daily": _DAILY,
        "timezone": "auto",
        "forecast_days": DAYS,
        **_UNITS[units],
    }
    async with client.stream("GET", url, params=asked) as answer:
        if answer.status_code != 200:
            log.info("the weather source answers with status %d", answer.status_code)
            raise SourceUnreachableError
        body = bytearray()
        async for chunk in answer.aiter_bytes():
            body += chunk
            if len(body) > MAX_BYTES:
                log.info("the weather source answers with more than %d bytes", MAX_BYTES)
                raise SourceUnreadableError
        return bytes(body)
