"""Somebody begins a turn every half second and never stops: what is to be learned, embedded and
erased is so all the same, each within its limit.

Time is simulated; the file, the worker and the turns' writes are real.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from lobug.memory.model import Draft, MemoryScope
from lobug.memory.schedule import FIRST_RETENTION_S
from lobug.memory.service import Memory
from lobug.priority import TurnPriority
from lobug.settings import MemorySettings
from lobug.storage.driver import backups_of, connect
from support.memory_kit import ADA, BOB, ENDLESS, Kit, exchange, look
from support.scripted import ScriptedChatModel

EVERY_S = 0.5
SLACK_S = 60.0
"""Simulated; turns go on while the worker does what is overdue, in real time."""
OVERDUE_TURN_S = 0.1
"""Real length of a turn once work is overdue: the slack then is 12 s of a slow machine's time."""
CAT = json.dumps([{"fact": "The user has a cat", "type": "personal"}])
LIMITS = {
    "erasure_deferral_s": 10.0,
    "embedding_deferral_s": 15.0,
    "learning_deferral_s": 20.0,
    "session_idle_minutes": ENDLESS,
}


async def never_quiet(_seconds: float) -> None:
    await asyncio.Event().wait()


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    kit = Kit(tmp_path / "memory.db", settings=MemorySettings.model_validate(LIMITS))
    kit.priority = TurnPriority(1.0, never_quiet, kit.clock)
    return kit


@pytest.fixture
async def memory(kit: Kit) -> AsyncIterator[Memory]:
    memory = kit.memory()
    await memory.start()
    yield memory
    await memory.close()


async def talk_until(kit: Kit, memory: Memory, done: Callable[[], bool]) -> float:
    """Bob talks until ``done``. Returns how long that was, simulated seconds."""
    began = kit.clock.now
    while not done():
        assert kit.clock.now - began < 120.0 + SLACK_S, "it is never done"
        kit.clock.advance(EVERY_S)
        async with kit.priority.turn():
            await exchange(memory, "What time is it?", conversation_key=BOB)
            if kit.clock.now - began >= LIMITS["erasure_deferral_s"]:
                await asyncio.sleep(OVERDUE_TURN_S)
        memory.wake()
        await asyncio.sleep(0.002)
    return kit.clock.now - began


def rows(kit: Kit, table: str, where: str = "1") -> int:
    (count,) = look(kit.path, f"SELECT count(*) FROM {table} WHERE {where}")[0]
    return int(count)


@pytest.mark.usefixtures("rules_read_nothing")
async def test_facts_are_extracted(kit: Kit, memory: Memory) -> None:
    kit.chat = ScriptedChatModel(lambda _messages, _options: "[]")
    await exchange(memory, "I have a cat")
    took = await talk_until(kit, memory, lambda: rows(kit, "memories", "user = 'ada'") == 1)
    assert LIMITS["learning_deferral_s"] <= took <= LIMITS["learning_deferral_s"] + SLACK_S


@pytest.mark.usefixtures("rules_read_nothing")
async def test_an_overdue_extraction_is_finished_while_turns_go_on(kit: Kit) -> None:
    gate = asyncio.Event()
    kit.chat = ScriptedChatModel([[gate, CAT]])
    memory = kit.memory()
    await memory.start()
    await exchange(memory, "I have a cat")
    await talk_until(kit, memory, lambda: len(kit.chat.calls) == 1)
    for _ in range(20):
        async with kit.priority.turn():
            await asyncio.sleep(0.001)
    assert len(kit.chat.calls) == 1
    gate.set()
    await talk_until(kit, memory, lambda: rows(kit, "memories", "user = 'ada'") == 1)
    assert not kit.chat.calls[0].cancelled
    await memory.close()


async def test_facts_and_turns_get_their_vectors(kit: Kit, memory: Memory) -> None:
    await memory.store(MemoryScope("ada", ADA.conversation), Draft("The user keeps bees in Lisbon"))
    took = await talk_until(kit, memory, lambda: rows(kit, "memory_vectors") == 1)
    assert LIMITS["embedding_deferral_s"] <= took <= LIMITS["embedding_deferral_s"] + SLACK_S
    await talk_until(kit, memory, lambda: rows(kit, "turn_vectors") >= 10)


async def test_the_file_is_rebuilt_although_turns_write_to_it_all_the_time(kit: Kit) -> None:
    copies = 0

    def checkpoint(name: str) -> None:
        """A turn's words come whenever a fresh copy is ready to take the file's place."""
        nonlocal copies
        if name == "compact.copied":
            copies += 1
            beside = connect(str(kit.path), timeout_s=5.0)
            # A row that stays as it was would not be written at all.
            beside.execute("UPDATE sessions SET channel = channel || '.'")
            beside.close()

    kit.checkpoint = checkpoint
    memory = kit.memory()
    await memory.start()
    await exchange(memory, "I have a cat called Zwieback")
    (kit.path.parent / f"{kit.path.name}.backup-v3-20200101T000000Z").touch()
    # An endless row of extractions is as overdue, and must not be in the way.
    await talk_until(kit, memory, lambda: rows(kit, "memories") >= 1)
    began = kit.clock.now
    await memory.forget_text(MemoryScope("ada", None), "Zwieback")
    assert rows(kit, "background_tasks", "kind = 'compact'") == 1
    await talk_until(kit, memory, lambda: rows(kit, "background_tasks", "kind = 'compact'") == 0)
    took = kit.clock.now - began
    assert LIMITS["erasure_deferral_s"] <= took <= LIMITS["erasure_deferral_s"] + SLACK_S
    assert copies > 1, "it was tried without holding up the turns first"
    await memory.close()
    assert backups_of(kit.path) == []
    assert b"Zwieback" not in kit.path.read_bytes()


async def test_what_is_old_is_erased(kit: Kit) -> None:
    kit.settings = kit.settings.model_copy(update={"log_retention_days": 1.0})
    memory = kit.memory()
    await memory.start()
    said_at = kit.clock.now - 3 * 86_400.0
    await memory.log_user_message(ADA, "I have a cat", said_at=said_at)
    kit.clock.advance(FIRST_RETENTION_S)
    took = await talk_until(kit, memory, lambda: rows(kit, "conversation_log", "user = 'ada'") == 0)
    assert LIMITS["erasure_deferral_s"] <= took <= LIMITS["erasure_deferral_s"] + SLACK_S
    await memory.close()


@pytest.mark.usefixtures("rules_read_nothing")
async def test_forgetting_stops_even_what_is_overdue(kit: Kit) -> None:
    gate = asyncio.Event()
    kit.chat = ScriptedChatModel([[gate, CAT], ["[]"], *[["[]"]] * 500])
    memory = kit.memory()
    await memory.start()
    await exchange(memory, "I have a cat")
    await talk_until(kit, memory, lambda: len(kit.chat.calls) == 1)
    await memory.forget_text(MemoryScope("ada", None), "cat")
    gate.set()
    assert kit.chat.calls[0].cancelled
    await talk_until(kit, memory, lambda: rows(kit, "background_tasks", "kind = 'compact'") == 0)
    assert rows(kit, "memories", "content LIKE '%cat%' OR category = 'knowledge'") == 0
    await memory.close()


def test_what_must_go_waits_least() -> None:
    settings = MemorySettings()
    limits = [
        settings.erasure_deferral_s,
        settings.embedding_deferral_s,
        settings.learning_deferral_s,
    ]
    assert limits == sorted(limits)
    assert limits[-1] == 600.0
