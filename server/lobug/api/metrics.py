"""`GET /metrics`: figures for Prometheus."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Response
from fastapi.responses import PlainTextResponse

from lobug.api.caller import require_watcher
from lobug.api.problems import error_responses
from lobug.api.state import ServerDep
from lobug.errors import OwnerOnlyError
from lobug.telemetry.server_state import ServerState

router = APIRouter(tags=["telemetry"], dependencies=[Depends(require_watcher)])


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={
        200: {"description": "The Prometheus text format, or OpenMetrics if it is asked."},
        **error_responses(OwnerOnlyError),
    },
)
async def metrics(
    server: ServerDep,
    accept: Annotated[
        str, Header(description="`application/openmetrics-text` asks for OpenMetrics.")
    ] = "",
) -> Response:
    """Counts, times and states for Prometheus; never content, never a person's name.

    For the owner, and for a token with the scope `metrics`.
    """
    report = server.health()
    state = ServerState(
        version=report.version,
        can_talk=report.can_talk,
        turns=report.turns,
        engines=report.engines,
        memory=report.memory,
    )
    content, media_type = await server.telemetry.exposition(state, accept)
    return Response(content, headers={"Content-Type": media_type, "Cache-Control": "no-store"})
