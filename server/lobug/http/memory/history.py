"""`/memory/history`: how a memory has grown, and how fast it is searched; for plots."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from lobug.http.dependencies import ServerDep
from lobug.http.formats import Answer, Time
from lobug.http.memory.requests import EVERYWHERE, MemoryDep, ScopeDep
from lobug.http.problems import error_responses
from lobug.memory.model import GrowthPoint
from lobug.settings.time_zones import time_in_zone

DAY_S = 86_400
MAX_DAYS = 36_600
"""A hundred years."""

By = Literal["day", "week"]


class HistoryDay(BaseModel):
    """What came on one day, or in one week."""

    date: str = Field(description="The day, or the Monday of the week: `2026-03-01`.")
    memories: int = Field(description="Memories that came then and are not inactive now.")
    messages: int = Field(description="Messages of the conversation log.")


class SearchTime(Answer):
    """How long one search took."""

    at: Time = Field(description="When.")
    took_ms: float = Field(description="Milliseconds.")


class RecallTimes(BaseModel):
    """How fast memory is searched."""

    count: int = Field(description="How many searches these are.")
    p50_ms: float | None = Field(description="Half of them were faster; null: there are none.")
    p95_ms: float | None = Field(description="95 of 100 were faster.")
    times: list[SearchTime] = Field(description="Each, the oldest first.")


class MemoryGrowth(BaseModel):
    """How a memory has grown."""

    days: list[HistoryDay] = Field(
        description="The oldest first; days or weeks without anything are left out."
    )
    recalls: RecallTimes


router = APIRouter()


@router.get("/history", responses=error_responses(*EVERYWHERE))
async def history(
    scope: ScopeDep,
    memory: MemoryDep,
    server: ServerDep,
    by: Annotated[By, Query(description="What is counted together.")] = "day",
    days: Annotated[int, Query(ge=1, le=MAX_DAYS, description="How far back.")] = 366,
    recalls: Annotated[
        int, Query(ge=0, le=1_000, description="How many of the last searches.")
    ] = 200,
) -> MemoryGrowth:
    """Count memories and messages by the days of the server's time zone, and tell how long the last
    searches took."""
    since = server.wall() - days * DAY_S
    found = await memory.growth(scope, since=since, last_recalls=recalls)
    zone = server.settings.conversation.time_zone
    # In a thread: years of talk take a tenth of a second and more.
    counted = await asyncio.to_thread(grouped, found.points, zone, by)
    times = [one.took_ms for one in found.recalls]
    return MemoryGrowth(
        days=counted,
        recalls=RecallTimes(
            count=len(times),
            p50_ms=percentile(times, 50),
            p95_ms=percentile(times, 95),
            times=[SearchTime.of(one) for one in found.recalls],
        ),
    )


def grouped(points: Sequence[GrowthPoint], zone: str, by: By) -> list[HistoryDay]:
    """Counts by the days or weeks of a time zone (empty: the system's). Pure."""
    memories: defaultdict[date, int] = defaultdict(int)
    messages: defaultdict[date, int] = defaultdict(int)
    for point in points:
        day = time_in_zone(point.at, zone).date()
        if by == "week":
            day -= timedelta(days=day.weekday())
        memories[day] += point.memories
        messages[day] += point.messages
    return [
        HistoryDay(date=day.isoformat(), memories=memories[day], messages=messages[day])
        for day in sorted(memories)
    ]


def percentile(values: Sequence[float], percent: int) -> float | None:
    """The nearest-rank percentile; None: there are no values. Pure."""
    if not values:
        return None
    rank = -(-len(values) * percent // 100)  # rounded up
    return sorted(values)[max(rank, 1) - 1]
