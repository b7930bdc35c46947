"""`/mcp` as a part of the application: one HTTP request is one message of MCP.

Nothing is kept between two requests, so there is no session to be ended or stolen, and no stream
that stays open: `GET` and `DELETE` are refused with 405, as the protocol allows.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from starlette.datastructures import MutableHeaders
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from lobug.errors import InvalidRequestError
from lobug.http.dependencies import caller_of, conversation_of_caller, longest_json
from lobug.http.mcp.tool import STATE_KEY, McpCall
from lobug.http.memory.requests import get_scope
from lobug.http.uploads import read_at_most
from lobug.server import LobugServer

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"
LONGEST_USER = 200
"""Characters of ``?user=``, as everywhere."""


class McpDoor:
    """The ASGI application below ``PATH``. ``close`` last."""

    def __init__(self) -> None:
        self._manager: StreamableHTTPSessionManager | None = None
        self._task: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; the middleware has authenticated it. Raises LobugError."""
        request = Request(scope, receive)
        server: LobugServer = scope["app"].state.lobug
        call = await _call(request, server)
        body = await read_at_most(request, longest_json(server.settings.limits))
        manager = await self._started()
        scope["state"][STATE_KEY] = call
        await manager.handle_request(scope, _read_again(body, receive), _unstored(send))

    async def close(self) -> None:
        """End what is being answered."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        self._manager = self._task = None

    async def _started(self) -> StreamableHTTPSessionManager:
        async with self._starting:
            if self._manager is None:
                protocol = await asyncio.to_thread(import_module, "lobug.http.mcp.protocol")
                manager: StreamableHTTPSessionManager = protocol.make_manager()
                runs: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._task = asyncio.create_task(_run(manager, runs), name="MCP server")
                await runs
                self._manager = manager
        return self._manager


def add_mcp(app: FastAPI) -> None:
    """Serve ``PATH``. The door is at ``app.state.mcp``, to be closed."""
    app.state.mcp = door = McpDoor()
    app.router.routes.append(Route(PATH, door, methods=["POST"], include_in_schema=False))


async def _run(manager: StreamableHTTPSessionManager, runs: asyncio.Future[None]) -> None:
    """Run the manager until cancelled, in one task, as its task group demands. ``runs`` tells that
    it does, or why not."""
    try:
        async with manager.run():
            runs.set_result(None)
            await asyncio.Event().wait()
    except Exception as error:
        if runs.done():
            raise
        runs.set_exception(error)


async def _call(request: Request, server: LobugServer) -> McpCall:
    """Who calls, and for whom. Raises InvalidRequestError, MemoryForbiddenError."""
    caller = caller_of(request.scope)
    conversation_key = conversation_of_caller(caller, server.settings)
    user = request.query_params.get("user")
    if user is not None and not 1 <= len(user) <= LONGEST_USER:
        raise InvalidRequestError("user is not the name of a user")
    scope = await get_scope(request, server, conversation_key, user)
    return McpCall(request, server, caller, conversation_key, scope)


def _read_again(body: bytes, receive: Receive) -> Receive:
    """What gives a body that was read to its next reader, then whatever follows it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _unstored(send: Send) -> Send:
    """Forbid caches to keep the answer, as for every route of memory."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message)["Cache-Control"] = "no-store"
        await send(message)

    return sending
