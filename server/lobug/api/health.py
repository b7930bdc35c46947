"""`GET /health`: is Lo-Bug well, and if not, what is to be done."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from fastapi import APIRouter, Response

from lobug.api.caller import CallerDep
from lobug.api.schemas import BriefHealth, EngineHealth, Health, MemoryHealth
from lobug.api.state import ServerDep

router = APIRouter(tags=["health"])


@router.get("/health")
async def health(server: ServerDep, caller: CallerDep, response: Response) -> Health | BriefHealth:
    """Report the last known state. Does no I/O, so it answers at once while turns run.

    Whether it is well is for everybody: the first four fields. Engines and counts of memory are
    for the owner, and for a token with the scope `metrics`.
    """
    report = server.health()
    # The same for every caller: a command finds out by it whether this is the server of its data
    # folder, before it sends anything.
    response.headers["Lobug-Instance"] = server.instance
    status: Literal["ok", "degraded"] = "ok" if report.can_talk else "degraded"
    if not caller.may_watch:
        return BriefHealth(
            status=status,
            ollama=report.ollama,
            timestamp=report.timestamp,
            version=report.version,
        )
    return Health(
        status=status,
        ollama=report.ollama,
        timestamp=report.timestamp,
        version=report.version,
        uptime_s=round(report.uptime_s, 1),
        degraded=list(report.degraded),
        engines={
            job: EngineHealth(
                name=status.name,
                model=status.model,
                ready=status.ready,
                degraded=status.degraded,
                reason=status.reason,
                chosen_because=report.choices.get(job),
                details=dict(status.details),
            )
            for job, status in report.engines.items()
        },
        memory=MemoryHealth(**asdict(report.memory)),
        turns=report.turns,
    )
