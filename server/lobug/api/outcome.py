"""Turns as the HTTP doors run them: to the end for one answer, or as a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import numpy as np

from lobug.audio.wav import encode, resample
from lobug.errors import (
    BusyError,
    EngineError,
    EngineInterruptedError,
    LobugError,
    StorageError,
    TooManyRequestsError,
)
from lobug.turn.events import Action, Done, Failed, Ignored, SpeechAudio, TurnEvent

TURN_ERRORS: tuple[type[LobugError], ...] = (
    BusyError,
    TooManyRequestsError,
    EngineError,
    *EngineError.__subclasses__(),
    StorageError,
    *StorageError.__subclasses__(),
)
"""What may go wrong in any turn."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a plain HTTP answer needs of a turn that was finished."""

    done: Done
    speech: Sequence[SpeechAudio]
    reason: str | None
    """Why it was ignored."""

    async def wav(self, sample_rate: int) -> bytes:
        """The reply's speech as one WAV at ``sample_rate`` Hz; empty where nothing is to be
        played."""
        if self.done.action is not Action.RESPOND or not self.speech:
            return b""
        return await asyncio.to_thread(_reply_wav, self.speech, sample_rate)


def _reply_wav(speech: Sequence[SpeechAudio], sample_rate: int) -> bytes:
    samples = np.concatenate([part.samples for part in speech])
    return encode(resample(samples, speech[0].sample_rate, sample_rate), sample_rate)


async def run_to_end(turn: AsyncGenerator[TurnEvent]) -> Outcome | Failed:
    """Run a turn to its end."""
    speech: list[SpeechAudio] = []
    reason: str | None = None
    outcome: Outcome | Failed | None = None
    async with aclosing(turn) as events:
        async for event in events:
            if isinstance(event, SpeechAudio):
                speech.append(event)
            elif isinstance(event, Ignored):
                reason = event.reason
            elif isinstance(event, Done):
                outcome = Outcome(event, speech, reason)
            elif isinstance(event, Failed):
                outcome = event
    if outcome is None:
        raise EngineInterruptedError("chat", "the turn ended without an outcome")
    return outcome
