"""The turn log, the figures, the event loop's lag and the table of turns, by a scripted clock."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from lobug.cli.turns import shown_stages, stage_percentiles, table_rows
from lobug.settings.server import TelemetrySettings
from lobug.telemetry.metrics import STAGE_BUCKETS
from lobug.telemetry.telemetry import (
    FinishedTurn,
    LagWindow,
    Telemetry,
    TurnLog,
    describe,
    watch_loop,
)
from lobug.turn.timeline import Outcome, Timeline


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def finished_turn(
    telemetry: Telemetry,
    *,
    door: str = "device",
    outcome: Outcome = Outcome.RESPOND,
    error: str | None = None,
    **marks: float,
) -> Timeline:
    timeline = Timeline(door, Clock())
    for stage, at in marks.items():
        timeline.mark(stage, 100.0 + at)
    timeline.end(outcome, error)
    telemetry.finished(timeline)
    return timeline


def value(telemetry: Telemetry, name: str, **labels: str) -> float | None:
    return telemetry.metrics.registry.get_sample_value(name, labels)


@pytest.fixture
def telemetry() -> Telemetry:
    return Telemetry(TelemetrySettings(turns_kept=3), Clock(), lambda: 1_700_000_000.0)


# ---- the turn log


def test_the_oldest_turn_goes_first(telemetry: Telemetry) -> None:
    ids = [finished_turn(telemetry).id for _ in range(5)]
    assert [turn.timeline.id for turn in telemetry.turns.newest(10)] == ids[:1:-1]
    assert [turn.timeline.id for turn in telemetry.turns.newest(2)] == [ids[4], ids[3]]
    assert telemetry.turns.get(ids[1]) is None
    kept = telemetry.turns.get(ids[2])
    assert kept is not None
    assert kept.finished_at == 1_700_000_000.0


def test_no_turn_need_be_kept() -> None:
    turns = TurnLog(0)
    turns.add(FinishedTurn(Timeline("text", Clock()), 0.0))
    assert turns.newest(10) == []


# ---- figures of turns


def test_a_stage_is_counted_in_its_bucket(telemetry: Telemetry) -> None:
    for seconds in (0.3, 0.301, 1.2, 11.0):
        finished_turn(telemetry, first_token=seconds)
    found = {
        edge: value(
            telemetry,
            "lobug_turn_stage_seconds_bucket",
            door="device",
            stage="first_token",
            le=str(edge),
        )
        for edge in (0.2, 0.3, 0.4, 1.0, 1.5, 10.0, "+Inf")
    }
    assert found == {0.2: 0, 0.3: 1, 0.4: 2, 1.0: 2, 1.5: 3, 10.0: 3, "+Inf": 4}
    total = value(telemetry, "lobug_turn_stage_seconds_sum", door="device", stage="first_token")
    assert total == pytest.approx(0.3 + 0.301 + 1.2 + 11.0)


def test_the_buckets_suit_a_conversation() -> None:
    assert list(STAGE_BUCKETS) == sorted(set(STAGE_BUCKETS))
    assert (STAGE_BUCKETS[0], STAGE_BUCKETS[-1]) == (0.02, 10)
    assert {1.5, 2.5} <= set(STAGE_BUCKETS)  # the limits of docs/performance.md


def test_doors_and_outcomes_are_counted_apart(telemetry: Telemetry) -> None:
    finished_turn(telemetry, door="text")
    finished_turn(telemetry, outcome=Outcome.INTERRUPTED)
    finished_turn(telemetry, outcome=Outcome.INTERRUPTED)
    finished_turn(telemetry, outcome=Outcome.FAILED, error="busy")
    finished_turn(telemetry, outcome=Outcome.RESPOND, error="engine_failed")  # of the voice
    assert value(telemetry, "lobug_turns_total", door="text", outcome="respond") == 1
    assert value(telemetry, "lobug_turns_total", door="device", outcome="interrupted") == 2
    assert value(telemetry, "lobug_turns_total", door="device", outcome="failed") == 1
    assert value(telemetry, "lobug_turn_errors_total", code="busy") == 1
    assert value(telemetry, "lobug_turn_errors_total", code="engine_failed") == 1


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.CANCELLED])
def test_turns_without_an_answer_make_no_others_look_fast(
    telemetry: Telemetry, outcome: Outcome
) -> None:
    late = finished_turn(telemetry, outcome=outcome, first_token=0.001)
    late.mark("first_audio_played", 100.0)
    for stage in ("first_token", "done", "first_audio_played"):
        count = value(telemetry, "lobug_turn_stage_seconds_count", door="device", stage=stage)
        assert count is None


def test_what_the_device_says_later_is_counted_once(telemetry: Telemetry) -> None:
    timeline = finished_turn(telemetry, first_audio_sent=1.0)
    timeline.mark("first_audio_played", 101.3)
    timeline.mark("first_audio_played", 109.0)
    labels = {"door": "device", "stage": "first_audio_played"}
    assert value(telemetry, "lobug_turn_stage_seconds_count", **labels) == 1
    assert value(telemetry, "lobug_turn_stage_seconds_sum", **labels) == pytest.approx(1.3)
    newest = telemetry.turns.newest(1)[0].timeline
    assert newest.timings()["first_audio_played"] == pytest.approx(1.3)


def test_what_was_done_before_the_end_of_speech_took_no_time(telemetry: Telemetry) -> None:
    finished_turn(telemetry, transcript=-0.4)
    labels = {"door": "device", "stage": "transcript"}
    assert value(telemetry, "lobug_turn_stage_seconds_sum", **labels) == 0.0


def test_an_unknown_stage_makes_no_new_series(telemetry: Telemetry) -> None:
    finished_turn(telemetry, whatever=1.0)
    labels = {"door": "device", "stage": "whatever"}
    assert value(telemetry, "lobug_turn_stage_seconds_count", **labels) is None


def test_speculation_is_summed_up(telemetry: Telemetry) -> None:
    for wasted in (0.25, 0.5):
        timeline = Timeline("device", Clock())
        timeline.speculation_started()
        timeline.speculation_discarded(wasted)
        timeline.speculation_started()
        timeline.end(Outcome.RESPOND)
        telemetry.finished(timeline)
    assert value(telemetry, "lobug_speculations_started_total") == 4
    assert value(telemetry, "lobug_speculations_discarded_total") == 2
    assert value(telemetry, "lobug_speculation_wasted_seconds_total") == 0.75


def test_devices_and_frames(telemetry: Telemetry) -> None:
    with telemetry.connected_device(), telemetry.connected_device():
        with telemetry.talking_device():
            assert value(telemetry, "lobug_devices_connected") == 2
            assert value(telemetry, "lobug_devices_talking") == 1
        assert value(telemetry, "lobug_devices_talking") == 0
    with pytest.raises(ConnectionResetError), telemetry.connected_device():
        raise ConnectionResetError
    assert value(telemetry, "lobug_devices_connected") == 0
    telemetry.audio_received()
    telemetry.audio_received(4)
    telemetry.audio_sent(2)
    assert value(telemetry, "lobug_audio_frames_total", direction="in") == 5
    assert value(telemetry, "lobug_audio_frames_total", direction="out") == 2


def test_two_servers_share_no_figures(telemetry: Telemetry) -> None:
    other = Telemetry(TelemetrySettings())
    finished_turn(telemetry, door="text")
    assert value(other, "lobug_turns_total", door="text", outcome="respond") is None


def test_the_log_line_of_a_turn() -> None:
    timeline = Timeline("device", Clock(), device="Kitchen")
    timeline.counts.heard_characters = 12
    timeline.mark("first_token", 100.5)
    timeline.mark("transcript", 100.25)
    timeline.end(Outcome.FAILED, "engine_interrupted")
    assert describe(timeline) == (
        "door=device outcome=failed error=engine_interrupted heard=12 reply=0"
        " transcript=0.250 first_token=0.500 done=0.000"
    )


# ---- the event loop's lag


class Script:
    """A clock, and a sleep that lasts longer than it was told to, as scripted."""

    def __init__(self, late_s: list[float]) -> None:
        self.now = 50.0
        self.late_s = late_s
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        if not self.late_s:
            raise asyncio.CancelledError
        self.slept.append(seconds)
        self.now += seconds + self.late_s.pop(0)


async def test_lag_is_what_a_sleep_lasts_too_long() -> None:
    script = Script([0.0, 0.004, 1.5, -0.001])
    found: list[float] = []
    with pytest.raises(asyncio.CancelledError):
        await watch_loop(found.append, 0.1, script.clock, script.sleep)
    assert found == pytest.approx([0.0, 0.004, 1.5, 0.0])
    assert script.slept == [0.1] * 4


def test_the_longest_lag_is_of_the_last_minute() -> None:
    clock = Clock()
    window = LagWindow(60.0, clock)
    assert window.longest() == 0.0
    expected = []
    for lag in (0.5, 0.1, 0.2, 0.05):
        window.add(lag)
        expected.append(window.longest())
        clock.now += 20
    assert expected == [0.5, 0.5, 0.5, 0.5]
    assert window.longest() == 0.2  # 80, 60, 40 and 20 seconds ago
    clock.now += 1000
    assert window.longest() == 0.0


async def test_the_lag_is_a_figure() -> None:
    script = Script([0.003, 0.7])
    telemetry = Telemetry(TelemetrySettings(loop_lag_every_s=0.2), script.clock, sleep=script.sleep)
    with pytest.raises(asyncio.CancelledError):
        await telemetry.watch_loop()
    assert value(telemetry, "lobug_event_loop_lag_seconds_bucket", le="0.002") == 0
    assert value(telemetry, "lobug_event_loop_lag_seconds_bucket", le="0.005") == 1
    assert value(telemetry, "lobug_event_loop_lag_seconds_bucket", le="1.0") == 2
    assert value(telemetry, "lobug_event_loop_lag_max_seconds") == pytest.approx(0.7)


# ---- the table of turns


def row(outcome: str = "respond", **timings: float) -> Mapping[str, object]:
    return {
        "id": "abc",
        "finished_at": 1_700_000_000.0,
        "door": "device",
        "device": "Kitchen",
        "outcome": outcome,
        "error": "busy" if outcome == "failed" else None,
        "timings": timings,
    }


def test_stages_stand_in_their_order() -> None:
    found = [row(first_token=0.5, speech_end=0.0), row(transcript=0.2, done=1.0)]
    assert shown_stages(found) == ["transcript", "first_token", "done"]


def test_the_newest_turn_stands_last_above_the_percentiles() -> None:
    newest_first = [row(done=2.0), row("failed", done=0.001), row(done=1.0, recall=0.5)]
    rows = [list(cells) for cells in table_rows(newest_first, ["recall", "done"])]
    assert [cells[4:] for cells in rows] == [
        ["respond", "0.500", "1.000"],
        ["failed (busy)", "", "0.001"],
        ["respond", "", "2.000"],
        ["", "0.500", "1.000"],
        ["", "0.500", "2.000"],
    ]
    assert [cells[0] for cells in rows[3:]] == ["p50", "p95"]


def test_percentiles_are_of_answered_turns() -> None:
    found = [row(done=float(n)) for n in range(1, 21)]
    found += [row("failed", done=100.0), row("cancelled", done=100.0)]
    assert stage_percentiles(found, ["done"], 0.5) == [10.0]
    assert stage_percentiles(found, ["done"], 0.95) == [19.0]
    assert stage_percentiles([], ["done"], 0.5) == [None]
