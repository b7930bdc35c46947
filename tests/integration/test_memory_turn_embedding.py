"""Turns get their vectors in the background; embedders fail, change and are slow; bytes go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from lobug.errors import EngineError
from lobug.memory.model import Filter, Hit, MemoryScope, Purge
from lobug.memory.recall.turn_search import WORDS_KEPT, QueryEmbedder, prepare
from lobug.memory.service import Memory
from lobug.storage.compaction import compact
from lobug.storage.database import Database
from support.erasure_kit import bytes_of
from support.memory_kit import ADA, BOB, GENERATIVE, Kit, exchange, look
from support.scripted import ScriptedEmbedder

pytestmark = pytest.mark.usefixtures("each_database")

ACCESS = MemoryScope(ADA.user, ADA.conversation)
DOWN = EngineError("embeddings", "down")


@pytest_asyncio.fixture
async def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "m.db", settings=GENERATIVE)


@pytest_asyncio.fixture
async def memory(kit: Kit) -> AsyncIterator[Memory]:
    manager = kit.memory()
    await manager.start(work=False)
    yield manager
    await manager.close()


async def search(memory: Memory, query: str, **more: float) -> list[Hit]:
    where = Filter(since=more.get("since"), until=more.get("until"))
    return list(await memory.search(ACCESS, query, where, limit=9, turns=True))


async def test_an_embedder_that_is_down_loses_nothing(kit: Kit, memory: Memory) -> None:
    kit.embedder.fail = DOWN
    said = await exchange(memory, "It rained in Lisbon.")
    await memory.process_due()
    assert look(kit.path, "SELECT count(*) FROM turn_vectors") == [(0,)]
    assert (await search(memory, "Lisbon?"))[0].id == said
    kit.embedder.fail = None
    kit.clock.advance(3600.0)
    await memory.process_due()
    assert look(kit.path, "SELECT count(*) FROM turn_vectors") == [(2,)]
    hit = (await search(memory, "Lisbon?"))[0]
    assert hit.id == said
    assert hit.parts["cosine"] > 0.0


async def test_a_model_that_changes_embeds_everything_again(kit: Kit, memory: Memory) -> None:
    for number in range(5):
        await exchange(memory, f"It rained in Lisbon on day {number}.")
    await memory.process_due()
    kit.embedder.model_id = "scripted/next"
    kit.embedder.dimension = 80
    await memory.process_due()
    sets = "SELECT model_id, dimension, (SELECT count(*) FROM turn_vectors v WHERE v.set_id = s.id)"
    assert look(kit.path, f"{sets} FROM turn_vector_sets s") == [("scripted/next", 80, 10)]
    stale = "SELECT count(*) FROM turn_words WHERE vector_set <> (SELECT id FROM turn_vector_sets)"
    assert look(kit.path, stale) == [(0,)]


async def test_a_turn_that_arrives_stops_the_batch(kit: Kit, memory: Memory) -> None:
    await exchange(memory, "It rained in Lisbon.")
    kit.embedder.gate = asyncio.Event()
    work = asyncio.create_task(memory._worker._turns.step())
    while not kit.embedder.calls:  # noqa: ASYNC110 - the scripted embedder announces nothing
        await asyncio.sleep(0)
    async with kit.priority.turn():
        assert await work, "there is still something to do"
        assert look(kit.path, "SELECT count(*) FROM turn_vectors") == [(0,)]
    kit.embedder.gate = None
    await memory.process_due()
    assert look(kit.path, "SELECT count(*) FROM turn_vectors") == [(2,)]


async def test_what_was_ignored_is_not_found(memory: Memory) -> None:
    message = await memory.log_user_message(ADA, "The news: it rained in Lisbon.")
    await memory.log_reply(ADA, message, "Lisbon!", extract=False)
    await memory.process_due()
    assert await search(memory, "Lisbon?") == []


async def test_entries_and_turns_are_one_list(kit: Kit, memory: Memory) -> None:
    said = await exchange(memory, "I keep a hedgehog.")
    await exchange(memory, "I keep a hedgehog too.", conversation_key=BOB)
    await memory.process_due()
    hits = await search(memory, "hedgehog?")
    assert {hit.kind for hit in hits} == {"memory", "turn"}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert said in [hit.id for hit in hits if hit.kind == "turn"]
    assert not any("too" in hit.content for hit in hits)
    now = kit.clock.now
    timed = await search(memory, "", since=now - 1.0, until=now + 1.0)
    assert {hit.kind for hit in timed} == {"memory", "turn"}
    assert await search(memory, "", since=now + 1.0) == []


async def test_a_query_without_vectors_never_fails(kit: Kit, memory: Memory) -> None:
    await exchange(memory, "It rained in Lisbon.")
    queries = QueryEmbedder(memory._embedding)
    prepared = prepare("Did it rain in Lisbon?")
    kit.embedder.fail = DOWN
    assert await queries.vectors(prepared) is None
    kit.embedder.fail = None
    assert await queries.vectors(prepare("  ")) is None
    found = await queries.vectors(prepared)
    assert found is not None
    assert set(found.words) == {"rain", "lisbon"}
    assert np.isclose(np.linalg.norm(found.whole), 1.0)
    # Words that were asked for before are not embedded again.
    calls = len(kit.embedder.calls)
    await queries.vectors(prepared)
    assert kit.embedder.calls[calls:] == [("Did it rain in Lisbon?",)]
    for number in range(WORDS_KEPT // 32 + 1):
        words = " ".join(f"w{number}q{at}" for at in range(64))
        await queries.vectors(prepare(words))
    assert len(queries._words) <= WORDS_KEPT


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
async def test_no_byte_of_what_was_purged_is_left(kit: Kit, memory: Memory) -> None:
    for number in range(30):
        await exchange(memory, f"Plain words number {number}.")
    gone = await exchange(memory, "Zanzibarix likes Wunderlich.")
    kit.clock.advance(7_200.0)
    for number in range(30):
        await exchange(memory, f"Plain words again {number}.")
    await memory.process_due()
    ((vector, code),) = look(
        kit.path,
        "SELECT v.vector, substr(c.codes, v.slot % 512 * 32 + 1, 32) FROM turn_vectors v"
        " JOIN turn_codes c ON c.owner = v.owner AND c.set_id = v.set_id WHERE v.message_id = ?",
        [gone],
    )
    words = look(
        kit.path,
        "SELECT v.vector FROM turn_word_vectors v JOIN turn_words w ON w.id = v.word_id"
        " WHERE w.word = 'zanzibarix'",
    )
    secrets = [vector, code, words[0][0], b"zanzibarix", b"wunderlich"]
    before = bytes_of(kit.path).lower()
    assert b"xzanzibarix" in before
    assert all(secret in bytes_of(kit.path) for secret in secrets[:3])
    ((session,),) = look(kit.path, "SELECT session_id FROM conversation_log WHERE id = ?", [gone])
    await memory.purge(ACCESS, Purge(session=session))
    database: Database = memory._database
    await compact(database)
    after = bytes_of(kit.path)
    assert not [secret for secret in secrets if secret in after or secret in after.lower()]
    assert (await search(memory, "Which words again?")) != []
    await memory.process_due()


async def test_a_vector_of_the_wrong_shape_is_a_failure_of_the_embedder(
    kit: Kit, memory: Memory
) -> None:
    class Broken(ScriptedEmbedder):
        async def embed(self, texts: object) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
            return np.zeros((1, 2, 3), np.float32)

    await memory.close()
    kit.embedder = Broken()
    broken = kit.memory()
    await broken.start(work=False)
    await exchange(broken, "It rained in Lisbon.")
    await broken.process_due()
    assert look(kit.path, "SELECT count(*) FROM turn_vectors") == [(0,)]
    hits = await broken.search(ACCESS, "Lisbon", Filter(), turns=True)
    assert hits
    await broken.close()
