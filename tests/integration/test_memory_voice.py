"""Asking for memory in words, through the HTTP door. What memory is called
with, and that nothing is said before it has returned, is the point."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from lobug.conversation.forgetting import BLANKED
from lobug.conversation.registry import PATIENCE_S
from lobug.errors import IdentityFullError, MemoryDisabledError, StorageFullError
from lobug.language.claims import Asked
from lobug.memory.model import (
    ConversationKey,
    Draft,
    Entry,
    Filter,
    Forgotten,
    Hit,
    MemoryScope,
    Purge,
    Recall,
)
from lobug.memory.service import Memory
from lobug.turn.utterance import TypedUtterance
from support.app_server import ScriptedEngines
from support.scripted_speech import ScriptedSpeechToText
from support.voice_kit import Setup, answering, talking
from support.wav import pcm16, tone

DESK = ConversationKey("device:desk", "device:desk/device:desk")
ME = MemoryScope(DESK.user, DESK.conversation)
REALLY = "Shall I really forget everything?"
READ_OR_NOT = ("I live in Rome", "I polish every brass lamp before noon")
"""What the rules read, and what they cannot read, so that the command itself stores it."""


@dataclass
class Gate:
    """Calls of a memory that wait until it is opened, or fail."""

    entered: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    fail: Exception | None = None

    def hold(self, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        """Hold what changes the memory from now on."""
        store, forget_text, purge = memory.store, memory.forget_text, memory.purge
        trust, forget_claims = memory.claims.trust, memory.forget_claims

        async def held_trust(user: str, message_id: int) -> list[str]:
            await self._wait()
            return await trust(user, message_id)

        async def held_forget_claims(
            key: ConversationKey, scope: MemoryScope, asked: Asked, texts: Sequence[str]
        ) -> Forgotten:
            await self._wait()
            return await forget_claims(key, scope, asked, texts)

        async def held_store(scope: MemoryScope, draft: Draft) -> Entry:
            await self._wait()
            return await store(scope, draft)

        async def held_forget_text(
            scope: MemoryScope, text: str, *, dry_run: bool = False
        ) -> Forgotten:
            if not dry_run:
                await self._wait()
            return await forget_text(scope, text, dry_run=dry_run)

        async def held_purge(scope: MemoryScope, what: Purge) -> Forgotten:
            await self._wait()
            return await purge(scope, what)

        monkeypatch.setattr(memory, "store", held_store)
        monkeypatch.setattr(memory, "forget_text", held_forget_text)
        monkeypatch.setattr(memory, "purge", held_purge)
        monkeypatch.setattr(memory.claims, "trust", held_trust)
        monkeypatch.setattr(memory, "forget_claims", held_forget_claims)

    async def _wait(self) -> None:
        self.entered.set()
        if self.fail is not None:
            raise self.fail
        await self.opened.wait()


async def test_remember_stores_it_and_says_so_without_the_model(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        reply = await talk.say("Lo-Bug, remember that my sister is called Anna.")
        assert reply == "Okay, I'll remember that your sister is called Anna."
        assert talk.asked == []
        said, answered = talk.log
        messages = talk.rows("SELECT id FROM conversation_log ORDER BY id")
        tasks = talk.rows("SELECT kind FROM background_tasks WHERE kind = 'extract'")
        assert said == ("user", "Lo-Bug, remember that my sister is called Anna.")
        assert answered == ("assistant", reply)
        (entry,) = await talk.kept()
        assert entry.content == "The user's sister is called Anna"
        assert (entry.source, entry.importance, entry.user) == ("user", 0.9, DESK.user)
        assert entry.source_message_id == messages[0][0]
        assert tasks == [], "what was stored must not be extracted a second time"


async def test_two_sentences_are_two_memories(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        reply = await talk.say("Remember that I live in Rome. I also like cats. Thanks!")
        assert reply == "Okay, I'll remember that you live in Rome and that you like cats."
        assert [e.content for e in await talk.kept()] == [
            "The user lives in Rome",
            "The user likes cats",
        ]
        assert [e.fact_type for e in await talk.kept()] == ["personal", "preference"]


@pytest.mark.parametrize("told", READ_OR_NOT)
async def test_nothing_is_said_before_it_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    gate = Gate()
    async with talking(Setup(tmp_path)) as talk:
        gate.hold(talk.memory, monkeypatch)
        turn = asyncio.create_task(talk.say(f"remember that {told}"))
        await gate.entered.wait()
        assert [role for role, _ in talk.log] == ["user"]
        assert not turn.done()
        gate.opened.set()
        assert (await turn).startswith("Okay, I'll remember that you")
        assert [(e.source, e.importance) for e in await talk.kept()] == [("user", 0.9)]
        assert [role for role, _ in talk.log] == ["user", "assistant"]


@pytest.mark.parametrize("told", READ_OR_NOT)
async def test_a_caller_who_hangs_up_leaves_nothing_half_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    gate = Gate()
    async with talking(Setup(tmp_path)) as talk:
        gate.hold(talk.memory, monkeypatch)
        events = talk.server.turns.run(DESK, TypedUtterance(f"remember that {told}"), voice=False)

        async def listen() -> None:
            async for _ in events:
                pass

        turn = asyncio.create_task(listen())
        await gate.entered.wait()
        turn.cancel()
        gate.opened.set()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert [e.source for e in await talk.kept()] == ["user"]
        assert [role for role, _ in talk.log] == ["user", "assistant"]


@pytest.mark.parametrize(
    "text",
    [
        *(f"remember that {told}" for told in READ_OR_NOT),
        "forget that my address is in Rome",
        "forget my address",
        "forget that I live in Rome",
    ],
)
async def test_a_full_disk_is_the_turns_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    gate = Gate(fail=StorageFullError("full"))
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user's address is in Rome"))
        await talk.memory.store(ME, Draft("The user lives in Rome"))
        gate.hold(talk.memory, monkeypatch)
        answer = await talk.post(text)
        assert "assistant" not in [role for role, _ in talk.log]
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "storage_full"


@pytest.mark.parametrize("told", READ_OR_NOT)
@pytest.mark.parametrize("error", [MemoryDisabledError("off"), IdentityFullError("full")])
async def test_what_memory_refuses_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: MemoryDisabledError | IdentityFullError,
    told: str,
) -> None:
    gate = Gate(fail=error)
    async with talking(Setup(tmp_path)) as talk:
        gate.hold(talk.memory, monkeypatch)
        assert await talk.say(f"remember that {told}") == error.spoken
        tasks = talk.rows("SELECT kind FROM background_tasks WHERE kind = 'extract'")
        assert tasks == [("extract",)], "what could not be stored is extracted as ever"


@pytest.mark.parametrize("switch", ["enabled", "enable_user_memories"])
async def test_memory_that_is_switched_off_claims_to_know_nothing(
    tmp_path: Path, switch: str
) -> None:
    off = "My long-term memory is switched off."
    async with talking(Setup(tmp_path, sections={"memory": {switch: False}})) as talk:
        for told in READ_OR_NOT:
            assert await talk.say(f"remember that {told}") == off
        assert await talk.say("No, that's wrong, I live in Oslo.") == off
        # Not "You haven't told me": perhaps it was told.
        assert await talk.say("Where do I live?") == "An ordinary reply."
        assert await talk.kept() == []


async def test_forget_says_so_and_repeats_nothing(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user lives in Portland"))
        await talk.memory.store(ME, Draft("The user likes tea"))
        assert await talk.say("Forget that I live in Portland") == (
            "Forgotten: you live in Portland."
        )
        assert talk.log == [("user", BLANKED), ("assistant", "Done, I have forgotten that.")]
        everything = talk.rows("SELECT group_concat(content) FROM conversation_log")
        assert "portland" not in str(everything).lower()
        assert talk.asked == []
        assert await talk.say("forget that I live in Portland") == (
            "I had nothing like that in my memory."
        )
        assert "portland" not in str(talk.log).lower()
        assert [e.content for e in await talk.kept()] == ["The user likes tea"]


async def test_done_is_said_only_after_forgetting_returned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user lives in Portland"))
        gate.hold(talk.memory, monkeypatch)
        turn = asyncio.create_task(talk.say("forget that I live in Portland"))
        await gate.entered.wait()
        assert talk.log == [("user", BLANKED)]
        assert not turn.done()
        gate.opened.set()
        assert await turn == "Forgotten: you live in Portland."


async def test_forgetting_empties_what_the_process_holds(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user lives in Portland"))
        await talk.say("How are you?")
        conversations = talk.server.conversations
        assert len(conversations.get(DESK).memory)
        await talk.say("forget that I live in Portland")
        assert not conversations.get(DESK).loaded
        assert not len(conversations.get(DESK).memory)
        await talk.say("And now?")
        assert BLANKED in talk.asked[-1], "it is read from the log again"


async def test_a_topic_that_only_comes_near_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(Setup(tmp_path)) as talk:
        known = await talk.memory.store(ME, Draft("The user makes bread for money"))

        async def near(*_: object, **__: object) -> list[Hit]:
            return [Hit("memory", known.id, known.content, 0, 1, 0.8, entry=known)]

        monkeypatch.setattr(talk.memory, "search", near)
        asked = await talk.say("forget what I said about my bakery")
        assert asked == "I know that you make bread for money. Shall I forget that?"
        assert await talk.kept()
        assert await talk.say("no") == "Okay, I'll keep it."
        assert await talk.kept()
        await talk.say("forget what I said about my bakery")
        assert await talk.say("yes please") == "Done, I have forgotten that."
        assert await talk.kept() == []


async def test_the_last_words_are_forgotten(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("I am a spy"))
        await talk.say("I am a spy")
        assert await talk.say("please forget what I just said") == "Done, I have forgotten that."
        assert await talk.kept() == []


async def test_everything_is_forgotten_after_a_yes(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user likes tea"))
        assert (await talk.say("forget everything")).endswith(REALLY)
        assert await talk.kept()
        reply = await talk.say("yes, forget everything")
        assert reply == "Done, I have forgotten everything about you."
        assert talk.log[-2:] == [("user", BLANKED), ("assistant", reply)]
        assert await talk.say("yes") == "An ordinary reply."
        assert await talk.kept() == []


@pytest.mark.parametrize(
    ("then", "reply"),
    [
        ("no", "Okay, I'll keep it."),
        ("forget it", "Okay, I'll keep it."),
        ("What is 17 times 23?", "17 times 23 is 391."),
        ("what do you know about me", "You like tea."),
        ("remember that I like cats", "Okay, I'll remember that you like cats."),
    ],
)
async def test_anything_but_yes_cancels(tmp_path: Path, then: str, reply: str) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user likes tea"))
        await talk.say("forget everything")
        assert await talk.say(then) == reply
        assert await talk.say("yes") == "An ordinary reply."
        assert await talk.kept()


async def test_a_yes_counts_for_two_minutes(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user likes tea"))
        await talk.say("forget everything")
        talk.clock.advance(PATIENCE_S + 1)
        assert await talk.say("yes") == "An ordinary reply."
        assert await talk.kept()
        await talk.say("forget everything")
        talk.clock.advance(PATIENCE_S - 1)
        assert await talk.say("yes") == "Done, I have forgotten everything about you."
        assert await talk.kept() == []


async def test_a_yes_from_another_device_does_not_count(tmp_path: Path) -> None:
    kitchen = MemoryScope("device:kitchen", "device:kitchen/device:kitchen")
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user likes tea"))
        await talk.memory.store(kitchen, Draft("The user likes soup"))
        await talk.say("forget everything", "desk")
        assert await talk.say("yes", "kitchen") == "An ordinary reply."
        assert await talk.kept()
        await talk.say("yes", "desk")
        assert await talk.kept() == []
        assert await talk.kept(kitchen.user)


async def test_what_is_known_is_told_most_important_first_and_counted(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("Name: Ada", layer="identity"))
        for number in range(7):
            await talk.memory.store(
                ME, Draft(f"The user is glad of tea {number}", importance=number / 10)
            )
        await talk.memory.store(MemoryScope("bob", "bob"), Draft("Bob likes wine"))
        reply = await talk.say("What do you know about me?")
        assert talk.log[0] == ("user", "What do you know about me?")
        assert talk.rows("SELECT summarized FROM conversation_log") == [(1,), (1,)], (
            "what was recalled must not be summed up again"
        )
        nobody = await talk.say("What do you know about me?", "kitchen")
        assert reply == (
            "Name: Ada. You are glad of tea 6. You are glad of tea 5. You are glad of tea 4."
            " You are glad of tea 3. And three more: shall I go on?"
        )
        assert nobody == "I don't know anything about you yet."
        assert await talk.say("yes") == (
            "You are glad of tea 2. You are glad of tea 1. You are glad of tea 0."
        )
        assert await talk.say("yes") == "An ordinary reply."


async def test_what_is_known_of_a_topic(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user's sister is called Anna"))
        await talk.memory.store(ME, Draft("The user likes tea"))
        assert await talk.say("what do you remember about my sister?") == "Anna is your sister."
        assert await talk.say("what do you remember about my brother?") == (
            "I don't know anything about your brother."
        )
        assert await talk.say("what do you know about Anna?") == "Anna is your sister."
        assert await talk.say("what do you know about Mars?") == "An ordinary reply."


async def test_summaries_of_conversations_are_told_only_where_no_fact_is(tmp_path: Path) -> None:
    said_at = datetime.now().timestamp()  # noqa: DTZ005 - local, as it is spoken
    summed_up = "[RAW] Anna and the user went home"
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(
            ME, Draft(summed_up, layer="archive", category="timeline", said_at=said_at)
        )
        assert await talk.say("what do you remember about Anna?") == "Anna and you went home."
        assert await talk.say("Which memories did you use?") == (
            "My notes of what we talked about today say: Anna and you went home."
        )
        await talk.memory.store(ME, Draft("The user's sister is called Anna", said_at=said_at))
        assert await talk.say("what do you remember about Anna?") == "Anna is your sister."
        assert await talk.say("How do you know my sister Anna?") == (
            "You told me today that your sister is called Anna."
        )


async def test_a_correction_replaces_the_wrong_one(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user's brother is called Anton"))
        old = await talk.memory.store(ME, Draft("The user's sister is called Anna"))
        reply = await talk.say("No, that's wrong, my sister is called Hannah.")
        assert reply == "Thank you, I have corrected that: your sister is called Hannah."
        new = next(
            e for e in await talk.kept() if e.content == "The user's sister is called Hannah"
        )
        wrong = next(e for e in await talk.kept() if e.id == old.id)
        assert new.source == "correction"
        assert (wrong.status, wrong.reason, wrong.replaced_by) == ("inactive", "corrected", new.id)
        assert len(await talk.memory.entries(ME, Filter())) == 2


async def test_a_correction_of_nothing_is_stored_as_one(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        assert await talk.say("that's wrong, i live in seattle") == (
            "Okay, I'll remember that you live in Seattle."
        )
        (entry,) = await talk.kept()
        assert (entry.source, entry.importance) == ("correction", 1.0)


@pytest.mark.parametrize("text", ["actually my name is Alex, not Alan", "it's Alex, not Alan"])
async def test_one_word_instead_of_another(tmp_path: Path, text: str) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user's name is Alan"))
        assert await talk.say(text) == "Thank you, I have corrected that: your name is Alex."
        assert await talk.say("actually tea is green, not black") == "An ordinary reply."
        assert [e.content for e in await talk.memory.entries(ME, Filter())] == [
            "The user's name is Alex"
        ]


@pytest.mark.parametrize(
    "text", ["That's wrong, the capital of Australia is Canberra", "That's wrong"]
)
async def test_an_objection_that_is_not_about_memory_is_an_ordinary_turn(
    tmp_path: Path, text: str
) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user likes tea"))
        assert await talk.say(text) == "An ordinary reply."
        assert len(await talk.kept()) == 1


@pytest.mark.parametrize("right", ["Hannah", "it's Hannah", "My sister is called Hannah."])
async def test_thats_wrong_asks_what_is_right(tmp_path: Path, right: str) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user's sister is called Anna"))
        await talk.say("what do you remember about my sister?")
        assert await talk.say("That's wrong.") == "I'm sorry. What is right?"
        assert await talk.say(right) == (
            "Thank you, I have corrected that: your sister is called Hannah."
        )
        assert [e.content for e in await talk.memory.entries(ME, Filter())] == [
            "The user's sister is called Hannah"
        ]


async def test_a_correction_that_no_rule_understands_is_asked_for_in_a_whole_sentence(
    tmp_path: Path,
) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.say("My bike is red.")
        assert await talk.say("What colour is my bike?") == "Your bike is red."
        asked = await talk.say("No no, you mixed something up there, mate.")
        assert asked == "Please tell me in a whole sentence what is right."
        await talk.say("My bike is green.")
        assert await talk.say("What colour is my bike?") == "Your bike is green."
        wrong = await talk.memory.entries(ME, Filter(status="inactive"))
        assert [(entry.content, entry.reason) for entry in wrong] == [
            ("The user's bike is red", "corrected")
        ]


@pytest.mark.parametrize("then", ["What is 17 times 23?", "How high is the sun?", "never mind"])
async def test_who_does_not_say_what_is_right_is_left_alone(tmp_path: Path, then: str) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user's sister is called Anna"))
        await talk.say("what do you remember about my sister?")
        await talk.say("That's wrong.")
        assert await talk.say(then) in {"An ordinary reply.", "Okay.", "17 times 23 is 391."}
        assert await talk.say("Hannah") == "An ordinary reply."
        assert len(await talk.kept()) == 1


async def test_which_memories_were_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    march = datetime(2024, 3, 5, 12).timestamp()  # noqa: DTZ001 - local, as it is spoken
    async with talking(Setup(tmp_path)) as talk:
        used = await talk.memory.store(
            ME, Draft("The user's sister is called Anna", said_at=march, source="correction")
        )
        found = await talk.memory.store(ME, Draft("The user likes tea"))
        # No claim answers it, so that the chat model is asked.
        assert await talk.say("Shall I bring tea when I visit Anna?") == "An ordinary reply."
        ((asked,),) = talk.rows("SELECT id FROM conversation_log WHERE role = 'user'")
        hits = [Hit("memory", e.id, e.content, e.said_at, 1, 1, entry=e) for e in (used, found)]
        turn = Hit("turn", 7, "my sister called", march, 1, 1, role="user")

        async def explain(scope: MemoryScope, message_id: int) -> Recall:
            assert (scope, message_id) == (ME, asked)
            return Recall(1, asked, "", 0, 0, (*hits, turn), (f"memory:{used.id}", "turn:7"))

        monkeypatch.setattr(talk.memory, "explain", explain)
        assert await talk.say("Which memories did you use?") == (
            "You corrected me in March 2024: your sister is called Anna."
            ' In March 2024 you said: "my sister called."'
        )
        # That answer has used these itself.
        assert "March 2024" in await talk.say("how do you know that?")


async def test_no_memory_was_used(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        assert await talk.say("which memories did you use?") == "I used none."
        await talk.say("How far is the moon?")
        assert await talk.say("which memories did you use?") == "I used none."
        assert await talk.say("how do you know that?") == "An ordinary reply."


async def test_where_one_memory_comes_from(tmp_path: Path) -> None:
    said_at = datetime.now().timestamp()  # noqa: DTZ005 - local, as it is spoken
    async with talking(Setup(tmp_path)) as talk:
        await talk.memory.store(ME, Draft("The user's name is Ada", said_at=said_at))
        assert await talk.say("How do you know my name?") == (
            "You told me today that your name is Ada."
        )


async def test_spoken_words_do_the_same_and_are_answered_aloud(tmp_path: Path) -> None:
    heard = ScriptedSpeechToText(["hey lo bug remember that my sister is called Anna"])
    scripted = ScriptedEngines(chat=answering(), stt=heard)
    async with talking(Setup(tmp_path, scripted=scripted)) as talk:
        audio = {"audio": ("recording.wav", pcm16(tone(1.0)), "audio/wav")}
        body = (await talk.client.post("/chat/audio", files=audio)).json()
        assert body["response"] == "Okay, I'll remember that your sister is called Anna."
        assert body["action"] == "respond"
        assert len(body["audio_b64"]) > 1_000
        assert {"recall", "reply", "first_audio", "speech", "stored"} <= set(body["timings"])
        kept = await talk.kept("address:127.0.0.1")
        assert [e.content for e in kept] == ["The user's sister is called Anna"]


async def test_an_ordinary_turn_asks_the_model_once(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        for text in ("Hello!", "I can't remember the song", "Do you remember that song?"):
            before = len(talk.asked)
            assert await talk.say(text) == "An ordinary reply."
            assert len(talk.asked) == before + 1


async def test_a_question_about_oneself_is_answered_without_the_model(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        assert await talk.say("Do you remember my name?") == "You haven't told me your name."
        await talk.memory.store(ME, Draft("The user's name is Ada"))
        assert await talk.say("Do you remember my name?") == "Your name is Ada."
        assert talk.asked == []
        # A line of identity that the rules cannot read may answer: the model sees it.
        await talk.memory.store(ME, Draft("Home: Rome", layer="identity"))
        assert await talk.say("Where do I live?") == "An ordinary reply."
        assert "Home: Rome" in talk.asked[-1]


def chosen(tool: str, words: str) -> str:
    return json.dumps({"tool": tool, "words": words})


@pytest.mark.parametrize(
    ("text", "choice", "reply", "contents"),
    [
        ("Remember for me one thing, my aunt is called Zelda",
         chosen("memory_store", "my aunt is called Zelda"),
         "Okay, I'll remember that your aunt is called Zelda.",
         ["The user likes tea", "The user's aunt is called Zelda"]),
        ("Have you got a memory of tea?", chosen("memory_recall", "tea"),
         "You like tea.", ["The user likes tea"]),
        ("You have it all wrong, my aunt is called Zelda",
         chosen("memory_correct", "my aunt is called Zelda"),
         "Okay, I'll remember that your aunt is called Zelda.",
         ["The user likes tea", "The user's aunt is called Zelda"]),
        # What the model wants forgotten is asked for first.
        ("Let tea slip out of your memory, Lo-Bug, forget", chosen("memory_forget", "tea"),
         "I know that you like tea. Shall I forget that?", ["The user likes tea"]),
        ("Have you got a memory of tea?", chosen("none", ""), "An ordinary reply.",
         ["The user likes tea"]),
        # Invented words, another tool, no JSON, an order that was never given.
        ("Remember for me one thing, my aunt is called Zelda",
         chosen("memory_store", "my aunt is called Hilda"), "An ordinary reply.",
         ["The user likes tea"]),
        ("Have you got a memory of tea?", chosen("memory_purge", "tea"), "An ordinary reply.",
         ["The user likes tea"]),
        ("Have you got a memory of tea?", "I think so", "An ordinary reply.",
         ["The user likes tea"]),
        ("Have you got a memory of tea?", '{"tool": ["memory_forget"], "words": {}}',
         "An ordinary reply.", ["The user likes tea"]),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("rules_read_nothing")
async def test_the_model_chooses_where_no_template_fits(
    tmp_path: Path, text: str, choice: str, reply: str, contents: list[str]
) -> None:
    scripted = ScriptedEngines(chat=answering(choice=choice))
    async with talking(Setup(tmp_path, scripted=scripted)) as talk:
        await talk.memory.store(ME, Draft("The user likes tea"))
        assert await talk.say(text) == reply
        assert scripted.chat.calls[0].options.json_schema is not None
        assert [entry.content for entry in await talk.kept()] == contents


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("Remember for me one thing, my aunt is called Zelda", "memory_store"),
        ("You have it all wrong, my aunt is called Zelda", "memory_correct"),
    ],
)
async def test_what_rules_and_model_have_read_is_known_once(
    tmp_path: Path, text: str, choice: str
) -> None:
    scripted = ScriptedEngines(chat=answering(choice=chosen(choice, "my aunt is called Zelda")))
    async with talking(Setup(tmp_path, scripted=scripted)) as talk:
        assert await talk.say(text) == "Okay, I'll remember that your aunt is called Zelda."
        active = await talk.memory.entries(ME, Filter())
        assert [entry.content for entry in active] == ["The user's aunt is called Zelda"]
        assert active[0].source != "system"
        assert await talk.say("What is my aunt called?") == "Your aunt is called Zelda."


async def test_a_model_that_is_down_makes_it_an_ordinary_turn(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=answering())
    async with talking(Setup(tmp_path, scripted=scripted)) as talk:
        assert await talk.say("remember that I like tea") == (
            "Okay, I'll remember that you like tea."
        )
        scripted.chat.fail = RuntimeError("nobody may ask the model here")
        assert await talk.say("remember that I like cats") == (
            "Okay, I'll remember that you like cats."
        )
        assert len(await talk.kept()) == 2
