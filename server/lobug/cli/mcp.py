"""``lobug mcp``: `/mcp` of the running server over standard input and output."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

from lobug.cli.announce import PATIENCE_S
from lobug.cli.connection import client_arguments, server_address
from lobug.cli.sentences import sentence
from lobug.cli.terminal import EXIT_UNREACHABLE, CommandError, ServerOption

if TYPE_CHECKING:
    import httpx
    from pydantic import BaseModel

    R = TypeVar("R", bound=BaseModel)


def mcp(
    user: Annotated[
        str | None,
        typer.Option(
            "--user",
            metavar="NAME",
            help="Whose memory, timers and lists. Default: yours on this computer, or those of the"
            " only user.",
            show_default=False,
        ),
    ] = None,
    server: ServerOption = None,
) -> None:
    """Serve MCP over standard input and output, for programs that start their tools themselves. The
    running server does the work, as at its address /mcp."""
    import httpx

    from lobug.cli.memory.client import MemoryClient, user_meant

    with httpx.Client(**client_arguments(server, _no_server)) as http:
        meant = user_meant(MemoryClient(http), user, creates=user is not None)
    asyncio.run(_serve(_RunningServer(server, meant)))


def _no_server() -> NoReturn:
    raise CommandError(
        sentence("connection.no_server_start", url=server_address(None).url), code=EXIT_UNREACHABLE
    )


class _NoAnswerError(CommandError):
    """A message was sent and not answered, so it is not known what came of it."""


class _RunningServer:
    """The server that does the work, asked one message at a time. It is looked for anew when it
    cannot be reached: one that was started again has another secret, and maybe another address."""

    def __init__(self, named: str | None, user: str | None) -> None:
        self._named = named
        self._user = user
        self._finding = asyncio.Lock()
        self._opened: list[httpx.AsyncClient] = []
        """The last one is in use; calls that run may still use those before."""

    async def ask(self, method: str, params: BaseModel | None, kind: type[R]) -> R:
        """Ask it for a result. Raises MCPError."""

        from mcp import MCPError, types

        given = {} if params is None else params.model_dump(mode="json", by_alias=True)
        wanted = {k: v for k, v in given.items() if v is not None and k != "_meta"}
        try:
            answer = await self._post({"method": method, "params": wanted})
        except _NoAnswerError as error:
            data = {"code": "server_silent"}
            raise MCPError(types.INTERNAL_ERROR, str(error), data=data) from None
        except CommandError as error:
            data = {"code": "server_unreachable"}
            raise MCPError(types.INTERNAL_ERROR, str(error), data=data) from None
        if "result" in answer:
            return kind.model_validate(answer["result"])
        fault = answer["error"]
        if isinstance(fault["code"], int):
            raise MCPError(fault["code"], fault["message"], data=fault.get("data"))
        # It was refused before it came to MCP: an error as of any other path.
        raise MCPError(types.INTERNAL_ERROR, fault["message"], data={"code": fault["code"]})

    async def close(self) -> None:
        """Close all connections."""
        for http in self._opened:
            await http.aclose()

    async def _post(self, message: dict[str, Any]) -> Any:
        """The JSON that it answers. Raises CommandError: nothing was done; _NoAnswerError."""
        import httpx

        known = len(self._opened)
        answer = await self._send(message)
        if answer is None or answer.status_code == httpx.codes.UNAUTHORIZED:
            async with self._finding:
                if known == len(self._opened):
                    arguments = await asyncio.to_thread(client_arguments, self._named, _no_server)
                    self._opened.append(httpx.AsyncClient(**arguments, timeout=PATIENCE_S))
            answer = await self._send(message)
        if answer is None:
            raise CommandError(sentence("mcp.unreachable"))
        try:
            return answer.json()
        except ValueError:
            raise _NoAnswerError(sentence("mcp.no_answer")) from None

    async def _send(self, message: dict[str, Any]) -> httpx.Response | None:
        """The answer; None: nothing was sent, because it could not be reached. Raises
        _NoAnswerError."""
        import httpx

        if not self._opened:
            return None
        try:
            return await self._opened[-1].post(
                "/mcp",
                json={"jsonrpc": "2.0", "id": 1, **message},
                params={} if self._user is None else {"user": self._user},
                headers={"Accept": "application/json"},
            )
        except httpx.ConnectError:
            return None
        except httpx.HTTPError:
            raise _NoAnswerError(sentence("mcp.no_answer")) from None


async def _serve(lobug: _RunningServer) -> None:
    """Answer what comes on standard input, until it ends."""
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server

    from lobug import __version__
    from lobug.http.mcp import INSTRUCTIONS

    async def list_tools(_: object, params: Any) -> types.ListToolsResult:
        return await lobug.ask("tools/list", params, types.ListToolsResult)

    async def call_tool(_: object, params: Any) -> types.CallToolResult:
        return await lobug.ask("tools/call", params, types.CallToolResult)

    async def list_resources(_: object, params: Any) -> types.ListResourcesResult:
        return await lobug.ask("resources/list", params, types.ListResourcesResult)

    async def read_resource(_: object, params: Any) -> types.ReadResourceResult:
        return await lobug.ask("resources/read", params, types.ReadResourceResult)

    server: Server[Any] = Server(
        "lobug",
        version=__version__,
        title="Lo-Bug",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await lobug.close()
