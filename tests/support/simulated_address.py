"""Requests that seem to come from another computer, though the socket is one of loopback."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

HEADER = "Test-Address"


def remote_headers(address: str = "192.168.1.7", **headers: str) -> dict[str, str]:
    """Headers of a request from there."""
    return {HEADER: address, **headers}


class SimulatedAddress:
    """ASGI middleware: the other end's address is the one that the test's header says."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in {"http", "websocket"}:
            address = Headers(scope=scope).get(HEADER)
            if address is not None:
                scope["client"] = (address, 50_000)
        await self._app(scope, receive, send)


def with_simulated_addresses(app: FastAPI) -> FastAPI:
    """The same application, at which tests can pretend another address."""
    app.add_middleware(SimulatedAddress)
    return app
