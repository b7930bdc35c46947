"""The recall cases themselves, and that the evaluator tells a good memory from a bad one."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest
from pydantic import ValidationError

from lobug.evaluation.case_run import Judged, misses, report, run_case, run_cases
from lobug.evaluation.cases import (
    Case,
    CaseCategory,
    Say,
    World,
    load_cases,
    load_worlds,
    parse_cases,
)
from support.evaluation_subjects import EmptySubject, LeakingSubject, OracleSubject, subject_maker

CASES = load_cases()
WORLDS = load_worlds()


def test_there_are_enough_cases_of_every_category() -> None:
    counted = Counter(case.category for case in CASES)
    assert len(CASES) >= 180
    assert set(counted) == set(get_args(CaseCategory))
    assert min(counted.values()) >= 8, counted


def test_evidence_competes_with_ordinary_turns() -> None:
    for world in WORLDS.values():
        assert 40 <= len(world.turns) <= 80, world.name


def test_nothing_is_told_twice() -> None:
    """A question or a turn that is the copy of another measures the same thing twice."""
    said = [step.say for case in CASES for step in case.steps if isinstance(step, Say)]
    said += [turn.say for world in WORLDS.values() for turn in world.turns]
    twice = {text for text, times in Counter(said).items() if times > 1}
    assert twice == {"I am scared of spiders."}  # two people with the same words, on purpose


def test_one_category_alone() -> None:
    assert {case.category for case in load_cases("when")} == {"when"}


GOOD = """
category = "update"
[[case]]
id = "a"
world = "maya"
steps = [
  { id = "said", at = "2026-01-01 10:00", say = "The moon is full." },
  { id = "kept", at = "2026-01-01 10:01", store = "The moon is full", from = "said" },
]
questions = [{ ask = "What is the moon?", expect = ["kept"] }]
"""


def test_a_good_file_is_read() -> None:
    (case,) = parse_cases(GOOD)
    assert [step.id for step in case.steps] == ["said", "kept"]


@pytest.mark.parametrize(
    ("was", "becomes", "why"),
    [
        ('expect = ["kept"]', 'expect = ["other"]', "names no step"),
        ('from = "said"', 'from = "nobody"', "not a turn before"),
        ('id = "kept"', 'id = "said"', "two steps"),
        ("10:01", "09:00", "order"),
        ('expect = ["kept"]', 'expect = ["kept"], nothing = true', "something and nothing"),
        (', expect = ["kept"]', "", "checks nothing"),
        ('store = "The moon is full"', 'stored = "The moon is full"', "stored"),
        ('category = "update"', 'category = "gossip"', "category"),
    ],
)
def test_a_file_with_an_error_is_refused(was: str, becomes: str, why: str) -> None:
    assert was in GOOD
    with pytest.raises(ValidationError, match=why):
        parse_cases(GOOD.replace(was, becomes))


def test_a_step_may_only_forget_what_was_stored() -> None:
    with pytest.raises(ValidationError, match="not a memory"):
        Case.model_validate(
            {
                "id": "a",
                "category": "deletion",
                "world": "maya",
                "steps": [{"at": "2026-01-01", "forget": "nothing"}],
                "questions": [{"ask": "?", "nothing": True}],
            }
        )


async def judged(kind: type[OracleSubject]) -> list[Judged]:
    return await run_cases(CASES, WORLDS, subject_maker(kind, CASES))


async def test_a_memory_that_knows_all_answers_passes() -> None:
    found = report(await judged(OracleSubject))
    assert found["misses"] == []
    for name in ("recall@5", "all@10", "mrr", "ndcg@10", "floor", "in_order", "evidence_in_prompt"):
        assert found[name] == 1.0, name
    assert found["forbidden"] == 0
    assert found["questions"] == sum(len(case.questions) for case in CASES)


async def test_a_memory_that_tells_everything_to_everybody_fails() -> None:
    found = report(await judged(LeakingSubject))
    # Every question that guards somebody's words, or what was corrected or forgotten, is hit.
    guards = [
        (case, question)
        for case in CASES
        for question in case.questions
        if question.never or question.never_words or case.category in {"correction", "deletion"}
    ]
    assert found["forbidden"] >= len(guards)
    assert found["floor_nothing"] == 0.0
    assert found["recall@10"] < 0.2


async def test_a_memory_that_recalls_nothing_fails() -> None:
    found = report(await judged(EmptySubject))
    assert found["recall@10"] == found["mrr"] == found["floor_something"] == 0.0
    assert found["floor_nothing"] == 1.0
    assert found["forbidden"] == 0


def story(text: str) -> tuple[Case, World]:
    (case,) = parse_cases(text)
    return case, WORLDS[case.world]


async def test_an_old_turn_above_the_evidence_is_out_of_order() -> None:
    case, world = story(
        """
category = "update"
[[case]]
id = "a"
world = "maya"
steps = [
  { id = "old", at = "2026-01-01 10:00", say = "The sofa is grey." },
  { id = "new", at = "2026-03-30 10:00", say = "The sofa is yellow." },
]
questions = [
  { ask = "What colour is the sofa?", expect = ["new"], before = ["old"] },
  { ask = "What colour was the sofa?", expect = ["old"], before = ["new"] },
]
"""
    )
    newest_wrong, oldest_right = await run_case(case, world, subject_maker(LeakingSubject, [case]))
    assert newest_wrong.in_order is False
    assert oldest_right.in_order is True
    assert any("out of date" in wrong for wrong in misses(newest_wrong))


async def test_a_memory_counts_as_the_turn_it_was_taken_from() -> None:
    case, world = story(GOOD)
    (answer,) = await run_case(case, world, subject_maker(OracleSubject, [case]))
    assert answer.evidence == {"said"}
    assert answer.ranked == ("said",)


async def test_another_persons_turn_is_forbidden_without_being_named() -> None:
    case, world = story(
        """
category = "two_people"
[[case]]
id = "a"
world = "maya"
steps = [{ id = "guest", who = "visitor", at = "2026-01-01 10:00", say = "The sofa is grey." }]
questions = [{ ask = "What colour is the sofa?", nothing = true }]
"""
    )
    (answer,) = await run_case(case, world, subject_maker(LeakingSubject, [case]))
    assert answer.forbidden == ("guest",)
