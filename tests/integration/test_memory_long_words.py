"""Words as long as a message, and words of other alphabets, are kept and found like others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from lobug.memory.model import Draft, Filter, MemoryScope
from lobug.memory.service import Memory
from support.memory_kit import ADA, BOB, Kit, exchange, look, started

pytestmark = pytest.mark.usefixtures("each_database")

SCOPE = MemoryScope(ADA.user, None)
IDLE_S = 601.0


def run_of(length: int, first: int, last: int) -> str:
    """Characters between two code points that no database can compress."""
    dice = random.Random(7)
    return "".join(chr(dice.randint(first, last)) for _ in range(length))


HEX = "".join(random.Random(7).choices("0123456789abcdef", k=3_000))
RUNS = {
    "hex": HEX,
    "cyrillic": run_of(1_900, 0x430, 0x44F),
    "chinese": run_of(1_900, 0x4E00, 0x9FA0),
    "korean": run_of(1_900, 0xAC00, 0xD7A3),
    "four bytes": run_of(1_900, 0x20000, 0x2A6D0),
}


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    kit = Kit(tmp_path / "memory.db")
    kit.settings = kit.settings.model_copy(update={"max_content_chars": 8_000})
    return kit


OTHER = "Die Huehner sind laut"


async def found(memory: Memory, word: str) -> Sequence[str]:
    """The entries but ``OTHER`` that are found by a word. That one is asked for as well: where no
    entry has any word of the question, they are looked through for its text."""
    hits = await memory.search(SCOPE, f"{word} Huehner", Filter(), limit=5)
    return [hit.content for hit in hits if hit.content != OTHER]


@pytest.mark.parametrize("run", RUNS)
async def test_what_is_said_with_a_long_word_is_summed_up(kit: Kit, run: str) -> None:
    said = f"Ich wohne bei meiner Schwester und der Schluessel ist {RUNS[run]}"
    async with started(kit) as memory:
        await exchange(memory, said)
        await exchange(memory, "I keep hens.", conversation_key=BOB)
        for _ in range(2):
            await memory.process_due()
            kit.clock.advance(IDLE_S)
        await memory.process_due()
        assert memory.stats().pending_tasks == memory.stats().parked_tasks == 0
    kept = look(
        kit.path, "SELECT content FROM memories WHERE category = 'timeline' AND user = 'ada'"
    )
    assert any(said in content for (content,) in kept)


@pytest.mark.parametrize("run", RUNS)
async def test_an_entry_with_a_long_word_is_kept_and_found_by_it(kit: Kit, run: str) -> None:
    content = f"Der Schluessel ist {RUNS[run]}"
    kit.embedder.go_down()  # nothing is found but by its words
    async with started(kit) as memory:
        stored = await memory.store(SCOPE, Draft(content=content, tags=("keys",)))
        await memory.store(SCOPE, Draft(content=OTHER))
        assert await found(memory, RUNS[run]) == [content]
        edited = f"{content} und {RUNS[run][::-1]}"
        await memory.edit(SCOPE, stored.id, content=edited)
        assert await found(memory, RUNS[run][::-1]) == [edited]
        await memory.forget(SCOPE, stored.id)


@pytest.mark.parametrize("run", ["cyrillic", "chinese", "four bytes"])
@pytest.mark.parametrize(
    ("told", "stored"), [("I live in {}", 1), ("My sister's {} is called Tom", 0)]
)
async def test_a_turn_that_tells_something_with_a_long_word_is_logged(
    kit: Kit, told: str, stored: int, run: str
) -> None:
    told = told.format(RUNS[run][:1_400])
    async with started(kit) as memory:
        await exchange(memory, told)
        await exchange(memory, told)
        await memory.process_due()
        assert memory.stats().messages == 4
    facts = look(kit.path, "SELECT count(*) FROM memories WHERE layer = 'knowledge'")
    assert facts == [(stored,)]


@pytest.mark.parametrize(
    "word", ["Москве", "Łukasz", "Straße", "Køge", "東京", "서울", "Οδυσσέας", "Müller", "naïve"]
)
async def test_words_of_any_alphabet_are_found(kit: Kit, word: str) -> None:
    content = f"Der Schluessel liegt bei {word}, im Schrank"
    kit.embedder.go_down()
    async with started(kit) as memory:
        await memory.store(SCOPE, Draft(content=content))
        await memory.store(SCOPE, Draft(content=OTHER))
        assert await found(memory, word.lower()) == [content]
