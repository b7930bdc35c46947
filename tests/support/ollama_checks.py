"""What Lo-Bug needs of Ollama: one function for each thing, run against any server.

``tests/ollama`` runs them against a real one, ``tests/integration/test_ollama_checks.py`` against a
server that follows Ollama's documentation, and against one fault at a time of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

import ollama
from lobug.engines.base import ChatMessage, ChatOptions
from lobug.engines.ollama import OllamaChat, OllamaEmbedder, OllamaProbe
from lobug.errors import (
    ContextOverflowError,
    EngineInterruptedError,
    EngineUnavailableError,
    ModelMissingError,
)
from lobug.settings import (
    ChatSettings,
    EmbeddingSettings,
    MemorySettings,
    OllamaSettings,
    Settings,
)
from lobug.turn.reply import ReplyParser

LOOK_S = 0.1
"""Seconds between two looks of the engines' probe."""
PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class OllamaSite:
    """A server and the models to use there."""

    host: str
    """``http://host:port``."""
    chat: str
    """A small model that takes tools and does not think."""
    thinking: str
    embedders: Sequence[str]
    """Two or more, with vectors of different sizes."""

    @property
    def models(self) -> Sequence[str]:
        return (self.chat, self.thinking, *self.embedders)

    def client(self) -> ollama.AsyncClient:
        return ollama.AsyncClient(host=self.host, trust_env=False)


Check = Callable[[OllamaSite], Awaitable[None]]


def wanted() -> tuple[OllamaSite, bool]:
    """The server and the models that the environment names, and whether it names a server."""
    named = os.environ.get("OLLAMA_HOST", "").strip()
    parts = urlsplit(named if "//" in named else f"http://{named}")
    # Ollama itself takes the variable as the address to listen on.
    name = "127.0.0.1" if parts.hostname in {None, "0.0.0.0"} else parts.hostname
    embedders = os.environ.get("LOBUG_TEST_OLLAMA_EMBEDDERS", "all-minilm:22m,nomic-embed-text")
    site = OllamaSite(
        f"{parts.scheme}://{name}:{parts.port or 11434}",
        os.environ.get("LOBUG_TEST_OLLAMA_CHAT", "qwen2.5:0.5b"),
        os.environ.get("LOBUG_TEST_OLLAMA_THINKING", "qwen3:0.6b"),
        embedders.split(","),
    )
    return site, bool(named)


def site_at(site: OllamaSite, named: bool) -> OllamaSite:
    """``site``, with all its models: missing ones are pulled. Without a server the test is skipped,
    or fails where one is ``named``. Not to be called in an event loop."""
    probe = OllamaProbe(OllamaSettings(host=site.host, probe_timeout_s=5.0))
    if not asyncio.run(probe.refresh()):
        message = f"no Ollama answers at {site.host}"
        if named:
            pytest.fail(f"{message}, which OLLAMA_HOST names")
        pytest.skip(f"{message}; OLLAMA_HOST names another")
    for model in site.models:
        if not probe.has(model):
            print(f"pulling {model}")  # noqa: T201 - it may take minutes
            ollama.Client(host=site.host, trust_env=False).pull(model)
    return site


@asynccontextmanager
async def chat_at(
    site: OllamaSite,
    model: str | None = None,
    *,
    keep_alive: str = "5m",
    context_tokens: int = 2048,
) -> AsyncIterator[OllamaChat]:
    settings = ChatSettings(
        ollama_model=model or site.chat,
        context_tokens=context_tokens,
        first_token_timeout_s=240,  # a model may have to be loaded
        timeout_s=280,
    )
    where = OllamaSettings(host=site.host, keep_alive=keep_alive)
    engine = OllamaChat(settings, OllamaProbe(where, interval_s=LOOK_S))
    try:
        yield engine
    finally:
        await engine.close()


async def reply(engine: OllamaChat, words: str, *, max_tokens: int = 40, **more: Any) -> str:
    messages = [
        ChatMessage("system", "You are a voice assistant. Be brief."),
        ChatMessage("user", words),
    ]
    options = ChatOptions(max_tokens=max_tokens, temperature=0.0, **more)
    return "".join([piece async for piece in engine.stream(messages, options)])


async def until(condition: Callable[[], Awaitable[bool]], what: str) -> None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not await condition():  # noqa: ASYNC110 - what is asked sits behind a socket
                await asyncio.sleep(LOOK_S)
    except TimeoutError:
        raise AssertionError(f"not within {PATIENCE_S:g} s: {what}") from None


async def check_a_missing_model_is_said(site: OllamaSite) -> None:
    missing = "lobug-knows-no-such-model:1b"
    async with chat_at(site, missing) as chat:
        with pytest.raises(ModelMissingError, match=f"ollama pull {missing}"):
            await chat.start()
        with pytest.raises(ModelMissingError, match=f"ollama pull {missing}"):
            await reply(chat, "Hello")
        assert not chat.status().ready
        assert f"ollama pull {missing}" in str(chat.status().reason)


async def check_a_pull_tells_its_progress_and_the_model_is_noticed(site: OllamaSite) -> None:
    model = site.embedders[0]
    last: dict[str, int] = {}
    status = None
    with_total = 0
    async for step in await site.client().pull(model, stream=True):
        status = step.status
        if step.digest and step.total:
            with_total += 1
            done = step.completed or 0
            assert last.get(step.digest, 0) <= done <= step.total, "progress goes back"
            last[step.digest] = done
    assert status == "success", f"the pull ends with {status!r}"
    assert with_total, "no step tells how much there is to fetch"
    probe = OllamaProbe(OllamaSettings(host=site.host))
    assert await probe.refresh()
    assert probe.has(model), "the model was pulled, and is not listed"


async def check_keep_alive_keeps_and_frees_the_model(site: OllamaSite) -> None:
    async def loaded() -> datetime | None:
        listing = await site.client().ps()
        found = [m for m in listing.models if _same(m.model or m.name, site.chat)]
        return found[0].expires_at if found else None

    async with chat_at(site, keep_alive="7m") as chat:
        assert await reply(chat, "Say hello.")
    expires = await loaded()
    assert expires is not None, "the model is not loaded after a reply"
    left = expires.astimezone(UTC) - datetime.now(UTC)
    assert timedelta(minutes=5.5) < left < timedelta(minutes=8), f"kept for {left}"
    async with chat_at(site, keep_alive="0s") as chat:
        assert await reply(chat, "Say hello.")

    async def freed() -> bool:
        return await loaded() is None

    await until(freed, "the model is freed")


def _same(found: str | None, model: str) -> bool:
    return found in {model, f"{model}:latest"}


async def check_more_words_than_the_window_holds(site: OllamaSite) -> None:
    """Ollama shortens the prompt, or refuses it; either way the next reply comes."""
    words = "The seventh lighthouse on the coast was painted blue last summer. " * 400
    async with chat_at(site, context_tokens=1024) as chat:
        with suppress(ContextOverflowError):
            assert await reply(chat, f"{words} What was painted?", max_tokens=8)
        with suppress(ollama.ResponseError):
            answer = await site.client().chat(
                model=site.chat,
                messages=[{"role": "user", "content": words}],
                options={"num_ctx": 1024, "num_predict": 8},
            )
            assert (answer.prompt_eval_count or 0) <= 1024, "it has read more than its window"
        assert await reply(chat, "Say hello.")
        assert chat.status().ready
        assert not chat.status().degraded


async def check_a_reply_is_no_longer_than_asked(site: OllamaSite) -> None:
    async with chat_at(site) as chat:
        messages = [ChatMessage("user", "Count from one to fifty, in words.")]
        options = ChatOptions(max_tokens=8, temperature=0.0)
        pieces = [piece async for piece in chat.stream(messages, options)]
        assert 1 <= len(pieces) <= 9, f"{len(pieces)} pieces instead of 8 tokens"
        assert not chat.status().degraded, "a reply that reached its limit is a whole one"


CHOICE = {
    "type": "object",
    "properties": {
        "tool": {"enum": ["set_volume", "none"]},
        "level": {"type": "integer", "minimum": 0, "maximum": 100},
    },
    "required": ["tool", "level"],
    "additionalProperties": False,
}


async def check_a_tool_is_called_by_schema(site: OllamaSite) -> None:
    """How Lo-Bug lets a model call tools: its reply is JSON that is valid for a schema."""
    async with chat_at(site) as chat:
        text = await reply(
            chat,
            'Tools: set_volume(level). Order: "Set the volume to 30." Answer as JSON with tool and'
            " level.",
            max_tokens=60,
            json_schema=CHOICE,
        )
    try:
        called = json.loads(text)
    except ValueError:
        raise AssertionError(f"that is no JSON: {text}") from None
    assert set(called) == {"tool", "level"}, called
    assert called["tool"] in {"set_volume", "none"}
    assert isinstance(called["level"], int)


async def check_a_tool_is_called_by_name(site: OllamaSite) -> None:
    """Ollama's own form of tool calls, streamed, as the client reads it."""
    tool = {
        "type": "function",
        "function": {
            "name": "set_volume",
            "description": "Set the volume of the loudspeaker.",
            "parameters": {
                "type": "object",
                "properties": {"level": {"type": "integer", "description": "0 to 100"}},
                "required": ["level"],
            },
        },
    }
    calls: list[ollama.Message.ToolCall] = []
    async for part in await site.client().chat(
        model=site.chat,
        messages=[{"role": "user", "content": "Use the tool: set the volume to 30."}],
        tools=[tool],
        stream=True,
        options={"temperature": 0.0, "num_predict": 80},
    ):
        calls += part.message.tool_calls or []
    assert calls, f"{site.chat} called no tool; name another model if it cannot"
    assert calls[0].function.name == "set_volume"
    level = int(calls[0].function.arguments["level"])
    assert level == 30, f"the level is {level}"


async def check_thinking_is_never_spoken(site: OllamaSite) -> None:
    question = "What is the capital of France? Answer with one word."
    answer = await site.client().chat(
        model=site.thinking,
        messages=[{"role": "user", "content": question}],
        think=True,
        options={"num_predict": 400, "temperature": 0.0},
    )
    assert answer.message.thinking, f"{site.thinking} does not think, so this proves nothing"
    async with chat_at(site, site.thinking) as chat:
        text = await reply(chat, question, max_tokens=400)
    parser = ReplyParser()
    parts = [*parser.feed(text), *parser.flush()]
    spoken = " ".join(part.text for part in parts)
    assert "Paris" in spoken, spoken
    assert len(spoken.split()) <= 12, f"that is more than the answer: {spoken}"
    assert "think>" not in spoken


async def check_a_model_that_cannot_think_answers_all_the_same(site: OllamaSite) -> None:
    async with chat_at(site) as chat:
        assert await reply(chat, "Say hello.")
        assert await reply(chat, "Say hello.")


async def check_embeddings_of_every_size(site: OllamaSite) -> None:
    sizes: dict[str, int] = {}
    texts = ["The cat sleeps.", "A cat is sleeping.", "The bank raises its rates.", "", "Ä" * 40]
    for model in site.embedders:
        settings = Settings(
            _env_file=None,
            ollama=OllamaSettings(host=site.host),
            memory=MemorySettings(embedding_model=model, embedding_dim=17),
            embeddings=EmbeddingSettings(batch_size=2, timeout_s=240),
        )
        embedder = OllamaEmbedder(settings, OllamaProbe(settings.ollama, interval_s=LOOK_S))
        try:
            await embedder.start()
            vectors = await embedder.embed(texts[:3] + texts[4:])
            alone = await embedder.embed([texts[2]])
            assert embedder.dimension == vectors.shape[1]
            sizes[model] = vectors.shape[1]
            np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
            assert float(vectors[2] @ alone[0]) > 0.99, "the order of a batch is another"
            alike, other = float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])
            assert alike > other, "it does not know what is alike"
            with suppress(ContextOverflowError):
                assert (await embedder.embed(["word " * 20_000])).shape == (1, sizes[model])
            assert (await embedder.embed([texts[0]])).shape == (1, sizes[model])
        finally:
            await embedder.close()
    assert len(set(sizes.values())) > 1, f"the models' vectors are of one size: {sizes}"


async def check_a_restart_in_mid_stream(site: OllamaSite) -> None:
    """The connection breaks in the middle of a reply, nobody answers, then the server is back."""
    proxy = Proxy(site.host)
    await proxy.start()
    through = OllamaSite(proxy.url, site.chat, site.thinking, site.embedders)
    try:
        async with chat_at(through) as chat:
            await chat.start()
            proxy.breaks = True
            messages = [ChatMessage("user", "Count from one to fifty, in words.")]
            stream = chat.stream(messages, ChatOptions(max_tokens=120, temperature=0.0))
            assert await anext(stream)
            with pytest.raises(EngineInterruptedError):
                async for _ in stream:
                    pass
            await proxy.stop()
            with pytest.raises(EngineUnavailableError):
                await reply(chat, "Hello")
            assert not chat.status().ready
            proxy.breaks = False
            await proxy.start()

            async def back() -> bool:
                return chat.status().ready

            await until(back, "the engine notices that the server is back")
            assert await reply(chat, "Say hello.")
            assert not chat.status().degraded
    finally:
        await proxy.stop()


CHECKS: Sequence[Check] = (
    check_a_missing_model_is_said,
    check_a_pull_tells_its_progress_and_the_model_is_noticed,
    check_keep_alive_keeps_and_frees_the_model,
    check_more_words_than_the_window_holds,
    check_a_reply_is_no_longer_than_asked,
    check_a_tool_is_called_by_schema,
    check_a_tool_is_called_by_name,
    check_thinking_is_never_spoken,
    check_a_model_that_cannot_think_answers_all_the_same,
    check_embeddings_of_every_size,
    check_a_restart_in_mid_stream,
)


class Proxy:
    """Stands between an engine and a server that must not be restarted for a test."""

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname, parts.port)
        self._port = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.breaks = False
        """Break off an answer that is streamed after its first part."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Go down: nobody listens any more, and open connections break."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
            for writer in tuple(self._writers):
                writer.transport.abort()
            await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            self._writers.discard(writer)
            return
        upwards = asyncio.ensure_future(_copy(reader, far_writer))
        try:
            await self._answer(far_reader, writer)
        except OSError:
            pass
        finally:
            upwards.cancel()
            far_writer.transport.abort()
            self._writers.discard(writer)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen = b""
        while data := await reader.read(65_536):
            if self.breaks:
                seen += data
                part = re.search(rb'"done":\s*false[^\n]*\n', seen)
                if part is not None:
                    writer.write(data[: part.end() - (len(seen) - len(data))])
                    await writer.drain()
                    return
            writer.write(data)
            await writer.drain()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
