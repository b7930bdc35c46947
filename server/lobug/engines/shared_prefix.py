"""Constant beginnings of the embedded chat model's prompts, and their states on disk.

The state is copied into the child's private folder once for each child, and restored into a slot
from there in some milliseconds. What is kept on disk comes from a slot that has computed nothing
else (``lanes.SlotContent.fresh``), and is kept only if it holds exactly the prefix's tokens: so
nothing that anybody said can be in it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import httpx2
import openai

from lobug.engines import llama_worker
from lobug.engines.base import ChatMessage
from lobug.engines.llama_child import BATCH_TOKENS, Endpoint, LlamaOptions
from lobug.engines.openai import typed_error
from lobug.engines.prompt_states import PromptState, PromptStates, held_tokens, state_key
from lobug.errors import EngineError, EngineInterruptedError, EngineUnavailableError
from lobug.models.catalog import Job, get
from lobug.settings import Settings

log = logging.getLogger(__name__)

LLAMA: Final = "http://llama"
"""Address of the child, for a client that is connected to its socket."""

_WHERE: Final = "the embedded model"


class LlamaSlots:
    """Requests to llama.cpp about one slot. Each raises EngineError."""

    def __init__(self, client: openai.AsyncOpenAI, endpoint: Endpoint, timeout_s: float) -> None:
        self._client = client
        self._timeout_s = timeout_s
        self.endpoint = endpoint

    def path(self, file: str) -> Path:
        """Where a saved state is, in the child's private folder."""
        return Path(self.endpoint.socket).with_name(file)

    async def erase(self, slot: int) -> None:
        await self._post(f"/slots/{slot}?action=erase", {})

    async def save(self, slot: int, file: str) -> int:
        """Write a slot to ``file``. Returns the number of its tokens."""
        answer = await self._post(f"/slots/{slot}?action=save", {"filename": file})
        return _number(answer, "n_saved")

    async def restore(self, slot: int, file: str) -> int:
        """Replace what a slot holds by ``file``. Returns the number of its tokens."""
        answer = await self._post(f"/slots/{slot}?action=restore", {"filename": file})
        return _number(answer, "n_restored")

    async def tokens_of(self, messages: Sequence[ChatMessage]) -> list[int]:
        """Return the tokens of a prompt that awaits more messages."""
        body = {
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            **PREFIX_FIELDS,
        }
        prompt = (await self._post("/apply-template", body)).get("prompt")
        body = {"content": prompt, "add_special": True, "parse_special": True}
        tokens = (await self._post("/tokenize", body)).get("tokens")
        if not isinstance(tokens, list):
            raise EngineUnavailableError("chat", f"{_WHERE} does not say what its tokens are")
        return tokens

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._client.post(LLAMA + path, body=body, cast_to=httpx2.Response)
            answer = response.json()
        except (openai.OpenAIError, httpx2.HTTPError, OSError) as error:  # a TimeoutError is one
            raise typed_error(
                error, engine="chat", where=_WHERE, model=_WHERE, answering=False
            ) from error
        except ValueError as error:
            raise EngineUnavailableError("chat", f"{_WHERE} answers with no JSON") from error
        except RuntimeError as error:  # the client was closed meanwhile: the process is another one
            raise EngineInterruptedError("chat", f"{_WHERE} was started anew") from error
        return answer if isinstance(answer, dict) else {}


PREFIX_FIELDS: Final = {
    # Without a generation prompt the cached tokens are a true prefix of the next prompt.
    "add_generation_prompt": False,
    "chat_template_kwargs": {"enable_thinking": False},
}
"""Fields of a request that computes a prompt to which messages will be added."""


def _number(answer: dict[str, Any], name: str) -> int:
    value = answer.get(name)
    if not isinstance(value, int):
        raise EngineUnavailableError("chat", f"{_WHERE} does not say {name}")
    return value


class KeptPrefix:
    """A constant beginning of prompts, with its state on disk."""

    def __init__(
        self, states: PromptStates, model: str, runtime: str, file: str = "shared-prefix"
    ) -> None:
        """``model`` and ``runtime`` as of ``state_key``; ``file``: the name of the state's copy in
        the child's folder."""
        self._file = file
        self._states = states
        self._model = model
        self._runtime = runtime
        self._messages: tuple[ChatMessage, ...] = ()
        self._key = ""
        self._looked_for: tuple[Endpoint, str] | None = None
        self._there: tuple[Endpoint, int] | None = None
        """In which child's folder the state is, and the number of its tokens."""
        self._outcome = "unread"
        self._refused: str | None = None

    def another(self, file: str, messages: Sequence[ChatMessage]) -> KeptPrefix:
        """Return another beginning of the same model, whose copy has the name ``file``."""
        other = KeptPrefix(self._states, self._model, self._runtime, file)
        other.share(messages)
        return other

    def share(self, messages: Sequence[ChatMessage]) -> None:
        """Set the beginning that the prompts have from now on."""
        self._messages = tuple(messages)
        key = state_key(self._model, self._runtime, messages)
        if key != self._key:
            self._key, self._there, self._outcome, self._refused = key, None, "unread", None

    @property
    def missing(self) -> bool:
        """Whether there is no state, as far as is known, and one should be made."""
        return bool(self._messages) and self._there is None and self._refused is None

    def status(self) -> dict[str, Any]:
        """For ``/health``. ``state`` is ``unread`` (not restored, not made yet), ``restored`` from
        disk, ``made`` and kept on disk, or ``not_kept``."""
        tokens = self._there[1] if self._there is not None else None
        return {"state": self._outcome, "tokens": tokens, "reason": self._refused}

    @property
    def known(self) -> bool:
        """Whether there is a state, in this child or on disk for the next one."""
        return self._there is not None

    def ready(self, endpoint: Endpoint) -> bool:
        """Whether a state can be restored in this child."""
        return self._there is not None and self._there[0] == endpoint

    async def look(self, endpoint: Endpoint) -> bool:
        """Whether a state is ready for this child; copies it from disk at the first call. Never
        raises."""
        if self._looked_for != (endpoint, self._key):
            self._looked_for, self._there = (endpoint, self._key), None
            if self._messages:
                await self._copy_from_disk(endpoint, self._key)
        return self.ready(endpoint)

    async def _copy_from_disk(self, endpoint: Endpoint, key: str) -> None:
        state = await asyncio.to_thread(self._states.load, key)
        if state is None or key != self._key:
            return
        path = Path(endpoint.socket).with_name(self._file)
        try:
            await asyncio.to_thread(_write, path, state.data)
        except OSError as error:
            log.warning("a prompt state could not be restored: %s", error.strerror)
            return
        self._there = (endpoint, state.tokens)

    async def restore(self, slots: LlamaSlots, slot: int) -> bool:
        """Replace what a slot holds by the prefix. False: there is no state, or it cannot be used;
        the slot's content is then unknown. Never raises EngineError."""
        if not await self.look(slots.endpoint) or self._there is None:
            return False
        tokens = self._there[1]
        try:
            restored = await slots.restore(slot, self._file)
        except EngineError as error:
            # Also when the process has ended: the file may be why, and must not end the next one.
            log.warning("the stored prompt state cannot be used and is discarded: %s", error)
            await self._discard()
            return False
        if restored != tokens:
            log.warning("the stored prompt state is discarded: %d tokens of %d", restored, tokens)
            await self._discard()
            return False
        if self._outcome == "unread":
            self._outcome = "restored"
            log.info("a prompt state was restored from disk: %d tokens (%s)", tokens, self._file)
        return True

    async def keep(self, slots: LlamaSlots, slot: int) -> None:
        """Keep the state of a slot that has computed the prefix and nothing else. A failure is
        logged. What cannot be kept is not tried again before the next start; what failed because
        llama.cpp did not answer is."""
        key, messages = self._key, self._messages
        try:
            await slots.save(slot, self._file)
            wanted = await slots.tokens_of(messages)
            tokens = await asyncio.to_thread(self._keep, key, slots.path(self._file), wanted)
        except EngineError as error:
            log.warning("a prompt state could not be kept: %s (%s)", error, self._file)
            return
        except (OSError, ValueError) as error:
            self._refused, self._outcome = str(error), "not_kept"
            slots.path(self._file).unlink(missing_ok=True)
            log.warning("a prompt state is not kept on disk: %s (%s)", error, self._file)
            return
        if key == self._key:
            self._there, self._outcome = (slots.endpoint, tokens), "made"
            log.info("a prompt state is kept on disk: %d tokens (%s)", tokens, self._file)

    def _keep(self, key: str, path: Path, wanted: Sequence[int]) -> int:
        """Check a saved state and keep it. Returns the number of its tokens. Raises OSError,
        ValueError."""
        data = path.read_bytes()
        if held_tokens(data) != list(wanted):
            raise ValueError("it does not hold exactly the prompt's tokens")
        self._states.save(key, PromptState(data, len(wanted)))
        return len(wanted)

    async def _discard(self) -> None:
        self._there, self._outcome = None, "unread"
        await asyncio.to_thread(self._states.discard, self._key)


def _write(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)


def shared_prefix(settings: Settings, options: LlamaOptions) -> KeptPrefix | None:
    """Return the shared prefix as the settings keep its state; None: they keep none. Raises
    ModelMissingError for an unknown model."""
    chat = settings.chat
    if not chat.prompt_states:
        return None
    states = PromptStates(
        settings.prompt_states_dir,
        most=chat.prompt_states,
        most_bytes=chat.prompt_states_mb * 1_000_000,
    )
    if chat.embedded_path is None:
        model = get(chat.embedded_model, Job.CHAT).files[0].sha256
    else:
        model = _file_identity(options.model_path)
    return KeptPrefix(states, model, _runtime(chat.context_tokens))


def _file_identity(path: Path) -> str:
    """Identity of a file that is in no catalog: hashing it takes seconds for each gigabyte."""
    try:
        status = path.stat()
    except OSError:
        return str(path)  # it is not there, so it is not loaded either
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def _runtime(context_tokens: int) -> str:
    """Identity of what computes a state: the library, and how the child loads a model, cache types
    included."""
    try:
        version = metadata.version("xllamacpp")
    except metadata.PackageNotFoundError:
        version = "unknown"
    loads = hashlib.sha256(Path(llama_worker.__file__).read_bytes()).hexdigest()
    return f"xllamacpp {version}, {context_tokens} tokens, batches of {BATCH_TOKENS}, {loads}"
