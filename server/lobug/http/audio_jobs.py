"""Slots for speech-to-text and text-to-speech outside of turns, with the limits of turns."""

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
    """The slots of an app for such work, which takes precedence over background work."""

    def __init__(self, limits: LimitSettings) -> None:
        self._places = EngineSlots(limits.max_concurrent_turns)
        self._waiting = QuotaLedger(waiting_quota(limits), "requests waiting")

    @property
    def waiting(self) -> int:
        """Number of requests that wait for a slot."""
        return self._waiting.held

    @asynccontextmanager
    async def slot(self, claimant: Claimant) -> AsyncIterator[None]:
        """Hold a slot; waits until one is free. Raises TooManyRequestsError when too many requests
        of this person wait already, BusyError when too many of all do."""
        refusal = self._waiting.refusal(claimant) if self._places.locked() else None
        if refusal is not None:
            raise refusal
        async with AsyncExitStack() as place:
            self._waiting.take(claimant)
            try:
                await place.enter_async_context(self._places.slot(claimant))
            finally:
                self._waiting.give_back(claimant)
            yield


@dataclass(frozen=True, slots=True)
class CallerAudioJobs:
    """The slots of an app, for one caller."""

    jobs: AudioJobs
    claimant: Claimant

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Hold a slot: ``AudioJobs.slot`` for this caller."""
        return self.jobs.slot(self.claimant)


async def get_audio_jobs(request: Request, server: ServerDep) -> CallerAudioJobs:
    """The slots of this request's app, for its caller."""
    claimant = claimant_of_scope(request.scope, server.settings)
    return CallerAudioJobs(request.app.state.audio_jobs, claimant)


AudioJobsDep = Annotated[CallerAudioJobs, Depends(get_audio_jobs)]
