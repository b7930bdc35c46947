"""The scripted engines keep the protocols that other tests lean on."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from lobug.engines.base import ChatMessage, ChatModel, ChatOptions, Embedder
from lobug.errors import EngineInterruptedError, EngineUnavailableError
from support.scripted import ScriptedChatModel, ScriptedEmbedder

HELLO = [ChatMessage("user", "Hello there")]
OPTIONS = ChatOptions(max_tokens=10)


async def test_replies_come_in_order_and_the_last_repeats() -> None:
    chat: ChatModel = ScriptedChatModel(["one two ", "three"])
    said = ["".join([p async for p in chat.stream(HELLO, OPTIONS)]) for _ in range(3)]
    assert said == ["one two ", "three", "three"]


async def test_steps_wait_and_raise() -> None:
    gate = asyncio.Event()
    chat = ScriptedChatModel([["a", gate, "b", EngineInterruptedError("chat", "cut")]])
    stream = chat.stream(HELLO, OPTIONS)
    assert await anext(stream) == "a"
    waiting = asyncio.ensure_future(anext(stream))
    await chat.wait_for_calls(1)
    assert not waiting.done()
    gate.set()
    assert await waiting == "b"
    with pytest.raises(EngineInterruptedError):
        await anext(stream)
    assert chat.calls[0].text == "ab"
    assert not chat.calls[0].finished


async def test_a_cancelled_call_is_recorded() -> None:
    chat = ScriptedChatModel([["a", asyncio.Event()]])

    async def consume() -> None:
        async for _ in chat.stream(HELLO, OPTIONS):
            pass

    task = asyncio.ensure_future(consume())
    await chat.wait_for_calls(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert chat.calls[0].cancelled


async def test_similar_sentences_are_near_and_vectors_have_length_one() -> None:
    embedder: Embedder = ScriptedEmbedder(dimension=48)
    vectors = await embedder.embed(
        ["My dog is called Rex", "What is my dog called?", "Rain in Rome on Tuesday", ""]
    )
    assert vectors.shape == (4, 48)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert vectors[0] @ vectors[1] > 0.5 > abs(vectors[0] @ vectors[2])
    assert (await embedder.embed([])).shape == (0, 48)


async def test_an_embedder_can_go_down() -> None:
    embedder = ScriptedEmbedder()
    embedder.go_down()
    with pytest.raises(EngineUnavailableError):
        await embedder.embed(["x"])
    assert embedder.status().degraded
