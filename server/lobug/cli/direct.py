"""The routes of memory, devices and tokens, for commands that find no running server."""

from __future__ import annotations

import asyncio
import logging
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence

import httpx
from fastapi import APIRouter, FastAPI

from lobug.assembly import with_memory
from lobug.cli.terminal import warn
from lobug.data_folder.claim import Claim
from lobug.data_folder.permissions import restrict_access
from lobug.engines.absent import absent_engines
from lobug.http import alerts, lists, notes
from lobug.http import settings as settings_routes
from lobug.http.authentication import Authentication
from lobug.http.devices import admin, api_tokens, satellites
from lobug.http.limits import limit_bodies
from lobug.http.memory import router as memory_router
from lobug.http.problems import add_problem_handlers
from lobug.http.web import browsers
from lobug.memory.service import Memory
from lobug.settings import Settings
from lobug.settings.live import LiveSettings
from lobug.storage.places import DatabasePlace

LOGGER = logging.getLogger("lobug")


class DirectTransport(httpx.BaseTransport, ABC):
    """An HTTP transport that calls the routes directly, as a caller on this computer.

    There are no engines, and the data folder is locked. Raises StorageError when the files cannot
    be opened, DataFolderInUseError when another process writes to them.
    """

    def __init__(self, settings: Settings, *routers: APIRouter) -> None:
        self._log_level = LOGGER.level
        LOGGER.setLevel(logging.ERROR)  # warnings about missing engines do not concern a command
        self._runner = asyncio.Runner()
        self._claim = Claim(settings, "command")
        try:
            self._claim.take()
            warn(*restrict_access(settings).sentences())
            self._build(settings, routers)
            self._runner.run(self.open())
        except BaseException:
            self._leave()
            raise

    def _build(self, settings: Settings, routers: Sequence[APIRouter]) -> None:
        # Whoever can open the files is the owner, whatever token a server would require.
        access = settings.access.model_copy(update={"loopback": "free"})
        settings = settings.model_copy(update={"access": access})
        self.server = with_memory(
            settings, absent_engines(), place=DatabasePlace.of(settings.database)
        )
        self.app = app = FastAPI()
        add_problem_handlers(app)
        lists.allow_slashes_in_names(app)
        # A file that is already on this computer may have any size.
        limit_bodies(app, settings.limits.model_copy(update={"max_body_bytes": sys.maxsize}))
        app.add_middleware(Authentication)
        for router in routers:
            app.include_router(router)
        app.state.lobug = self.server
        self._inner = httpx.ASGITransport(app, raise_app_exceptions=False, client=("127.0.0.1", 0))

    @abstractmethod
    async def open(self) -> None:
        """Open the files of the routes. Raises StorageError."""

    @abstractmethod
    async def shut(self) -> None:
        """Close the files of the routes."""

    async def before(self, request: httpx.Request) -> None:
        """Called before each request."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._runner.run(self._answer(request))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        await self.before(request)
        inner = httpx.Request(
            request.method, request.url, headers=request.headers, content=request.read()
        )
        answer = await self._inner.handle_async_request(inner)
        body = await answer.aread()
        headers = [(k, v) for k, v in answer.headers.raw if k.lower() != b"transfer-encoding"]
        return httpx.Response(answer.status_code, headers=headers, content=body)

    def close(self) -> None:
        try:
            self._runner.run(self.shut())
        finally:
            self._leave()

    def _leave(self) -> None:
        self._runner.close()
        self._claim.release()
        LOGGER.setLevel(self._log_level)


class DirectMemoryTransport(DirectTransport):
    """Opens the database. A search goes by words; vectors follow when a server runs."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, memory_router)

    @property
    def _memory(self) -> Memory:
        return self.server.memory

    async def open(self) -> None:
        await self._memory.start(work=False)

    async def before(self, request: httpx.Request) -> None:
        """Analyse imported turns before a search, because no worker runs here."""
        if request.url.path == "/memory/search":
            await self._memory.analyse_turns()

    async def shut(self) -> None:
        """Compact and close the database, so that erased words are gone from the file."""
        try:
            await self._memory.compact()
        finally:
            await self._memory.close()


class DirectAgendaTransport(DirectTransport):
    """Opens the file of alerts, lists and notes, and nothing else."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, alerts.router, lists.router, notes.router)

    async def open(self) -> None:
        await self.server.agenda.start()

    async def shut(self) -> None:
        await self.server.agenda.close()


class DirectSettingsTransport(DirectTransport):
    """Opens the file of settings, and nothing else."""

    def __init__(self, live: LiveSettings) -> None:
        self._live = live
        super().__init__(live.current, settings_routes.router)

    async def open(self) -> None:
        self._live.load(repair=True)
        self.app.state.live_settings = self._live

    async def shut(self) -> None:
        pass


class DirectAccessTransport(DirectTransport):
    """Opens the file of devices, browsers and tokens, and nothing else."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(
            settings, admin.router, satellites.router, api_tokens.router, browsers.router
        )

    async def open(self) -> None:
        await self.server.access.start(watch=False)

    async def shut(self) -> None:
        await self.server.access.close()
