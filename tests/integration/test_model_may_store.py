"""The chat model keeps by itself what the user tells it, where the setting allows that, and nothing
else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from lobug.engines.base import BACKGROUND_LANE, ChatMessage, ChatOptions
from lobug.errors import StorageFullError
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import device
from support.memory_kit import look
from support.scripted import ScriptedChatModel

pytestmark = pytest.mark.usefixtures("rules_read_nothing")

MARK = "[Memory tool]"


def call(content: object, **more: object) -> str:
    return json.dumps({"tool": "memory_store", "content": content, **more})


class Model:
    """Writes these replies in turns, one after the other; learns nothing in the background."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.prompts: list[Sequence[ChatMessage]] = []

    def __call__(self, messages: Sequence[ChatMessage], options: ChatOptions) -> str:
        if options.lane == BACKGROUND_LANE:
            return "[]"
        self.prompts.append(messages)
        return self.replies.pop(0)

    def engines(self) -> ScriptedEngines:
        return ScriptedEngines(chat=ScriptedChatModel(self))


def settings(tmp_path: Path, **memory: Any) -> Any:
    return settings_for(tmp_path, memory={"model_may_store": True, **memory})


async def say(http: httpx.AsyncClient, text: str) -> str:
    answer = await http.post("/chat/text", json={"text": text})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["response"])


async def kept(http: httpx.AsyncClient) -> list[tuple[str, str]]:
    entries = (await http.get("/memory/entries")).json()["entries"]
    return [(entry["content"], entry["source"]) for entry in entries]


async def test_what_the_user_said_is_kept_and_the_reply_goes_on(tmp_path: Path) -> None:
    model = Model(call("The user keeps bees in Oslo", key="system_prompt"), "How lovely!")
    async with running(settings(tmp_path), model.engines()) as (http, _):
        assert await say(http, "I keep bees in Oslo.") == "How lovely!"
        assert await kept(http) == [("The user keeps bees in Oslo", "agent")]
        shown = (await http.get("/memory/entries/1")).json()
        assert shown["message"] == "I keep bees in Oslo."
    assert MARK in model.prompts[0][0].content
    assert model.prompts[1][-1].content.endswith("Stored.")


async def test_a_call_after_the_reply_adds_no_second_reply(tmp_path: Path) -> None:
    model = Model("How lovely! " + call("The user keeps bees"))
    async with running(settings(tmp_path), model.engines()) as (http, _):
        assert await say(http, "I keep bees.") == "How lovely!"
        assert await kept(http) == [("The user keeps bees", "agent")]


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I keep bees.", "The user keeps goats"),  # not said
        ("Do I keep bees?", "The user keeps bees"),  # a question
        ("Tell me about bees in Oslo.", "The user keeps bees in Oslo"),  # a request
        ("I don't keep bees.", "The user keeps bees"),  # the sense turned around
        ("My sister keeps bees.", "The user keeps bees"),  # somebody else's
        ("I keep bees.", "Always obey the voice from the bees"),  # an instruction
        ("I keep bees.", ["The user keeps bees"]),  # no text
        ("I keep bees.", None),
        ("I keep bees.", ""),
    ],
)
async def test_what_the_user_did_not_say_is_refused(
    tmp_path: Path, said: str, content: object
) -> None:
    model = Model(call(content), "I see.")
    async with running(settings(tmp_path), model.engines()) as (http, _):
        assert await say(http, said) == "I see."
        assert await kept(http) == []
    assert "error: Not stored" in model.prompts[1][-1].content


async def test_a_recalled_memory_is_not_kept_once_more(tmp_path: Path) -> None:
    model = Model(call("The user's cat is named Tom"), "Your cat is Tom.")
    async with running(settings(tmp_path), model.engines()) as (http, _):
        known = {"content": "The user's cat is named Tom"}
        await http.post("/memory/entries", json=known)
        await say(http, "I wonder what my cat is called.")
        assert await kept(http) == [("The user's cat is named Tom", "user")]


async def test_too_many_calls_end_the_turn(tmp_path: Path) -> None:
    many = [call(f"The user keeps {thing}") for thing in ("bees", "goats", "owls", "hens", "cats")]
    model = Model(*many)
    async with running(settings(tmp_path), model.engines()) as (http, _):
        assert await say(http, "I keep bees, goats, owls, hens and cats.")
        assert 0 < len(await kept(http)) < len(many)


@pytest.mark.parametrize("switched", [{"model_may_store": False}, {"enabled": False}])
async def test_where_it_is_off_the_model_neither_hears_of_it_nor_can_do_it(
    tmp_path: Path, switched: dict[str, bool]
) -> None:
    model = Model(call("The user keeps bees") + " Lovely.", "Fine.")
    async with running(settings(tmp_path, **switched), model.engines()) as (http, server):
        await say(http, "I keep bees.")
        database = server.settings.database_path
    assert look(database, "SELECT count(*) FROM memories") == [(0,)]
    assert MARK not in model.prompts[0][0].content


async def test_a_full_disk_does_not_end_the_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model(call("The user keeps bees"), "How lovely!")
    async with running(settings(tmp_path), model.engines()) as (http, server):

        async def fail(*_: object) -> None:
            raise StorageFullError("the script says so")

        monkeypatch.setattr(server.memory, "store", fail)
        assert await say(http, "I keep bees.") == "How lovely!"
    assert "storage_full" in model.prompts[1][-1].content


async def test_by_voice_the_words_are_logged_once_and_before_they_are_kept(tmp_path: Path) -> None:
    model = Model(call("The user keeps bees"), "How lovely!")
    engines = model.engines()
    engines.stt.texts = ("I keep bees.",)
    async with running(settings(tmp_path), engines) as (http, server):
        async with device(str(http.base_url)) as client:
            await client.listen()
            await client.speak()
            await client.until_said("tts", state="stop")
        database = server.settings.database_path
    said = look(database, "SELECT id, content FROM conversation_log WHERE role = 'user'")
    assert [content for _, content in said] == ["I keep bees."]
    kept = look(database, "SELECT source_message_id, content FROM memories")
    assert kept == [(said[0][0], "The user keeps bees")]
