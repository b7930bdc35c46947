"""A server of tools at an address: JSON-RPC messages over streamable HTTP, by the official SDK.

The SDK bounds the events of a server; its other answers it reads whole, so they are bounded here.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage
from pydantic import TypeAdapter

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""Longest answer, and longest event of a stream."""

REFUSALS = frozenset({401, 403})
"""HTTP statuses of a token that is wrong."""

_MESSAGES: TypeAdapter[Any] = TypeAdapter(JSONRPCMessage)

log = logging.getLogger(__name__)


class AnswerTooLongError(httpx2.StreamError):
    """An answer has more than ``MAX_ANSWER_BYTES``, or is compressed, so that it may have."""


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_ANSWER_BYTES
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise AnswerTooLongError("the answer is too long")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _BoundedTransport(httpx2.AsyncHTTPTransport):
    def __init__(self, refused: Callable[[int], None]) -> None:
        super().__init__(trust_env=False)
        self._refused = refused

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = await super().handle_async_request(request)
        if answer.status_code in REFUSALS:
            self._refused(answer.status_code)
        kind = answer.headers.get("content-type", "").lower()
        if answer.headers.get("content-encoding", "identity") != "identity":
            await answer.aclose()
            raise AnswerTooLongError("the answer is compressed")
        if not kind.startswith("text/event-stream") and isinstance(
            answer.stream, httpx2.AsyncByteStream
        ):
            answer.stream = _BoundedStream(answer.stream)
        return answer


@asynccontextmanager
async def connect(
    url: str, headers: Mapping[str, str], timeout_s: float, refused: Callable[[int], None]
) -> AsyncIterator[tuple[AsyncIterator[Any], Callable[[Mapping[str, Any]], Awaitable[None]]]]:
    """The messages of a server, and what sends it one, while the context lasts. ``timeout_s``: for
    everything but an answer to come."""
    timeout = httpx2.Timeout(timeout_s, read=None)
    async with (
        httpx2.AsyncClient(
            headers={"Accept-Encoding": "identity", **headers},
            timeout=timeout,
            trust_env=False,
            transport=_BoundedTransport(refused),
            follow_redirects=False,
        ) as http,
        streamable_http_client(url, http_client=http, max_sse_event_size=MAX_ANSWER_BYTES) as (
            incoming,
            outgoing,
        ),
    ):

        async def send(payload: Mapping[str, Any]) -> None:
            await outgoing.send(SessionMessage(_MESSAGES.validate_python(dict(payload))))

        yield _payloads(incoming), send


async def _payloads(incoming: Any) -> AsyncIterator[Any]:
    async for message in incoming:
        if isinstance(message, Exception):
            log.debug("an MCP server sent something broken")
        else:
            yield message.message.model_dump(by_alias=True, mode="json")
