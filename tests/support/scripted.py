"""Engines that follow a script: real implementations of the protocols, without a model.

from support.scripted import ScriptedChatModel, ScriptedEmbedder

chat = ScriptedChatModel(["Hello, Ada."])            # the last reply repeats
chat = ScriptedChatModel(lambda messages, options: "{}" if options.json_schema else "Hi.")
gate = asyncio.Event()
chat = ScriptedChatModel([["Once upon ", gate, "a time.", EngineInterruptedError("chat", "x")]])
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from lobug.engines.base import ChatMessage, ChatOptions, EngineStatus, Vectors
from lobug.errors import EngineUnavailableError

Step = str | asyncio.Event | Exception
"""A piece of text to yield, an event to wait for, or an error to raise."""

Reply = str | Exception | Sequence[Step]
"""A whole reply (yielded word by word), an error, or step by step."""

Replies = Sequence[Reply] | Callable[[Sequence[ChatMessage], ChatOptions], Reply]


@dataclass
class ChatCall:
    """One call of ``stream``, as it went."""

    messages: tuple[ChatMessage, ...]
    """Without the notes of date and time, which differ from run to run."""
    options: ChatOptions
    sent: tuple[ChatMessage, ...] = ()
    """As they were sent."""
    text: str = ""
    """What has been yielded so far."""
    finished: bool = False
    """The reply was yielded to its end."""
    cancelled: bool = False
    """The caller cancelled or closed the stream before its end."""

    @property
    def prompt(self) -> str:
        """All messages joined, for assertions on what the model saw."""
        return "\n".join(f"{m.role}: {m.content}" for m in self.messages)


_NOW = re.compile(r"^\[Now: [^\]\n]*\]\n+")


def without_time(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """The messages without the notes of date and time."""
    return tuple(ChatMessage(m.role, _NOW.sub("", m.content)) for m in messages)


def _steps(reply: Reply) -> Sequence[Step]:
    if isinstance(reply, str):
        return re.findall(r"\s*\S+\s*$|\s*\S+|\s+", reply)
    if isinstance(reply, Exception):
        return (reply,)
    return reply


class ScriptedChatModel:
    """A chat model with scripted replies. See the module's docstring for examples.

    ``calls`` and ``prefills`` record what was asked. ``fail`` set: every call raises it at once.
    A list of replies is taken in order and its last one repeats.
    """

    def __init__(self, replies: Replies = ("Okay.",), *, context_tokens: int = 4096) -> None:
        self._replies = replies
        self._next = 0
        self._context_tokens = context_tokens
        self._changed = asyncio.Condition()
        self.calls: list[ChatCall] = []
        self.prefills: list[tuple[tuple[ChatMessage, ...], str]] = []
        self.forgotten: list[Callable[[str], bool]] = []
        self.fail: Exception | None = None
        self.details: dict[str, object] = {}
        self.started = False
        self.closed = False
        self.ms_per_token: float | None = None

    @property
    def context_tokens(self) -> int:
        return self._context_tokens

    @property
    def prefill_ms_per_token(self) -> float | None:
        return self.ms_per_token

    async def start(self) -> None:
        if self.fail is not None:
            raise self.fail
        self.started = True

    async def close(self) -> None:
        self.closed = True

    def status(self) -> EngineStatus:
        return EngineStatus(
            name="scripted",
            model="scripted-chat",
            ready=self.fail is None,
            degraded=self.fail is not None,
            reason=str(self.fail) if self.fail is not None else None,
            details=self.details,
        )

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        call = ChatCall(without_time(messages), options, sent=tuple(messages))
        self.calls.append(call)
        await self._announce()
        try:
            if self.fail is not None:
                raise self.fail
            for step in _steps(self._reply_to(call)):
                if isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, Exception):
                    raise step
                else:
                    await asyncio.sleep(0)
                    call.text += step
                    yield step
            call.finished = True
        except (asyncio.CancelledError, GeneratorExit):
            call.cancelled = True
            raise

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        if self.fail is not None:
            raise self.fail
        self.prefills.append((without_time(messages), lane))
        await self._announce()

    def forget(self, belongs: Callable[[str], bool]) -> None:
        self.forgotten.append(belongs)

    async def wait_for_calls(self, count: int) -> None:
        """Return once ``stream`` has been entered ``count`` times."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.calls) >= count)

    async def wait_for_prefills(self, count: int) -> None:
        """Return once ``prefill`` has been called ``count`` times."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.prefills) >= count)

    async def _announce(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _reply_to(self, call: ChatCall) -> Reply:
        if callable(self._replies):
            return self._replies(call.messages, call.options)
        reply = self._replies[min(self._next, len(self._replies) - 1)]
        self._next += 1
        return reply


@dataclass
class ScriptedEmbedder:
    """Deterministic bag-of-words vectors: sentences that share words are near, others are not.

    Each word (lower case, a plural s dropped) adds +1 or -1 to two components chosen by its hash.
    ``fail`` set: every call raises it. ``gate`` set: every call waits for it first.
    """

    dimension: int = 64
    model_id: str = "scripted/bag-of-words"
    fail: Exception | None = None
    gate: asyncio.Event | None = None
    calls: list[tuple[str, ...]] = field(default_factory=list)
    started: bool = False
    closed: bool = False

    async def start(self) -> None:
        if self.fail is not None:
            raise self.fail
        self.started = True

    async def close(self) -> None:
        self.closed = True

    def status(self) -> EngineStatus:
        return EngineStatus(
            name="scripted",
            model=self.model_id,
            ready=self.fail is None,
            degraded=self.fail is not None,
            reason=str(self.fail) if self.fail is not None else None,
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(tuple(texts))
        if self.gate is not None:
            await self.gate.wait()
        if self.fail is not None:
            raise self.fail
        return np.stack([self._vector(text) for text in texts]) if texts else self._nothing()

    def go_down(self) -> None:
        """From now on every call fails as if the server were gone."""
        self.fail = EngineUnavailableError("embeddings", "the script says so")

    def _nothing(self) -> Vectors:
        return np.zeros((0, self.dimension), dtype=np.float32)

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(self.dimension, dtype=np.float32)
        words = re.findall(r"\w+", text.lower()) or ["(nothing)"]
        for word in words:
            stem = word[:-1] if len(word) > 3 and word.endswith("s") else word
            digest = hashlib.sha256(f"{self.model_id}:{stem}".encode()).digest()
            for index in (0, 4):
                component = int.from_bytes(digest[index : index + 3], "big") % self.dimension
                vector[component] += 1.0 if digest[index + 3] % 2 else -1.0
        length = float(np.linalg.norm(vector))
        if length == 0.0:  # two words that cancel each other out
            vector[0] = length = 1.0
        return vector / np.float32(length)
