"""Hearing and speaking without a turn: as many at once as turns, and as many waiting."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from lobug.http.caller import claimant_of_scope
from lobug.http.state import ServerDep
from lobug.quota import Claimant, QuotaLedger
from lobug.settings import LimitSettings
from lobug.turn.slots import EngineSlots, waiting_quota


class AudioJobs:
    """The places of such work; it goes before background work, as turns do."""

    def __init__(self, limits: LimitSettings) -> None:
        self._places = EngineSlots(limits.max_concurrent_turns)
        self._waiting = QuotaLedger(waiting_quota(limits), "requests waiting")

    @property
    def waiting(self) -> int:
        """Requests that wait for a place."""
        return self._waiting.held

    @asynccontextmanager
    async def place(self, claimant: Claimant) -> AsyncIterator[None]:
        """Wait for a place. Raises TooManyRequestsError when too many requests of this person wait
        already, and BusyError when too many of all do."""
        refusal = self._waiting.refusal(claimant) if self._places.locked() else None
        if refusal is not None:
            raise refusal
        async with AsyncExitStack() as place:
            self._waiting.take(claimant)
            try:
                await place.enter_async_context(self._places.place(claimant))
            finally:
                self._waiting.give_back(claimant)
            yield


@dataclass(frozen=True, slots=True)
class CallerAudioJobs:
    """The places of such work, as one caller may take them."""

    jobs: AudioJobs
    claimant: Claimant

    def place(self) -> AbstractAsyncContextManager[None]:
        """Wait for a place; raises what ``AudioJobs.place`` does."""
        return self.jobs.place(self.claimant)


async def get_audio_jobs(request: Request, server: ServerDep) -> CallerAudioJobs:
    """Those of the app that this request came to, for its caller."""
    claimant = claimant_of_scope(request.scope, server.settings)
    return CallerAudioJobs(request.app.state.audio_jobs, claimant)


AudioJobsDep = Annotated[CallerAudioJobs, Depends(get_audio_jobs)]
