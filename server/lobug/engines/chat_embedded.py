"""The embedded chat model: llama.cpp in a supervised process, with one prompt cache per lane."""

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
from lobug.engines.model_server import PrefillSpeed, paced
from lobug.engines.openai import connect, stream_text, typed_error
from lobug.errors import EngineError, EngineTimeoutError, ModelDamagedError
from lobug.models.catalog import Job, get, main_file
from lobug.settings import ChatSettings

log = logging.getLogger(__name__)

RESTART_WAIT_S = 15.0
"""How long a request waits for a process that is being restarted, seconds; loading takes 3 to 5."""

REUSE_TOKENS = 32
"""Shortest run of tokens whose cache is kept when earlier messages of the same conversation are
dropped. Of a prompt of 294 tokens that lost its 92 oldest words, 1 token is computed instead of
198: 0.9 instead of 10.9 s to the first token, on two cores with other work."""

_WHERE = "the embedded model"
_HOST = "http://llama"
_SLOTS = f"{_HOST}/slots"


class LaneMap:
    """Assigns lanes to slots. Pure.

    Slots 0 to ``conversation_slots`` - 1 are for conversations, of which the least recently used
    loses its slot to a new one; the last slot is for the background lane only.
    """

    def __init__(self, conversation_slots: int) -> None:
        self._slots: OrderedDict[int, str] = OrderedDict.fromkeys(
            range(conversation_slots), SHARED_PREFIX_LANE
        )  # least recently used first
        self.background_slot = conversation_slots

    @property
    def total(self) -> int:
        """Number of slots, the background's included."""
        return len(self._slots) + 1

    def unclaimed(self) -> list[int]:
        """Return the slots that no conversation has used yet, so that a shared prefix is useful."""
        return sorted(s for s, lane in self._slots.items() if lane == SHARED_PREFIX_LANE)

    def slots_of(self, belongs: Callable[[str], bool]) -> list[int]:
        """Return the slots of the conversations' lanes for which ``belongs`` is true."""
        return sorted(
            s for s, lane in self._slots.items() if lane != SHARED_PREFIX_LANE and belongs(lane)
        )

    def release(self, slot: int) -> None:
        """Free a conversation's slot."""
        if slot != self.background_slot:
            self._slots[slot] = SHARED_PREFIX_LANE

    def slot_for(self, lane: str, busy: Container[int] = ()) -> int:
        """Return the slot of ``lane``, which takes one over if it has none.

        It takes an idle slot before one in ``busy``, because a request for a busy slot has to
        wait; then one that no conversation has used; then the least recently used.
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


@dataclass(frozen=True, slots=True)
class PromptUse:
    """Tokens of the last request of a slot."""

    read: int
    """Of the prompt, computed."""
    cached: int
    """Of the prompt, found in the cache."""
    written: int
    """Of the reply."""


@dataclass(frozen=True, slots=True)
class _SlotContent:
    """What a slot's cache holds."""

    lane: str
    """Of its last request."""
    impersonal: Sequence[ChatMessage]
    """The beginning of its prompt that is the same for all users."""


_EMPTY_SLOT = _SlotContent("", ())


def shared_beginning(
    shared: Sequence[ChatMessage], messages: Sequence[ChatMessage]
) -> Sequence[ChatMessage]:
    """Return the part of ``shared`` with which ``messages`` begins. Pure.

    That is all of it, its first message (the first of ``messages`` may be longer), or nothing.
    """
    if not shared or not messages:
        return ()
    if tuple(messages[: len(shared)]) == tuple(shared):
        return shared
    first, other = shared[0], messages[0]
    same = first.role == other.role and other.content.startswith(first.content)
    return shared[:1] if same else ()


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def llama_options(settings: ChatSettings, models_dir: Path) -> LlamaOptions:
    """Return the options that the settings ask for. Raises ModelMissingError for an unknown
    model."""
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
    """``ChatModel`` that runs in a child process of this one.

    Each lane has a slot (see ``LaneMap``). Requests of one lane run one after the other, lanes run
    at the same time. A lane that takes over a slot reuses only the cached beginning that its prompt
    shares. Within one lane the cache of the remaining history is kept when the oldest messages are
    dropped.
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
        self._contents: dict[int, _SlotContent] = {}
        self._stale: dict[int, Endpoint] = {}
        self._clearing: asyncio.Task[None] | None = None
        self.last_use: dict[int, PromptUse] = {}
        """By slot: the tokens of its last finished request."""

    @property
    def context_tokens(self) -> int:
        """Tokens of prompt and reply that fit together, in each slot."""
        return self._settings.context_tokens

    @property
    def process(self) -> LlamaProcess:
        return self._process

    @property
    def prefill_ms_per_token(self) -> float | None:
        """Measured from what llama.cpp reports."""
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
        """End the process; requests under way fail."""
        self._withdrawn = error
        await self.close()

    async def close(self) -> None:
        clearing, self._clearing = self._clearing, None
        if clearing is not None:
            clearing.cancel()
            await asyncio.gather(clearing, return_exceptions=True)
        await self._drop_client()
        await self._process.close()

    def status(self) -> EngineStatus:
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
        """Yield the reply in pieces. Raises EngineInterruptedError when the process ends meanwhile,
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
        """Compute ``messages`` into the lane's cache. ``SHARED_PREFIX_LANE``: into every slot that
        no conversation has used yet, because each new conversation takes over one of them."""
        if lane != SHARED_PREFIX_LANE:
            async with self._slot(lane) as slot:
                await self._read_into(slot, messages, lane)
            return
        self._shared = tuple(messages)
        for slot in self._lanes.unclaimed():
            async with self._locks[slot]:
                if slot in self._lanes.unclaimed():  # a conversation may have taken it meanwhile
                    await self._clear_if_stale(slot)
                    await self._read_into(slot, messages, lane)

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Clear the slots of these lanes and the background's: at once, or when the request under
        way in them ends. The prefix that all conversations share stays, because it has no user's
        words in it and takes seconds to compute."""
        slots = self._lanes.slots_of(belongs)
        for slot in slots:
            self._lanes.release(slot)
        if self._process.endpoint is None:
            return  # the cache ended with the process
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
        """Clear a slot if it is marked as stale. Call with its lock held; never raises."""
        endpoint = self._stale.get(slot)
        if endpoint is None:
            return
        try:
            if self._process.endpoint != endpoint:
                log.debug("slot %d ended with its process", slot)
            elif impersonal := self._contents.get(slot, _EMPTY_SLOT).impersonal:
                # Computing a prompt drops what the slot holds beyond it.
                await self._read_into(slot, impersonal, SHARED_PREFIX_LANE)
            else:
                await self._erase(slot)
        except EngineError as error:
            log.info("slot %d could not be cleared: %s", slot, error)
            if self._process.endpoint == endpoint:
                self._process.restart("could not clear its cache")
        self._contents.pop(slot, None)
        if self._stale.get(slot) == endpoint:
            del self._stale[slot]

    async def _erase(self, slot: int) -> None:
        """Have llama.cpp erase a slot. Raises EngineError."""
        client = await self._connected()
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                await client.post(f"{_SLOTS}/{slot}?action=erase", cast_to=httpx2.Response)
        except (openai.OpenAIError, httpx2.HTTPError, OSError) as error:  # a TimeoutError is one
            raise typed_error(
                error, engine="chat", where=_WHERE, model=_WHERE, answering=False
            ) from error

    def _fields(self, slot: int, lane: str, messages: Sequence[ChatMessage]) -> dict[str, Any]:
        """Return the request's fields for llama.cpp, and record what the slot will hold. Call just
        before the request, with the slot's lock held."""
        before = self._contents.get(slot, _EMPTY_SLOT).lane
        self._contents[slot] = _SlotContent(lane, shared_beginning(self._shared, messages))
        same = lane == before and lane not in {BACKGROUND_LANE, SHARED_PREFIX_LANE}
        return _slot_fields(slot) | {"n_cache_reuse": REUSE_TOKENS if same else 0}

    async def _read_into(self, slot: int, messages: Sequence[ChatMessage], lane: str) -> None:
        client = await self._connected()
        # Without a generation prompt the cached tokens are a true prefix of the next prompt.
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
                if slot != self._lanes.background_slot:  # slowed down by the turns beside it
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
        """Return the client of the present process, after waiting until that is ready."""
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
        # Progress reports make llama.cpp check the connection after every batch: a cancelled
        # prompt is given up at once instead of after a second.
        "return_progress": True,
        "chat_template_kwargs": {"enable_thinking": False},
    }
