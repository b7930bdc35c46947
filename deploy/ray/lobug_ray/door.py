"""The door: Lo-Bug's own routes for hearing and speaking, with engines that are elsewhere, and
nothing else of Lo-Bug. Knows no Ray.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fastapi import APIRouter, FastAPI, Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from lobug.access.callers import Caller
from lobug.engines.base import SpeechGate, SpeechToText, TextToSpeech
from lobug.errors import ForeignOriginError, LobugError, TokenInvalidError, TokenRequiredError
from lobug.http.authentication import STATE_KEY, refuse
from lobug.http.limits import limit_bodies
from lobug.http.openai import audio
from lobug.http.openai.models import STT_MODEL, TTS_MODEL, Model, ModelList
from lobug.http.problems import add_problem_handlers
from lobug.priority import TurnPriority
from lobug.settings import LimitSettings, Settings
from lobug.turn.slots import AudioJobs

_NAME = "ray"
_CALLER = Caller(kind="api", key=f"token:{_NAME}", user=_NAME)
"""Who all callers are: whoever has the key may all that there is."""


@dataclass(frozen=True, slots=True)
class DoorEngines:
    """``SpeechEngines``."""

    gate: SpeechGate
    stt: SpeechToText
    tts: TextToSpeech


@dataclass(frozen=True, slots=True)
class DoorServer:
    """``SpeechServer``."""

    settings: Settings
    engines: DoorEngines
    priority: TurnPriority
    started_at: float
    """Seconds since the epoch."""


def create_door(
    settings: Settings, engines: DoorEngines, *, key: str | None, max_requests: int
) -> FastAPI:
    """Build the application. It starts and closes the speech gate; the other engines are somebody
    else's.

    Args:
        key: what callers must send as their bearer token; None: nothing.
        max_requests: how many are let in at once. There is no other queue here: what waits for an
            engine waits in front of it.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await engines.gate.start()
        try:
            yield
        finally:
            await engines.gate.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    limits = limits_of_one_caller(settings.limits, max_requests)
    app.state.lobug = DoorServer(
        settings, engines, TurnPriority(settings.memory.idle_delay_s), time.time()
    )
    app.state.audio_jobs = AudioJobs(limits)
    limit_bodies(app, limits)
    app.add_middleware(Entrance, key=key)
    add_problem_handlers(app)
    app.include_router(router)
    app.include_router(audio.router)
    return app


def limits_of_one_caller(limits: LimitSettings, max_requests: int) -> LimitSettings:
    """Limits for one caller that has everything: a Lo-Bug that asks for all of its people. Pure."""
    return limits.model_copy(
        update={
            "max_concurrent_turns": max_requests,
            "max_waiting_turns": 0,
            "max_waiting_per_person": 1,
            "max_uploads": max_requests,
            "max_uploads_per_person": max_requests,
            "max_upload_bytes_per_person": limits.max_upload_bytes,
            "reserved_part": 0.0,
        }
    )


router = APIRouter(prefix="/v1")


@router.get("/models")
async def models(request: Request) -> ModelList:
    """Both models. Lo-Bug's probe asks for them."""
    server: DoorServer = request.app.state.lobug
    created = int(server.started_at)
    return ModelList(
        data=[
            Model(id=name, object="model", created=created, owned_by="lobug")
            for name in (STT_MODEL, TTS_MODEL)
        ]
    )


class Entrance:
    """ASGI middleware that lets in who sends the key, and no web page."""

    def __init__(self, app: ASGIApp, key: str | None) -> None:
        self._app = app
        self._key = key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http":
            fault = self._fault(Headers(scope=scope))
            if fault is not None:
                await refuse(fault, scope, receive, send)
                return
            scope.setdefault("state", {})[STATE_KEY] = _CALLER
        await self._app(scope, receive, send)

    def _fault(self, headers: Headers) -> LobugError | None:
        if self._key is None:
            # A page of any site can make a browser on this computer send a recording here.
            foreign = "origin" in headers
            return ForeignOriginError("web pages are not served here") if foreign else None
        kind, _, shown = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not shown:
            return TokenRequiredError("send the key as a bearer token")
        if not hmac.compare_digest(shown.strip().encode(), self._key.encode()):
            return TokenInvalidError("the key is another one")
        return None
