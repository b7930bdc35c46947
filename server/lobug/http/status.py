"""State of the server: `GET /health`, `GET /metrics` for Prometheus, `GET /turns` for the owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Response
from pydantic import BaseModel, Field

from lobug.errors import (
    AccessUnavailableError,
    EngineUnavailableError,
    InvalidRequestError,
    OwnerOnlyError,
    StorageError,
    StorageHeldError,
    TurnNotFoundError,
)
from lobug.http.dependencies import (
    CallerDep,
    ServerDep,
    private,
    require_admin,
    require_watcher,
)
from lobug.http.formats import Answer
from lobug.http.problems import error_responses
from lobug.server import LobugServer
from lobug.telemetry.metrics import ServerState
from lobug.telemetry.telemetry import FinishedTurn


class EngineHealth(Answer):
    """The state of one engine."""

    name: str = Field(description="Implementation: embedded, ollama, openai, faster-whisper, ...")
    model: str = Field(description="Model name.")
    ready: bool = Field(description="Whether it can be used now.")
    degraded: bool = Field(description="Whether it works less well than it should.")
    reason: str | None = Field(description="Why it is degraded or not ready, and what to do.")
    chosen_because: str | None = Field(None, description="Why this implementation was chosen.")
    details: dict[str, Any] = Field(default_factory=dict, description="More, by implementation.")


class MemoryHealth(Answer):
    """Counts of what is remembered, over all users."""

    messages: int = Field(description="Rows of the conversation log.")
    facts: int = Field(description="Facts that can be recalled.")
    summaries: int = Field(description="Summaries of conversations.")
    users: int = Field(description="Users with anything remembered.")
    pending_tasks: int = Field(description="Background work that is still to be done.")
    parked_tasks: int = Field(description="Background work that failed too often; kept.")
    embedding_backlog: int = Field(description="Facts that wait for their vector.")
    claims_unread: int = Field(
        description="Facts of an older version whose claims are still to be read."
    )
    counted: bool = Field(
        description="Whether all was counted since the start. Until then the numbers are too low."
    )


class HomeHealth(Answer):
    """The state of Home Assistant."""

    connected: bool = Field(description="Whether it is asked now.")
    fault: str = Field(description="Why it is not; empty: it is.")
    names: int = Field(description="Names of its rooms and things that are known.")


class BriefHealth(Answer):
    """The state of the server. The first three fields are the contract with devices."""

    status: Literal["ok", "degraded"] = Field(
        description="`ok` when Lo-Bug can hold a conversation, else `degraded`."
    )
    ollama: bool = Field(description="Whether an Ollama server answers.")
    timestamp: float = Field(description="Seconds since the epoch.")
    version: str = Field(description="Version of the server.")


class Health(BriefHealth):
    """The state of the server, for its owner."""

    uptime_s: float = Field(description="Seconds since the server started.")
    degraded: list[str] = Field(description="What does not work as it should, one sentence each.")
    engines: dict[str, EngineHealth] = Field(
        description="By job: chat, embeddings, stt, gate, tts; consolidation where it has a model."
    )
    memory: MemoryHealth
    turns: int = Field(description="Turns under way.")
    home: HomeHealth | None = Field(
        None, description="Home Assistant; null: the settings name none."
    )


health_router = APIRouter(tags=["health"])


@health_router.get("/health")
async def health(server: ServerDep, caller: CallerDep, response: Response) -> Health | BriefHealth:
    """Report the last known state. Does no I/O, so it answers at once while turns run.

    Whether it is well is for everybody: the first four fields. Engines and counts of memory are
    for the owner, and for a token with the scope `metrics`.
    """
    report = server.health()
    # For every caller: by it a command recognises the server of its data folder before it sends
    # anything else.
    response.headers["Lobug-Instance"] = server.instance
    status = "ok" if report.can_talk else "degraded"
    if not caller.may_watch:
        return BriefHealth.of(report, status=status)
    engines = {
        job: EngineHealth.of(engine, chosen_because=report.choices.get(job))
        for job, engine in report.engines.items()
    }
    return Health.of(
        report,
        status=status,
        uptime_s=round(report.uptime_s, 1),
        engines=engines,
        home=None if report.house is None else HomeHealth.of(report.house),
    )


class Readiness(Answer):
    """That this server can be talked to."""

    ready: Literal[True] = True


@health_router.get(
    "/ready", responses=error_responses(StorageError, StorageHeldError, EngineUnavailableError)
)
async def ready(server: ServerDep) -> Readiness:
    """Tell a proxy whether to send devices here: 503 while another server has the database
    (`storage_held`), the chat model is not ready, or this server is about to stop.

    For everybody. Does no I/O.
    """
    server.require_ready()
    return Readiness()


metrics_router = APIRouter(tags=["telemetry"], dependencies=[Depends(require_watcher)])


@metrics_router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {
            "description": "The Prometheus text format, or OpenMetrics if it is asked.",
            "content": {
                "text/plain": {"schema": {"type": "string"}},
                "application/openmetrics-text": {"schema": {"type": "string"}},
            },
        },
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
        webhooks_waiting=server.webhooks.waiting,
        version=report.version,
        can_talk=report.can_talk,
        stands_by=report.stands_by,
        turns=report.turns,
        engines=report.engines,
        memory=report.memory,
        devices=server.device_statuses.figures(),
    )
    content, media_type = await server.telemetry.exposition(state, accept)
    return Response(content, headers={"Content-Type": media_type, "Cache-Control": "no-store"})


MAX_TURNS_LISTED = 1000
"""Most turns in one answer."""


class TurnCounters(BaseModel):
    """How much there was in a turn, without what it was."""

    heard_characters: int = Field(description="Characters of what was heard or typed.")
    reply_characters: int = Field(description="Characters of the reply, as far as it was heard.")
    pieces: int = Field(description="Pieces of the reply that were spoken.")
    speculations_started: int = Field(description="How often a reply was prepared at a pause.")
    speculations_discarded: int = Field(
        description="How often speech went on and that was thrown away."
    )
    wasted_s: float = Field(description="Time that the thrown-away work had taken, seconds.")
    interrupted: bool = Field(description="Whether somebody stopped the reply.")


class TurnTimeline(BaseModel):
    """One turn's times. It holds no content."""

    id: str = Field(description="The turn's id; the log lines of the turn carry it too.")
    finished_at: float = Field(description="When it ended, seconds since the epoch.")
    door: str = Field(description="How it came in: text, audio, device, openai or wyoming.")
    device: str = Field(
        description="What the owner calls the device, else its `Device-Id`; empty without one."
    )
    outcome: Literal["respond", "react", "ignore", "interrupted", "failed", "cancelled"] = Field(
        description="How it ended. `cancelled`: the caller hung up, or the server stopped."
    )
    error: str | None = Field(
        description="Stable code of what failed; with `respond` it was the voice."
    )
    reason: str | None = Field(
        description="Why it was ignored: no_speech, noise or model; null: it was not."
    )
    timings: dict[str, float] = Field(
        description="Seconds from the last voiced sample of a stream, or from a request's arrival,"
        " to the end of each stage. A stage that did not happen is absent; one that was over"
        " before the end of speech is negative."
    )
    counts: TurnCounters


class TurnList(BaseModel):
    """The last turns."""

    turns: list[TurnTimeline] = Field(description="The newest first.")


turns_router = APIRouter(
    tags=["telemetry"], dependencies=[Depends(private), Depends(require_admin)]
)


@turns_router.get(
    "/turns",
    responses=error_responses(InvalidRequestError, OwnerOnlyError),
)
async def turns(
    server: ServerDep,
    limit: Annotated[
        int, Query(ge=1, le=MAX_TURNS_LISTED, description="Most turns in the answer.")
    ] = 20,
) -> TurnList:
    """The stage times of the last turns (`telemetry.turns_kept` are kept)."""
    names = device_names(server)
    return TurnList(turns=[turn_row(turn, names) for turn in server.telemetry.turns.newest(limit)])


@turns_router.get(
    "/turns/{turn_id}",
    responses=error_responses(TurnNotFoundError, OwnerOnlyError),
)
async def turn(
    server: ServerDep, turn_id: Annotated[str, Path(description="The turn's id.")]
) -> TurnTimeline:
    """The stage times of one turn."""
    found = server.telemetry.turns.get(turn_id)
    if found is None:
        raise TurnNotFoundError("there is no such turn, or it is no longer kept")
    return turn_row(found, device_names(server))


def device_names(server: LobugServer) -> Mapping[str, str]:
    """The owner's names of the devices, by id; empty while they cannot be read."""
    try:
        return {device.device_id: device.name for device in server.access.devices.all()}
    except AccessUnavailableError:
        return {}


def turn_row(turn: FinishedTurn, names: Mapping[str, str]) -> TurnTimeline:
    timeline = turn.timeline
    return TurnTimeline.model_validate(
        {
            "id": timeline.id,
            "finished_at": turn.finished_at,
            "door": timeline.door,
            "device": names.get(timeline.device) or timeline.device,
            "outcome": timeline.outcome,
            "error": timeline.error,
            "reason": timeline.reason,
            "timings": timeline.timings(),
            "counts": asdict(timeline.counts),
        }
    )
