"""Who wants to hear where an answer is from, and what is said then."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lobug.language.en.citing import Source, citation, without_request

TODAY = datetime(2026, 6, 15, 12, tzinfo=UTC).timestamp()
MARCH = datetime(2026, 3, 10, 12, tzinfo=UTC).timestamp()
EARLIER = datetime(2024, 12, 10, 12, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Where do I live? Cite your memories.", "Where do I live?"),
        ("Where do I live? Please cite your sources!", "Where do I live?"),
        ("Where do I live, and say where you know it from?", "Where do I live?"),
        ("Where do I live and tell me where you know that from", "Where do I live"),
        ("Cite your memories: where do I live?", "where do I live?"),
        ("Please name your sources, what is my dog called?", "what is my dog called?"),
        ("Tell me what I like. Name your sources, please.", "Tell me what I like."),
        ("Do I have a dog? Say how you know.", "Do I have a dog?"),
        ("Who is Hanna, with sources?", "Who is Hanna?"),
    ],
)
def test_the_request_is_taken_out_of_the_words(said: str, left: str) -> None:
    assert without_request(said) == (left, True)


@pytest.mark.parametrize(
    "said",
    [
        "Where do I live?",
        "Cite your memories.",
        "Where do you know that from?",
        "How do you know that?",
        "I name my sources in the thesis",
        "Say where you know Hanna from the club",
        "My memories of Rome are good",
        "",
    ],
)
def test_other_words_stay_as_they_are(said: str) -> None:
    assert without_request(said) == (said, False)


def test_long_texts_are_read_at_once() -> None:
    for text in ("and " * 2_000, " " * 8_000 + "?", "cite " * 1_600, ", " * 4_000):
        assert without_request(text) == (text, False)


def told(content: str, at: float = MARCH) -> Source:
    return Source("told", content, at)


ROME = told("The user lives in Rome")


def test_a_source_is_named_with_its_time() -> None:
    asked = "Where do I live?"
    answered = "You live in Rome."
    assert citation(answered, asked, [ROME], TODAY) == (
        "I know that from what you told me in March."
    )
    both = [told("The user lives in Rome", EARLIER), ROME, told("Rome is lovely", TODAY)]
    assert citation(answered, asked, both, TODAY) == (
        "I know that from what you told me today, in March and in December 2024."
    )
    mixed = [
        Source("said", "Rome is far away", MARCH),
        Source("notes", "[2026-03-01 12:00] The user moved to Rome.", MARCH),
        Source("import", "The user lives in Rome", EARLIER),
        Source("agent", "The user's home is in Rome", TODAY),
        Source("identity", "Lives in Rome"),
    ]
    assert citation(answered, asked, mixed, TODAY) == (
        "I know that from what I said in March, my notes of what we talked about in March, what was"
        " imported in December 2024 and what I noted today."
    )
    assert citation(answered, asked, mixed[-1:], TODAY) == (
        "I know that from what I always keep in mind about you."
    )


@pytest.mark.parametrize(
    ("asked", "reply", "content"),
    [
        ("Where do I live?", "I don't know where you live.", "The user lives in Rome"),
        ("Where do I live?", "You haven\u2019t told me where you live.", "The user lives in Rome"),
        ("Where do I live?", "You live on a planet.", "The user lives in Rome"),
        ("How far is the moon?", "About 384,000 kilometres.", "The user likes the moon"),
        ("Do I have a dog?", "Yes, you have a cat.", "The user's dog Rex likes bones"),
    ],
)
def test_what_the_reply_does_not_say_is_not_named(asked: str, reply: str, content: str) -> None:
    assert citation(reply, asked, [told(content)], TODAY) == ""


def test_a_yes_to_all_of_a_memory_names_it() -> None:
    dog = told("The user has a dog")
    assert citation("Yes, you have a dog.", "Do I have a dog?", [dog], TODAY) != ""
    assert citation("It is late.", "Do I have a dog?", [dog], TODAY) == ""
    assert citation("You live in Rome.", "Where do I live?", [], TODAY) == ""
