"""The embedded chat model: llama.cpp in a supervised process, with one prompt cache per lane."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import openai
from openai.types.chat import ChatCompletionChunk

from lobug.engines.base import (
    BACKGROUND_LANE,
    SHARED_PREFIX_LANE,
    ChatMessage,
    ChatOptions,
    EngineStatus,
)
from lobug.engines.lanes import EMPTY_SLOT, UNKNOWN_SLOT, LaneMap, SlotContent, shared_beginning
from lobug.engines.llama_child import Endpoint, LlamaOptions
from lobug.engines.llama_process import LlamaProcess
from lobug.engines.model_server import PrefillSpeed, paced
from lobug.engines.openai import connect, stream_text
from lobug.engines.shared_prefix import LLAMA, PREFIX_FIELDS, KeptPrefix, LlamaSlots
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

USUAL_MS_PER_TOKEN = 16.0
"""Milliseconds that a prompt token takes on two cores; used until it was measured."""

MOST_CONSTANTS = 4
"""Constant beginnings whose states are at hand."""

BYTES_PER_TOKEN = 4
"""Of English."""

_WHERE = "the embedded model"


@dataclass(frozen=True, slots=True)
class PromptUse:
    """Tokens of the last request of a slot."""

    read: int
    """Of the prompt, computed."""
    cached: int
    """Of the prompt, found in the cache."""
    written: int
    """Of the reply."""


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

    def __init__(
        self, settings: ChatSettings, process: LlamaProcess, prefix: KeptPrefix | None = None
    ) -> None:
        """``prefix`` keeps the state of the shared prefix on disk; None: it is read anew after each
        start."""
        self._speed = PrefillSpeed()
        self._settings = settings
        self._process = process
        self._lanes = LaneMap(settings.conversation_slots)
        self._locks = [asyncio.Lock() for _ in range(self._lanes.total)]
        self._client: tuple[Endpoint, openai.AsyncOpenAI] | None = None
        self._withdrawn: ModelDamagedError | None = None
        self._prefix = prefix
        self._shared: Sequence[ChatMessage] = ()
        self._constants: OrderedDict[tuple[ChatMessage, ...], KeptPrefix] = OrderedDict()
        """Constant beginnings on the background lane; the least recently used is first."""
        self._contents: dict[int, SlotContent] = {}
        self._contents_of: Endpoint | None = None
        self._prompt_progress: dict[int, int] = {}
        """By slot: how many tokens of its present or last prompt are there."""
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
        if self._prefix is not None and self._process.endpoint is not None:
            await self._prefix.look(self._process.endpoint)

    def share_prefix(self, messages: Sequence[ChatMessage]) -> None:
        """Set the beginning that all prompts share. A lane that takes over a slot gets it from
        disk, or reads it once."""
        self._shared = tuple(messages)
        if self._prefix is not None:
            self._prefix.share(messages)

    def first_reading_s(self, lane: str) -> float:
        """Seconds that are left until the shared prefix has been read for the first time, for a
        turn of ``lane``; 0: the model has it, or there is none."""
        contents = self._contents.values()
        if self._process.endpoint is None or not self._shared:
            return 0.0
        if self._prefix is not None and self._prefix.ready(self._process.endpoint):
            return 0.0
        if any(c.computed and (c.lane == lane or c.holds(self._shared)) for c in contents):
            return 0.0
        return self._reading_s(self._shared)

    def _reading_s(self, beginning: Sequence[ChatMessage]) -> float:
        """Seconds until a beginning is read in the slot that has begun with it, or in an empty
        one."""
        size = sum(len(m.role.encode()) + len(m.content.encode()) for m in beginning)
        begun = [
            self._prompt_progress.get(slot, 0)
            for slot, content in self._contents.items()
            if content.may_become(beginning)
        ]
        left = max(0, size // BYTES_PER_TOKEN - max(begun, default=0))
        return left * (self.prefill_ms_per_token or USUAL_MS_PER_TOKEN) / 1000.0

    def constant_reading_s(self, messages: Sequence[ChatMessage]) -> float:
        """Seconds that a request with this beginning waits until it is read; 0: it is there."""
        endpoint, wanted = self._process.endpoint, tuple(messages)
        kept = self._constants.get(wanted)
        if endpoint is None or self._content(self._lanes.background_slot).holds(wanted):
            return 0.0
        if kept is not None and kept.known:
            return 0.0
        return self._reading_s(wanted)

    async def read_constant(self, messages: Sequence[ChatMessage]) -> None:
        """Compute a constant beginning in the background's slot and keep it, unless it is kept
        already. Raises EngineError."""
        async with self._slot(BACKGROUND_LANE) as slot:
            await self._bring_constant(slot, tuple(messages))

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
                "shared_prefix": self._prefix.status() if self._prefix is not None else None,
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
                await self._bring_prefix(slot, messages)
                await self._read_into(slot, messages, lane)
            return
        self.share_prefix(messages)
        for slot in self._lanes.unclaimed():
            async with self._locks[slot]:
                if slot in self._lanes.unclaimed():  # a conversation may have taken it meanwhile
                    await self._clear_if_stale(slot)
                    await self._bring_prefix(slot, messages)
                    if not self._content(slot).holds(messages):
                        await self._read_into(slot, messages, lane)
        if self._prefix is not None and self._prefix.missing:
            await self._read_apart(self._lanes.background_slot, messages)

    async def _read_apart(self, slot: int, messages: Sequence[ChatMessage]) -> None:
        """Make the shared prefix's state in a slot whose content is given up, because all others
        are in use."""
        async with self._locks[slot]:
            if not self._content(slot).may_become(messages):
                await self._erase(slot)
            await self._bring_prefix(slot, messages)

    async def _bring_prefix(self, slot: int, messages: Sequence[ChatMessage]) -> None:
        """Bring the beginning that ``messages`` share with all prompts into a slot that does not
        have it: from disk, else by reading it into a slot that is fresh, whose state is then kept.
        Call with the slot's lock held. Raises EngineError."""
        wanted = shared_beginning(self._shared, messages)
        if self._prefix is None or not wanted:
            return
        slots = await self._llama_slots()
        if not self._content(slot).holds(wanted) and await self._restore(slots, slot):
            return
        if wanted != self._shared or not self._prefix.missing:
            return
        if self._content(slot).may_become(wanted):
            await self._read_and_keep(slot, wanted, SHARED_PREFIX_LANE, self._prefix)

    async def _bring_constant(self, slot: int, wanted: tuple[ChatMessage, ...]) -> None:
        """Bring a constant beginning into the background's slot: from disk, else by reading it
        alone; its state is then kept. Call with the slot's lock held. Raises EngineError."""
        slots = await self._llama_slots()
        kept = self._kept(wanted)
        if self._content(slot).holds(wanted) and (kept is None or not kept.missing):
            return
        if kept is not None:
            self._contents.setdefault(slot, EMPTY_SLOT)
            if await self._restore_kept(slots, slot, kept, wanted, BACKGROUND_LANE):
                return
        if not self._content(slot).may_become(wanted):
            await self._erase(slot)
        await self._read_and_keep(slot, wanted, BACKGROUND_LANE, kept)

    def _kept(self, wanted: tuple[ChatMessage, ...]) -> KeptPrefix | None:
        """The keeper of a constant beginning's state; None: no states are kept."""
        if self._prefix is None:
            return None
        kept = self._constants.get(wanted)
        if kept is None:
            if len(self._constants) >= MOST_CONSTANTS:
                self._constants.popitem(last=False)
            kept = self._prefix.another(f"constant-{hash(wanted) & 0xFFFFFFFF:08x}", wanted)
            self._constants[wanted] = kept
        self._constants.move_to_end(wanted)
        return kept

    async def _read_and_keep(
        self, slot: int, wanted: Sequence[ChatMessage], lane: str, kept: KeptPrefix | None
    ) -> None:
        """Read a beginning alone into a slot that may become it, and keep the state."""
        if not self._content(slot).holds(wanted):
            await self._read_into(slot, wanted, lane, wanted)
        slots = await self._llama_slots()  # after a restart the slot is empty again
        if kept is not None and kept.missing and self._content(slot).holds(wanted):
            await kept.keep(slots, slot)

    async def _restore(self, slots: LlamaSlots, slot: int) -> bool:
        """Bring the shared prefix from disk into a slot, in place of what it holds. False: there is
        none."""
        if self._prefix is None:
            return False
        return await self._restore_kept(slots, slot, self._prefix, self._shared, SHARED_PREFIX_LANE)

    async def _restore_kept(
        self,
        slots: LlamaSlots,
        slot: int,
        kept: KeptPrefix,
        beginning: Sequence[ChatMessage],
        lane: str,
    ) -> bool:
        if not await kept.look(slots.endpoint):
            return False
        self._contents[slot] = UNKNOWN_SLOT
        if not await kept.restore(slots, slot):
            return False
        self._contents[slot] = SlotContent(lane, beginning).after()
        return True

    async def _erase(self, slot: int) -> None:
        await (await self._llama_slots()).erase(slot)
        self._contents[slot] = EMPTY_SLOT

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
            elif slot != self._lanes.background_slot and (
                impersonal := self._content(slot).impersonal
            ):
                if not await self._restore(await self._llama_slots(), slot):
                    # Computing a prompt drops what the slot holds beyond it.
                    await self._read_into(slot, impersonal, SHARED_PREFIX_LANE)
            else:
                await self._erase(slot)
        except EngineError as error:
            log.info("slot %d could not be cleared: %s", slot, error)
            if self._process.endpoint == endpoint:
                self._process.restart("could not clear its cache")
            self._contents[slot] = UNKNOWN_SLOT
        if self._stale.get(slot) == endpoint:
            del self._stale[slot]

    def _content(self, slot: int) -> SlotContent:
        return self._contents.get(slot, EMPTY_SLOT)

    def _fields(
        self,
        slot: int,
        lane: str,
        messages: Sequence[ChatMessage],
        beginning: Sequence[ChatMessage] = (),
    ) -> dict[str, Any]:
        """Return the request's fields for llama.cpp, and record what the slot will hold. Call just
        before the request, with the slot's lock held. ``beginning``: of the messages, if it is not
        the one that all prompts share."""
        before = self._content(slot)
        self._contents[slot] = now = before.during(lane, messages, beginning or self._shared)
        same = lane == before.lane and lane not in {BACKGROUND_LANE, SHARED_PREFIX_LANE}
        # What moves into the shared beginning would have been computed beside somebody's words.
        same = same and len(now.impersonal) <= len(before.impersonal)
        return _slot_fields(slot) | {"n_cache_reuse": REUSE_TOKENS if same else 0}

    def _computed(self, slot: int) -> None:
        """Record that a slot's prompt was computed to its end. Call with its lock held."""
        self._contents[slot] = self._content(slot).after()

    async def _read_into(
        self,
        slot: int,
        messages: Sequence[ChatMessage],
        lane: str,
        beginning: Sequence[ChatMessage] = (),
    ) -> None:
        client = await self._connected()
        extra = self._fields(slot, lane, messages, beginning) | PREFIX_FIELDS
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
        self._computed(slot)

    async def _pieces(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        beginning = tuple(messages[: options.constant]) if options.lane == BACKGROUND_LANE else ()
        async with self._slot(options.lane) as slot:
            if beginning:
                await self._bring_constant(slot, beginning)
            else:
                await self._bring_prefix(slot, messages)
            client = await self._connected()
            source = stream_text(
                client,
                where=_WHERE,
                model=_WHERE,
                messages=messages,
                options=options,
                extra=self._fields(slot, options.lane, messages, beginning),
                observe=self._observer(slot),
            )
            with self._process.in_use():
                async with aclosing(source):
                    async for piece in source:
                        self._computed(slot)
                        yield piece

    def _observer(self, slot: int) -> Callable[[ChatCompletionChunk], None]:
        def observe(chunk: ChatCompletionChunk) -> None:
            self._process.moved()
            extra = chunk.model_extra or {}
            if progress := extra.get("prompt_progress"):
                self._prompt_progress[slot] = progress["processed"]
            timings = extra.get("timings")
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
            client = connect(f"{LLAMA}/v1", endpoint.api_key, unix_socket=endpoint.socket)
            self._client = (endpoint, client)
        if self._contents_of != endpoint:  # the slots of a new process are empty
            self._contents_of = endpoint
            self._contents.clear()
            self._prompt_progress.clear()
        return self._client[1]

    async def _llama_slots(self) -> LlamaSlots:
        client = await self._connected()
        assert self._contents_of is not None  # noqa: S101 - for the type checker
        return LlamaSlots(client, self._contents_of, self._settings.timeout_s)

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
