"""The worker sleeps while nothing can be embedded, whatever has failed before."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lobug.memory.model import Draft, MemoryScope, Purge
from lobug.memory.service import Memory
from lobug.settings import MemorySettings
from lobug.storage.people import SHARED_WORK, AllPeople
from support.memory_kit import ADA, ENDLESS, Kit, exchange, look, started

ACCESS = MemoryScope(ADA.user, None)
SETTINGS = MemorySettings(session_idle_minutes=ENDLESS)
LONGER_THAN_ALL_PAUSES_S = 1000.0


class AnotherServerEmbeds(AllPeople):
    async def has(self, person: str) -> bool:
        return person != SHARED_WORK


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db", settings=SETTINGS)


async def fail_to_embed(kit: Kit, memory: Memory) -> None:
    kit.embedder.go_down()
    await memory.store(MemoryScope(ADA.user, ADA.conversation), Draft("The user keeps bees"))
    await exchange(memory, "I have a cat called Zwieback")
    await memory.process_due()
    assert kit.embedder.calls


async def steps(memory: Memory, seconds: float) -> int:
    """How many steps the worker takes in so many seconds."""
    worker, count = memory._worker, 0
    step = worker.step

    async def counted() -> bool:
        nonlocal count
        count += 1
        return await step()

    worker.step = counted  # type: ignore[method-assign]
    worker.start()
    await asyncio.sleep(seconds)
    return count


@pytest.mark.parametrize("embedder_works", [True, False])
async def test_what_could_not_be_embedded_was_purged(kit: Kit, embedder_works: bool) -> None:
    async with started(kit) as memory:
        await fail_to_embed(kit, memory)
        await memory.purge(ACCESS, Purge(user=True))
        if embedder_works:
            kit.embedder.fail = None
        kit.clock.advance(LONGER_THAN_ALL_PAUSES_S)
        assert await steps(memory, 1.0) < 15


async def test_what_could_not_be_embedded_was_forgotten(kit: Kit) -> None:
    async with started(kit) as memory:
        await fail_to_embed(kit, memory)
        await memory.forget_text(ACCESS, "bees")
        await memory.forget_text(ACCESS, "Zwieback")
        kit.clock.advance(LONGER_THAN_ALL_PAUSES_S)
        assert await steps(memory, 1.0) < 15


async def test_memory_was_switched_off(kit: Kit) -> None:
    async with started(kit) as memory:
        await fail_to_embed(kit, memory)
        memory.use(SETTINGS.model_copy(update={"enabled": False}))
        kit.clock.advance(LONGER_THAN_ALL_PAUSES_S)
        assert await steps(memory, 1.0) < 15
        calls = len(kit.embedder.calls)
        kit.embedder.fail = None
        memory.use(SETTINGS)
        kit.clock.advance(LONGER_THAN_ALL_PAUSES_S)
        await memory.process_due()
        assert len(kit.embedder.calls) > calls
        assert look(kit.path, "SELECT count(*) FROM turn_vectors") == [(2,)]


async def test_another_server_embeds_now(kit: Kit) -> None:
    async with started(kit) as memory:
        await fail_to_embed(kit, memory)
        memory._worker._people = AnotherServerEmbeds()
        kit.clock.advance(LONGER_THAN_ALL_PAUSES_S)
        assert await steps(memory, 1.0) < 15


async def test_an_embedder_that_is_away_is_tried_again_after_longer_and_longer_pauses(
    kit: Kit,
) -> None:
    async with started(kit) as memory:
        await fail_to_embed(kit, memory)
        kit.embedder.calls.clear()
        for pause_s in (30.0, 60.0, 120.0):
            kit.clock.advance(pause_s - 1.0)
            await memory.process_due()
            assert kit.embedder.calls == []
            kit.clock.advance(1.0)
            await memory.process_due()
            assert len(kit.embedder.calls) == 2  # facts and turns
            kit.embedder.calls.clear()
        assert await steps(memory, 1.0) < 15
