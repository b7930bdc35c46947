"""`/web/doctor`: what works, what does not, and what to do about it."""

from __future__ import annotations

import asyncio
from typing import Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from lobug.diagnosis.findings import Finding, Level
from lobug.diagnosis.running import examine, judge_engines
from lobug.errors import OwnerOnlyError
from lobug.http.dependencies import ServerDep, private, require_admin
from lobug.http.problems import error_responses
from lobug.settings import Settings

State = Literal["good", "warning", "bad"]

_STATES: dict[Level, State] = {Level.OK: "good", Level.WARN: "warning", Level.FAIL: "bad"}


class Check(BaseModel):
    """What one check has found."""

    name: str = Field(description="What was checked.")
    state: State = Field(
        description="`warning`: Lo-Bug runs, but something is missing or soon will be. `bad`: it"
        " cannot talk, or loses something."
    )
    message: str = Field(description="What was found.")
    advice: str = Field(description="What to do about it; empty where it is good.")


class Checks(BaseModel):
    """All findings."""

    checks: list[Check] = Field(description="In the order of `lobug doctor`; engines come last.")


router = APIRouter(
    prefix="/web", tags=["web"], dependencies=[Depends(private), Depends(require_admin)]
)


@router.get("/doctor", responses=error_responses(OwnerOnlyError))
async def doctor(server: ServerDep) -> Checks:
    """The checks of `lobug doctor` that make sense while the server runs, and its engines."""
    found = await asyncio.to_thread(_examined, server.settings)
    report = server.health()
    found += judge_engines(report.engines, report.degraded, can_talk=report.can_talk)
    return Checks(
        checks=[
            Check(name=one.name, state=_STATES[one.level], message=one.message, advice=one.advice)
            for one in found
        ]
    )


def _examined(settings: Settings) -> list[Finding]:
    return list(examine(settings))
