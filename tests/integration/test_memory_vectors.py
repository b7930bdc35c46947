"""The vector indexes: true neighbours, a changed model, an embedder that is down or broken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.engines.base import Vectors
from lobug.memory import embedding
from lobug.memory.claims import assertion
from lobug.memory.index import entry_index
from lobug.memory.index.entry_index import EmbeddedQuery
from lobug.memory.model import Draft, Entry, Filter, Hit, MemoryScope
from lobug.memory.recall.entry_search import READ_AT_ONCE, search
from lobug.memory.recall.readings import Readings
from lobug.memory.service import Memory
from lobug.settings import MemorySettings
from lobug.storage.driver import connect
from support.memory_kit import (
    ADA,
    ENDLESS,
    Kit,
    exchange,
    look,
    recalled,
    started,
    table_names,
)
from support.scripted import ScriptedEmbedder

pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db")


async def test_a_fact_that_is_revived_behind_many_later_ones_gets_its_vector_again(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "MOST_UNSETTLED", 0)
    async with started(kit) as memory:
        overheard = await _overheard(memory)
        assert _without_vector(kit) == []
        await memory.log_reply(ADA, overheard, "[IGNORE]", extract=False, retract=True)
        assert _without_vector(kit) == ["The user lives in Oslo"]
        await memory.process_due()
        assert _without_vector(kit) == []


async def test_a_fact_that_another_server_has_revived_gets_its_vector_again(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "MOST_UNSETTLED", 0)
    async with started(kit) as memory:
        overheard = await _overheard(memory)
        await memory._database.write(  # as another one would, which tells nobody
            "undo", lambda c: assertion.undo(c, ADA.user, overheard), of=ADA.user, everybody=True
        )
        assert _without_vector(kit) == ["The user lives in Oslo"]
        await exchange(memory, "I like tennis.")
        await memory.process_due()
        await memory.process_due()  # the counts have shown that there is one left
        assert _without_vector(kit) == []


async def _overheard(memory: Memory) -> int:
    """Words that end the first of several facts; all have been looked at. Returns their message."""
    for said in ("I live in Oslo.", "I keep bees.", "I play chess.", "I like golf."):
        await exchange(memory, said)
        await memory.process_due()
    message_id = await memory.log_user_message(ADA, "Actually, I live in Rome.")
    await memory.process_due()
    return message_id


def _without_vector(kit: Kit) -> list[str]:
    """What a search by meaning cannot find."""
    rows = look(
        kit.path,
        "SELECT content FROM memories WHERE status <> 'inactive' AND layer = 'knowledge'"
        " AND id NOT IN (SELECT memory_id FROM memory_vectors) ORDER BY id",
    )
    return [content for (content,) in rows]


async def test_while_the_embedder_is_down_facts_are_found_by_their_words(kit: Kit) -> None:
    kit.embedder.go_down()
    kit.settings = MemorySettings(session_idle_minutes=ENDLESS)
    memory = kit.memory()
    await memory.start(work=False)
    for said in ("I work at NASA", "I keep bees", "I play chess"):
        await exchange(memory, said)
    await memory.process_due()
    assert memory.stats().embedding_backlog == 3
    assert await recalled(memory, "Who keeps the bees?") == ["The user has bees"]
    assert await recalled(memory, "Nothing of the kind") == []
    for _ in range(8):  # an hour of failures never parks the backlog
        kit.clock.advance(600.0)
        await memory.process_due()
    kit.embedder.fail = None
    assert await recalled(memory, "Who keeps the bees?") == ["The user has bees"]
    kit.clock.advance(600.0)
    await memory.process_due()
    assert memory.stats().embedding_backlog == 0
    assert (await recalled(memory, "The user has bees"))[0] == "The user has bees"
    await memory.close()


HOSTILE = ['" OR 1=1 --', "NEAR(", "a* AND NOT b", "content:x", "'", '"', "\x00", "\u202eabc", "😀"]


@pytest.mark.parametrize("query", [*HOSTILE, "x " * 50_000, "", " "])
async def test_no_query_breaks_a_search(kit: Kit, query: str) -> None:
    kit.embedder.go_down()
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    await memory.process_due()
    assert (await memory.retrieve_context(ADA, query)).recalled == []
    await memory.close()


async def test_an_embedder_that_hangs_does_not_hold_up_a_turn(kit: Kit) -> None:
    kit.settings = MemorySettings(recall_timeout_s=0.05)
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I work at NASA")
    await memory.process_due()
    kit.embedder.gate = asyncio.Event()  # never set
    # Found by its words: the vector search has no vector to search for.
    assert await recalled(memory, "What about NASA?") == ["The user works at NASA"]
    await memory.close()


async def test_what_is_found_is_read_until_there_is_enough(kit: Kit) -> None:
    scope, count = MemoryScope(ADA.user, ADA.conversation), 2 * READ_AT_ONCE + 10
    async with started(kit) as memory:
        for number in range(count):
            await memory.store(scope, Draft(f"The user owns book {number}"))
        await memory.process_due()
        (vector,) = await kit.embedder.embed(["Which book does the user own?"])
        embedded = EmbeddedQuery(kit.embedder.model_id, vector)

        async def found(enough: Callable[[Sequence[Entry]], bool]) -> list[Hit]:
            return await memory._database.read(
                lambda connection: search(
                    connection,
                    scope,
                    "Which book does the user own?",
                    embedded,
                    Filter(),
                    limit=count,
                    readings=Readings(),
                    enough=enough,
                )
            )

        everything = await found(lambda _: False)
        few = await found(lambda read: len(read) > 5)
        more = await found(lambda read: len(read) > READ_AT_ONCE)
    assert [len(one) for one in (few, more)] == [READ_AT_ONCE, 2 * READ_AT_ONCE]
    assert len(everything) == count
    # Alternately by score and by meaning: the best half is among them in any case.
    best = [hit.score for hit in everything[: READ_AT_ONCE // 2]]
    assert [hit.score for hit in few][: len(best)] == best


def two_models() -> tuple[ScriptedEmbedder, ScriptedEmbedder]:
    return (
        ScriptedEmbedder(dimension=256, model_id="scripted/old"),
        ScriptedEmbedder(dimension=128, model_id="scripted/new"),
    )


@pytest.mark.usefixtures("rules_read_nothing")
async def test_a_changed_model_embeds_everything_anew_searchable_all_the_while(kit: Kit) -> None:
    old, new = two_models()
    kit.embedder, kit.batch_size = old, 2
    kit.settings = MemorySettings(duplicate_distance_threshold=0.0)  # seven facts stay seven
    memory = kit.memory()
    await memory.start(work=False)
    things = ["bees", "goats", "owls", "foxes", "hens", "cows", "frogs"]
    for thing in things:
        await exchange(memory, f"I keep {thing}")
    await memory.process_due()
    await memory.close()

    kit.embedder = new
    again = kit.memory()
    await again.start(work=False)
    assert again.stats().embedding_backlog == len(things)
    for left in range(len(things), 0, -2):
        for thing in things:
            assert f"The user keep {thing}" in await recalled(again, f"keep {thing}"), left
        await again._worker.step()
        await again.close()  # a restart after every batch
        again = kit.memory()
        await again.start(work=False)
        assert again.stats().embedding_backlog == max(left - 2, 0)
    await again.process_due()
    for thing in things:
        assert f"The user keep {thing}" in await recalled(again, f"keep {thing}")
    await again.close()
    assert look(kit.path, "SELECT name, model_id, dimension, current FROM vector_indexes") == [
        ("memory_facts_2", "scripted/new", 128, 1)
    ]
    assert look(kit.path, "SELECT count(*) FROM memory_facts_2") == [(len(things),)]
    names = table_names(kit.path)
    assert not [n for n in names if n.startswith("memory_facts") and "memory_facts_2" not in n]
    embedded = [text for call in new.calls for text in call if text.startswith("The user keep")]
    assert sorted(embedded) == sorted(f"The user keep {thing}" for thing in things)


@pytest.mark.usefixtures("rules_read_nothing")
async def test_a_model_that_comes_back_in_mid_change_loses_nothing(kit: Kit) -> None:
    old, new = two_models()
    kit.batch_size = 2
    for embedder, steps, said in ((old, 99, "bees"), (new, 1, "owls"), (old, 99, "cows")):
        kit.embedder = embedder
        memory = kit.memory()
        await memory.start(work=False)
        for word in (said, f"{said} too"):
            await exchange(memory, f"I keep {word}")
        for _ in range(steps):
            if not await memory._worker.step():
                break
        await memory.close()
    memory = kit.memory()
    await memory.start(work=False)
    await memory.process_due()
    assert memory.stats().embedding_backlog == 0
    for word in ("bees", "owls", "cows"):
        assert any(word in fact for fact in await recalled(memory, f"keep {word}"))
    await memory.close()
    assert look(kit.path, "SELECT model_id FROM vector_indexes") == [("scripted/old",)]


@pytest.mark.usefixtures("rules_read_nothing")
async def test_re_embedding_never_merges_what_was_already_compared(kit: Kit) -> None:
    """Facts that the new model takes for the same were different for the old one: both stay."""

    class Flat(ScriptedEmbedder):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            # A model for which everything is the same.
            return np.tile(np.array([1.0, 0.0], np.float32), (len(texts), 1))

    memory = kit.memory()
    await memory.start(work=False)
    for thing in ("bees", "goats", "owls"):
        await exchange(memory, f"I keep {thing}")
    await memory.process_due()
    await memory.close()
    kit.embedder = Flat(dimension=2, model_id="flat")
    memory = kit.memory()
    await memory.start(work=False)
    await memory.process_due()
    assert memory.stats().facts == 3
    await memory.close()


async def test_a_vector_without_direction_leaves_the_fact_searchable_by_words(kit: Kit) -> None:
    class Lost(ScriptedEmbedder):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            # Zero and infinite vectors, as a broken model gives them.
            return np.array([[0.0, 0.0], [np.inf, 1.0]], np.float32)[: len(texts)]

    kit.embedder = Lost(dimension=2, model_id="lost")
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    await exchange(memory, "I keep owls")
    await memory.process_due()
    assert memory.stats().embedding_backlog == 0
    assert await recalled(memory, "bees") == ["The user has bees"]
    await memory.close()


@settings(max_examples=30, deadline=None)
@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 120),
    k=st.integers(1, 20),
    dimension=st.integers(2, 24),
)
def test_the_nearest_are_the_true_nearest(seed: int, count: int, k: int, dimension: int) -> None:
    generator = np.random.default_rng(seed)
    stored = generator.standard_normal((count, dimension)).astype(np.float32)
    query = generator.standard_normal(dimension).astype(np.float32)
    owner = generator.integers(0, 3, count)
    connection = connect(":memory:", timeout_s=1.0)
    from lobug.storage.migrations import STEPS  # noqa: PLC0415 - the tables, nothing else

    for step in STEPS:
        step(connection, "owner")
    index = entry_index.make_current(connection, "model", dimension, 0.0)
    for number, (vector, user) in enumerate(zip(stored, owner, strict=True), start=1):
        connection.execute(
            "INSERT INTO memories (id, user, told_by, layer, category, key, content, fact_type,"
            " source, said_at, created_at, updated_at, valid_from)"
            " VALUES (?1, ?2, ?2, 'knowledge', 'knowledge', ?3, ?3, 'event', 'import', 0, 0, 0, 0)",
            (number, f"u{user}", f"fact_{number}"),
        )
        entry_index.add(connection, index, number, vector)
    mine = np.flatnonzero(owner == 1)
    cosine = stored[mine] @ query / np.linalg.norm(stored[mine], axis=1) / np.linalg.norm(query)
    found = entry_index.nearest(connection, index, "u1", query, k)
    connection.close()
    expected = np.sort(1.0 - cosine)[:k]
    assert {near.fact_id - 1 for near in found} <= set(mine.tolist())
    assert np.allclose([near.distance for near in found], expected, atol=1e-5)
