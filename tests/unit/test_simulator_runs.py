"""Beats, the order of turns, and the figures of the summary."""

from __future__ import annotations

import re

import pytest

from lobug.simulator.http_device import Job, Schedule
from lobug.simulator.results import (
    HealthResult,
    SensorResult,
    Summary,
    TurnResult,
    percentile,
)
from lobug.simulator.runs import RunOptions, TurnPlan, http_reply_name, unmet_by_reply


def turn(**changes: object) -> TurnResult:
    values: dict[str, object] = {
        "index": 1,
        "said": "hello.wav",
        "spoken": True,
        "recording_s": 1.0,
        "seconds": 2.0,
        "first_byte_s": 1.5,
        "status": 200,
        "transcription": "hello",
        "response": "Hi.",
        "action": "respond",
        "wav": b"RIFF",
    }
    values.update(changes)
    return TurnResult(**values)  # type: ignore[arg-type] # a table of changes has no one type


def test_beats_come_by_the_clock() -> None:
    schedule = Schedule({Job.HEALTH: 30.0, Job.SENSORS: 5.0}, started=100.0)
    seen: list[tuple[float, Job]] = []
    now = 100.0
    while now < 131.0:
        seen += [(now, job) for job in schedule.due(now)]
        now += schedule.wait_s(now) or 1.0
    assert [at for at, job in seen if job is Job.SENSORS] == [105, 110, 115, 120, 125, 130]
    assert [at for at, job in seen if job is Job.HEALTH] == [130]


def test_a_missed_beat_is_made_up_for_once() -> None:
    schedule = Schedule({Job.SENSORS: 5.0}, started=0.0)
    assert schedule.due(17.0) == [Job.SENSORS]
    assert schedule.due(17.0) == []
    assert schedule.wait_s(17.0) == pytest.approx(3.0)


def run_plan(plan: TurnPlan, responses: list[str]) -> list[int]:
    taken: list[int] = []
    matched = False
    while (index := plan.next_input(len(taken), matched=matched)) is not None:
        matched = plan.matches(responses[len(taken)] if len(taken) < len(responses) else "")
        taken.append(index)
    return taken


@pytest.mark.parametrize(
    ("plan", "responses", "expected"),
    [
        (TurnPlan(3), [], [0, 1, 2]),
        (TurnPlan(2, max_turns=5), [], [0, 1, 0, 1, 0]),
        (TurnPlan(3, max_turns=2), [], [0, 1]),
        (TurnPlan(2, re.compile("alex")), ["hm", "well", "it is alex"], [0, 1, 0]),
        (TurnPlan(1, re.compile("alex"), 4), [], [0, 0, 0, 0]),
        (TurnPlan(0), [], []),
        (TurnPlan(0, re.compile("alex")), [], []),
    ],
)
def test_the_order_of_turns(plan: TurnPlan, responses: list[str], expected: list[int]) -> None:
    assert run_plan(plan, responses) == expected


def test_until_gives_up_after_twenty_turns_or_all_inputs() -> None:
    pattern = re.compile("x")
    assert len(run_plan(TurnPlan(1, pattern), [])) == 20
    assert len(run_plan(TurnPlan(25, pattern), [])) == 25


def test_expectations_beyond_the_contract() -> None:
    both = RunOptions(expect_speech=True, expect_voice=True)
    assert unmet_by_reply(turn(), both) == []
    assert unmet_by_reply(turn(transcription=" "), both) == [
        "speech was sent but nothing was transcribed"
    ]
    assert unmet_by_reply(turn(wav=b""), both) == ["the reply has no audio"]
    assert unmet_by_reply(turn(wav=b"", action="react"), both) == []
    assert unmet_by_reply(turn(transcription="", spoken=False, wav=b""), both) == []
    assert unmet_by_reply(turn(transcription="", wav=b""), RunOptions()) == []


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("goforward.wav", "001-goforward.wav"),
        ("What's my name?", "001-what-s-my-name.wav"),
        ("../../etc/passwd", "001-etc-passwd.wav"),
        ("Hello there. What can you do?", "001-hello-there-what-can-you-do.wav"),
        ("…", "001-reply.wav"),
    ],
)
def test_reply_names_are_safe_file_names(said: str, name: str) -> None:
    assert http_reply_name(turn(said=said)) == name


def test_the_summary_counts_everything_that_failed() -> None:
    summary = Summary()
    summary.add(turn(seconds=1.0))
    summary.add(turn(seconds=3.0))
    ok_at_first = summary.ok
    summary.add(turn(problems=("no",), seconds=99.0))
    summary.add(HealthResult(0.1, ("late",)))
    summary.add(SensorResult(0.1, {}, ()))
    record = summary.record()
    assert ok_at_first
    assert not summary.ok
    assert record["failed_turns"] == 1
    assert record["health_failures"] == 1
    assert record["sensor_failures"] == 0
    assert record["p95_s"] == 3.0, "failed turns say nothing about speed"


def test_until_that_is_not_reached_is_a_failure() -> None:
    assert not Summary(turns=[turn()], until="alex").ok
    assert Summary(turns=[turn()], until="alex", matched=True).ok


def test_percentiles() -> None:
    assert percentile([], 0.5) is None
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([float(i) for i in range(101)], 0.95) == 95.0
