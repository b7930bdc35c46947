"""A text that the embedding model refuses keeps no other from getting its vector."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from lobug.engines.base import Vectors
from lobug.errors import ContextOverflowError, EngineError, EngineUnavailableError
from lobug.memory.embedding import FAILURES_OF_A_TEXT
from lobug.memory.model import Draft, Filter, MemoryScope
from lobug.memory.service import Memory
from lobug.settings import MemorySettings
from support.memory_kit import BOB, ENDLESS, Kit, exchange, look, started
from support.scripted import ScriptedEmbedder

pytestmark = pytest.mark.usefixtures("each_database")

LONGEST = 300
"""Characters."""

TOO_LONG = ContextOverflowError("embeddings", "too long")
SAYS_NO = EngineError("embeddings", "status 500")


def is_long(text: str) -> bool:
    return len(text) > LONGEST


def is_cursed(text: str) -> bool:
    return "zalgo" in text.lower()


@dataclass
class Refusing(ScriptedEmbedder):
    """Refuses some texts, and with them everything that is asked with them."""

    dimension: int = 256
    refuses: Callable[[str], bool] = is_long
    error: EngineError = TOO_LONG

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.fail is None and any(map(self.refuses, texts)):
            self.calls.append(tuple(texts))
            raise self.error
        return await super().embed(texts)


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(
        tmp_path / "memory.db",
        embedder=Refusing(),
        settings=MemorySettings(session_idle_minutes=ENDLESS, duplicate_distance_threshold=0.0),
    )


async def store(memory: Memory, *contents: str) -> None:
    for content in contents:
        await memory.store(MemoryScope(BOB.user, BOB.conversation), Draft(content))


def usable(kit: Kit) -> dict[str, bool | None]:
    """Whether each fact has a vector, by its first words; None: no index has seen it."""
    rows = look(
        kit.path,
        "SELECT m.content, v.usable FROM memories m"
        " LEFT JOIN memory_vectors v ON v.memory_id = m.id ORDER BY m.id",
    )
    return {content[:9]: None if seen is None else bool(seen) for content, seen in rows}


async def may_pass(
    kit: Kit, memory: Memory, error: EngineError, caplog: pytest.LogCaptureFixture
) -> None:
    """An answer that does not say why may be a fault of the server: no text is blamed at first."""
    if error is not SAYS_NO:
        return
    for _ in range(FAILURES_OF_A_TEXT):
        await memory.process_due()
        assert set(usable(kit).values()) == {None}
        kit.clock.advance(700.0)
    assert len(warnings(caplog)) == FAILURES_OF_A_TEXT
    caplog.clear()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


@pytest.mark.parametrize("error", [TOO_LONG, SAYS_NO], ids=["too long", "says no"])
async def test_a_fact_that_is_too_long_is_embedded_by_its_beginning(
    kit: Kit, error: EngineError, caplog: pytest.LogCaptureFixture
) -> None:
    kit.embedder = Refusing(error=error)
    async with started(kit) as memory:
        long = "Long: the zoo has a " + "very " * 300 + "old bear"
        await store(memory, "Bob bakes bread", long, "Bob has bees", "Bob likes tea")
        await may_pass(kit, memory, error, caplog)
        await memory.process_due()
        assert usable(kit) == dict.fromkeys(
            ["Bob bakes", "Long: the", "Bob has b", "Bob likes"], True
        )
        assert memory.stats().embedding_backlog == 0
        (accepted,) = [
            call
            for call in kit.embedder.calls
            if call[0].startswith("Long") and not is_long(call[0])
        ]
        assert long.startswith(accepted[0])
        assert len(accepted[0]) > LONGEST / 2
        assert warnings(caplog) == []


@pytest.mark.parametrize("error", [TOO_LONG, SAYS_NO], ids=["too long", "says no"])
async def test_a_fact_that_is_refused_however_it_is_cut_has_no_vector_until_it_changes(
    kit: Kit, error: EngineError, caplog: pytest.LogCaptureFixture
) -> None:
    kit.embedder = Refusing(refuses=is_cursed, error=error)
    async with started(kit) as memory:
        await store(memory, "Bob bakes bread", "Zalgo has come", "Bob has bees")
        await may_pass(kit, memory, error, caplog)
        await memory.process_due()
        assert usable(kit) == {"Bob bakes": True, "Zalgo has": False, "Bob has b": True}
        assert memory.stats().embedding_backlog == 0
        (warning,) = warnings(caplog)
        assert "zalgo" not in warning.lower()
        calls = len(kit.embedder.calls)
        kit.clock.advance(3600.0)
        await memory.process_due()
        assert len(kit.embedder.calls) == calls, "it is not tried again"
        found = await memory.search(MemoryScope(BOB.user, None), "Who has come, Zalgo?", Filter())
        assert found[0].content == "Zalgo has come"

        kit.embedder.model_id = "scripted/next"
        kit.embedder.refuses = is_long
        await memory.process_due()
        assert usable(kit) == {"Bob bakes": True, "Zalgo has": True, "Bob has b": True}


async def test_a_turn_that_is_too_long_loses_the_turn_before_and_then_its_end(kit: Kit) -> None:
    async with started(kit) as memory:
        await exchange(memory, "Before " + "b" * 250, "Reply " + "r" * 200)
        await exchange(memory, "Long " + "l" * 700, "Short.", conversation_key=BOB)
        await memory.process_due()
        assert look(kit.path, "SELECT count(*) FROM turn_vectors WHERE vector IS NOT NULL") == [
            (4,)
        ]
        assert look(kit.path, "SELECT count(*) FROM turn_index WHERE vector_set = 0") == [(0,)]
        alone = [call[0] for call in kit.embedder.calls if len(call) == 1 and not is_long(call[0])]
        assert "Reply " + "r" * 200 in alone, "without what was said before"
        assert any(text.startswith("Long l") for text in alone)


async def test_a_turn_and_a_word_that_are_refused_stop_no_others(kit: Kit) -> None:
    kit.embedder = Refusing(refuses=is_cursed)
    async with started(kit) as memory:
        await exchange(memory, "Zalgo has come.", "Who?")
        await exchange(memory, "I have a hedgehog.", "Nice!", conversation_key=BOB)
        await memory.process_due()
        assert look(kit.path, "SELECT count(*) FROM turn_index WHERE vector_set = 0") == [(0,)]
        without = "SELECT count(*) FROM turn_vectors WHERE vector IS NULL"
        assert look(kit.path, without) == [(1,)], "the reply is embedded without its question"
        words = "SELECT w.word FROM turn_words w JOIN turn_word_vectors v ON v.word_id = w.id"
        assert look(kit.path, f"{words} WHERE v.vector IS NULL") == [("zalgo",)]
        calls = len(kit.embedder.calls)
        kit.clock.advance(3600.0)
        await memory.process_due()
        assert len(kit.embedder.calls) == calls


@pytest.mark.parametrize(
    "down", [SAYS_NO, EngineUnavailableError("embeddings", "down")], ids=["says no", "away"]
)
async def test_no_text_is_skipped_because_of_a_server_that_fails(
    kit: Kit, down: EngineError, caplog: pytest.LogCaptureFixture
) -> None:
    async with started(kit) as memory:
        await store(memory, "Bob bakes bread", "Long: " + "very " * 300, "Bob has bees")
        kit.embedder.fail = down
        for _ in range(3):
            await memory.process_due()
            kit.clock.advance(700.0)
        assert set(usable(kit).values()) == {None}
        assert len(warnings(caplog)) == 3
        kit.embedder.fail = None
        await memory.process_due()
        assert set(usable(kit).values()) == {True}


@pytest.mark.parametrize("failures", [1, FAILURES_OF_A_TEXT + 1])
async def test_a_fault_that_passes_costs_no_text_a_part_of_it(kit: Kit, failures: int) -> None:
    whole = "Bob has a sister who is called Hanna and lives in Rome. " * 4

    @dataclass
    class Stumbling(Refusing):
        left: int = failures

        async def embed(self, texts: Sequence[str]) -> Vectors:
            if self.left and whole.strip() in [text.strip() for text in texts]:
                self.left -= 1
                raise SAYS_NO
            return await super().embed(texts)

    kit.embedder = Stumbling()
    async with started(kit) as memory:
        await store(memory, whole)
        for _ in range(failures + 1):
            await memory.process_due()
            kit.clock.advance(700.0)
        assert usable(kit) == {"Bob has a": True}
        assert [call for call in kit.embedder.calls if call[0].startswith("Bob")] == [
            (whole.strip(),)
        ]


async def test_a_server_that_begins_to_fail_meanwhile_costs_no_text_its_vector(kit: Kit) -> None:
    @dataclass
    class Failing(Refusing):
        """Says no to everything after two calls."""

        async def embed(self, texts: Sequence[str]) -> Vectors:
            if len(self.calls) >= 2 and self.error is SAYS_NO:
                self.fail = SAYS_NO
            return await super().embed(texts)

    failing = Failing(error=SAYS_NO)
    kit.embedder = failing
    async with started(kit) as memory:
        await store(memory, "Bob bakes bread", "Long: " + "very " * 300, "Bob has bees")
        await memory.process_due()
        assert set(usable(kit).values()) == {None}
        failing.error, failing.fail = TOO_LONG, None
        kit.clock.advance(3600.0)
        await memory.process_due()
        assert set(usable(kit).values()) == {True}
