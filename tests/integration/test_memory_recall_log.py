"""The retrieval log: what a turn was given of memory, and why."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lobug.errors import MemoryNotFoundError
from lobug.memory.model import ConversationKey, Draft, Filter, MemoryContext, MemoryScope
from lobug.memory.recall.turn_search import no_longer_believed
from lobug.memory.service import Memory
from lobug.settings import MemorySettings
from support.memory_kit import Kit, opened

pytestmark = pytest.mark.usefixtures("each_database")

ADA = ConversationKey("ada", "ada/device:desk")
ACCESS = MemoryScope("ada", "ada/device:desk")
BOB = MemoryScope("bob", "bob/device:desk")


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db")


@pytest_asyncio.fixture
async def memory(kit: Kit) -> AsyncIterator[Memory]:
    manager = kit.memory()
    await manager.start(work=False)
    yield manager
    await manager.close()


async def turn(memory: Memory, said: str) -> tuple[int, MemoryContext]:
    message_id = await memory.log_user_message(ADA, said)
    context = await memory.retrieve_context(ADA, said, message_id=message_id)
    await memory.log_reply(ADA, message_id, "Noted.", extract=True)
    return message_id, context


async def test_what_went_to_the_prompt_and_how_it_scored_is_noted(memory: Memory) -> None:
    bees = await memory.store(ACCESS, Draft("The user keeps bees"))
    await memory.store(ACCESS, Draft("Tea is in the cupboard"))
    await memory.process_due()
    message_id, context = await turn(memory, "How many bees do I keep?")
    assert [m.reference for m in context.recalled] == [f"memory:{bees.id}"]
    why = await memory.explain(ACCESS, message_id)
    assert (why.message_id, why.query) == (message_id, "How many bees do I keep?")
    assert why.injected == (f"memory:{bees.id}",)
    best = why.hits[0]
    assert (best.id, best.content) == (bees.id, "The user keeps bees")
    assert {"relevance", "trust", "recency", "importance", "words", "meaning"} <= set(best.parts)
    assert best.score >= max(hit.score for hit in why.hits if hit.kind == "memory")
    assert (await memory.explain(ACCESS)).id == why.id
    assert [recall.id for recall in await memory.recalls(ACCESS)] == [why.id]


async def test_what_was_recalled_is_counted(kit: Kit, memory: Memory) -> None:
    bees = await memory.store(ACCESS, Draft("The user keeps bees"))
    tea = await memory.store(ACCESS, Draft("The user drinks tea"))
    for _ in range(3):
        kit.clock.advance(60.0)
        await turn(memory, "How many bees do I keep?")
    counted = {e.id: e for e in await memory.entries(ACCESS, Filter())}
    assert counted[bees.id].recall_count == 3
    assert counted[bees.id].last_recalled_at == kit.clock()
    assert (counted[tea.id].recall_count, counted[tea.id].last_recalled_at) == (0, None)


async def test_words_whose_fact_was_edited_stay_out_until_it_is_restored(
    kit: Kit, memory: Memory
) -> None:
    told, _ = await turn(memory, "I keep bees in Lisbon")
    await memory.process_due()
    (bees,) = await memory.entries(ACCESS, Filter())
    assert bees.source_message_id == told

    def stays_out() -> bool:
        with opened(kit.path) as connection:
            return no_longer_believed(connection, ADA.user, [told], past=False) == {told}

    tagged = await memory.edit(ACCESS, bees.id, tags=("hobby",))
    assert not stays_out(), "its words have not changed"
    edited = await memory.edit(ACCESS, tagged.id, content="The user keeps bees in Porto")
    assert stays_out()
    _, context = await turn(memory, "Where do I keep my bees?")
    assert [m.content for m in context.recalled] == [edited.content]
    await memory.restore(ACCESS, tagged.id)
    assert not stays_out()


@pytest.mark.usefixtures("rules_read_nothing")
async def test_words_that_were_said_anew_stay_out(kit: Kit, memory: Memory) -> None:
    said = [(await turn(memory, f"I {keep} bees at the old mill in Lisbon"))[0]
            for keep in ("keep", "kept")]  # fmt: skip
    await memory.process_due()
    with opened(kit.path) as connection:
        found = [no_longer_believed(connection, ADA.user, said, past=p) for p in (False, True)]
    assert found == [{said[0]}, set()]


async def test_a_turn_that_recalled_nothing_says_so(memory: Memory) -> None:
    message_id, context = await turn(memory, "Good morning!")
    assert list(context.recalled) == []
    assert (await memory.explain(ACCESS, message_id)).injected == ()


async def test_nobody_sees_what_was_recalled_for_another(memory: Memory) -> None:
    await memory.store(ACCESS, Draft("The user keeps bees"))
    message_id, _ = await turn(memory, "How many bees do I keep?")
    with pytest.raises(MemoryNotFoundError):
        await memory.explain(BOB, message_id)
    with pytest.raises(MemoryNotFoundError):
        await memory.explain(BOB)
    assert list(await memory.recalls(BOB)) == []


async def test_a_turn_that_failed_leaves_no_note(memory: Memory) -> None:
    message_id = await memory.log_user_message(ADA, "How many bees do I keep?")
    await memory.retrieve_context(ADA, "How many bees do I keep?", message_id=message_id)
    with pytest.raises(MemoryNotFoundError):
        await memory.explain(ACCESS, message_id)


async def test_what_was_erased_meanwhile_is_not_noted(memory: Memory) -> None:
    bees = await memory.store(ACCESS, Draft("The user keeps bees"))
    message_id = await memory.log_user_message(ADA, "Do I keep bees?")
    await memory.retrieve_context(ADA, "Do I keep bees?", message_id=message_id)
    await memory.forget(ACCESS, bees.id)
    await memory.log_reply(ADA, message_id, "I don't know.", extract=True)
    assert (await memory.explain(ACCESS, message_id)).hits == ()


async def test_a_slow_model_is_given_less_to_read(kit: Kit) -> None:
    kit.settings = MemorySettings(max_added_first_token_ms=300.0)
    kit.chat.ms_per_token = 15.0
    memory = kit.memory()
    await memory.start(work=False)
    for number in range(4):
        await memory.store(ACCESS, Draft(f"The user keeps bees in hive number {number}"))
    await memory.process_due()
    assert len((await memory.retrieve_context(ADA, "Where do I keep bees?")).recalled) == 1
    kit.chat.ms_per_token = 1.0
    assert len((await memory.retrieve_context(ADA, "Where do I keep bees?")).recalled) == 4
    await memory.close()


async def test_what_was_just_said_is_not_contradicted_by_what_was_known(
    memory: Memory,
) -> None:
    await memory.store(ACCESS, Draft("The user lives in Portland"))
    await memory.store(ACCESS, Draft("The user likes Portland"))
    await turn(memory, "By the way, I moved to Seattle.")
    now = await memory.retrieve_context(ADA, "Do I live in Portland?")
    assert [m.content for m in now.recalled] == ["The user likes Portland"]
    before = await memory.retrieve_context(ADA, "Where did I live before?")
    assert "The user lives in Portland" in [m.content for m in before.recalled]


async def test_words_whose_fact_holds_no_more_are_not_recalled_as_a_former_turn(
    kit: Kit,
) -> None:
    kit.working_memory = 0
    memory = kit.memory()
    await memory.start(work=False)
    said, _ = await turn(memory, "I live in Portland.")
    old = await memory.store(ACCESS, Draft("The user lives in Portland", source_message_id=said))
    kit.clock.advance(86_400.0)
    await memory.store(ACCESS, Draft("The user lives in Seattle"))
    now = await memory.retrieve_context(ADA, "Where do I live?")
    assert not [m for m in now.recalled if "Portland" in m.content]
    before = await memory.retrieve_context(ADA, "Where did I live before?")
    assert old.content in [m.content for m in before.recalled]
    await memory.close()


async def test_what_was_true_answers_what_was(kit: Kit, memory: Memory) -> None:
    await memory.store(ACCESS, Draft("The user lives in Portland"))
    kit.clock.advance(86_400.0)
    await memory.store(ACCESS, Draft("The user lives in Seattle"))
    await memory.process_due()
    now = await memory.retrieve_context(ADA, "Where do I live?")
    assert [m.content for m in now.recalled] == ["The user lives in Seattle"]
    before = await memory.retrieve_context(ADA, "Where did I live before?")
    assert {(m.content, m.past) for m in before.recalled} == {
        ("The user lives in Seattle", False),
        ("The user lives in Portland", True),
    }
