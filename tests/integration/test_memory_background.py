"""Background work that fails, waits, is interrupted: it is tried again, and stops nothing else."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from lobug.engines.base import Vectors
from lobug.errors import EngineUnavailableError
from lobug.memory.model import Draft, MemoryScope
from lobug.settings import MemorySettings
from support.memory_kit import (
    ADA,
    BOB,
    CASCADES,
    ENDLESS,
    Clock,
    Kit,
    exchange,
    look,
    recalled,
    started,
)
from support.scripted import ScriptedChatModel, ScriptedEmbedder

pytestmark = pytest.mark.usefixtures("rules_read_nothing")
"""The chat model has something to read in every message."""


class RealClock(Clock):
    """The machine's own time."""

    def __call__(self) -> float:
        return time.time()


class SlowEmbedder(ScriptedEmbedder):
    """Half a minute for each batch."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(dimension=256)
        self._clock = clock

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self._clock.advance(30.0)
        return await super().embed(texts)


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db")


@pytest.mark.parametrize("answer", ["no JSON at all", '[{"fact": "The user wo', ""])
async def test_a_failed_extraction_is_retried_then_kept_raw_then_tried_at_the_next_start(
    kit: Kit, answer: str
) -> None:
    kit.settings = MemorySettings(session_idle_minutes=ENDLESS)
    kit.chat = ScriptedChatModel(lambda _messages, _options: answer)
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I work at NASA")
    for attempts, wait in ((1, 30.0), (2, 60.0), (3, 3600.0)):
        await memory.process_due()
        assert len(kit.chat.calls) == attempts
        kit.clock.advance(wait - 1.0)
        await memory.process_due()
        assert len(kit.chat.calls) == attempts
        kit.clock.advance(1.0)
    assert memory.stats().parked_tasks == 1
    temperatures = [call.options.temperature for call in kit.chat.calls]
    assert temperatures == sorted(set(temperatures))
    await memory.close()
    assert look(kit.path, "SELECT content FROM conversation_log WHERE id = 1") == [
        ("I work at NASA",)
    ]

    kit.chat = Kit(kit.path).chat
    again = kit.memory()
    await again.start(work=False)
    await again.process_due()
    assert await recalled(again, "work NASA") == ["The user work at NASA"]
    assert again.stats().parked_tasks == 0
    await again.close()


async def test_what_was_parked_while_the_model_was_down_comes_back_when_it_works(kit: Kit) -> None:
    kit.settings = MemorySettings(session_idle_minutes=ENDLESS)
    kit.chat.fail = EngineUnavailableError("chat", "down")
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I work at NASA")
    for _ in range(4):
        await memory.process_due()
        kit.clock.advance(600.0)
    assert memory.stats().parked_tasks == 1
    kit.chat.fail = None
    await exchange(memory, "I like tea")
    await memory.process_due()
    assert set(await recalled(memory, "work NASA like tea")) == {
        "The user work at NASA",
        "The user like tea",
    }
    assert memory.stats().parked_tasks == 0
    await memory.close()


async def test_one_failing_step_does_not_stop_the_others(kit: Kit) -> None:
    kit.settings = CASCADES
    good = kit.chat._replies
    assert callable(good)
    kit.chat = ScriptedChatModel(lambda m, o: "garbage" if o.json_schema else good(m, o))
    memory = kit.memory()
    await memory.start(work=False)
    for _ in range(3):
        await exchange(memory, "I work at NASA")
    await memory.process_due()
    assert memory.stats().summaries == 1
    assert memory.stats().facts == 0
    assert memory.stats().pending_tasks == 3
    await memory.close()


async def test_a_turn_stops_background_work_without_costing_an_attempt(kit: Kit) -> None:
    gate = asyncio.Event()
    answer = json.dumps([{"fact": "The user work at NASA", "type": "personal"}])
    kit.chat = ScriptedChatModel([[gate, answer], [answer]])
    memory = kit.memory()
    await memory.start()
    await exchange(memory, "I work at NASA")
    memory.wake()
    await kit.chat.wait_for_calls(1)
    async with kit.priority.turn():
        assert len(kit.chat.calls) == 1
    await kit.chat.wait_for_calls(2)
    await memory.close()
    memory = kit.memory()
    await memory.start(work=False)
    await memory.process_due()
    assert kit.chat.calls[0].cancelled
    assert await recalled(memory, "work NASA") == ["The user work at NASA"]
    assert kit.chat.calls[1].options.temperature == 0.0  # the attempts decide the temperature
    await memory.close()


async def test_the_worker_tries_again_when_time_has_come(kit: Kit) -> None:
    """The retry is timed by the worker itself: the delay is real, and short."""
    kit.settings = MemorySettings(retry_delay_s=0.01)
    kit.clock = RealClock()
    kit.chat = ScriptedChatModel(["garbage", [asyncio.Event()]])
    memory = kit.memory()
    await memory.start()
    await exchange(memory, "I work at NASA")
    memory.wake()
    await kit.chat.wait_for_calls(2)
    assert look(
        kit.path, "SELECT attempts, last_error FROM background_tasks WHERE kind = 'extract'"
    ) == [(1, "garbled: the answer is not JSON")]
    await memory.close()


async def test_a_long_embedding_keeps_nothing_that_is_due_waiting(kit: Kit) -> None:
    """Nobody talks, each batch takes half a minute, and the backlog has long been overdue."""
    kit.settings = MemorySettings(session_idle_minutes=ENDLESS, duplicate_distance_threshold=0.0)
    kit.batch_size = 1
    async with started(kit) as memory:
        scope = MemoryScope(ADA.user, ADA.conversation)
        for number in range(24):
            await memory.store(scope, Draft(f"Hive {number} has the colour x{number}y"))
        kit.embedder = SlowEmbedder(kit.clock)
        memory._embedding._embedder = kit.embedder
        for _ in range(8):
            assert await memory._worker.step()
        await exchange(memory, "I have a cat called Zwieback", conversation_key=BOB)
        await exchange(memory, "I work at NASA", conversation_key=BOB)
        await memory.forget_text(MemoryScope(BOB.user, None), "Zwieback")
        asked = kit.clock.now
        tasks = "SELECT count(*) FROM background_tasks WHERE kind IN ('compact', 'extract')"
        batches = len(kit.embedder.calls)
        while look(kit.path, tasks) != [(0,)]:
            assert await memory._worker.step()
        assert kit.clock.now - asked <= 120.0
        assert len(kit.embedder.calls) > batches, "embedding goes on meanwhile"
        assert memory._embedding.deadline < math.inf, "there is more to embed"


async def test_a_long_embedding_of_facts_keeps_no_turns_waiting(kit: Kit) -> None:
    kit.settings = MemorySettings(session_idle_minutes=ENDLESS, duplicate_distance_threshold=0.0)
    kit.batch_size = 1
    async with started(kit) as memory:
        scope = MemoryScope(ADA.user, ADA.conversation)
        for number in range(60):
            await memory.store(scope, Draft(f"Hive {number} has the colour x{number}y"))
        for _ in range(3):
            assert await memory._worker.step()
        await exchange(memory, "Zwieback!", "Zwieback?")
        while look(kit.path, "SELECT count(*) FROM turn_vectors") != [(2,)]:
            assert await memory._worker.step()
        assert look(kit.path, "SELECT count(*) FROM memory_vectors") < [(30,)]
