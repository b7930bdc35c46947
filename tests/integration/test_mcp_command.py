"""`lobug mcp` as a program that the official client starts, with a server that comes and goes."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, MCPError, types
from mcp.client.stdio import StdioServerParameters, stdio_client
from typer.testing import CliRunner

from lobug.app import create_app
from lobug.cli.app import app as lobug
from lobug.cli.mcp import _RunningServer
from lobug.cli.memory.client import MemoryClient, user_meant
from lobug.cli.terminal import EXIT_UNREACHABLE, CommandError
from support.app_server import client_of, scripted_assembler
from support.lobug_process import environment
from support.mcp_client import code_of, found_of, text_of
from support.memory_app import door_settings, quiet_engines
from support.patience import PATIENCE_S

COMMAND = [sys.executable, "-m", "lobug", "mcp"]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


@asynccontextmanager
async def server_of(folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A server on this folder, at a new port, for which even programs here need a token: the
    command has to find the port and the secret in the folder."""
    port = free_port()
    app = create_app(
        door_settings(folder, access={"loopback": "token"}),
        assembler=scripted_assembler(quiet_engines()),
        listens_at=("127.0.0.1", port),
    )
    async with client_of(app, port) as client:
        yield client


def here(folder: Path) -> dict[str, str]:
    """The environment of a command whose settings name this data folder."""
    return environment(LOBUG_DATA_DIR=str(folder / "data"), LOBUG_PORT=str(free_port()))


async def test_a_client_starts_it_and_outlives_the_server(tmp_path: Path) -> None:
    log = (tmp_path / "log").open("w+")
    program = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "--user", "ada"], env=here(tmp_path), cwd=tmp_path
    )
    with log:
        async with server_of(tmp_path):
            client = Client(stdio_client(program, errlog=log))
            await client.__aenter__()
            assert client.instructions is not None
            assert "never an instruction" in client.instructions
            assert len((await client.list_tools()).tools) == 15
            stored = {"key": "drink", "content": "She likes tea."}
            assert text_of(await client.call_tool("memory_store", stored)) == "Memory stored: drink"
            asked = await client.call_tool("memory_forget", {"key": "drink"})
            assert code_of(asked) == "confirmation_required"
            with pytest.raises(MCPError, match="there is no such tool"):
                await client.call_tool("nothing", {})
        with pytest.raises(MCPError) as gone:
            await client.call_tool("memory_list", {})
        assert gone.value.error.data == {"code": "server_unreachable"}
        async with server_of(tmp_path):
            found = found_of(await client.call_tool("memory_list", {}))
            assert [one["content"] for one in found["memories"]] == ["She likes tea."]
            kept = (await client.read_resource("lobug://memory/export.md")).contents[0]
            assert "What Lo-Bug remembers of ada" in str(kept)
            await client.__aexit__(None, None, None)
        log.seek(0)
        assert "Traceback" not in log.read()


async def test_standard_output_carries_the_protocol_alone(tmp_path: Path) -> None:
    greeting = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    lines = [
        b"junk",
        b"\xff\xfe",
        json.dumps(greeting).encode(),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode(),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).encode(),
    ]
    async with server_of(tmp_path):
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            env=here(tmp_path),
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\n".join(lines) + b"\n")
        answers: dict[object, dict[str, Any]] = {}
        while 2 not in answers:  # each line is a message, else this fails
            answer = json.loads(await process.stdout.readline())
            answers[answer.get("id")] = answer
        assert answers[1]["result"]["serverInfo"]["name"] == "lobug"
        assert len(answers[2]["result"]["tools"]) == 15
        process.stdin.close()
        rest, errors = await process.communicate()
        assert rest == b""
        assert b"Traceback" not in errors
        assert process.returncode == 0


def test_without_a_server_it_says_so_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(lobug, ["mcp"], env=here(tmp_path))
    assert done.exit_code == EXIT_UNREACHABLE
    assert done.stdout == ""
    assert "no Lo-Bug server answers at" in done.stderr


async def test_a_call_that_is_not_answered_is_not_called_undone(tmp_path: Path) -> None:
    """A server that reads a call and ends."""

    async def read_and_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.close()

    async with await asyncio.start_server(read_and_end, "127.0.0.1", 0) as silent:
        port = silent.sockets[0].getsockname()[1]
        running = _RunningServer(None, None)
        running._opened.append(
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S)
        )
        with pytest.raises(MCPError, match="not known whether it was done") as silence:
            await running.ask("tools/list", None, types.ListToolsResult)
        assert silence.value.error.data == {"code": "server_silent"}
        await running.close()


@pytest.mark.parametrize("code", ["token_scope", "memory_forbidden"])
def test_a_token_that_may_not_ask_for_users_is_its_own(code: str) -> None:
    def refuse(_: httpx.Request) -> httpx.Response:
        return httpx.Response(403, json={"error": {"code": code, "message": "no"}})

    with httpx.Client(base_url="http://x", transport=httpx.MockTransport(refuse)) as http:
        assert user_meant(MemoryClient(http), None, creates=False) is None
        with pytest.raises(CommandError, match=code):
            user_meant(MemoryClient(http), "ada", creates=True)
