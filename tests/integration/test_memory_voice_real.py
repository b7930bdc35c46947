"""Asking for memory in words, on the real memory: what is remembered, put right and erased."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import until
from support.memory_kit import model_that_listens
from support.scripted import ScriptedChatModel
from support.voice_kit import Setup, Talk, answering, talking

FORGOTTEN = "Done, I have forgotten that."


def everywhere(talk: Talk, word: str) -> list[str]:
    """Tables in which a word stands."""
    path = talk.server.settings.database_path
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        ).fetchall()
        return [
            name
            for (name,) in tables
            if any(
                word in str(value).lower()
                for row in connection.execute(f'SELECT * FROM "{name}"')
                for value in row
            )
        ]
    finally:
        connection.close()


async def test_what_was_remembered_is_there_after_a_restart(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.say("remember that my sister is called Anna")
        await talk.say("Remember that I live in Rome.")
    async with talking(Setup(tmp_path)) as talk:
        assert await talk.say("what do you know about my sister?") == "Anna is your sister."
        known = await talk.say("what do you know about me?")
        assert known == "You live in Rome. Your sister is called Anna."
        assert await talk.say("what do you know about me?", "kitchen") == (
            "I don't know anything about you yet."
        )


async def test_what_was_remembered_is_not_extracted_again(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=ScriptedChatModel(model_that_listens))
    async with running(settings_for(tmp_path), scripted) as (client, server):
        headers = {"Device-Id": "desk"}
        for text in ("remember that I live in Rome", "what do you know about me?"):
            await client.post("/chat/text", json={"text": text}, headers=headers)
        await server.memory.process_due()
        # The server's own worker may be counting still.
        await until(lambda: server.memory.stats().facts == 1)
        assert server.memory.stats().pending_tasks == 0
    assert scripted.chat.calls == []


async def test_a_corrected_memory_is_never_told_again(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.say("remember that my sister is called Anna")
        assert await talk.say("that's wrong, my sister is called Hannah") == (
            "Thank you, I have corrected that: your sister is called Hannah."
        )
        assert await talk.say("what do you know about my sister?") == "Hannah is your sister."
        rows = talk.rows("SELECT content, status, reason, source FROM memories ORDER BY id")
        assert rows == [
            ("The user's sister is called Anna", "inactive", "corrected", "user"),
            ("The user's sister is called Hannah", "active", None, "correction"),
        ]


async def test_the_memories_of_a_reply_are_told(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.say("remember that my sister is called Anna")
        assert await talk.say("What is my sister's name?") == "Your sister is called Anna."
        assert talk.asked == []
        assert await talk.say("which memories did you use?") == (
            "You told me today that your sister is called Anna."
        )
        # The same of what the chat model has answered.
        assert await talk.say("Shall I call Anna, my sister?") == "An ordinary reply."
        assert "sister is called Anna" in talk.asked[-1]
        assert await talk.say("which memories did you use?") == (
            "You told me today that your sister is called Anna."
        )


async def test_what_is_forgotten_is_nowhere(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.say("remember that I live in Portland")
        await talk.say("Is it raining in Portland?")
        await talk.say("remember that I like tea")
        assert everywhere(talk, "portland")
        assert await talk.say("Forget that I live in Portland.") == (
            "Forgotten: you live in Portland, with the words that told it."
        )
        assert "you live" not in str(talk.rows("SELECT content FROM conversation_log"))
        assert "portland" not in str(talk.rows("SELECT content FROM memories")).lower()
        said = talk.rows("SELECT content FROM conversation_log WHERE content LIKE '%live%'")
        assert said == []
        await talk.say("How are you?")
        assert "live in Portland" not in talk.asked[-1]
        assert "lives in Portland" not in talk.asked[-1]
        assert await talk.say("what do you know about me?") == "You like tea."
        assert await talk.say("Forget that I live in Portland.") == (
            "I had nothing like that in my memory."
        )


async def test_a_topic_is_forgotten_with_the_words_it_came_from(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.say("remember that my wifi password is hunter2")
        await talk.say("remember that I work as a baker")
        assert await talk.say("forget what I told you about my wifi password") == (
            "Forgotten: your wifi password, with the words that told it."
        )
        assert everywhere(talk, "hunter2") == []
        assert await talk.say("forget my job") == (
            "Forgotten: your job, with the words that told it."
        )
        assert everywhere(talk, "baker") == []


async def test_the_last_words_are_forgotten(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.say("My locker has the number 4711")
        assert await talk.say("forget what I just said") == FORGOTTEN
        assert everywhere(talk, "4711") == []


async def test_everything_is_forgotten_and_nobody_elses(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.say("remember that I like wine", "kitchen")
        await talk.say("remember that I like tea")
        await talk.say("I live in Portland")
        await talk.say("forget everything")
        assert await talk.say("yes, forget everything") == (
            "Done, I have forgotten everything about you."
        )
        assert everywhere(talk, "tea") == []
        assert everywhere(talk, "portland") == []
        await talk.say("How are you?")
        assert "Portland" not in talk.asked[-1]
        assert await talk.say("what do you know about me?") == (
            "I don't know anything about you yet."
        )
        assert await talk.say("what do you know about me?", "kitchen") == "You like wine."


async def test_what_lo_bug_asked_about_is_forgotten_with_the_question(tmp_path: Path) -> None:
    choice = '{"tool": "memory_forget", "words": "marzipan"}'
    scripted = ScriptedEngines(chat=answering(choice=choice))
    async with talking(Setup(tmp_path, scripted=scripted)) as talk:
        await talk.say("remember that I like marzipan")
        assert await talk.say("Let marzipan go from your memory, forget") == (
            "I know that you like marzipan. Shall I forget that?"
        )
        assert await talk.say("yes") == FORGOTTEN
        assert everywhere(talk, "marzipan") == []


async def test_forgetting_by_another_door_empties_what_the_process_holds(tmp_path: Path) -> None:
    async with talking(Setup(tmp_path)) as talk:
        await talk.say("I live in Portland")
        answer = await talk.client.post(
            "/memory/forget",
            json={"text": "that I live in Portland", "confirm": True},
            headers={"Device-Id": "desk"},
        )
        assert answer.status_code == 200, answer.text
        await talk.say("How are you?")
        assert "Portland" not in talk.asked[-1]
