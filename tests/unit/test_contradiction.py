"""Which memory a correction makes wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lobug.language.en.fact_comparison import contradicts, with_instead, with_value, wrong_entry
from lobug.memory.model import Draft, Entry, MemoryScope
from lobug.memory.service import Memory
from support.memory_kit import Kit, started

ME = MemoryScope("ada", "ada-desk")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with started(Kit(tmp_path / "memory.db")) as memory:
        yield memory


async def entries(memory: Memory, *contents: str) -> list[Entry]:
    return [await memory.store(ME, Draft(content)) for content in contents]


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("The user's sister is called Hannah", "The user's sister is named Anna"),
        ("The user's sister's name is Hannah", "The user's sister is called Anna"),
        ("The user's name is Alex", "The user is called Alan"),
        ("The user lives in Seattle", "The user moved to Portland"),
        ("The user works at Nike", "The user works at Adidas"),
        ("The user is 31 years old", "The user is 30 years old"),
        ("The user's birthday is in May", "The user's birthday is in June"),
        ("The user has two cats", "The user has three cats"),
    ],
)
def test_two_that_cannot_both_be_true(right: str, said: str) -> None:
    assert contradicts(right, said)


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("The user's sister is called Hannah", "The user's sister is a nurse"),
        ("The user's sister is called Hannah", "The user's brother is called Anna"),
        ("The user's sister is called Hannah", "The user is called Anna"),
        ("The user works at Nike", "The user works as a baker"),
        ("The user was born in 1980", "The user was born in Rome"),
        ("The user likes tea", "The user likes coffee"),
        ("The user has two cats", "The user has a dog"),
        ("Anna is allergic to nuts", "Anna is allergic to milk"),
        ("The user's car is blue", "The user's car is fast"),
        ("Anna is here", ""),
    ],
)
def test_two_that_may_both_be_true(right: str, said: str) -> None:
    assert not contradicts(right, said)


async def test_the_words_that_were_called_wrong_decide(memory: Memory) -> None:
    known = await entries(memory, "The user likes coffee", "The user likes milk")
    found = wrong_entry("The user likes tea", "milk", known)
    assert found is not None
    assert found.content == "The user likes milk"
    assert wrong_entry("The user likes tea", "wine", known) is None


async def test_what_the_reply_had_used_may_be_meant_more_loosely(memory: Memory) -> None:
    blue, _ = known = await entries(
        memory, "The user's car is blue", "The user's sister is a nurse"
    )
    assert wrong_entry("The user's car is red", None, known) is None
    assert wrong_entry("The user's car is red", None, known, {blue.id}) is blue


async def test_of_two_that_may_be_meant_none_is_taken(memory: Memory) -> None:
    known = await entries(memory, "The user's car is blue", "The user's car is fast")
    assert wrong_entry("The user's car is red", None, known, {e.id for e in known}) is None


async def test_what_says_so_already_is_not_wrong(memory: Memory) -> None:
    assert (
        wrong_entry("The user lives in Rome", None, await entries(memory, "the user lives in Rome"))
        is None
    )


def test_another_word_in_the_place_of_the_wrong_one() -> None:
    said = "The user's sister Anna likes Annapolis"
    assert with_instead(said, "anna", "Hannah") == "The user's sister Hannah likes Annapolis"
    assert with_instead(said, "Hanna", "Hannah") is None
    assert with_instead("It is (a+b)", "a+b", r"\1") == r"It is (\1)"


def test_another_value() -> None:
    assert with_value("The user's sister is called Anna", "Hannah") == (
        "The user's sister is called Hannah"
    )
    assert with_value("The user lives in Portland", "Seattle") == "The user lives in Seattle"
    assert with_value("The user smokes", "Seattle") is None
