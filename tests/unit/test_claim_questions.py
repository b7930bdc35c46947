"""What questions ask of memory, and that ordinary questions ask nothing."""

from __future__ import annotations

import random
import time

import pytest

from lobug.language.claims import Asked
from lobug.language.en.claims.questions import read_question
from lobug.language.en.claims.topics import read_topic
from lobug.language.en.claims.wording import wording_book
from support.claims import asked_of, data_lines

USUAL = "Where is my red umbrella?"
MOST_TIMES = 200.0
MOST_ROUNDS = 20
LONG = [
    "what " + "is my sister's " * 60,
    "my sister's " * 13 + "name?",
    "Do I like " + "jazz and " * 15 + "rock?",
    "I went to the shop. " * 500 + "Where do I live?",
    "what " * 30,
    "where is " + "my keys " * 18,
]
OPEN = {"attribute", "location", "takes_place"}
OWN = {"user", "he", "she", "they", "it", "that"}


def expected_of(line: str) -> tuple[str, Asked]:
    question, _, rest = line.partition("|")
    return question.strip(), asked_of(rest)


KNOWN = {None, *wording_book().wordings}
QUESTIONS = [expected_of(line) for line in data_lines("claim_questions.txt")]
ORDINARY = data_lines("ordinary_questions.txt")


@pytest.mark.parametrize(("question", "expected"), QUESTIONS)
def test_a_question_is_read(question: str, expected: Asked) -> None:
    assert read_question(question) == expected


@pytest.mark.parametrize("question", ORDINARY)
def test_an_ordinary_question_asks_nothing_of_memory(question: str) -> None:
    asked = read_question(question)
    # Of somebody or something by name, and of what, where and when things are, memory checks
    # whether it knows them.
    unsure = asked is not None and (
        asked.subject[0] not in OWN or asked.relation in OPEN or asked.of_talk
    )
    assert asked is None or unsure


def test_there_are_enough_questions() -> None:
    assert len(QUESTIONS) >= 250
    assert len({question.lower() for question, _ in QUESTIONS}) == len(QUESTIONS)


def test_names_of_the_world_are_left_to_memory() -> None:
    assert read_question("Who is Einstein?") == Asked(("einstein",), None)
    assert read_question("How old is the Eiffel tower?") == Asked(("eiffel tower",), "age")


@pytest.mark.parametrize("ending", ["", ".", "?", "??", " ?", "!", "?\n"])
def test_the_mark_at_the_end_does_not_matter(ending: str) -> None:
    assert read_question(f"where do I live{ending}") == Asked(("user",), "home")


@pytest.mark.parametrize("seed", range(10))
def test_any_text_is_read_without_an_error(seed: int) -> None:
    choose = random.Random(seed)
    spoken = " ".join([*(question for question, _ in QUESTIONS), *ORDINARY]).split()
    strange = [
        "'s",
        "'",
        "?",
        "my",
        "of",
        "\U0001f642",
        "\u2019",
        "I'm",
        "",
        "the",
        "can't",
        "\x00",
    ]
    for _ in range(300):
        words = choose.choices([*spoken, *strange], k=choose.randint(0, 12))
        text = " ".join(words)
        asked = read_question(text)
        topic = read_topic(text)
        for read in (asked, topic):
            assert read is None or (read.relation in KNOWN and all(read.subject))


def test_no_question_takes_long_to_read() -> None:
    """Against an ordinary question that is read in turns with it, so that a busy machine slows
    both. Careless reading takes thousands of times as long."""
    read_question(USUAL)  # reads the books
    for question in [*(question for question, _ in QUESTIONS), *ORDINARY, *LONG]:
        taken = usual = float("inf")
        for _ in range(MOST_ROUNDS):
            usual = min(usual, _seconds(USUAL))
            taken = min(taken, _seconds(question))
            if taken <= MOST_TIMES * usual:
                break
        assert taken <= MOST_TIMES * usual, question


def _seconds(question: str) -> float:
    start = time.thread_time()  # not the time that the machine gives to others
    read_question(question)
    return time.thread_time() - start
