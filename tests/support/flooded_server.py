"""A real server with few file descriptors, and floods of connections to it.

On Linux all of 127.0.0.0/8 is this computer. The server under test sees 127.0.0.1 as it is, and
every other address 127.X.Y.Z as 192.168.Y.Z. As a program it is that server:

python flooded_server.py FOLDER DESCRIPTORS LIMITS     (LIMITS: the settings' section, as JSON)
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from starlette.types import ASGIApp, Receive, Scope, Send

from lobug.app import create_app
from lobug.cli.http_server import open_socket
from lobug.cli.serve import run_app
from lobug.telemetry.logs import configure_logging
from support.app_server import ScriptedEngines, scripted_assembler, settings_for
from support.lobug_process import environment
from support.patience import PATIENCE_S

OWNER = "127.0.0.1"


def simulated_address(address: str | None) -> str | None:
    """Return the address that the server under test sees."""
    if address is None or not address.startswith("127.") or address == OWNER:
        return address
    return "192.168." + address.split(".", 2)[2]


class SimulatedClient:
    """ASGI middleware: the application sees the simulated address too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("client"):
            scope["client"] = (simulated_address(scope["client"][0]), scope["client"][1])
        await self._app(scope, receive, send)


def main() -> None:
    """Serve until a signal arrives."""
    folder, descriptors, limits = Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
    configure_logging("info")
    settings = settings_for(folder, limits=limits)
    app = create_app(settings, assembler=scripted_assembler(ScriptedEngines()))
    app.add_middleware(SimulatedClient)
    listener = open_socket(OWNER, 0)
    # Connections inherit it: the buffer of a client that does not read fills soon.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
    run_app(app, settings, listener, Console(soft_wrap=True), address_of=simulated_address)


@dataclass
class FloodedServer:
    """The running program."""

    port: int
    process: psutil.Process
    log: Path
    connections: list[socket.socket] = field(default_factory=list)
    """Connections that ``flood`` holds."""

    @property
    def url(self) -> str:
        return f"http://{OWNER}:{self.port}"

    def open(self, address: str, sent: bytes = b"") -> socket.socket:
        """Open a connection from this address and send these bytes."""
        caller = socket.socket()
        caller.settimeout(PATIENCE_S)
        caller.bind((address, 0))
        caller.connect((OWNER, self.port))
        caller.sendall(sent)
        return caller

    def flood(self, addresses: Iterable[str], each: int, sent: bytes = b"") -> None:
        """Open ``each`` connections from every address, and keep them open on this side."""
        for address in addresses:
            for _ in range(each):
                caller = self.open(address)
                self.connections.append(caller)
                with contextlib.suppress(ConnectionError):
                    caller.sendall(sent)

    def close_connections(self) -> None:
        """Close the connections of ``flood``."""
        for caller in self.connections:
            caller.close()
        self.connections.clear()

    def client(self, address: str = OWNER, **headers: str) -> httpx.Client:
        """Return a client at this address."""
        return httpx.Client(
            base_url=self.url,
            headers=headers,
            timeout=PATIENCE_S,
            trust_env=False,
            transport=httpx.HTTPTransport(local_address=address),
        )

    def get(self, path: str, address: str = OWNER, **headers: str) -> int:
        """Send a request on a new connection; return the status."""
        with self.client(address, **headers) as client:
            return client.get(path).status_code

    def pair(self, device_id: str, address: str) -> dict[str, str]:
        """Pair a device at this address; return the headers that it sends."""
        identity = {"Device-Id": device_id, "Client-Id": "5e5c5a0c-0000-4000-8000-000000000001"}
        with self.client(address, **identity) as device, self.client() as owner:
            code = device.post("/xiaozhi/ota/", json={}).json()["activation"]["code"]
            assert owner.post("/devices/approve", json={"code": code}).status_code == 200
            token = device.post("/xiaozhi/ota/", json={}).json()["websocket"]["token"]
        return {"Device-Id": device_id, "Authorization": f"Bearer {token}"}

    def descriptors(self) -> int:
        """Return how many file descriptors the server has open."""
        return int(self.process.num_fds())


def read_rest(caller: socket.socket) -> bytes:
    """Read a connection until the server closes it."""
    read = bytearray()
    with contextlib.suppress(ConnectionError):
        while piece := caller.recv(65_536):
            read += piece
    return bytes(read)


def count_open(callers: Iterable[socket.socket]) -> int:
    """Return how many of these the server has not closed. Reads what has arrived."""
    alive = 0
    for caller in callers:
        caller.setblocking(False)
        try:
            while caller.recv(65_536):
                pass
        except BlockingIOError:
            alive += 1
        except ConnectionError:
            pass
    return alive


@contextlib.contextmanager
def flooded_server(folder: Path, descriptors: int = 512, **limits: Any) -> Iterator[FloodedServer]:
    """Run the program; yields when it answers. It must end cleanly."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "serve.log"
    arguments = [str(folder), str(descriptors), json.dumps(limits)]
    with (
        log.open("w") as lines,
        subprocess.Popen(
            [sys.executable, __file__, *arguments],
            stdout=subprocess.PIPE,
            stderr=lines,
            text=True,
            env={**environment(), "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=folder,
        ) as serving,
    ):
        try:
            assert serving.stdout is not None
            said = (line for line in serving.stdout if "listens at" in line)
            url = next(said, None)
            assert url is not None, log.read_text()
            server = FloodedServer(int(url.split(":")[-1]), psutil.Process(serving.pid), log)
            yield server
            server.close_connections()
            serving.terminate()
            assert serving.wait(PATIENCE_S) in {0, -15}, log.read_text()
        finally:
            serving.kill()


if __name__ == "__main__":
    main()
