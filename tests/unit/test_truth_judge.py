"""The judge of the truth scenarios: replies, what memory holds, the figures."""

from __future__ import annotations

import pytest

from lobug.evaluation.truth import Check, Say, TruthKind
from lobug.evaluation.truth_judge import (
    Failure,
    Held,
    PlayedScenario,
    Reply,
    Turn,
    figures,
    judge_held,
    judge_reply,
    report,
)


def said(*reply: str, never: tuple[str, ...] = ()) -> Say:
    return Say.model_validate({"say": "Where do I live?", "reply": reply, "never": never})


def check(**expected: tuple[str, ...]) -> Check:
    return Check.model_validate(expected)


def reply(text: str, ms: float = 1.0, *, model: bool = False) -> Reply:
    return Reply(text, ms, model)


def test_all_patterns_of_a_reply_must_be_found() -> None:
    assert judge_reply(3, said("oxford", "you"), reply("You live in Oxford.")) == []
    (failure,) = judge_reply(3, said("oxford", "leeds"), reply("Oxford."))
    assert failure == Failure(3, "the reply lacks leeds", "Where do I live?", "Oxford.")


def test_no_pattern_of_never_may_be_found() -> None:
    step = said(never=("london", "paris"))
    assert judge_reply(1, step, reply("In Oxford.")) == []
    wrong = [failure.wrong for failure in judge_reply(1, step, reply("LONDON and Paris"))]
    assert wrong == ["the reply has london", "the reply has paris"]


def test_a_failed_turn_fails_whatever_is_expected() -> None:
    failed = Reply("", 1.0, used_model=True, error="engine_timeout")
    (failure,) = judge_reply(1, said(), failed)
    assert "engine_timeout" in failure.wrong


@pytest.mark.parametrize("text", ["You don\u2019t smoke", "You  don't\n smoke", "you DON'T smoke"])
def test_quotes_case_and_spaces_make_no_difference(text: str) -> None:
    assert judge_reply(1, said("you don't smoke"), reply(text)) == []


HELD = Held(
    active=("The user lives in Oxford", "The user has a cat"),
    past=("The user lived in London",),
    summaries=("They spoke of cheese.",),
    exported="Oxford\nLondon\ncheese",
    bytes=b"\x00sqlite\x00the user lives in oxford caf\xc3\xa9!",
)


@pytest.mark.parametrize(
    "step",
    [
        check(believes=("oxford", "cat"), disbelieves=("london",)),
        check(past=("london",), never_past=("oxford",)),
        check(summary=("cheese",), never_summary=("cat",)),
        check(nothing_of=("paris",), no_bytes=("london", "Paris!")),
    ],
)
def test_what_is_held_as_expected_is_no_failure(step: Check) -> None:
    assert judge_held(1, step, HELD) == []


@pytest.mark.parametrize(
    ("step", "wrong"),
    [
        (check(believes=("london",)), "not believed: london"),
        (check(disbelieves=("CAT",)), "believed: CAT in 'The user has a cat'"),
        (check(past=("oxford",)), "not past: oxford"),
        (check(never_past=("london",)), "past: london in 'The user lived in London'"),
        (check(summary=("wine",)), "not summed up: wine"),
        (check(never_summary=("cheese",)), "summed up: cheese in 'They spoke of cheese.'"),
        (check(nothing_of=("cheese",)), "exported: cheese"),
        (check(no_bytes=("OXFORD",)), "in the bytes of a file: OXFORD"),
        (check(no_bytes=("Caf\u00c9!",)), "in the bytes of a file: Caf\u00c9!"),
    ],
)
def test_each_expectation_about_memory_can_fail(step: Check, wrong: str) -> None:
    assert [failure.wrong for failure in judge_held(2, step, HELD)] == [wrong]


def outcome(name: str, kind: TruthKind, *replies: Reply, fails: int = 0) -> PlayedScenario:
    turns = tuple(Turn(number, "ada", "Hm?", one) for number, one in enumerate(replies, start=1))
    return PlayedScenario(name, kind, "settled", turns, (Failure(1, "no"),) * fails)


OUTCOMES = [
    outcome("a", "ask", reply("x", 10.0), reply("y", 900.0, model=True)),
    outcome("b", "ask", reply("x", 30.0), reply("y", 70.0), fails=2),
    outcome("c", "forget", reply("x", 20.0)),
]


def test_figures_count_scenarios_and_time_what_needed_no_model() -> None:
    assert figures(OUTCOMES) == {
        "scenarios": 3,
        "passed": 2,
        "share": 0.6667,
        "replies": 5,
        "without_model": 4,
        "within_50_ms": 0.75,
        "p50_ms": 20.0,
        "p95_ms": 70.0,
    }


def test_figures_of_nothing_are_none() -> None:
    nothing = figures([])
    assert (nothing["scenarios"], nothing["share"], nothing["p50_ms"]) == (0, None, None)


def test_the_report_has_kinds_in_their_order_and_every_scenario() -> None:
    reported = report([*reversed(OUTCOMES)])
    assert reported["by_set"] == {}
    assert list(reported["by_kind"]) == ["forget", "ask"]
    assert reported["by_kind"]["ask"]["share"] == 0.5
    assert [result["id"] for result in reported["results"]] == ["c", "b", "a"]
    assert [result["passed"] for result in reported["results"]] == [True, False, True]
    assert reported["results"][1]["turns"][0]["reply"]["ms"] == 30.0


def test_the_report_has_the_kinds_of_each_set() -> None:
    by_set = report(OUTCOMES, {"ours": {"a", "x"}, "other": ["b", "c"]})["by_set"]
    assert list(by_set) == ["ours", "other"]
    assert (by_set["ours"]["scenarios"], by_set["ours"]["share"]) == (1, 1.0)
    assert (by_set["other"]["scenarios"], by_set["other"]["share"]) == (2, 0.5)
    assert list(by_set["other"]["by_kind"]) == ["forget", "ask"]
    assert list(report(OUTCOMES[:1], {"ours": {"a"}, "other": {"b"}})["by_set"]) == ["ours"]
