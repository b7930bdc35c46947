"""Everything under `/memory`: the owner's sight and control of what Lo-Bug remembers."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from lobug.api import (
    memory_entries,
    memory_erasing,
    memory_looking,
    memory_projects,
    memory_tools,
    memory_transfer,
)
from lobug.api.memory_caller import private

router = APIRouter(prefix="/memory", tags=["memory"], dependencies=[Depends(private)])
for part in (
    memory_entries,
    memory_looking,
    memory_erasing,
    memory_transfer,
    memory_projects,
    memory_tools,
):
    router.include_router(part.router)
