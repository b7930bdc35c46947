"""What the embedded models make of everyday sentences: facts found, nothing invented.

Eighteen sentences with the facts a person would note, read by the real chat model and embedder.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lobug.engines.chat_embedded import EmbeddedChat, llama_options
from lobug.engines.embed_embedded import EmbeddedEmbedder
from lobug.engines.llama_process import LlamaProcess
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from lobug.priority import TurnPriority
from lobug.settings import Settings
from support.memory_kit import look

pytestmark = [pytest.mark.models, pytest.mark.timeout(600)]

TOLD: list[tuple[str, list[list[str]]]] = [
    ("My name is Alex and I work at NASA", [["name", "alex"], ["works", "nasa"]]),
    ("I'm Priya and I teach physics at a high school in Leeds.", [["priya"], ["physics"]]),
    ("My brother Tom just got a new job at Siemens.", [["brother", "tom", "siemens"]]),
    ("i have a dog called rex he's a labrador", [["dog", "rex"]]),
    ("I can't eat gluten.", [["gluten"]]),
    ("I hate getting up early, but I love long breakfasts.", [["early"], ["breakfast"]]),
    ("I am flying to Lisbon on the third of June.", [["lisbon", "june"]]),
    ("Please remember that I take my medicine at eight.", [["medicine", "eight"]]),
    ("I'm learning Norwegian because my girlfriend is from Bergen.",
     [["norwegian"], ["girlfriend", "bergen"]]),
    ("My favourite colour is dark green, what's yours?", [["dark green"]]),
    ("How many people live in Norway?", []),
    ("Play something by Miles Davis.", []),
    ("Is my sister's birthday in May or in June?", []),
    ("That's a nice idea, let's do that later.", []),
    ("Water boils at one hundred degrees.", []),
    ("Wow, it's cold in here.", []),
    ("Stop.", []),
    ("Good night, see you tomorrow!", []),
]  # fmt: skip


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    settings = Settings(_env_file=None)
    chat = EmbeddedChat(
        settings.chat, LlamaProcess(llama_options(settings.chat, settings.models_dir))
    )
    embedder = EmbeddedEmbedder(settings.embeddings)
    await chat.start()
    await embedder.start()
    manager = Memory(
        settings.memory,
        tmp_path / "memory.db",
        chat=chat,
        embedder=embedder,
        priority=TurnPriority(),
        clock=time.time,
    )
    await manager.start(work=False)
    yield manager
    await manager.close()
    await embedder.close()
    await chat.close()


async def tell(memory: Memory, user: str, said: str) -> None:
    owner = ConversationKey(user, user)
    message_id = await memory.log_user_message(owner, said)
    await memory.log_reply(owner, message_id, "Okay.", extract=True)
    await memory.process_due()


async def test_everyday_sentences(memory: Memory, tmp_path: Path) -> None:
    for number, (said, _) in enumerate(TOLD):
        await tell(memory, f"user {number}", said)
    missed, invented, wanted = [], [], 0
    for number, (said, expected) in enumerate(TOLD):
        facts = [
            row[0].lower()
            for row in look(
                tmp_path / "memory.db", "SELECT content FROM facts WHERE user = ?",
                [f"user {number}"],
            )
        ]  # fmt: skip
        wanted += len(expected)
        missed += [
            (said, words, facts)
            for words in expected
            if not any(all(word in fact for word in words) for fact in facts)
        ]
        if not expected:
            invented += [(said, fact) for fact in facts]
    assert invented == []
    assert len(missed) <= 0.15 * wanted, missed


async def test_a_name_and_a_move_are_recalled(memory: Memory) -> None:
    """The two examples of the design, whole: "My name is Alex ..." and "I moved to Seattle"."""
    for said in ("My name is Alex and I work at NASA", "I live in Portland.",
                 "I moved to Seattle."):  # fmt: skip
        await tell(memory, "alex", said)
    owner = ConversationKey("alex", "another device")

    async def first(query: str) -> str:
        context = await memory.retrieve_context(owner, query)
        return context.recalled[0].content if context.recalled else ""

    assert "Alex" in await first("Do you remember my name?")
    assert "NASA" in await first("Where do I work?")
    assert "Seattle" in await first("Where do I live?")
    context = await memory.retrieve_context(owner, "Where do I live?")
    assert not [fact for fact in context.recalled if "Portland" in fact.content]
    assert (await memory.retrieve_context(owner, "Set a timer for ten minutes")).recalled == []
