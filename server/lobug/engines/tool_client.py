"""The tools of a device, or of a server that the owner configured, over MCP: Lo-Bug is the client.

The official SDK speaks JSON-RPC. What the other side sends is validated first and not trusted: the
firmware's error replies lack the code that JSON-RPC requires, its pictures do not have MCP's form,
and a device can send anything. Below, "device" stands for both.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from enum import Enum
from typing import Any, Protocol, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from jsonschema.exceptions import SchemaError, best_match  # type: ignore[import-untyped]
from mcp import ClientSession, MCPError, types
from mcp.shared.message import SessionMessage
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from lobug import __version__
from lobug.engines.base import Tool, ToolResult

LONGEST_DESCRIPTION = 2_000
"""Characters kept of a tool's description."""
LONGEST_ERROR = 300
"""Characters kept of an error message, of a device or of the schema check."""
MAX_PROPERTIES = 32
"""Most arguments of one tool."""
DEEPEST_SCHEMA = 4
"""Deepest nesting kept of an arguments' schema."""

_NAME = re.compile(r"[\w.$/:-]{1,128}")
"""Name of a tool or an argument. The length is MCP's limit; other characters could make a name look
like a part of the chat model's prompt."""
_TYPES = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})
_NUMBERS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")


class Notice(Enum):
    """A notification of a device."""

    TOOLS_CHANGED = "notifications/tools/list_changed"


_ANSWER: TypeAdapter[types.JSONRPCResponse | types.JSONRPCError] = TypeAdapter(
    types.JSONRPCResponse | types.JSONRPCError
)


_BLOCK: TypeAdapter[Any] = TypeAdapter(types.ContentBlock)


class ToolPage(BaseModel):
    """One answer to ``tools/list``. Its tools are checked one by one, so that an invalid one does
    not cost the others."""

    tools: list[Any] = []
    next_cursor: Any = Field(None, alias="nextCursor")

    @property
    def cursor(self) -> str | None:
        """Where the next page begins; None: this is the last one."""
        cursor = self.next_cursor
        return cursor if isinstance(cursor, str) and cursor else None


class ToolAnswer(BaseModel):
    """An answer to ``tools/call``."""

    content: list[Any] = []
    structured: Any = Field(None, alias="structuredContent")
    is_error: bool = Field(default=False, alias="isError")

    def result(self, max_chars: int) -> ToolResult:
        """The answer's text, at most ``max_chars`` of it."""
        texts = [
            str(block["text"]) if isinstance(block.get("text"), str) else f"({block.get('type')})"
            for block in self.content
            if isinstance(block, Mapping)
        ]
        text = "\n".join(texts).strip()
        if not text and self.structured is not None:
            text = json.dumps(self.structured, ensure_ascii=False)
        return ToolResult(text[:max_chars], self.is_error)


def parse(payload: object) -> types.JSONRPCResponse | types.JSONRPCError | Notice | None:
    """Read a device's message: an answer or a notification; None: anything else.

    Requests of the device are not answered, because firmware reads no answers.
    """
    if not isinstance(payload, Mapping):
        return None
    if "method" in payload:
        changed = payload["method"] == Notice.TOOLS_CHANGED.value
        return Notice.TOOLS_CHANGED if changed and "id" not in payload else None
    number = payload.get("id")
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
    if "error" in payload:
        answer["error"] = _error(payload["error"])
    elif isinstance(payload.get("result"), Mapping):
        answer["result"] = _well_formed(payload["result"])
    else:
        answer["error"] = {"code": types.INTERNAL_ERROR, "message": "an answer without a result"}
    try:
        return _ANSWER.validate_python(answer)
    except (ValidationError, RecursionError):
        return None


def _well_formed(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without what would make the SDK refuse all of it: tools that are none, a cursor that
    is no text, and blocks without MCP's form, of which only the type is kept as a text."""
    kept = dict(result)
    if isinstance(kept.get("tools"), list):
        kept["tools"] = [
            {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
            for tool in map(read_tool, kept["tools"])
            if tool is not None
        ]
        if not isinstance(kept.get("nextCursor"), str):
            kept.pop("nextCursor", None)
    if isinstance(kept.get("content"), list):
        kept["content"] = [
            block if _is_block(block) else {"type": "text", "text": f"({block.get('type')})"}
            for block in kept["content"]
            if isinstance(block, Mapping)
        ]
    return kept


def _is_block(value: object) -> bool:
    try:
        _BLOCK.validate_python(value, by_name=False)
    except (ValidationError, RecursionError):
        return False
    return True


def _error(error: object) -> dict[str, Any]:
    """A valid JSON-RPC error from whatever the device sent as one."""
    message = error.get("message") if isinstance(error, Mapping) else error
    text = message if isinstance(message, str) and message else "the device gave no reason"
    return {"code": types.INTERNAL_ERROR, "message": text[:LONGEST_ERROR]}


def read_tool(listed: object) -> Tool | None:
    """A tool of a page; None: it is invalid, or meant for people and not for a model."""
    if not isinstance(listed, Mapping):
        return None
    name, description = listed.get("name"), listed.get("description")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or _for_people_only(listed):
        return None
    schema = safe_schema(listed.get("inputSchema"))
    if schema is None:
        return None
    text = description[:LONGEST_DESCRIPTION] if isinstance(description, str) else ""
    return Tool(name, text, schema)


def _for_people_only(listed: Mapping[str, Any]) -> bool:
    annotations = listed.get("annotations")
    audience = annotations.get("audience") if isinstance(annotations, Mapping) else None
    return isinstance(audience, list) and "assistant" not in audience and "user" in audience


def safe_schema(schema: object) -> Mapping[str, Any] | None:
    """The part of an arguments' schema that is safe to check; None: it is not a schema.

    Patterns (which can take very long), references and combinations are left out; the device itself
    refuses what they forbid.
    """
    if not isinstance(schema, Mapping):
        return None
    kept = _kept(schema, DEEPEST_SCHEMA) | {"type": "object"}
    try:
        Draft202012Validator.check_schema(kept)
    except SchemaError:
        return None
    return kept


def _kept(schema: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    if isinstance(schema.get("type"), str) and schema["type"] in _TYPES:
        kept["type"] = schema["type"]
    for key in _NUMBERS:
        value = schema.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            kept[key] = value
    choices = schema.get("enum")
    if isinstance(choices, list) and 0 < len(choices) <= MAX_PROPERTIES:
        simple = [choice for choice in choices if isinstance(choice, str | int | float)]
        if len(simple) == len(choices):
            kept["enum"] = simple
    description = schema.get("description")
    if isinstance(description, str):
        kept["description"] = description[:LONGEST_ERROR]
    if depth <= 0:
        return kept
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        names = [n for n in properties if isinstance(n, str) and _NAME.fullmatch(n)]
        kept["properties"] = {
            name: _kept(properties[name], depth - 1)
            for name in names[:MAX_PROPERTIES]
            if isinstance(properties[name], Mapping)
        }
        required = schema.get("required")
        if isinstance(required, list):
            kept["required"] = [name for name in kept["properties"] if name in required]
    if isinstance(schema.get("items"), Mapping):
        kept["items"] = _kept(schema["items"], depth - 1)
    return kept


def argument_error(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> str | None:
    """What is wrong with a call's arguments, as a text for the model; None: nothing."""
    error = best_match(Draft202012Validator(schema).iter_errors(dict(arguments)))
    if error is None:
        return None
    where = ".".join(str(part) for part in error.absolute_path)
    return f"{where}: {error.message}"[:LONGEST_ERROR] if where else error.message[:LONGEST_ERROR]


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


class ToolLimits(Protocol):
    """What bounds the tools of one connection (``StreamingSettings``)."""

    @property
    def tool_timeout_s(self) -> float:
        """Longest wait for an answer, seconds."""

    @property
    def max_tools(self) -> int:
        """Most tools that are kept."""

    @property
    def tool_result_chars(self) -> int:
        """Characters kept of a result."""


class ToolClient:
    """A ``ToolBox`` over one connection."""

    def __init__(
        self,
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
        limits: ToolLimits,
        on_change: Callable[[], None] = lambda: None,
        *,
        owner: str = "The device",
    ) -> None:
        """``send`` takes each JSON-RPC message, which is the ``payload`` of an ``mcp`` message to
        the device. ``on_change`` is called whenever the tools become known or change. ``owner``
        names the other side in the texts that the model reads."""
        self._send = send
        self._limits = limits
        self._owner = owner
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
        elif message is not None and self._from_device is not None:
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
        request = types.CallToolRequest(params=params)
        session = self._session
        if session is None:
            return ToolResult(f"{self._owner} is gone.", is_error=True)
        try:
            answer = await self._answer(session.send_request(request, ToolAnswer))
        except _UnusableAnswerError as failure:
            log.info("a device's tool could not be used")
            return ToolResult(str(failure), is_error=True)
        return answer.result(self._limits.tool_result_chars)

    async def wait_gone(self) -> None:
        """Return once nothing more can be expected of the other side: it did not answer the first
        request as it must, or cannot be written to, or this client was closed."""
        await self._gone.wait()

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
                if "method" in payload:  # devices in the field expect them in every request
                    payload.setdefault("params", {})
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
            request = types.ListToolsRequest(params=params)
            page = await self._answer(session.send_request(request, ToolPage))
            for listed in page.tools:
                if len(found) >= self._limits.max_tools:
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
            raise _UnusableAnswerError(f"{self._owner} is gone.") from None

    async def _timed(self, request: Coroutine[Any, Any, _Answer]) -> _Answer:
        try:
            # The SDK's own time-out leaves out the time that sending takes.
            async with asyncio.timeout(self._limits.tool_timeout_s):
                return await request
        except TimeoutError:
            raise _UnusableAnswerError(f"{self._owner} did not answer in time.") from None
        except MCPError as error:
            closed = error.code == types.CONNECTION_CLOSED
            text = f"{self._owner} is gone." if closed else error.message
            raise _UnusableAnswerError(text) from None
        except (ValidationError, RuntimeError, RecursionError):
            text = f"{self._owner} gave an answer that makes no sense."
            raise _UnusableAnswerError(text) from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise _UnusableAnswerError(f"{self._owner} is gone.") from None

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
