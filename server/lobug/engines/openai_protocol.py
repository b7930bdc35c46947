"""The OpenAI protocol as Lo-Bug speaks it: to any compatible server, and to the embedded model."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

import httpx2
import openai
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

from lobug.engines.base import ChatMessage, ChatOptions
from lobug.engines.web import is_loopback
from lobug.errors import (
    ContextOverflowError,
    EngineError,
    EngineInterruptedError,
    EngineTimeoutError,
    EngineUnavailableError,
    ModelMissingError,
)

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 5.0
"""Longest wait for a connection, seconds; the answer itself is timed by the caller."""

_OVERFLOW = ("exceed_context_size", "context_length_exceeded", "maximum context length")
"""How llama.cpp, OpenAI and vLLM say that a prompt is too long for the model."""


def connect(base_url: str, api_key: str, *, unix_socket: str | None = None) -> openai.AsyncOpenAI:
    """A client that never retries by itself and leaves time-outs to the caller."""
    transport = None
    if unix_socket is not None:
        # Opening a Unix socket costs nothing, and a connection that is kept could be closed by the
        # other side just when it is used again.
        limits = httpx2.Limits(max_keepalive_connections=0)
        transport = httpx2.AsyncHTTPTransport(uds=unix_socket, limits=limits)
    return openai.AsyncOpenAI(
        base_url=base_url,
        api_key=api_key or "none",
        max_retries=0,
        http_client=httpx2.AsyncClient(
            transport=transport,
            timeout=httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S),
            trust_env=unix_socket is None and not is_loopback(base_url),
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

    ``where`` names the server in errors; ``extra`` are fields that the server knows beyond the
    protocol, ``observe`` sees every chunk. Raises EngineError and its subclasses; closing the
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
        # The client checks no shapes: a server that answers with something else shows up here.
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
    """What a failure of the client means. ``answering``: the server had begun its answer."""
    if isinstance(error, openai.APITimeoutError | TimeoutError | httpx2.TimeoutException):
        return EngineTimeoutError(engine, f"{where} does not answer in time")
    if isinstance(error, openai.APIStatusError):
        return _typed_status(error, engine, where, model)
    reached = answering or not isinstance(error.__cause__, httpx2.ConnectError)
    if isinstance(error, openai.APIError) and not isinstance(error, openai.APIConnectionError):
        if _is_overflow(error):
            return ContextOverflowError(engine, f"the prompt is too long for {where}")
        # What it says may quote the prompt, and errors are logged and answered to callers.
        log.debug("%s reports: %s", where, error.message)
        return EngineInterruptedError(engine, f"{where} broke off with an error")
    if reached:
        return EngineInterruptedError(engine, f"{where} broke the connection off")
    return EngineUnavailableError(engine, f"{where} does not answer")


def _typed_status(error: openai.APIStatusError, engine: str, where: str, model: str) -> EngineError:
    if _is_overflow(error):
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
    said = str(error.body)
    with suppress(AttributeError):
        said += f" {error.type} {error.code}"
    return any(sign in said for sign in _OVERFLOW)
