"""The router of everything under `/memory`."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from lobug.http.dependencies import private
from lobug.http.memory import (
    entries,
    erasure,
    history,
    projects,
    queries,
    tools,
    transfer,
)

router = APIRouter(prefix="/memory", tags=["memory"], dependencies=[Depends(private)])
for part in (
    entries,
    queries,
    erasure,
    history,
    transfer,
    projects,
    tools,
):
    router.include_router(part.router)
