"""What an utterance puts right and the rules did not see, in the real memory: the chat model finds
the words, the rules decide, and claims change what is believed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from lobug.engines.base import ChatMessage, ChatOptions
from lobug.language.en.prompts import FACTS_SCHEMA, REVISION_SCHEMA
from lobug.memory.model import Filter, MemoryScope
from lobug.memory.service import Memory
from support.memory_kit import ADA, Kit, exchange, look, started
from support.scripted import ScriptedChatModel

pytestmark = pytest.mark.usefixtures("each_database", "asked_again")

ALTO = "I sing alto in the choir."
SOPRANO = "My mistake, soprano."
BEFORE, AFTER = "The user sings alto in the choir", "The user sings soprano in the choir"


class Aligning:
    """A chat model that finds no facts, and names the words that it was told to name."""

    def __init__(self, answers: Mapping[str, str | tuple[str, str]]) -> None:
        self._answers = answers
        self.asked: list[str] = []
        self.read: list[str] = []
        """What facts were asked for in."""

    def __call__(self, messages: Sequence[ChatMessage], options: ChatOptions) -> str:
        if options.json_schema is FACTS_SCHEMA:
            self.read.append(messages[-1].content)
        if options.json_schema is not REVISION_SCHEMA:
            return "[]" if options.json_schema else "Okay."
        self.asked.append(messages[-1].content)
        later = messages[-1].content.split("\nSecond: ")[1]
        answer = self._answers.get(later, ("", ""))
        if isinstance(answer, str):
            return answer
        wrong, right = answer
        return json.dumps({"corrects": bool(wrong), "wrong": wrong, "right": right})


def kit_with(path: Path, model: Aligning) -> Kit:
    return Kit(path / "memory.db", chat=ScriptedChatModel(model))


async def with_status(memory: Memory, status: str) -> list[str]:
    found = await memory.entries(MemoryScope(ADA.user, None), Filter(status=None), limit=100)
    return sorted(entry.content for entry in found if entry.status == status)


async def test_a_value_that_the_rules_could_not_place_is_put_right(tmp_path: Path) -> None:
    model = Aligning({SOPRANO: ("alto", "soprano")})
    async with started(kit_with(tmp_path, model)) as memory:
        await exchange(memory, ALTO)
        await exchange(memory, SOPRANO)
        assert await with_status(memory, "active") == [BEFORE]
        await memory.process_due()
        assert await with_status(memory, "active") == [AFTER]
        assert await with_status(memory, "past") == []
        assert model.asked == [f"First: {ALTO}\nSecond: {SOPRANO}"]


async def test_a_sentence_of_which_nothing_was_kept_is_kept_as_it_is_right(tmp_path: Path) -> None:
    later = "Actually no, it's Tuesday nights."
    model = Aligning({later: ("Monday", "Tuesday")})
    async with started(kit_with(tmp_path, model)) as memory:
        await exchange(memory, "By the way. Brown bin goes out Monday nights here.")
        await exchange(memory, later)
        assert await with_status(memory, "active") == []
        await memory.process_due()
        assert await with_status(memory, "active") == ["Brown bin goes out Tuesday nights here"]


async def test_what_waits_to_be_put_right_is_not_told(tmp_path: Path) -> None:
    model = Aligning({SOPRANO: ("alto", "soprano")})
    async with started(kit_with(tmp_path, model)) as memory:
        await exchange(memory, ALTO)
        await exchange(memory, "I live in Oslo.")
        (choir,) = await memory.claims.telling(ADA.user, "choir")
        await memory.process_due()
        assert not await memory.claims.may_be_wrong(ADA.user, [choir.entry_id])
        await exchange(memory, SOPRANO)
        assert await memory.claims.may_be_wrong(ADA.user, [choir.entry_id])
        assert not await memory.claims.may_be_wrong("bob", [choir.entry_id])
        await memory.process_due()
        assert not await memory.claims.may_be_wrong(ADA.user, [choir.entry_id])


async def test_what_has_changed_is_past(tmp_path: Path) -> None:
    later = "We traded in the Zafira yesterday, got a Sharan."
    model = Aligning({later: ("Zafira", "Sharan")})
    async with started(kit_with(tmp_path, model)) as memory:
        await exchange(memory, "There's six of us so we drive a Zafira.")
        await exchange(memory, later)
        await memory.process_due()
        active = await with_status(memory, "active")
        assert not any("drive" in one and "Zafira" in one for one in active)
        assert any("Sharan" in one for one in active)
        assert any("Zafira" in one for one in await with_status(memory, "past"))


@pytest.mark.parametrize(
    ("earlier", "later", "found"),
    [
        ("I play the trumpet.", "My brother plays the drums, actually.", ("trumpet", "drums")),
        ("My sister lives in Leeds.", "I'm going up to see her now.", ("Leeds", "Leeds")),
        ("I swim on Tuesdays.", "I run on Thursdays now too.", ("Tuesdays", "Thursdays")),
        (ALTO, SOPRANO, ("alto", "tenor")),
        (ALTO, SOPRANO, ("bass", "soprano")),
    ],
)
async def test_what_puts_nothing_right_changes_nothing(
    tmp_path: Path, earlier: str, later: str, found: tuple[str, str]
) -> None:
    model = Aligning({later: found})
    async with started(kit_with(tmp_path, model)) as memory:
        await exchange(memory, earlier)
        await exchange(memory, later)
        before = await with_status(memory, "active")
        await memory.process_due()
        assert await with_status(memory, "active") == before


async def test_the_model_is_not_asked_where_the_rules_have_seen_it(tmp_path: Path) -> None:
    model = Aligning({})
    async with started(kit_with(tmp_path, model)) as memory:
        await exchange(memory, "I live in Oslo.")
        await exchange(memory, "No, I live in Rome.")
        await exchange(memory, "It is sunny today.")
        await memory.process_due()
        assert model.asked == []


async def test_what_somebody_else_says_puts_nothing_right(tmp_path: Path) -> None:
    model = Aligning({SOPRANO: ("alto", "soprano")})
    async with started(kit_with(tmp_path, model)) as memory:
        await exchange(memory, ALTO)
        guest = await memory.log_user_message(ADA, SOPRANO, speaker="bob")
        await memory.log_reply(ADA, guest, "Okay.", extract=True)
        await memory.process_due()
        assert await with_status(memory, "active") == [BEFORE]


async def test_nothing_forgotten_meanwhile_comes_back(tmp_path: Path) -> None:
    model = Aligning({SOPRANO: ("alto", "soprano")})
    async with started(kit_with(tmp_path, model)) as memory:
        await exchange(memory, ALTO)
        await exchange(memory, SOPRANO)
        await memory.forget_text(MemoryScope(ADA.user, None), ALTO)
        await memory.process_due()
        assert await with_status(memory, "active") == []


async def test_an_answer_that_is_no_alignment_puts_nothing_right(tmp_path: Path) -> None:
    for number, answer in enumerate(("well, soprano", "[]", '{"corrects": true}', "7")):
        kit = kit_with(tmp_path / str(number), Aligning({SOPRANO: answer}))
        kit.path.parent.mkdir()
        async with started(kit) as memory:
            await exchange(memory, ALTO)
            await exchange(memory, SOPRANO)
            await memory.process_due()
            assert await with_status(memory, "active") == [BEFORE], answer
        waiting = look(kit.path, "SELECT id FROM background_tasks WHERE kind = 'extract'")
        assert waiting == [], answer


async def test_what_the_owner_has_removed_is_not_kept_in_other_words(tmp_path: Path) -> None:
    model = Aligning({SOPRANO: ("alto", "soprano")})
    async with started(kit_with(tmp_path, model)) as memory:
        await exchange(memory, ALTO)
        (kept,) = await memory.entries(MemoryScope(ADA.user, None), Filter(), limit=10)
        await exchange(memory, SOPRANO)
        await memory.deactivate(MemoryScope(ADA.user, None), kept.id)
        await memory.process_due()
        assert await with_status(memory, "active") == []


async def test_what_else_a_correction_tells_is_learned(tmp_path: Path) -> None:
    later = f"{SOPRANO} And the choir has hired the old brewery for its concert."
    model = Aligning({later: ("alto", "soprano")})
    async with started(kit_with(tmp_path, model)) as memory:
        await exchange(memory, ALTO)
        await exchange(memory, later)
        await memory.process_due()
        assert AFTER in await with_status(memory, "active")
        assert any("brewery" in one for one in model.read), model.read
