"""A generated sentence passes only if it was said, by whom it says and as it says."""

from __future__ import annotations

import pytest

from lobug.language.en.portrait import history_in, is_lasting, is_supported, line_of
from lobug.language.en.summary_checks import TRIALS, passes, supported_sentences
from lobug.language.en.utterances import Utterance

DIALOGUE = (
    Utterance("user", "I am Ada. I didn't have any fun living in Bristol."),
    Utterance("assistant", "That is a pity. Leeds has lovely parks."),
    Utterance("user", "In May I moved to Leeds, where my wife Carla, who is 34, works as a nurse."),
    Utterance("assistant", "Shall I remind you of anything?"),
    Utterance("user", "Is Oslo the capital of Norway? How do I get rid of rust?"),
    Utterance("assistant", "Oslo is the capital. Vinegar and a brush help against rust."),
    Utterance("user", "I like tea, but I don't drink coffee."),
    Utterance("user", "If my mother calls, tell her that I am at work. Minka the cat is ill."),
    Utterance("user", "Set a timer for ten minutes."),
)


@pytest.mark.parametrize(
    "sentence",
    [
        "The user said that their name is Ada.",
        "The user didn't have any fun living in Bristol.",
        "The user did not have fun in Bristol and moved to Leeds in May.",
        "The user's wife Carla, who is 34, works as a nurse in Leeds.",
        "The user asked whether Oslo is the capital of Norway.",
        "The user asked how to get rid of rust, and Lo-Bug advised vinegar and a brush.",
        "Lo-Bug said that Leeds has lovely parks.",
        "The user asked Lo-Bug to set a timer for ten minutes.",
        "The user likes tea but doesn't drink coffee.",
    ],
)
def test_what_was_said_passes(sentence: str) -> None:
    assert supported_sentences(sentence, DIALOGUE) == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "Lo-Bug shared that she did not have any fun living in Bristol.",
        "The user had fun living in Bristol.",
        "The user moved to Leeds in June.",
        "The user moved to York in May.",
        "The user's wife Clara works as a nurse.",
        "The user's wife Carla, who is 35, works as a nurse.",
        "Oslo is the capital of Norway, the user said.",
        "The user said that Leeds has lovely parks.",
        "The user advised vinegar and a brush against rust.",
        "Lo-Bug asked how to get rid of rust.",
        "The user doesn't like tea.",
        "The user drinks coffee.",
        "The user's mother called and asked if they were at work.",
        "The user's mother calls the user.",
        "The user asked if Minka was ill.",
        "The user plays the violin every evening.",
    ],
)
def test_what_was_not_said_does_not(sentence: str) -> None:
    assert supported_sentences(sentence, DIALOGUE) == []


CORRECTED = (
    Utterance("user", "My favourite food is ramen. No wait, it's sushi."),
    Utterance("user", "My sister lives in Rome."),
    Utterance("assistant", "Nice."),
    Utterance("user", "That's wrong, she lives in Oslo."),
)


def test_what_was_corrected_does_not_pass_either() -> None:
    right = "The user's favourite food is sushi."
    wrong = [
        "The user's favourite food is ramen.",
        "The user's favourite food is sushi, but then they said that it is ramen.",
        "The user's sister lives in Rome.",
    ]
    assert supported_sentences(" ".join([*wrong, right]), CORRECTED) == [right]


def test_of_a_summary_the_true_sentences_stay() -> None:
    summary = "The user is Ada. The user lives in Paris. The user moved to Leeds in May."
    assert supported_sentences(summary, DIALOGUE) == [
        "The user is Ada.",
        "The user moved to Leeds in May.",
    ]


def test_what_is_not_english_is_not_judged_by_english_rules() -> None:
    said = (Utterance("user", "Ich wohne in Bremen und habe drei Hunde."),)
    assert supported_sentences("Der Benutzer wohnt in Bremen.", said) == [
        "Der Benutzer wohnt in Bremen."
    ]


GOOD = (
    (
        "The user did not enjoy living in Bristol and moved to Leeds in May. The user's wife "
        "Carla works there as a nurse."
    ),
    (
        "The user asked if Oslo is the capital of Norway. The user's brother Henrik flies there "
        "on the fourth of June. He can't swim."
    ),
    "The user's cat Minka is twelve years old. She no longer eats fish, and eats chicken.",
)
BAD = (
    ("Lo-Bug shared that she did not enjoy living in Bristol. The user's wife Carla is a nurse."),
    "The user's brother Henrik, who can swim, flies to Oslo on the fourth of June.",
    "The user's cat Minka is twelve years old and eats fish and chicken.",
)


@pytest.mark.parametrize(("trial", "good", "bad"), list(zip(TRIALS, GOOD, BAD, strict=True)))
def test_a_model_passes_with_a_true_summary_that_tells_enough(
    trial: object, good: str, bad: str
) -> None:
    (found,) = [one for one in TRIALS if one is trial]
    assert passes(found, good)
    assert not passes(found, bad)
    assert not passes(found, "The user talked with Lo-Bug.")
    assert not passes(found, "")


@pytest.mark.parametrize(
    ("line", "supported"),
    [
        ("Lives in Rome", True),
        ("Sister Hanna lives in Rome", True),
        ("Sister Hanna lives in Paris", False),
        ("Brother Hanna lives in Rome", False),
        ("Eats meat", False),
        ("Doesn't eat meat", True),
        ("Hanna keeps bees", False),
    ],
)
def test_a_line_is_supported_by_one_sentence(line: str, supported: bool) -> None:
    sources = ["The user's sister Hanna lives in Rome", "The user doesn't eat meat"]
    assert is_supported(line, sources) is supported


@pytest.mark.parametrize(
    ("fact", "line", "lasting"),
    [
        ("The user lives in Rome", "Lives in Rome", True),
        ("The user's sister is Hanna.", "Sister is Hanna", True),
        ("Hanna plays the violin", "Hanna plays the violin", True),
        ("The user meets Tom tomorrow", "Meets Tom tomorrow", False),
        ("The user flies on Friday", "Flies on Friday", False),
        ("The user thinks that Tom is ill", "Thinks that Tom is ill", False),
    ],
)
def test_a_fact_becomes_a_line_if_it_lasts(fact: str, line: str, lasting: bool) -> None:
    assert (line_of(fact), is_lasting(fact)) == (line, lasting)


def test_only_what_the_user_once_did_is_history() -> None:
    summary = (
        "The user visited Leeds in 2019. The user has a dog. The user's aunt went to Oslo. The user"
        ' went to Paris yesterday. The user asked about rust. The user said: "Hello again."'
        " The user moved to Bath in May."
    )
    assert history_in(summary) == ["The user visited Leeds in 2019"]
