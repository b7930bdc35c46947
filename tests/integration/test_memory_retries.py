"""Background work that is interrupted, overtaken or refused is done in the end all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from lobug.engines.base import ChatMessage, ChatOptions
from lobug.errors import EngineTimeoutError, StorageError
from lobug.language.en.prompts import FACTS_SCHEMA
from lobug.memory.jobs import PARKED_S
from lobug.memory.learning.model_requests import TIMEOUT_S
from lobug.settings import MemorySettings
from lobug.storage import migrations
from lobug.storage.driver import Connection, backups_of, connect
from support.memory_kit import (
    BOB,
    ENDLESS,
    Kit,
    dated,
    exchange,
    look,
    model_that_listens,
    opened,
    started,
)
from support.patience import PATIENCE_S
from support.scripted import Reply, ScriptedChatModel

pytestmark = [
    pytest.mark.usefixtures("rules_read_nothing"),
    pytest.mark.usefixtures("each_database"),
]
"""The chat model has something to read in every message."""


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db", settings=MemorySettings(duplicate_distance_threshold=0.0))


async def tell(kit: Kit, *things: str) -> None:
    """Let one life of the memory learn that the user keeps ``things``."""
    memory = kit.memory()
    await memory.start(work=False)
    for thing in things:
        await exchange(memory, f"I keep {thing}")
    await memory.process_due()
    await memory.close()


async def test_facts_stored_at_the_moment_a_turn_arrives_get_their_vectors(kit: Kit) -> None:
    loop = asyncio.get_running_loop()

    async def turn() -> None:
        async with kit.priority.turn():
            pass

    def checkpoint(name: str) -> None:
        if name == "facts.after_commit":
            asyncio.run_coroutine_threadsafe(turn(), loop).result(5.0)

    kit.checkpoint = checkpoint
    memory = kit.memory()
    await memory.start(work=False)
    await memory.process_due()
    await exchange(memory, "I keep bees")
    await memory.process_due()
    assert memory.stats().facts == 1
    assert memory.stats().embedding_backlog == 0
    await memory.close()


async def test_a_model_that_changes_its_dimension_while_running_embeds_the_old_facts_too(
    kit: Kit,
) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    for dimension, thing in ((256, "bees"), (128, "goats"), (256, "owls")):
        kit.embedder.dimension = dimension
        await exchange(memory, f"I keep {thing}")
        async with asyncio.timeout(PATIENCE_S):
            await memory.process_due()
        assert memory.stats().embedding_backlog == 0
    await memory.close()
    assert look(kit.path, "SELECT dimension FROM vector_indexes") == [(256,)]


async def test_a_dimension_that_goes_back_in_mid_change_does_not_run_in_circles(kit: Kit) -> None:
    await tell(kit, "bees", "goats", "owls")
    kit.batch_size = 1
    kit.embedder.dimension = 128
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep cows")
    await memory._worker.step()
    kit.embedder.dimension = 256
    async with asyncio.timeout(PATIENCE_S):
        await memory.process_due()
    assert memory.stats().embedding_backlog == 0
    await memory.close()
    assert look(kit.path, "SELECT dimension FROM vector_indexes") == [(256,)]


async def test_facts_do_not_wait_for_a_cascade_that_turns_keep_interrupting(kit: Kit) -> None:
    kit.settings = MemorySettings(summaries="generative", short_term_threshold=4, short_term_keep=0)
    memory = kit.memory()
    await memory.start(work=False)
    for thing in ("bees", "goats"):
        await exchange(memory, f"I keep {thing}")
    kit.clock.advance(1.0)
    await exchange(memory, "I keep owls")
    await memory.process_due()
    asked = [call.options.json_schema is FACTS_SCHEMA for call in kit.chat.calls]
    assert asked == [True, True, True, False]
    await memory.close()


async def test_background_work_waits_as_long_for_a_first_token_as_for_a_whole_answer(
    kit: Kit,
) -> None:
    await tell(kit, "bees")
    options = kit.chat.calls[0].options
    assert options.first_token_timeout_s == options.timeout_s == TIMEOUT_S


async def test_what_the_engine_cannot_do_in_time_is_tried_once_a_day_not_after_every_answer(
    kit: Kit,
) -> None:
    def slow_to_summarize(messages: Sequence[ChatMessage], options: ChatOptions) -> Reply:
        if options.json_schema is not None:
            return model_that_listens(messages, options)
        return EngineTimeoutError("chat", "300 s")

    kit.settings = MemorySettings(
        summaries="generative",
        short_term_threshold=2,
        short_term_keep=0,
        session_idle_minutes=ENDLESS,
        max_failures_before_degrade=1_000,  # otherwise sentences would be copied after three
    )
    kit.chat = ScriptedChatModel(slow_to_summarize)
    memory = kit.memory()
    await memory.start(work=False)

    def summaries_tried() -> int:
        return sum(call.options.json_schema is None for call in kit.chat.calls)

    for thing in ("bees", "goats", "owls", "cows", "hens"):
        await exchange(memory, f"I keep {thing}")
        await memory.process_due()
        kit.clock.advance(600.0)
    assert summaries_tried() == kit.settings.max_extraction_attempts
    assert memory.stats().parked_tasks == 1
    kit.clock.advance(PARKED_S)
    await memory.process_due()
    assert summaries_tried() == kit.settings.max_extraction_attempts + 1
    await memory.process_due()
    assert summaries_tried() == kit.settings.max_extraction_attempts + 1
    await memory.close()


async def test_a_task_that_fails_after_the_clock_was_put_back_is_not_tried_without_a_pause(
    kit: Kit,
) -> None:
    kit.chat = ScriptedChatModel(["garbage"])
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    kit.clock.advance(-86_400.0)
    await memory.process_due()
    assert len(kit.chat.calls) == 1
    await memory.close()


async def test_a_clock_put_back_delays_nothing_by_what_it_was_put_back(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    kit.clock.advance(-86_400.0)
    await memory.process_due()
    assert memory.stats().facts == 1
    kit.embedder.go_down()
    await exchange(memory, "I keep goats")
    await memory.process_due()
    assert memory.stats().embedding_backlog == 1
    kit.embedder.fail = None
    kit.clock.advance(-86_400.0)
    await memory.process_due()
    assert memory.stats().embedding_backlog == 0
    await memory.close()


async def test_a_conversation_in_another_language_is_summarized_too(kit: Kit) -> None:
    summaries = {
        "Ich wohne in Bremen.": "Der Benutzer sagte, dass er in Bremen wohnt. Lo-Bug war froh.",
        "我住在北京。": "用户说他住在北京。助手回答说那很好。",
    }
    said = ""
    kit.settings = MemorySettings(summaries="generative", short_term_threshold=2, short_term_keep=0)
    kit.chat = ScriptedChatModel(
        lambda m, o: model_that_listens(m, o) if o.json_schema else summaries[said]
    )
    memory = kit.memory()
    await memory.start(work=False)
    for said in summaries:
        await exchange(memory, said, said)
        await memory.process_due()
    assert memory.stats().pending_tasks == 0
    await memory.close()
    assert look(kit.path, "SELECT content FROM memory_summaries ORDER BY id") == [
        (dated(summary),) for summary in summaries.values()
    ]


async def test_half_a_surrogate_pair_in_an_answer_does_not_cost_the_fact(kit: Kit) -> None:
    answer = '[{"fact": "The user keeps \\ud83d bees", "type": "personal"}]'
    kit.chat = ScriptedChatModel([answer])
    await tell(kit, "bees")
    assert look(kit.path, "SELECT content FROM facts") == [("The user keeps bees",)]


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
def test_backups_are_found_whatever_the_file_is_called(tmp_path: Path) -> None:
    backup = tmp_path / "my [old] memory*.db.backup-v1-20260101T000000Z"
    backup.touch()
    assert backups_of(tmp_path / "my [old] memory*.db") == [backup]


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
def test_a_migration_that_keeps_failing_does_not_fill_the_disk_with_backups(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    connection = connect(str(path), timeout_s=1.0)
    connection.execute("CREATE TABLE something (x)")

    def broken(_connection: Connection, _user: str) -> None:
        raise StorageError("cannot be migrated")

    for second in range(5):
        with pytest.raises(StorageError):
            migrations.migrate(
                connection,
                path,
                legacy_user="owner",
                backups_keep=3,
                now=1_700_000_000.0 + second,
                checkpoint=lambda _name: None,
                steps=(broken,),
            )
    connection.close()
    assert [file.name for file in tmp_path.iterdir() if "backup" in file.name] == []


async def test_a_memory_that_takes_long_to_count_is_not_counted_all_day(kit: Kit) -> None:
    def checkpoint(name: str) -> None:
        if name == "recount.counted":
            kit.clock.advance(2.0)

    kit.checkpoint = checkpoint
    memory = kit.memory()
    await memory.start(work=False)
    for thing in ("bees", "goats"):
        await exchange(memory, f"I keep {thing}")
        await memory.process_due()
    assert memory.stats().facts == 1
    pause_s = await memory._worker._pause()
    assert pause_s is not None
    kit.clock.advance(pause_s)
    await memory.process_due()
    assert memory.stats().facts == 2
    await memory.close()


async def test_what_the_database_does_not_take_is_parked_and_keeps_nothing_else_waiting(
    kit: Kit,
) -> None:
    async with started(kit) as memory:
        with opened(kit.path) as connection:
            connection.execute(
                "CREATE UNIQUE INDEX one_alone ON memories (category) WHERE category = 'timeline'"
            )
        await exchange(memory, "I keep bees")
        await exchange(memory, "I keep owls", conversation_key=BOB)
        for _ in range(kit.settings.max_extraction_attempts):
            kit.clock.advance(600.0)
            await memory.process_due()
        parked = look(
            kit.path,
            "SELECT kind, attempts, last_error FROM background_tasks WHERE state = 'parked'",
        )
        ((kind, attempts, error),) = parked
        assert (kind, attempts) == ("end_session", kit.settings.max_extraction_attempts)
        assert error.startswith("storage_refused: ")
        assert "reached" not in error
        await exchange(memory, "I keep goats")
        await memory.process_due()
        assert memory.stats().facts == 3
        assert memory.fault() is None
