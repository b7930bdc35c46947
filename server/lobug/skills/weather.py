"""The weather, where the owner has set a source of it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import date, timedelta

from lobug.language.en.data import WEEKDAYS
from lobug.language.en.named_days import read_day
from lobug.language.en.skill_sentences import skill_sentences
from lobug.language.en.weather_words import days_told, is_about_now, is_about_wind, sky
from lobug.language.moments import Impossible, Period, PeriodStart
from lobug.settings.skills import SkillSettings, WeatherPlace, WeatherUnits
from lobug.skills.calendar_days import date_of
from lobug.skills.forecasts import (
    Forecast,
    SourceUnreachableError,
    SourceUnreadableError,
    fetch_forecast,
)
from lobug.skills.skill import Command, CommandAnswer, Match, Request, SkillQuestion

FRESH_S = 600.0
"""For so long a forecast is told again without asking the source, seconds."""
LIKELY = 60
UNLIKELY = 30
"""Percent; between them it rains perhaps."""
_SNOW = frozenset({71, 73, 75, 77, 85, 86})
_RAIN = frozenset({*range(51, 68), *range(80, 83), *range(95, 100)})
_LEAST_RAIN: dict[WeatherUnits, float] = {"metric": 0.5, "us": 0.05}
"""Of less rain on a day no amount is told."""
Fetch = Callable[[str, WeatherPlace, WeatherUnits], Awaitable[Forecast]]


class Weather:
    """The skill ``weather``."""

    name = "weather"

    def __init__(
        self,
        settings: SkillSettings,
        *,
        fetch: Fetch = fetch_forecast,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``clock``: seconds; a forecast gets old by it."""
        self._fetch = fetch
        self._clock = clock
        self._held: tuple[tuple[str, WeatherPlace, WeatherUnits], float, Forecast] | None = None
        """What was asked, when it was, and the answer."""
        self.use(settings)

    def use(self, settings: SkillSettings) -> None:
        """Tell the weather by these settings from now on."""
        self._url = settings.weather_url
        self._place = settings.weather_place
        self._units = settings.weather_units

    def unavailable(self) -> str | None:
        says = skill_sentences().says(self.name)
        if not self._url:
            return says["no_source"]
        return says["no_place"] if self._place is None else None

    async def plan(self, request: Request, match: Match) -> Command | None:
        place, units = self._place, self._units
        if place is None:
            return None
        elsewhere = match.slots.get("city", place.name).lower() != place.name.lower()
        if match.intent == "Elsewhere" and elsewhere:
            return request.say(request.phrase(self.name, "only_here", place=place.name))
        days = asked_days(match, request)
        if isinstance(days, Impossible):
            return request.say(request.phrase(self.name, "too_far"))

        async def act(_: int) -> CommandAnswer:
            try:
                forecast = await self._forecast(place, units)
            except SourceUnreachableError:
                return CommandAnswer((request.phrase(self.name, "no_answer"),))
            except SourceUnreadableError:
                return CommandAnswer((request.phrase(self.name, "no_sense"),))
            return CommandAnswer(tell(forecast, request, match, place.name, days, units))

        return Command(request.text, act)

    async def answer(
        self, request: Request, question: SkillQuestion, *, agrees: bool | None
    ) -> Command | None:
        return None

    async def _forecast(self, place: WeatherPlace, units: WeatherUnits) -> Forecast:
        now, asked = self._clock(), (self._url, place, units)
        held = self._held
        if held is not None and held[0] == asked and now - held[1] < FRESH_S:
            return held[2]
        forecast = await self._fetch(*asked)
        self._held = (asked, now, forecast)
        return forecast


def asked_days(match: Match, request: Request) -> tuple[date, ...] | Impossible:
    """The days that are asked about; empty: now. Pure."""
    today = request.now.date()
    said = match.slots.get("day", "")
    if said:
        moment = read_day(said)
        if moment is None:
            return (today,)
        found = date_of(moment, request.now)
        if isinstance(found, Impossible):
            return found
        day = moment.day
        if isinstance(day, PeriodStart) and day.period is Period.WEEKEND and found.weekday() == 5:
            return (found, found + timedelta(days=1))
        return (found,)
    if is_about_now(match.request):
        return ()
    return tuple(today + timedelta(days=ahead) for ahead in range(days_told(match.request) or 1))


def tell(
    forecast: Forecast,
    request: Request,
    match: Match,
    place: str,
    days: Sequence[date],
    units: WeatherUnits,
) -> tuple[str, ...]:
    """What is said about some days, or about now if there are none. Pure."""
    indices = [forecast.day(day) for day in days]
    if any(index is None for index in indices):
        return (request.phrase(Weather.name, "too_far"),)
    known = [(day, i) for day, i in zip(days, indices, strict=True) if i is not None]
    if match.intent in {"Rain", "Snow"}:
        if not days:
            return (_falling_now(forecast, request, match),)
        return tuple(_chance(forecast, request, match, day, i, units) for day, i in known)
    if is_about_wind(match.request):
        winds = _winds(forecast, request, place, known, units)
        if winds:
            return winds
    told = []
    today = request.now.date()
    if not days or (tuple(days) == (today,) and match.intent != "Temperature"):
        phrase = "temperature_now" if match.intent == "Temperature" else "now"
        told.append(_now(forecast, request, phrase, place))
    told += [_day(forecast, request, match, place, day, index) for day, index in known]
    return tuple(told)


def _winds(
    forecast: Forecast,
    request: Request,
    place: str,
    days: Sequence[tuple[date, int]],
    units: WeatherUnits,
) -> tuple[str, ...]:
    """The wind on days, which are given with their indices, or now if there are none; empty: the
    source does not tell."""
    if not days:
        now = forecast.current.wind_speed_10m
        if now is None:
            return ()
        wind = _measure(request, f"wind_{units}", round(now))
        return (request.phrase(Weather.name, "wind_now", wind=wind, place=place),)
    told = []
    for day, index in days:
        strongest = forecast.wind(index)
        if strongest is None:
            return ()
        wind = _measure(request, f"wind_{units}", round(strongest))
        told.append(
            request.phrase(
                Weather.name, "wind", Day=_beginning(request, day), place=place, wind=wind
            )
        )
    return tuple(told)


def _now(forecast: Forecast, request: Request, phrase: str, place: str) -> str:
    current = forecast.current
    return request.phrase(
        Weather.name,
        phrase,
        degrees=_degrees(request, current.temperature_2m),
        place=place,
        sky=sky(current.weather_code),
    )


def _day(
    forecast: Forecast, request: Request, match: Match, place: str, day: date, index: int
) -> str:
    daily = forecast.daily
    low, high = round(daily.temperature_2m_min[index]), round(daily.temperature_2m_max[index])
    span = request.phrase(
        Weather.name,
        "range" if low != high else "range_one",
        low=low,
        high=_degrees(request, high, several=low != high),
    )
    chance = forecast.rain_chance(index)
    phrase = "day" if chance is None or chance < UNLIKELY else "day_rain"
    return request.phrase(
        Weather.name,
        "temperature" if match.intent == "Temperature" else phrase,
        Day=_beginning(request, day),
        place=place,
        sky=sky(daily.weather_code[index]),
        range=span,
        chance=chance,
    )


def _falling_now(forecast: Forecast, request: Request, match: Match) -> str:
    code = forecast.current.weather_code
    falls = code in (_SNOW if match.intent == "Snow" else _RAIN)
    return request.phrase(Weather.name, "raining" if falls else "not_raining", sky=sky(code))


def _chance(
    forecast: Forecast,
    request: Request,
    match: Match,
    day: date,
    index: int,
    units: WeatherUnits,
) -> str:
    said = _day_name(request, day)
    code = forecast.daily.weather_code[index]
    snow = match.intent == "Snow"
    chance = forecast.rain_chance(index)
    if chance is None or (snow and code not in _SNOW) or (not snow and code in _SNOW):
        falls = code in (_SNOW if snow else _RAIN)
        phrase = "expected" if falls else "not_expected"
        return request.phrase(Weather.name, phrase, day=said, sky=sky(code))
    phrase = "likely" if chance >= LIKELY else "perhaps" if chance >= UNLIKELY else "unlikely"
    what = request.phrase(Weather.name, "snow" if snow else "rain")
    amount = forecast.rainfall(index)
    if phrase == "likely" and not snow and amount is not None and amount >= _LEAST_RAIN[units]:
        rounded = round(amount) if amount >= 1 and units == "metric" else round(amount, 1)
        amount_said = _measure(request, f"rainfall_{units}", rounded)
        return request.phrase(
            Weather.name, "likely_amount", what=what, day=said, chance=chance, amount=amount_said
        )
    return request.phrase(Weather.name, phrase, what=what, day=said, chance=chance)


def _measure(request: Request, phrase: str, count: float) -> str:
    """A number with its unit."""
    return request.phrase(Weather.name, f"{phrase}_one" if count == 1 else phrase, count=count)


def _degrees(request: Request, value: float, *, several: bool = False) -> str:
    count = round(value)
    phrase = "degrees_one" if abs(count) == 1 and not several else "degrees"
    return request.phrase(Weather.name, phrase, count=count)


def _beginning(request: Request, day: date) -> str:
    """A day at the beginning of a sentence."""
    said = _day_name(request, day)
    return said[:1].upper() + said[1:]


def _day_name(request: Request, day: date) -> str:
    days = (day - request.now.date()).days
    if days in (0, 1):
        return request.phrase(Weather.name, ("today", "tomorrow")[days])
    return request.phrase(Weather.name, "on_weekday", weekday=WEEKDAYS[day.weekday()])
