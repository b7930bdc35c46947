"""Who writes summaries and layer identity: rules, or a model that is checked; and the switches."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from lobug.engines.base import ChatMessage, ChatOptions
from lobug.errors import EngineUnavailableError, MemoryDisabledError
from lobug.language.en.prompts import DISTILL_RULES, SUMMARY_RULES
from lobug.language.en.summary_checks import TRIALS
from lobug.memory import sessions
from lobug.memory.model import ConversationKey, Draft, MemoryScope
from lobug.memory.service import Memory
from lobug.settings import MemorySettings
from support.app_server import ScriptedEngines, running, settings_for
from support.memory_kit import (
    ADA,
    GENERATIVE,
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
ACCESS = MemoryScope(ADA.user, ADA.conversation)
GOOD = {
    "Bristol": (
        "The user did not enjoy living in Bristol and moved to Leeds in May. The user's wife Carla"
        " works as a nurse."
    ),
    "Oslo": (
        "The user asked whether Oslo is the capital of Norway. The user's brother Henrik flies"
        " there on the fourth of June and can't swim."
    ),
    "Minka": "The user's cat Minka is twelve years old. She no longer eats fish.",
}
"""What a good model answers in the check, by a word of the dialogue."""


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db")


def entries(kit: Kit) -> list[str]:
    return [
        row[0]
        for row in look(
            kit.path, "SELECT content FROM memories WHERE category = 'timeline' ORDER BY id"
        )
    ]


def prompts(chat: ScriptedChatModel, rules: str) -> list[str]:
    """What the model was asked for one thing."""
    return [call.messages[-1].content for call in chat.calls if call.messages[0].content == rules]


def writer(answer: str, trial: str | None = None) -> ScriptedChatModel:
    """A model that summarizes with ``answer``, and passes the check unless it is given an answer
    for it."""

    def reply(messages: Sequence[ChatMessage], options: ChatOptions) -> Reply:
        if messages[0].content != SUMMARY_RULES:
            return model_that_listens(messages, options)
        asked = messages[-1].content
        good = next((text for word, text in GOOD.items() if word in asked), None)
        return answer if good is None else trial or good

    return ScriptedChatModel(reply)


def without_facts() -> ScriptedChatModel:
    """A model that extracts nothing."""
    return ScriptedChatModel(lambda _messages, _options: "[]")


async def a_session(kit: Kit, *said: str) -> Memory:
    """A memory in which this was said, and ten minutes have passed."""
    memory = kit.memory()
    await memory.start(work=False)
    for text in said:
        await exchange(memory, text)
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    return memory


async def test_a_session_is_summed_up_in_the_users_own_words_without_the_model(kit: Kit) -> None:
    said_at = kit.clock()
    memory = await a_session(
        kit, "My sister is called Hanna.", "No, Johanna.", "What's the weather in Rome?"
    )
    await memory.close()
    assert entries(kit) == [dated("The user's sister is called Johanna.", said_at)]
    assert prompts(kit.chat, SUMMARY_RULES) == []


async def test_several_speakers_keep_their_names(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    for speaker, said in (("Anna", "My dog is called Rex."), ("Tom", "I work at Bosch.")):
        message_id = await memory.log_user_message(ADA, said, speaker=speaker)
        await memory.log_reply(ADA, message_id, "Fine.", extract=True)
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    await memory.close()
    assert entries(kit) == [dated("Anna's dog is called Rex. Tom works at Bosch.")]


async def test_another_language_is_kept_as_it_was_said(kit: Kit) -> None:
    memory = await a_session(kit, "Ich wohne in Berlin und habe einen Hund.")
    await memory.close()
    assert entries(kit) == [
        dated("[RAW] User: Ich wohne in Berlin und habe einen Hund.\nLo-Bug: Noted.")
    ]


async def test_many_messages_become_several_summaries(kit: Kit) -> None:
    kit.settings = MemorySettings(short_term_threshold=1_000, consolidation_turn_threshold=0)
    memory = await a_session(kit, *(f"I bought boat number {n} in Oslo." for n in range(50)))
    covered = look(
        kit.path,
        "SELECT from_message_id, to_message_id FROM memories WHERE category = 'timeline'"
        " ORDER BY id",
    )
    assert covered == [(1, 40), (41, 80), (81, 100)]
    await memory.close()


async def test_a_long_sessions_summary_is_shortened_by_rule(kit: Kit) -> None:
    kit.settings = MemorySettings(short_term_threshold=2, short_term_keep=0)
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "My brother Henrik works at Bosch in Stuttgart.")
    for number in range(20):
        await exchange(memory, f"I like the song with number {number} of that long list a lot.")
        await exchange(memory, f"I carried {number} heavy old boxes of books into the cellar.")
        await memory.process_due()
    summary = await memory.session_summary(ADA)
    await memory.close()
    assert len(summary) <= sessions.MAX_SUMMARY_CHARS
    assert "The user's brother Henrik works at Bosch in Stuttgart." in summary
    assert "carried 19 heavy old boxes" in summary


@pytest.mark.parametrize("corrected", [True, False])
async def test_what_is_corrected_or_removed_later_leaves_the_summaries(
    kit: Kit, corrected: bool
) -> None:
    kit.settings = MemorySettings(short_term_threshold=2, short_term_keep=0)
    memory = kit.memory()
    await memory.start(work=False)
    wrong = await memory.store(ACCESS, Draft("The user's sister lives in Rome"))
    await exchange(memory, "My sister lives in Rome. I keep bees.")
    await exchange(memory, "I think my sister doesn't live in Rome.")
    await memory.process_due()
    assert "sister lives in Rome." in await memory.session_summary(ADA)
    if corrected:
        await memory.correct(ACCESS, wrong.id, "The user's sister lives in Oslo")
    else:
        await memory.deactivate(ACCESS, wrong.id)
    active = look(
        kit.path,
        "SELECT content FROM memories WHERE category = 'timeline' AND status = 'active'"
        " ORDER BY id",
    )
    thought = "The user thinks the user's sister doesn't live in Rome."
    assert [row[0].partition("] ")[2] for row in active] == [thought, "The user keeps bees."]
    summary = await memory.session_summary(ADA)
    assert sorted(summary.split(". ")) == ["The user keeps bees", thought]
    await memory.close()


async def test_a_correction_that_came_before_the_summary_is_in_it(kit: Kit) -> None:
    kit.chat = without_facts()
    memory = kit.memory()
    await memory.start(work=False)
    wrong = await memory.store(ACCESS, Draft("The user's sister lives in Rome"))
    gone = await memory.store(ACCESS, Draft("The user keeps bees"))
    await exchange(memory, "My sister lives in Rome. I keep bees. I sing in a choir.")
    kit.clock.advance(60.0)
    await memory.correct(ACCESS, wrong.id, "The user's sister lives in Oslo")
    await memory.deactivate(ACCESS, gone.id)
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    assert [entry.partition("] ")[2] for entry in entries(kit)] == ["The user sings in a choir."]
    await memory.close()


async def test_what_is_told_again_after_it_was_removed_is_summed_up(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    bees = await memory.store(ACCESS, Draft("The user keeps bees"))
    await exchange(memory, "I sing in a choir.")
    await memory.deactivate(ACCESS, bees.id)
    kit.clock.advance(60.0)
    await exchange(memory, "I keep bees again.")
    await memory.store(ACCESS, Draft("The user keeps bees again"))
    kit.clock.advance(IDLE_S)
    await memory.process_due()
    assert [entry.partition("] ")[2] for entry in entries(kit)] == [
        "The user sings in a choir. The user keeps bees again."
    ]
    await memory.close()


# ---- a model


async def test_a_generated_sentence_that_was_not_said_is_dropped(kit: Kit) -> None:
    kit.settings = GENERATIVE
    kit.chat = writer(
        "Lo-Bug shared that she did not have any fun living in Bath."
        " The user moved to Leeds in May."
    )
    memory = await a_session(kit, "I didn't have any fun living in Bath. I moved to Leeds in May.")
    await memory.close()
    assert entries(kit) == [dated("The user moved to Leeds in May.")]


async def test_where_no_generated_sentence_is_true_sentences_are_copied(kit: Kit) -> None:
    kit.settings = GENERATIVE
    kit.chat = writer("The user had fun living in Bath. The user moved to Oxford in May.")
    memory = await a_session(kit, "I didn't have any fun living in Bath. I moved to Leeds in May.")
    await memory.close()
    assert entries(kit) == [
        dated("The user didn't have any fun living in Bath. The user moved to Leeds in May.")
    ]


async def test_a_model_that_fails_the_check_writes_no_summary(
    kit: Kit, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    kit.settings, kit.trials = GENERATIVE, TRIALS
    kit.chat = writer("The user was there.", trial="Lo-Bug moved to Leeds in May with Carla.")
    memory = kit.memory()
    await memory.start(work=False)
    assert memory.summary_fault() == ""
    await memory.process_due()
    assert "copied" in memory.summary_fault()
    assert len(prompts(kit.chat, SUMMARY_RULES)) == 1
    for thing in ("bees", "goats"):
        await exchange(memory, f"I keep {thing}.")
        kit.clock.advance(IDLE_S)
        await memory.process_due()
    await memory.close()
    assert [entry.partition("] ")[2] for entry in entries(kit)] == [
        "The user keeps bees.",
        "The user keeps goats.",
    ]
    assert len(prompts(kit.chat, SUMMARY_RULES)) == 1
    assert sum("copied from what was said" in record.message for record in caplog.records) == 1


async def test_a_model_that_passes_the_check_writes_summaries(kit: Kit) -> None:
    kit.settings, kit.trials = GENERATIVE, TRIALS
    kit.chat = writer("The user told Lo-Bug that they keep bees.")
    memory = await a_session(kit, "I keep bees.")
    assert memory.summary_fault() == ""
    await memory.close()
    assert entries(kit) == [dated("The user told Lo-Bug that they keep bees.")]
    assert len(prompts(kit.chat, SUMMARY_RULES)) == len(TRIALS) + 1


async def test_a_model_that_is_down_at_the_start_is_checked_when_it_is_back(kit: Kit) -> None:
    kit.settings, kit.trials = GENERATIVE, TRIALS
    kit.chat = writer("The user told Lo-Bug that they keep bees.")
    kit.chat.fail = EngineUnavailableError("chat", "down")
    memory = await a_session(kit, "I keep bees.")
    assert (entries(kit), memory.summary_fault()) == ([], "")
    kit.chat.fail = None
    kit.clock.advance(86_400.0)
    await memory.process_due()
    await memory.close()
    assert entries(kit) == [dated("The user told Lo-Bug that they keep bees.")]


async def test_a_consolidation_model_writes_the_summaries_and_the_chat_model_the_facts(
    kit: Kit,
) -> None:
    kit.settings = MemorySettings(consolidation_provider="ollama")
    kit.consolidation = writer("The user keeps bees in Bath.")
    memory = await a_session(kit, "I keep bees in Bath.")
    await memory.close()
    assert entries(kit) == [dated("The user keeps bees in Bath.")]
    assert prompts(kit.chat, SUMMARY_RULES) == []
    assert kit.chat.calls
    assert len(kit.consolidation.calls) == 1


@pytest.mark.parametrize("each_database", ["sqlite"], indirect=True)
async def test_health_says_why_summaries_are_copied(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=writer("The user was there.", trial="Lo-Bug was in Leeds."))
    settings = settings_for(tmp_path, memory={"summaries": "generative"})
    async with running(settings, scripted) as (client, server):
        while not server.memory.summary_fault():  # noqa: ASYNC110 - nothing announces it
            await asyncio.sleep(0.01)
        health = (await client.get("/health")).json()
    assert [one for one in health["degraded"] if one.startswith("summaries: ")]
    assert health["status"] == "ok"


# ---- layer identity by rule

DISTILLING = MemorySettings(
    short_term_threshold=2, short_term_keep=0, long_term_threshold=2, long_term_keep=0
)


async def identity_after(kit: Kit, *said: str) -> tuple[Memory, str]:
    """A memory that has distilled what was said."""
    memory = kit.memory()
    await memory.start(work=False)
    for text in said:
        await exchange(memory, text)
        await memory.process_due()
    return memory, await memory.base_memory(ADA.user)


async def test_layer_identity_is_made_of_facts_and_of_what_the_user_once_did(kit: Kit) -> None:
    kit.settings, kit.chat = DISTILLING, without_facts()
    memory = kit.memory()
    await memory.start(work=False)
    for draft in (
        Draft("The user's sister Johanna lives in Rome", fact_type="personal"),
        Draft("The user loves figs", fact_type="preference"),
        Draft("The user is flying to Oslo tomorrow", fact_type="event"),
    ):
        await memory.store(ACCESS, draft)
    await exchange(memory, "It rained a lot. I visited Leeds in 2019.")
    await memory.process_due()
    await exchange(memory, "Tomorrow it will rain. I went to Paris yesterday.")
    await memory.process_due()
    assert await memory.base_memory(ADA.user) == (
        "## User Profile\n- Sister Johanna lives in Rome\n"
        "## Preferences\n- Loves figs\n"
        "## Key History\n- Visited Leeds in 2019"
    )
    assert prompts(kit.chat, DISTILL_RULES % kit.settings.identity_chars) == []
    await memory.close()


async def test_what_somebody_wrote_stays_and_what_was_removed_does_not_come_back(kit: Kit) -> None:
    kit.settings = DISTILLING
    memory = kit.memory()
    await memory.start(work=False)
    await memory.store(ACCESS, Draft("Keeps bees in Bath", layer="identity"))
    goats = await memory.store(ACCESS, Draft("The user keeps goats"))
    await memory.store(ACCESS, Draft("The user keeps bees"))
    await memory.deactivate(ACCESS, goats.id)
    for text in ("I sold two goats in 2018.", "I keep goats."):
        await exchange(memory, text)
        await memory.process_due()
    lines = look(
        kit.path,
        "SELECT content, source FROM memories WHERE layer = 'identity' AND status = 'active'"
        " ORDER BY id",
    )
    assert lines[0] == ("Keeps bees in Bath", "user")
    assert "Keeps goats" not in [content for content, _ in lines]
    assert "Keeps bees" not in [content for content, _ in lines]
    await memory.close()


async def test_the_limit_holds_and_what_tells_most_is_kept(kit: Kit) -> None:
    kit.settings = DISTILLING.model_copy(update={"identity_chars": 150})
    memory = kit.memory()
    await memory.start(work=False)
    for number in range(30):
        await memory.store(ACCESS, Draft(f"The user likes the {'very ' * number}old thing"))
    name = Draft("The user's name is Ada Lovelace", fact_type="personal", importance=0.9)
    await memory.store(ACCESS, name)
    for text in ("Hello there.", "Hello again."):
        await exchange(memory, text)
        await memory.process_due()
    document = await memory.base_memory(ADA.user)
    assert len(document) <= 150
    assert "- Name is Ada Lovelace" in document
    await memory.close()


async def test_the_past_stays_in_layer_identity_when_more_is_distilled(kit: Kit) -> None:
    kit.settings, kit.chat = DISTILLING, without_facts()
    said = ("I visited Leeds in 2019.", "Hello there.", "I met Carla in 2020.", "Hello again.")
    memory, document = await identity_after(kit, *said)
    assert "- Visited Leeds in 2019" in document
    assert "- Met Carla in 2020" in document
    await memory.close()


# ---- the switches


async def test_without_summaries_sessions_end_and_their_messages_wait(kit: Kit) -> None:
    kit.settings = MemorySettings(
        enable_summarization=False, short_term_threshold=2, short_term_keep=0
    )
    memory = await a_session(kit, "I keep bees.", "I keep goats.")
    assert entries(kit) == []
    assert look(kit.path, "SELECT ended_at IS NULL FROM sessions") == [(0,)]
    assert look(kit.path, "SELECT count(*) FROM conversation_log WHERE summarized = 0") == [(4,)]
    assert memory.stats().pending_tasks == 0
    await memory.close()
    again = kit.memory()  # an ended session is not ended once more
    await again.start(work=False)
    assert look(kit.path, "SELECT kind FROM background_tasks") == [("retention",)]
    await again.close()
    kit.settings = MemorySettings()
    on = kit.memory()
    await on.start(work=False)
    kit.clock.advance(IDLE_S)
    await on.process_due()
    await on.close()
    assert entries(kit) == [dated("The user keeps bees. The user keeps goats.")]


@pytest.mark.parametrize(("included", "summary"), [(True, "The user keeps bees."), (False, "")])
async def test_whether_a_cut_prompt_holds_the_summary(
    kit: Kit, included: bool, summary: str
) -> None:
    kit.settings = MemorySettings(
        short_term_threshold=2, short_term_keep=0, include_summary_on_truncation=included
    )
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees.")
    await memory.process_due()
    assert await memory.session_summary(ADA) == summary
    await memory.close()


async def test_without_memories_of_users_nothing_is_learned_or_recalled_of_them(kit: Kit) -> None:
    kit.settings = MemorySettings(long_term_threshold=2, long_term_keep=0)
    memory = kit.memory()
    await memory.start(work=False)
    await memory.store(ACCESS, Draft("The user keeps goats in Bath"))
    await memory.store(ACCESS, Draft("The user keeps owls", layer="identity"))
    here = Draft("In this room the user keeps hens in Bath", scope="conversation")
    await memory.store(ACCESS, here)
    await exchange(memory, "I keep ducks in Bath", conversation_key=ConversationKey("ada", "attic"))
    await memory.close()

    kit.settings = kit.settings.model_copy(update={"enable_user_memories": False})
    off = kit.memory()
    await off.start(work=False)
    await exchange(off, "I keep bees in Bath.")
    kit.clock.advance(IDLE_S)
    await off.process_due()
    assert off.stats().pending_tasks == 0
    assert [call for call in kit.chat.calls if call.options.json_schema is not None] == []
    assert await recalled(off, "What do I keep in Bath?") == [here.content]
    context = await off.retrieve_context(ADA, "What do I keep in Bath?")
    assert (context.base_memory, await off.base_memory(ADA.user)) == ("", "")
    with pytest.raises(MemoryDisabledError):
        await off.store(ACCESS, Draft("The user keeps cows"))
    await off.store(ACCESS, Draft("Cows are kept here", scope="conversation"))
    assert any("bees" in entry for entry in entries(kit))
    await off.close()


async def test_a_stored_summary_loses_the_sentence_that_told_what_was_corrected(kit: Kit) -> None:
    said_at = kit.clock()
    memory = await a_session(kit, "I've got my driving test on Thursday. I like figs.")
    assert entries(kit) == [
        dated("The user has got the user's driving test on Thursday. The user likes figs.", said_at)
    ]
    await exchange(memory, "No wait, the driving test is on Friday.")
    await memory.close()
    assert active(kit) == [dated("The user likes figs.", said_at)]


async def test_a_summary_tells_what_was_put_right_in_a_later_session(kit: Kit) -> None:
    kit.settings = MemorySettings(enable_summarization=False)
    memory = await a_session(kit, "My dog Rex is a poodle.", "I like figs.")
    await exchange(memory, "That's wrong, Rex is a labrador.")
    await memory.close()
    kit.settings = MemorySettings()
    again = await a_session(kit)
    await again.close()
    assert active(kit)
    assert not any("poodle" in entry for entry in active(kit))
    assert any("labrador" in entry for entry in active(kit))


def active(kit: Kit) -> list[str]:
    return [
        row[0]
        for row in look(
            kit.path,
            "SELECT content FROM memories WHERE category = 'timeline' AND status = 'active'"
            " ORDER BY id",
        )
    ]
