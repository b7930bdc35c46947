"""The doors of memory without a server: the same routes, in this process, over the database."""

from __future__ import annotations

import asyncio
import logging
from typing import cast

import httpx
from fastapi import FastAPI

from lobug.api import memory
from lobug.api.authentication import Authentication
from lobug.api.problems import add_problem_handlers
from lobug.assembly import with_memory
from lobug.engines.absent import absent_engines
from lobug.memory.manager import MemoryManager
from lobug.settings import Settings

LOGGER = logging.getLogger("lobug")


class DirectTransport(httpx.BaseTransport):
    """Answers an ordinary HTTP client from the routes themselves, as a caller at this computer.

    Without engines: a search goes by words, vectors follow when a server runs. Raises StorageError
    when the database cannot be opened.
    """

    def __init__(self, settings: Settings) -> None:
        self._log_level = LOGGER.level
        LOGGER.setLevel(logging.ERROR)  # that no engine is there is no news
        self._runner = asyncio.Runner()
        server = with_memory(settings, absent_engines())
        self._memory = cast("MemoryManager", server.memory)
        app = FastAPI()
        add_problem_handlers(app)
        app.include_router(memory.router)
        app.add_middleware(Authentication)
        app.state.lobug = server
        self._inner = httpx.ASGITransport(app, raise_app_exceptions=False, client=("127.0.0.1", 0))
        try:
            self._runner.run(self._memory.start(work=False))
        except BaseException:
            self._runner.close()
            LOGGER.setLevel(self._log_level)
            raise

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """One request and its whole answer."""
        return self._runner.run(self._answer(request))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/memory/search":
            # No worker does it here, and what was imported must be found.
            await self._memory.analyse_turns()
        content = request.read()
        inner = httpx.Request(request.method, request.url, headers=request.headers, content=content)
        answer = await self._inner.handle_async_request(inner)
        body = await answer.aread()
        headers = [(k, v) for k, v in answer.headers.raw if k.lower() != b"transfer-encoding"]
        return httpx.Response(answer.status_code, headers=headers, content=body)

    def close(self) -> None:
        """Close the database; what was erased is gone from the file by then."""
        try:
            self._runner.run(self._memory.compact())
        finally:
            self._runner.run(self._memory.close())
            self._runner.close()
            LOGGER.setLevel(self._log_level)
