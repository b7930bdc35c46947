"""Memory switched off: the conversation goes on, and nothing of it becomes memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from lobug.errors import MemoryDisabledError
from lobug.memory.model import Draft, Filter, MemoryContext, MemoryScope
from lobug.settings import MemorySettings
from support.memory_kit import ADA, CASCADES, IDENTITY, Kit, exchange, look, recalled

ON = CASCADES
OFF = CASCADES.model_copy(update={"enabled": False})


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db", settings=ON)


async def live(kit: Kit, *things: str) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    for thing in things:
        await exchange(memory, f"I keep {thing}")
        await memory.process_due()
    kit.clock.advance(3_600.0)
    await memory.process_due()
    await memory.close()


async def test_switched_off_nothing_is_learned_and_the_log_goes_on(kit: Kit) -> None:
    kit.settings = OFF
    await live(kit, "bees", "goats", "owls", "hens", "cows")
    assert kit.chat.calls == []
    assert kit.embedder.calls == []
    assert look(kit.path, "SELECT count(*) FROM memories") == [(0,)]
    memory = kit.memory()
    await memory.start(work=False)
    assert len(await memory.recent_messages(ADA, 99)) == 10
    assert memory.stats().pending_tasks == 0
    await memory.close()


async def test_switched_off_nothing_is_recalled_and_it_is_all_there_afterwards(kit: Kit) -> None:
    await live(kit, *(f"{n} owls" for n in range(8)), "bees")
    kit.settings = OFF
    memory = kit.memory()
    await memory.start(work=False)
    assert await memory.retrieve_context(ADA, "keep bees") == MemoryContext()
    assert await memory.base_memory("ada") == ""
    assert await memory.session_summary(ADA) == ""
    access = MemoryScope(ADA.user, ADA.conversation)
    assert (await memory.identity(access)).text == IDENTITY
    assert await memory.entries(access, Filter())
    with pytest.raises(MemoryDisabledError):
        await memory.store(access, Draft("The user keeps cows"))
    await memory.close()
    kit.settings = ON
    memory = kit.memory()
    await memory.start(work=False)
    assert "The user has bees" in await recalled(memory, "has bees")
    assert await memory.base_memory("ada") == IDENTITY
    await memory.close()


@pytest.mark.usefixtures("rules_read_nothing")
async def test_what_was_said_while_it_was_off_never_becomes_memory(kit: Kit) -> None:
    kit.settings = OFF
    await live(kit, "bees", "goats", "owls", "hens")
    kit.settings = ON
    await live(kit, "cows", "frogs", "foxes")
    texts = [row[0] for row in look(kit.path, "SELECT content FROM facts ORDER BY id")]
    assert texts == [f"The user keep {thing}" for thing in ("cows", "frogs", "foxes")]
    asked = " ".join(call.prompt for call in kit.chat.calls)
    assert "bees" not in asked
    covered = look(
        kit.path, "SELECT min(from_message_id) FROM memories WHERE category = 'timeline'"
    )
    assert covered == [(9,)]


async def test_work_that_was_left_waits_until_it_is_on_again(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    await memory.close()
    kit.settings = OFF
    await live(kit)
    assert kit.chat.calls == []
    kit.settings = ON
    await live(kit)
    assert look(kit.path, "SELECT content FROM facts") == [("The user has bees",)]


async def test_old_things_are_erased_even_while_it_is_off(kit: Kit) -> None:
    kit.settings = MemorySettings(log_retention_days=1.0, enabled=False)
    await live(kit, "bees")
    kit.clock.advance(2 * 86_400.0)
    await live(kit)
    assert look(kit.path, "SELECT count(*) FROM conversation_log") == [(0,)]
