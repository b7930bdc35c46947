"""How a question is put to the index, and when one fact takes another's place."""

from __future__ import annotations

import pytest

from lobug.language.en.fact_comparison import only_denies, same_people, slot_of
from lobug.language.en.prompts import SECTIONS
from lobug.language.en.questions import in_third_person, without_asking
from lobug.memory.identity import render
from lobug.memory.learning.distillation import tidy_identity
from lobug.memory.learning.model_requests import GarbledAnswerError
from lobug.memory.learning.summarizer import tidy_summary, transcript
from lobug.memory.model import LoggedMessage
from lobug.memory.recall.turn_search import prepare

SOURCE = (
    "User: My name is Alex, I like tea, I built a robot. We came, went, came again and talked."
    " The user lives in Portland. "
    + " ".join(f"{section} word" for section in SECTIONS)
    + " "
    + " ".join(str(n) for n in range(40))
)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Do you remember my name?", "the user's name?"),
        ("Where do I live?", "Where does the user live?"),
        ("What am I building?", "What the user is building?"),
        ("Tell me what my dog is called", "what the user's dog is called"),
        ("I moved to Rome. Where did I live before?", "Where does the user live before?"),
        ("I am so tired today", "I am so tired today"),
        ("My name is Alex", "My name is Alex"),
        ("Do you remember?", "Do you remember?"),
        ("", ""),
        ("Wo wohne ich?", "Wo wohne ich?"),
    ],
)
def test_questions_are_asked_about_the_user(text: str, query: str) -> None:
    assert in_third_person(text) == query


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Do you remember my name?", ("name",)),
        ("Can you tell me where my keys are?", ("keys",)),
        ("Do you remember?", ("remember",)),
        ("I remember Lisbon", ("remember", "lisbon")),
    ],
)
def test_words_that_ask_to_remember_are_not_looked_for(text: str, words: tuple[str, ...]) -> None:
    assert prepare(without_asking(text)).terms.words == words


@pytest.mark.parametrize(
    ("fact", "slot"),
    [
        ("The user's name is Alex", "name"),
        ("The user is called Alex", "name"),
        ("The user's dog's name is Rex", None),
        ("The user lives in Portland", "home"),
        ("The user has moved to Seattle", "home"),
        ("The user moved to Oslo as a child", None),
        ("The user moved to Seattle ten years ago", None),
        ("The user lives in an old house", None),
        ("The user lives with Anna", None),
        ("The user's sister lives in Rome", None),
        ("The user is 31 years old", "age"),
        ("The user is two years older than Anna", None),
        ("The user is called by Anna every Sunday", None),
        ("The user is named after a saint", None),
        ("The user's name is not Marten", None),
        ("The user's favorite color isn't red", None),
        ("The user's birthday is on March 12th", "birthday"),
        ("The user's favourite colour is green", "favourite color"),
        ("The user's favorite color is blue", "favourite color"),
        ("The user's favorite food is bread", "favourite food"),
        ("The user works at NASA", None),
    ],
)
def test_what_one_has_only_one_of(fact: str, slot: str | None) -> None:
    assert slot_of(fact) == slot


def test_different_relations_are_different_people() -> None:
    assert not same_people("The user's sister is Anna", "The user's brother is Anna")
    assert same_people("The user's sister is Anna", "The user's sister is named Anna")
    assert same_people("The user likes tea", "The user loves tea")


@pytest.mark.parametrize("answer", ["", "  ", "{}", '["a b c d e"]', "Okay.", "***"])
def test_what_is_no_prose_is_no_summary(answer: str) -> None:
    with pytest.raises(GarbledAnswerError):
        tidy_summary(answer, SOURCE)


def test_a_summary_is_one_paragraph_of_at_most_five_whole_sentences() -> None:
    answer = "Summary: **The user** came.\n\nThey went. " + "They came again. " * 3 + "They wen"
    assert tidy_summary(answer, SOURCE) == (
        "The user came. They went. They came again. They came again. They came again."
    )
    assert tidy_summary("The user talked about the", SOURCE) == "The user talked about the"


def test_a_base_memory_is_brought_into_shape() -> None:
    answer = """Here is the document:
## **User Profile:**
* Name: Alex
* name: alex
Preferences: likes tea
### Ongoing Topics
- None
Key History:
- (No information given)
1. Built a robot
"""
    assert tidy_identity(answer, SOURCE, 1_000) == [
        ("User Profile", "Name: Alex"),
        ("Preferences", "likes tea"),
        ("Key History", "1. Built a robot"),
    ]


def test_a_base_memory_that_is_too_long_is_cut_evenly() -> None:
    answer = "\n".join(
        f"{section}:\n" + "\n".join(f"- {section} {n} " + "word " * 9 for n in range(40))
        for section in SECTIONS
    )
    document = render(tidy_identity(answer, SOURCE, 1_000))
    assert 900 < len(document) <= 1_000
    assert all(f"## {section}\n- {section} 0" in document for section in SECTIONS)


@pytest.mark.parametrize("answer", ["", "I cannot do that.", "User Profile:\nPreferences:\n- None"])
def test_a_base_memory_without_content_is_refused(answer: str) -> None:
    with pytest.raises(GarbledAnswerError):
        tidy_identity(answer, SOURCE, 1_000)


def test_a_transcript_holds_whole_messages_and_at_least_one() -> None:
    messages = [LoggedMessage(1, "user", "a\n b", 0.0), LoggedMessage(2, "assistant", "c", 0.0)]
    assert transcript(messages, 100) == ("User: a b\nLo-Bug: c", 2)
    assert transcript(messages, 12) == ("User: a b", 1)
    text, fitting = transcript([LoggedMessage(1, "user", "x" * 9_000, 0.0)], 500)
    assert fitting == 1
    assert len(text) <= 500


def test_a_base_memory_is_read_from_json_too() -> None:
    answer = '{"User Profile": ["Alex", 3], "Preferences": ["likes tea", "likes TEA"], "x": 1}'
    assert tidy_identity(answer, SOURCE, 1_000) == [
        ("User Profile", "Alex"),
        ("Preferences", "likes tea"),
    ]


def test_instructions_and_inventions_never_become_base_memory() -> None:
    answer = """User Profile:
- Lives in Portland
- Lives in Madrid
- Keep names, dates and numbers exactly
- Has 77 robots
"""
    assert tidy_identity(answer, SOURCE, 1_000) == [("User Profile", "Lives in Portland")]


def test_a_summary_keeps_only_what_was_in_the_conversation() -> None:
    answer = (
        "Alex built a robot. Alex likes tea in Madrid. Lo-Bug sold yachts and diamonds to pirates."
    )
    assert tidy_summary(answer, SOURCE) == "Alex built a robot."


def test_nothing_of_the_prompts_example_gets_into_a_summary() -> None:
    told = "Alex built a robot. Alex and the robot talked of tea, hide glue and Portland."
    assert tidy_summary(told, SOURCE) == "Alex built a robot."
    assert tidy_summary(told, f"{SOURCE} We talked of hide glue.") == told


def test_an_old_home_in_base_memory_gives_way_to_the_new_one() -> None:
    facts = ["The user's name is Alex", "The user moved to Seattle"]
    answer = "User Profile:\n- Name is Alex\n- Lives in Portland"
    assert tidy_identity(answer, SOURCE, 1_000, facts) == [
        ("User Profile", "Name is Alex"),
        ("User Profile", "Moved to Seattle"),
    ]


def test_what_a_name_is_not_is_no_fact_beside_what_it_is() -> None:
    told = ["The user's name is Morten", "The user's name is not Marten", "The user is not tall"]
    assert [only_denies(fact, told) for fact in told] == [False, True, False]
    assert not only_denies("The user's name is not Marten", ["The user lives in Oslo"])
