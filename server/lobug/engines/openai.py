"""Chat model and embedder on any OpenAI-compatible server: vLLM, llama.cpp, LM Studio and others.

``connect``, ``stream_text`` and ``typed_error`` serve the embedded chat model too.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Any, cast

import httpx2
import openai
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

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
from lobug.engines.model_server import is_loopback, paced, without_password
from lobug.errors import (
    ContextOverflowError,
    EngineError,
    EngineInterruptedError,
    EngineTimeoutError,
    EngineUnavailableError,
    ModelMissingError,
)
from lobug.settings import ChatSettings, Settings

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 5.0
"""Longest wait for a connection, seconds; callers limit the wait for the answer."""

PROBE_TIMEOUT_S = 5.0
"""Longest wait for the server's list of models, seconds."""

_OVERFLOW = (
    "exceed_context_size",  # llama.cpp
    "too large to process",  # llama.cpp, of what is to be embedded
    "exceed n_ctx",  # llama-box
    "context_length_exceeded",  # OpenAI
    "maximum input length",  # OpenAI, of what is to be embedded
    "maximum context length",  # vLLM
    "must have less than",  # Text Embeddings Inference
)
"""How servers say that a prompt is too long for the model."""


def connect(
    base_url: str,
    api_key: str,
    *,
    unix_socket: str | None = None,
    connect_timeout_s: float = CONNECT_TIMEOUT_S,
    on_response: Callable[[httpx2.Response], Awaitable[None]] | None = None,
) -> openai.AsyncOpenAI:
    """Return a client that never retries by itself and leaves time-outs to the caller.
    ``on_response`` is called with each response before its body is read."""
    transport = None
    if unix_socket is not None:
        # Opening a Unix socket costs nothing, and the other side could close a kept connection just
        # when it is used again.
        limits = httpx2.Limits(max_keepalive_connections=0)
        transport = httpx2.AsyncHTTPTransport(uds=unix_socket, limits=limits)
    return openai.AsyncOpenAI(
        base_url=base_url,
        api_key=api_key or "none",
        max_retries=0,
        http_client=httpx2.AsyncClient(
            transport=transport,
            timeout=httpx2.Timeout(None, connect=connect_timeout_s),
            trust_env=unix_socket is None and not is_loopback(base_url),
            event_hooks={"response": [] if on_response is None else [on_response]},
        ),
    )


async def stream_text(
    client: openai.AsyncOpenAI,
    *,
    where: str,
    model: str,
    messages: Sequence[ChatMessage],
    options: ChatOptions,
    extra: Mapping[str, Any] | None = None,
    observe: Callable[[ChatCompletionChunk], None] | None = None,
) -> AsyncGenerator[str]:
    """Yield the reply's text as it is written.

    ``where`` names the server in errors; ``extra`` are fields of the request beyond the protocol;
    ``observe`` is called with every chunk. Raises EngineError and its subclasses. Closing the
    generator ends the request.
    """
    answering = False
    finished = False
    try:
        response = await client.chat.completions.create(
            model=model,
            messages=cast(
                "list[ChatCompletionMessageParam]",
                [{"role": m.role, "content": m.content} for m in messages],
            ),
            max_tokens=options.max_tokens,
            temperature=options.temperature,
            response_format=_response_format(options.json_schema),
            stream=True,
            extra_body=dict(extra or {}),
        )
        async with response:
            answering = True
            async for chunk in response:
                if observe is not None:
                    observe(chunk)
                for choice in chunk.choices or ():
                    if choice.delta is not None and choice.delta.content:
                        yield choice.delta.content
                    finished = finished or choice.finish_reason is not None
    except (openai.OpenAIError, httpx2.HTTPError, OSError) as error:
        raise typed_error(
            error, engine="chat", where=where, model=model, answering=answering
        ) from error
    except (ValueError, TypeError, AttributeError) as error:
        # The client does not validate answers: one of another shape fails here.
        raise EngineUnavailableError(
            "chat", f"{where} does not speak the OpenAI protocol ({type(error).__name__})"
        ) from error
    if not finished:
        raise EngineInterruptedError("chat", f"{where} ended its answer in the middle")


def _response_format(schema: Mapping[str, Any] | None) -> Any:
    if schema is None:
        return openai.omit
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": dict(schema), "strict": True},
    }


def typed_error(
    error: Exception, *, engine: str, where: str, model: str, answering: bool
) -> EngineError:
    """Return the EngineError for a failure. ``answering``: the server had begun its answer."""
    if isinstance(error, openai.APITimeoutError | TimeoutError | httpx2.TimeoutException):
        return EngineTimeoutError(engine, f"{where} does not answer in time")
    if isinstance(error, openai.APIStatusError):
        return _typed_status(error, engine, where, model)
    reached = answering or not isinstance(error.__cause__, httpx2.ConnectError)
    if isinstance(error, openai.APIError) and not isinstance(error, openai.APIConnectionError):
        if _is_overflow(error):
            return ContextOverflowError(engine, f"the prompt is too long for {where}")
        # The server's message may quote the prompt, and errors are logged and sent to callers.
        log.debug("%s reports: %s", where, error.message)
        return EngineInterruptedError(engine, f"{where} broke off with an error")
    if reached:
        return EngineInterruptedError(engine, f"{where} broke the connection off")
    return EngineUnavailableError(engine, f"{where} does not answer")


def _typed_status(error: openai.APIStatusError, engine: str, where: str, model: str) -> EngineError:
    too_large = error.status_code == 413 and engine in ("chat", "embeddings")  # else: a recording
    if too_large or _is_overflow(error):
        return ContextOverflowError(engine, f"the prompt is too long for {where}")
    if error.status_code == 404:
        return ModelMissingError(engine, f"{where} does not have {model!r} (or no such address)")
    if error.status_code in (401, 403):
        return EngineUnavailableError(engine, f"{where} refuses the API key")
    if error.status_code in (408, 504):
        return EngineTimeoutError(engine, f"{where} answers that it took too long")
    if error.status_code in (429, 502, 503):
        return EngineUnavailableError(engine, f"{where} is not ready (status {error.status_code})")
    return EngineError(engine, f"{where} answers with status {error.status_code}")


def _is_overflow(error: openai.APIError) -> bool:
    message = str(error.body)
    with suppress(AttributeError):
        message += f" {error.type} {error.code}"
    return any(sign in message for sign in _OVERFLOW)


class OpenAIServer:
    """One engine's view of a server: probes ``/models``, and records the outcome of calls."""

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        *,
        engine: str,
        url: str,
        model: str,
        interval_s: float = PROBE_INTERVAL_S,
    ) -> None:
        self._client = client
        self._engine = engine
        self._model = model
        self._probe = Periodic(self._refresh, interval_s)
        self._started = False
        self._error: EngineError | None = EngineUnavailableError(engine, "it is not started")
        self._reachable = False
        self.where = f"the OpenAI-compatible server at {without_password(url)}"

    async def start(self) -> None:
        """Probe once, then in the background. Raises the EngineError that the first probe found."""
        if not self._started:
            self._started = True
            self._probe.start()
        await self._refresh()
        if self._error is not None:
            raise self._error

    async def close(self) -> None:
        if self._started:
            self._started = False
            await self._probe.close()
        await self._client.close()

    def answered(self) -> None:
        self._error, self._reachable = None, True

    def failed(self, error: EngineError) -> None:
        self._error = error
        if isinstance(error, EngineUnavailableError):
            self._reachable = False

    def status(self) -> EngineStatus:
        error = self._error
        return EngineStatus(
            name="openai",
            model=self._model,
            ready=self._reachable,
            degraded=error is not None,
            reason=None if error is None else f"{error}.",
        )

    async def _refresh(self) -> None:
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                await self._client.models.list()
        except (openai.OpenAIError, httpx2.HTTPError, OSError) as error:
            typed = typed_error(
                error, engine=self._engine, where=self.where, model=self._model, answering=False
            )
            # The server answers, but has no /models: calls will show whether it works.
            if isinstance(error, openai.NotFoundError):
                self._found()
            else:
                self._reachable, self._error = False, typed
        except (ValueError, TypeError, AttributeError) as error:
            self._reachable = False
            self._error = EngineUnavailableError(
                self._engine,
                f"{self.where} does not speak the OpenAI protocol ({type(error).__name__})",
            )
        else:
            self._found()

    def _found(self) -> None:
        """Record that the server answers. The error of a call stays until a call succeeds."""
        self._reachable = True
        if isinstance(self._error, EngineUnavailableError):
            self._error = None


class OpenAIChat:
    """``ChatModel`` that streams from ``chat.openai_base_url``."""

    def __init__(self, settings: ChatSettings, interval_s: float = PROBE_INTERVAL_S) -> None:
        """``chat.openai_base_url`` must be one address."""
        self._settings = settings
        self._client = connect(settings.openai_base_url, settings.openai_api_key.get_secret_value())
        self._server = OpenAIServer(
            self._client,
            engine="chat",
            url=settings.openai_base_url,
            model=settings.openai_model,
            interval_s=interval_s,
        )

    @property
    def context_tokens(self) -> int:
        """As in the settings; the protocol does not report it."""
        return self._settings.context_tokens

    @property
    def prefill_ms_per_token(self) -> float | None:
        """Unknown: the protocol does not report it."""
        return None

    async def start(self) -> None:
        """Probe the server. Raises EngineError; the probe continues in the background all the
        same."""
        await self._server.start()

    async def close(self) -> None:
        await self._server.close()

    def status(self) -> EngineStatus:
        return self._server.status()

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """Yield the reply in pieces; see ``ChatModel.stream``."""
        pieces = paced(
            stream_text(
                self._client,
                where=self._server.where,
                model=self._settings.openai_model,
                messages=messages,
                options=options,
            ),
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
        """Do nothing: the server manages its own cache."""

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Do nothing: the protocol cannot clear the server's cache."""


class OpenAIEmbedder:
    """``Embedder`` at ``embeddings.openai_base_url``."""

    def __init__(self, settings: Settings, interval_s: float = PROBE_INTERVAL_S) -> None:
        """``embeddings.openai_base_url`` must be one address."""
        self._settings = settings.embeddings
        self._model = settings.embeddings.openai_model
        self._expected_dimension = settings.memory.embedding_dim
        self._dimension: int | None = None
        url = settings.embeddings.openai_base_url
        self._client = connect(url, settings.embeddings.openai_api_key.get_secret_value())
        self._server = OpenAIServer(
            self._client, engine=EMBEDDINGS, url=url, model=self._model, interval_s=interval_s
        )

    @property
    def model_id(self) -> str:
        """``openai/`` and the model's name."""
        return f"openai/{self._model}"

    @property
    def dimension(self) -> int:
        """The model's own; before its first answer, the one in the settings."""
        return self._dimension or self._expected_dimension

    async def start(self) -> None:
        """Probe the server and learn the dimension. Raises EngineError; the probe continues in the
        background all the same."""
        await self._server.start()
        await self.embed(["dimension"])

    async def close(self) -> None:
        await self._server.close()

    def status(self) -> EngineStatus:
        return self._server.status()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed in batches of ``embeddings.batch_size``. Raises EngineError and its subclasses."""
        parts = [await self._embed(batch) for batch in batches(texts, self._settings.batch_size)]
        return stacked(parts, self.dimension)

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        try:
            vectors = await self._ask(texts)
        except EngineError as error:
            self._server.failed(error)
            raise
        self._dimension = vectors.shape[1]
        self._server.answered()
        return vectors

    async def _ask(self, texts: Sequence[str]) -> Vectors:
        where = self._server.where
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                response = await self._client.embeddings.create(
                    model=self._model, input=list(texts), encoding_format="float"
                )
            rows = [item.embedding for item in sorted(response.data, key=lambda item: item.index)]
        except (openai.OpenAIError, httpx2.HTTPError, OSError) as error:
            raise typed_error(
                error, engine=EMBEDDINGS, where=where, model=self._model, answering=False
            ) from error
        except (ValueError, TypeError, AttributeError) as error:
            raise EngineUnavailableError(
                EMBEDDINGS, f"{where} does not speak the OpenAI protocol ({type(error).__name__})"
            ) from error
        return unit_rows(rows, count=len(texts), dimension=self._dimension)
