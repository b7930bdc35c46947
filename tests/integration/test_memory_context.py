"""What memory puts into a turn's prompt, and what of a prompt never becomes memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from lobug.conversation.prompt import make_persona, prefix
from lobug.engines.base import BACKGROUND_LANE, ChatMessage, ChatOptions
from lobug.language.en.prompts import FACT_RULES
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from support.app_server import ScriptedEngines, running, settings_for
from support.memory_kit import ADA, BOB, Kit, exchange, look, model_that_listens
from support.patience import PATIENCE_S
from support.scripted import ChatCall, Reply, ScriptedChatModel

OWNER = ConversationKey("device:desk", "device:desk/device:desk")
DESK = {"Device-Id": "desk"}


def talkative(said: str = "Indeed.", *, learns: bool = True) -> ScriptedChatModel:
    """Talks in turns, works in the background; whether it finds facts there."""

    def reply(messages: Sequence[ChatMessage], options: ChatOptions) -> Reply:
        if options.lane != BACKGROUND_LANE:
            return said
        if options.json_schema is not None and not learns:
            return "[]"
        return model_that_listens(messages, options)

    return ScriptedChatModel(reply)


def of_turns(model: ScriptedChatModel) -> list[ChatCall]:
    return [call for call in model.calls if call.options.lane != BACKGROUND_LANE]


def of_extraction(model: ScriptedChatModel) -> list[ChatCall]:
    return [call for call in model.calls if call.messages[0].content == FACT_RULES]


def opening(call: ChatCall) -> str:
    """The first message of the conversation, which no personality has."""
    constant = prefix(make_persona("", ignore_and_react=True), "")
    assert call.messages[0] == constant[0]
    return call.messages[len(constant)].content


async def settled(memory: Memory) -> None:
    """Return when the worker has nothing left to do."""
    async with asyncio.timeout(PATIENCE_S):
        while memory.stats().pending_tasks or memory.stats().embedding_backlog:
            memory.wake()
            await asyncio.sleep(0)


async def test_a_prompt_whose_history_was_cut_says_what_came_before(tmp_path: Path) -> None:
    settings = settings_for(
        tmp_path,
        memory={"short_term_threshold": 2, "short_term_keep": 0},
        conversation={"max_messages": 4, "trim_block": 2},
    )
    scripted = ScriptedEngines(chat=talkative())
    async with running(settings, scripted) as (client, server):
        for number in range(6):
            answer = await client.post(
                "/chat/text", json={"text": f"I own {number} boats"}, headers=DESK
            )
            assert answer.status_code == 200
            await settled(server.memory)
    beginnings = [opening(call) for call in of_turns(scripted.chat)]
    sections = ["[Earlier in this conversation]" in text for text in beginnings]
    # Two exchanges fit: the third one cuts the first off, and so does each one after it.
    assert sections == [False, False, False, True, True, True]
    assert "The user owns 0 boats. The user owns 1 boats." in beginnings[-1]


async def test_a_greeting_does_not_wait_until_what_is_remembered_was_read(tmp_path: Path) -> None:
    known = "[Long-term memory]\n## User Profile\n- Name: Ada"
    scripted = ScriptedEngines(chat=talkative())
    async with running(settings_for(tmp_path), scripted) as (client, _):
        document = {"text": "## User Profile\n- Name: Ada"}
        answer = await client.put("/memory/identity", json=document, headers=DESK)
        assert answer.status_code == 200
        await scripted.chat.wait_for_prefills(1)  # the personality, at the start

        async def say(text: str, headers: dict[str, str] = DESK) -> ChatCall:
            await client.post("/chat/text", json={"text": text}, headers=headers)
            return of_turns(scripted.chat)[-1]

        assert known not in (await say("Good morning!")).prompt
        await scripted.chat.wait_for_prefills(2)
        ahead, _ = scripted.chat.prefills[-1]
        assert known in ahead[-2].content, "it was read after the reply"
        assert (await say("Tell me of whales.")).messages[: len(ahead)] == tuple(ahead)
        phone = {"Device-Id": "phone"}
        await client.put("/memory/identity", json=document, headers=phone)
        assert known in opening(await say("Tell me of whales.", phone)), "it may matter there"


async def test_the_task_that_a_conversation_is_about_stands_in_its_prompts(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=talkative())
    async with running(settings_for(tmp_path), scripted) as (client, _):

        async def say(device: str) -> str:
            """Say something. Returns the beginning of the prompt."""
            headers = {"Device-Id": device}
            words = {"text": "What comes next?"}
            answer = await client.post("/chat/text", json=words, headers=headers)
            assert answer.status_code == 200
            return opening(of_turns(scripted.chat)[-1])

        mark = "[The task that the user works on now]\n"
        assert mark not in await say("desk")
        task = await client.post("/memory/tasks", json={"title": "Build a hive"}, headers=DESK)
        focus = {"task": task.json()["id"]}
        assert (await client.put("/memory/focus", json=focus, headers=DESK)).status_code == 200
        assert f"{mark}Build a hive" in await say("desk")
        assert mark not in await say("phone")
        place = f"/memory/tasks/{focus['task']}"
        await client.patch(place, json={"state": "The floor is ready."}, headers=DESK)
        assert f"{mark}Build a hive: The floor is ready." in await say("desk")
        await client.post(f"{place}/complete", json={}, headers=DESK)
        assert mark not in await say("desk")


async def test_the_beginning_of_the_prompt_changes_only_when_history_is_cut(tmp_path: Path) -> None:
    settings = settings_for(
        tmp_path,
        memory={"short_term_threshold": 2, "short_term_keep": 0},
        conversation={"max_messages": 8, "trim_block": 4},
    )
    scripted = ScriptedEngines(chat=talkative())
    async with running(settings, scripted) as (client, server):
        for number in range(11):
            await client.post("/chat/text", json={"text": f"Hello there {number}"}, headers=DESK)
            await settled(server.memory)
    calls = of_turns(scripted.chat)
    history = [len(call.messages) for call in calls]
    beginnings = [opening(call) for call in calls]
    for before, after in zip(range(10), range(1, 11), strict=True):
        if beginnings[before] != beginnings[after]:
            assert history[after] < history[before] + 2
    assert len(set(beginnings)) > 2


@pytest.mark.usefixtures("rules_read_nothing")
async def test_a_question_has_beside_it_what_the_conversation_holds_farther_up(
    tmp_path: Path,
) -> None:
    """Each time it is asked; what only tells has its words in the prompt once."""
    scripted = ScriptedEngines(chat=talkative())
    told = "My bees live behind the barn"
    said = [told, "Good morning!", told, "Where do my bees live?", "Tell me where my bees live"]
    # Long before it has been learned as a fact.
    async with running(settings_for(tmp_path, memory={"enabled": True}), scripted) as (client, _):
        for text in said:
            await client.post("/chat/text", json={"text": text}, headers=DESK)
    last = [call.messages[-1].content for call in of_turns(scripted.chat)]
    assert [content.count(told) for content in last] == [1, 0, 1, 1, 1]
    assert [content.splitlines()[0] == "<memory-context>" for content in last] == [
        False, False, False, True, True,
    ]  # fmt: skip


@pytest.mark.usefixtures("rules_read_nothing")
async def test_what_was_put_right_in_the_conversation_is_not_put_beside_a_question(
    tmp_path: Path,
) -> None:
    scripted = ScriptedEngines(chat=talkative(learns=False))
    said = ["I live in Portland", "I moved to Seattle", "Where do I live?"]
    async with running(settings_for(tmp_path, memory={"enabled": True}), scripted) as (client, _):
        for text in said:
            await client.post("/chat/text", json={"text": text}, headers=DESK)
    assert "Portland" not in of_turns(scripted.chat)[-1].messages[-1].content


@pytest.mark.usefixtures("rules_read_nothing")
async def test_a_question_without_a_shared_word_has_its_answer_beside_it_at_once(
    tmp_path: Path,
) -> None:
    scripted = ScriptedEngines(chat=talkative(learns=False))
    said = ["I moved to Seattle", "My cousin lives in Rome.", "Where do I live?"]
    async with running(settings_for(tmp_path, memory={"enabled": True}), scripted) as (client, _):
        for text in said:
            await client.post("/chat/text", json={"text": text}, headers=DESK)
    last = of_turns(scripted.chat)[-1].messages[-1].content
    assert said[0] in last
    assert said[1] not in last


@pytest.mark.usefixtures("rules_read_nothing")
async def test_what_was_told_in_another_conversation_answers_before_it_is_learned(
    tmp_path: Path,
) -> None:
    memory = Kit(tmp_path / "memory.db").memory()
    await memory.start(work=False)
    for said in ("I moved to Seattle", "My cousin lives in Rome."):
        await exchange(memory, said)
    elsewhere = ConversationKey(ADA.user, "ada-shelf")
    recalled = [
        [one.content for one in (await memory.retrieve_context(owner, "Where do I live?")).recalled]
        for owner in (elsewhere, BOB)
    ]
    await memory.close()
    assert recalled[0][0] == "I moved to Seattle"
    assert recalled[1] == []


async def test_what_the_rules_read_in_another_conversation_answers_at_once(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=talkative(learns=False))
    users = {"device:desk": "ada", "device:shelf": "ada"}
    settings = settings_for(tmp_path, conversation={"users": users})
    async with running(settings, scripted) as (client, server):

        async def say(text: str, device: str) -> str:
            headers = {"Device-Id": device}
            answer = await client.post("/chat/text", json={"text": text}, headers=headers)
            return str(answer.json()["response"])

        for said in ("I moved to Seattle", "My cousin lives in Rome."):
            await say(said, "desk")
        asked = len(of_turns(scripted.chat))
        assert await say("Where do I live?", "shelf") == "You live in Seattle."
        assert await say("Where does my cousin live?", "shelf") == "Your cousin lives in Rome."
        assert await say("Where do I live?", "kitchen") == "You haven't told me where you live."
        assert len(of_turns(scripted.chat)) == asked
        conversations = await server.memory.latest_conversations(5)
    assert [one.user for one in conversations].count("ada") == 2


async def test_switched_off_memory_stays_out_of_the_prompt(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=talkative())
    conversation = {"max_messages": 4, "trim_block": 2}
    for enabled in (True, False):
        settings = settings_for(
            tmp_path,
            memory={"enabled": enabled, "short_term_threshold": 2, "short_term_keep": 0},
            conversation=conversation,
        )
        async with running(settings, scripted) as (client, server):
            for number in range(4):
                await client.post("/chat/text", json={"text": f"I keep {number} bees"},
                                  headers=DESK)  # fmt: skip
                await settled(server.memory)
    last = of_turns(scripted.chat)[-1]
    assert "0 bees" not in last.prompt
    for mark in ("<memory-context>\n- The user keep", "[Earlier in", "[Long-term memory]"):
        assert mark not in last.prompt
    assert len(last.messages) > 3  # the conversation itself goes on


@pytest.mark.usefixtures("rules_read_nothing")
async def test_nothing_recalled_is_ever_extracted(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=talkative("You keep bees, and you told me of marmalade."))
    settings = settings_for(tmp_path, memory={"retrieval_min_similarity": 0.0})
    async with running(settings, scripted) as (client, server):
        for said in ("I keep bees", "I think that bees are what I keep best"):
            await client.post("/chat/text", json={"text": said}, headers=DESK)
            await settled(server.memory)
        for _ in range(20):
            await client.post("/chat/text", json={"text": "I wonder about bees"}, headers=DESK)
            await settled(server.memory)
    prompts = [call.messages[-1].content for call in of_turns(scripted.chat)]
    assert any("<memory-context>" in prompt and "keep bees" in prompt for prompt in prompts[1:])
    shown = [call.messages[-1].content for call in of_extraction(scripted.chat)]
    assert len(shown) >= 2
    for text in shown:
        assert "memory-context" not in text
        assert "marmalade" not in text
        assert "The user" not in text
    rows = look(tmp_path / "data" / "lobug_memory.db", "SELECT content FROM memories")
    assert not [content for (content,) in rows if "marmalade" in content]
    keeping = look(
        tmp_path / "data" / "lobug_memory.db",
        "SELECT count(*) FROM facts WHERE content = 'The user keep bees'",
    )
    assert keeping == [(1,)]
    assert json.dumps(shown).count("I keep bees") == 1
