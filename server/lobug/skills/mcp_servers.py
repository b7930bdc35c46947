"""The tools of MCP servers that the owner configured: one ``ToolBox`` over all of them.

Each server is connected in the background and again after a failure; a server that hangs, crashes,
floods or lies costs its own tools and nothing else. Only tools that the settings name are offered.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lobug.engines.base import Tool, ToolBox, ToolResult
from lobug.settings.skills import McpServerSettings
from lobug.skills.mcp_program import MAX_LINE_BYTES, LineTooLongError, run_program

if TYPE_CHECKING:
    from lobug.engines.tool_client import ToolClient

FIRST_RETRY_S = 2.0
LONGEST_RETRY_S = 300.0
"""Seconds before a server that failed is tried again: doubled each time, up to this."""

log = logging.getLogger(__name__)


class SilentServerError(Exception):
    """A server did not answer as one of MCP must, or not in time."""


@dataclass(frozen=True, slots=True)
class McpServerState:
    """What is known of a server, for the owner."""

    name: str
    connected: bool
    fault: str
    """Why it is not connected; empty: it is, or is being tried for the first time."""
    tools: Mapping[str, bool]
    """The names of all its tools, and whether each is allowed."""


class McpServer:
    """The connection to one server."""

    def __init__(
        self, name: str, settings: McpServerSettings, on_change: Callable[[], None]
    ) -> None:
        self.name = name
        self._settings = settings
        self._on_change = on_change
        self._client: ToolClient | None = None
        self._fault = ""
        self._refusal = ""
        """Why the server refused the last connection's requests; empty: it did not."""
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to connect, in the background."""
        self._task = asyncio.create_task(self._keep_connected(), name=f"MCP server {self.name}")

    async def close(self) -> None:
        """End the connection, and the server if it was started here."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def state(self) -> McpServerState:
        """What is known of it."""
        known = {tool.name: self._allows(tool.name) for tool in self._listed()}
        missing = {name: False for name in self._settings.allow if name not in known}
        connected = self._client is not None
        return McpServerState(self.name, connected, self._fault, known or missing)

    def tools(self) -> list[Tool]:
        """The allowed tools, with the server's name in front of each."""
        return [
            Tool(f"{self.name}.{tool.name}", tool.description, tool.input_schema)
            for tool in self._listed()
            if self._allows(tool.name)
        ]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Use an allowed tool, by its name without the server's."""
        client = self._client
        if client is None or not self._allows(name):
            return ToolResult("There is no such tool.", is_error=True)
        return await client.call(name, arguments)

    def _allows(self, name: str) -> bool:
        return name in self._settings.allow

    def _listed(self) -> Sequence[Tool]:
        return () if self._client is None else self._client.tools()

    async def _keep_connected(self) -> None:
        wait_s = FIRST_RETRY_S
        while True:
            try:
                await self._serve()
                self._fault = "the server ended the connection"
                wait_s = FIRST_RETRY_S
            except Exception as error:  # noqa: BLE001 - another program's fault ends no task of ours
                self._fault = self._refusal or _why(error)
            log.warning("the MCP server %s is not connected: %s", self.name, self._fault)
            self._on_change()
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_RETRY_S)

    async def _serve(self) -> None:
        """Serve one connection, until the server ends it."""
        self._refusal = ""
        # Imported for the first server: the SDK costs a core 0.2 s, which a start can do without.
        client_class = await asyncio.to_thread(_client_class)
        async with self._messages() as (incoming, send):
            client: ToolClient = client_class(
                send, self._settings, self._on_change, owner="The tool's server"
            )
            self._client, self._fault = client, ""
            try:
                client.start()
                receiving = asyncio.create_task(_receive(incoming, client))
                gone = asyncio.create_task(client.wait_gone())
                try:
                    done, _ = await asyncio.wait(
                        {receiving, gone}, return_when=asyncio.FIRST_COMPLETED
                    )
                    if receiving not in done:
                        raise SilentServerError
                    receiving.result()
                finally:
                    receiving.cancel()
                    gone.cancel()
                    await asyncio.wait({receiving, gone})
            finally:
                self._client = None
                await client.close()

    def _refused(self, status: int) -> None:
        self._refusal = f"it refuses what the headers say who asks (status {status})"

    @asynccontextmanager
    async def _messages(
        self,
    ) -> AsyncIterator[tuple[AsyncIterator[Any], Callable[[Mapping[str, Any]], Awaitable[None]]]]:
        """The JSON-RPC messages of the server, and what sends it one."""
        settings = self._settings
        if settings.command:
            env = {name: value.get_secret_value() for name, value in settings.env.items()}
            async with run_program(settings.command, env) as program:
                yield program.messages(), program.send
            return
        mcp_address = await asyncio.to_thread(import_module, "lobug.skills.mcp_address")
        headers = {name: value.get_secret_value() for name, value in settings.headers.items()}
        async with mcp_address.connect(
            settings.url, headers, settings.tool_timeout_s, self._refused
        ) as streams:
            yield streams


class McpServers:
    """All servers of the settings: a ``ToolBox``. Without any it has no tools."""

    def __init__(self, settings: Mapping[str, McpServerSettings]) -> None:
        self.changed: Callable[[], None] = lambda: None
        """Called on the event loop when tools become known or change, or a server fails."""
        self._servers = {
            name: McpServer(name, server, self._on_change) for name, server in settings.items()
        }

    def _on_change(self) -> None:
        self.changed()

    def start(self) -> None:
        """Begin to connect to all of them, in the background."""
        for server in self._servers.values():
            server.start()

    async def close(self) -> None:
        """End all connections."""
        await asyncio.gather(*(server.close() for server in self._servers.values()))

    def states(self) -> list[McpServerState]:
        """What is known of each server."""
        return [server.state() for server in self._servers.values()]

    def tools(self) -> Sequence[Tool]:
        """The allowed tools of the servers that are connected, each as SERVER.TOOL."""
        return [tool for server in self._servers.values() for tool in server.tools()]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Use a tool. Does not raise: every failure is a result with ``is_error``."""
        server, _, tool = name.partition(".")
        found = self._servers.get(server)
        if found is None:
            return ToolResult("There is no such tool.", is_error=True)
        return await found.call(tool, arguments)


class JoinedTools:
    """The tools of a device and those of the owner's servers, as one ``ToolBox``."""

    def __init__(self, device: ToolBox, servers: ToolBox) -> None:
        self._device = device
        self._servers = servers

    def tools(self) -> Sequence[Tool]:
        """The device's tools first."""
        return [*self._device.tools(), *self._servers.tools()]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Use a tool of whichever has it."""
        of_device = any(tool.name == name for tool in self._device.tools())
        return await (self._device if of_device else self._servers).call(name, arguments)


def _client_class() -> type[ToolClient]:
    from lobug.engines.tool_client import ToolClient as Client  # noqa: PLC0415

    return Client


async def _receive(incoming: AsyncIterator[Any], client: ToolClient) -> None:
    async for payload in incoming:
        client.receive(payload)


def _why(error: BaseException) -> str:
    """What failed, without addresses or secrets: the class of the innermost error."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return "there is no such program"
    if isinstance(error, SilentServerError):
        return "it did not answer as an MCP server, or not in time"
    if isinstance(error, LineTooLongError):
        return f"it wrote a line of more than {MAX_LINE_BYTES} bytes"
    return type(error).__name__
