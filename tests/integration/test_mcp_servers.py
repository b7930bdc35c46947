"""Tools of servers that the owner configured, over real pipes and real sockets."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
import pytest
from fastapi import FastAPI
from fastapi.responses import RedirectResponse
from pydantic import SecretStr

from lobug.engines.base import ABSENT_TOOLS, ChatOptions
from lobug.settings.skills import McpServerSettings
from lobug.skills.mcp_program import MAX_LINE_BYTES
from lobug.skills.mcp_servers import JoinedTools, McpServers
from support import home_assistant, mcp_server
from support.app_server import ScriptedEngines, client_of, running, settings_for
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel

PROGRAM = [sys.executable, str(Path(mcp_server.__file__))]


async def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - the state of another program
            await asyncio.sleep(0.02)


@asynccontextmanager
async def connected(settings: McpServerSettings) -> AsyncIterator[McpServers]:
    servers = McpServers({"house": settings})
    servers.start()
    try:
        await until(lambda: bool(servers.tools()))
        yield servers
    finally:
        await servers.close()


def program(fault: str = "", timeout_s: float = 20.0) -> McpServerSettings:
    return McpServerSettings(
        command=[*PROGRAM, *([fault] if fault else [])],
        allow=["switch_lamp"],
        tool_timeout_s=timeout_s,
    )


async def test_a_program_offers_what_is_allowed_and_nothing_else() -> None:
    async with connected(program()) as servers:
        assert [tool.name for tool in servers.tools()] == ["house.switch_lamp"]
        result = await servers.call("house.switch_lamp", {"on": True})
        assert (result.text, result.is_error) == ("The lamp is on.", False)
        assert (await servers.call("house.open_safe", {})).is_error
        assert (await servers.call("house.switch_lamp", {"on": "perhaps"})).is_error
        assert (await servers.call("nobody.switch_lamp", {"on": True})).is_error
        (state,) = servers.states()
        assert state.connected
        assert state.tools == {"switch_lamp": True, "open_safe": False}


async def test_a_server_over_http() -> None:
    async with client_of(mcp_server.make().streamable_http_app()) as client:
        settings = McpServerSettings(url=f"{client.base_url}/mcp", allow=["switch_lamp"])
        async with connected(settings) as servers:
            result = await servers.call("house.switch_lamp", {"on": False})
            assert (result.text, result.is_error) == ("The lamp is off.", False)


async def test_home_assistants_stateless_server() -> None:
    app = home_assistant.mcp_app()
    async with client_of(app) as client:
        settings = McpServerSettings(
            url=f"{client.base_url}/api/mcp",
            headers={"Authorization": SecretStr(f"Bearer {home_assistant.TOKEN}")},
            allow=["intent__HassTurnOn"],
        )
        async with connected(settings) as servers:
            assert [tool.name for tool in servers.tools()] == ["house.intent__HassTurnOn"]
            result = await servers.call("house.intent__HassTurnOn", {"name": "Goblin"})
            assert not result.is_error
            assert "Goblin" in result.text
            assert (await servers.call("house.intent__HassTurnOff", {"name": "Goblin"})).is_error
        assert [asked["method"] for _, asked in app.state.requests] == [
            "initialize",
            "notifications/initialized",
            "tools/list",
            "tools/call",
        ]
        assert not any("mcp-session-id" in headers for headers, _ in app.state.requests)


async def test_a_token_that_home_assistant_refuses_is_told() -> None:
    async with client_of(home_assistant.mcp_app()) as client:
        settings = McpServerSettings(
            url=f"{client.base_url}/api/mcp",
            headers={"Authorization": SecretStr("Bearer wrong")},
            tool_timeout_s=PATIENCE_S,
        )
        servers = McpServers({"house": settings})
        servers.start()
        try:
            await until(lambda: bool(servers.states()[0].fault))
            fault = servers.states()[0].fault
            assert "status 401" in fault
            assert "wrong" not in fault
        finally:
            await servers.close()


async def test_a_redirect_to_another_server_is_not_followed() -> None:
    elsewhere, here = home_assistant.mcp_app(), FastAPI()
    async with client_of(elsewhere) as target:

        @here.post("/api/mcp")
        async def redirect() -> RedirectResponse:
            return RedirectResponse(f"{target.base_url}/api/mcp", status_code=307)

        async with client_of(here) as client:
            settings = McpServerSettings(
                url=f"{client.base_url}/api/mcp",
                headers={"Authorization": SecretStr(f"Bearer {home_assistant.TOKEN}")},
                tool_timeout_s=PATIENCE_S,
            )
            servers = McpServers({"house": settings})
            servers.start()
            try:
                await until(lambda: bool(servers.states()[0].fault))
                assert elsewhere.state.requests == []
            finally:
                await servers.close()


@pytest.mark.parametrize(
    ("fault", "says"),
    [("hang", "did not answer in time"), ("crash", "is gone")],
)
async def test_a_server_that_fails_is_a_result(fault: str, says: str) -> None:
    async with connected(program(fault, timeout_s=3.0)) as servers:
        result = await servers.call("house.switch_lamp", {"on": True})
        assert result.is_error
        assert says in result.text
        if fault == "crash":
            await until(lambda: bool(servers.states()[0].fault))
            await until(lambda: bool(servers.tools()))  # it is started again by itself


async def test_what_floods_is_cut_and_what_lies_is_data() -> None:
    async with connected(program("flood")) as servers:
        result = await servers.call("house.switch_lamp", {"on": True})
        assert len(result.text) == 600
    async with connected(program("lie")) as servers:
        result = await servers.call("house.switch_lamp", {"on": True})
        assert not result.is_error  # what becomes of its words: tests/unit/test_tool_prompt.py


def children() -> list[psutil.Process]:
    """The programs that this process has started and that run."""
    found = psutil.Process().children(recursive=True)
    return [child for child in found if child.status() != psutil.STATUS_ZOMBIE]


async def test_an_endless_line_ends_its_program_and_says_why() -> None:
    before, memory = len(children()), psutil.Process().memory_info().rss
    async with connected(program("endless_line")) as servers:
        assert len(children()) > before
        result = await servers.call("house.switch_lamp", {"on": True})
        assert (result.text, result.is_error) == ("The tool's server is gone.", True)
        await until(lambda: bool(servers.states()[0].fault))
        state = servers.states()[0]
        assert not state.connected
        assert state.fault == f"it wrote a line of more than {MAX_LINE_BYTES} bytes"
        assert len(children()) == before
        assert psutil.Process().memory_info().rss - memory < 12 * MAX_LINE_BYTES
        await until(lambda: bool(servers.tools()))  # it is started again by itself
    assert len(children()) == before


@pytest.mark.parametrize("head", ["", "Content-Encoding: gzip\r\n"])
async def test_an_endless_answer_over_http_is_cut_off(head: str) -> None:
    sent: list[int] = []
    ended = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 200 OK\r\n{head}Content-Type: application/json\r\n\r\n".encode())
        with suppress(ConnectionError):
            while True:
                writer.write(b"x" * 65_536)
                await writer.drain()
                sent.append(65_536)
        ended.set()

    serving = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = serving.sockets[0].getsockname()[1]
    servers = McpServers(
        {"house": McpServerSettings(url=f"http://127.0.0.1:{port}/mcp", allow=["switch_lamp"])}
    )
    servers.start()
    try:
        async with asyncio.timeout(PATIENCE_S):
            await ended.wait()
        assert sum(sent) < 8 * MAX_LINE_BYTES
        assert servers.tools() == []
    finally:
        await servers.close()
        serving.close()


async def test_a_program_that_says_nothing_is_told_of_and_tried_again(tmp_path: Path) -> None:
    slow_once = (
        "import os, sys, time\n"
        "if not os.path.exists(sys.argv[1]):\n"
        "    open(sys.argv[1], 'w').close()\n"
        "    time.sleep(60)\n"
        "os.execv(sys.executable, [sys.executable, sys.argv[2]])\n"
    )
    command = [sys.executable, "-c", slow_once, str(tmp_path / "was_slow"), PROGRAM[1]]
    settings = McpServerSettings(command=command, allow=["switch_lamp"], tool_timeout_s=5.0)
    servers = McpServers({"house": settings})
    servers.start()
    try:
        await until(lambda: bool(servers.states()[0].fault))
        (state,) = servers.states()
        assert state.fault == "it did not answer as an MCP server, or not in time"
        assert not state.connected
        await until(lambda: bool(servers.tools()))
    finally:
        await servers.close()


async def test_endless_lines_leave_time_for_others() -> None:
    before = len(children())
    async with connected(program("many_lines")) as servers, connected(program()) as others:
        flooding = asyncio.create_task(servers.call("house.switch_lamp", {"on": True}))
        await asyncio.sleep(0.3)
        result = await others.call("house.switch_lamp", {"on": True})
        assert result.text == "The lamp is on."
        flooding.cancel()
    assert len(children()) == before


async def test_a_program_that_does_not_exist_says_so_and_costs_nothing() -> None:
    settings = McpServerSettings(command=["/nonexistent/mcp-server"], allow=["x"])
    servers = McpServers({"house": settings})
    servers.start()
    try:
        await until(lambda: bool(servers.states()[0].fault))
        (state,) = servers.states()
        assert (state.connected, state.fault) == (False, "there is no such program")
        assert state.tools == {"x": False}
        assert servers.tools() == []
    finally:
        await servers.close()


def test_a_server_has_either_a_command_or_a_url() -> None:
    with pytest.raises(ValueError, match="either a command or a url"):
        McpServerSettings(allow=["x"])
    with pytest.raises(ValueError, match="either a command or a url"):
        McpServerSettings(command=["x"], url="http://127.0.0.1:1/mcp")


async def test_the_tools_of_a_device_take_precedence() -> None:
    joined = JoinedTools(ABSENT_TOOLS, McpServers({}))
    assert joined.tools() == []
    assert (await joined.call("x", {})).is_error


async def test_an_order_reaches_a_tool_and_only_its_success_may_be_claimed(tmp_path: Path) -> None:
    chosen: list[str] = []

    def answer(_messages: object, options: ChatOptions) -> str:
        if options.json_schema is None:
            return "Done, the lamp is on." if chosen else "I've turned it on."
        if "house.switch_lamp" not in str(options.json_schema):
            return '{"intent": "none"}'
        chosen.append("once")
        return '{"tool": "house.switch_lamp", "on": true}'

    scripted = ScriptedEngines(chat=ScriptedChatModel(answer))
    without = settings_for(tmp_path / "without")
    async with running(without, scripted) as (client, _):
        said = (await client.post("/chat/text", json={"text": "Turn on the kitchen lamp."})).json()
        assert "can't" in said["response"]
        assert not chosen
    settings = settings_for(tmp_path / "with", skills={"mcp_servers": {"house": program()}})
    async with running(settings, scripted) as (client, server):
        await until(lambda: bool(server.mcp_servers.tools()))
        said = (await client.post("/chat/text", json={"text": "Turn on the kitchen lamp."})).json()
        assert said["response"] == "Done, the lamp is on."
        assert chosen == ["once"]
