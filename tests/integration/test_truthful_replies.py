"""Nothing is promised that is not done: orders are refused, claims of the model are replaced."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from lobug.engines.base import BACKGROUND_LANE
from lobug.language.en.prompts import now_note
from support.app_server import ScriptedEngines, running, settings_for
from support.scripted import ChatCall, ScriptedChatModel

REFUSED = "I can't switch lights yet."


def chat(*replies: str) -> ScriptedChatModel:
    left = list(replies)

    def reply(_messages: object, options: object) -> str:
        if getattr(options, "lane", "") == BACKGROUND_LANE:
            return "[]"
        return left.pop(0) if len(left) > 1 else left[0]

    return ScriptedChatModel(reply)


def turns(scripted: ScriptedEngines) -> Sequence[ChatCall]:
    assert isinstance(scripted.chat, ScriptedChatModel)
    return [call for call in scripted.chat.calls if call.options.lane != BACKGROUND_LANE]


async def say(client: httpx.AsyncClient, text: str) -> str:
    answer = await client.post("/chat/text", json={"text": text})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["response"])


async def test_an_order_without_a_skill_is_refused_without_the_model(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Okay, done."))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        assert await say(client, "Hey Lo-Bug, could you please turn on the light?") == REFUSED
        assert turns(scripted) == []
        await say(client, "Why not?")
        told = turns(scripted)[0].prompt
    assert f"turn on the light?\nassistant: {REFUSED}" in told


async def test_openai_clients_with_an_instruction_hear_the_same(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Okay, done."))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        body = {
            "model": "lobug",
            "messages": [
                {"role": "system", "content": "You control the house."},
                {"role": "user", "content": "Turn on the light."},
            ],
        }
        answer = (await client.post("/v1/chat/completions", json=body)).json()
    assert answer["choices"][0]["message"]["content"] == REFUSED


@pytest.mark.parametrize(
    ("said", "written", "heard"),
    [
        ("What a mess.", "Okay, I've cleaned the kitchen. Enjoy!", "I can't do that myself."),
        ("What a mess.", "Sure! I'll clean the kitchen.", "I can't do that myself."),
        ("I am so tired.", "That sounds hard. I'll order a pizza.", None),
        ("How are you?", "Hello [name], I am fine.", "I don't know that."),
        ("Is that wise?", "I can't assist with that.", "I don't know how to help with that."),
        ("My name is Ada.", "Okay, noted! Nice to meet you.", "Okay, noted! Nice to meet you."),
        ("What a mess.", "Okay! That happens.", "Okay! That happens."),
        ("What a mess.", "Okay!", "Okay!"),
    ],
)
async def test_a_claim_is_replaced_and_not_remembered(
    tmp_path: Path, said: str, written: str, heard: str | None
) -> None:
    heard = heard or "That sounds hard. I can't do that myself."
    scripted = ScriptedEngines(chat=chat(written, "Yes."))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        streamed = await client.post(
            "/chat/text",
            json={"text": said, "voice": True},
            headers={"Accept": "text/event-stream"},
        )
        shown = _shown(streamed.text)
        await say(client, "And then?")
        metrics = (await client.get("/metrics")).text
    assert shown == heard
    assert f"assistant: {heard}" in turns(scripted)[1].prompt
    counted = re.findall(r"^lobug_replies_replaced_total{.*} (.+)$", metrics, re.MULTILINE)
    replaced = any(float(number) for number in counted)
    assert replaced == (heard != written)


def _shown(body: str) -> str:
    """All text that a stream of server-sent events has shown."""
    shown = ""
    for event in body.replace("\r", "").split("\n\n"):
        lines = dict(line.split(": ", 1) for line in event.splitlines() if ": " in line)
        if lines.get("event") == "reply_delta":
            shown += json.loads(lines["data"])["text"]
    return shown


async def test_the_model_is_told_the_date_once_and_the_time_when_it_matters(
    tmp_path: Path,
) -> None:
    scripted = ScriptedEngines(chat=chat("Hm."))
    settings = settings_for(tmp_path, conversation={"time_zone": "America/New_York"})
    async with running(settings, scripted) as (client, server):
        server.wall = lambda: 0.0  # read at the start; the clock of the turns is another
        for text in ("Hello there", "I like bees", "How old is the year by now?"):
            await say(client, text)
    first, second, third = (call.sent[-1].content for call in turns(scripted))
    assert first.startswith("[Now: ")
    assert first.endswith("]\n\nHello there")
    assert second == "I like bees"
    assert third.startswith("[Now: ")
    assert "[Now: " not in turns(scripted)[0].sent[0].content.partition("body feels")[2]


def test_the_note_of_the_time_is_short() -> None:
    noon = datetime(2026, 11, 25, 14, 30, tzinfo=UTC)
    assert now_note(noon) == "[Now: Wednesday 25 November 2026, 14:30]"
