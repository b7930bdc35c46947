"""The doors of devices and tokens without a server: the same routes, in this process."""

from __future__ import annotations

import asyncio
import logging

import httpx
from fastapi import FastAPI

from lobug.api import device_messages, devices, tokens
from lobug.api.authentication import Authentication
from lobug.api.problems import add_problem_handlers
from lobug.assembly import with_memory
from lobug.engines.absent import absent_engines
from lobug.settings import Settings

LOGGER = logging.getLogger("lobug")


class DirectAccessTransport(httpx.BaseTransport):
    """Answers an ordinary HTTP client from the routes themselves, as a caller at this computer.

    Only the file of devices and tokens is opened. Raises StorageError when it cannot be.
    """

    def __init__(self, settings: Settings) -> None:
        self._log_level = LOGGER.level
        LOGGER.setLevel(logging.ERROR)  # the command itself says what it did
        self._runner = asyncio.Runner()
        server = with_memory(settings, absent_engines())
        self._access = server.access
        app = FastAPI()
        add_problem_handlers(app)
        app.add_middleware(Authentication)
        app.include_router(devices.router)
        app.include_router(device_messages.router)
        app.include_router(tokens.router)
        app.state.lobug = server
        self._inner = httpx.ASGITransport(app, raise_app_exceptions=False, client=("127.0.0.1", 0))
        try:
            self._runner.run(self._access.start(watch=False))
        except BaseException:
            self._runner.close()
            LOGGER.setLevel(self._log_level)
            raise

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """One request and its whole answer."""
        return self._runner.run(self._answer(request))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        inner = httpx.Request(
            request.method, request.url, headers=request.headers, content=request.read()
        )
        answer = await self._inner.handle_async_request(inner)
        body = await answer.aread()
        headers = [(k, v) for k, v in answer.headers.raw if k.lower() != b"transfer-encoding"]
        return httpx.Response(answer.status_code, headers=headers, content=body)

    def close(self) -> None:
        """Close the file."""
        try:
            self._runner.run(self._access.close())
        finally:
            self._runner.close()
            LOGGER.setLevel(self._log_level)
