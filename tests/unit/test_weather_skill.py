"""The weather: what is said, and what a source may answer, on a real socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lobug.settings.skills import SkillSettings, WeatherPlace, WeatherUnits
from lobug.skills import forecasts
from lobug.skills.forecasts import (
    Forecast,
    SourceUnreachableError,
    SourceUnreadableError,
    fetch_forecast,
)
from lobug.skills.weather import Weather
from support.skill_kit import NOW, SkillKit

LEEDS = WeatherPlace(name="Leeds", latitude=53.8, longitude=-1.55)
# Tuesday 24 November to the Tuesday after.
DAYS = 8
FORECAST: dict[str, Any] = {
    "current": {"temperature_2m": 7.4, "weather_code": 3},
    "daily": {
        "time": [(NOW.date() + timedelta(days=ahead)).isoformat() for ahead in range(DAYS)],
        "weather_code": [3, 63, 0, 71, 80, 2, 1, 45],
        "temperature_2m_max": [9.2, 8.0, 11.0, 1.0, 6.0, 7.0, 8.0, 5.0],
        "temperature_2m_min": [4.1, 5.0, 3.0, -2.0, 2.0, 3.0, 4.0, 5.0],
        "precipitation_probability_max": [20, 85, 5, 70, 45, 10, 0, None],
    },
}
SAID = [
    ("What's the weather like?",
     ("It's 7 degrees now in Leeds, with clouds."
      " Today in Leeds: clouds, between 4 and 9 degrees.")),
    ("Hey Lo-Bug, could you tell me what the weather is like today please?",
     ("It's 7 degrees now in Leeds, with clouds."
      " Today in Leeds: clouds, between 4 and 9 degrees.")),
    ("weather forecast for tomorrow",
     "Tomorrow in Leeds: rain, between 5 and 8 degrees, and 85 percent chance of rain."),
    ("what will the weather be like on Thursday",
     "On Thursday in Leeds: clear skies, between 3 and 11 degrees."),
    ("What's the weather this weekend?",
     ("On Saturday in Leeds: light showers, between 2 and 6 degrees, and 45 percent chance of rain."
      " On Sunday in Leeds: some clouds, between 3 and 7 degrees.")),
    ("Will it rain tomorrow?", "Yes, rain is likely tomorrow: 85 percent."),
    ("is it going to rain today", "No, rain is unlikely today: 20 percent."),
    ("is it going to rain", "No, rain is unlikely today: 20 percent."),
    ("is it windy outside",
     ("It's 7 degrees now in Leeds, with clouds.")),
    ("will it rain on Saturday", "Perhaps, the chance of rain on Saturday is 45 percent."),
    ("Do I need an umbrella tomorrow?", "Yes, rain is likely tomorrow: 85 percent."),
    ("Is it raining?", "No, not now."),
    ("is it raining right now", "No, not now."),
    ("will it snow on Friday", "Yes, snow is likely on Friday: 70 percent."),
    ("Will it rain on Friday?", "No, on Friday there will be snow showers."),
    ("will it snow tomorrow", "No, tomorrow there will be rain."),
    ("How cold is it outside?", "It's 7 degrees now in Leeds."),
    ("how warm will it be on Friday", "On Friday it's between -2 and 1 degrees in Leeds."),
    ("What's the temperature outside right now?", "It's 7 degrees now in Leeds."),
    ("what's the temperature tomorrow", "Tomorrow it's between 5 and 8 degrees in Leeds."),
    ("what's the weather in Paris", "I only know the weather in Leeds."),
    ("what's the weather in Leeds",
     ("It's 7 degrees now in Leeds, with clouds."
      " Today in Leeds: clouds, between 4 and 9 degrees.")),
    ("what's the weather on 3 January", "My weather source does not look that far ahead."),
    ("I'm going out, is it cold outside?", "It's 7 degrees now in Leeds."),
]  # fmt: skip
ORDINARY = [
    "We talked about the weather all evening.",
    "I like warm weather.",
    "It was raining when we met.",
    "My sister loves the rain.",
    "The weather was awful on our trip.",
    "I'm under the weather today.",
    "What kind of weather do cats like?",
    "I have a cold.",
    "Is it cold on Mars?",
    "I lost my umbrella.",
    "Snow White is my favourite story.",
    "A nice day at the beach is all I want.",
    "What causes rain?",
    "Why is snow white?",
    "The forecast said it would rain.",
]
FORECAST["daily"]["weather_code"][3] = 85


def kit(folder: Path, skill: Weather) -> SkillKit:
    return SkillKit(folder, lambda _agenda, _settings: (skill,))


def configured(**changed: Any) -> SkillSettings:
    return SkillSettings(
        weather_url="http://127.0.0.1:9/v1/forecast", weather_place=LEEDS, **changed
    )


async def test_questions_about_the_weather_are_answered(tmp_path: Path) -> None:
    asked = []

    async def fetch(url: str, place: WeatherPlace, _units: WeatherUnits) -> Forecast:
        asked.append((url, place.name))
        return Forecast.model_validate(FORECAST)

    people = kit(tmp_path, Weather(configured(), fetch=fetch, clock=lambda: 0.0))
    wrong: list[tuple[str, str | None, str | None]] = [
        (text, said, expected)
        for text, expected in SAID
        if (said := await people.say("ada", text)) != expected
    ]
    wrong += [(text, said, None) for text in ORDINARY if (said := await people.say("ada", text))]
    assert wrong == []
    assert len(asked) == 1, "a fresh forecast is not asked for again"


async def test_a_forecast_gets_old(tmp_path: Path) -> None:
    now, asked = [0.0], []

    async def fetch(_url: str, _place: WeatherPlace, _units: WeatherUnits) -> Forecast:
        asked.append(now[0])
        return Forecast.model_validate(FORECAST)

    people = kit(tmp_path, Weather(configured(), fetch=fetch, clock=lambda: now[0]))
    for at in (0.0, 599.0, 601.0):
        now[0] = at
        await people.say("ada", "Will it rain tomorrow?")
    assert asked == [0.0, 601.0]


async def test_without_a_source_one_sentence_says_what_is_missing(tmp_path: Path) -> None:
    nothing = kit(tmp_path, Weather(SkillSettings()))
    for text in (
        "Will it rain tomorrow?",
        "What's the weather in Paris?",
        "how cold is it outside",
    ):
        said = await nothing.say("ada", text)
        assert said == "I have no weather source. My owner can set one."
    nowhere = kit(tmp_path, Weather(SkillSettings(weather_url="http://127.0.0.1:9/")))
    said = await nowhere.say("ada", "Will it rain tomorrow?")
    assert said == "I don't know where we are. My owner can set the place for the weather."


@asynccontextmanager
async def source(
    answer: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any],
) -> AsyncIterator[str]:
    """A server of one kind of answer; yields its address."""
    serving = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = serving.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/v1/forecast"
    finally:
        serving.close()


def with_body(
    body: bytes, head: str = "HTTP/1.1 200 OK"
) -> tuple[list[str], Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]]:
    """The requests that came, and a server that answers each with ``body``."""
    requests: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        with suppress(ConnectionError):
            await writer.drain()
        writer.close()

    return requests, answer


async def test_a_source_is_asked_for_the_place_and_nothing_else() -> None:
    requests, answer = with_body(json.dumps(FORECAST).encode())
    async with source(answer) as url:
        forecast = await fetch_forecast(url, LEEDS, "metric")
    assert forecast.current.temperature_2m == 7.4
    assert forecast.daily.weather_code[1] == 63
    path = requests[0].split(" ")[1]
    assert path.startswith("/v1/forecast?latitude=53.8&longitude=-1.55&current=")
    assert "unit" not in path, "metric units are the source's own"
    assert "cookie" not in requests[0].lower()


IN_US_UNITS: dict[str, Any] = {
    "current": {"temperature_2m": 101.3, "weather_code": 0, "wind_speed_10m": 1.2},
    "daily": {
        **FORECAST["daily"],
        "temperature_2m_max": [104.0, 95.2, 60.0, 33.8, 42.8, 44.6, 46.4, 41.0],
        "temperature_2m_min": [71.6, 70.0, 37.4, 28.4, 35.6, 37.4, 39.2, 41.0],
        "precipitation_sum": [0.0, 0.42, 0.0, 0.2, 0.1, 0.0, 0.0, 0.0],
        "wind_speed_10m_max": [12.4, 31.6, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0],
    },
}
SAID_IN_US_UNITS = [
    ("How hot is it outside?", "It's 101 degrees now in Leeds."),
    ("what's the temperature tomorrow", "Tomorrow it's between 70 and 95 degrees in Leeds."),
    ("Will it rain tomorrow?", "Yes, rain is likely tomorrow: 85 percent, about 0.4 inches."),
    ("Is it windy outside?", "The wind is 1 mile per hour now in Leeds."),
    ("How windy will it be tomorrow?", "Tomorrow in Leeds: wind of up to 32 miles per hour."),
    ("Is there much wind?", "The wind is 1 mile per hour now in Leeds."),
    ("Is there any rain expected?", "No, rain is unlikely today: 20 percent."),
    ("Is it going to be windy?", "Today in Leeds: wind of up to 12 miles per hour."),
]


async def test_us_units_are_asked_for_and_told(tmp_path: Path) -> None:
    requests, answer = with_body(json.dumps(IN_US_UNITS).encode())
    async with source(answer) as url:
        settings = SkillSettings(weather_url=url, weather_place=LEEDS, weather_units="us")
        people = kit(tmp_path, Weather(settings, clock=lambda: 0.0))
        said = [(text, await people.say("ada", text)) for text, _ in SAID_IN_US_UNITS]
    assert said == SAID_IN_US_UNITS
    assert len(requests) == 1
    for asked in ("temperature_unit=fahrenheit", "wind_speed_unit=mph", "precipitation_unit=inch"):
        assert asked in requests[0]


async def test_wind_and_rain_have_metric_units(tmp_path: Path) -> None:
    daily = {**IN_US_UNITS["daily"], "precipitation_sum": [0.0, 12.4, 0, 0, 0, 0, 0, 0]}
    _requests, answer = with_body(json.dumps({**IN_US_UNITS, "daily": daily}).encode())
    async with source(answer) as url:
        settings = SkillSettings(weather_url=url, weather_place=LEEDS)
        people = kit(tmp_path, Weather(settings, clock=lambda: 0.0))
        assert await people.say("ada", "will it rain tomorrow") == (
            "Yes, rain is likely tomorrow: 85 percent, about 12 millimetres."
        )
        assert await people.say("ada", "will it be windy tomorrow") == (
            "Tomorrow in Leeds: wind of up to 32 kilometres per hour."
        )


def changed(**values: Any) -> bytes:
    """The forecast with other values of the days."""
    return json.dumps({**FORECAST, "daily": {**FORECAST["daily"], **values}}).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"", b"rubbish", b"[]", b"null", b"{}", b'{"current": 3, "daily": 4}',
        b"\xff\xfe" * 50, b"[" * 5_000,
        b" " * (5 * 1024 * 1024),
        changed(weather_code=[1]), changed(time=["yesterday"] * DAYS), changed(time=[]),
        changed(weather_code=[-1] * DAYS), changed(weather_code=["<script>"] * DAYS),
        changed(temperature_2m_max=[1e9] * DAYS), changed(temperature_2m_max=[None] * DAYS),
        changed(precipitation_probability_max=[400] * DAYS), changed(wind_speed_10m_max=[1] * 3),
        changed(wind_speed_10m_max=[-1] * DAYS), changed(precipitation_sum=["wet"] * DAYS),
        json.dumps({**FORECAST, "current": {"temperature_2m": float("nan"), "weather_code": 1}})
        .encode(),
    ],
)  # fmt: skip
async def test_rubbish_is_no_forecast(body: bytes) -> None:
    _requests, answer = with_body(body)
    async with source(answer) as url:
        with pytest.raises(SourceUnreadableError):
            await fetch_forecast(url, LEEDS, "metric")


async def test_a_source_is_not_followed_to_another_address() -> None:
    elsewhere, good = with_body(json.dumps(FORECAST).encode())
    async with source(good) as other:
        _, moved = with_body(b"", f"HTTP/1.1 302 Found\r\nLocation: {other}")
        async with source(moved) as url:
            with pytest.raises(SourceUnreachableError):
                await fetch_forecast(url, LEEDS, "metric")
    assert elsewhere == []


@pytest.mark.parametrize("head", ["HTTP/1.1 500 Oops", "HTTP/1.1 404 Not Found", "SMTP hello"])
async def test_a_refusing_source_is_no_source(head: str) -> None:
    _requests, answer = with_body(b"{}", head)
    async with source(answer) as url:
        with pytest.raises(SourceUnreachableError):
            await fetch_forecast(url, LEEDS, "metric")


async def test_a_slow_source_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecasts, "TIMEOUT_S", 0.2)

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
        try:
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.05)
        except ConnectionError:
            writer.close()

    async with source(drip) as url:
        slow = kit(tmp_path, Weather(SkillSettings(weather_url=url, weather_place=LEEDS)))
        said = await slow.say("ada", "Will it rain tomorrow?")
    assert said == "My weather source does not answer."


async def test_a_source_that_is_away_is_told(tmp_path: Path) -> None:
    serving = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    port = serving.sockets[0].getsockname()[1]
    serving.close()
    await serving.wait_closed()
    settings = SkillSettings(weather_url=f"http://127.0.0.1:{port}/", weather_place=LEEDS)
    away = kit(tmp_path, Weather(settings))
    assert await away.say("ada", "weather forecast for tomorrow") == (
        "My weather source does not answer."
    )


async def test_settings_that_change_are_asked_with_at_once(tmp_path: Path) -> None:
    asked: list[tuple[str, str, str]] = []

    async def fetch(url: str, place: WeatherPlace, units: WeatherUnits) -> Forecast:
        asked.append((url, place.name, units))
        return Forecast.model_validate(FORECAST)

    weather = Weather(configured(), fetch=fetch, clock=lambda: 0.0)
    people = kit(tmp_path, weather)
    await people.say("ada", "What's the weather?")
    york = WeatherPlace(name="York", latitude=54.0, longitude=-1.1)
    weather.use(SkillSettings(weather_url="http://x/", weather_place=york, weather_units="us"))
    assert "York" in (await people.say("ada", "What's the weather?") or "")
    assert asked[1:] == [("http://x/", "York", "us")]
    await people.say("ada", "What's the weather?")
    assert len(asked) == 2
