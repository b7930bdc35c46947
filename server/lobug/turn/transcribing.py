"""The transcriptions of the utterance that is being spoken: one at a time, the last one counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from lobug.engines.base import Samples, SpeechToText, Transcript
from lobug.errors import EngineError, EngineUnavailableError


@dataclass(frozen=True, slots=True)
class Transcription:
    """What came of one."""

    outcome: Transcript | EngineError
    speech_end: int
    """The last voiced frame + 1 that it knows of."""


class Transcribing:
    """Runs transcriptions. ``finished`` is called when one can be taken."""

    def __init__(
        self, stt: SpeechToText, language: str | None, finished: Callable[[], None]
    ) -> None:
        self._stt = stt
        self._language = language
        self._finished = finished
        self._task: asyncio.Task[Transcription] | None = None
        self._tasks: set[asyncio.Task[Transcription]] = set()
        self.speech_end: int | None = None
        """Of the one under way."""

    def begin(self, audio: Samples, speech_end: int) -> None:
        """Transcribe ``audio``, which ends behind ``speech_end``. What is under way is given up."""
        self.abandon()
        task = asyncio.create_task(self._run(audio, speech_end))
        self._tasks.add(task)
        task.add_done_callback(self._over)
        self._task, self.speech_end = task, speech_end

    def abandon(self) -> None:
        """Give up the one under way, if there is one."""
        task, self._task, self.speech_end = self._task, None, None
        if task is not None:
            task.cancel()

    def take(self) -> Transcription | None:
        """What has come of the one under way; None: nothing yet."""
        if self._task is None or not self._task.done():
            return None
        task, speech_end = self._task, self.speech_end or 0
        self._task = self.speech_end = None
        if task.cancelled():  # not by ``abandon``: the engine was closed under it
            return Transcription(EngineUnavailableError("stt", "was closed"), speech_end)
        return task.result()

    async def close(self) -> None:
        """Give everything up, and return once it is gone."""
        self.abandon()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _run(self, audio: Samples, speech_end: int) -> Transcription:
        try:
            outcome = await self._stt.transcribe(audio, self._language)
        except EngineError as error:
            return Transcription(error, speech_end)
        return Transcription(outcome, speech_end)

    def _over(self, task: asyncio.Task[Transcription]) -> None:
        self._tasks.discard(task)
        if task is self._task:
            self._finished()
