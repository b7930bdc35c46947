"""The same facts told again and again are known once, with the embedded embedder."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from lobug.engines.base import ChatMessage, ChatOptions
from lobug.engines.embed_embedded import EmbeddedEmbedder
from lobug.memory.service import Memory
from lobug.settings import Settings
from support.memory_kit import SUMMARY, Kit, exchange, look
from support.scripted import ScriptedChatModel

PARAPHRASES = Path(__file__).parents[1] / "support" / "paraphrases.txt"
"""A fact in each line, in five wordings, as extraction writes them down after "The user"."""

pytestmark = [
    pytest.mark.usefixtures("rules_read_nothing"),
    pytest.mark.usefixtures("each_database"),
]
"""Facts of any wording are compared by their vectors alone."""


def facts() -> list[list[str]]:
    """The facts, each in its wordings."""
    return [
        [f"The user{'' if text.startswith(chr(39)) else ' '}{text}" for text in line.split(" | ")]
        for line in PARAPHRASES.read_text().splitlines()
    ]


def extracts_what_is_told(messages: Sequence[ChatMessage], options: ChatOptions) -> str:
    if options.json_schema is None:
        return SUMMARY
    told = re.findall(r"I tell you (The user.*?)(?:\.|$)", messages[-1].content)
    return json.dumps([{"fact": fact, "type": "personal"} for fact in told])


@pytest.fixture
async def kit(tmp_path: Path) -> AsyncIterator[Kit]:
    embedder = EmbeddedEmbedder(Settings(_env_file=None).embeddings)
    await embedder.start()
    chat = ScriptedChatModel(extracts_what_is_told)
    yield Kit(tmp_path / "memory.db", chat=chat, embedder=embedder)  # type: ignore[arg-type]  # the real one
    await embedder.close()


async def test_facts_told_in_five_wordings_over_five_sessions_are_known_once(kit: Kit) -> None:
    told = facts()
    assert len(told) == 40
    memory: Memory = kit.memory()
    await memory.start(work=False)
    for wording in range(5):
        for fact in told:
            await exchange(memory, f"I tell you {fact[wording]}")
        await memory.process_due()
        kit.clock.advance(3_600.0)
    await memory.close()
    fact_of = {text: number for number, fact in enumerate(told) for text in fact}
    rows = look(kit.path, "SELECT content, status FROM memories WHERE layer = 'knowledge'")
    assert len(rows) >= 0.95 * 200  # all of them got as far as being compared
    known = Counter(fact_of[content] for content, status in rows if status == "active")
    twice = sum(count - 1 for count in known.values())
    assert twice <= 0.02 * sum(known.values()), [told[n][0] for n, c in known.items() if c > 1]
    assert len(known) == len(told)  # and none gave way to another one
