"""The openings of small talk, and the rules that judge a reply to one."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from lobug.evaluation.talk import (
    HALVES,
    KINDS,
    RULES,
    Fault,
    Opening,
    Played,
    Rule,
    figures,
    judge,
    load_openings,
    load_rules,
    report,
)
from lobug.evaluation.truth_judge import Reply

EXAMPLES = (
    "Good morning! Did you sleep well?",
    "You haven't told me your favorite song yet. Which one is it?",
    "About three hundred and eighty four thousand kilometers.",
)


def opening(say: str, **more: object) -> Opening:
    return Opening.model_validate({"say": say, "kind": "statement", **more})


def reply(text: str, error: str | None = None) -> Reply:
    return Reply(text, 1.0, used_model=True, error=error)


def rules_broken(said: Opening, text: str) -> list[Rule]:
    return [fault.rule for fault in judge(said, reply(text), load_rules(), EXAMPLES)]


def test_halves_have_fifty_openings_with_as_many_of_each_kind_and_none_in_common() -> None:
    tuned, held = (load_openings(half) for half in HALVES)
    assert len(tuned) == len(held) == 50
    assert Counter(one.kind for one in tuned) == Counter(one.kind for one in held)
    assert {one.kind for one in tuned} == set(KINDS)
    said = [re.sub(r"\W", "", one.say.lower()) for one in (*tuned, *held)]
    assert len(set(said)) == 100
    for one in (*tuned, *held):
        assert bool(one.answer) >= (one.kind == "question"), one.say


def test_an_answer_contains_what_is_expected_of_it() -> None:
    asked = opening("Who wrote Faust?", answer=["goethe", "german"])
    assert rules_broken(asked, "Goethe did, a German poet.") == []
    assert judge(asked, reply("Goethe did."), load_rules(), ()) == (Fault("answer", "german"),)


def test_what_is_not_known_of_the_person_is_admitted() -> None:
    asked = opening("What's my cat's name?", of_user=True)
    for text in (
        "You haven't told me yet.",
        "I don't know that yet. What is it?",
        "You\u2019ve never told me your cat's name.",
        "I have no idea, tell me!",
    ):
        assert rules_broken(asked, text) == [], text
    assert rules_broken(asked, "Your cat's name is Tom.") == ["answer"]


CASES: tuple[tuple[str, str, Rule | None], ...] = (
    # The examples' own words, and words of their kind.
    ("I bought a bike.", "Good morning! Nice bike.", None),
    ("I bought a bike.", "Did you sleep well?", "parroting"),
    ("I bought a bike.", "That is about three hundred and eighty four steps.", "parroting"),
    ("I bought a bike.", "That's a good thing to ride on.", None),
    ("Do you sing?", "You never told me your song.", "untold"),
    ("Do you sing?", "I don't know that yet.", "untold"),
    ("Do you sing?", "I don't know how to, but I hum.", None),
    # What nobody said.
    ("I bought a bike.", "You told me about it.", "memory"),
    ("I bought a bike.", "You've already mentioned that.", "memory"),
    ("I bought a bike.", "I remember when we rode along the river.", "memory"),
    ("I bought a bike.", "Your bike is new then.", None),
    ("I bought a bike.", "Your garage is big enough.", "memory"),
    ("I bought a bike.", "I hope your garage is big enough.", None),
    ("I bought a bike.", "You love cycling in the hills.", "memory"),
    ("I bought a bike.", "Do you love cycling in the hills?", None),
    # Whose words they are.
    ("I bought a bike.", "I bought a bike too.", "echo"),
    ("I bought a bike.", "You bought a bike, how lovely!", None),
    ("It is cold in the hall.", "It is cold in the hall because a window is open.", None),
    ("I bought a bike.", "A bike.", "echo"),
    ("I bought a bike.", "A bike! How lovely.", None),
    ("I bought a bike.", "The user is happy with it.", "third_person"),
    # Form.
    ("I bought a bike.", "", "length"),
    ("I bought a bike.", "...", "length"),
    ("I bought a bike.", "So. Very. Nice. Indeed.", "length"),
    ("I bought a bike.", "well " * 51, "length"),
    ("I bought a bike.", "It is a [color] one.", "placeholder"),
    ("I bought a bike.", "Please insert your name.", "placeholder"),
    ("I bought a bike.", "As an AI, I don't ride.", "canned"),
    ("I bought a bike.", "I'm sorry, I can't assist with that.", "canned"),
    ("I bought a bike.", "Hello! How can I help you today?", "canned"),
    ("I bought a bike.", "I don't have personal preferences.", "canned"),
    ("I bought a bike.", "Could you please rephrase that?", "canned"),
    ("I bought a bike.", "Could you say that again?", None),
    ("I bought a bike.", "I can't ride, but I can cheer.", None),
    ("I bought a bike.", "很好", "language"),
    ("I bought a bike.", "Das ist aber wirklich sehr schön, mein Freund.", "language"),
    ("I bought a bike.", "Splendid café choice!", None),
)


@pytest.mark.parametrize(("said", "text", "rule"), CASES)
def test_a_reply_breaks_the_rule_or_none(said: str, text: str, rule: Rule | None) -> None:
    assert set(rules_broken(opening(said), text)) == ({rule} if rule else set())


def test_every_rule_has_a_case() -> None:
    assert {rule for _, _, rule in CASES} >= set(RULES) - {"failed", "answer"}


def test_words_of_an_example_may_answer_what_it_answers() -> None:
    said = opening("Morning, Lo-Bug.", near=True)
    assert rules_broken(said, "Good morning! Did you sleep well?") == []
    assert rules_broken(opening("What do I sing?", of_user=True), EXAMPLES[1]) == []


def test_a_failed_turn_is_a_fault_whatever_it_said() -> None:
    (fault,) = judge(opening("Hello."), reply("", "engine_timeout"), load_rules(), ())
    assert fault == Fault("failed", "engine_timeout")


def test_figures_count_an_opening_once_for_each_rule() -> None:
    twice = (Fault("memory", "a"), Fault("memory", "b"), Fault("echo", "c"))
    played = [
        Played("tuned", "chat", "Hello.", reply("Hi."), ()),
        Played("held", "noise", "Hm.", reply("You told me. We met."), twice),
    ]
    assert figures(played) == {
        "openings": 2,
        "passed": 1,
        "share": 0.5,
        "faults": {"echo": 1, "memory": 1},
    }
    assert figures([])["share"] is None
    found = report(played)
    assert found["by_half"]["held"]["passed"] == 0
    assert set(found["by_kind"]) == {"chat", "noise"}
    assert [one["passed"] for one in found["results"]] == [True, False]
