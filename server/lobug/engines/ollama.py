"""Chat model and embedder on an Ollama server, through the official client; the server's state."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any

import httpx

import ollama
from lobug.concurrency import PROBE_INTERVAL_S, Periodic
from lobug.engines.base import (
    EMBEDDINGS,
    ChatMessage,
    ChatOptions,
    EngineStatus,
    Vectors,
    batches,
    stacked,
    unit_rows,
)
from lobug.engines.model_server import PrefillSpeed, is_loopback, paced, without_password
from lobug.errors import (
    ContextOverflowError,
    EngineError,
    EngineInterruptedError,
    EngineTimeoutError,
    EngineUnavailableError,
    ModelMissingError,
)
from lobug.settings import ChatSettings, OllamaSettings, Settings
from lobug.settings.engines import addresses_in

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 5.0
"""Longest wait for a connection, seconds; callers limit the wait for the answer."""

FAILURES = (
    ollama.ResponseError,
    httpx.HTTPError,
    OSError,  # the client raises ConnectionError when no server listens
    ValueError,  # broken JSON and answers of another shape (pydantic)
    TypeError,
    AttributeError,
)
"""What the official client raises when the server fails."""


def connect(settings: OllamaSettings) -> ollama.AsyncClient:
    """Return a client that leaves time-outs to the caller."""
    return ollama.AsyncClient(
        host=settings.host,
        timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT_S),
        trust_env=not is_loopback(settings.host),
    )


async def disconnect(client: ollama.AsyncClient) -> None:
    await client.close()  # type: ignore[no-untyped-call]  # the package leaves it unannotated


_OVERFLOW = ("context length", "context size", "too large to process")
"""How Ollama, and llama.cpp below it, say that a text is too long for the model."""


def typed_error(
    error: Exception, *, engine: str, where: str, model: str, answering: bool = False
) -> EngineError:
    """Return the EngineError for a failure. ``answering``: the server had begun its answer."""
    if isinstance(error, ollama.ResponseError):
        return _typed_status(error, engine, where, model, answering=answering)
    if isinstance(error, httpx.ConnectError | ConnectionRefusedError) or (
        isinstance(error, ConnectionError) and not answering
    ):
        return EngineUnavailableError(engine, f"{where} does not answer")
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return EngineTimeoutError(engine, f"{where} does not answer in time")
    if isinstance(error, httpx.HTTPError | OSError):
        return EngineInterruptedError(engine, f"{where} broke the connection off")
    if answering:
        return EngineInterruptedError(engine, f"{where} sent a broken answer")
    return EngineUnavailableError(engine, f"what answers at {where} is not Ollama")


def _typed_status(
    error: ollama.ResponseError, engine: str, where: str, model: str, *, answering: bool
) -> EngineError:
    message = str(error.error).lower()
    if error.status_code == 404 or ("not found" in message and "model" in message):
        return ModelMissingError(
            engine, f"{where} does not have {model!r}; run `ollama pull {model}`"
        )
    if error.status_code == 413 or any(sign in message for sign in _OVERFLOW):
        return ContextOverflowError(engine, f"the text is too long for {model!r}")
    if answering:
        return EngineInterruptedError(engine, f"{where} stopped with an error")
    if error.status_code in (429, 502, 503):
        return EngineUnavailableError(engine, f"{where} is not ready (status {error.status_code})")
    return EngineError(engine, f"{where} answers with status {error.status_code}")


class OllamaProbe:
    """Keeps track of whether Ollama answers and which models it has.

    Shared by the engines that use Ollama and by ``/health``. It probes on ``start`` and then every
    30 seconds, which takes about 1 ms each time; reading its state does no I/O.
    """

    def __init__(self, settings: OllamaSettings, interval_s: float = PROBE_INTERVAL_S) -> None:
        self._settings = settings
        self._client = connect(settings)
        self._periodic = Periodic(self.refresh, interval_s)
        self._models: frozenset[str] = frozenset()
        self.reachable = False
        """Whether Ollama answered the last request."""
        self.where = f"Ollama at {without_password(settings.host)}"

    @property
    def settings(self) -> OllamaSettings:
        """Where Ollama is."""
        return self._settings

    def has(self, model: str) -> bool:
        """Whether Ollama had the model at the last probe; no tag means ``:latest``."""
        return model in self._models or f"{model}:latest" in self._models

    def learned(self, model: str, *, present: bool) -> None:
        """Record that Ollama answered a call, and whether it has the model."""
        self.reachable = True
        self._models = (
            self._models | {model} if present else self._models - {model, f"{model}:latest"}
        )

    async def start(self) -> None:
        """Probe once, then in the background. Never raises. Each start needs a ``close``."""
        self._periodic.start()
        await self.refresh()

    async def close(self) -> None:
        """Stop probing, once every user has closed it. No connection is kept open in between."""
        await self._periodic.close()

    async def refresh(self) -> bool:
        """Probe now, at most ``ollama.probe_timeout_s``. Returns ``reachable``; never raises."""
        try:
            async with asyncio.timeout(self._settings.probe_timeout_s):
                listing = await self._client.list()
            self._models = frozenset(m.model for m in listing.models if m.model)
            reachable = True
        except FAILURES as error:
            self._models = frozenset()
            reachable = False
            log.debug("%s: %s", self.where, type(error).__name__)
        if reachable != self.reachable:
            log.info("%s %s", self.where, "answers" if reachable else "does not answer")
        self.reachable = reachable
        return reachable


class OllamaProbes:
    """Keeps track of every Ollama server of the settings; there is mostly one."""

    def __init__(self, settings: OllamaSettings, interval_s: float = PROBE_INTERVAL_S) -> None:
        self.by_host = {
            host: OllamaProbe(settings.model_copy(update={"host": host}), interval_s)
            for host in addresses_in(settings.host)
        }

    @property
    def _all(self) -> Sequence[OllamaProbe]:
        return tuple(self.by_host.values())

    @property
    def reachable(self) -> bool:
        """Whether any of them answered its last request."""
        return any(probe.reachable for probe in self._all)

    def having(self, model: str) -> str | None:
        """The first host that has the model; None: none has."""
        return next((host for host, probe in self.by_host.items() if probe.has(model)), None)

    async def start(self) -> None:
        """Probe each once, then in the background. Never raises. Each start needs a ``close``."""
        await asyncio.gather(*(probe.start() for probe in self._all))

    async def close(self) -> None:
        """Stop probing, once every user has closed it."""
        await asyncio.gather(*(probe.close() for probe in self._all))

    async def refresh(self) -> bool:
        """Probe each now. Returns ``reachable``; never raises."""
        await asyncio.gather(*(probe.refresh() for probe in self._all))
        return self.reachable


class OllamaServer:
    """One engine's view of Ollama: whether its model is there, and the outcome of its last call."""

    def __init__(self, probe: OllamaProbe, *, engine: str, model: str) -> None:
        self._probe = probe
        self._engine = engine
        self._model = model
        self._started = False
        self._error: EngineError | None = None

    @property
    def where(self) -> str:
        """The server, for a sentence."""
        return self._probe.where

    async def start(self) -> None:
        """Start probing. Raises EngineUnavailableError or ModelMissingError when Ollama is down or
        lacks the model; the probe continues in the background all the same."""
        if self._started:
            await self._probe.refresh()
        else:
            self._started = True
            await self._probe.start()
        if not self._probe.reachable:
            raise EngineUnavailableError(
                self._engine, f"{self.where} does not answer; start it with `ollama serve`"
            )
        if not self._probe.has(self._model):
            raise ModelMissingError(
                self._engine,
                f"{self.where} does not have {self._model!r}; run `ollama pull {self._model}`",
            )

    async def close(self) -> None:
        if self._started:
            self._started = False
            await self._probe.close()

    def answered(self) -> None:
        self._error = None
        self._probe.learned(self._model, present=True)

    def failed(self, error: Exception, *, answering: bool = False) -> EngineError:
        """Record that a call failed; return the EngineError to raise."""
        typed = (
            error
            if isinstance(error, EngineError)
            else typed_error(
                error,
                engine=self._engine,
                where=self.where,
                model=self._model,
                answering=answering,
            )
        )
        self._error = typed
        if isinstance(typed, EngineUnavailableError):
            self._probe.reachable = False
        elif isinstance(typed, ModelMissingError):
            self._probe.learned(self._model, present=False)
        return typed

    def status(self) -> EngineStatus:
        reason: str | None = None
        ready = True
        if not self._probe.reachable:
            ready = False
            reason = f"{self.where} does not answer; start it with `ollama serve`."
        elif not self._probe.has(self._model):
            ready = False
            reason = f"{self.where} does not have {self._model}; run `ollama pull {self._model}`."
        elif self._error is not None and not isinstance(
            self._error, EngineUnavailableError | ModelMissingError
        ):
            # Whether the server and the model are there is known better from the probe.
            reason = f"The last call failed: {self._error}."
        return EngineStatus(
            name="ollama",
            model=self._model,
            ready=ready,
            degraded=reason is not None,
            reason=reason,
        )


class OllamaChat:
    """``ChatModel`` that streams from Ollama."""

    def __init__(self, settings: ChatSettings, probe: OllamaProbe) -> None:
        self._speed = PrefillSpeed()
        self._settings = settings
        self._model = settings.ollama_model
        self._keep_alive = probe.settings.keep_alive
        self._client = connect(probe.settings)
        self._server = OllamaServer(probe, engine="chat", model=self._model)
        self._may_send_think = True

    @property
    def context_tokens(self) -> int:
        """Every call asks Ollama for this window (``num_ctx``)."""
        return self._settings.context_tokens

    async def start(self) -> None:
        """Probe Ollama. Raises EngineUnavailableError, ModelMissingError; the probe continues in
        the background all the same."""
        await self._server.start()

    async def close(self) -> None:
        await self._server.close()
        await disconnect(self._client)

    def status(self) -> EngineStatus:
        return self._server.status()

    @property
    def prefill_ms_per_token(self) -> float | None:
        """A lower bound, measured from what Ollama reports: it counts cached tokens too."""
        return self._speed.ms_per_token

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """Yield the reply in pieces, without the model's thinking."""
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
        except EngineError as error:
            self._server.failed(error)
            raise
        self._server.answered()

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        """Do nothing: Ollama manages its own cache."""

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Do nothing: Ollama manages its own cache, which lasts until its next prompt or
        ``keep_alive``."""

    async def _pieces(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        answering = False
        done = False
        try:
            async with aclosing(self._parts(messages, options)) as parts:
                async for part in parts:
                    answering = True
                    if part.message.content:
                        yield part.message.content
                    done = done or bool(part.done)
                    if part.prompt_eval_count and part.prompt_eval_duration:
                        self._speed.note(part.prompt_eval_count, part.prompt_eval_duration / 1e6)
        except FAILURES as error:
            raise self._server.failed(error, answering=answering) from error
        if not done:
            raise EngineInterruptedError(
                "chat", f"{self._server.where} ended its answer in the middle"
            )

    async def _parts(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[ollama.ChatResponse]:
        """Yield Ollama's parts. After a refusal of ``think`` it asks without that field."""
        while True:
            send_think = self._may_send_think
            begun = False
            try:
                response = await self._client.chat(
                    **self._request(messages, options), think=False if send_think else None
                )
                async with aclosing(response):
                    async for part in response:
                        begun = True
                        yield part
            except ollama.ResponseError as error:
                if begun or not send_think or "think" not in str(error.error).lower():
                    raise
                self._may_send_think = False
            else:
                return

    def _request(self, messages: Sequence[ChatMessage], options: ChatOptions) -> dict[str, Any]:
        return {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "stream": True,
            "format": dict(options.json_schema) if options.json_schema is not None else None,
            "keep_alive": self._keep_alive,
            "options": {
                "num_ctx": self._settings.context_tokens,
                "num_predict": options.max_tokens,
                "temperature": options.temperature,
            },
        }


class OllamaEmbedder:
    """``Embedder`` on Ollama with the model ``memory.embedding_model``."""

    def __init__(self, settings: Settings, probe: OllamaProbe) -> None:
        self._settings = settings.embeddings
        self._model = settings.memory.embedding_model
        self._expected_dimension = settings.memory.embedding_dim
        self._dimension: int | None = None
        self._keep_alive = probe.settings.keep_alive
        self._client = connect(probe.settings)
        self._server = OllamaServer(probe, engine=EMBEDDINGS, model=self._model)

    @property
    def model_id(self) -> str:
        """``ollama/`` and the model's name."""
        return f"ollama/{self._model}"

    @property
    def dimension(self) -> int:
        """The model's own; before its first answer, the one in the settings."""
        return self._dimension or self._expected_dimension

    async def start(self) -> None:
        """Probe Ollama and learn the dimension. Raises EngineError; the probe continues in the
        background all the same."""
        await self._server.start()
        await self.embed(["dimension"])

    async def close(self) -> None:
        await self._server.close()
        await disconnect(self._client)

    def status(self) -> EngineStatus:
        return self._server.status()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed in batches of ``embeddings.batch_size``. Raises EngineError and its subclasses."""
        parts = [await self._embed(batch) for batch in batches(texts, self._settings.batch_size)]
        return stacked(parts, self.dimension)

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                response = await self._client.embed(
                    model=self._model, input=list(texts), keep_alive=self._keep_alive
                )
            vectors = unit_rows(response.embeddings, count=len(texts), dimension=self._dimension)
        except (EngineError, *FAILURES) as error:
            raise self._server.failed(error) from error
        self._dimension = vectors.shape[1]
        self._server.answered()
        return vectors
