"""The official SDK's server over the tools and resources of `/mcp`.

Imported with the first request, since importing the SDK takes about a second of computing.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

from fastapi import Request
from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from lobug import __version__
from lobug.errors import LobugError
from lobug.http.mcp import INSTRUCTIONS
from lobug.http.mcp.deed_tools import DEED_TOOLS
from lobug.http.mcp.memory_tools import MEMORY_TOOLS
from lobug.http.mcp.resources import RESOURCES
from lobug.http.mcp.tool import STATE_KEY, McpCall, McpTool
from lobug.http.problems import error_reply

log = logging.getLogger(__name__)

TOOLS: dict[str, McpTool] = {tool.name: tool for tool in (*MEMORY_TOOLS, *DEED_TOOLS)}
"""All tools by name."""

_SCHEMAS = {tool.name: tool.schema for tool in TOOLS.values()}
_SHOWN = {
    tool.name: types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=_SCHEMAS[tool.name],
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.read_only or tool.idempotent,
            open_world_hint=False,
        ),
    )
    for tool in TOOLS.values()
}

Context = ServerRequestContext[Any, Any]


def make_manager() -> StreamableHTTPSessionManager:
    """What answers the requests. It keeps nothing between them, and answers in JSON. The door has
    read the body and looked at ``Host`` and ``Origin`` by then."""
    server: Server[Any] = Server(
        "lobug",
        version=__version__,
        title="Lo-Bug",
        instructions=INSTRUCTIONS,
        get_tool_input_schema=_SCHEMAS.get,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_read_resource=_read_resource,
    )
    return StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=sys.maxsize
    )


def _call_of(context: Context) -> McpCall:
    request: Request | None = context.request
    if request is None:
        raise TypeError("a message of MCP came without its HTTP request")
    call: McpCall = request.scope["state"][STATE_KEY]
    return call


async def _list_tools(
    context: Context, _: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    caller = _call_of(context).caller
    shown = [_SHOWN[name] for name, tool in TOOLS.items() if caller.may_use(tool.scope)]
    return types.ListToolsResult(tools=shown)


async def _call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    tool = TOOLS.get(params.name)
    if tool is None:
        raise MCPError(
            types.INVALID_PARAMS, "there is no such tool", data={"code": "invalid_request"}
        )
    try:
        answer = await tool.call(_call_of(context), params.arguments or {})
    except LobugError as error:
        return _failure(error)
    except Exception as error:
        log.exception("the tool %s failed", tool.name)
        return _failure(LobugError(type(error).__name__))
    return types.CallToolResult(
        content=[types.TextContent(text=answer.text)], structured_content=dict(answer.structured)
    )


def _failure(error: LobugError) -> types.CallToolResult:
    """An error as a tool's result, so that a model reads why it failed."""
    reply = error_reply(error)
    text = f"{reply.response} ({reply.error.code}: {reply.error.message})"
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        structured_content={"error": reply.error.model_dump(), "response": reply.response},
        is_error=True,
    )


async def _list_resources(
    context: Context, _: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    if not _call_of(context).caller.may_use("memory:read"):
        return types.ListResourcesResult(resources=[])
    return types.ListResourcesResult(
        resources=[
            types.Resource(
                uri=one.uri,
                name=one.uri.rpartition("/")[2],
                title=one.title,
                description=one.description,
                mime_type=one.media_type,
            )
            for one in RESOURCES.values()
        ]
    )


async def _read_resource(
    context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    found = RESOURCES.get(str(params.uri))
    if found is None:
        raise MCPError(
            types.INVALID_PARAMS, "there is no such resource", data={"code": "invalid_request"}
        )
    try:
        text = await found.read(_call_of(context))
    except LobugError as error:
        reply = error_reply(error)
        code = types.INTERNAL_ERROR if error.status >= 500 else types.INVALID_PARAMS
        data = {"code": reply.error.code, "response": reply.response}
        raise MCPError(code, reply.error.message, data=data) from None
    contents = types.TextResourceContents(uri=found.uri, mime_type=found.media_type, text=text)
    return types.ReadResourceResult(contents=[contents])
