"""HTTPS for tests: computers with a certificate, clients that verify it, and a program that is
killed at every step of making the files.

python tls_kit.py FOLDER
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import ssl
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import uvicorn
from rich.console import Console

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from fastapi import FastAPI

from lobug.admission.connections import Admission
from lobug.admission.ledger import Capacity, capacity_for
from lobug.admission.protocols import WebSocketConnection, http_protocol
from lobug.app import create_app
from lobug.cli.http_server import AnnouncingServer, HttpsPort, open_socket
from lobug.settings import Settings
from lobug.tls.certificates import pem_of
from lobug.tls.folder import TlsFolder
from lobug.tls.service import Tls
from lobug.tls.shown import Shown, open_certificate
from support.app_server import ScriptedEngines, scripted_assembler, settings_for

NOW = datetime(2027, 3, 1, tzinfo=UTC)


@dataclass
class Computer:
    """A computer's settings, folder, clock and addresses."""

    folder: Path
    sections: dict[str, object] = field(default_factory=dict)
    now: datetime = NOW
    addresses: list[str] = field(default_factory=lambda: ["192.168.1.5"])
    moments: list[str] = field(default_factory=list)
    """Every step of writing so far."""
    killed_at: int | None = None
    """The step at which this process kills itself."""

    @property
    def settings(self) -> Settings:
        return settings_for(self.folder, **self.sections)

    @property
    def files(self) -> TlsFolder:
        return TlsFolder(self.settings.tls_dir, checkpoint=self._checkpoint)

    def open(self, renewal: str | None = None) -> Shown:
        """Open what is shown, as a server does at its start."""
        assert renewal in {None, "server", "authority"}
        return open_certificate(
            self.settings,
            self.addresses,
            self.files,
            self.now,
            renewal,  # type: ignore[arg-type]  # checked
        )

    def tls(self, port: int | None = 8322, **options: object) -> Tls:
        """The service with this computer's clock and addresses."""
        return Tls(
            self.settings,
            port,
            http_port=8321,
            addresses=lambda: self.addresses,
            now=lambda: self.now,
            **options,  # type: ignore[arg-type]  # those of Tls
        )

    def _checkpoint(self, name: str) -> None:
        if len(self.moments) == self.killed_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.moments.append(name)


@dataclass
class SecureServer:
    """A server at two ports."""

    http: str
    https_port: int
    tls: Tls
    app: FastAPI
    admission: Admission

    @property
    def https(self) -> str:
        return f"https://localhost:{self.https_port}"

    def trusting(self) -> ssl.SSLContext:
        """The client's side, for one who trusts the authority and verifies strictly."""
        assert self.tls.shown is not None
        context = ssl.create_default_context(cadata=_pem(self.tls.shown))
        context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_STRICT
        return context


def _pem(shown: Shown) -> str:
    return pem_of(shown.trusted).decode()


@contextlib.asynccontextmanager
async def secure_server(
    computer: Computer, scripted: ScriptedEngines, capacity: Capacity | None = None
) -> AsyncIterator[SecureServer]:
    """Serve both ports as `lobug serve` does, in this event loop."""
    settings = computer.settings
    with open_socket("127.0.0.1", 0) as plain, open_socket("127.0.0.1", 0) as secure:
        tls = computer.tls(secure.getsockname()[1], check_s=3600.0)
        app = create_app(settings, assembler=scripted_assembler(scripted), tls=tls)
        admission = Admission(capacity or capacity_for(512, settings.limits), settings.limits)
        started = asyncio.Event()
        config = uvicorn.Config(
            app,
            lifespan="on",
            log_config=None,
            http=http_protocol(admission),
            ws=WebSocketConnection,
        )
        server = AnnouncingServer(
            config, started.set, admission, HttpsPort(secure, lambda: tls.context)
        )
        task = asyncio.create_task(server._serve([plain]))
        waiting = asyncio.create_task(started.wait())
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        try:
            yield SecureServer(
                f"http://127.0.0.1:{plain.getsockname()[1]}",
                secure.getsockname()[1],
                tls,
                app,
                admission,
            )
        finally:
            server.should_exit = True
            await task


def main() -> None:
    """Kill a process at every step of the first start, in a folder of its own each."""
    folder = Path(sys.argv[1])
    whole = Computer(folder / "whole")
    whole.open()
    for number, name in enumerate(whole.moments):
        child = os.fork()
        if child == 0:
            Computer(folder / f"{number:02}", killed_at=number).open()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), name
        Console().print(f"{number:02} {name}")


if __name__ == "__main__":
    main()
