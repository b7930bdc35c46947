"""Requests over loopback that seem to come from another computer."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

HEADER = "Test-Address"


def remote_headers(address: str = "192.168.1.7", **headers: str) -> dict[str, str]:
    """Return headers of a request that seems to come from this address."""
    return {HEADER: address, **headers}


class SimulatedAddress:
    """ASGI middleware: takes the client's address from the test's header."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in {"http", "websocket"}:
            address = Headers(scope=scope).get(HEADER)
            if address is not None:
                scope["client"] = (address, 50_000)
        await self._app(scope, receive, send)


def with_simulated_addresses(app: FastAPI) -> FastAPI:
    """Add ``SimulatedAddress`` to the application; return it."""
    app.add_middleware(SimulatedAddress)
    return app
