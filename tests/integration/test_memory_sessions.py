"""Sessions: when they end, that they are then summed up whole, and what is asked for once more."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from lobug.engines.base import ChatMessage, ChatOptions
from lobug.errors import EngineTimeoutError, EngineUnavailableError
from lobug.language.en.prompts import CONDENSE_RULES, FACT_RULES, SUMMARY_RULES
from lobug.memory import sessions, timeline
from lobug.memory.model import ConversationKey
from lobug.settings import MemorySettings
from support.memory_kit import (
    ADA,
    BOB,
    GENERATIVE,
    SUMMARY,
    Kit,
    dated,
    exchange,
    look,
    model_that_listens,
    recalled,
)
from support.scripted import Reply, ScriptedChatModel

pytestmark = pytest.mark.usefixtures("each_database")

IDLE_S = 600.0


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db", settings=GENERATIVE)


def asked(kit: Kit, rules: str) -> int:
    """How often the model was asked for one thing."""
    return sum(call.messages[0].content == rules for call in kit.chat.calls)


def entries(kit: Kit) -> list[str]:
    """The texts of the timeline."""
    return [
        row[0]
        for row in look(
            kit.path, "SELECT content FROM memories WHERE category = 'timeline' ORDER BY id"
        )
    ]


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("conversation", "channel"),
    [
        ("device:desk", "device"),
        ("browser:b1f3", "browser"),
        ("token:laptop", "token"),
        ("address:127.0.0.1", "address"),
        ("console", "other"),
    ],
)
def test_a_session_tells_how_it_reached_lo_bug(conversation: str, channel: str) -> None:
    assert sessions.channel_of(conversation) == channel


async def test_a_session_that_is_quiet_for_ten_minutes_is_summed_up_whole(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    said_at = kit.clock()
    for thing in ("bees", "goats"):
        await exchange(memory, f"I keep {thing}")
        kit.clock.advance(60.0)
        await memory.process_due()
    kit.clock.advance(IDLE_S - 61.0)
    await memory.process_due()
    assert entries(kit) == []
    kit.clock.advance(1.0)
    await memory.process_due()
    assert entries(kit) == [dated(SUMMARY, said_at)]
    ((key, first, last, session),) = look(
        kit.path,
        "SELECT key, from_message_id, to_message_id, session_id FROM memories"
        " WHERE category = 'timeline'",
    )
    assert key.startswith(f"ctx_{session}_")
    assert (first, last) == (1, 4)
    rows = look(kit.path, "SELECT ended_at, last_consolidated_at, summary FROM sessions")
    assert rows == [(said_at + 60.0, said_at + 60.0, SUMMARY)]
    assert look(kit.path, "SELECT count(*) FROM conversation_log WHERE summarized = 0") == [(0,)]
    assert memory.stats().pending_tasks == 0
    for _ in range(5):
        kit.clock.advance(IDLE_S)
        await memory.process_due()
    assert len(entries(kit)) == 1
    await memory.close()


async def test_each_message_puts_the_end_off_and_the_next_after_it_begins_a_session(
    kit: Kit,
) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    for _ in range(5):
        await exchange(memory, "Hello there.")
        kit.clock.advance(IDLE_S - 1.0)
        await memory.process_due()
    assert look(kit.path, "SELECT count(*) FROM sessions WHERE ended_at IS NULL") == [(1,)]
    kit.clock.advance(1.0)
    await memory.process_due()
    await exchange(memory, "Hello again.")
    rows = look(kit.path, "SELECT id, ended_at IS NULL FROM sessions ORDER BY id")
    assert rows == [(1, 0), (2, 1)]
    await memory.close()


async def test_a_session_ends_when_the_next_one_begins_even_if_nothing_ran_in_between(
    kit: Kit,
) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "Hello there.")
    kit.clock.advance(10 * IDLE_S)
    await exchange(memory, "Hello again.")
    assert memory.stats().pending_tasks == 3  # two extractions, and the end of the first session
    await memory.process_due()
    assert len(entries(kit)) == 1
    await memory.close()


async def test_a_session_ends_after_a_restart_too(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    await memory.process_due()
    await memory.close()
    kit.clock.advance(30.0)
    again = kit.memory()
    await again.start(work=False)
    await again.process_due()
    assert entries(kit) == []
    kit.clock.advance(IDLE_S)
    await again.process_due()
    assert len(entries(kit)) == 1
    await again.close()


async def test_a_clock_put_back_neither_ends_a_session_nor_keeps_it_open_for_ever(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    kit.clock.advance(-86_400.0)
    await memory.process_due()
    assert entries(kit) == []
    await exchange(memory, "I keep goats")
    kit.clock.advance(IDLE_S - 1.0)
    await memory.process_due()
    assert entries(kit) == []
    assert look(kit.path, "SELECT count(*) FROM sessions") == [(1,)]
    kit.clock.advance(1.0)
    await memory.process_due()
    assert len(entries(kit)) == 1
    await memory.close()


async def test_a_clock_put_back_while_nobody_says_anything_delays_the_end_by_one_pause(
    kit: Kit,
) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    kit.clock.advance(-86_400.0)
    await memory.process_due()
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    assert len(entries(kit)) == 1
    await memory.close()


async def test_a_clock_that_jumps_ahead_ends_the_session_once(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    kit.clock.advance(10 * 365 * 86_400.0)
    await memory.process_due()
    kit.clock.advance(-10 * 365 * 86_400.0)
    await memory.process_due()
    assert len(entries(kit)) == 1
    await exchange(memory, "I keep goats")
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    assert len(entries(kit)) == 2
    covered = look(
        kit.path,
        "SELECT from_message_id, to_message_id FROM memories WHERE category = 'timeline'"
        " ORDER BY id",
    )
    assert covered == [(1, 2), (3, 4)]
    await memory.close()


async def test_conversations_end_each_for_itself(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    kit.clock.advance(300.0)
    await exchange(memory, "I keep owls", conversation_key=BOB)
    await exchange(memory, "I keep hens", conversation_key=ConversationKey("ada", "ada-kitchen"))
    kit.clock.advance(300.0)
    await memory.process_due()
    rows = look(kit.path, "SELECT conversation, ended_at IS NULL FROM sessions ORDER BY id")
    assert rows == [("ada-desk", 0), ("bob-desk", 1), ("ada-kitchen", 1)]
    await memory.close()


async def test_turns_that_fall_out_of_working_memory_are_summed_up_soon(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    for number in range(12):
        await exchange(memory, f"Hello {number}")
        await memory.process_due()
    assert entries(kit) == []
    await exchange(memory, "Hello 12")  # 26 messages: three turns have fallen out of the last 20
    await memory.process_due()
    assert look(kit.path, "SELECT count(*) FROM conversation_log WHERE summarized = 0") == [(10,)]
    assert await memory.session_summary(ADA) == SUMMARY
    assert await memory.session_summary(BOB) == ""
    await memory.close()


async def test_a_conversation_that_fills_half_the_window_is_summed_up(kit: Kit) -> None:
    kit.chat = ScriptedChatModel(model_that_listens, context_tokens=1_024)
    memory = kit.memory()
    await memory.start(work=False)
    for _ in range(6):
        await exchange(memory, "Hello " * 15, "Well " * 15)  # 12 messages of about 34 tokens
        await memory.process_due()
    assert entries(kit) == []
    for _ in range(2):
        await exchange(memory, "Hello " * 15, "Well " * 15)
        await memory.process_due()
    assert look(kit.path, "SELECT count(*) FROM conversation_log WHERE summarized = 0") == [(10,)]
    await memory.close()


async def test_the_absolute_number_of_tokens_counts_where_the_window_is_large(kit: Kit) -> None:
    kit.chat = ScriptedChatModel(model_that_listens, context_tokens=128_000)
    kit.settings = MemorySettings(summaries="generative", summary_trigger_tokens=500)
    memory = kit.memory()
    await memory.start(work=False)
    for _ in range(8):
        await exchange(memory, "Hello " * 15, "Well " * 15)
    await memory.process_due()
    assert len(entries(kit)) == 1
    await memory.close()


def cannot_sum_up(failure: Reply) -> ScriptedChatModel:
    """A model that does all but summaries."""

    def reply(messages: Sequence[ChatMessage], options: ChatOptions) -> Reply:
        if messages[0].content == SUMMARY_RULES:
            return failure
        return model_that_listens(messages, options)

    return ScriptedChatModel(reply)


@pytest.mark.parametrize("failure", ["{}", "", EngineTimeoutError("chat", "300 s")])
@pytest.mark.parametrize(
    ("said", "reply", "kept"),
    [
        ("I keep bees and goats", "How nice.", "The user keeps bees and goats."),
        (
            "Ich habe Bienen\nund  Ziegen",
            "Wie sch\u00f6n.",
            "[RAW] User: Ich habe Bienen\nund  Ziegen\nLo-Bug: Wie sch\u00f6n.",
        ),
    ],
)
async def test_after_three_failures_in_a_row_the_users_own_words_are_kept(
    kit: Kit, failure: Reply, said: str, reply: str, kept: str
) -> None:
    kit.chat = cannot_sum_up(failure)
    memory = kit.memory()
    await memory.start(work=False)
    said_at = kit.clock()
    await exchange(memory, said, reply)
    kit.clock.advance(IDLE_S)
    for failures in (1, 2):
        await memory.process_due()
        assert look(kit.path, "SELECT failures FROM sessions") == [(failures,)]
        assert entries(kit) == []
        kit.clock.advance(60.0)
    await memory.process_due()
    assert entries(kit) == [dated(kept, said_at)]
    assert look(kit.path, "SELECT failures, last_consolidated_at FROM sessions") == [(0, said_at)]
    assert asked(kit, SUMMARY_RULES) == 3
    assert (memory.stats().pending_tasks, memory.stats().parked_tasks) == (0, 0)
    # The session after it begins with a clean slate.
    await exchange(memory, "I keep owls")
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    rows = look(kit.path, "SELECT failures FROM sessions ORDER BY id")
    assert rows == [(0,), (1,)]
    await memory.close()


async def test_a_success_in_between_begins_the_count_of_failures_anew(kit: Kit) -> None:
    answers = iter(["{}", "{}", SUMMARY, "{}", "{}", SUMMARY])

    def reply(messages: Sequence[ChatMessage], options: ChatOptions) -> Reply:
        if messages[0].content == SUMMARY_RULES:
            return next(answers)
        return model_that_listens(messages, options)

    kit.chat = ScriptedChatModel(reply)
    kit.settings = MemorySettings(summaries="generative", short_term_threshold=2, short_term_keep=0)
    memory = kit.memory()
    await memory.start(work=False)
    for thing in ("bees", "goats"):
        await exchange(memory, f"I keep {thing}")
        for _ in range(3):
            await memory.process_due()
            kit.clock.advance(60.0)
    assert entries(kit) == [dated(SUMMARY), dated(SUMMARY, 1_700_000_180.0)]
    await memory.close()


@pytest.mark.usefixtures("rules_read_nothing")
async def test_a_model_that_is_down_is_waited_for_and_no_failure_of_the_messages(kit: Kit) -> None:
    kit.chat.fail = EngineUnavailableError("chat", "down")
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    for _ in range(20):
        kit.clock.advance(IDLE_S)
        await memory.process_due()
    assert look(kit.path, "SELECT failures FROM sessions") == [(0,)]
    assert entries(kit) == []
    kit.chat.fail = None
    await exchange(memory, "I keep goats")  # its answer shows that the model is back
    await memory.process_due()
    assert entries(kit) == [dated(SUMMARY)]
    await memory.close()


async def test_long_raw_messages_become_several_entries_and_nothing_is_left_out(kit: Kit) -> None:
    kit.chat = cannot_sum_up("{}")
    kit.settings = MemorySettings(summaries="generative", max_failures_before_degrade=1)
    memory = kit.memory()
    await memory.start(work=False)
    said = ["bees " * 1_000, "goats " * 300, "owls"]
    for text in said:
        await exchange(memory, text.strip())
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    found = entries(kit)
    assert len(found) > 1
    assert sum(text.count("bees") for text in found) == 1_000
    assert sum(text.count("goats") for text in found) == 300
    assert all(timeline.unstamped(text) in text for text in found)
    covered = look(
        kit.path,
        "SELECT from_message_id, to_message_id FROM memories WHERE category = 'timeline'"
        " ORDER BY id",
    )
    assert covered[0][0] == 1
    assert covered[-1][1] == 6
    assert all(b[0] == a[1] + 1 for a, b in pairwise(covered))
    await memory.close()


async def test_a_long_sessions_summary_is_condensed_by_the_model(kit: Kit) -> None:
    kit.settings = MemorySettings(summaries="generative", short_term_threshold=2, short_term_keep=0)
    long_summary = "The user was there with Lo-Bug and said hello there to Lo-Bug. " * 4
    short = "The user said hello there."

    def reply(messages: Sequence[ChatMessage], options: ChatOptions) -> Reply:
        if messages[0].content == CONDENSE_RULES:
            return short
        if messages[0].content == SUMMARY_RULES:
            return long_summary
        return model_that_listens(messages, options)

    kit.chat = ScriptedChatModel(reply)
    memory = kit.memory()
    await memory.start(work=False)
    for _ in range(4):
        await exchange(memory, "Hello there.")
        await memory.process_due()
    assert asked(kit, CONDENSE_RULES) == 0
    assert await memory.session_summary(ADA) == " ".join([long_summary.strip()] * 4)
    await exchange(memory, "Hello there.")
    await memory.process_due()
    assert asked(kit, CONDENSE_RULES) == 1
    assert await memory.session_summary(ADA) == short
    await memory.close()


async def test_where_the_model_cannot_condense_the_newest_entries_stay(kit: Kit) -> None:
    kit.settings = MemorySettings(summaries="generative", short_term_threshold=2, short_term_keep=0)

    def reply(messages: Sequence[ChatMessage], options: ChatOptions) -> Reply:
        if messages[0].content == CONDENSE_RULES:
            return "{}"
        if messages[0].content == SUMMARY_RULES:
            return f"{messages[-1].content.splitlines()[0].removeprefix('User: ')} and Lo-Bug."
        return model_that_listens(messages, options)

    kit.chat = ScriptedChatModel(reply)
    memory = kit.memory()
    await memory.start(work=False)
    for number in range(6):
        await exchange(memory, f"{number} there was a user who was there " + "and there " * 30)
        await memory.process_due()
    summary = await memory.session_summary(ADA)
    assert 0 < len(summary) <= sessions.MAX_SUMMARY_CHARS
    assert "5 there was" in summary
    assert "0 there was" not in summary
    await memory.close()


def deaf_at_first() -> ScriptedChatModel:
    """Hears a fact only when it is asked for the second time, as a small model at times does."""

    def reply(messages: Sequence[ChatMessage], options: ChatOptions) -> Reply:
        if options.json_schema is not None and options.temperature == 0.0:
            return "[]"
        return model_that_listens(messages, options)

    return ScriptedChatModel(reply)


@pytest.mark.usefixtures("rules_read_nothing")
async def test_plain_statements_that_were_not_stored_are_asked_for_once_more(kit: Kit) -> None:
    kit.chat = deaf_at_first()
    memory = kit.memory()
    await memory.start(work=False)
    message_id = await exchange(memory, "No, I keep bees. I saw a film.")
    await exchange(memory, "I saw a nice film yesterday evening")
    await memory.process_due()
    assert memory.stats().facts == 0
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    assert look(kit.path, "SELECT content, source_message_id FROM facts") == [
        ("The user keep bees", message_id)
    ]
    assert await recalled(memory, "keep bees") == ["The user keep bees"]
    before = asked(kit, FACT_RULES)
    kit.clock.advance(10 * IDLE_S)
    await memory.process_due()
    assert asked(kit, FACT_RULES) == before
    assert memory.stats().pending_tasks == 0
    await memory.close()


@pytest.mark.usefixtures("rules_read_nothing")
async def test_what_is_known_from_a_message_is_not_asked_for_again(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "No, I keep bees.")
    await memory.process_due()
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    assert asked(kit, FACT_RULES) == 1
    await memory.close()


@pytest.mark.usefixtures("rules_read_nothing")
async def test_no_gap_is_filled_from_words_that_were_not_meant_or_were_never_told(kit: Kit) -> None:
    kit.chat = deaf_at_first()
    memory = kit.memory()
    await memory.start(work=False)
    television = await memory.log_user_message(ADA, "No, I keep bees.")
    await memory.log_reply(ADA, television, "[IGNORE]", extract=False)
    await exchange(memory, "What is the time?", "Remember that I keep goats.")
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    assert asked(kit, FACT_RULES) == 0
    assert memory.stats().facts == 0
    await memory.close()


@pytest.mark.usefixtures("rules_read_nothing")
async def test_a_gap_that_cannot_be_filled_is_no_trouble(kit: Kit) -> None:
    kit.chat = ScriptedChatModel(
        lambda m, o: json.dumps([]) if o.json_schema is not None else model_that_listens(m, o)
    )
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "No, I keep bees.")
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    assert asked(kit, FACT_RULES) == 2
    stats = memory.stats()
    assert (stats.facts, stats.pending_tasks, stats.parked_tasks) == (0, 0, 0)
    await memory.close()
