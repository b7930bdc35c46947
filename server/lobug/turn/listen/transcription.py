"""The audio of the present utterance and its transcriptions: one at a time, the last one counts."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lobug.engines.base import Samples, SpeechToText, Transcript
from lobug.errors import EngineError, EngineUnavailableError


class UtteranceAudio:
    """The last samples of a stream. Places are numbers of samples since the stream's beginning."""

    def __init__(self, origin: int = 0) -> None:
        """``origin``: place of the first sample that will be appended."""
        self._pieces: deque[Samples] = deque()
        self._first = origin
        self._next = origin

    def __len__(self) -> int:
        """Number of samples kept."""
        return self._next - self._first

    def append(self, samples: Samples) -> None:
        """Add the stream's next samples."""
        self._pieces.append(samples)
        self._next += len(samples)

    def forget_before(self, place: int) -> None:
        """Drop the appended pieces that end before ``place``."""
        while self._pieces and self._first + len(self._pieces[0]) <= place:
            self._first += len(self._pieces.popleft())

    def between(self, start: int, end: int) -> Samples:
        """The samples from ``start`` to before ``end``, as far as they are kept."""
        if not self._pieces:
            return np.zeros(0, np.float32)
        kept = np.concatenate(self._pieces)
        return kept[max(0, start - self._first) : max(0, end - self._first)]


@dataclass(frozen=True, slots=True)
class Transcription:
    """The outcome of one transcription."""

    outcome: Transcript | EngineError
    speech_end: int
    """Number of the last voiced frame it covers, plus 1."""


class Transcriber:
    """Runs transcriptions, one at a time. ``finished`` is called when one can be taken."""

    def __init__(
        self, stt: SpeechToText, language: str | None, finished: Callable[[], None]
    ) -> None:
        self._stt = stt
        self._language = language
        self._finished = finished
        self._task: asyncio.Task[Transcription] | None = None
        self._tasks: set[asyncio.Task[Transcription]] = set()
        self.speech_end: int | None = None
        """As of ``Transcription``, of the one that runs; None: none runs."""

    def begin(self, audio: Samples, speech_end: int) -> None:
        """Transcribe ``audio``, up to frame ``speech_end``. Cancels the one that runs."""
        self.abandon()
        task = asyncio.create_task(self._run(audio, speech_end))
        self._tasks.add(task)
        task.add_done_callback(self._over)
        self._task, self.speech_end = task, speech_end

    def abandon(self) -> None:
        """Cancel the one that runs, if any."""
        task, self._task, self.speech_end = self._task, None, None
        if task is not None:
            task.cancel()

    def take(self) -> Transcription | None:
        """The outcome of the one that ran; None: there is none yet."""
        if self._task is None or not self._task.done():
            return None
        task, speech_end = self._task, self.speech_end or 0
        self._task = self.speech_end = None
        if task.cancelled():  # not by ``abandon``, which clears it: the engine was closed
            return Transcription(EngineUnavailableError("stt", "was closed"), speech_end)
        return task.result()

    async def close(self) -> None:
        """Cancel everything and return once it has ended."""
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
