"""Turns through the real HTTP door: real socket, real SQLite, scripted engines."""

from __future__ import annotations

import asyncio
import base64
import struct
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from lobug.engines.base import BACKGROUND_LANE
from lobug.language.claims import Heard
from lobug.language.en.claims.english import EnglishClaims
from lobug.language.en.claims.wording import wording_book
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import until
from support.scripted import ChatCall, ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText
from support.wav import pcm16, tone

AUDIO = {"audio": ("recording.wav", pcm16(tone(1.0)), "audio/wav")}
NO_FACTS = "[]"


def chat(*replies: str) -> ScriptedChatModel:
    """Replies for turns; background work (with a schema, or without a lane) gets nothing."""
    spoken = iter(replies)
    last = replies[-1] if replies else "Okay."

    def reply(_messages: object, options: object) -> str:
        background = getattr(options, "lane", "") == "background"
        return NO_FACTS if background else next(spoken, last)

    return ScriptedChatModel(reply)


def turn_calls(model: ScriptedChatModel) -> list[str]:
    return [call.prompt for call in model.calls if call.options.lane != "background"]


async def say(client: httpx.AsyncClient, text: str, device: str | None = None) -> str:
    headers = {"Device-Id": device} if device else {}
    answer = await client.post("/chat/text", json={"text": text}, headers=headers)
    assert answer.status_code == 200, answer.text
    response: str = answer.json()["response"]
    return response


async def test_health_keeps_the_contract_of_the_first_device(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines()) as (client, _):
        body = (await client.get("/health")).json()
    assert body["status"] == "ok"
    assert body["ollama"] is False
    assert isinstance(body["timestamp"], float)
    assert set(body["engines"]) == {"chat", "embeddings", "stt", "gate", "tts"}
    assert body["memory"]["embedding_backlog"] == 0
    assert body["version"]


async def test_text_gets_exactly_the_contracts_reply(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Hello, Ada. Nice day!"))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        answer = await client.post("/chat/text", json={"text": "I am Ada"})
    assert answer.json() == {"response": "Hello, Ada. Nice day!"}


async def test_notes_that_the_model_repeats_are_said_to_the_user(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Anna is the user's sister. The user likes her."))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        answer = await client.post("/chat/text", json={"text": "Tell me about Anna"})
    assert answer.json() == {"response": "Anna is your sister. You like her."}


async def test_what_was_just_told_is_not_denied(tmp_path: Path) -> None:
    engines = ScriptedEngines(chat=chat("I'm sorry, but I don't know where Hanna lives."))
    async with running(settings_for(tmp_path), engines) as (client, _):
        assert await say(client, "My sister Hanna lives in Rome.") == "Thank you for telling me."
        assert await say(client, "Where does Hanna live?") == "Your sister lives in Rome."
        assert len(turn_calls(engines.chat)) == 1


async def test_a_server_knows_how_claims_are_worded_before_anybody_tells_something(
    tmp_path: Path,
) -> None:
    wording_book.cache_clear()
    async with running(settings_for(tmp_path), ScriptedEngines()):
        await until(lambda: wording_book.cache_info().currsize == 1)


async def test_the_claims_of_a_turn_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(text: str) -> Heard:
        read.append(text)
        return claims_of(text)

    claims_of = EnglishClaims.read
    monkeypatch.setattr(EnglishClaims, "read", staticmethod(counted))
    scripted = ScriptedEngines(chat=chat("Nice."))
    patient = settings_for(tmp_path, memory={"idle_delay_s": 60.0})  # extraction reads them, too
    async with running(patient, scripted) as (client, _):
        assert await say(client, "I live in Oslo.") == "Nice."
        assert read == ["I live in Oslo."]
        assert "corrected" in await say(client, "Actually, I live in Bergen.")
        assert read[1:] == ["Actually, I live in Bergen."]
        assert await say(client, "Where do I live?") == "You live in Bergen."


async def test_audio_is_answered_with_a_canonical_wav(tmp_path: Path) -> None:
    scripted = ScriptedEngines(
        chat=chat("Ten meters it is."), stt=ScriptedSpeechToText(["that makes ten meters"])
    )
    async with running(settings_for(tmp_path), scripted) as (client, _):
        body = (await client.post("/chat/audio", files=AUDIO)).json()
    assert body["transcription"] == "that makes ten meters"
    assert body["response"] == "Ten meters it is."
    assert body["action"] == "respond"
    wav = base64.b64decode(body["audio_b64"])
    assert wav[:4] == b"RIFF"
    assert wav[36:40] == b"data", "the first device skips 44 bytes"
    form, channels, rate = struct.unpack("<HHI", wav[20:28])
    assert (form, channels, rate) == (1, 1, 16_000)
    # The scripted voice speaks ten milliseconds a character.
    assert abs((len(wav) - 44) / 32_000 - 0.17) < 0.02
    stages = body["timings"]
    order = ["decode", "gate", "transcript", "recall", "first_token", "reply", "stored"]
    assert [stages[name] for name in order] == sorted(stages[name] for name in order)


@pytest.mark.parametrize(
    ("raw", "action", "response"),
    [("[IGNORE]", "ignore", ""), ("**[REACT]** giggles", "react", "giggles")],
)
async def test_the_model_may_ignore_or_react_in_silence(
    tmp_path: Path, raw: str, action: str, response: str
) -> None:
    scripted = ScriptedEngines(chat=chat(raw, "Yes?"))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        body = (await client.post("/chat/audio", files=AUDIO)).json()
        assert (body["action"], body["response"]) == (action, response)
        assert body["audio_b64"] == ""
        await say(client, "Hello")
    shown = "[IGNORE]" in turn_calls(scripted.chat)[-1].split("assistant: [IGNORE]", 1)[-1]
    assert not shown, "what was ignored is no part of the conversation"


async def test_typed_words_are_answered_even_when_the_model_wants_to_ignore_them(
    tmp_path: Path,
) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines(chat=chat("[IGNORE]"))) as (c, _):
        assert await say(c, "the weather tonight")


async def test_a_reply_is_at_most_three_sentences_and_the_model_is_stopped_there(
    tmp_path: Path,
) -> None:
    scripted = ScriptedEngines(chat=chat("One is it. Two is it. Three is it. Four is it. Five."))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        assert await say(client, "Count") == "One is it. Two is it. Three is it."
    assert scripted.chat.calls[-1].cancelled


async def test_thinking_markup_and_tool_calls_never_reach_the_voice(tmp_path: Path) -> None:
    raw = '<think>secret</think>**Sure!** *waves* {"name": "timer", "arguments": {"s": 5}}'
    scripted = ScriptedEngines(chat=chat(raw))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        await client.post("/chat/audio", files=AUDIO)
    assert scripted.tts.spoken == ["Sure!"]


async def test_each_device_has_a_conversation_of_its_own(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Noted."))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        await say(client, "The code is 4711", "kitchen")
        await say(client, "What is the code?", "bedroom")
        await say(client, "And now?")
        await say(client, "And then?", "KITCHEN")
    calls = turn_calls(scripted.chat)
    assert "4711" not in calls[1]
    assert "4711" not in calls[2]
    assert "4711" in calls[3]


async def test_the_conversation_goes_on_after_a_restart(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with running(settings, ScriptedEngines(chat=chat("Hello, Ada."))) as (client, _):
        await say(client, "My name is Ada", "kitchen")
    scripted = ScriptedEngines(chat=chat("Ada."))
    async with running(settings, scripted) as (client, server):
        assert server.memory.stats().messages == 2
        await say(client, "Who do you talk to?", "kitchen")
    assert "user: My name is Ada\nassistant: Hello, Ada." in turn_calls(scripted.chat)[0]


async def test_after_a_restart_the_last_conversation_is_read_ahead_before_anybody_talks(
    tmp_path: Path,
) -> None:
    settings = settings_for(tmp_path)
    async with running(settings, ScriptedEngines(chat=chat("Hello, Ada."))) as (client, _):
        await say(client, "Long ago", "attic")
        await say(client, "My name is Ada", "kitchen")
    scripted = ScriptedEngines(chat=chat("Ada."))
    async with running(settings, scripted) as (client, _):
        await scripted.chat.wait_for_prefills(2)
        await say(client, "Who do you talk to?", "kitchen")
    (conversation, lane), (persona, shared) = scripted.chat.prefills[:2]
    assert lane.endswith("device:kitchen")
    assert shared == "shared-prefix"
    assert conversation[: len(persona)] == persona
    turn = next(call for call in scripted.chat.calls if call.options.lane == lane)
    assert turn.messages[: len(conversation)] == conversation, "what was read ahead is of use"


async def test_the_prompt_only_grows_at_its_end(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Okay."))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        for n in range(9):
            await client.post("/context/sensors", json={"orientation": f"side_{n}"})
            await say(client, f"message {n}")
    calls = [call.sent for call in scripted.chat.calls if call.options.lane != "background"]
    for before, after in pairwise(calls):
        assert after[: len(before)] == before


async def test_after_a_trim_the_new_beginning_is_read_ahead(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Okay."))
    settings = settings_for(tmp_path, conversation={"max_messages": 4, "trim_block": 2})
    async with running(settings, scripted) as (client, _):
        await scripted.chat.wait_for_prefills(1)  # the persona, at start
        for n in range(3):
            await say(client, f"message {n}")
        await scripted.chat.wait_for_prefills(3)
    messages, lane = scripted.chat.prefills[-1]
    contents = [m.content for m in messages]
    assert "message 0" not in contents
    assert contents[-4:] == ["message 1", "Okay.", "message 2", "Okay."]
    assert lane == "address:127.0.0.1/address:127.0.0.1"


async def test_after_something_was_forgotten_the_conversation_is_read_ahead(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Okay."))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        await scripted.chat.wait_for_prefills(1)  # the persona, at start
        await say(client, "I love hiking")
        await scripted.chat.wait_for_prefills(2)
        answer = await client.post("/chat/text", json={"text": "Forget that I love hiking."})
        forgotten = "Forgotten: you love hiking, with the words that told it."
        assert answer.json() == {"response": forgotten}
        await scripted.chat.wait_for_prefills(3)
    contents = [m.content for m in scripted.chat.prefills[-1][0]]
    assert contents[-2:] == ["[asked to forget something]", "Done, I have forgotten that."]
    assert "I love hiking" not in contents


async def test_forgetting_clears_the_models_cache_of_that_persons_prompts(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Okay."))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        await say(client, "I love hiking", "desk")
        await say(client, "I love sailing", "kitchen")
        await say(client, "Forget that I love hiking.", "desk")
        await say(client, "Hello", "desk")
        await say(client, "Hello", "kitchen")
    lanes = [call.options.lane for call in scripted.chat.calls if call.options.lane != "background"]
    desk, kitchen, desk_after, kitchen_after = lanes
    assert kitchen_after == kitchen
    assert desk_after != desk, "what was computed beside the words must not be moved"
    assert scripted.chat.forgotten
    for belongs in scripted.chat.forgotten:
        assert belongs(desk)
        assert not belongs(kitchen)
        assert not belongs("shared-prefix")


def secrets(model: ScriptedChatModel) -> list[ChatCall]:
    """The turns whose words hold "secret"."""
    turns = [call for call in model.calls if call.options.lane != BACKGROUND_LANE]
    return [call for call in turns if "secret" in call.messages[-1].content]


async def test_a_prompt_of_before_an_erasure_is_cleared_when_its_turn_ends(tmp_path: Path) -> None:
    """Another device of the same person forgets while the model still reads the words."""
    gate = asyncio.Event()
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(
            lambda messages, options: (
                NO_FACTS
                if options.lane == BACKGROUND_LANE
                else ["Oh. ", gate, "Nice."]
                if "secret" in messages[-1].content
                else "Okay."
            )
        )
    )
    users = {"device:a": "ada", "device:b": "ada"}
    settings = settings_for(tmp_path, conversation={"users": users})
    async with running(settings, scripted) as (client, _):
        await say(client, "I love hiking", "b")
        asking = asyncio.create_task(say(client, "A secret question", "a"))
        while not secrets(scripted.chat):  # noqa: ASYNC110 - the server's own task is watched
            await asyncio.sleep(0.005)
        await say(client, "Forget that I love hiking.", "b")
        before = len(scripted.chat.forgotten)
        gate.set()
        assert await asking == "Oh. Nice."
    (late,) = secrets(scripted.chat)
    assert before
    assert any(belongs(late.options.lane) for belongs in scripted.chat.forgotten[before:])


async def test_turns_of_one_device_follow_one_another(tmp_path: Path) -> None:
    gate = asyncio.Event()
    slow = ScriptedChatModel(
        lambda messages, _: (
            ["First ", gate, "reply."] if messages[-1].content == "one" else "Second."
        )
    )
    scripted = ScriptedEngines(chat=slow)
    async with running(settings_for(tmp_path), scripted) as (client, _):
        first = asyncio.create_task(say(client, "one", "a"))
        await scripted.chat.wait_for_calls(1)
        second = asyncio.create_task(say(client, "two", "a"))
        other = asyncio.create_task(say(client, "three", "b"))
        assert await other == "Second."
        assert not second.done()
        gate.set()
        assert await first == "First reply."
        await second
    two = [call for call in scripted.chat.calls if call.messages[-1].content == "two"]
    assert "assistant: First reply." in two[0].prompt


async def test_too_many_waiting_turns_are_refused_and_health_still_answers(tmp_path: Path) -> None:
    gate = asyncio.Event()
    scripted = ScriptedEngines(chat=ScriptedChatModel([["Wait ", gate, "over."]]))
    limits = {"max_concurrent_turns": 1, "max_waiting_turns": 1}
    async with running(settings_for(tmp_path, limits=limits), scripted) as (client, server):
        first = asyncio.create_task(say(client, "one", "a"))
        await scripted.chat.wait_for_calls(1)
        second = asyncio.create_task(say(client, "two", "b"))
        while server.priority.turns < 2:  # noqa: ASYNC110 - the server offers no event for it
            await asyncio.sleep(0.01)
        refused = await client.post(
            "/chat/text", json={"text": "three"}, headers={"Device-Id": "c"}
        )
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
        assert "Retry-After" in refused.headers
        assert (await client.get("/health")).json()["turns"] == 2
        gate.set()
        assert await first == await second == "Wait over."


async def test_sensors_belong_to_their_device(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Okay."))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        answer = await client.post(
            "/context/sensors",
            json={"orientation": "face_down", "is_shaking": True, "unknown": 1},
            headers={"Device-Id": "a"},
        )
        assert answer.json() == {"status": "ok"}
        await say(client, "Hi", "a")
        await say(client, "Hi", "b")
    calls = turn_calls(scripted.chat)
    assert "face_down. The user is shaking the device]" in calls[0]
    assert "face_down" not in calls[1].rsplit("user: ", 1)[-1]


async def test_openapi_documents_every_field_and_error(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines()) as (client, _):
        document = (await client.get("/openapi.json")).json()
    assert {"/health", "/chat/text", "/chat/audio", "/context/sensors"} <= set(document["paths"])
    for name, schema in document["components"]["schemas"].items():
        if name in ("HTTPValidationError", "ValidationError"):
            continue
        for field, description in schema.get("properties", {}).items():
            described = "description" in description or "$ref" in str(description)
            assert described or "const" in description, f"{name}.{field} has no description"
    errors = document["paths"]["/chat/audio"]["post"]["responses"]
    for status, code in {"400": "audio_truncated", "413": "audio_too_long", "503": "busy"}.items():
        assert f"`{code}`" in errors[status]["description"]
