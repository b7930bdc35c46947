"""Builds the application: ``create_app(settings)`` makes everything; nothing is global."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI

from lobug import __version__
from lobug.assembly import assemble
from lobug.data_folder.permissions import hold_data_folder
from lobug.discovery.announcer import WYOMING_SERVICE, Service, announcer_for
from lobug.http import (
    alerts,
    announce,
    certificate,
    chat,
    lists,
    notes,
    skills,
    status,
)
from lobug.http import (
    settings as settings_routes,
)
from lobug.http.authentication import REFUSALS, Authentication
from lobug.http.browser import BrowserRules, add_docs_page
from lobug.http.devices import (
    admin,
    api_tokens,
    discovery,
    satellites,
    websocket,
)
from lobug.http.limits import limit_bodies
from lobug.http.mcp.door import add_mcp
from lobug.http.memory import router as memory_router
from lobug.http.openai import audio, models
from lobug.http.openai import chat as openai_chat
from lobug.http.problems import add_problem_handlers, document_errors, error_responses
from lobug.http.web import browsers as web_browsers
from lobug.http.web import doctor, events, flasher, people
from lobug.http.web import session as web_session
from lobug.http.web.page import add_web_app
from lobug.server import LobugServer
from lobug.settings import Settings
from lobug.settings.live import LiveSettings
from lobug.tls.service import Tls
from lobug.turn.slots import AudioJobs
from lobug.wyoming.door import WyomingDoor

Assembler = Callable[[Settings], Awaitable[LobugServer]]
"""Makes a server that has not been started."""

ROUTERS: tuple[APIRouter, ...] = (
    status.health_router,
    certificate.router,
    chat.router,
    chat.sensors_router,
    websocket.router,
    memory_router,
    alerts.router,
    lists.router,
    notes.router,
    skills.router,
    settings_routes.router,
    discovery.router,
    admin.router,
    satellites.router,
    announce.router,
    api_tokens.router,
    status.metrics_router,
    status.turns_router,
    web_session.router,
    web_browsers.router,
    events.router,
    people.router,
    doctor.router,
    flasher.router,
    models.router,
    openai_chat.router,
    audio.router,
)
"""In the order in which `/docs` shows them."""

API = APIRouter(responses=error_responses(*REFUSALS))
"""All of them. FastAPI works out the fields of every route, a third of a second of computing, with
the first request that an `APIRouter` sees: once for a process this way, whatever apps it makes."""
for router in ROUTERS:
    API.include_router(router)

DESCRIPTION = """\
A voice companion that lives in an M5Stack device and thinks on a computer its owner controls.

Every failure has the body of `ErrorReply`: a stable `error.code`, and a `response` that a device \
can show or say. Below `/v1` it is `OpenAIErrorReply` instead, as OpenAI's clients expect.
"""


def create_app(
    settings: Settings | None = None,
    *,
    assembler: Assembler = assemble,
    listens_at: tuple[str, int] | None = None,
    command_line: Collection[str] = (),
    tls: Tls | None = None,
) -> FastAPI:
    """Build the application.

    Args:
        settings: all settings; None: read from the environment and ``.env``.
        assembler: chooses engines and memory; tests and other hosts may bring their own.
        listens_at: address and port of its socket, which are announced to the local network and to
            the commands on this computer; None: nothing is announced.
        command_line: names of the settings that the command line set.
        tls: the certificate of its HTTPS port; None: it has none.

    While the application runs it holds the data folder alone; it does not start when another
    process holds it (DataFolderInUseError).

    The server object is at ``app.state.lobug`` while the application runs, the settings in effect
    at ``app.state.live_settings``, where people open the pages at ``app.state.web_addresses``
    (``WebAddresses``), the Wyoming door at ``app.state.wyoming``, and ``tls`` at ``app.state.tls``.
    """
    settings = settings or Settings()
    tls = tls or Tls(settings, None, http_port=listens_at[1] if listens_at else None)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with hold_data_folder(settings, listens_at) as holder:
            live = LiveSettings(settings, command_line=command_line)
            server = await assembler(await asyncio.to_thread(live.load, repair=True))
            live.when_applied(server.apply)
            live.subscribe(lambda _: server.hub.publish("settings"))
            app.state.live_settings = live
            server.instance, server.access.secret = holder.instance, holder.secret
            app.state.lobug = server
            server.https_fault = lambda: tls.fault
            app.state.wyoming = door = WyomingDoor(server, app.state.audio_jobs)
            server.wyoming_fault = lambda: door.fault
            announcer = None
            try:
                await server.start()
                await door.start()
                also = []
                if door.port is not None and not door.is_local:
                    also.append(Service(WYOMING_SERVICE, door.port))
                announcer = announcer_for(settings.discovery, listens_at, also)
                await tls.start(lambda found: setattr(app.state, "web_addresses", found))
                if announcer is not None:
                    announcer.start()
                yield
            finally:
                if announcer is not None:
                    await announcer.close()
                await tls.close()
                await door.close()
                await app.state.mcp.close()
                await server.close()

    app = FastAPI(
        title="Lo-Bug",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        responses=error_responses(*REFUSALS),
        docs_url=None,  # FastAPI's own page loads scripts from elsewhere
        redoc_url=None,
    )
    limits = settings.limits
    app.state.audio_jobs = AudioJobs(limits)
    app.state.tls = tls
    app.state.web_addresses = tls.addresses
    lists.allow_slashes_in_names(app)
    limit_bodies(app, limits)
    app.add_middleware(Authentication)
    app.add_middleware(BrowserRules)
    add_problem_handlers(app)
    document_errors(app)
    add_docs_page(app)
    add_web_app(app)
    add_mcp(app)
    app.router.routes.extend(API.routes)
    return app
