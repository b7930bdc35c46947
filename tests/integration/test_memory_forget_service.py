"""Forgetting through the owner's control, while memory goes on working."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from lobug.conversation.registry import Conversations, load_working_memory
from lobug.errors import MemoryForbiddenError, MemoryKeyError, MemoryNotFoundError
from lobug.memory.model import (
    ConversationKey,
    Draft,
    Filter,
    Forgotten,
    LoggedMessage,
    MemoryScope,
    Purge,
)
from lobug.settings import MemorySettings, Settings
from support.erasure_kit import bytes_of
from support.memory_kit import ADA, BOB, Kit, exchange, look, recalled
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel

pytestmark = pytest.mark.usefixtures("each_database", "asked_again")

ACCESS = MemoryScope(ADA.user, ADA.conversation)


@pytest.fixture(params=["rules", "model"])
def keeps(request: pytest.FixtureRequest) -> str:
    """What a fact says of "I keep bees", read by the rules or by the chat model."""
    if request.param == "rules":
        return "has"
    request.getfixturevalue("rules_read_nothing")
    return "keep"


async def test_forgotten_by_id_by_key_and_by_words(tmp_path: Path, keeps: str) -> None:
    kit = Kit(tmp_path / "memory.db")
    memory = kit.memory()
    await memory.start(work=False)
    for word in ("bees", "goats", "ducks"):
        await exchange(memory, f"I keep {word}.", f"{word} are nice.")
    await memory.process_due()
    known = {entry.content: entry for entry in await memory.entries(ACCESS, Filter())}
    bees, goats = known[f"The user {keeps} bees"], known[f"The user {keeps} goats"]

    assert (await memory.forget(ACCESS, bees.id)).entries == (bees.id,)
    assert (await memory.forget_key(ACCESS, goats.key)).keys == (goats.key,)
    tried = await memory.forget_text(ACCESS, "ducks", dry_run=True)
    assert await recalled(memory, "ducks") == [f"The user {keeps} ducks"]
    assert await memory.forget_text(ACCESS, "ducks") == tried
    assert await memory.forget_text(ACCESS, "ducks") == Forgotten()

    assert await memory.entries(ACCESS, Filter(status=None)) == []
    assert memory.stats().facts == 0
    for word in ("bees", "goats", "ducks"):
        assert await recalled(memory, word) == []
        assert await memory.search(ACCESS, word, Filter(status=None), turns=True) == []
    assert await memory.recent_messages(ADA, 20) == []
    with pytest.raises(MemoryNotFoundError):
        await memory.forget(ACCESS, bees.id)
    with pytest.raises(MemoryNotFoundError):
        await memory.forget_key(ACCESS, goats.key)
    with pytest.raises(MemoryKeyError):
        await memory.forget_key(ACCESS, "Not a key")
    await memory.process_due()
    await memory.close()
    assert look(kit.path, "SELECT count(*) FROM claims") == [(0,)]
    for secret in (b"bees", b"goats", b"ducks"):
        assert secret not in bytes_of(kit.path)


@pytest.mark.usefixtures("rules_read_nothing")
async def test_an_extraction_that_has_read_it_stores_nothing(tmp_path: Path) -> None:
    gate = asyncio.Event()
    fact = json.dumps([{"fact": "The user keeps bees", "type": "personal"}])
    kit = Kit(tmp_path / "memory.db", chat=ScriptedChatModel([[fact[:9], gate, fact[9:]]]))
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees.")
    working = asyncio.ensure_future(memory.process_due())
    await kit.chat.wait_for_calls(1)
    assert (await memory.forget_text(ACCESS, "bees")).messages == 2
    gate.set()
    await working
    assert kit.chat.calls[0].cancelled
    await memory.close()
    assert look(kit.path, "SELECT count(*) FROM memories") == [(0,)]
    assert b"bees" not in bytes_of(kit.path)


async def test_a_reply_to_words_that_were_forgotten_before_it_is_not_kept(tmp_path: Path) -> None:
    kit = Kit(tmp_path / "memory.db")
    memory = kit.memory()
    await memory.start(work=False)
    message_id = await memory.log_user_message(ADA, "I keep bees.")
    await memory.retrieve_context(ADA, "I keep bees.", message_id=message_id)
    assert (await memory.forget_text(ACCESS, "bees")).messages == 1
    await memory.log_reply(ADA, message_id, "Bees are nice.", extract=True)
    await memory.process_due()
    assert await memory.recent_messages(ADA, 20) == []
    await memory.close()
    assert b"bees" not in bytes_of(kit.path).lower()


async def test_a_conversation_that_is_being_read_from_the_log_holds_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Kit(tmp_path / "memory.db").memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees.", "Bees are nice.")
    conversations = Conversations(Settings(_env_file=None))
    memory.on_erasure(conversations.forget)
    read = memory.recent_messages

    async def read_and_forget(
        conversation_key: ConversationKey, limit: int
    ) -> Sequence[LoggedMessage]:
        found = await read(conversation_key, limit)
        if found:
            await memory.forget_text(ACCESS, "bees")
        return found

    monkeypatch.setattr(memory, "recent_messages", read_and_forget)
    conversation = conversations.get(ADA)
    async with asyncio.timeout(PATIENCE_S):
        await load_working_memory(conversation, memory, 20)
    assert conversation.loaded
    assert conversation.memory.messages() == []
    await memory.close()


async def test_the_vectors_of_forgotten_turns_are_gone(tmp_path: Path) -> None:
    kit = Kit(tmp_path / "memory.db")
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees.", "Bees are nice.")
    await memory.process_due()
    rows = look(kit.path, "SELECT vector FROM turn_vectors WHERE vector IS NOT NULL")
    assert rows
    assert all(np.frombuffer(row[0], np.uint8).any() for row in rows)
    await memory.forget_text(ACCESS, "bees")
    await memory.process_due()
    await memory.close()
    left = bytes_of(kit.path)
    assert not any(row[0] in left for row in rows)
    assert look(kit.path, "SELECT count(*) FROM turn_words WHERE word LIKE 'bee%'") == [(0,)]


async def test_what_is_left_of_a_forgotten_stretch_is_summed_up_anew(tmp_path: Path) -> None:
    settings = MemorySettings(
        short_term_threshold=6, short_term_keep=0, session_idle_minutes=1e6, summaries="generative",
        consolidation_turn_threshold=100,
    )  # fmt: skip
    kit = Kit(tmp_path / "memory.db", settings=settings)
    memory = kit.memory()
    await memory.start(work=False)
    for word in ("bees", "goats", "ducks"):
        await exchange(memory, f"I keep {word}.", f"{word} are nice.")
    await memory.process_due()
    first = look(kit.path, "SELECT id FROM memories WHERE category = 'timeline'")
    assert len(first) == 1
    kit.chat.calls.clear()
    gone = await memory.forget_text(ACCESS, "goats")
    assert gone.derived >= 1
    await memory.process_due()
    await memory.close()
    second = look(kit.path, "SELECT id FROM memories WHERE category = 'timeline'")
    assert len(second) == 1
    assert second != first
    shown = "\n".join(call.prompt for call in kit.chat.calls)
    assert "I keep bees." in shown
    assert "goats are" not in shown


async def test_it_works_where_memory_is_switched_off(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    memory = Kit(path).memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees.")
    await memory.process_due()
    await memory.close()
    memory = Kit(path, settings=MemorySettings(enabled=False)).memory()
    await memory.start(work=False)
    await memory.purge(ACCESS, Purge(user=True))
    assert memory.stats().messages == 0
    assert memory.stats().users == 0
    await memory.process_due()
    await memory.close()
    assert b"bees" not in bytes_of(path)


async def test_a_household_needs_the_grant(tmp_path: Path) -> None:
    memory = Kit(tmp_path / "memory.db").memory()
    await memory.start(work=False)
    writer = MemoryScope(ADA.user, None, "write")
    entry = await memory.store(writer, Draft("The gate has a code", scope="household"))
    with pytest.raises(MemoryForbiddenError):
        await memory.forget(MemoryScope(BOB.user, None, "read"), entry.id)
    with pytest.raises(MemoryNotFoundError):
        await memory.forget(MemoryScope(BOB.user, None), entry.id)
    assert (await memory.forget(MemoryScope(BOB.user, None, "write"), entry.id)).entries
    await memory.close()


async def test_exported_and_imported_by_another_memory(tmp_path: Path, keeps: str) -> None:
    first, second = Kit(tmp_path / "1.db").memory(), Kit(tmp_path / "2.db").memory()
    await first.start(work=False)
    await second.start(work=False)
    await exchange(first, "I keep bees.")
    await first.process_due()
    document = dict(await first.export(ACCESS))
    done = await second.import_json(ACCESS, json.loads(json.dumps(document)))
    assert (done.messages, done.entries, done.sessions) == (2, 1, 1)
    assert second.stats().messages == 2
    await second.process_due()
    assert await recalled(second, "Do I keep bees?") == [f"The user {keeps} bees"]
    again = dict(await second.export(ACCESS))
    assert again == document  # the clock stands still
    assert f"The user {keeps} bees" in await second.export_markdown(ACCESS)
    await first.close()
    await second.close()
