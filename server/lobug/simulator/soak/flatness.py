"""Whether what a server holds stays flat while it works. Pure.

A soak measures at rest: no turn is under way and no device is connected. What is held then should
be the same at the end as at the beginning. A run is judged by the turns that were taken, not by
the clock, since nothing is held for a quiet night. The first quarter of them is warm-up: caches
fill, threads are started, code is imported.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

LEAST_MEASUREMENTS = 8
"""Fewest measurements for a verdict: two in each quarter."""

LEAST_TURNS = 30
"""Fewest turns in a quarter for a verdict on growth per turn: the database writes unevenly."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much a measure may grow and still count as flat."""

    name: str
    unit: str
    absolute: float
    """In the measure's unit."""
    relative: float = 0.0
    """Share of its median in the second quarter of the turns. The larger of both counts."""
    per_turn: bool = False
    """The measure grows with what is said, by design: judged is its growth for each turn, which
    may be larger at the end than in the second quarter by this tolerance."""
    judged: bool = True
    """Whether growth is a failure. Otherwise the measure is only shown."""


TOLERANCES = (
    Tolerance("resident_mb", "MB", absolute=16.0, relative=0.10),
    Tolerance("malloc_mb", "MB", absolute=4.0, relative=0.10),
    Tolerance("blocks", "blocks", absolute=12_000.0, relative=0.02),
    Tolerance("objects", "objects", absolute=20_000.0),
    Tolerance("descriptors", "", absolute=2.0),
    Tolerance("tasks", "", absolute=2.0),
    Tolerance("threads", "", absolute=2.0),
    Tolerance("connections", "", absolute=0.0),
    Tolerance("pending_tasks", "", absolute=10.0, judged=False),
    Tolerance("files", "", absolute=2.0),
    Tolerance("rows", "rows a turn", absolute=2.0, relative=0.5, per_turn=True),
    Tolerance("database_kb", "kB a turn", absolute=4.0, relative=0.5, per_turn=True),
)
"""What a soak judges.

``resident_mb``: resident memory. Its bound is the widest, since both allocators keep the memory
that the largest export has freed. ``malloc_mb`` and ``blocks``: memory in use, as malloc and as
Python's own allocator count it. ``objects``: Python objects that the garbage collector knows.
``pending_tasks``: background work that was left when the rest ended; it depends on the computer's
speed, so it is only shown."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was held at one rest."""

    at_s: float
    """Simulated seconds since the beginning."""
    turns: int
    """Turns so far."""
    values: Mapping[str, float]
    """By measure; one that this system cannot tell is missing."""


Trend = Literal["flat", "grows", "unknown", "shown"]


@dataclass(frozen=True, slots=True)
class MeasureVerdict:
    """The judgement of one measure."""

    tolerance: Tolerance
    outcome: Trend
    """unknown: it was measured too rarely, or never. shown: it is not judged."""
    first: float | None = None
    """At the first rest."""
    before: float | None = None
    """Median of the second quarter; of a measure per turn, its growth a turn in that."""
    after: float | None = None
    """The same of the last quarter."""
    last: float | None = None
    """At the last rest."""
    highest: float | None = None
    allowed: float | None = None
    """How much larger ``after`` may be than ``before``."""


def judge(
    measurements: Sequence[Measurement], tolerances: Sequence[Tolerance] = TOLERANCES
) -> list[MeasureVerdict]:
    """A verdict on each measure. ``measurements`` are in order of time."""
    return [_verdict(measurements, tolerance) for tolerance in tolerances]


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Of the least-squares line through points (x, y); 0 where all have the same x."""
    if len({x for x, _ in points}) < 2:
        return 0.0
    return statistics.linear_regression(*zip(*points, strict=True)).slope


def _verdict(measurements: Sequence[Measurement], tolerance: Tolerance) -> MeasureVerdict:
    name = tolerance.name
    known = [one for one in measurements if name in one.values]
    if len(known) < LEAST_MEASUREMENTS:
        return MeasureVerdict(tolerance, "unknown")
    values = [one.values[name] for one in known]
    quarters = _quarters(known)
    second, last = quarters[1], quarters[3]
    if tolerance.per_turn:
        if min(_turns(second), _turns(last)) < LEAST_TURNS:
            return MeasureVerdict(tolerance, "unknown")
        before, after = _a_turn(second, name), _a_turn(last, name)
    else:
        before, after = (
            statistics.median(one.values[name] for one in quarter) for quarter in (second, last)
        )
    allowed = max(tolerance.absolute, tolerance.relative * abs(before))
    grown = after - before > allowed
    if not tolerance.per_turn:
        # Medians and regression line must agree: a single step after the warm-up lifts the line
        # less than the medians, and a sawtooth can lift the medians alone.
        judged = [one for quarter in quarters[1:] for one in quarter]
        worked = [_worked(one, known) for one in judged]
        line = slope([(x, one.values[name]) for x, one in zip(worked, judged, strict=True)])
        grown = grown and line * (worked[-1] - worked[0]) > allowed
    outcome: Trend = "grows" if grown else "flat"
    return MeasureVerdict(
        tolerance,
        outcome if tolerance.judged else "shown",
        first=values[0],
        before=before,
        after=after,
        last=values[-1],
        highest=max(values),
        allowed=allowed,
    )


def _quarters(known: Sequence[Measurement]) -> list[list[Measurement]]:
    """The measurements in four parts of equally many turns, at least two measurements in each. If
    the turns were too uneven for that: four parts of equally many measurements."""
    turns = known[-1].turns - known[0].turns
    parts: list[list[Measurement]] = [[], [], [], []]
    for one in known:
        parts[min(3, 4 * (one.turns - known[0].turns) // max(1, turns))].append(one)
    if min(map(len, parts)) >= 2:
        return parts
    count = len(known)
    return [list(known[i * count // 4 : (i + 1) * count // 4]) for i in range(4)]


def _worked(one: Measurement, known: Sequence[Measurement]) -> float:
    """Work done before a measurement: turns, or seconds when there were no turns."""
    return float(one.turns) if known[-1].turns > known[0].turns else one.at_s


def _turns(quarter: Sequence[Measurement]) -> int:
    return quarter[-1].turns - quarter[0].turns


def _a_turn(quarter: Sequence[Measurement], name: str) -> float:
    return (quarter[-1].values[name] - quarter[0].values[name]) / _turns(quarter)
