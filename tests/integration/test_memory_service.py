"""Long-term memory on a real database file: what a turn logs, and the facts that come of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lobug.errors import EngineUnavailableError, StorageError
from lobug.memory.service import Memory
from lobug.memory.turns import REPLY_DEADLINE_S
from support.memory_kit import (
    ADA,
    BOB,
    Kit,
    exchange,
    look,
    recalled,
)

pytestmark = [
    pytest.mark.usefixtures("rules_read_nothing"),
    pytest.mark.usefixtures("each_database"),
]
# What the rules read at once is tested in test_claims.py.


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db")


async def test_what_is_told_is_known_after_a_restart(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    contract: Memory = memory
    message_id = await contract.log_user_message(ADA, "I work at NASA")
    await contract.log_reply(ADA, message_id, "Great.", extract=True)
    await memory.process_due()
    await memory.close()

    again = kit.memory()
    await again.start(work=False)
    assert await recalled(again, "Where do I work?") == ["The user work at NASA"]
    assert [(m.role, m.content) for m in await again.recent_messages(ADA, 20)] == [
        ("user", "I work at NASA"),
        ("assistant", "Great."),
    ]
    assert again.stats().messages == 2
    assert again.stats().facts == 1
    await again.close()


async def test_a_fact_names_the_turn_it_came_from(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "Hello there.")
    said_at = kit.clock()
    message_id = await exchange(memory, "I work at NASA")
    kit.clock.advance(5.0)
    await memory.process_due()
    await memory.close()
    assert look(kit.path, "SELECT source_message_id, created_at, source FROM facts") == [
        (message_id, said_at, "system")
    ]


async def test_questions_and_commands_cost_no_model_call(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    for said in ("What is the capital of Japan?", "Set a timer.", "Thanks!"):
        await exchange(memory, said)
    await memory.process_due()
    assert kit.chat.calls == []
    assert memory.stats().pending_tasks == 0
    await memory.close()


async def test_only_the_users_own_words_are_shown_for_extraction(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I work at NASA", "You told me that you love marmalade.")
    await memory.process_due()
    (call,) = kit.chat.calls
    assert "marmalade" not in call.prompt
    await memory.close()


async def test_a_near_duplicate_is_replaced_but_not_destroyed(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I work at the big old NASA centre in Houston Texas")
    await memory.process_due()
    await exchange(memory, "I worked at the big old NASA centre in Houston Texas")
    await memory.process_due()
    assert await recalled(memory, "Where do I work? NASA Houston") == [
        "The user worked at the big old NASA centre in Houston Texas"
    ]
    await memory.close()
    rows = look(kit.path, "SELECT id, replaced_by, replaced_at IS NULL FROM facts ORDER BY id")
    assert rows == [(1, 2, 0), (2, None, 1)]


async def test_a_new_home_replaces_the_old_one_at_any_distance(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    for said in ("I lives in Portland", "I moved to Seattle"):
        await exchange(memory, said)
        await memory.process_due()
    assert memory.stats().facts == 1
    assert await recalled(memory, "the user moved to Seattle") == ["The user moved to Seattle"]
    await memory.close()


async def test_of_two_versions_the_one_said_later_stays_even_if_extracted_first(kit: Kit) -> None:
    kit.chat.fail = EngineUnavailableError("chat", "down")
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I lives in Portland")
    await memory.process_due()  # fails, due again later
    kit.chat.fail = None
    await exchange(memory, "I moved to Seattle")
    await memory.process_due()
    kit.clock.advance(60.0)
    await memory.process_due()
    assert await recalled(memory, "the user moved to Seattle") == ["The user moved to Seattle"]
    await memory.close()
    assert look(kit.path, "SELECT count(*) FROM facts") == [(2,)]


async def test_ignored_words_give_no_facts(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    message_id = await memory.log_user_message(ADA, "I work at NASA")
    await memory.log_reply(ADA, message_id, "[IGNORE]", extract=False)
    kit.clock.advance(REPLY_DEADLINE_S * 2)
    await memory.process_due()
    assert memory.stats().facts == 0
    assert memory.stats().pending_tasks == 0
    await memory.close()


async def test_a_turn_without_a_reply_still_has_its_facts_extracted(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await memory.log_user_message(ADA, "I work at NASA")
    await memory.process_due()
    assert memory.stats().facts == 0
    kit.clock.advance(REPLY_DEADLINE_S)
    await memory.process_due()
    assert memory.stats().facts == 1
    await memory.close()


async def test_a_second_reply_changes_nothing_and_a_strangers_is_refused(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    message_id = await memory.log_user_message(ADA, "Hello")
    first = await memory.log_reply(ADA, message_id, "Hi.", extract=True)
    assert await memory.log_reply(ADA, message_id, "Hi again.", extract=True) == first
    with pytest.raises(StorageError):
        await memory.log_reply(BOB, message_id, "Hi Bob.", extract=True)
    assert memory.stats().messages == 2
    assert await memory.recent_messages(BOB, 20) == []
    await memory.close()
