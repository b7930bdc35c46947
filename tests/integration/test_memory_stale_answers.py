"""Background work that is overtaken while the model writes: what was forgotten or put right in the
meantime does not come back; and an embedder that is away, or another one, loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.memory_kit import CASCADES, Kit, exchange, look, opened
from support.scripted import ScriptedEmbedder

pytestmark = [
    pytest.mark.usefixtures("rules_read_nothing"),
    pytest.mark.usefixtures("each_database"),
]
"""Each message becomes a fact that waits for the chat model."""


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db", settings=CASCADES)


def change_at(kit: Kit, point: str, change: str) -> None:
    """Let somebody else change the database once a point is reached."""
    left = [point]

    def checkpoint(name: str) -> None:
        if name in left:
            left.remove(name)
            with opened(kit.path) as connection:
                connection.execute(change)

    kit.checkpoint = checkpoint


async def live(kit: Kit, exchanges: int) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    for number in range(exchanges):
        await exchange(memory, f"I keep {number} secrets")
        await memory.process_due()
    await memory.close()


async def test_a_summary_of_words_that_were_forgotten_meanwhile_is_not_stored(kit: Kit) -> None:
    change_at(
        kit,
        "summarize.after_model",
        "UPDATE conversation_log SET content = 'I keep something' WHERE id = 1",
    )
    await live(kit, 3)
    shown = [call.messages[-1].content for call in kit.chat.calls if not call.options.json_schema]
    assert ["0 secrets" in text for text in shown] == [True, False]
    assert look(kit.path, "SELECT count(*) FROM memories WHERE category = 'timeline'") == [(1,)]
    assert look(kit.path, "SELECT count(*) FROM background_tasks WHERE kind = 'summarize'") == [
        (0,)
    ]


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM memories WHERE id = (SELECT min(id) FROM facts)",
        "UPDATE memories SET status = 'inactive', reason = 'corrected' WHERE layer = 'knowledge'",
        "UPDATE memories SET content = 'other' WHERE category = 'timeline'",
    ],
)
async def test_what_was_put_right_meanwhile_is_distilled_anew_from_what_is_left(
    kit: Kit, change: str
) -> None:
    change_at(kit, "distill.after_model", change)
    await live(kit, 7)
    asked = [call for call in kit.chat.calls if "base memory" in call.messages[0].content]
    assert len(asked) == 2
    sources = look(
        kit.path,
        "SELECT count(*) FROM memory_sources s JOIN memories m ON m.id = s.source_id"
        " WHERE m.status = 'inactive'",
    )
    assert sources == [(0,)]
    assert look(kit.path, "SELECT count(*) FROM background_tasks WHERE kind = 'distill'") == [(0,)]


async def test_an_embedder_that_is_away_for_an_hour_loses_nothing(kit: Kit) -> None:
    kit.embedder.go_down()
    memory = kit.memory()
    await memory.start(work=False)
    for number in range(5):
        await exchange(memory, f"I keep {number} bees")
        await memory.process_due()
    for _ in range(60):
        kit.clock.advance(60.0)
        await memory.process_due()
    stats = memory.stats()
    assert (stats.pending_tasks, stats.parked_tasks, stats.facts) == (0, 0, 5)
    assert stats.summaries > 0
    assert stats.embedding_backlog == stats.facts + stats.summaries
    kit.embedder.fail = None
    kit.clock.advance(600.0)
    await memory.process_due()
    assert memory.stats().embedding_backlog == 0
    assert look(kit.path, "SELECT count(*) FROM memory_facts") == [
        (memory.stats().facts + memory.stats().summaries,)
    ]
    await memory.close()


async def test_a_model_that_changes_in_mid_backlog_embeds_timeline_and_facts_once(
    kit: Kit,
) -> None:
    kit.batch_size = 2
    await live(kit, 6)
    kit.embedder = ScriptedEmbedder(dimension=64, model_id="scripted/other")
    memory = kit.memory()
    await memory.start(work=False)
    await memory._worker.step()
    await exchange(memory, "I keep a parrot")
    await memory.process_due()
    stats = memory.stats()
    await memory.close()
    assert stats.embedding_backlog == 0
    rows = look(
        kit.path,
        "SELECT count(*) FROM memories m WHERE m.status <> 'inactive' AND m.layer <> 'identity'",
    )
    assert look(kit.path, "SELECT model_id FROM vector_indexes") == [("scripted/other",)]
    assert look(kit.path, "SELECT count(*) FROM memory_vectors") == rows
    facts = [
        text for call in kit.embedder.calls for text in call if text.startswith("The user keep")
    ]
    assert sorted(facts) == sorted(set(facts))
    assert len(facts) == stats.facts


async def test_a_clock_that_runs_wild_neither_loses_nor_repeats_anything(kit: Kit) -> None:
    jumps: list[Callable[[], None]] = [
        lambda: kit.clock.advance(5 * 86_400.0),
        lambda: kit.clock.advance(-9 * 86_400.0),
        lambda: kit.clock.advance(1.0),
        lambda: kit.clock.advance(-1.0),
        lambda: kit.clock.advance(400 * 86_400.0),
        lambda: kit.clock.advance(-800 * 86_400.0),
    ]
    kit.settings = CASCADES.model_copy(
        update={"timeline_retention_days": 0.0, "duplicate_distance_threshold": 0.0}
    )
    memory = kit.memory()
    await memory.start(work=False)
    for number, jump in enumerate(jumps * 2):
        await exchange(memory, f"I keep {number} bees")
        jump()
        await memory.process_due()
    for _ in range(3):
        kit.clock.advance(700.0)
        await memory.process_due()
    stats = memory.stats()
    await memory.close()
    assert (stats.facts, stats.pending_tasks, stats.parked_tasks) == (12, 0, 0)
    covered = look(
        kit.path,
        "SELECT from_message_id, to_message_id FROM memories WHERE category = 'timeline'",
    )
    summed_up = sorted(n for first, last in covered for n in range(first, last + 1))
    assert summed_up == list(range(1, 25))
    assert look(kit.path, "SELECT count(*) FROM sessions WHERE ended_at IS NULL") == [(0,)]
