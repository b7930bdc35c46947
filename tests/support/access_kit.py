"""The access service on a file, with a clock that a test sets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from lobug.access.service import FILE, Access
from lobug.settings import AccessSettings
from support.database_place import place_of

THERE = "192.168.1.7"
"""Whence somebody in the local network calls."""


@dataclass
class Clock:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def opened(
    folder: Path,
    *,
    clock: Callable[[], float] | None = None,
    refresh_s: float = 60.0,
    **set_: object,
) -> AsyncIterator[Access]:
    settings = AccessSettings.model_validate(set_)
    access = Access(
        settings,
        folder / FILE,
        clock=clock or Clock(),
        refresh_s=refresh_s,
        place=place_of(folder / FILE),
    )
    await access.start()
    try:
        yield access
    finally:
        await access.close()
