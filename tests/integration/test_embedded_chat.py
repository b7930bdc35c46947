"""The embedded chat model on the real llama.cpp: what it caches, how it stops, how it dies."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest
import pytest_asyncio

from lobug.engines.base import BACKGROUND_LANE, SHARED_PREFIX_LANE, ChatMessage, ChatOptions
from lobug.engines.chat_embedded import EmbeddedChat, PromptUse, llama_options
from lobug.engines.llama_child import LlamaOptions
from lobug.engines.llama_process import LlamaProcess
from lobug.engines.model_server import PrefillSpeed
from lobug.errors import (
    ContextOverflowError,
    EngineInterruptedError,
    EngineUnavailableError,
    ModelMissingError,
)
from lobug.settings import ChatSettings
from support.patience import PATIENCE_S

PERSONA = ChatMessage(
    "system", "You are Lo-Bug, a small robot on a desk. " + "You speak in short sentences. " * 12
)
SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}, "maxItems": 2}},
    "required": ["facts"],
    "additionalProperties": False,
}
SMALL, STANDARD = "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"


def user(text: str) -> ChatMessage:
    return ChatMessage("user", text)


def assistant(text: str) -> ChatMessage:
    return ChatMessage("assistant", text)


def settings_with(models_dir: Path) -> ChatSettings:
    """The small model where it is on disk, because it loads faster; else the standard one."""
    small = (models_dir / SMALL / "model.gguf").exists()
    return ChatSettings(embedded_model=SMALL if small else STANDARD, context_tokens=4096)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chat(models_dir: Path) -> AsyncIterator[EmbeddedChat]:
    settings = settings_with(models_dir)
    engine = EmbeddedChat(settings, LlamaProcess(llama_options(settings, models_dir)))
    await engine.start()
    yield engine
    await engine.close()


async def say(
    chat: EmbeddedChat, *messages: ChatMessage, lane: str, max_tokens: int = 8
) -> tuple[str, PromptUse]:
    """The reply and what it cost."""
    chat.last_use.clear()
    options = ChatOptions(max_tokens=max_tokens, temperature=0.0, lane=lane)
    text = "".join([piece async for piece in chat.stream(messages, options)])
    (use,) = chat.last_use.values()
    return text, use


def cpu_seconds(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def pid_of(chat: EmbeddedChat) -> int:
    assert chat.process.pid is not None
    return chat.process.pid


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - another process is watched
            await asyncio.sleep(0.01)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def has_ended(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    process = LlamaProcess(LlamaOptions(tmp_path / "model.gguf", 2, 1024, 1))
    with pytest.raises(ModelMissingError, match="lobug models pull"):
        await process.start()
    with pytest.raises(ModelMissingError):
        await process.wait_ready(1.0)
    await process.close()


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF" + bytes(4096), b"no model" * 1000])
async def test_a_damaged_file_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    process = LlamaProcess(LlamaOptions(path, 2, 1024, 1))
    with pytest.raises(ModelMissingError, match="lobug models verify"):
        await process.start()
    await process.close()


async def test_an_own_file_is_not_blamed_on_the_catalog(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"not a model")
    settings = ChatSettings(embedded_path=path)
    engine = EmbeddedChat(settings, LlamaProcess(llama_options(settings, tmp_path)))
    with pytest.raises(ModelMissingError, match="LOBUG_CHAT__EMBEDDED_PATH"):
        await engine.start()
    status = engine.status()
    assert not status.ready
    assert status.model == "mine.gguf"
    assert "GGUF" in str(status.reason)
    await engine.close()


async def test_an_unknown_model_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match="there are: "):
        llama_options(ChatSettings(embedded_model="nothing"), tmp_path)


async def test_before_start_and_after_close_it_is_unavailable(tmp_path: Path) -> None:
    settings = ChatSettings()
    engine = EmbeddedChat(settings, LlamaProcess(llama_options(settings, tmp_path)))
    with pytest.raises(EngineUnavailableError):
        await anext(engine.stream([user("Hello")], ChatOptions(max_tokens=1)))
    await engine.close()
    await engine.close()


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_nobody_else_can_talk_to_it(chat: EmbeddedChat) -> None:
    endpoint = chat.process.endpoint
    assert endpoint is not None
    child = psutil.Process(pid_of(chat))
    assert child.net_connections("inet") == []
    assert stat.S_IMODE(Path(endpoint.socket).parent.stat().st_mode) == 0o700
    assert not any(endpoint.api_key in part for part in child.cmdline())
    assert endpoint.api_key not in str(child.environ())
    transport = httpx.AsyncHTTPTransport(uds=endpoint.socket)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://llama", timeout=PATIENCE_S
    ) as stranger:
        body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
        assert (await stranger.post("/v1/chat/completions", json=body)).status_code == 401
        assert (await stranger.get("/props")).status_code == 401


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_a_schema_is_kept(chat: EmbeddedChat) -> None:
    options = ChatOptions(max_tokens=80, temperature=0.0, json_schema=SCHEMA)
    messages = [ChatMessage("system", "List facts as JSON."), user("I live in Rome.")]
    said = json.loads("".join([piece async for piece in chat.stream(messages, options)]))
    assert list(said) == ["facts"]
    assert all(isinstance(fact, str) for fact in said["facts"])


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_a_prefilled_prompt_is_not_read_again(chat: EmbeddedChat) -> None:
    examples = [user("Hi"), assistant("Hello, friend!")]
    chat.last_use.clear()
    await chat.prefill([PERSONA, *examples], "prefilled")
    (prefix,) = {use.read + use.cached for use in chat.last_use.values()}
    _, use = await say(chat, PERSONA, *examples, user("Who are you?"), lane="prefilled")
    assert use.cached >= prefix - 1
    assert use.read < 20


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_only_what_conversations_read_counts_as_the_models_speed(
    chat: EmbeddedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat, "_speed", PrefillSpeed())
    await say(chat, PERSONA, user("Background work waits for turns."), lane=BACKGROUND_LANE)
    assert chat.prefill_ms_per_token is None
    await say(chat, ChatMessage("system", f"Now. {PERSONA.content}"), user("Hi"), lane="speed")
    assert chat.prefill_ms_per_token is not None


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_background_work_leaves_the_conversations_cache_alone(chat: EmbeddedChat) -> None:
    history = [PERSONA, user("I like red apples.")]
    text, first = await say(chat, *history, lane="kitchen")
    other = [ChatMessage("system", "Extract facts. " * 40), user("I live in Rome.")]
    background = asyncio.ensure_future(
        anext(chat.stream(other, ChatOptions(max_tokens=5, lane=BACKGROUND_LANE)))
    )
    _, use = await say(chat, *history, assistant(text), user("What do I like?"), lane="kitchen")
    assert await background
    assert use.cached >= first.read + first.cached
    assert use.read < 30


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_two_conversations_keep_a_cache_each(chat: EmbeddedChat) -> None:
    one, two = [PERSONA, user("I am Ada.")], [PERSONA, user("I am Grace.")]
    await say(chat, *one, lane="one")
    await say(chat, *two, lane="two")
    for lane, messages in (("one", one), ("two", two)):
        _, use = await say(chat, *messages, lane=lane)
        assert use.read <= 2


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_trimmed_history_keeps_its_cache(chat: EmbeddedChat) -> None:
    """The keys of what stays are shifted: dropping the oldest messages costs next to nothing."""
    topics = ("apples", "the moon", "the sea", "old trains", "my dog Rex", "rain in spring")
    history = [
        message
        for topic in topics
        for message in (
            user(f"Let me tell you about {topic}, which I like very much, more than anything."),
            assistant(f"That is good to hear! I like {topic} as well, and so do my friends."),
        )
    ]
    question = user("What is my dog called?")
    before, whole = await say(chat, PERSONA, *history, question, lane="trimmed", max_tokens=12)
    after, use = await say(chat, PERSONA, *history[4:], question, lane="trimmed", max_tokens=12)
    assert use.read + use.cached < whole.read + whole.cached - 40
    assert use.read < 40
    assert "Rex" in before
    assert "Rex" in after


SECRET = [
    user("My doctor told me on Monday that I have epilepsy, and that I must not drive a car now."),
    assistant("I am sorry to hear that. Thank you for telling me, I will keep it to myself."),
]
"""Words of one person, told before the others."""

HARMLESS = [
    user("Let me tell you about old trains, which I like very much, more than anything else."),
    assistant("That is good to hear! I like old trains as well, and so do most of my friends."),
    user("Let me tell you about the sea, which I like very much as well, and about ships too."),
    assistant("The sea is a fine thing to look at, and so are the ships that sail on it at night."),
]
"""Long enough to be moved in the cache in one piece."""


async def cached_of(chat: EmbeddedChat, *messages: ChatMessage) -> int:
    """How much of these messages a slot that holds them gives back to them: all but the end."""
    chat.last_use.clear()
    await chat.prefill(messages, "measured")
    (use,) = chat.last_use.values()
    return use.read + use.cached


@pytest_asyncio.fixture
async def one_slot(models_dir: Path) -> AsyncIterator[EmbeddedChat]:
    """A model of its own with one slot for conversations, so that everybody meets in it."""
    settings = settings_with(models_dir).model_copy(
        update={"conversation_slots": 1, "timeout_s": 600.0, "first_token_timeout_s": 600.0}
    )
    engine = EmbeddedChat(settings, LlamaProcess(llama_options(settings, models_dir)))
    await engine.start()
    yield engine
    await engine.close()


@pytest.mark.models
async def test_only_the_shared_beginning_of_foreign_or_forgotten_words_is_used(
    one_slot: EmbeddedChat,
) -> None:
    """llama.cpp could move what stood behind the secret to its new place, but that was computed
    beside the secret and holds traces of it."""
    chat, question = one_slot, user("What do I like?")
    persona = await cached_of(chat, PERSONA)
    await chat.prefill([PERSONA], SHARED_PREFIX_LANE)
    await say(chat, PERSONA, *SECRET, *HARMLESS, question, lane="ada/desk", max_tokens=1)
    # Another person's prompt has the same words behind the persona.
    _, use = await say(chat, PERSONA, *HARMLESS, question, lane="grace/desk", max_tokens=1)
    assert persona - 2 <= use.cached < persona + 12, "the persona and the frame of a message"
    # Nothing was erased and it is the same conversation: its own words may be moved.
    _, whole = await say(
        chat, PERSONA, *SECRET, *HARMLESS, question, lane="grace/desk", max_tokens=1
    )
    _, moved = await say(chat, PERSONA, *HARMLESS, question, lane="grace/desk", max_tokens=1)
    assert whole.cached < persona + 12
    assert moved.read < 20
    # After an erasure the same prompt finds the persona and no more.
    await say(chat, PERSONA, *SECRET, *HARMLESS, question, lane="grace/desk", max_tokens=1)
    chat.forget(lambda lane: lane.startswith("grace/"))
    _, use = await say(chat, PERSONA, *HARMLESS, question, lane="grace/desk#1", max_tokens=1)
    assert persona - 2 <= use.cached < persona + 12
    # So it does when the conversation had its lane still: the slot itself is empty.
    chat.forget(lambda lane: lane.startswith("grace/"))
    _, use = await say(chat, PERSONA, *HARMLESS, question, lane="grace/desk#1", max_tokens=1)
    assert use.cached <= persona


@pytest.mark.models
async def test_forgetting_clears_slots_without_a_next_request(one_slot: EmbeddedChat) -> None:
    """Asked of llama.cpp itself: how many tokens each slot holds."""
    chat = one_slot
    persona = await cached_of(chat, PERSONA)
    await chat.prefill([PERSONA], SHARED_PREFIX_LANE)
    facts = ChatMessage("system", "Extract facts as JSON. " * 20)
    await say(chat, PERSONA, *SECRET, lane="ada/desk", max_tokens=1)
    await say(chat, facts, *SECRET, lane=BACKGROUND_LANE, max_tokens=1)
    held = await tokens_held(chat)
    assert held[0] > persona + 40
    assert held[1] > 100
    chat.forget(lambda lane: lane == "somebody else/desk")
    await until_held(chat, 1, at_most=0)
    assert (await tokens_held(chat))[0] == held[0], "another person's slot stays"
    chat.forget(lambda lane: lane == "ada/desk")
    await until_held(chat, 0, at_most=persona + 2)


async def until_held(chat: EmbeddedChat, slot: int, *, at_most: int) -> None:
    """Return once a slot holds so few tokens."""
    async with asyncio.timeout(120):
        while (await tokens_held(chat))[slot] > at_most:  # noqa: ASYNC110 - of another process
            await asyncio.sleep(0.02)


async def tokens_held(chat: EmbeddedChat) -> list[int]:
    """Prompt tokens in each slot's cache."""
    endpoint = chat.process.endpoint
    assert endpoint is not None
    transport = httpx.AsyncHTTPTransport(uds=endpoint.socket)
    headers = {"Authorization": f"Bearer {endpoint.api_key}"}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://llama", headers=headers, timeout=PATIENCE_S
    ) as client:
        slots = (await client.get("/slots", timeout=60)).json()
    return [slot["n_prompt_tokens"] for slot in slots]


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_a_prompt_that_does_not_fit_is_a_typed_error(chat: EmbeddedChat) -> None:
    pid = pid_of(chat)
    with pytest.raises(ContextOverflowError):
        await say(chat, user("word " * 4500), lane="long")
    assert (await say(chat, user("Say yes."), lane="long"))[0]
    assert pid_of(chat) == pid


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_a_cancelled_prompt_frees_the_processor(chat: EmbeddedChat) -> None:
    """Measured in processor time, because the machine may be busy with something else."""
    await say(chat, PERSONA, user("Hello"), lane="talk")
    pid = pid_of(chat)
    begin = cpu_seconds(pid)
    long = [user(" ".join(f"{n} bottles" for n in range(600)))]
    reading = asyncio.ensure_future(
        anext(chat.stream(long, ChatOptions(max_tokens=5, lane=BACKGROUND_LANE)))
    )
    await until(lambda: cpu_seconds(pid) > begin + 0.6)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    at_cancel = cpu_seconds(pid)
    _, use = await say(chat, PERSONA, user("Hello"), lane="talk", max_tokens=1)
    spent = cpu_seconds(pid) - at_cancel
    assert use.read <= 2
    # Reading on would have cost more than 20 s.
    assert spent < 5.0
    # The background's own slot is free as well.
    assert (await say(chat, user("Say yes."), lane=BACKGROUND_LANE))[0]


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_closing_a_stream_stops_the_model(chat: EmbeddedChat) -> None:
    options = ChatOptions(max_tokens=2000, temperature=0.0, lane="talk")
    stream = chat.stream([user("Count from one to one thousand in words.")], options)
    assert await anext(stream)
    await stream.aclose()
    await say(chat, user("Say yes."), lane="talk", max_tokens=1)
    pid = pid_of(chat)
    quiet = cpu_seconds(pid)
    await asyncio.sleep(0.5)  # long enough for ten tokens if it went on
    assert cpu_seconds(pid) - quiet < 0.2


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_requests_of_one_lane_wait_for_each_other(chat: EmbeddedChat) -> None:
    options = ChatOptions(max_tokens=40, temperature=0.0, lane="talk")
    first = chat.stream([user("Count from one to one thousand in words.")], options)
    assert await anext(first)
    second = asyncio.ensure_future(say(chat, user("Say yes."), lane="talk"))
    waited = [not second.done() async for _ in first]
    assert len(waited) > 5
    assert all(waited)
    assert (await second)[0]


@pytest.mark.models
@pytest.mark.asyncio(loop_scope="module")
async def test_a_killed_process_comes_back(chat: EmbeddedChat) -> None:
    pid, restarts = pid_of(chat), chat.process.restarts
    directory = Path(chat.process.endpoint.socket).parent if chat.process.endpoint else None
    stream = chat.stream([user("Count to fifty.")], ChatOptions(max_tokens=300, lane="talk"))
    assert await anext(stream)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(EngineInterruptedError):
        async for _ in stream:
            pass
    await until(lambda: chat.process.endpoint is None)
    status = chat.status()
    assert not status.ready
    assert status.degraded
    assert "SIGKILL" in str(status.reason)
    # A turn that comes now waits for the restart instead of failing.
    assert (await say(chat, user("Say yes."), lane="talk"))[0]
    assert chat.status().ready
    assert chat.process.restarts == restarts + 1
    assert pid_of(chat) != pid
    assert directory is not None
    assert not directory.exists()


async def rest_of(stream: AsyncIterator[str]) -> str:
    return "".join([piece async for piece in stream])


@pytest.mark.models
async def test_a_stopped_process_ends_its_turn_and_comes_back(models_dir: Path) -> None:
    """The real llama.cpp, stopped in the middle of a reply whose own time-outs are ten minutes."""
    settings = settings_with(models_dir).model_copy(
        update={"timeout_s": 600.0, "first_token_timeout_s": 600.0, "hang_timeout_s": 9.0}
    )
    chat = EmbeddedChat(settings, LlamaProcess(llama_options(settings, models_dir)))
    await chat.start()
    try:
        pid = pid_of(chat)
        options = ChatOptions(max_tokens=300, lane="talk")
        stream = chat.stream([user("Count to fifty.")], options)
        assert await anext(stream)
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(EngineInterruptedError):
            await asyncio.wait_for(rest_of(stream), 120)
        assert (await say(chat, user("Say yes."), lane="talk", max_tokens=1))[0]
        assert pid_of(chat) != pid
        assert chat.status().details["hangs"] == 1
        assert has_ended(pid)
    finally:
        await chat.close()


ORPHAN = """
import asyncio, sys
from pathlib import Path
from lobug.engines.chat_embedded import EmbeddedChat, llama_options
from lobug.engines.llama_process import LlamaProcess
from lobug.settings import ChatSettings

async def main():
    settings = ChatSettings(embedded_model=sys.argv[2])
    process = LlamaProcess(llama_options(settings, Path(sys.argv[1])))
    chat = EmbeddedChat(settings, process)
    start = asyncio.ensure_future(chat.start())
    if sys.argv[3] == "loaded":
        await start
    while process.pid is None:
        await asyncio.sleep(0)
    print(process.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder for sockets, for whose path pytest's own folders are too long."""
    with tempfile.TemporaryDirectory(prefix="t") as name:
        yield Path(name)


@pytest.mark.models
@pytest.mark.parametrize(
    ("how", "when"),
    [
        (signal.SIGKILL, "loaded"),
        (signal.SIGKILL, "loading"),
        (signal.SIGTERM, "loaded"),
        (signal.SIGINT, "loaded"),
    ],
)
async def test_no_process_and_no_folder_outlive_the_server(
    models_dir: Path, short_folder: Path, how: signal.Signals, when: str
) -> None:
    model = settings_with(models_dir).embedded_model
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ORPHAN, str(models_dir), model, when,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        env=os.environ | {"TMPDIR": str(short_folder)},
    )  # fmt: skip
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    assert psutil.pid_exists(child)
    parent.send_signal(how)
    await parent.wait()
    await until(lambda: has_ended(child))
    assert names_in(short_folder) == []


async def test_folders_of_killed_servers_are_removed(
    short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(short_folder))
    folders = [short_folder / name for name in ("lobug-dead", "lobug-alive", "lobug-young")]
    sockets = []
    for folder in folders:
        folder.mkdir()
        address = socket.socket(socket.AF_UNIX)
        address.bind(str(folder / "llm.sock"))
        if folder.name == "lobug-alive":
            address.listen()
            sockets.append(address)
        else:
            address.close()
        if folder.name != "lobug-young":
            os.utime(folder, (0, 0))
    unrelated = short_folder / "lobug-unrelated"
    unrelated.mkdir()
    os.utime(unrelated, (0, 0))
    broken = short_folder / "model.gguf"
    broken.write_bytes(b"no model")
    process = LlamaProcess(LlamaOptions(broken, 2, 1024, 1))
    with pytest.raises(ModelMissingError):
        await process.start()
    await process.close()
    assert names_in(short_folder) == ["lobug-alive", "lobug-unrelated", "lobug-young", "model.gguf"]
    for open_socket in sockets:
        open_socket.close()


@pytest.mark.models
async def test_close_ends_the_process_and_removes_its_folder(models_dir: Path) -> None:
    settings = settings_with(models_dir)
    engine = EmbeddedChat(settings, LlamaProcess(llama_options(settings, models_dir)))
    await engine.start()
    await engine.start()
    await engine.prefill([user("Hi")], SHARED_PREFIX_LANE)
    assert len(engine.last_use) == settings.conversation_slots
    pid, endpoint = pid_of(engine), engine.process.endpoint
    assert endpoint is not None
    stream = engine.stream([user("Count to fifty.")], ChatOptions(max_tokens=200, lane="a"))
    assert await anext(stream)
    await engine.close()
    assert not psutil.pid_exists(pid)
    assert not Path(endpoint.socket).parent.exists()
    with pytest.raises(EngineInterruptedError):
        async for _ in stream:
            pass


@pytest.mark.models
async def test_a_model_that_takes_too_long_to_load_is_given_up(models_dir: Path) -> None:
    settings = settings_with(models_dir)
    options = llama_options(settings, models_dir)
    process = LlamaProcess(LlamaOptions(options.model_path, 2, 1024, 1, start_timeout_s=0.001))
    begin = time.monotonic()
    with pytest.raises(EngineUnavailableError, match="not loaded within"):
        await process.start()
    await process.close()
    assert time.monotonic() - begin < 30
