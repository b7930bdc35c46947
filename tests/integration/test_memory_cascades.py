"""From messages to the timeline, from there to layer identity: when, and what is never lost."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from lobug.memory.model import ConversationKey, Draft, MemoryScope
from support.memory_kit import (
    ADA,
    CASCADES,
    IDENTITY,
    SUMMARY,
    Kit,
    dated,
    exchange,
    look,
)
from support.scripted import ScriptedChatModel

pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db")


async def test_cascades_follow_their_thresholds_and_keep_the_newest(kit: Kit) -> None:
    kit.settings = CASCADES
    memory = kit.memory()
    await memory.start(work=False)
    for number in range(2):
        await exchange(memory, f"I own {number} boats")
    await memory.process_due()
    assert look(kit.path, "SELECT count(*) FROM memory_summaries") == [(0,)]
    await exchange(memory, "I own three boats")
    await memory.process_due()
    assert look(
        kit.path,
        "SELECT user, conversation, content, source_from_id, source_to_id, incorporated"
        " FROM memory_summaries",
    ) == [("ada", "ada-desk", dated(SUMMARY), 1, 4, 0)]
    assert look(kit.path, "SELECT id FROM conversation_log WHERE summarized = 0") == [(5,), (6,)]
    assert await memory.base_memory("ada") == ""
    for number in range(4):
        await exchange(memory, f"I have {number} hats")
        await memory.process_due()
    assert memory.stats().summaries == 3
    assert await memory.base_memory("ada") == IDENTITY
    assert (await memory.retrieve_context(ADA, "hats")).base_memory == IDENTITY
    assert look(kit.path, "SELECT incorporated FROM memory_summaries ORDER BY id") == [
        (1,), (1,), (0,)
    ]  # fmt: skip
    assert memory.stats().pending_tasks == 0
    await memory.close()


async def test_a_cascade_writes_one_summary_for_each_conversation_of_the_user(kit: Kit) -> None:
    kit.settings = CASCADES
    memory = kit.memory()
    await memory.start(work=False)
    kitchen = ConversationKey("ada", "ada-kitchen")
    for owner in (ADA, kitchen, ADA):
        await exchange(memory, "Hello there.", conversation_key=owner)
    await memory.process_due()
    rows = look(kit.path, "SELECT conversation, source_from_id, source_to_id FROM memory_summaries")
    assert rows == [("ada-desk", 1, 2), ("ada-kitchen", 3, 4)]
    transcripts = [call.prompt for call in kit.chat.calls]
    assert all("User: Hello there." in prompt for prompt in transcripts)
    await memory.close()


async def test_what_belongs_to_one_conversation_is_not_distilled_for_all(kit: Kit) -> None:
    kit.settings = CASCADES
    memory = kit.memory()
    await memory.start(work=False)
    desk = MemoryScope(ADA.user, ADA.conversation)
    for category in ("knowledge", "timeline"):
        draft = Draft(f"The {category} zanzibar", scope="conversation", category=category)
        await memory.store(desk, draft)
    for number in range(7):
        await exchange(memory, f"I own {number} boats")
        await memory.process_due()
    assert await memory.base_memory("ada") == IDENTITY
    assert not [call for call in kit.chat.calls if "zanzibar" in call.prompt]
    await memory.close()


async def test_a_long_stretch_is_summarized_in_parts_that_fit_the_model(kit: Kit) -> None:
    kit.settings = CASCADES
    kit.chat = ScriptedChatModel(kit.chat._replies, context_tokens=1024)
    memory = kit.memory()
    await memory.start(work=False)
    for _ in range(3):
        await exchange(memory, "tell me " + "more " * 250, "sure " * 250)
    await memory.process_due()
    rows = look(kit.path, "SELECT source_from_id, source_to_id FROM memory_summaries ORDER BY id")
    assert len(rows) > 1
    assert rows[0][0] == 1
    assert rows[-1][1] == 4
    assert all(later[0] == earlier[1] + 1 for earlier, later in pairwise(rows))
    await memory.close()


@pytest.mark.parametrize("garbage", ["", "{}", "asdf", "I cannot do that, sorry.", "User Profile:"])
async def test_a_garbled_base_memory_never_replaces_the_old_one(kit: Kit, garbage: str) -> None:
    kit.settings = CASCADES
    memory = kit.memory()
    await memory.start(work=False)
    for number in range(7):
        await exchange(memory, f"I own {number} boats")
        await memory.process_due()
    assert await memory.base_memory("ada") == IDENTITY
    kit.chat = ScriptedChatModel(
        lambda messages, options: (
            garbage
            if "base memory" in messages[0].content
            else "[]"
            if options.json_schema
            else SUMMARY
        )
    )
    await memory.close()
    memory = kit.memory()
    await memory.start(work=False)
    for number in range(8):
        await exchange(memory, f"Hello {number}")
        await memory.process_due()
    for _ in range(4):
        kit.clock.advance(300.0)
        await memory.process_due()
    assert await memory.base_memory("ada") == IDENTITY
    assert memory.stats().parked_tasks == 1
    left = look(kit.path, "SELECT count(*) FROM memory_summaries WHERE incorporated = 0")
    assert left[0][0] >= CASCADES.long_term_threshold
    await memory.close()
