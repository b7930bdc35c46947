"""What routes share: the one server object that ``create_app`` builds."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from lobug.server import LobugServer


async def get_server(request: Request) -> LobugServer:
    """The server that this app belongs to. A coroutine: FastAPI runs plain functions in a pool of
    threads, and ``/health`` must wait for nothing."""
    server: LobugServer = request.app.state.lobug
    return server


ServerDep = Annotated[LobugServer, Depends(get_server)]
