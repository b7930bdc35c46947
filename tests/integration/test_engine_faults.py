"""Engines that fail, seen by a device: Ollama in every bad mood, and model files that are damaged.

The real application and the real engines; Ollama is a scripted server on a real socket.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.concurrency import Backoff
from lobug.engines.base import Engines
from lobug.engines.chat_embedded import EmbeddedChat, llama_options
from lobug.engines.llama_process import LlamaProcess
from lobug.engines.ollama import OllamaProbes
from lobug.engines.selection import choose_chat, choose_embedder
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.models.catalog import main_file, model_dir
from lobug.server import LobugServer
from lobug.settings import Settings
from support.app_server import ScriptedEngines, client_of, settings_for
from support.faults import assert_problem, degraded, say, until, until_ok
from support.patience import PATIENCE_S
from support.scripted_http import Answer, ScriptedOllama, as_json, serving
from support.wav import pcm16, tone

MODEL = "qwen2.5:3b"
AUDIO = {"audio": ("recording.wav", pcm16(tone(1.0)), "audio/wav")}


@asynccontextmanager
async def with_ollama(
    folder: Path, url: str, **chat: object
) -> AsyncIterator[tuple[httpx.AsyncClient, LobugServer]]:
    """The application that talks and embeds through Ollama, and looks at it all the time."""
    settings = settings_for(
        folder,
        ollama={"host": url},
        chat={"engine": "ollama", "ollama_model": MODEL, **chat},
        embeddings={"engine": "ollama"},
    )

    async def assemble(settings: Settings) -> LobugServer:
        probe = OllamaProbes(settings.ollama, interval_s=0.02)
        chat, _ = await choose_chat(settings, probe)
        embedder, _ = await choose_embedder(settings, probe)
        speech = ScriptedEngines()
        engines = Engines(chat, embedder, speech.stt, speech.gate, speech.tts)
        return with_memory(settings, engines, ollama=probe)

    app = create_app(settings, assembler=assemble)
    async with client_of(app) as client:
        yield client, app.state.lobug


async def test_an_ollama_that_is_down_at_the_start_and_comes_up_later(tmp_path: Path) -> None:
    ollama = ScriptedOllama()
    await ollama.start()
    await ollama.stop()
    async with with_ollama(tmp_path, ollama.url) as (client, server):
        assert "start it with `ollama serve`" in await degraded(client, "chat")
        assert (await client.get("/health")).json()["ollama"] is False
        assert_problem(await say(client), 503, "engine_unavailable")
        body = assert_problem(
            await client.post("/chat/audio", files=AUDIO), 503, "engine_unavailable"
        )
        assert body["transcription"] == "Hello."
        assert server.priority.turns == 0
        await ollama.restart()
        try:
            report = await until_ok(client)
            assert report["ollama"] is True
            assert (await say(client)).json() == {"response": "Hello there."}
        finally:
            await ollama.stop()

        async def gone() -> bool:
            return (await client.get("/health")).json()["ollama"] is False

        await until(gone)
        assert "ollama serve" in await degraded(client, "chat")
        assert_problem(await say(client), 503, "engine_unavailable")


async def test_a_turn_that_succeeds_is_believed_before_the_next_look(tmp_path: Path) -> None:
    """`/health` must not say that there is no model which has just answered."""
    ollama = ScriptedOllama()
    await ollama.start()
    await ollama.stop()
    settings = settings_for(
        tmp_path, ollama={"host": ollama.url}, chat={"engine": "ollama", "ollama_model": MODEL}
    )

    async def assemble(settings: Settings) -> LobugServer:
        probe = OllamaProbes(settings.ollama, interval_s=600.0)
        chat, _ = await choose_chat(settings, probe)
        engines = replace(ScriptedEngines().engines(), chat=chat)
        return with_memory(settings, engines, ollama=probe)

    async with client_of(create_app(settings, assembler=assemble)) as client:
        await degraded(client, "chat")
        await ollama.restart()
        assert (await say(client)).status_code == 200
        report = (await client.get("/health")).json()
        assert (report["status"], report["ollama"]) == ("ok", True), report
        ollama.models.remove(MODEL)
        assert_problem(await say(client), 503, "model_missing")
        assert f"ollama pull {MODEL}" in await degraded(client, "chat")
        await ollama.stop()
        assert_problem(await say(client), 503, "engine_unavailable")
        report = (await client.get("/health")).json()
        assert (report["status"], report["ollama"]) == ("degraded", False), report


async def test_an_ollama_without_the_model(tmp_path: Path) -> None:
    async with (
        serving(ScriptedOllama(models=["nomic-embed-text:latest"])) as ollama,
        with_ollama(tmp_path, ollama.url) as (client, _),
    ):
        assert f"ollama pull {MODEL}" in await degraded(client, "chat")
        assert (await client.get("/health")).json()["ollama"] is True
        assert_problem(await say(client), 503, "model_missing")
        ollama.models.append(MODEL)
        await until_ok(client)
        assert (await say(client)).status_code == 200


def slow(_: asyncio.Event) -> Answer:
    return Answer([_])


def slow_in_the_middle(event: asyncio.Event) -> Answer:
    return Answer([ScriptedOllama.part("Once upon"), event])


def cut_off(_: asyncio.Event) -> Answer:
    return Answer([ScriptedOllama.part("Once upon a time. There"), None])


def ended_early(_: asyncio.Event) -> Answer:
    return Answer([ScriptedOllama.part("Once upon a time. There")])


def garbage(_: asyncio.Event) -> Answer:
    return Answer([b"<html>It works!</html>\n"])


def garbage_in_the_middle(_: asyncio.Event) -> Answer:
    return Answer([ScriptedOllama.part("Once upon"), b"\xff\xfe{]\n"])


def out_of_memory(_: asyncio.Event) -> Answer:
    return as_json({"error": "llama runner process has terminated: /home/ada/secret"}, status=500)


def nothing_but_thoughts(_: asyncio.Event) -> Answer:
    return Answer([ScriptedOllama.part("", thinking="secret"), ScriptedOllama.part("", done=True)])


@pytest.mark.parametrize(
    ("mood", "status", "code"),
    [
        (slow, 504, "engine_timeout"),
        (slow_in_the_middle, 504, "engine_timeout"),
        (cut_off, 503, "engine_interrupted"),
        (ended_early, 503, "engine_interrupted"),
        (garbage, 503, "engine_unavailable"),
        (garbage_in_the_middle, 503, "engine_interrupted"),
        (out_of_memory, 503, "engine_failed"),
        (nothing_but_thoughts, 503, "engine_interrupted"),
    ],
)
@pytest.mark.parametrize("door", ["text", "audio"])
async def test_an_ollama_in_a_bad_mood(
    tmp_path: Path,
    mood: Callable[[asyncio.Event], Answer],
    status: int,
    code: str,
    door: str,
) -> None:
    # Short where a time-out is what is tested; even then a busy machine must answer within it.
    limit_s = 2.0 if code == "engine_timeout" else 30.0
    async with (
        serving(ScriptedOllama()) as ollama,
        with_ollama(tmp_path, ollama.url, first_token_timeout_s=limit_s) as (client, server),
    ):
        good, ollama.chat = ollama.chat, mood(asyncio.Event())
        if door == "text":
            answer = await say(client, "Hello.")
        else:
            headers = {"Device-Id": "desk"}
            answer = await client.post("/chat/audio", files=AUDIO, headers=headers)
        body = assert_problem(answer, status, code)
        assert body["transcription"] == "Hello."
        for secret in ("Once upon", "secret", "<html>"):
            assert secret not in answer.text
        assert server.memory.stats().messages == 1, "what was said is kept, what broke off is not"
        assert server.priority.turns == 0
        ollama.chat = good
        assert (await say(client, "Again")).json() == {"response": "Hello there."}
        turns = [r for r in ollama.requests_to("/api/chat") if not r.body.get("format")]
        assert "Once upon" not in str(turns[-1].body["messages"])
        await until_ok(client)


async def test_thoughts_never_reach_the_reply(tmp_path: Path) -> None:
    async with (
        serving(ScriptedOllama()) as ollama,
        with_ollama(tmp_path, ollama.url) as (client, _),
    ):
        ollama.chat = Answer(
            [
                ScriptedOllama.part("", thinking="The user is rude."),
                ScriptedOllama.part("<think>Really rude.</thi"),
                ScriptedOllama.part("nk>Hello there."),
                ScriptedOllama.part("", done=True),
            ]
        )
        assert (await say(client)).json() == {"response": "Hello there."}


async def test_a_chat_model_that_is_missing_is_found_once_it_is_there(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)

    async with client_of(create_app(settings, assembler=embedded_chat)) as client:
        sentence = await degraded(client, "chat")
        assert "lobug models pull" in sentence
        assert str(main_file(settings.models_dir, settings.chat.embedded_model)) in sentence
        for _ in range(2):
            assert_problem(await say(client), 503, "model_missing")
        assert (await client.post("/context/sensors", json={})).status_code == 200


async def embedded_chat(settings: Settings) -> LobugServer:
    process = LlamaProcess(llama_options(settings.chat, settings.models_dir), Backoff(0.05, 0.05))
    engines = replace(ScriptedEngines().engines(), chat=EmbeddedChat(settings.chat, process))
    return with_memory(settings, engines)


@pytest.mark.models
async def until_damaged(client: httpx.AsyncClient, job: str) -> None:
    """Return once the model's file was compared with the catalog."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            details = (await client.get("/health")).json()["engines"][job]["details"]
            if details["model_file"] == "wrong size":
                return
            await asyncio.sleep(0.05)


async def test_a_chat_model_that_is_cut_off(tmp_path: Path, models_dir: Path) -> None:
    settings = settings_for(tmp_path)
    name = settings.chat.embedded_model
    path = main_file(settings.models_dir, name)
    path.parent.mkdir(parents=True)
    with main_file(models_dir, name).open("rb") as whole:
        path.write_bytes(whole.read(8_000_000))  # the whole header, and some of the weights
    async with client_of(create_app(settings, assembler=embedded_chat)) as client:
        await until_damaged(client, "chat")
        assert "run `lobug models pull" in await degraded(client, "chat")
        assert_problem(await say(client), 503, "model_damaged")


async def whisper(settings: Settings) -> LobugServer:
    engines = replace(ScriptedEngines().engines(), stt=WhisperSpeechToText(settings))
    return with_memory(settings, engines)


@pytest.mark.parametrize("damage", ["missing", "cut off"])
@pytest.mark.models
async def test_ears_without_a_model(tmp_path: Path, models_dir: Path, damage: str) -> None:
    """It cannot hear, but it can still read and write."""
    settings = settings_for(tmp_path)
    folder = model_dir(settings.models_dir, settings.stt.model)
    if damage == "cut off":
        folder.mkdir(parents=True)
        for path in model_dir(models_dir, settings.stt.model).iterdir():
            with path.open("rb") as whole:
                (folder / path.name).write_bytes(whole.read(1_000_000))
    async with client_of(create_app(settings, assembler=whisper)) as client:
        report = (await client.get("/health")).json()
        (sentence,) = [line for line in report["degraded"] if line.startswith("stt: ")]
        assert "run `lobug models pull whisper-base`" in sentence
        assert report["engines"]["stt"]["ready"] is False
        if damage == "cut off":
            await until_damaged(client, "stt")
        code = "model_damaged" if damage == "cut off" else "model_missing"
        body = assert_problem(await client.post("/chat/audio", files=AUDIO), 503, code)
        assert body["transcription"] == ""
        assert report["memory"]["messages"] == 0
        assert (await say(client)).json() == {"response": "Okay."}
