"""Long-term memory on a real database file: what it keeps, finds, merges and does afterwards."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lobug.engines.base import Vectors
from lobug.errors import EngineUnavailableError, StorageError
from lobug.memory import vectors
from lobug.memory.base import Memory, Owner
from lobug.memory.driver import connect
from lobug.memory.manager import REPLY_DEADLINE_S
from lobug.settings import MemorySettings
from support.memory_kit import ADA, BASE, BOB, SUMMARY, Clock, Kit, exchange, look, recalled
from support.scripted import ScriptedChatModel, ScriptedEmbedder

CASCADES = MemorySettings(
    short_term_threshold=6, short_term_keep=2, long_term_threshold=3, long_term_keep=1
)


class RealClock(Clock):
    """The machine's own time."""

    def __call__(self) -> float:
        return time.time()


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db")


async def test_what_is_told_is_known_after_a_restart(kit: Kit) -> None:
    memory = kit.manager()
    await memory.start(work=False)
    contract: Memory = memory
    message_id = await contract.log_user_message(ADA, "I work at NASA")
    await contract.log_reply(ADA, message_id, "Great.", extract=True)
    await memory.process_due()
    await memory.close()

    again = kit.manager()
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
    memory = kit.manager()
    await memory.start(work=False)
    await exchange(memory, "Hello there.")
    said_at = kit.clock()
    message_id = await exchange(memory, "I work at NASA")
    kit.clock.advance(5.0)
    await memory.process_due()
    await memory.close()
    assert look(kit.path, "SELECT source_message_id, created_at, source FROM facts") == [
        (message_id, said_at, "conversation")
    ]


async def test_questions_and_commands_cost_no_model_call(kit: Kit) -> None:
    memory = kit.manager()
    await memory.start(work=False)
    for said in ("What is the capital of Japan?", "Set a timer.", "Thanks!"):
        await exchange(memory, said)
    await memory.process_due()
    assert kit.chat.calls == []
    assert memory.stats().pending_tasks == 0
    await memory.close()


async def test_only_the_users_own_words_are_shown_for_extraction(kit: Kit) -> None:
    memory = kit.manager()
    await memory.start(work=False)
    await exchange(memory, "I work at NASA", "You told me that you love marmalade.")
    await memory.process_due()
    (call,) = kit.chat.calls
    assert "marmalade" not in call.prompt
    await memory.close()


async def test_a_near_duplicate_is_replaced_but_not_destroyed(kit: Kit) -> None:
    memory = kit.manager()
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
    memory = kit.manager()
    await memory.start(work=False)
    for said in ("I lives in Portland", "I moved to Seattle"):
        await exchange(memory, said)
        await memory.process_due()
    assert memory.stats().facts == 1
    assert await recalled(memory, "the user moved to Seattle") == ["The user moved to Seattle"]
    await memory.close()


async def test_of_two_versions_the_one_said_later_stays_even_if_extracted_first(kit: Kit) -> None:
    kit.chat.fail = EngineUnavailableError("chat", "down")
    memory = kit.manager()
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


async def test_cascades_follow_their_thresholds_and_keep_the_newest(kit: Kit) -> None:
    kit.settings = CASCADES
    memory = kit.manager()
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
    ) == [("ada", "ada-desk", SUMMARY, 1, 4, 0)]
    assert look(kit.path, "SELECT id FROM conversation_log WHERE summarized = 0") == [(5,), (6,)]
    assert await memory.base_memory("ada") == ""
    for number in range(4):
        await exchange(memory, f"I have {number} hats")
        await memory.process_due()
    assert memory.stats().summaries == 3
    assert await memory.base_memory("ada") == BASE
    assert (await memory.retrieve_context(ADA, "hats")).base_memory == BASE
    assert look(kit.path, "SELECT id, incorporated FROM memory_summaries") == [
        (1, 1), (2, 1), (3, 0)
    ]  # fmt: skip
    assert memory.stats().pending_tasks == 0
    await memory.close()


async def test_a_cascade_writes_one_summary_for_each_conversation_of_the_user(kit: Kit) -> None:
    kit.settings = CASCADES
    memory = kit.manager()
    await memory.start(work=False)
    kitchen = Owner("ada", "ada-kitchen")
    for owner in (ADA, kitchen, ADA):
        await exchange(memory, "Hello there.", owner=owner)
    await memory.process_due()
    rows = look(kit.path, "SELECT conversation, source_from_id, source_to_id FROM memory_summaries")
    assert rows == [("ada-desk", 1, 2), ("ada-kitchen", 3, 4)]
    transcripts = [call.prompt for call in kit.chat.calls]
    assert all("User: Hello there." in prompt for prompt in transcripts)
    await memory.close()


async def test_a_long_stretch_is_summarized_in_parts_that_fit_the_model(kit: Kit) -> None:
    kit.settings = CASCADES
    kit.chat = ScriptedChatModel(kit.chat._replies, context_tokens=1024)
    memory = kit.manager()
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
    memory = kit.manager()
    await memory.start(work=False)
    for number in range(7):
        await exchange(memory, f"I own {number} boats")
        await memory.process_due()
    assert await memory.base_memory("ada") == BASE
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
    memory = kit.manager()
    await memory.start(work=False)
    for number in range(8):
        await exchange(memory, f"Hello {number}")
        await memory.process_due()
    for _ in range(4):
        kit.clock.advance(300.0)
        await memory.process_due()
    assert await memory.base_memory("ada") == BASE
    assert memory.stats().parked_tasks == 1
    left = look(kit.path, "SELECT count(*) FROM memory_summaries WHERE incorporated = 0")
    assert left[0][0] >= CASCADES.long_term_threshold
    await memory.close()


@pytest.mark.parametrize("answer", ["no JSON at all", '[{"fact": "The user wo', ""])
async def test_a_failed_extraction_is_retried_then_kept_raw_then_tried_at_the_next_start(
    kit: Kit, answer: str
) -> None:
    kit.chat = ScriptedChatModel(lambda _messages, _options: answer)
    memory = kit.manager()
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
    again = kit.manager()
    await again.start(work=False)
    await again.process_due()
    assert await recalled(again, "work NASA") == ["The user work at NASA"]
    assert again.stats().parked_tasks == 0
    await again.close()


async def test_what_was_parked_while_the_model_was_down_comes_back_when_it_works(kit: Kit) -> None:
    kit.chat.fail = EngineUnavailableError("chat", "down")
    memory = kit.manager()
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
    memory = kit.manager()
    await memory.start(work=False)
    for _ in range(3):
        await exchange(memory, "I work at NASA")
    await memory.process_due()
    assert memory.stats().summaries == 1
    assert memory.stats().facts == 0
    assert memory.stats().pending_tasks == 3
    await memory.close()


async def test_ignored_words_give_no_facts(kit: Kit) -> None:
    memory = kit.manager()
    await memory.start(work=False)
    message_id = await memory.log_user_message(ADA, "I work at NASA")
    await memory.log_reply(ADA, message_id, "[IGNORE]", extract=False)
    kit.clock.advance(REPLY_DEADLINE_S * 2)
    await memory.process_due()
    assert memory.stats().facts == 0
    assert memory.stats().pending_tasks == 0
    await memory.close()


async def test_a_turn_without_a_reply_still_has_its_facts_extracted(kit: Kit) -> None:
    memory = kit.manager()
    await memory.start(work=False)
    await memory.log_user_message(ADA, "I work at NASA")
    await memory.process_due()
    assert memory.stats().facts == 0
    kit.clock.advance(REPLY_DEADLINE_S)
    await memory.process_due()
    assert memory.stats().facts == 1
    await memory.close()


async def test_a_second_reply_changes_nothing_and_a_strangers_is_refused(kit: Kit) -> None:
    memory = kit.manager()
    await memory.start(work=False)
    message_id = await memory.log_user_message(ADA, "Hello")
    first = await memory.log_reply(ADA, message_id, "Hi.", extract=True)
    assert await memory.log_reply(ADA, message_id, "Hi again.", extract=True) == first
    with pytest.raises(StorageError):
        await memory.log_reply(BOB, message_id, "Hi Bob.", extract=True)
    assert memory.stats().messages == 2
    assert await memory.recent_messages(BOB, 20) == []
    await memory.close()


async def test_a_turn_stops_background_work_without_costing_an_attempt(kit: Kit) -> None:
    gate = asyncio.Event()
    answer = json.dumps([{"fact": "The user work at NASA", "type": "personal"}])
    kit.chat = ScriptedChatModel([[gate, answer], [answer]])
    memory = kit.manager()
    await memory.start()
    await exchange(memory, "I work at NASA")
    memory.wake()
    await kit.chat.wait_for_calls(1)
    async with kit.priority.turn():
        assert len(kit.chat.calls) == 1
    await kit.chat.wait_for_calls(2)
    await memory.close()
    memory = kit.manager()
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
    memory = kit.manager()
    await memory.start()
    await exchange(memory, "I work at NASA")
    memory.wake()
    await kit.chat.wait_for_calls(2)
    assert look(kit.path, "SELECT attempts, last_error FROM background_tasks") == [
        (1, "garbled: the answer is not JSON")
    ]
    await memory.close()


async def test_while_the_embedder_is_down_facts_are_found_by_their_words(kit: Kit) -> None:
    kit.embedder.go_down()
    memory = kit.manager()
    await memory.start(work=False)
    for said in ("I work at NASA", "I keep bees", "I play chess"):
        await exchange(memory, said)
    await memory.process_due()
    assert memory.stats().embedding_backlog == 3
    assert await recalled(memory, "Who keeps the bees?") == ["The user keep bees"]
    assert await recalled(memory, "Nothing of the kind") == []
    for _ in range(8):  # an hour of failures never parks the backlog
        kit.clock.advance(600.0)
        await memory.process_due()
    kit.embedder.fail = None
    assert await recalled(memory, "Who keeps the bees?") == ["The user keep bees"]
    kit.clock.advance(600.0)
    await memory.process_due()
    assert memory.stats().embedding_backlog == 0
    assert (await recalled(memory, "The user keep bees"))[0] == "The user keep bees"
    await memory.close()


HOSTILE = ['" OR 1=1 --', "NEAR(", "a* AND NOT b", "content:x", "'", '"', "\x00", "\u202eabc", "😀"]


@pytest.mark.parametrize("query", [*HOSTILE, "x " * 50_000, "", " "])
async def test_no_query_breaks_a_search(kit: Kit, query: str) -> None:
    kit.embedder.go_down()
    memory = kit.manager()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    await memory.process_due()
    assert (await memory.retrieve_context(ADA, query)).facts == []
    await memory.close()


def two_models() -> tuple[ScriptedEmbedder, ScriptedEmbedder]:
    return (
        ScriptedEmbedder(dimension=256, model_id="scripted/old"),
        ScriptedEmbedder(dimension=128, model_id="scripted/new"),
    )


async def test_a_changed_model_embeds_everything_anew_searchable_all_the_while(kit: Kit) -> None:
    old, new = two_models()
    kit.embedder, kit.batch_size = old, 2
    kit.settings = MemorySettings(duplicate_distance_threshold=0.0)  # seven facts stay seven
    memory = kit.manager()
    await memory.start(work=False)
    things = ["bees", "goats", "owls", "foxes", "hens", "cows", "frogs"]
    for thing in things:
        await exchange(memory, f"I keep {thing}")
    await memory.process_due()
    await memory.close()

    kit.embedder = new
    again = kit.manager()
    await again.start(work=False)
    assert again.stats().embedding_backlog == len(things)
    for left in range(len(things), 0, -2):
        for thing in things:
            assert f"The user keep {thing}" in await recalled(again, f"keep {thing}"), left
        await again._step()
        await again.close()  # a restart after every batch
        again = kit.manager()
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
    names = [name for (name,) in look(kit.path, "SELECT name FROM sqlite_master")]
    assert not [n for n in names if n.startswith("memory_facts") and "memory_facts_2" not in n]
    embedded = [text for call in new.calls for text in call if text.startswith("The user keep")]
    assert sorted(embedded) == sorted(f"The user keep {thing}" for thing in things)


async def test_a_model_that_comes_back_in_mid_change_loses_nothing(kit: Kit) -> None:
    old, new = two_models()
    kit.batch_size = 2
    for embedder, steps, said in ((old, 99, "bees"), (new, 1, "owls"), (old, 99, "cows")):
        kit.embedder = embedder
        memory = kit.manager()
        await memory.start(work=False)
        for word in (said, f"{said} too"):
            await exchange(memory, f"I keep {word}")
        for _ in range(steps):
            if not await memory._step():
                break
        await memory.close()
    memory = kit.manager()
    await memory.start(work=False)
    await memory.process_due()
    assert memory.stats().embedding_backlog == 0
    for word in ("bees", "owls", "cows"):
        assert any(word in fact for fact in await recalled(memory, f"keep {word}"))
    await memory.close()
    assert look(kit.path, "SELECT model_id FROM vector_indexes") == [("scripted/old",)]


async def test_re_embedding_never_merges_what_was_already_compared(kit: Kit) -> None:
    """Facts that the new model takes for the same were different for the old one: both stay."""

    class Flat(ScriptedEmbedder):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            # A model for which everything is the same.
            return np.tile(np.array([1.0, 0.0], np.float32), (len(texts), 1))

    memory = kit.manager()
    await memory.start(work=False)
    for thing in ("bees", "goats", "owls"):
        await exchange(memory, f"I keep {thing}")
    await memory.process_due()
    await memory.close()
    kit.embedder = Flat(dimension=2, model_id="flat")
    memory = kit.manager()
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
    memory = kit.manager()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    await exchange(memory, "I keep owls")
    await memory.process_due()
    assert memory.stats().embedding_backlog == 0
    assert await recalled(memory, "bees") == ["The user keep bees"]
    await memory.close()


USERS = st.sampled_from(["ada", "bob", "Ada", "a'b", "ü" * 40, "x" * 300, " "])
WORDS = st.sampled_from(["bees", "owls", "tea", "chess", "NASA", "Rome"])


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(told=st.lists(st.tuples(USERS, WORDS, st.integers(0, 99)), min_size=1, max_size=12))
async def test_nothing_is_ever_read_that_belongs_to_another(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[str, str, int]]
) -> None:
    kit = Kit(tmp_path_factory.mktemp("isolation") / "m.db", settings=CASCADES)
    good = kit.chat._replies
    assert callable(good)
    # Summaries and base memory hold the user's own words, so that a leak would show.
    kit.chat = ScriptedChatModel(
        lambda m, o: (
            good(m, o)
            if o.json_schema and "base memory" not in m[0].content
            else f"User Profile:\n- the gist of it: {' '.join(sorted(set(m[-1].content.split())))}"
        )
    )
    memory = kit.manager()
    await memory.start(work=False)
    secret = {user: f"secret{number}" for number, user in enumerate({user for user, _, _ in told})}
    for user, word, number in told:
        await exchange(
            memory, f"I keep {word} {number} {secret[user]}", owner=Owner(user, f"{user}-{word}")
        )
    await memory.process_due()
    for user in secret:
        others = [other for name, other in secret.items() if name != user]
        for word in ("keep bees", "secret0 secret1 secret2", "NASA"):
            context = await memory.retrieve_context(Owner(user, "any"), word)
            seen = context.base_memory + " ".join(fact.content for fact in context.facts)
            for owner in {Owner(name, f"{name}-{told_word}") for name, told_word, _ in told}:
                if owner.user == user:
                    logged = await memory.recent_messages(owner, 100)
                    seen += " ".join(message.content for message in logged)
            assert not [other for other in others if other in seen.split()]
        assert await memory.recent_messages(Owner(user, "nobody's"), 9) == []
    await memory.close()
    mixed = look(
        kit.path,
        "SELECT s.id FROM memory_summaries s JOIN conversation_log m ON m.id IN"
        " (s.source_from_id, s.source_to_id)"
        " WHERE m.user <> s.user OR m.conversation <> s.conversation",
    )
    assert mixed == []


@settings(max_examples=30, deadline=None)
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
    from lobug.memory.migrations import STEPS  # noqa: PLC0415 - the tables, nothing else

    for step in STEPS:
        step(connection, "owner")
    index = vectors.make_current(connection, "model", dimension, 0.0)
    for number, (vector, user) in enumerate(zip(stored, owner, strict=True), start=1):
        connection.execute(
            "INSERT INTO facts (id, user, content, fact_type, source, created_at)"
            " VALUES (?, ?, ?, 'event', 'import', 0.0)",
            (number, f"u{user}", f"fact {number}"),
        )
        vectors.add(connection, index, number, vector)
    mine = np.flatnonzero(owner == 1)
    cosine = stored[mine] @ query / np.linalg.norm(stored[mine], axis=1) / np.linalg.norm(query)
    found = vectors.nearest(connection, index, "u1", query, k)
    connection.close()
    expected = np.sort(1.0 - cosine)[:k]
    assert {near.fact_id - 1 for near in found} <= set(mine.tolist())
    assert np.allclose([near.distance for near in found], expected, atol=1e-5)


async def test_an_embedder_that_hangs_does_not_hold_up_a_turn(kit: Kit) -> None:
    kit.settings = MemorySettings(recall_timeout_s=0.05)
    memory = kit.manager()
    await memory.start(work=False)
    await exchange(memory, "I work at NASA")
    await memory.process_due()
    kit.embedder.gate = asyncio.Event()  # never set
    # Found by its words: the vector search has no vector to search for.
    assert await recalled(memory, "What about NASA?") == ["The user work at NASA"]
    await memory.close()
