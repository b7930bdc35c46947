"""A reply that is asked to cite ends with where it is known from, and only then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from lobug.engines.base import BACKGROUND_LANE, ChatMessage, ChatOptions
from support.app_server import ScriptedEngines, running, settings_for
from support.scripted import ScriptedChatModel

CITED = "I know that from what you told me in March 2024."


def model(messages: list[ChatMessage], options: ChatOptions) -> str:
    """Answers one question, and learns nothing."""
    if options.lane == BACKGROUND_LANE:
        return "[]"
    return "You live in Rome." if "live" in messages[-1].content else "Hello there."


def engines() -> ScriptedEngines:
    return ScriptedEngines(chat=ScriptedChatModel(model))  # type: ignore[arg-type]  # any sequence


async def know(http: httpx.AsyncClient) -> None:
    entry = {"content": "The user lives in Rome", "said_at": "2024-03-10T12:00:00Z"}
    assert (await http.post("/memory/entries", json=entry)).status_code == 200


async def say(http: httpx.AsyncClient, text: str, **more: Any) -> str:
    answer = await http.post("/chat/text", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["response"])


@pytest.mark.usefixtures("rules_read_nothing")
async def test_whoever_asks_for_it_is_told_where_an_answer_is_from(tmp_path: Path) -> None:
    scripted = engines()
    async with running(settings_for(tmp_path), scripted) as (http, server):
        await know(http)
        assert await say(http, "Where do I live?") == "You live in Rome."
        asked = "Where do I live? Cite your memories."
        assert await say(http, asked) == f"You live in Rome. {CITED}"
        assert await say(http, "Where do I live?", cite=True) == f"You live in Rome. {CITED}"
        assert await say(http, "Good morning!", cite=True) == "Hello there."
        calls = [c for c in scripted.chat.calls if c.options.lane != BACKGROUND_LANE]
        assert [call.messages[-1].content.endswith("Where do I live?") for call in calls] == [
            True,
            True,
            True,
            False,
        ]
        # A model that reads a citation imitates it.
        assert not any("I know that" in m.content for m in calls[-1].messages)
        (key,) = await server.memory.latest_conversations(2)
        logged = [message.content for message in await server.memory.recent_messages(key, 9)]
    assert asked in logged
    assert logged.count("You live in Rome.") == 3


async def test_a_citation_is_spoken_and_streamed_like_the_rest(tmp_path: Path) -> None:
    scripted = engines()
    async with running(settings_for(tmp_path), scripted) as (http, _):
        await know(http)
        body = {"text": "Where do I live?", "cite": True, "voice": True}
        answer = (await http.post("/chat/text", json=body)).json()
        assert answer["response"].endswith(CITED)
        assert answer["audio_b64"]
        assert scripted.tts.spoken[-1].startswith("I know that from what you told me in March")
        streamed = await http.post("/chat/text", json=body, headers={"Accept": "text/event-stream"})
        data = [
            json.loads(line.removeprefix("data: "))
            for line in streamed.text.splitlines()
            if line.startswith("data: ")
        ]
        deltas = "".join(event["text"] for event in data if set(event) == {"text"})
        assert deltas == f"You live in Rome. {CITED}", data
        assert data[-1]["response"] == f"You live in Rome. {CITED}"


async def test_a_line_of_identity_is_cited_without_a_time(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), engines()) as (http, _):
        line = {"text": "- The user's home is Rome"}
        assert (await http.put("/memory/identity", json=line)).status_code == 200
        assert await say(http, "Where do I live?", cite=True) == (
            "You live in Rome. I know that from what I always keep in mind about you."
        )


async def test_an_answer_from_claims_is_cited_without_the_model(tmp_path: Path) -> None:
    scripted = engines()
    async with running(settings_for(tmp_path), scripted) as (http, server):
        await know(http)
        assert await say(http, "My dog is called Rex.") == "Hello there."
        scripted.chat.fail = RuntimeError("the model must not be asked")
        assert await say(http, "Where do I live?") == "You live in Rome."
        assert await say(http, "Where do I live? Cite your memories.") == (
            f"You live in Rome. {CITED}"
        )
        assert await say(http, "Where do I live, and say how you know that?") == (
            f"You live in Rome. {CITED}"
        )
        assert await say(http, "Where do I live?", cite=True) == f"You live in Rome. {CITED}"
        # Of two answers both sources are named, of two sources of one answer that of the answer.
        assert await say(http, "What's my dog's name and where do I live?", cite=True) == (
            "Your dog is called Rex. You live in Rome. "
            "I know that from what you told me today and in March 2024."
        )
        assert await say(http, "Do I have a brother?", cite=True) == (
            "You haven't told me whether you have a brother."
        )
        (key,) = await server.memory.latest_conversations(2)
        logged = [message.content for message in await server.memory.recent_messages(key, 20)]
        prompted = server.conversations.get(key).memory.exchanges()
    assert logged.count("You live in Rome.") == 4
    assert not any("I know that" in text for text in logged), "the model would imitate it"
    assert not any("I know that" in exchange.assistant.content for exchange in prompted)


async def test_of_many_claims_the_one_that_answers_is_cited(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), engines()) as (http, _):
        for content, said_at in (
            ("The user likes jazz", "2023-01-10T12:00:00Z"),
            ("The user dislikes olives", "2024-03-10T12:00:00Z"),
            ("The user likes hiking", "2023-11-10T12:00:00Z"),
        ):
            entry = {"content": content, "said_at": said_at}
            assert (await http.post("/memory/entries", json=entry)).status_code == 200
        assert (await say(http, "Do I like hiking?", cite=True)).endswith(
            "I know that from what you told me in November 2023."
        )
        assert (await say(http, "Do I like olives?", cite=True)).endswith(CITED)
        assert await say(http, "How do you know that?") == (
            "You told me in March 2024 that you dislike olives."
        )


async def test_what_follows_from_another_claim_is_cited_with_that_one(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), engines()) as (http, _):
        for content, said_at in (
            ("The user's dog is called Rex", "2024-03-10T12:00:00Z"),
            ("The user's dog is brown", "2023-11-10T12:00:00Z"),
        ):
            entry = {"content": content, "said_at": said_at}
            assert (await http.post("/memory/entries", json=entry)).status_code == 200
        assert await say(http, "Do I have a dog? Say how you know.") == (
            f"Yes, you have a dog called Rex. {CITED}"
        )
        assert await say(http, "Rex died.") == "Hello there."
        assert await say(http, "Do I have a dog?") == "Not any more: you used to have a dog."
        assert await say(http, "How do you know that?") == (
            "You told me today that your dog Rex has died."
        )
