"""What is kept only for a time is erased for good, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from lobug.memory.erasure import retention
from lobug.memory.erasure.retention import BATCH
from lobug.memory.model import ConversationKey, Draft, MemoryScope
from lobug.settings import MemorySettings
from lobug.storage.connection import PostgresConnection
from support.memory_kit import ADA, BOB, Kit, broken_links, exchange, look, opened, recalled

pytestmark = pytest.mark.usefixtures("each_database")

DAY_S = 86_400.0
SETTINGS = MemorySettings(
    short_term_threshold=2, short_term_keep=0, long_term_threshold=2, long_term_keep=0
)


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db", settings=SETTINGS)


def timeline(kit: Kit) -> list[tuple[int, int]]:
    """Ids of timeline entries, and whether layer identity has taken them in."""
    return [
        (row[0], row[1])
        for row in look(
            kit.path,
            "SELECT id, incorporated FROM memories WHERE category = 'timeline' ORDER BY id",
        )
    ]


async def days_pass(kit: Kit, days: int) -> None:
    """A server that is started once in so many days."""
    kit.clock.advance(days * DAY_S)
    memory = kit.memory()
    await memory.start(work=False)
    await memory.process_due()
    await memory.close()


async def live(kit: Kit) -> None:
    """Two timeline entries that are taken in, one that is not, a fact each, a task that is done."""
    memory = kit.memory()
    await memory.start(work=False)
    for thing in ("bees", "goats", "owls"):
        await exchange(memory, f"I keep {thing}")
        await memory.process_due()
    access = MemoryScope(ADA.user, ADA.conversation)
    task = await memory.projects.add_task(access, "Build a hive")
    await memory.projects.complete_task(access, task.id, "It stands in the garden")
    await memory.process_due()
    await memory.close()


async def test_timeline_that_identity_has_taken_in_is_erased_after_ninety_days(kit: Kit) -> None:
    await live(kit)
    before = timeline(kit)
    assert [incorporated for _, incorporated in before] == [1, 1, 0]
    await days_pass(kit, 89)
    assert timeline(kit) == before
    await days_pass(kit, 2)
    assert timeline(kit) == [before[2]]
    gone = [entry_id for entry_id, _ in before[:2]]
    for table in ("memory_vectors WHERE memory_id", "memory_facts WHERE id"):
        for entry_id in gone:
            assert look(kit.path, f"SELECT count(*) FROM {table} = ?", (entry_id,)) == [(0,)]
    texts = look(kit.path, "SELECT content FROM memories WHERE layer = 'archive' ORDER BY id")
    assert any("It stands in the garden" in text for (text,) in texts)
    assert look(kit.path, "SELECT count(*) FROM facts WHERE source = 'system'") == [(3,)]
    assert look(kit.path, "SELECT count(*) FROM memories WHERE layer = 'identity'")[0][0] > 0
    with opened(kit.path) as connection:
        if not isinstance(connection, PostgresConnection):  # there the index is a plain table
            connection.execute(
                "INSERT INTO memories_text (memories_text) VALUES ('integrity-check')"
            )


async def test_retention_comes_again_every_day(kit: Kit) -> None:
    await live(kit)
    for _ in range(95):
        await days_pass(kit, 1)
    assert [incorporated for _, incorporated in timeline(kit)] == [0]
    assert look(kit.path, "SELECT kind, state FROM background_tasks") == [
        ("retention", "scheduled")
    ]


async def test_how_often_it_comes_is_a_setting(kit: Kit) -> None:
    kit.settings = SETTINGS.model_copy(update={"cleanup_interval_hours": 0.5})
    memory = kit.memory()
    await memory.start(work=False)
    due = "SELECT next_attempt_at FROM background_tasks WHERE kind = 'retention'"
    assert look(kit.path, due) == [(kit.clock() + 1_800.0,)]
    for _ in range(3):
        kit.clock.advance(1_800.0)
        await memory.process_due()
        assert look(kit.path, due) == [(kit.clock() + 1_800.0,)]
    await memory.close()


async def test_what_was_too_old_is_reported_in_numbers(
    kit: Kit, caplog: pytest.LogCaptureFixture
) -> None:
    kit.settings = SETTINGS.model_copy(update={"log_retention_days": 7.0, "recall_log_days": 7.0})
    caplog.set_level("INFO", "lobug.memory.erasure.report")
    await live(kit)
    memory = kit.memory()
    await memory.start(work=False)
    message_id = await memory.log_user_message(ADA, "Who keeps bees?")
    await memory.retrieve_context(ADA, "Who keeps bees?", message_id=message_id)
    await memory.log_reply(ADA, message_id, "You do.", extract=True)
    await memory.close()
    caplog.clear()
    await days_pass(kit, 91)
    assert [record.getMessage() for record in caplog.records] == [
        "memory erased: cause=retention memories=2 messages=8 derived=0 searches=1"
    ]


async def test_a_clock_put_back_erases_nothing_too_early_and_stops_nothing(kit: Kit) -> None:
    await live(kit)
    before = timeline(kit)
    await days_pass(kit, -3_000)
    assert timeline(kit) == before
    await days_pass(kit, 3_000 + 91)
    assert len(timeline(kit)) == 1


async def test_nothing_is_erased_where_the_settings_say_so(kit: Kit) -> None:
    kit.settings = SETTINGS.model_copy(update={"timeline_retention_days": 0.0})
    await live(kit)
    await days_pass(kit, 4_000)
    assert len(timeline(kit)) == 3
    assert look(kit.path, "SELECT count(*) FROM conversation_log") == [(6,)]


async def test_the_retrieval_log_is_kept_for_thirty_days(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    await memory.process_due()
    for _ in range(2):
        message_id = await memory.log_user_message(ADA, "Who keeps bees?")
        context = await memory.retrieve_context(ADA, "Who keeps bees?", message_id=message_id)
        assert context.recalled
        await memory.log_reply(ADA, message_id, "You do.", extract=True)
        kit.clock.advance(29 * DAY_S)
    await memory.close()
    assert look(kit.path, "SELECT count(*) FROM recalls") == [(2,)]
    for days, left in ((0, 1), (2, 0)):
        await days_pass(kit, days)
        assert look(kit.path, "SELECT count(*) FROM recalls") == [(left,)]
        assert look(kit.path, "SELECT count(DISTINCT recall_id) FROM recall_hits") == [(left,)]


async def test_messages_are_erased_where_that_is_wished_and_what_is_known_stays(kit: Kit) -> None:
    kit.settings = SETTINGS.model_copy(update={"log_retention_days": 7.0})
    await live(kit)
    memory = kit.memory()
    await memory.start(work=False)
    kit.clock.advance(5 * DAY_S)
    await exchange(memory, "I keep hens")
    await memory.process_due()
    kit.clock.advance(3 * DAY_S)
    await memory.process_due()
    rows = look(kit.path, "SELECT content FROM conversation_log ORDER BY id")
    assert [row[0] for row in rows] == ["I keep hens", "Noted."]
    found = look(kit.path, "SELECT content, source_message_id IS NULL FROM facts ORDER BY id")
    assert ("The user has bees", 1) in found
    assert ("The user has hens", 0) in found
    assert "The user has bees" in await recalled(memory, "has bees")
    assert [m.content for m in await memory.recent_messages(ADA, 9)] == ["I keep hens", "Noted."]
    await memory.close()
    assert broken_links(kit.path) == []


@pytest.mark.parametrize("at_once", [retention.AT_ONCE, 50])
async def test_more_than_one_batch_is_erased(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(retention, "AT_ONCE", at_once)
    kit.settings = MemorySettings(log_retention_days=1.0)
    memory = kit.memory()
    await memory.start(work=False)
    for number in range(BATCH // 2 + 20):
        await memory.log_user_message(ConversationKey("ada", f"desk-{number}"), "Hello there.")
        await memory.log_user_message(BOB, "Hello there.")
    await memory.close()
    await days_pass(kit, 2)
    assert look(kit.path, "SELECT count(*) FROM conversation_log") == [(0,)]
    assert look(kit.path, "SELECT kind FROM background_tasks WHERE kind = 'extract'") == []


async def test_what_somebody_wrote_into_the_timeline_stays(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    access = MemoryScope(ADA.user, ADA.conversation)
    await memory.store(
        access, Draft("We moved to Oslo", layer="archive", category="timeline", source="user")
    )
    await memory.close()
    await days_pass(kit, 400)
    rows = look(kit.path, "SELECT count(*) FROM memories WHERE content LIKE '%moved to Oslo'")
    assert rows == [(1,)]


@pytest.mark.parametrize(
    ("setting", "query"),
    [
        ("timeline_retention_days", "SELECT id FROM memories WHERE incorporated = 1"),
        ("recall_log_days", "SELECT id FROM recalls"),
        ("log_retention_days", "SELECT id FROM conversation_log"),
    ],
)
async def test_retention_by_the_settings_of_now(kit: Kit, setting: str, query: str) -> None:
    """What the owner changes while the server runs counts at the next retention."""
    kit.settings = SETTINGS.model_copy(
        update={"timeline_retention_days": 0.0, "recall_log_days": 0.0, "log_retention_days": 0.0}
    )
    await live(kit)
    memory = kit.memory()
    await memory.start(work=False)
    asked = await memory.log_user_message(ADA, "Who keeps bees?")
    await memory.retrieve_context(ADA, "Who keeps bees?", message_id=asked)
    await memory.log_reply(ADA, asked, "You do.", extract=True)
    kit.clock.advance(40 * DAY_S)
    await memory.process_due()
    before = look(kit.path, query)
    memory.use(kit.settings.model_copy(update={setting: 30.0}))
    kit.clock.advance(2 * DAY_S)
    await memory.process_due()
    assert len(look(kit.path, query)) < len(before)
    await memory.close()
