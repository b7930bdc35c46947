"""Which lane keeps its prompt prefix in which slot of the embedded model. Pure.

The embedded chat model: llama.cpp in a supervised process, with one prompt cache a lane."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Container, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletionChunk

from lobug.engines.base import (
    BACKGROUND_LANE,
    SHARED_PREFIX_LANE,
    ChatMessage,
    ChatOptions,
    EngineStatus,
)
from lobug.engines.llama_child import Endpoint, LlamaOptions
from lobug.engines.llama_process import LlamaProcess
from lobug.engines.openai import connect, stream_text, typed_error
from lobug.engines.timing import PrefillSpeed, paced
from lobug.errors import EngineError, EngineTimeoutError, ModelDamagedError
from lobug.models.catalog import Job, get, main_file
from lobug.settings import ChatSettings


class LaneMap:
    """Assigns lanes to slots.

    Slots 0 to ``conversation_slots`` - 1 belong to conversations, the least recently used gives
    way; the last slot is the background's and nobody else's.
    """

    def __init__(self, conversation_slots: int) -> None:
        self._slots: OrderedDict[int, str] = OrderedDict.fromkeys(
            range(conversation_slots), SHARED_PREFIX_LANE
        )  # least recently used first
        self.background_slot = conversation_slots

    @property
    def total(self) -> int:
        """Slots altogether."""
        return len(self._slots) + 1

    def unclaimed(self) -> list[int]:
        """Slots that no conversation has used yet: where a shared prefix is of use."""
        return sorted(s for s, lane in self._slots.items() if lane == SHARED_PREFIX_LANE)

    def slots_of(self, belongs: Callable[[str], bool]) -> list[int]:
        """The slots of the conversations' lanes of which ``belongs`` is true."""
        return sorted(
            s for s, lane in self._slots.items() if lane != SHARED_PREFIX_LANE and belongs(lane)
        )

    def release(self, slot: int) -> None:
        """Give a conversation's slot back: it is the first that a new conversation takes."""
        if slot != self.background_slot:
            self._slots[slot] = SHARED_PREFIX_LANE

    def slot_for(self, lane: str, busy: Container[int] = ()) -> int:
        """The slot of ``lane``; a lane without one gets the slot that is missed least.

        A slot nobody has claimed is taken before one in use, and an idle one before one in
        ``busy``, because a request for a busy slot has to wait.
        """
        if lane == BACKGROUND_LANE:
            return self.background_slot
        slot = next((s for s, owner in self._slots.items() if owner == lane), None)
        if slot is None:
            ages = list(self._slots)
            slot = min(
                ages,
                key=lambda s: (s in busy, self._slots[s] != SHARED_PREFIX_LANE, ages.index(s)),
            )
        self._slots[slot] = lane
        self._slots.move_to_end(slot)
        return slot


log = logging.getLogger(__name__)

RESTART_WAIT_S = 15.0
"""How long a request waits for a process that is being restarted, seconds; loading takes 3 to 5."""

REUSE_TOKENS = 32
"""Shortest run of tokens whose cache is kept when what stood before it is dropped from the same
conversation. Of a prompt of 294 tokens that lost its 92 oldest words, 1 token is read instead of
198: 0.9 instead of 10.9 s to the first token, on two cores with other work."""

_WHERE = "the embedded model"
_HOST = "http://llama"
_SLOTS = f"{_HOST}/slots"


@dataclass(frozen=True, slots=True)
class PromptUse:
    """What the last request of a lane cost, tokens."""

    read: int
    """Tokens of the prompt that had to be computed."""
    cached: int
    """Tokens that were in the lane's cache already."""
    written: int


@dataclass(frozen=True, slots=True)
class _Held:
    """What a slot's cache holds."""

    lane: str
    """Of its last request."""
    impersonal: Sequence[ChatMessage]
    """The beginning of its prompt that holds nobody's words."""


_NOTHING = _Held("", ())


def shared_beginning(
    shared: Sequence[ChatMessage], messages: Sequence[ChatMessage]
) -> Sequence[ChatMessage]:
    """As much of ``shared`` as ``messages`` begins with: all, its first message, to which
    ``messages`` may add at its end, or nothing. Pure."""
    if not shared or not messages:
        return ()
    if tuple(messages[: len(shared)]) == tuple(shared):
        return shared
    first, theirs = shared[0], messages[0]
    same = first.role == theirs.role and theirs.content.startswith(first.content)
    return shared[:1] if same else ()


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def llama_options(settings: ChatSettings, models_dir: Path) -> LlamaOptions:
    """How the settings want the model loaded. Raises ModelMissingError for an unknown name."""
    path = settings.embedded_path or main_file(
        models_dir, get(settings.embedded_model, Job.CHAT).name
    )
    return LlamaOptions(
        model_path=path.expanduser().absolute(),
        slots=settings.conversation_slots + 1,
        context_tokens=settings.context_tokens,
        threads=settings.threads or min(8, usable_cores()),
        own_file=settings.embedded_path is not None,
        hang_timeout_s=settings.hang_timeout_s,
    )


class EmbeddedChat:
    """``ChatModel`` without a server: the model runs in a child process of this one.

    Each lane has a slot of its own (see ``LaneMap``) and its requests run one after the other;
    lanes run at the same time. A lane that takes a slot over uses no more of what is cached there
    than the beginning that its prompt shares. Within one lane, that is one person's one
    conversation without an erasure, history that lost its oldest messages keeps the rest.
    """

    def __init__(self, settings: ChatSettings, process: LlamaProcess) -> None:
        self._speed = PrefillSpeed()
        self._settings = settings
        self._process = process
        self._lanes = LaneMap(settings.conversation_slots)
        self._locks = [asyncio.Lock() for _ in range(self._lanes.total)]
        self._client: tuple[Endpoint, openai.AsyncOpenAI] | None = None
        self._withdrawn: ModelDamagedError | None = None
        self._shared: Sequence[ChatMessage] = ()
        self._held: dict[int, _Held] = {}
        self._stale: dict[int, Endpoint] = {}
        self._clearing: asyncio.Task[None] | None = None
        self.last_use: dict[int, PromptUse] = {}
        """By slot: what its last finished request cost."""

    @property
    def context_tokens(self) -> int:
        """Tokens of prompt and reply that fit together, in each lane."""
        return self._settings.context_tokens

    @property
    def process(self) -> LlamaProcess:
        """The supervised process."""
        return self._process

    @property
    def prefill_ms_per_token(self) -> float | None:
        """As llama.cpp reports it."""
        return self._speed.ms_per_token

    async def start(self) -> None:
        """Load the model. Raises ModelMissingError, EngineUnavailableError."""
        self._withdrawn = None
        await self._process.start()

    @property
    def catalog_model(self) -> str | None:
        """The name in the settings; None: ``chat.embedded_path`` is used."""
        return None if self._settings.embedded_path else self._settings.embedded_model

    async def withdraw(self, error: ModelDamagedError) -> None:
        """End the process, and with it what it writes."""
        self._withdrawn = error
        await self.close()

    async def close(self) -> None:
        """End the process."""
        clearing, self._clearing = self._clearing, None
        if clearing is not None:
            clearing.cancel()
            await asyncio.gather(clearing, return_exceptions=True)
        await self._drop_client()
        await self._process.close()

    def status(self) -> EngineStatus:
        """The state as last known; why it is not ready or was restarted."""
        process = self._process
        ready = process.endpoint is not None and not process.silent_s
        reason = None
        if process.silent_s:
            reason = (
                f"The embedded chat model has not answered for {process.silent_s:.0f} s; after"
                f" {self._settings.hang_timeout_s:g} s it is restarted."
            )
        elif self._withdrawn is not None:
            reason = f"The embedded chat model was stopped: {self._withdrawn}"
        elif not ready:
            reason = f"The embedded chat model is not ready: {process.reason}."
        model = self._settings.embedded_model
        if self._settings.embedded_path is not None:
            model = self._settings.embedded_path.name
        return EngineStatus(
            name="embedded",
            model=model,
            ready=ready,
            degraded=not ready,
            reason=reason,
            details={
                "restarts": process.restarts,
                "hangs": process.hangs,
                "last_restart_because": process.last_end,
                "conversation_slots": self._settings.conversation_slots,
                "context_tokens": self._settings.context_tokens,
                "last_prompts": {slot: asdict(use) for slot, use in self.last_use.items()},
            },
        )

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """Yield the reply in pieces. Raises EngineInterruptedError when the process dies under it,
        ContextOverflowError when prompt and reply do not fit."""
        pieces = paced(
            self._pieces(messages, options),
            engine="chat",
            between_s=options.first_token_timeout_s or self._settings.first_token_timeout_s,
            whole_s=options.timeout_s or self._settings.timeout_s,
        )
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece
        except EngineTimeoutError:
            self._process.suspect()
            raise

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        """Read ``messages`` into the lane's cache. ``SHARED_PREFIX_LANE``: into every slot that no
        conversation has claimed, because each new conversation takes one of them over."""
        if lane != SHARED_PREFIX_LANE:
            async with self._slot(lane) as slot:
                await self._read_into(slot, messages, lane)
            return
        self._shared = tuple(messages)
        for slot in self._lanes.unclaimed():
            async with self._locks[slot]:
                if slot in self._lanes.unclaimed():  # else that conversation's prompt is worth more
                    await self._clear_if_stale(slot)
                    await self._read_into(slot, messages, lane)

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Clear the slots of these lanes and the background's: at once, or as soon as the request
        in them is over. The prefix that all conversations share stays, because it holds nobody's
        words and costs seconds to read."""
        slots = self._lanes.slots_of(belongs)
        for slot in slots:
            self._lanes.release(slot)
        if self._process.endpoint is None:
            return  # its cache ended with the process
        slots.append(self._lanes.background_slot)
        self._stale |= dict.fromkeys(slots, self._process.endpoint)
        if self._clearing is None or self._clearing.done():
            self._clearing = asyncio.ensure_future(self._clear_all())

    async def _clear_all(self) -> None:
        while waiting := sorted(self._stale):
            for slot in waiting:
                async with self._locks[slot]:
                    await self._clear_if_stale(slot)

    async def _clear_if_stale(self, slot: int) -> None:
        """Clear a slot that is to be cleared. Call with its lock held; never raises."""
        endpoint = self._stale.get(slot)
        if endpoint is None:
            return
        try:
            if self._process.endpoint != endpoint:
                log.debug("slot %d ended with its process", slot)
            elif impersonal := self._held.get(slot, _NOTHING).impersonal:
                # What a slot holds beyond the prompt that it reads is dropped.
                await self._read_into(slot, impersonal, SHARED_PREFIX_LANE)
            else:
                await self._erase(slot)
        except EngineError as error:
            log.info("slot %d could not be cleared: %s", slot, error)
            if self._process.endpoint == endpoint:
                self._process.restart("could not clear its cache")
        self._held.pop(slot, None)
        if self._stale.get(slot) == endpoint:
            del self._stale[slot]

    async def _erase(self, slot: int) -> None:
        """Raises EngineError."""
        client = await self._connected()
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                await client.post(f"{_SLOTS}/{slot}?action=erase", cast_to=httpx2.Response)
        except (openai.OpenAIError, httpx2.HTTPError, OSError) as error:  # a TimeoutError is one
            raise typed_error(
                error, engine="chat", where=_WHERE, model=_WHERE, answering=False
            ) from error

    def _fields(self, slot: int, lane: str, messages: Sequence[ChatMessage]) -> dict[str, Any]:
        """What llama.cpp is told beside the prompt. Call with the slot's lock held, just before."""
        before = self._held.get(slot, _NOTHING).lane
        self._held[slot] = _Held(lane, shared_beginning(self._shared, messages))
        same = lane == before and lane not in {BACKGROUND_LANE, SHARED_PREFIX_LANE}
        return _slot_fields(slot) | {"n_cache_reuse": REUSE_TOKENS if same else 0}

    async def _read_into(self, slot: int, messages: Sequence[ChatMessage], lane: str) -> None:
        client = await self._connected()
        # No generation prompt, so that what is cached is a true prefix of what follows it.
        extra = self._fields(slot, lane, messages) | {"add_generation_prompt": False}
        pieces = paced(
            stream_text(
                client,
                where=_WHERE,
                model=_WHERE,
                messages=messages,
                options=ChatOptions(max_tokens=1, temperature=0.0, lane=BACKGROUND_LANE),
                extra=extra,
                observe=self._observer(slot),
            ),
            engine="chat",
            between_s=self._settings.timeout_s,
            whole_s=self._settings.timeout_s,
        )
        with self._process.in_use():
            async with aclosing(pieces):
                async for _ in pieces:
                    pass

    async def _pieces(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        async with self._slot(options.lane) as slot:
            client = await self._connected()
            source = stream_text(
                client,
                where=_WHERE,
                model=_WHERE,
                messages=messages,
                options=options,
                extra=self._fields(slot, options.lane, messages),
                observe=self._observer(slot),
            )
            with self._process.in_use():
                async with aclosing(source):
                    async for piece in source:
                        yield piece

    def _observer(self, slot: int) -> Callable[[ChatCompletionChunk], None]:
        def observe(chunk: ChatCompletionChunk) -> None:
            self._process.moved()
            timings = (chunk.model_extra or {}).get("timings")
            if timings:
                self.last_use[slot] = PromptUse(
                    timings["prompt_n"], timings["cache_n"], timings["predicted_n"]
                )
                if slot != self._lanes.background_slot:  # its prompts are read beside turns
                    self._speed.note(timings["prompt_n"], timings["prompt_ms"])

        return observe

    @asynccontextmanager
    async def _slot(self, lane: str) -> AsyncIterator[int]:
        busy = {slot for slot, lock in enumerate(self._locks) if lock.locked()}
        slot = self._lanes.slot_for(lane, busy)
        async with self._locks[slot]:
            await self._clear_if_stale(slot)
            yield slot

    async def _connected(self) -> openai.AsyncOpenAI:
        """The client of the process's present life."""
        if self._withdrawn is not None:
            raise self._withdrawn.with_traceback(None)
        endpoint = await self._process.wait_ready(RESTART_WAIT_S)
        if self._client is None or self._client[0] != endpoint:
            await self._drop_client()
            client = connect(f"{_HOST}/v1", endpoint.api_key, unix_socket=endpoint.socket)
            self._client = (endpoint, client)
        return self._client[1]

    async def _drop_client(self) -> None:
        old, self._client = self._client, None
        if old is not None:
            await old[1].close()


def _slot_fields(slot: int) -> dict[str, Any]:
    return {
        "id_slot": slot,
        "cache_prompt": True,
        # Progress reports make llama.cpp look at the connection after every batch: a prompt that
        # nobody waits for any more is given up at once instead of after a second.
        "return_progress": True,
        "chat_template_kwargs": {"enable_thinking": False},
    }
