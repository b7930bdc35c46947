"""What the parts of the bench share: a server in this process, the machine, figures."""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import time
from collections.abc import AsyncIterator, Sequence

import psutil
import uvicorn
from starlette.types import ASGIApp

from lobug.app import create_app
from lobug.evaluation.metrics import percentile
from lobug.server import LobugServer
from lobug.settings import Settings

PERCENTILES = "percentiles are nearest rank: the smallest value that so many of all do not exceed"


@contextlib.asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[tuple[LobugServer, str]]:
    """The real application on a free port of loopback; yields the server object and its URL."""
    app = create_app(settings)
    async with listening(app) as url:
        yield app.state.lobug, url


@contextlib.asynccontextmanager
async def listening(app: ASGIApp) -> AsyncIterator[str]:
    """Run ``app`` on a free port of loopback, in this event loop; yields its URL."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning")
    http = uvicorn.Server(config)
    task = asyncio.create_task(http.serve())
    while not http.started:
        if task.done():
            task.result()
            raise SystemExit("the server did not start")
        await asyncio.sleep(0.01)
    port = http.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        http.should_exit = True
        await task


def machine() -> str:
    """What this runs on, as one line."""
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores,"
        f" load {os.getloadavg()[0]:.2f}, Python {platform.python_version()}"
    )


def engines_of(server: LobugServer) -> str:
    """The server's engines, as one line."""
    states = ((job, engine.status()) for job, engine in server.engines.all().items())
    return ", ".join(f"{job}: {state.name} {state.model}" for job, state in states)


async def drained(server: LobugServer, limit_s: float = 120.0) -> None:
    """Wait until memory has nothing to do."""
    until = time.monotonic() + limit_s
    while server.memory.stats().pending_tasks and time.monotonic() < until:  # noqa: ASYNC110 - as a client would
        await asyncio.sleep(0.1)


def family() -> list[psutil.Process]:
    """This process and its children."""
    me = psutil.Process()
    return [me, *me.children(recursive=True)]


def spread(values: Sequence[float]) -> dict[str, float | int | None]:
    """Number, p50, p95, p99 and maximum, by nearest rank; None of nothing. Pure."""
    return {
        "n": len(values),
        "p50": percentile(values, 0.5),
        "p95": percentile(values, 0.95),
        "p99": percentile(values, 0.99),
        "max": max(values, default=None),
    }


def ratio(above: Sequence[float], below: Sequence[float], share: float) -> float | None:
    """The ratio of two percentiles; None where one of them is missing or the lower one is 0."""
    over, under = percentile(above, share), percentile(below, share)
    return over / under if over is not None and under else None
