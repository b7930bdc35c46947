"""The personality's prompt state outlives the server: read once, restored after every start and for
every new caller, and never with anybody's words.

Real child processes and sockets, with a scripted model that has a token for each byte; the last
test has the real one.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from lobug.concurrency import Backoff
from lobug.engines import llama_child
from lobug.engines.base import BACKGROUND_LANE, SHARED_PREFIX_LANE, ChatMessage, ChatOptions
from lobug.engines.chat_embedded import EmbeddedChat, PromptUse, llama_options
from lobug.engines.llama_process import LlamaProcess
from lobug.engines.prompt_states import held_tokens
from lobug.engines.shared_prefix import shared_prefix
from lobug.errors import EngineError
from lobug.settings import ChatSettings, Settings
from support import scripted_llama
from support.scripted_llama import rendered

PERSONA = [
    ChatMessage("system", "You are a small robot who lives on a desk. Be kind and short."),
    ChatMessage("user", "Hi"),
    ChatMessage("assistant", "Hello, friend!"),
]
INSTRUCTED = [ChatMessage("system", f"{PERSONA[0].content}\n[Instruction]\nRhyme."), *PERSONA[1:]]
"""The prompt of a caller with an instruction: it has the persona's text alone in common."""


def tokens_of(messages: Sequence[ChatMessage]) -> list[int]:
    text = rendered([{"role": m.role, "content": m.content} for m in messages])
    return list(text.encode())


WHOLE = len(tokens_of(PERSONA))


def settings_in(folder: Path, **chat: Any) -> Settings:
    chat = {"embedded_path": folder / "model.gguf", "conversation_slots": 2} | chat
    return Settings(
        _env_file=None, data_dir=folder / "data", models_dir=folder, chat=ChatSettings(**chat)
    )


def behave(folder: Path, **behaviour: Any) -> None:
    """Write the scripted model, which is then another one than before."""
    probes = folder / "probes"
    probes.touch()
    script = {"talks": True, "computes": True, "probes": str(probes)} | behaviour
    (folder / "model.gguf").write_text(json.dumps(script))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(llama_child, "_WORKER", scripted_llama.__file__)
    behave(tmp_path)
    return tmp_path


@asynccontextmanager
async def started(
    settings: Settings, messages: Sequence[ChatMessage] = PERSONA
) -> AsyncIterator[EmbeddedChat]:
    """An engine as a server starts it."""
    options = llama_options(settings.chat, settings.models_dir)
    prefix = shared_prefix(settings, options)
    chat = EmbeddedChat(settings.chat, LlamaProcess(options, Backoff(0.01, 0.01)), prefix)
    chat.share_prefix(messages)
    await chat.start()
    try:
        yield chat
    finally:
        await chat.close()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not condition():  # noqa: ASYNC110 - another process is watched
            await asyncio.sleep(0.01)


async def say(
    chat: EmbeddedChat, lane: str, words: str, messages: Sequence[ChatMessage] = PERSONA
) -> PromptUse:
    """What a turn's own prompt cost, without what was read before it."""
    options = ChatOptions(max_tokens=1, temperature=0.0, lane=lane)
    async for _ in chat.stream([*messages, ChatMessage("user", words)], options):
        pass
    (use,) = (chat.last_use[s] for s, c in chat._contents.items() if c.lane == lane)
    return use


def kept(settings: Settings) -> list[bytes]:
    """llama.cpp's part of each state on disk."""
    files = sorted(settings.prompt_states_dir.glob("*"))
    return [file.read_bytes().split(b"\n", 1)[1] for file in files]


def state_of(chat: EmbeddedChat) -> str:
    return str(chat.status().details["shared_prefix"]["state"])


async def test_it_is_read_once_and_restored_for_every_start_and_caller(folder: Path) -> None:
    settings = settings_in(folder)
    async with started(settings) as chat:
        assert state_of(chat) == "unread"
        assert chat.first_reading_s("ada") > 0
        use = await say(chat, "ada", "My name is Ada.")
        assert state_of(chat) == "made"
        assert use.cached >= WHOLE
        assert chat.first_reading_s("grace") == 0
    (data,) = kept(settings)
    assert held_tokens(data) == tokens_of(PERSONA)
    async with started(settings) as chat:
        assert chat.first_reading_s("ada") == 0
        assert state_of(chat) == "unread", "it is on disk, but nothing has been restored yet"
        for lane in ("ada", "grace", "joan", "mary"):
            use = await say(chat, lane, f"My name is {lane}.")
            assert use.cached >= WHOLE, lane
            assert use.read < 30, lane
        assert state_of(chat) == "restored"
        # A slot that holds the persona's text alone gets the rest as well.
        await say(chat, "ada", "Hi", INSTRUCTED)
        assert (await say(chat, "ruth", "Hi")).cached >= WHOLE
        assert (await say(chat, "edith", "Hi")).cached >= WHOLE
    assert kept(settings) == [data]


CHOOSING = [
    ChatMessage("system", "Which of these is meant? add: put things on a list."),
    ChatMessage("user", "Oats onto the list!"),
    ChatMessage("assistant", '{"do":"add","things":"oats"}'),
]
"""A constant beginning of requests in the background's lane."""


async def ask(
    chat: EmbeddedChat, words: str, constant: Sequence[ChatMessage] = CHOOSING
) -> PromptUse:
    """What a request with a constant beginning cost."""
    options = ChatOptions(max_tokens=1, lane=BACKGROUND_LANE, constant=len(constant))
    async for _ in chat.stream([*constant, ChatMessage("user", words)], options):
        pass
    return chat.last_use[chat._lanes.background_slot]


async def test_other_constant_beginnings_are_kept_without_anybodys_words(folder: Path) -> None:
    settings = settings_in(folder)
    whole = len(tokens_of(CHOOSING))
    async with started(settings) as chat:
        await say(chat, "ada", "My name is Ada.")
        await say(chat, BACKGROUND_LANE, "A secret.", [ChatMessage("system", "Sum up.")])
        assert chat.constant_reading_s(CHOOSING) > 0
        await chat.read_constant(CHOOSING)
        assert chat.constant_reading_s(CHOOSING) == 0
        for words in ("Beans on the list", "My secret list"):
            use = await ask(chat, words)
            assert use.cached >= whole
            assert use.read < 40
        # Another request of the lane takes the slot, and what is erased leaves it.
        await say(chat, BACKGROUND_LANE, "Another secret.", [ChatMessage("system", "Sum up.")])
        assert chat.constant_reading_s(CHOOSING) == 0
        assert (await ask(chat, "Peas on the list")).cached >= whole
        chat.forget(lambda _: True)
        assert (await ask(chat, "Nuts on the list")).cached >= whole
        # The personality is still itself.
        assert (await say(chat, "grace", "Hi")).cached >= WHOLE
    held = [held_tokens(data) for data in kept(settings)]
    assert sorted(held) == sorted([tokens_of(PERSONA), tokens_of(CHOOSING)])
    async with started(settings) as chat:
        await chat.read_constant(CHOOSING)
        assert (await ask(chat, "Rice on the list")).cached >= whole


async def test_a_constant_beginning_is_computed_without_states_on_disk(folder: Path) -> None:
    settings = settings_in(folder, prompt_states=0)
    async with started(settings) as chat:
        await chat.read_constant(CHOOSING)
        assert chat.constant_reading_s(CHOOSING) == 0
        assert (await ask(chat, "Rice on the list")).read < 40
        await say(chat, BACKGROUND_LANE, "A secret.", [ChatMessage("system", "Sum up.")])
        assert chat.constant_reading_s(CHOOSING) > 0
    assert kept(settings) == []


async def test_what_is_kept_does_not_depend_on_what_was_said_before(folder: Path) -> None:
    """All slots have held somebody's words when the state is made."""
    settings = settings_in(folder)
    async with started(settings) as chat:
        for lane in ("ada", "grace", BACKGROUND_LANE):
            await say(chat, lane, "I have epilepsy.", INSTRUCTED)
        assert kept(settings) == [], "a slot that has held words is never saved"
        await say(chat, "joan", "I like apples.")
        assert kept(settings) == []
        await chat.prefill(PERSONA, SHARED_PREFIX_LANE)
        assert state_of(chat) == "made"
        # Nobody's slot was given up for it.
        assert (await say(chat, "joan", "I like apples.")).read == 0
    (data,) = kept(settings)
    assert held_tokens(data) == tokens_of(PERSONA)
    assert data == scripted_llama.state_file(tokens_of(PERSONA))


async def test_a_state_that_holds_more_than_the_prefix_is_not_kept(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    behave(folder, adds=ord("x"))
    settings = settings_in(folder)
    async with started(settings) as chat:
        await say(chat, "ada", "Hi")
        assert state_of(chat) == "not_kept"
        assert "exactly" in chat.status().details["shared_prefix"]["reason"]
        assert (await say(chat, "grace", "Hi")).read > WHOLE - 10, "it has to be read anew"
    assert kept(settings) == []
    assert "is not kept on disk" in caplog.text


async def test_a_damaged_state_is_made_anew(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = settings_in(folder)
    async with started(settings) as chat:
        await say(chat, "ada", "Hi")
    (file,) = settings.prompt_states_dir.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    caplog.set_level(logging.INFO)
    async with started(settings) as chat:
        assert "discarded: it is not whole" in caplog.text
        assert chat.first_reading_s("ada") > 0
        await say(chat, "ada", "Hi")
        assert state_of(chat) == "made"
        assert chat.process.restarts == 0, "llama.cpp has not seen the damaged file"
    assert file.read_bytes() == whole


async def test_a_state_that_ends_the_process_is_discarded(folder: Path) -> None:
    """Its checksum is right all the same."""
    settings = settings_in(folder)
    async with started(settings) as chat:
        await say(chat, "ada", "Hi")
        endpoint = chat.process.endpoint
        assert endpoint is not None
        copy = Path(endpoint.socket).with_name("shared-prefix")
        copy.write_bytes(copy.read_bytes()[:-1])
        with suppress(EngineError):  # the turn may fail with the process, or wait for the next
            await say(chat, "grace", "Hi")
        await until(lambda: chat.process.endpoint not in {None, endpoint})
        assert kept(settings) == []
        assert (await say(chat, "joan", "Hi")).cached >= WHOLE
        assert state_of(chat) == "made"


async def test_another_model_or_personality_has_a_state_of_its_own(folder: Path) -> None:
    settings = settings_in(folder, prompt_states=2)
    for persona in (PERSONA, [*PERSONA, ChatMessage("user", "Bye")], PERSONA[:1]):
        async with started(settings, persona) as chat:
            assert chat.first_reading_s("ada") > 0
            await say(chat, "ada", "Hi", persona)
            assert state_of(chat) == "made"
    assert len(kept(settings)) == 2
    behave(folder, another=True)
    async with started(settings, PERSONA[:1]) as chat:
        assert chat.first_reading_s("ada") > 0


async def test_it_can_be_switched_off(folder: Path) -> None:
    settings = settings_in(folder, prompt_states=0)
    async with started(settings) as chat:
        await chat.prefill(PERSONA, SHARED_PREFIX_LANE)
        assert (await say(chat, "ada", "Hi")).cached >= WHOLE
        assert chat.status().details["shared_prefix"] is None
    assert not settings.prompt_states_dir.exists()


async def test_a_new_process_gets_it_too(folder: Path) -> None:
    settings = settings_in(folder)
    async with started(settings) as chat:
        await say(chat, "ada", "Hi")
        before = chat.process.endpoint
        chat.process.restart("was told to")
        await until(lambda: chat.process.endpoint not in {None, before})
        assert (await say(chat, "ada", "Hi")).read < 10


async def test_forgetting_brings_it_back_into_the_slot(folder: Path) -> None:
    settings = settings_in(folder)
    async with started(settings) as chat:
        await say(chat, "ada", "I have epilepsy.")
        chat.forget(lambda lane: lane == "ada")
        use = await say(chat, "ada#1", "I have epilepsy.")
        assert (use.cached, use.read) == (WHOLE, len("<user>I have epilepsy."))


REAL_PERSONA = [
    ChatMessage("system", f"{PERSONA[0].content} What you write is spoken aloud. " * 3),
    *PERSONA[1:],
]


@pytest.mark.models
async def test_the_real_model_reads_few_tokens_after_the_first_start(
    tmp_path: Path, models_dir: Path
) -> None:
    chat_settings = ChatSettings(conversation_slots=2, first_token_timeout_s=600.0, timeout_s=600.0)
    settings = Settings(
        _env_file=None, data_dir=tmp_path / "data", models_dir=models_dir, chat=chat_settings
    )
    words = "What do dogs like to eat?"
    async with started(settings, REAL_PERSONA) as chat:
        # The first reading is interrupted, and the turn goes on with it in the same slot.
        reading = asyncio.ensure_future(chat.prefill(REAL_PERSONA, SHARED_PREFIX_LANE))
        await until(lambda: bool(chat._prompt_progress))
        reading.cancel()
        await asyncio.wait([reading])
        first = await said(chat, "ada", words)
        assert state_of(chat) == "made"
        whole = chat.status().details["shared_prefix"]["tokens"]
        assert whole > 50
    (data,) = kept(settings)
    assert len(held_tokens(data)) == whole
    async with started(settings, REAL_PERSONA) as chat:
        assert await said(chat, "ada", words) == first, "the same tokens follow"
        for lane in ("ada", "grace", "joan", "mary"):
            use = await say(chat, lane, f"My name is {lane}.", REAL_PERSONA)
            assert use.cached >= whole, lane
            assert use.read < 20, lane
        assert state_of(chat) == "restored"


async def said(chat: EmbeddedChat, lane: str, words: str) -> str:
    options = ChatOptions(max_tokens=8, temperature=0.0, lane=lane)
    messages = [*REAL_PERSONA, ChatMessage("user", words)]
    return "".join([piece async for piece in chat.stream(messages, options)])
