"""The pure parts of a soak: what is judged flat, and what devices do in their day."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from lobug.cli.simulate.soak_server import ScaledClock, SoakServerOptions, tracked_objects
from lobug.simulator.soak.device import Tally
from lobug.simulator.soak.flatness import (
    Measurement,
    MeasureVerdict,
    Tolerance,
    Trend,
    judge,
    slope,
)
from lobug.simulator.soak.plan import (
    HOUR_S,
    HOURLY_SHARE,
    MAX_DEVICES,
    MAX_HOURS,
    Action,
    SoakRunOptions,
    Transport,
    plan,
    transport_of,
)
from lobug.simulator.soak.runner import SoakResult, at_rest, log_faults

HELD = Tolerance("held", "", absolute=2.0, relative=0.05)
WRITTEN = Tolerance("written", "", absolute=1.0, relative=0.5, per_turn=True)


def measured(
    held: Callable[[int], float], count: int = 24, name: str = "held"
) -> list[Measurement]:
    """One measurement an hour, 50 turns apart."""
    return [Measurement(HOUR_S * i, 50 * i, {name: held(i)}) for i in range(count)]


def verdict_on(
    held: Callable[[int], float], tolerance: Tolerance = HELD, count: int = 24
) -> MeasureVerdict:
    [verdict] = judge(measured(held, count, tolerance.name), [tolerance])
    return verdict


@pytest.mark.parametrize(
    ("held", "outcome"),
    [
        (lambda i: 18.0, "flat"),
        (lambda i: 18.0 + i, "grows"),  # one descriptor an hour
        (lambda i: 18.0 + 50 * i, "grows"),  # one a turn
        (lambda i: 18.0 - i / 2, "flat"),  # it shrinks
        (lambda i: 18.0 + (40.0 if i == 20 else 0.0), "flat"),  # one peak, late
        (lambda i: 18.0 + 30.0 * min(1.0, i / 5), "flat"),  # warm-up: growth in the first quarter
        (lambda i: 100.0 + 20.0 * (1 - math.exp(-i / 2)), "flat"),  # a cache fills
        (lambda i: 100.0 + (i % 4) * 10.0, "flat"),  # a saw: collected again and again
        (lambda i: 100.0 + (i % 4) * 10.0 + 2.0 * i, "grows"),  # a saw that climbs
        (lambda i: 18.0 + 0.08 * i, "flat"),  # less than is tolerated
        (lambda i: 1_000.0 + 3.0 * i, "flat"),  # by the share: 5 % of 1,000
        (lambda i: 1_000.0 + 6.0 * i, "grows"),
        (lambda i: 18.0 + (10.0 if i > 12 else 0.0), "grows"),  # a step that stays
    ],
)
def test_what_is_flat_and_what_grows(held: Callable[[int], float], outcome: Trend) -> None:
    assert verdict_on(held).outcome == outcome


def test_the_teeth_of_a_saw_that_lie_badly_are_no_growth() -> None:
    """The medians of the quarters rise, by where the teeth lie; the line through all falls."""
    teeth = [10] * 6 + [30, *[10] * 5] + [40, 34, 28, 22, 16, 10] + [30, *[14] * 5]
    verdict = verdict_on(lambda i: float(teeth[i]), count=len(teeth))
    assert verdict.before is not None
    assert verdict.after is not None
    assert verdict.allowed is not None
    assert verdict.after - verdict.before > verdict.allowed  # the medians alone would say so
    assert verdict.outcome == "flat"


def test_a_quiet_night_is_no_warm_up() -> None:
    """By the clock the caches would fill in the second quarter; by the turns they do in the
    first."""
    turns = [*range(12), *(100 * i for i in range(1, 37))]
    night = [
        Measurement(HOUR_S * i, taken, {"held": 100.0 + 50.0 * min(1.0, taken / 500)})
        for i, taken in enumerate(turns)
    ]
    assert judge(night, [HELD])[0].outcome == "flat"


def test_a_soak_without_turns_is_judged_by_its_measurements() -> None:
    idle = [Measurement(HOUR_S * i, 0, {"held": 18.0 + i}) for i in range(24)]
    assert judge(idle, [HELD])[0].outcome == "grows"


def test_a_verdict_tells_its_figures() -> None:
    verdict = verdict_on(lambda i: 10.0 + i)
    assert (verdict.first, verdict.last, verdict.highest) == (10.0, 33.0, 33.0)
    assert verdict.before == pytest.approx(18.5)  # hours 6 to 11
    assert verdict.after == pytest.approx(30.5)  # hours 18 to 23
    assert verdict.allowed == 2.0


@pytest.mark.parametrize(
    ("written", "outcome"),
    [
        (lambda i: 500.0 * i, "flat"),  # ten a turn, all day
        (lambda i: 500.0 * i + 2.0 * i * i * i, "grows"),  # each turn writes more than the last
        (lambda i: 500.0 * min(i, 12), "flat"),  # what was old is erased
    ],
)
def test_what_grows_by_design_is_judged_by_turn(
    written: Callable[[int], float], outcome: Trend
) -> None:
    assert verdict_on(written, WRITTEN).outcome == outcome


def test_growth_by_turn_is_unknown_where_hardly_anybody_talked() -> None:
    quiet = [Measurement(HOUR_S * i, i, {"written": 10.0 * i}) for i in range(24)]
    assert judge(quiet, [WRITTEN])[0].outcome == "unknown"


@pytest.mark.parametrize("values", [{}, {"other": 1.0}])
def test_what_was_never_measured_is_unknown(values: Mapping[str, float]) -> None:
    never = [Measurement(HOUR_S * i, i, values) for i in range(24)]
    assert judge(never, [HELD])[0].outcome == "unknown"


def test_too_few_measurements_are_no_verdict_and_fail_a_soak() -> None:
    assert verdict_on(lambda i: 9.0 * i, count=7).outcome == "unknown"
    assert verdict_on(lambda i: 9.0 * i, count=8).outcome == "grows"
    result = SoakResult(SoakRunOptions(1.0), Tally(), measured(lambda i: 1.0, count=3))
    assert result.problems == ["there are too few measurements for a verdict"]


def test_a_soak_in_which_nobody_talked_says_so() -> None:
    result = SoakResult(SoakRunOptions(0.02), Tally(), measured(lambda i: 1.0, name="tasks"))
    assert result.problems == ["nobody talked; run it for more hours"]


def test_what_is_only_shown_fails_nothing() -> None:
    shown = Tolerance("held", "", absolute=2.0, judged=False)
    assert verdict_on(lambda i: 50.0 * i, shown).outcome == "shown"


def test_the_slope_of_points() -> None:
    assert slope([(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]) == pytest.approx(2.0)
    assert slope([(1.0, 1.0), (1.0, 9.0)]) == 0.0


def test_a_soak_fails_for_growth_for_failed_turns_and_for_errors_in_the_log() -> None:
    flat = [Measurement(HOUR_S * i, 50 * i, {"descriptors": 18.0}) for i in range(16)]
    assert SoakResult(SoakRunOptions(1.0), Tally(turns=9), flat).ok
    leaking = [Measurement(HOUR_S * i, 50 * i, {"descriptors": 18.0 + i}) for i in range(16)]
    assert SoakResult(SoakRunOptions(1.0), Tally(turns=9), leaking).problems == [
        "descriptors grows"
    ]
    tally = Tally(turns=9)
    tally.failed("turn", "no answer")
    tally.failed("turn", "no answer")
    assert SoakResult(SoakRunOptions(1.0), tally, flat).problems == ["turn: no answer (2 times)"]
    logged = SoakResult(SoakRunOptions(1.0), Tally(turns=9), flat, log_faults=["ERROR lobug: no"])
    assert logged.problems == ["the server logged: ERROR lobug: no"]


def test_an_error_of_the_log_is_reported_with_its_stack_trace(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    error = (
        "2026-11-29 23:51:21,497 ERROR   asyncio: Task exception was never retrieved\n"
        "Traceback (most recent call last):\n"
        '  File "server.py", line 484, in _load\n'
        "builtins.SystemError\n"
    )
    log.write_text(
        f"2026-11-29 23:51:20,000 WARNING lobug: slow\n{error}"
        "2026-11-29 23:51:22,000 WARNING lobug: slow again\n"
    )
    assert log_faults(log) == [error.rstrip()]
    log.write_text("2026-11-29 23:51:20,000 WARNING lobug: slow\n")
    assert log_faults(log) == []
    assert log_faults(tmp_path / "no.log") == []


def test_counting_objects_breaks_no_tuple_that_another_thread_is_building() -> None:
    faults: list[SystemError] = []
    enough = threading.Event()

    def build() -> None:
        while not enough.is_set():
            try:
                tuple(sum(range(50)) + number for number in range(200))
            except SystemError as fault:
                faults.append(fault)

    thread = threading.Thread(target=build)
    thread.start()
    try:
        counted = [tracked_objects() for _ in range(50)]
    finally:
        enough.set()
        thread.join()
    assert faults == []
    assert min(counted) > 1_000


def test_a_plan_is_the_same_for_the_same_seed_and_in_order() -> None:
    made = plan(20, 24.0, 96.0, seed=7)
    assert made == plan(20, 24.0, 96.0, seed=7)
    assert made != plan(20, 24.0, 96.0, seed=8)
    assert made == sorted(made, key=lambda one: one.at_s)
    assert 0 <= made[0].at_s <= made[-1].at_s < 24 * HOUR_S
    assert {one.device for one in made} == set(range(20))


def test_a_plan_has_about_as_many_actions_as_asked_for_and_quiet_nights() -> None:
    made = plan(100, 24.0, 96.0)
    assert len(made) == pytest.approx(9_600, rel=0.1)
    by_hour = Counter(int(one.at_s // HOUR_S) for one in made)
    night, evening = sum(by_hour[h] for h in (1, 2, 3, 4)), sum(by_hour[h] for h in (18, 19, 20))
    assert evening > 10 * night > 0
    assert sum(HOURLY_SHARE) == pytest.approx(24.0)


def test_bursts_follow_one_another_and_every_action_comes_by_its_own_door() -> None:
    made = plan(20, 24.0, 96.0)
    doors: dict[Transport, set[Action]] = {Transport.HTTP: set(), Transport.SOCKET: set()}
    for one in made:
        doors[transport_of(one.device)].add(one.action)
    assert doors[Transport.HTTP] | doors[Transport.SOCKET] == set(Action)
    assert {Action.EXPORT, Action.FORGET, Action.HALF_SENT} <= doors[Transport.HTTP]
    assert {Action.BREAK_OFF, Action.VANISH, Action.PAIR} <= doors[Transport.SOCKET]
    of_first = [one.at_s for one in made if one.device == 0]
    gaps = [after - before for before, after in pairwise(of_first)]
    assert any(gap == pytest.approx(20.0) for gap in gaps)


@pytest.mark.parametrize(
    ("devices", "hours", "actions"),
    [
        (1, 0.0, 96.0),
        (1, math.nan, 96.0),
        (1, MAX_HOURS + 1, 96.0),
        (0, 1.0, 96.0),
        (MAX_DEVICES + 1, 1.0, 96.0),
        (100, 24.0, 10_000.0),
    ],
)
def test_a_plan_beyond_its_bounds_is_refused(devices: int, hours: float, actions: float) -> None:
    with pytest.raises(ValueError, match="a soak"):
        plan(devices, hours, actions)


def test_a_soak_in_real_time_begins_in_the_evening_and_takes_its_time() -> None:
    compressed, real = SoakRunOptions(24.0), SoakRunOptions(0.5, factor=1.0)
    assert compressed.real_s == pytest.approx(900.0)
    assert real.real_s == pytest.approx(1_800.0)
    assert len(compressed.plan()) > 700
    assert len(real.plan()) > 200


def test_a_server_is_at_rest_when_nothing_changes_and_nobody_is_connected() -> None:
    quiet = {"tasks": 8.0, "descriptors": 18.0, "connections": 0.0}
    assert at_rest(quiet, quiet)
    assert not at_rest({**quiet, "tasks": 9.0}, quiet)
    assert not at_rest({**quiet, "connections": 2.0}, {**quiet, "connections": 2.0})


def test_the_clock_of_a_soak_runs_faster_from_now_on() -> None:
    now = 50.0
    clock = ScaledClock(96.0, wall=lambda: 1_000.0, monotonic=lambda: now)
    assert clock() == 1_000.0
    now = 60.0
    assert clock() == 1_960.0


def test_a_soak_reads_no_settings_of_its_owner(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("soak")
    monkeypatch.setenv("LOBUG_DATA_DIR", "/nobody/elses")
    monkeypatch.setenv("LOBUG_HOST", "0.0.0.0")
    settings = SoakServerOptions(str(folder), 96.0).settings()
    assert settings.data_dir == folder / "data"
    assert settings.host == "127.0.0.1"
