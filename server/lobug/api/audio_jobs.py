"""Hearing and speaking without a turn: as many at once as turns, and as many waiting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, Request

from lobug.errors import BusyError
from lobug.settings import LimitSettings


class AudioJobs:
    """The places of such work; it goes before background work, as turns do."""

    def __init__(self, limits: LimitSettings) -> None:
        self._places = asyncio.Semaphore(limits.max_concurrent_turns)
        self._most_waiting = limits.max_waiting_turns
        self._waiting = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place. Raises BusyError when too many wait already."""
        if self._places.locked() and self._waiting >= self._most_waiting:
            raise BusyError(f"{self._waiting} requests are waiting")
        self._waiting += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._places.release()


async def get_audio_jobs(request: Request) -> AudioJobs:
    """Those of the app that this request came to."""
    jobs: AudioJobs = request.app.state.audio_jobs
    return jobs


AudioJobsDep = Annotated[AudioJobs, Depends(get_audio_jobs)]
