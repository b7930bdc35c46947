"""The official MCP client against a server of a test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client

JSON = {"Accept": "application/json", "Content-Type": "application/json"}


@asynccontextmanager
async def mcp_client(
    http: httpx.AsyncClient, headers: Mapping[str, str] | None = None, *, mode: str = "auto"
) -> AsyncIterator[Client]:
    """A client that has greeted the server, with these headers in all of its requests. ``mode``:
    ``auto``, or ``legacy`` for the handshake of 2025."""
    url = str(http.base_url).rstrip("/") + "/mcp"
    # To read all certificate authorities, of which HTTP needs none, takes as long as a test.
    async with (
        httpx2.AsyncClient(
            headers=dict(headers or {}), timeout=60, trust_env=False, verify=False
        ) as bare,
        Client(streamable_http_client(url, http_client=bare), mode=mode) as client,
    ):
        yield client


def text_of(result: types.CallToolResult) -> str:
    """What a tool answered, as a model reads it."""
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


def found_of(result: types.CallToolResult) -> Any:
    """What a tool that succeeded answered, as a program reads it."""
    assert not result.is_error, text_of(result)
    return result.structured_content


def code_of(result: types.CallToolResult) -> str:
    """The code of a tool that failed."""
    assert result.is_error, text_of(result)
    code: str = result.structured_content["error"]["code"]
    assert code in text_of(result)
    return code


async def post(
    http: httpx.AsyncClient, method: str, headers: Mapping[str, str] | None = None, **params: Any
) -> httpx.Response:
    """One message without the client."""
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    return await http.post("/mcp", json=body, headers={**JSON, **(headers or {})})
