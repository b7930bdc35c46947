"""Which sentences say what is to be forgotten."""

from __future__ import annotations

import pytest

from lobug.language.en import mentions


@pytest.mark.parametrize(
    ("content", "sentence", "said"),
    [
        ("The user lives in Portland", "I live in Portland.", True),
        ("The user lives in Portland", "I live in Portland with my cat.", True),
        ("The user lives in Portland", "You moved to Portland, right?", True),
        ("The user lives in Portland", "PORTLAND'S weather is bad", True),
        ("The user lives in Portland", "My sister lives in Portland.", False),
        ("The user lives in Portland", "I live in Port Land.", False),
        ("The user is 25 years old", "I turned twenty-five.", True),
        ("The user bought a boat", "I'm buying the boat today", True),
        ("The user's sister is named Anna", "My sister Anna called.", True),
        ("The user's sister is named Anna", "My brother Anna called.", False),
        ("The user's sister is named Anna", "Anna called.", False),
        ("The user's favorite drink is cocoa", "My favourite drink is cocoa.", True),
        ("The user likes coffee", "I really love coffee.", True),
        ("The user likes coffee", "I had coffee with Tom at the station.", False),
        ("The user's code is b52x", "Enter b52x at the green door behind the house.", False),
        ("Der Nutzer wohnt in Köln", "Der Nutzer wohnt seit Mai in Köln.", True),
        ("用户住在波特兰", "他说用户住在波特兰。", True),
        ("用户住在波特兰", "波特兰很大。", False),
    ],
)
def test_a_sentence_says_what_an_entry_says(content: str, sentence: str, said: bool) -> None:
    found = mentions.of_content(content)
    assert found
    assert mentions.contains_any(sentence, found) is said


def test_only_the_sentences_that_say_it_are_cut() -> None:
    found = mentions.of_content("The user lives in Portland")
    text = "Hello!  I live in Portland. It rains.\nPortland is wet."
    assert mentions.without(text, found) == "Hello! It rains."
    other = "Nothing  of the kind.\n\nAt all."
    assert mentions.without(other, found) is other


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        ("that I live in Portland", "I live in Portland"),
        ("everything you know about my dog Rex.", "my dog Rex"),
        ("please what I told you about Portland", "Portland"),
        ("about that", "that"),
        ("  Portland ", "Portland"),
    ],
)
def test_what_leads_up_to_a_request_is_no_part_of_it(request_: str, asked: str) -> None:
    assert mentions.tidy_request(request_) == asked


@pytest.mark.parametrize(
    "text", ["", "that", "me", "everything", "it all", "what I said today", "🦊", "?!", "my job"]
)
def test_a_request_without_a_distinctive_word(text: str) -> None:
    assert mentions.of_request(text) is None


def test_no_text_takes_long() -> None:
    found = mentions.of_content("The user lives in Portland")
    text = "I live somewhere else, and " * 40_000
    assert mentions.without(text, found) is text
    assert mentions.of_request("a" * 1_000_000) is not None
