"""The server object that ``create_app`` builds, as a dependency for routes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from lobug.server import LobugServer


async def get_server(request: Request) -> LobugServer:
    """The server of this request's app. A coroutine, because FastAPI runs plain functions in a pool
    of threads, and ``/health`` must not wait for a thread."""
    server: LobugServer = request.app.state.lobug
    return server


ServerDep = Annotated[LobugServer, Depends(get_server)]
