"""Resources of `/mcp`: the memory of the caller's user, in the formats of an export."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from lobug.errors import ResourceTooLargeError
from lobug.http.mcp.tool import McpCall
from lobug.http.memory.transfer import in_pieces, without_parts


@dataclass(frozen=True, slots=True)
class McpResource:
    """A resource as a client is told of it, and where its text comes from."""

    uri: str
    title: str
    description: str
    media_type: str
    pieces: Callable[[McpCall], Awaitable[Iterable[str]]]
    """Its text, piece by piece."""

    async def read(self, call: McpCall) -> str:
        """Its text. Raises TokenScopeError, StorageError, ResourceTooLargeError."""
        call.require("memory:read")
        limit = call.server.settings.limits.max_resource_bytes
        return await asyncio.to_thread(_joined, await self.pieces(call), limit)


def _joined(pieces: Iterable[str], limit: int) -> str:
    """The pieces as one text of at most ``limit`` bytes. Raises ResourceTooLargeError."""
    taken: list[str] = []
    size = 0
    for piece in pieces:
        size += len(piece.encode())
        if size > limit:
            raise ResourceTooLargeError(f"the memory is larger than {limit} bytes as one resource")
        taken.append(piece)
    return "".join(taken)


async def _json(call: McpCall) -> Iterable[str]:
    document = await call.server.memory.export(call.scope)
    return in_pieces(document if call.caller.owner else without_parts(document))


async def _markdown(call: McpCall) -> Iterable[str]:
    return [await call.server.memory.export_markdown(call.scope)]


RESOURCES: dict[str, McpResource] = {
    one.uri: one
    for one in (
        McpResource(
            "lobug://memory/export.md",
            "Memory, to be read",
            "All that is remembered of the user, as Markdown.",
            "text/markdown",
            _markdown,
        ),
        McpResource(
            "lobug://memory/export.json",
            "Memory, complete",
            "All of the user's memory as JSON, as `lobug memory export` writes it; it can be"
            " imported.",
            "application/json",
            _json,
        ),
    )
}
"""All resources by URI."""
