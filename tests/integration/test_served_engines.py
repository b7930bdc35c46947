"""Ollama and OpenAI-compatible engines against servers that behave and that do not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from lobug.engines.base import ChatMessage, ChatModel, ChatOptions
from lobug.engines.chat_embedded import EmbeddedChat
from lobug.engines.embed_embedded import EmbeddedEmbedder
from lobug.engines.ollama import OllamaChat, OllamaEmbedder, OllamaProbe, OllamaProbes
from lobug.engines.openai import OpenAIChat, OpenAIEmbedder
from lobug.engines.selection import choose_chat, choose_consolidation, choose_embedder
from lobug.errors import (
    ContextOverflowError,
    EngineError,
    EngineInterruptedError,
    EngineTimeoutError,
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
from support.patience import PATIENCE_S
from support.scripted_http import (
    Answer,
    Received,
    ScriptedOllama,
    ScriptedOpenAI,
    ScriptedServer,
    as_json,
    serving,
)

HELLO = [ChatMessage("system", "Be brief."), ChatMessage("user", "Hello")]
OPTIONS = ChatOptions(max_tokens=17, temperature=0.25)
SCHEMA = {"type": "object", "properties": {"facts": {"type": "array"}}}


def settings_for(server: ScriptedServer, **sections: Any) -> Settings:
    """Everything points at ``server``; chat gives up after 50 ms without a token."""
    chat = {"openai_base_url": f"{server.url}/v1", "first_token_timeout_s": 0.05}
    embeddings = {"openai_base_url": f"{server.url}/v1", "timeout_s": 0.05, "batch_size": 2}
    return Settings(
        _env_file=None,
        ollama=OllamaSettings(host=server.url),
        chat=ChatSettings(**(chat | sections.get("chat", {}))),
        embeddings=EmbeddingSettings(**(embeddings | sections.get("embeddings", {}))),
        memory=MemorySettings(**sections.get("memory", {})),
    )


@asynccontextmanager
async def a_chat(server: ScriptedServer, **chat: Any) -> AsyncIterator[ChatModel]:
    settings = settings_for(server, chat={"first_token_timeout_s": 30, **chat})
    engine: ChatModel
    if isinstance(server, ScriptedOllama):
        engine = OllamaChat(settings.chat, OllamaProbe(settings.ollama, interval_s=0.01))
    else:
        engine = OpenAIChat(settings.chat, interval_s=0.01)
    try:
        yield engine
    finally:
        await engine.close()


async def reply(chat: ChatModel, options: ChatOptions = OPTIONS) -> list[str]:
    return [piece async for piece in chat.stream(HELLO, options)]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - a status is read, not announced
            await asyncio.sleep(0.005)


def last_chat(server: ScriptedServer) -> Received:
    """The last request for a reply; probes run in between."""
    return next(r for r in reversed(server.received) if "chat" in r.path)


SERVERS = pytest.mark.parametrize("kind", [ScriptedOllama, ScriptedOpenAI])


@SERVERS
async def test_a_reply_arrives_in_pieces(kind: type[ScriptedOllama | ScriptedOpenAI]) -> None:
    async with serving(kind()) as server, a_chat(server) as chat:
        await chat.start()
        assert await reply(chat) == ["Hello", " there."]
        status = chat.status()
        assert status.ready
        assert not status.degraded
        assert status.reason is None


@SERVERS
async def test_pieces_are_passed_on_while_the_server_still_writes(
    kind: type[ScriptedOllama | ScriptedOpenAI],
) -> None:
    gate = asyncio.Event()
    async with serving(kind()) as server, a_chat(server) as chat:
        first, *rest = server.says("one", "two").chunks
        server.chat.chunks = [first, gate, *rest]
        stream = chat.stream(HELLO, OPTIONS)
        assert await anext(stream) == "one"
        gate.set()
        assert [piece async for piece in stream] == ["two"]


@SERVERS
@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_who_stops_listening_ends_the_request(
    kind: type[ScriptedOllama | ScriptedOpenAI], how: str
) -> None:
    async with serving(kind()) as server, a_chat(server) as chat:
        server.chat.chunks = [server.says("one").chunks[0], asyncio.Event()]
        stream = chat.stream(HELLO, OPTIONS)
        assert await anext(stream) == "one"
        if how == "close":
            await stream.aclose()
        else:
            task = asyncio.ensure_future(anext(stream))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await last_chat(server).gone.wait()
        server.chat = server.says("again")
        assert await reply(chat) == ["again"]


@SERVERS
async def test_a_server_that_is_down(kind: type[ScriptedOllama | ScriptedOpenAI]) -> None:
    async with serving(kind()) as server, a_chat(server) as chat:
        await server.stop()
        with pytest.raises(EngineUnavailableError):
            await chat.start()
        with pytest.raises(EngineUnavailableError):
            await reply(chat)
        status = chat.status()
        assert not status.ready
        assert server.url in str(status.reason)
        await server.restart()
        await until(lambda: chat.status().ready)
        assert await reply(chat) == ["Hello", " there."]
        assert not chat.status().degraded


@SERVERS
async def test_a_server_that_is_slow(kind: type[ScriptedOllama | ScriptedOpenAI]) -> None:
    async with serving(kind()) as server, a_chat(server, first_token_timeout_s=0.05) as chat:
        good, server.chat = server.chat, Answer([asyncio.Event()])
        await chat.start()
        with pytest.raises(EngineTimeoutError):
            await reply(chat)
        await last_chat(server).gone.wait()
        assert chat.status().degraded
        assert chat.status().ready
        server.chat = good
        async with a_chat(server) as patient:
            await reply(patient)


@SERVERS
async def test_the_callers_own_limit_counts(kind: type[ScriptedOllama | ScriptedOpenAI]) -> None:
    async with serving(kind()) as server, a_chat(server) as chat:
        server.chat = Answer([asyncio.Event()])
        with pytest.raises(EngineTimeoutError, match=r"within 0\.05 s"):
            await reply(chat, ChatOptions(max_tokens=5, timeout_s=0.05))


@SERVERS
async def test_background_work_may_wait_longer_for_its_first_token_than_a_turn(
    kind: type[ScriptedOllama | ScriptedOpenAI],
) -> None:
    """A long prompt on a slow machine: nobody waits for its answer."""
    async with serving(kind()) as server, a_chat(server, first_token_timeout_s=0.05) as chat:
        server.chat = Answer([asyncio.Event()])
        with pytest.raises(EngineTimeoutError, match=r"no whole answer within 0\.2 s"):
            await reply(chat, ChatOptions(5, timeout_s=0.2, first_token_timeout_s=60.0))


@SERVERS
@pytest.mark.parametrize("properly", [True, False])
async def test_a_reply_that_is_cut_off(
    kind: type[ScriptedOllama | ScriptedOpenAI], properly: bool
) -> None:
    """Whether the connection breaks or ends as if all were well: half a reply is an error."""
    async with serving(kind()) as server, a_chat(server) as chat:
        await chat.start()
        start = server.says("Once upon").chunks[0]
        server.chat.chunks = [start] if properly else [start, None]
        stream = chat.stream(HELLO, OPTIONS)
        assert await anext(stream) == "Once upon"
        with pytest.raises(EngineInterruptedError):
            await anext(stream)
        assert chat.status().degraded
        server.chat = server.says("again")
        assert await reply(chat) == ["again"]
        assert not chat.status().degraded


@SERVERS
@pytest.mark.parametrize(
    "garbage",
    [b"<html>hello</html>\n", b"data: {not json\n\n", b"[1, 2]\n", b'"text"\n', b"\xff\n"],
)
async def test_garbage_is_a_typed_error(
    kind: type[ScriptedOllama | ScriptedOpenAI], garbage: bytes
) -> None:
    async with serving(kind()) as server, a_chat(server) as chat:
        server.chat = Answer([garbage], content_type=server.chat.content_type)
        with pytest.raises((EngineUnavailableError, EngineInterruptedError)):
            await reply(chat)


@SERVERS
@pytest.mark.parametrize(
    ("status", "expected"),
    [(404, ModelMissingError), (500, EngineError), (503, EngineError), (400, EngineError)],
)
async def test_error_answers_are_typed(
    kind: type[ScriptedOllama | ScriptedOpenAI], status: int, expected: type[EngineError]
) -> None:
    async with serving(kind()) as server, a_chat(server) as chat:
        server.chat = as_json({"error": {"message": "no"}}, status=status)
        with pytest.raises(expected):
            await reply(chat)


async def test_ollama_gets_window_schema_and_no_thinking() -> None:
    async with serving(ScriptedOllama()) as server, a_chat(server, context_tokens=2048) as chat:
        await reply(chat, ChatOptions(max_tokens=17, temperature=0.25, json_schema=SCHEMA))
        asked = server.requests_to("/api/chat")[0].body
        assert asked["options"] == {"num_ctx": 2048, "num_predict": 17, "temperature": 0.25}
        assert asked["format"] == SCHEMA
        assert asked["think"] is False
        assert asked["keep_alive"] == "30m"
        assert asked["messages"] == [{"role": m.role, "content": m.content} for m in HELLO]


async def test_ollama_thinking_parts_are_left_out() -> None:
    async with serving(ScriptedOllama()) as server, a_chat(server) as chat:
        thought = server.part("", thinking="Hm, a greeting.")
        server.chat = Answer([thought, *server.says("Hi.").chunks])
        assert await reply(chat) == ["Hi."]


async def test_an_ollama_that_refuses_think_is_asked_without_it_from_then_on() -> None:
    async with serving(ScriptedOllama()) as server, a_chat(server) as chat:
        server.refuses_think = True
        assert await reply(chat) == ["Hello", " there."]
        assert await reply(chat) == ["Hello", " there."]
        assert ["think" in r.body for r in server.requests_to("/api/chat")] == [True, False, False]


async def test_ollama_without_the_model_says_how_to_get_it() -> None:
    async with serving(ScriptedOllama(models=["other:1b"])) as server, a_chat(server) as chat:
        with pytest.raises(ModelMissingError, match=r"ollama pull qwen2\.5:3b"):
            await chat.start()
        with pytest.raises(ModelMissingError):
            await reply(chat)
        assert "ollama pull" in str(chat.status().reason)
        server.models.append("qwen2.5:3b")
        await until(lambda: chat.status().ready)
        assert await reply(chat) == ["Hello", " there."]


async def test_openai_gets_key_schema_and_limits() -> None:
    async with (
        serving(ScriptedOpenAI()) as server,
        a_chat(server, openai_api_key="s3cret", openai_model="mine") as chat,
    ):
        await reply(chat, ChatOptions(max_tokens=17, temperature=0.25, json_schema=SCHEMA))
        request = server.requests_to("/v1/chat/completions")[0]
        assert request.headers["authorization"] == "Bearer s3cret"
        assert request.body["model"] == "mine"
        assert request.body["max_tokens"] == 17
        assert request.body["response_format"]["json_schema"]["schema"] == SCHEMA
        await reply(chat)
        assert "response_format" not in server.requests_to("/v1/chat/completions")[1].body


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"code": 400, "type": "exceed_context_size_error", "message": "too long"}},
        {"error": {"code": "context_length_exceeded", "message": "too long"}},
        {"error": {"message": "This model's maximum context length is 4096 tokens."}},
    ],
)
async def test_openai_says_when_the_prompt_is_too_long(body: dict[str, Any]) -> None:
    async with serving(ScriptedOpenAI()) as server, a_chat(server) as chat:
        server.chat = as_json(body, status=400)
        with pytest.raises(ContextOverflowError):
            await reply(chat)


async def test_openai_refuses_the_key() -> None:
    async with serving(ScriptedOpenAI()) as server, a_chat(server) as chat:
        server.listing = as_json({"error": {"message": "bad key"}}, status=401)
        with pytest.raises(EngineUnavailableError, match="refuses the API key"):
            await chat.start()
        assert not chat.status().ready


async def test_an_openai_server_without_a_model_list_is_used_all_the_same() -> None:
    async with serving(ScriptedOpenAI()) as server, a_chat(server) as chat:
        server.listing = as_json({"error": "?"}, status=404)
        await chat.start()
        assert chat.status().ready


PHYSICAL_BATCH = (
    "input (600 tokens) is too large to process. increase the physical batch size"
    " (current batch size: 512)"
)


@asynccontextmanager
async def an_embedder(
    server: ScriptedServer, **embeddings: Any
) -> AsyncIterator[OllamaEmbedder | OpenAIEmbedder]:
    settings = settings_for(server, embeddings={"timeout_s": 30, **embeddings})
    engine: OllamaEmbedder | OpenAIEmbedder
    if isinstance(server, ScriptedOllama):
        engine = OllamaEmbedder(settings, OllamaProbe(settings.ollama))
    else:
        engine = OpenAIEmbedder(settings)
    try:
        yield engine
    finally:
        await engine.close()


@SERVERS
async def test_embeddings_come_in_batches_in_order_with_length_one(
    kind: type[ScriptedOllama | ScriptedOpenAI],
) -> None:
    async with serving(kind()) as server, an_embedder(server) as embedder:
        assert embedder.dimension == 768  # what the settings expect until the model has spoken
        await embedder.start()
        assert embedder.dimension == 8
        before = len(server.received)
        vectors = await embedder.embed(["a", "bb", "ccc", "dddd", "eeeee"])
        assert vectors.shape == (5, 8)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
        asked = [r.body["input"] for r in server.received[before:]]
        assert asked == [["a", "bb"], ["ccc", "dddd"], ["eeeee"]]
        assert (await embedder.embed([])).shape == (0, 8)


async def test_rows_follow_the_index_not_the_order_of_the_answer() -> None:
    async with serving(ScriptedOpenAI()) as server, an_embedder(server) as embedder:
        rows = [{"index": 1, "embedding": [0.0, 2.0]}, {"index": 0, "embedding": [2.0, 0.0]}]
        server.embeddings = as_json({"object": "list", "data": rows})
        assert (await embedder.embed(["a", "b"])).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@SERVERS
@pytest.mark.parametrize(
    "vectors", [[[0.0] * 8], [[1.0] * 7], [[1.0] * 8] * 2, [[None] * 8], [], "text"]
)
async def test_wrong_vectors_are_errors(
    kind: type[ScriptedOllama | ScriptedOpenAI], vectors: Any
) -> None:
    async with serving(kind()) as server, an_embedder(server) as embedder:
        await embedder.start()
        if isinstance(server, ScriptedOllama):
            server.embed = as_json({"embeddings": vectors})
        else:
            data = [{"index": i, "embedding": v} for i, v in enumerate(vectors)]
            server.embeddings = as_json({"object": "list", "data": data})
        with pytest.raises(EngineError):
            await embedder.embed(["x"])
        assert embedder.status().degraded


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, {"error": {"code": 500, "type": "server_error", "message": PHYSICAL_BATCH}}),
        (400, {"error": {"message": "Invalid 'input[0]': maximum input length is 8192 tokens."}}),
        (400, {"error": {"message": "prefill 744 tokens exceed n_ctx_per_seq"}}),
        (413, {"message": "`inputs` must have less than 512 tokens. Given: 534", "code": 413}),
        (413, {}),
    ],
)
async def test_an_openai_server_says_when_a_text_is_too_long_to_embed(
    status: int, body: dict[str, Any]
) -> None:
    async with serving(ScriptedOpenAI()) as server, an_embedder(server) as embedder:
        server.embeddings = as_json(body, status=status)
        with pytest.raises(ContextOverflowError):
            await embedder.embed(["x"])


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "the input length exceeds the context length"),
        (500, f"do embedding request: {PHYSICAL_BATCH}"),
        (413, "too much"),
    ],
)
async def test_ollama_says_when_a_text_is_too_long_to_embed(status: int, message: str) -> None:
    async with serving(ScriptedOllama()) as server, an_embedder(server) as embedder:
        server.embed = as_json({"error": message}, status=status)
        with pytest.raises(ContextOverflowError):
            await embedder.embed(["x"])


@SERVERS
async def test_a_slow_embedder_times_out(kind: type[ScriptedOllama | ScriptedOpenAI]) -> None:
    async with serving(kind()) as server, an_embedder(server, timeout_s=0.05) as embedder:
        never = Answer([asyncio.Event()])
        if isinstance(server, ScriptedOllama):
            server.embed = never
        else:
            server.embeddings = never
        with pytest.raises(EngineTimeoutError):
            await embedder.embed(["x"])


@SERVERS
async def test_an_embedder_that_goes_down(kind: type[ScriptedOllama | ScriptedOpenAI]) -> None:
    async with serving(kind()) as server, an_embedder(server) as embedder:
        await embedder.start()
        await server.stop()
        with pytest.raises(EngineUnavailableError):
            await embedder.embed(["x"])
        assert not embedder.status().ready
        await server.restart()
        assert (await embedder.embed(["x"])).shape == (1, 8)
        assert embedder.status().ready


async def test_auto_takes_ollama_where_it_has_the_models() -> None:
    async with serving(ScriptedOllama()) as server:
        settings = settings_for(server)
        probe = OllamaProbes(settings.ollama)
        chat, why = await choose_chat(settings, probe)
        embedder, why_embedder = await choose_embedder(settings, probe)
        assert isinstance(chat, OllamaChat)
        assert isinstance(embedder, OllamaEmbedder)
        assert embedder.model_id == "ollama/nomic-embed-text"
        assert server.url in why
        assert "qwen2.5:3b" in why
        assert "nomic-embed-text" in why_embedder


@pytest.mark.parametrize(
    ("memory", "engine", "model"),
    [
        ({"consolidation_model": "big"}, "auto", "big"),
        ({"consolidation_provider": "ollama"}, "embedded", "qwen2.5:3b"),
        ({"consolidation_provider": "ollama", "consolidation_model": "big"}, "openai", "big"),
        ({"consolidation_model": "big"}, "openai", "big"),
    ],
)
async def test_summaries_may_have_a_model_of_their_own(
    memory: dict[str, str], engine: str, model: str
) -> None:
    kind = ScriptedOpenAI if engine == "openai" and len(memory) == 1 else ScriptedOllama
    server = ScriptedOllama(models=[model]) if kind is ScriptedOllama else ScriptedOpenAI()
    async with serving(server) as there:
        chat = {"engine": engine, "first_token_timeout_s": 30}
        settings = settings_for(there, chat=chat, memory=memory)
        made = choose_consolidation(settings, OllamaProbes(settings.ollama))
        assert isinstance(made, OllamaChat if kind is ScriptedOllama else OpenAIChat)
        await made.start()
        messages = [ChatMessage("user", "Hi")]
        assert [piece async for piece in made.stream(messages, ChatOptions(max_tokens=9))]
        assert there.received[-1].body["model"] == model
        assert made.status().model == model
        await made.close()


def test_without_such_a_setting_the_model_of_the_conversations_writes_summaries() -> None:
    settings = Settings(_env_file=None)
    assert choose_consolidation(settings, OllamaProbes(settings.ollama)) is None


async def test_auto_goes_without_an_ollama_that_lacks_a_model() -> None:
    async with serving(ScriptedOllama(models=["qwen2.5:3b"])) as server:
        settings = settings_for(server)
        probe = OllamaProbes(settings.ollama)
        assert isinstance((await choose_chat(settings, probe))[0], OllamaChat)
        embedder, why = await choose_embedder(settings, probe)
        assert isinstance(embedder, EmbeddedEmbedder)
        assert "does not have nomic-embed-text" in why
        assert why.endswith("so the embedded model is used.")


@pytest.mark.parametrize("silent", [True, False])
async def test_auto_goes_without_an_ollama_that_does_not_answer(silent: bool) -> None:
    async with serving(ScriptedServer()) as server:
        settings = settings_for(server)
        if silent:
            await server.stop()
        chat, why = await choose_chat(settings, OllamaProbes(settings.ollama))
        assert isinstance(chat, EmbeddedChat)
        assert why == (f"Ollama does not answer at {server.url}, so the embedded model is used.")


async def test_auto_does_not_wait_long_for_an_ollama_that_hangs() -> None:
    class Hanging(ScriptedServer):
        def answer(self, request: object) -> Answer:
            return Answer([asyncio.Event()])

    async with serving(Hanging()) as server:
        probe = OllamaProbe(OllamaSettings(host=server.url, probe_timeout_s=0.05))
        assert not await probe.refresh()


@pytest.mark.parametrize("engine", ["ollama", "openai", "embedded"])
async def test_the_settings_decide(engine: str) -> None:
    async with serving(ScriptedOllama()) as server:
        settings = settings_for(server, chat={"engine": engine}, embeddings={"engine": engine})
        probe = OllamaProbes(settings.ollama)
        chat, why = await choose_chat(settings, probe)
        embedder, _ = await choose_embedder(settings, probe)
        assert chat.status().name == engine
        assert embedder.model_id.startswith(engine)
        assert f"chat.engine = {engine}" in why
        assert not server.received  # nobody is asked when there is nothing to choose
        await chat.close()
        await embedder.close()


async def test_the_probe_follows_ollama_and_leaves_nothing_running() -> None:
    async with serving(ScriptedOllama()) as server:
        probe = OllamaProbe(OllamaSettings(host=server.url), interval_s=0.01)
        await probe.start()
        assert probe.reachable
        assert probe.has("nomic-embed-text")
        await server.stop()
        await until(lambda: not probe.reachable)
        assert not probe.has("nomic-embed-text")
        await server.restart()
        await until(lambda: probe.reachable)
        await probe.close()
        asked = len(server.received)
        await asyncio.sleep(0.05)
        assert len(server.received) == asked


async def test_the_embedded_embedder_knows_what_is_alike() -> None:
    embedder = EmbeddedEmbedder(EmbeddingSettings(batch_size=2))
    with pytest.raises(EngineUnavailableError):
        await embedder.embed(["too early"])
    assert not embedder.status().ready
    try:
        await embedder.start()
        await embedder.start()
        vectors = await embedder.embed(
            ["My dog is called Rex.", "Wie heißt mein Hund?", "The train leaves at noon.", ""]
        )
        assert vectors.shape == (4, embedder.dimension)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
        assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1
        alone = await embedder.embed(["My dog is called Rex."])
        assert np.allclose(alone[0], vectors[0], atol=1e-4)
        assert embedder.status().ready
        assert embedder.model_id == "embedded/use-multilingual-v3"
    finally:
        await embedder.close()
        await embedder.close()
    assert not embedder.status().ready
