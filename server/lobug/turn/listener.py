"""Listens to one stream: finds utterances in it and has them transcribed while they are spoken.

At the first short pause everything so far is transcribed, while voice detection goes on. If nothing
more is said, that transcript is the utterance's, and it is usually ready before the silence is long
enough to end the utterance.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lobug.engines.base import (
    STT_SAMPLE_RATE,
    VOICE_FRAME,
    Samples,
    SpeechGate,
    SpeechToText,
    Transcript,
)
from lobug.errors import EngineError, EngineUnavailableError, ListenerOverrunError
from lobug.settings import Settings
from lobug.turn.endpointing import (
    FRAME_S,
    Endpointer,
    ListeningMode,
    Signal,
    State,
)
from lobug.turn.events import (
    InterimTranscript,
    ListeningEvent,
    ListeningFailed,
    NothingSaid,
    PauseTranscript,
    SpeechBegan,
    SpeechEnded,
    SpeechResumed,
)
from lobug.turn.stream import (
    ListeningInbox,
    Stop,
    StreamClock,
    UtteranceAudio,
)
from lobug.turn.utterance import judge

PRE_ROLL = int(0.3 * STT_SAMPLE_RATE)
"""Samples transcribed before the first voiced frame: soft beginnings ("h", "f") are detected late.
"""
POST_ROLL = int(0.3 * STT_SAMPLE_RATE)
"""Samples transcribed after the last voiced frame, if they have arrived: for soft endings."""
_KEPT_BEFORE_SPEECH = PRE_ROLL + STT_SAMPLE_RATE
"""Samples kept while nobody speaks. A beginning is confirmed within less than a second."""
_AT_ONCE = STT_SAMPLE_RATE
"""Samples judged between two looks at the outcome of a transcription."""
_INTERIM_SHARE = 3
"""Least time between two interim transcripts, as a multiple of the time that the last one took, so
that a long utterance does not keep the engine busy."""


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
        self.language = language
        """What is spoken; None: it is detected each time."""
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
            outcome = await self._stt.transcribe(audio, self.language)
        except EngineError as error:
            return Transcription(error, speech_end)
        return Transcription(outcome, speech_end)

    def _over(self, task: asyncio.Task[Transcription]) -> None:
        self._tasks.discard(task)
        if task is self._task:
            self._finished()


class Listener:
    """Listens to one stream, utterance after utterance. All methods run on one event loop."""

    def __init__(
        self,
        gate: SpeechGate,
        stt: SpeechToText,
        settings: Callable[[], Settings],
        *,
        mode: ListeningMode = "auto",
        busy: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises EngineUnavailableError where there is no gate.

        Args:
            gate: finds the voiced frames.
            stt: transcribes.
            settings: returns those of the server; ``listening`` and ``stt`` are used, for each
                utterance as they are when it begins.
            mode: who ends an utterance.
            busy: whether interim transcripts would delay more urgent work.
            clock: seconds; tells when samples were spoken and when a stream stalls.
        """
        self._current = settings
        self._settings = settings()
        self._mode = mode
        self._busy = busy
        self._clock = clock
        self._arrived_at = clock()
        self._times = StreamClock()
        self._voice = gate.open_stream()
        self._inbox = ListeningInbox(int(self._settings.listening.max_backlog_s * STT_SAMPLE_RATE))
        self._news = asyncio.Event()
        self._closed = self._used = self._discarded = False
        self._transcriber = Transcriber(stt, _language(self._settings), self._news.set)
        self._gate_failed = False  # whether a failure of the gate was reported
        self._restart()

    @property
    def waiting(self) -> int:
        """Number of samples that were not judged yet."""
        return self._inbox.waiting

    def push(self, samples: Samples) -> None:
        """Take the stream's next samples, 16 kHz; they must not change afterwards. Never blocks."""
        if not self._closed:
            self._arrived_at = self._clock()
            self._times.arrived(len(samples) / STT_SAMPLE_RATE, self._arrived_at)
            self._inbox.push(samples)
            self._news.set()

    def skip(self) -> None:
        """Note that samples were ignored: the next ones follow a gap."""
        self._times.skip()

    def moment(self, stream_s: float) -> float:
        """The reading of the clock at which second ``stream_s`` of the stream was spoken."""
        return self._times.at(stream_s)

    def stop(self) -> None:
        """End the utterance with what has been pushed so far: a button was let go."""
        if not self._closed:
            self._inbox.push_stop()
            self._news.set()

    def reset(self) -> None:
        """Discard the current utterance and the samples that wait; no more events of it follow.
        What is pushed from now on begins the next one."""
        self._inbox.clear()
        self._discarded = True
        self._news.set()

    def close(self) -> None:
        """End ``events``. Safe to call twice."""
        self._closed = True
        self._inbox.clear()
        self._news.set()

    async def events(self) -> AsyncGenerator[ListeningEvent]:
        """Yield what is noticed, utterance after utterance, until ``close``.

        Handle an event without waiting long: listening goes on when the next one is requested.
        Close the iterator (``aclosing``). Raises RuntimeError when it is called a second time.
        """
        if self._used:
            raise RuntimeError("a listener's events are read once")
        self._used = True
        try:
            while not self._closed:
                self._news.clear()
                events = await self._advance()
                if events is None:
                    await self._wait()
                    continue
                for event in events:
                    if self._discarded or self._closed:
                        break
                    yield event
        finally:
            await self._transcriber.close()

    async def _advance(self) -> Sequence[ListeningEvent] | None:
        """Do one step of work and return its events; None: there was no work."""
        if self._discarded or self._inbox.overrun:
            return self._give_up()
        if self._judged and not self._ending:
            return self._on_frame(self._judged.popleft())
        transcription = self._transcriber.take()
        if transcription is not None:
            return self._on_transcription(transcription)
        if not self._ending:
            taken = self._inbox.take(_AT_ONCE)
            if taken is not None:
                return await self._listen(taken)
        return None

    async def _wait(self) -> None:
        """Wait for work. Into a stream that stalls during an utterance silence is inserted, so that
        the utterance ends."""
        patience = None if self._ending else self._ends.patience()
        if patience is None:
            await self._news.wait()
            return
        try:
            async with asyncio.timeout(self._arrived_at + patience - self._clock()):
                await self._news.wait()
        except TimeoutError:
            seconds = min(patience, self._settings.listening.max_backlog_s)
            self.push(np.zeros(int(seconds * STT_SAMPLE_RATE), np.float32))

    def _restart(self) -> None:
        """Wait for the first utterance of what is pushed from now on."""
        self._origin = self._inbox.pushed - self._inbox.waiting
        """Samples of the stream before the endpointer's first frame."""
        self._ends = Endpointer(self._settings.listening, self._mode)
        self._audio = UtteranceAudio(self._origin)
        self._judged: deque[float | Stop] = deque()
        self._voice.reset()
        self._next_utterance()

    def _take_settings(self) -> None:
        """Take the settings in effect. Call it before an utterance begins: within one they stay."""
        settings = self._current()
        if settings is not self._settings:
            self._settings = settings
            self._ends.use(settings.listening)
            self._transcriber.language = _language(settings)

    def _next_utterance(self) -> None:
        self._ends.restart()
        self._transcriber.abandon()
        self._ending = False  # whether it is over and only its transcript is missing
        self._decided_s = 0.0
        self._known: Transcription | None = None
        self._paused_s: float | None = None  # of the PauseTranscript that was given
        self._transcribing_from = self._transcribed_at = 0  # frames: the last transcription ran

    def _give_up(self) -> Sequence[ListeningEvent]:
        overrun = self._inbox.overrun
        self._discarded = self._inbox.overrun = False
        self._restart()
        if not overrun:
            return ()
        bound = self._settings.listening.max_backlog_s
        error = ListenerOverrunError(f"more than {bound:g} s of audio waited")
        return [ListeningFailed(error)]

    async def _listen(self, taken: Samples | Stop) -> Sequence[ListeningEvent]:
        """Let the gate judge samples."""
        if isinstance(taken, Stop):
            self._judged.append(taken)
            return ()
        if self._ends.state is State.WAITING:
            self._take_settings()
        if self._ends.state in (State.WAITING, State.STARTING):
            self._audio.forget_before(self._place(self._ends.frames) - _KEPT_BEFORE_SPEECH)
        self._audio.append(taken)
        try:
            self._judged += await self._voice.feed(taken)
        except EngineError as error:
            # A gate that is gone fails at every piece of a stream; it is reported once.
            reported, self._gate_failed = self._gate_failed, True
            self._restart()
            return () if reported else [ListeningFailed(error)]
        self._gate_failed = False
        return ()

    def _on_frame(self, judged: float | Stop) -> Sequence[ListeningEvent]:
        ends = self._ends
        signal = ends.stop() if isinstance(judged, Stop) else ends.feed(judged)
        if signal is None:
            if self._interim_due():
                # The last frame is left out: its sound goes on in the next.
                self._transcribe(min(ends.end, ends.frames - 1))
            return ()
        return self._on_signal(signal)

    def _on_signal(self, signal: Signal) -> list[ListeningEvent]:
        ends = self._ends
        match signal:
            case Signal.BEGAN:
                self._transcribing_from = self._transcribed_at = ends.start
                return [SpeechBegan(self._seconds(ends.start))]
            case Signal.PAUSED:
                return self._on_pause()
            case Signal.RESUMED:
                self._transcriber.abandon()
                self._paused_s = None
                return [SpeechResumed()]
            case Signal.NOTHING_SAID:
                self._next_utterance()
                return [NothingSaid()]
            case Signal.ENDED | Signal.TOO_LONG:
                return self._on_end()

    def _on_pause(self) -> list[ListeningEvent]:
        if not judge(None, self._speech_seconds(), self._settings.stt).accepted:
            return []
        self._ends.transcript_awaited = True
        if self._transcribed() is not None:
            return self._on_pause_transcript()
        self._transcribe(self._ends.end)
        return []

    def _on_transcription(self, transcription: Transcription) -> Sequence[ListeningEvent]:
        self._known = transcription
        self._transcribed_at = self._ends.frames
        if self._ending:
            return self._finish()
        if self._ends.state is State.PAUSED:
            return self._on_pause_transcript()
        transcript = self._accepted(transcription)
        if transcript is None or self._ends.state is not State.SPEAKING:
            return ()
        return [InterimTranscript(transcript.text.strip())]

    def _on_pause_transcript(self) -> list[ListeningEvent]:
        events: list[ListeningEvent] = []
        transcript = self._accepted(self._known)
        if transcript is None:
            signal = self._ends.note_transcript("")
        else:
            self._paused_s = self._seconds(self._ends.end)
            events.append(PauseTranscript(transcript, self._paused_s))
            signal = self._ends.note_transcript(transcript.text, transcript.language)
        if signal is not None:
            events += self._on_signal(signal)
        return events

    def _on_end(self) -> list[ListeningEvent]:
        self._decided_s = self._seconds(self._ends.frames)
        enough = judge(None, self._speech_seconds(), self._settings.stt).accepted
        if not enough or self._transcribed() is not None:
            return self._finish()
        self._ending = True
        self._transcribe(self._ends.end)
        return []

    def _finish(self) -> list[ListeningEvent]:
        """The event of the utterance's end; waits for the next utterance from now on."""
        known = self._transcribed()
        transcript: Transcript | None = None
        if known is not None:
            if isinstance(known.outcome, EngineError):
                self._next_utterance()
                return [ListeningFailed(known.outcome)]
            transcript = known.outcome
        reason = judge(transcript, self._speech_seconds(), self._settings.stt).reason
        ended = SpeechEnded(
            transcript=transcript if reason is None else None,
            speech_seconds=self._speech_seconds(),
            speech_end_s=self._seconds(self._ends.end),
            decided_s=self._decided_s,
            reason=reason,
            pause_s=self._paused_s,
            doubted="" if reason is None or transcript is None else transcript.text.strip(),
        )
        self._next_utterance()
        return [ended]

    def _interim_due(self) -> bool:
        every = self._settings.listening.interim_every_s
        if not every or self._ends.state is not State.SPEAKING:
            return False
        if self._transcriber.speech_end is not None:
            return False
        took = (self._transcribed_at - self._transcribing_from) * FRAME_S
        since = (self._ends.frames - self._transcribed_at) * FRAME_S
        return since >= max(every, _INTERIM_SHARE * took) and not self._busy()

    def _transcribe(self, speech_end: int) -> None:
        """Begin to transcribe the words up to a frame, unless that is running already."""
        ends = self._ends
        if self._transcriber.speech_end == speech_end:
            return
        start = self._place(ends.start) - PRE_ROLL
        audio = self._audio.between(start, self._place(ends.end) + POST_ROLL)
        self._transcribing_from = ends.frames
        self._transcriber.begin(audio, speech_end)

    def _transcribed(self) -> Transcription | None:
        """The transcription of all words so far; None: it is missing."""
        known = self._known
        return known if known is not None and known.speech_end == self._ends.end else None

    def _accepted(self, transcription: Transcription | None) -> Transcript | None:
        """The transcript of a transcription; None: it failed or was noise."""
        if transcription is None or isinstance(transcription.outcome, EngineError):
            return None
        decision = judge(transcription.outcome, self._speech_seconds(), self._settings.stt)
        return transcription.outcome if decision.accepted else None

    def _speech_seconds(self) -> float:
        return self._ends.voiced * FRAME_S

    def _place(self, frame: int) -> int:
        """Samples of the stream before a frame."""
        return self._origin + frame * VOICE_FRAME

    def _seconds(self, frame: int) -> float:
        return self._place(frame) / STT_SAMPLE_RATE


def _language(settings: Settings) -> str | None:
    """The language that is spoken; None: it is detected each time."""
    return None if settings.stt.language == "auto" else settings.stt.language
