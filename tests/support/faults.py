"""Helpers for tests of faults: assertions on error replies, and disks that fill up."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.memory.service import Memory
from lobug.server import LobugServer
from lobug.settings import Settings
from lobug.storage.driver import Connection
from lobug.storage.sqlite_database import SqliteDatabase
from support.app_server import ScriptedEngines, client_of
from support.patience import PATIENCE_S


def assert_problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Assert that the answer is an ErrorReply with this status and code; return its body."""
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["error"]["code"]) == (status, code), body
    assert body["response"], "a device must always get a sentence"
    assert body["action"] == "respond"
    assert body["audio_b64"] == ""
    assert "Traceback" not in answer.text
    assert 'File "' not in answer.text
    return body


def writer_of(memory: Memory) -> Connection:
    """The connection of the writer's thread of a memory on a file."""
    database = memory._database
    assert isinstance(database, SqliteDatabase)
    assert database._writer is not None
    return database._writer


async def say(
    client: httpx.AsyncClient, text: str = "Hello", device: str = "desk"
) -> httpx.Response:
    """`POST /chat/text`."""
    return await client.post("/chat/text", json={"text": text}, headers={"Device-Id": device})


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Return once ``condition`` holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not await condition():  # noqa: ASYNC110 - what is asked sits behind a socket
            await asyncio.sleep(0.02)


async def until_ok(client: httpx.AsyncClient) -> dict[str, Any]:
    """Wait until `/health` says ok; returns it."""

    async def ok() -> bool:
        return bool((await client.get("/health")).json()["status"] == "ok")

    await until(ok)
    report: dict[str, Any] = (await client.get("/health")).json()
    return report


async def degraded(client: httpx.AsyncClient, job: str) -> str:
    """Wait until `/health` reports ``job`` as degraded; return the sentence."""
    answer = await client.get("/health")
    assert answer.status_code == 200
    report = answer.json()
    assert report["status"] == "degraded", report
    (sentence,) = [line for line in report["degraded"] if line.startswith(f"{job}: ")]
    assert "Traceback" not in answer.text
    return str(sentence)


@asynccontextmanager
async def impatient(
    settings: Settings, scripted: ScriptedEngines
) -> AsyncIterator[tuple[httpx.AsyncClient, LobugServer]]:
    """Like ``running``, but the memory is tried again fifty times a second."""

    async def assemble(settings: Settings) -> LobugServer:
        server = with_memory(settings, scripted.engines())
        server.memory_retry_s = 0.02
        return server

    app = create_app(settings, assembler=assemble)
    async with client_of(app) as client:
        yield client, app.state.lobug


class PageLimit:
    """A database that may not grow, so that SQLite reports a full disk on any machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self, server: LobugServer) -> None:
        """Fill the disk."""
        self._limit(server, 1)

    def make_room(self, server: LobugServer) -> None:
        """Allow growth again."""
        self._limit(server, 1_000_000)

    @staticmethod
    def _limit(server: LobugServer, pages: int) -> None:
        writer_of(server.memory).execute(f"PRAGMA max_page_count = {pages}")


class SmallDisk:
    """A file system of four megabytes in memory; only root may make one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self, _server: LobugServer) -> None:
        """Fill the disk."""
        with (self.folder / "ballast").open("ab", buffering=0) as ballast:
            for size in (65_536, 4_096):
                try:
                    while ballast.write(bytes(size)) == size:
                        pass
                except OSError:
                    continue

    def make_room(self, _server: LobugServer) -> None:
        """Free the disk again."""
        (self.folder / "ballast").unlink()


Disk = PageLimit | SmallDisk


@contextmanager
def mounted(folder: Path) -> Iterator[None]:
    """A small file system of its own at ``folder``."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "lobug-test", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True, capture_output=True)


def may_mount() -> bool:
    """Whether this process may mount a file system: root may, but not in most containers."""
    if os.geteuid() != 0:
        return False
    with TemporaryDirectory() as folder:
        try:
            with mounted(Path(folder) / "disk"):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False
