"""The tools of one connected device, over MCP: the device is the server, Lo-Bug its client.

The official SDK speaks JSON-RPC; what the device sends is validated first (``tool_messages``).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import ClientSession, McpError, types
from mcp.shared.message import SessionMessage
from pydantic import BaseModel, ValidationError

from lobug import __version__
from lobug.devices.tool_messages import (
    Notice,
    ToolAnswer,
    ToolPage,
    argument_error,
    parse,
    read_tool,
)
from lobug.engines.tools import Tool, ToolResult
from lobug.settings import StreamingSettings

MAX_PAGES = 32
"""Pages of ``tools/list`` in one listing."""
MAX_LISTINGS = 64
"""Most listings of one connection's tools; each change that the device reports causes one."""
MAX_WAITING = 32
"""Answers of the device that may wait for the client; more are dropped."""

_Answer = TypeVar("_Answer", bound=BaseModel)
_Incoming = SessionMessage | Exception

log = logging.getLogger(__name__)


class _UnusableAnswerError(Exception):
    """The device gave no usable answer. The text says why, for log and model."""


class DeviceTools:
    """A ``ToolBox`` over one connection."""

    def __init__(
        self,
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
        settings: StreamingSettings,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """``send`` takes each JSON-RPC message, which is the ``payload`` of an ``mcp`` message to
        the device. ``on_change`` is called whenever the tools become known or change."""
        self._send = send
        self._settings = settings
        self._on_change = on_change
        self._tools: dict[str, Tool] = {}
        self._session: ClientSession | None = None
        self._from_device: MemoryObjectSendStream[_Incoming] | None = None
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._gone = asyncio.Event()

    def start(self) -> None:
        """Begin to list the device's tools. Needs a running event loop; safe to call again."""
        if self._task is not None or self._gone.is_set():
            return
        self._from_device, to_session = anyio.create_memory_object_stream[_Incoming](MAX_WAITING)
        self._task = asyncio.create_task(self._run(to_session), name="device tools")

    def receive(self, payload: object) -> None:
        """Take the ``payload`` of a device's ``mcp`` message, whatever it is. Never raises."""
        message = parse(payload)
        if message is Notice.TOOLS_CHANGED:
            self._changed.set()
        elif isinstance(message, types.JSONRPCMessage) and self._from_device is not None:
            try:
                self._from_device.send_nowait(SessionMessage(message))
            except (anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
                log.debug("an answer of a device was dropped")

    def tools(self) -> Sequence[Tool]:
        """The device's tools; empty before they are listed and after the connection."""
        return () if self._gone.is_set() else tuple(self._tools.values())

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Use a tool. Every failure is a result with ``is_error`` and a text for the model."""
        tool = self._tools.get(name)
        if tool is None:
            return ToolResult("There is no such tool.", is_error=True)
        if (wrong := argument_error(tool.input_schema, arguments)) is not None:
            return ToolResult(f"Wrong arguments: {wrong}", is_error=True)
        params = types.CallToolRequestParams(name=name, arguments=dict(arguments))
        request = types.ClientRequest(types.CallToolRequest(params=params))
        session = self._session
        if session is None:
            return ToolResult("The device is gone.", is_error=True)
        try:
            answer = await self._answer(session.send_request(request, ToolAnswer))
        except _UnusableAnswerError as failure:
            log.info("a device's tool could not be used")
            return ToolResult(str(failure), is_error=True)
        return answer.result(self._settings.tool_result_chars)

    async def close(self) -> None:
        """End with the connection: calls that wait return an error. Safe to call twice."""
        self._gone.set()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        if self._from_device is not None:
            self._from_device.close()

    async def _run(self, to_session: MemoryObjectReceiveStream[_Incoming]) -> None:
        to_device, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        sending = asyncio.create_task(self._pass_on(from_session), name="device tools: sending")
        client = types.Implementation(name="lobug", version=__version__)
        try:
            async with ClientSession(to_session, to_device, client_info=client) as session:
                await self._keep_listed(session)
        except Exception:  # nothing else awaits this task, so it is logged here
            log.exception("a device's tools failed")
        finally:
            self._gone.set()
            self._session = None
            sending.cancel()
            await asyncio.wait({sending})
            to_session.close()
            to_device.close()

    async def _pass_on(self, from_session: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Send what the session writes, until the connection fails."""
        with from_session:
            async for message in from_session:
                payload = message.message.model_dump(by_alias=True, mode="json", exclude_none=True)
                try:
                    await self._send(payload)
                except Exception as error:  # noqa: BLE001 - the connection reports it
                    log.debug("a device's tools are out of reach: %s", type(error).__name__)
                    self._gone.set()
                    return

    async def _keep_listed(self, session: ClientSession) -> None:
        """List the tools, and again whenever the device says that they changed."""
        try:
            await self._answer(session.initialize())
        except _UnusableAnswerError as failure:
            if not self._gone.is_set():
                log.info("a device that says it has tools offers none")
                log.debug("why it offers none: %r", str(failure))
            return
        self._session = session
        for _ in range(MAX_LISTINGS):
            self._changed.clear()
            try:
                self._take(await self._list(session))
            except _UnusableAnswerError as failure:
                if not self._gone.is_set():
                    log.info("a device's tools could not be listed")
                    log.debug("why they could not: %r", str(failure))
            await self._either(self._changed.wait())
            if self._gone.is_set():
                return
        await self._gone.wait()

    async def _list(self, session: ClientSession) -> dict[str, Tool]:
        """All pages of ``tools/list``, up to ``MAX_PAGES`` and ``streaming.max_tools``."""
        found: dict[str, Tool] = {}
        cursors: set[str] = set()
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            params = types.PaginatedRequestParams(cursor=cursor)
            request = types.ClientRequest(types.ListToolsRequest(params=params))
            page = await self._answer(session.send_request(request, ToolPage))
            for listed in page.tools:
                if len(found) >= self._settings.max_tools:
                    log.info("a device has more tools than streaming.max_tools")
                    return found
                if (tool := read_tool(listed)) is not None:
                    found.setdefault(tool.name, tool)
            cursor = page.cursor
            if cursor is None or cursor in cursors:
                break
            cursors.add(cursor)
        return found

    def _take(self, tools: dict[str, Tool]) -> None:
        if tools != self._tools:
            self._tools = tools
            log.info("a device offers %d tools", len(tools))
            self._on_change()

    async def _answer(self, request: Coroutine[Any, Any, _Answer]) -> _Answer:
        """The answer to a request. Raises _UnusableAnswerError after a time-out, a refusal, an
        invalid answer or a lost connection."""
        asked = asyncio.create_task(self._timed(request))
        await self._either(asked)
        try:
            return asked.result()
        except asyncio.CancelledError:
            raise _UnusableAnswerError("The device is gone.") from None

    async def _timed(self, request: Coroutine[Any, Any, _Answer]) -> _Answer:
        try:
            # The SDK's own time-out leaves out the time that sending takes.
            async with asyncio.timeout(self._settings.tool_timeout_s):
                return await request
        except TimeoutError:
            raise _UnusableAnswerError("The device did not answer in time.") from None
        except McpError as error:
            raise _UnusableAnswerError(error.error.message) from None
        except (ValidationError, RuntimeError, RecursionError):
            raise _UnusableAnswerError("The device gave an answer that makes no sense.") from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise _UnusableAnswerError("The device is gone.") from None

    async def _either(self, work: Coroutine[Any, Any, Any] | asyncio.Task[Any]) -> None:
        """Wait for ``work`` or the end of the connection, then cancel what still runs."""
        task = asyncio.ensure_future(work)
        gone = asyncio.create_task(self._gone.wait())
        try:
            await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for waiting in (task, gone):
                waiting.cancel()
            await asyncio.gather(task, gone, return_exceptions=True)
