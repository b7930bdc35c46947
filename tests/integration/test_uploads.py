"""Uploads over real sockets that are large, slow, many, or never end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from lobug.app import create_app
from lobug.errors import UploadStorageError
from lobug.http.uploads import SMALL_BYTES, SPOOL_BYTES, UploadRoom
from lobug.server import LobugServer
from support.app_server import ScriptedEngines, client_of, scripted_assembler, settings_for
from support.faults import assert_problem, until
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.simulated_address import remote_headers, with_simulated_addresses
from support.wav import pcm16, tone

PROGRAM = Path(__file__).parents[1] / "support" / "killable_server.py"
PIECE = bytes(SMALL_BYTES)
SECOND = bytes(32_000)
"""Of silence, PCM16 at 16 kHz."""
PER_PERSON = 12
"""Uploads of one person at once, by default."""
LARGE = pcm16(tone(50.0))
"""1.6 MB."""


class World:
    """A server as callers from other computers see it."""

    def __init__(self, http: httpx.AsyncClient, server: LobugServer, room: UploadRoom) -> None:
        self.http = http
        self.server = server
        self.room = room

    async def token(self, user: str) -> dict[str, str]:
        """Headers of a guest's request."""
        _, token = await self.server.access.tokens.create(f"for {user}", user=user)
        return remote_headers(Authorization=f"Bearer {token}")

    def begin(self, headers: dict[str, str], path: str = "/chat/audio") -> Upload:
        """An upload in chunks that has not been opened yet."""
        return Upload(self.http.base_url, path, headers)


class Upload:
    """A request with a body that ends when the test says so."""

    def __init__(self, url: httpx.URL, path: str, headers: dict[str, str]) -> None:
        self._url = url
        given = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        if "Content-Type" not in headers:
            given += "Content-Type: audio/pcm\r\n"
        if "Content-Length" not in headers:
            given += "Transfer-Encoding: chunked\r\n"
        self._head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{given}\r\n".encode()
        self.status = 0
        self.body = b""
        self.headers = httpx.Headers()
        self.ended = asyncio.Event()
        """The connection was closed."""

    async def __aenter__(self) -> Upload:
        self._reader, self._writer = await asyncio.open_connection(self._url.host, self._url.port)
        self._writer.write(self._head)
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._reading.cancel()
        self._writer.transport.abort()
        await asyncio.wait([self._reading])

    async def _read(self) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            pairs = [line.split(": ", 1) for line in lines]
            self.headers = httpx.Headers([(name, value) for name, value in pairs])
            self.body = await self._reader.readexactly(int(self.headers["content-length"]))
            self.status = int(first.split(" ")[1])
            await self._reader.read()
        self.ended.set()

    async def send(self, data: bytes) -> None:
        """A chunk; nothing where the answer is there or the connection is gone."""
        if self.status or self.ended.is_set():
            return
        with contextlib.suppress(OSError):
            self._writer.write(b"%x\r\n" % len(data) + data + b"\r\n")
            await self._writer.drain()

    async def finish(self) -> None:
        """The last chunk."""
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    async def answered(self) -> dict[str, object]:
        async def so() -> bool:
            return self.status != 0

        await until(so)
        found: dict[str, object] = json.loads(self.body)
        return found

    @property
    def code(self) -> str:
        """Of the failure."""
        return str(json.loads(self.body)["error"]["code"])


@asynccontextmanager
async def world(folder: Path, **limits: object) -> AsyncIterator[World]:
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "Okay.")
    )
    app = with_simulated_addresses(
        create_app(settings_for(folder, limits=limits), assembler=scripted_assembler(scripted))
    )
    async with client_of(app) as http:
        w = World(http, app.state.lobug, app.state.upload_room)
        yield w

        async def given_back() -> bool:
            return (w.room.uploads.held, w.room.bytes.held) == (0, 0)

        await until(given_back)


@pytest.fixture
def spooled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def names(folder: Path) -> list[str]:
    """What can be seen in a folder."""
    return sorted(each.name for each in folder.iterdir())


def modes_of_open_files(folder: Path, process: str) -> list[int]:
    """Permissions of the files below a folder that a process holds, named or not. Linux."""
    modes = []
    for link in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if str(link.readlink()).startswith(str(folder)):
                modes.append(link.stat().st_mode & 0o777)
    return modes


def remove(folder: Path) -> None:
    folder.rmdir()


def make(folder: Path) -> None:
    folder.mkdir()


def started(program: list[str], temporary: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(program, env={**os.environ, "TMPDIR": str(temporary)})


@contextlib.contextmanager
def traced() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


async def test_endless_uploads_of_one_token_take_little(tmp_path: Path, spooled: Path) -> None:
    """Each sends 2 MB as fast as it is taken."""
    async with world(tmp_path) as w:
        headers = await w.token("guest")
        async with contextlib.AsyncExitStack() as stack:
            uploads = [await stack.enter_async_context(w.begin(headers)) for _ in range(60)]

            async def pour(upload: Upload) -> None:
                for _ in range(32):
                    await upload.send(PIECE)

            with traced():
                async with asyncio.timeout(PATIENCE_S):
                    await asyncio.gather(*(pour(upload) for upload in uploads))
                _, peak = tracemalloc.get_traced_memory()
            assert peak < 60_000_000, "120 MB were sent"

            async def sorted_out() -> bool:
                return sum(upload.status != 0 for upload in uploads) == 60 - PER_PERSON

            await until(sorted_out)
            assert w.room.uploads.held == PER_PERSON
            codes = {(each.status, each.code) for each in uploads if each.status}
            assert codes == {(429, "too_many_requests")}
            refused = next(each for each in uploads if each.status)
            assert int(refused.headers["Retry-After"]) > 0
            assert json.loads(refused.body)["response"]
            # The owner's upload goes through all the while.
            answer = await w.http.post(
                "/chat/audio", content=LARGE, headers={"Content-Type": "audio/wav"}
            )
            assert answer.status_code == 200
    assert names(spooled) == []


async def test_a_body_that_comes_byte_by_byte_has_to_end(tmp_path: Path) -> None:
    limits = {"body_timeout_s": 1.0, "body_deadline_s": 0.1, "max_audio_seconds": 0.1}
    async with world(tmp_path, **limits) as w, w.begin(await w.token("guest")) as upload:
        for _ in range(3):
            await upload.send(PIECE)
        async with asyncio.timeout(PATIENCE_S):
            while not upload.ended.is_set():
                await upload.send(b"\0")
                await asyncio.sleep(0.02)
        assert (upload.status, upload.code) == (408, "body_timeout")


async def test_a_large_body_is_kept_in_a_file_without_a_name(tmp_path: Path, spooled: Path) -> None:
    async with world(tmp_path) as w, w.begin(await w.token("guest")) as upload:
        for _ in range(40):
            await upload.send(PIECE)

        async def there() -> bool:
            return w.room.bytes.held == 40 * len(PIECE)

        with traced():
            await until(there)
            current, _ = tracemalloc.get_traced_memory()
        assert current < SPOOL_BYTES
        assert names(spooled) == []
        if sys.platform == "linux":
            assert modes_of_open_files(spooled, "self") == [0o600]


@pytest.mark.parametrize("form", [False, True], ids=["body", "form"])
async def test_a_large_recording_is_heard_as_it_was_sent(
    tmp_path: Path, spooled: Path, form: bool
) -> None:
    async with world(tmp_path) as w:
        if form:
            files = {"audio": ("a.wav", LARGE, "audio/wav")}
            answer = await w.http.post("/chat/audio", files=files)
        else:
            answer = await w.http.post(
                "/chat/audio", content=LARGE, headers={"Content-Type": "audio/wav"}
            )
        assert answer.status_code == 200, answer.text
        assert answer.json()["transcription"] == "Hello."
    assert names(spooled) == []


async def test_a_slow_but_honest_device_is_heard(tmp_path: Path) -> None:
    async with world(tmp_path) as w, w.begin(await w.token("guest")) as upload:
        sound = tone(2.0)
        data = pcm16(sound)[44:]
        for start in range(0, len(data), 3_200):
            await upload.send(data[start : start + 3_200])
            await asyncio.sleep(0.02)
        await upload.finish()
        assert (await upload.answered())["transcription"] == "Hello."


@pytest.mark.parametrize("form", [False, True], ids=["body", "form"])
async def test_no_room_for_temporary_files_is_said_and_passes(
    tmp_path: Path, spooled: Path, form: bool
) -> None:
    """The folder is gone: for the server it is the same OSError as that of a full disk."""
    async with world(tmp_path) as w:

        async def say() -> httpx.Response:
            if form:
                files = {"audio": ("a.wav", LARGE, "audio/wav")}
                return await w.http.post("/chat/audio", files=files)
            headers = {"Content-Type": "audio/wav"}
            return await w.http.post("/chat/audio", content=LARGE, headers=headers)

        remove(spooled)
        answer = await say()
        body = assert_problem(answer, 507, "upload_storage_failed")
        assert body["response"] == UploadStorageError.spoken
        assert str(spooled) not in answer.text
        make(spooled)
        assert (await say()).status_code == 200


async def test_the_bytes_of_one_person_have_a_limit(tmp_path: Path, spooled: Path) -> None:
    limits = {"max_body_bytes": 1_000_000, "max_upload_bytes_per_person": 1_500_000}
    async with world(tmp_path, **limits) as w:
        guest, other = await w.token("guest"), await w.token("other")
        async with w.begin(guest) as first, w.begin(guest) as second, w.begin(other) as third:
            for _ in range(15):
                await first.send(PIECE)

            async def there() -> bool:
                return w.room.bytes.held == 15 * len(PIECE)

            await until(there)
            for _ in range(15):
                await second.send(PIECE)
            await second.answered()
            assert (second.status, second.code) == (429, "too_many_requests")
            for _ in range(15):
                await third.send(PIECE)
            await until(lambda: _held(w, 30 * len(PIECE)))
            assert third.status == 0
            await first.finish()
            assert (await first.answered())["action"] == "ignore", "silence"


async def _held(w: World, size: int) -> bool:
    return w.room.bytes.held == size


async def test_guests_leave_room_for_the_owner(tmp_path: Path, spooled: Path) -> None:
    async with world(tmp_path, max_uploads=4) as w, contextlib.AsyncExitStack() as stack:
        uploads = []
        for number in range(4):
            upload = w.begin(await w.token(f"guest {number}"))
            uploads.append(await stack.enter_async_context(upload))
            for _ in range(2):
                await upload.send(PIECE)
            await until(lambda: _held_by(w, min(len(uploads), 3)))
        await uploads[-1].answered()
        assert (uploads[-1].status, uploads[-1].code) == (503, "busy")
        headers = {"Content-Type": "audio/wav"}
        answer = await w.http.post("/chat/audio", content=LARGE, headers=headers)
        assert answer.status_code == 200


async def _held_by(w: World, count: int) -> bool:
    return w.room.uploads.held == count


@pytest.mark.parametrize(
    ("path", "kind", "limit"),
    [
        ("/chat/text", "application/json", 12 * 8_000 + SMALL_BYTES),
        ("/v1/chat/completions", "application/json", 1024 * 1024),
        ("/context/sensors", "application/json", 12 * 8_000 + SMALL_BYTES),
    ],
)
async def test_endless_json_is_refused_where_it_gets_too_long(
    tmp_path: Path, path: str, kind: str, limit: int
) -> None:
    async with world(tmp_path) as w:
        headers = {**await w.token("guest"), "Content-Type": kind}
        async with w.begin(headers, path) as upload:
            await upload.send(b"{")
            sent = 1
            while not upload.status:
                await upload.send(PIECE)
                sent += len(PIECE)
                await asyncio.sleep(0.01)
                assert sent < 8_000_000
            assert (upload.status, upload.code) == (413, "body_too_large")
            assert sent > limit


async def test_the_refusal_of_a_large_upload_gets_through_while_it_is_sent(
    tmp_path: Path,
) -> None:
    """A small device first sends all of its body and then reads: a connection that is closed
    meanwhile would be reset, and it would never hear why."""
    async with world(tmp_path, max_uploads_per_person=1) as w:
        headers = await w.token("guest")
        async with w.begin(headers) as first:
            for _ in range(2):
                await first.send(PIECE)
            await until(lambda: _held_by(w, 1))

            def send_first_then_read() -> bytes:
                url = w.http.base_url
                given = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
                with socket.create_connection((url.host, url.port or 0), timeout=30) as device:
                    device.sendall(
                        f"POST /chat/audio HTTP/1.1\r\nHost: localhost\r\n{given}"
                        f"Content-Type: audio/wav\r\nContent-Length: {8 * len(LARGE)}\r\n\r\n"
                        "".encode()
                    )
                    for _ in range(8):
                        device.sendall(LARGE)
                    found = b""
                    while piece := device.recv(65_536):
                        found += piece
                    return found

            found = await asyncio.to_thread(send_first_then_read)
        assert found.startswith(b"HTTP/1.1 429 ")
        assert b"too_many_requests" in found


async def test_imports_are_read_from_a_file(tmp_path: Path, spooled: Path) -> None:
    async with world(tmp_path) as w:
        exported = (await w.http.get("/memory/export")).json()
        padded = json.dumps(exported) + " " * 2 * SPOOL_BYTES
        answer = await w.http.post("/memory/import", content=padded)
        assert answer.status_code == 200, answer.text
    assert names(spooled) == []


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the file in /proc")
async def test_a_server_that_is_killed_in_an_upload_leaves_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    with started([sys.executable, str(PROGRAM), str(tmp_path), "never"], folder) as process:
        try:

            async def bound() -> bool:
                assert process.poll() is None
                return (tmp_path / "port").exists()

            await until(bound)
            url = httpx.URL(f"http://127.0.0.1:{(tmp_path / 'port').read_text()}")
            async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=PATIENCE_S) as http:
                assert (await http.get("/health")).status_code == 200
            async with Upload(url, "/chat/audio", {}) as upload:
                for _ in range(40):
                    await upload.send(PIECE)

                async def on_disk() -> bool:
                    return bool(modes_of_open_files(folder, str(process.pid)))

                await until(on_disk)
                assert names(folder) == []
                process.send_signal(signal.SIGKILL)
                process.wait()
                assert names(folder) == []
        finally:
            process.kill()
