"""A person hears that the model is still reading its personality, for the first time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from lobug.engines.base import ChatMessage
from lobug.errors import EngineUnavailableError
from lobug.language.en.replies import WAKING_UP
from lobug.turn.commitment import heard_words
from lobug.turn.events import NOTICE_INDEX, Notice
from lobug.turn.prefetch import LONG_WAIT_S, waking_notice
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import device, until
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText


class WakingChatModel(ScriptedChatModel):
    """A chat model that is told the shared prefix, and needs ``left_s`` seconds to read it."""

    left_s = 8.0
    shared: Sequence[ChatMessage] = ()

    def share_prefix(self, messages: Sequence[ChatMessage]) -> None:
        self.shared = tuple(messages)

    def first_reading_s(self, lane: str) -> float:
        return self.left_s


def test_only_a_long_wait_is_explained() -> None:
    chat = WakingChatModel()
    for left_s, expected in ((0.0, None), (LONG_WAIT_S, None), (2.1, Notice(WAKING_UP))):
        chat.left_s = left_s
        assert waking_notice(chat, "ada") == expected
    assert waking_notice(ScriptedChatModel(), "ada") is None, "it keeps no prefix"


def test_a_notice_is_no_part_of_what_was_heard_of_a_reply() -> None:
    pieces = {0: "Hello.", 1: "How are you?"}
    assert heard_words(pieces, [(NOTICE_INDEX, 1.0), (0, 1.0)]) == "Hello."
    assert heard_words(pieces, [(NOTICE_INDEX, 0.5)]) == ""


async def test_a_device_hears_it_before_the_reply(tmp_path: Path) -> None:
    reply_may_come = asyncio.Event()
    chat = WakingChatModel([[reply_may_come, "It is sunny."], "Yes, it is."])
    scripted = ScriptedEngines(chat=chat, stt=ScriptedSpeechToText(("How is it?", "Really?")))
    async with (
        running(settings_for(tmp_path), scripted) as (http, server),
        device(str(http.base_url)) as client,
    ):
        assert chat.shared[0].role == "system"
        await client.listen()
        await client.speak()
        await client.until_said("tts", state="sentence_start", text=WAKING_UP)
        assert client.messages("tts")[0]["state"] == "start"
        reply_may_come.set()
        await client.until_said("tts", state="sentence_start", text="It is sunny.")
        await client.until_said("tts", state="stop")
        sentences = [m["text"] for m in client.messages("tts") if m["state"] == "sentence_start"]
        assert sentences == [WAKING_UP, "It is sunny."]
        assert client.messages("alert") == []
        await until(lambda: len(server.telemetry.turns.newest(1)) == 1)
        (owner,) = await server.memory.latest_conversations(10)
        logged = [m.content for m in await server.memory.recent_messages(owner, 50)]
        assert logged == ["How is it?", "It is sunny."]
        (turn,) = server.telemetry.turns.newest(1)
        timings = turn.timeline.timings()
        assert timings["first_audio_sent"] >= timings["first_token"], "that of the reply counts"

        chat.left_s = 0.0
        await client.listen()
        await client.speak()
        await client.until_said("tts", state="sentence_start", text="Yes, it is.")
        assert [m.get("text") for m in client.messages("tts")].count(WAKING_UP) == 1


async def test_without_a_voice_it_is_shown(tmp_path: Path) -> None:
    chat = WakingChatModel(["It is sunny."])
    scripted = ScriptedEngines(chat=chat, stt=ScriptedSpeechToText(("How is it?",)))
    scripted.tts.fail = EngineUnavailableError("tts", "it has no voice")
    async with (
        running(settings_for(tmp_path), scripted) as (http, _server),
        device(str(http.base_url)) as client,
    ):
        await client.listen()
        await client.speak()
        alert = await client.until_said("alert", message=WAKING_UP)
        assert alert["emotion"] == "sleepy"
        await client.until_said("tts", state="sentence_start", text="It is sunny.")


@pytest.mark.parametrize("left_s", [8.0, 0.0])
async def test_a_stream_of_events_has_it_and_the_reply_has_not(
    tmp_path: Path, left_s: float
) -> None:
    chat = WakingChatModel(["It is sunny."])
    chat.left_s = left_s
    scripted = ScriptedEngines(chat=chat)
    async with running(settings_for(tmp_path), scripted) as (http, _server):
        answer = await http.post(
            "/chat/text", json={"text": "How is it?"}, headers={"Accept": "text/event-stream"}
        )
        lines = answer.text.splitlines()
        names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
        data = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
        assert ("notice" in names) == (left_s > 0)
        if left_s:
            assert names[:2] == ["heard", "notice"]
            assert data[1] == {"text": WAKING_UP}
        assert data[-1]["response"] == "It is sunny."
        plain = await http.post("/chat/text", json={"text": "How is it?"})
        assert plain.json()["response"] == "It is sunny."


async def test_what_needs_no_model_is_answered_without_it(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=WakingChatModel())
    async with running(settings_for(tmp_path), scripted) as (http, _server):
        answer = await http.post(
            "/chat/text",
            json={"text": "Forget everything about me."},
            headers={"Accept": "text/event-stream"},
        )
        assert "event: done" in answer.text
        assert "event: notice" not in answer.text
