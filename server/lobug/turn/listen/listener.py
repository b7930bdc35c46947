"""What a stream has brought and nobody has listened to yet.

Listens to one stream: finds utterances in it and has them transcribed while they are spoken.

At the first short pause everything so far is transcribed at once, while voice detection goes on.
If nothing more comes that transcript is the utterance's, and by the time the silence is long enough
to be its end it has usually been there for a while."""

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
from lobug.errors import EngineError, ListenerOverrunError
from lobug.settings import Settings
from lobug.turn.listen.acceptance import judge
from lobug.turn.listen.endpointing import (
    FRAME_S,
    Endpointer,
    ListeningMode,
    Signal,
    State,
)
from lobug.turn.listen.events import (
    InterimTranscript,
    ListeningEvent,
    ListeningFailed,
    NothingSaid,
    PauseTranscript,
    SpeechBegan,
    SpeechEnded,
    SpeechResumed,
)
from lobug.turn.listen.transcription import Transcriber, Transcription, UtteranceAudio


@dataclass(frozen=True, slots=True)
class Stop:
    """The speaker's end says that it is over; in its place among the samples."""


class ListeningInbox:
    """A bounded queue of samples and stops. More than it holds is an overrun: everything in it is
    dropped, since words with a hole in them would be answered wrongly."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._items: deque[Samples | Stop] = deque()
        self.waiting = 0
        """Samples in it."""
        self.pushed = 0
        """Samples of the stream so far, those that were dropped as well."""
        self.overrun = False

    def push(self, samples: Samples) -> None:
        """Add the stream's next samples."""
        self.pushed += len(samples)
        if self.waiting + len(samples) > self._most:
            self.clear()
            self.overrun = True
        elif len(samples):
            self._items.append(samples)
            self.waiting += len(samples)

    def push_stop(self) -> None:
        """Add a stop."""
        self._items.append(Stop())

    def clear(self) -> None:
        """Drop everything."""
        self._items.clear()
        self.waiting = 0
        self.overrun = False

    def take(self, most: int) -> Samples | Stop | None:
        """The next stop, or the next samples up to it, about ``most`` of them; None: nothing."""
        pieces: list[Samples] = []
        taken = 0
        while self._items and taken < most:
            item = self._items[0]
            if isinstance(item, Stop):
                if not pieces:
                    self._items.popleft()
                    return item
                break
            self._items.popleft()
            pieces.append(item)
            taken += len(item)
        self.waiting -= taken
        return np.concatenate(pieces) if pieces else None


PRE_ROLL = int(0.3 * STT_SAMPLE_RATE)
"""Samples transcribed before the first voiced frame: soft beginnings ("h", "f") are found late."""
POST_ROLL = int(0.3 * STT_SAMPLE_RATE)
"""Samples transcribed behind the last voiced frame, if they have come: soft endings too."""
_KEPT_BEFORE_SPEECH = PRE_ROLL + STT_SAMPLE_RATE
"""Samples kept while nobody speaks: what may turn out to be a beginning is shorter than a second.
"""
_AT_ONCE = STT_SAMPLE_RATE
"""Samples judged before the outcome of a transcription is looked at."""
_INTERIM_SHARE = 3
"""No interim transcript begins before this many times as long as the last one took has passed: a
long utterance, whose transcription takes longer, does not keep the engine busy."""


class Listener:
    """Listens to one stream, utterance after utterance. Everything runs on one event loop."""

    def __init__(
        self,
        gate: SpeechGate,
        stt: SpeechToText,
        settings: Settings,
        *,
        mode: ListeningMode = "auto",
        busy: Callable[[], bool] = lambda: False,
        stood_in: Callable[[float], None] = lambda seconds: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``busy``: whether the cores have something better to do than interim transcripts.
        ``stood_in`` is told of silence, in seconds, that was put into the stream for samples that
        did not come.

        Raises EngineUnavailableError where there is no gate.
        """
        self._settings = settings
        self._mode = mode
        self._busy = busy
        self._stood_in = stood_in
        self._clock = clock
        self._arrived_at = clock()
        self._voice = gate.open_stream()
        self._inbox = ListeningInbox(int(settings.listening.max_backlog_s * STT_SAMPLE_RATE))
        self._news = asyncio.Event()
        self._closed = self._used = self._void = False
        language = None if settings.stt.language == "auto" else settings.stt.language
        self._transcribing = Transcriber(stt, language, self._news.set)
        self._deaf = False  # the gate has failed, and that was said
        self._start_afresh()

    @property
    def waiting(self) -> int:
        """Samples that nobody has listened to yet."""
        return self._inbox.waiting

    def push(self, samples: Samples) -> None:
        """Take the stream's next samples, 16 kHz; they must not change afterwards. Never blocks."""
        if not self._closed:
            self._arrived_at = self._clock()
            self._inbox.push(samples)
            self._news.set()

    def stop(self) -> None:
        """What has been pushed so far is all there is of this utterance: a button was let go."""
        if not self._closed:
            self._inbox.push_stop()
            self._news.set()

    def reset(self) -> None:
        """Throw away the current utterance and what waits to be listened to. Nothing of it is
        told any more; what is pushed from now on is the beginning of the next."""
        self._inbox.clear()
        self._void = True
        self._news.set()

    def close(self) -> None:
        """End ``events``. Safe to call twice."""
        self._closed = True
        self._inbox.clear()
        self._news.set()

    async def events(self) -> AsyncGenerator[ListeningEvent]:
        """What is noticed, utterance after utterance, until ``close``.

        Handle an event without waiting long: listening goes on when the next one is asked for.
        Close the iterator (``aclosing``). Once only.
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
                    if self._void or self._closed:
                        break
                    yield event
        finally:
            await self._transcribing.close()

    async def _advance(self) -> Sequence[ListeningEvent] | None:
        """Do the next thing there is to do; None: nothing."""
        if self._void or self._inbox.overrun:
            return self._give_up()
        if self._judged and not self._ending:
            return self._on_frame(self._judged.popleft())
        transcription = self._transcribing.take()
        if transcription is not None:
            return self._on_transcription(transcription)
        if not self._ending:
            taken = self._inbox.take(_AT_ONCE)
            if taken is not None:
                return await self._listen(taken)
        return None

    async def _wait(self) -> None:
        """Wait for something to do. In a stream that stalls in mid-utterance silence stands in for
        what does not come: or the utterance would go on for ever."""
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
            self._stood_in(seconds)

    def _start_afresh(self) -> None:
        """Wait for the first utterance of what comes now."""
        self._origin = self._inbox.pushed - self._inbox.waiting
        """Place of the endpointer's first frame in the stream, samples."""
        self._ends = Endpointer(self._settings.listening, self._mode)
        self._audio = UtteranceAudio(self._origin)
        self._judged: deque[float | Stop] = deque()
        self._voice.reset()
        self._next_utterance()

    def _next_utterance(self) -> None:
        self._ends.restart()
        self._transcribing.abandon()
        self._ending = False  # it is over, and only its transcript is waited for
        self._decided_s = 0.0
        self._known: Transcription | None = None
        self._paused_s: float | None = None  # of the PauseTranscript that was given
        self._look_began = self._look_ended = 0  # frames, of the last transcription

    def _give_up(self) -> Sequence[ListeningEvent]:
        overrun = self._inbox.overrun
        self._void = self._inbox.overrun = False
        self._start_afresh()
        if not overrun:
            return ()
        bound = self._settings.listening.max_backlog_s
        error = ListenerOverrunError(f"more than {bound:g} s of audio waited")
        return [ListeningFailed(error)]

    async def _listen(self, taken: Samples | Stop) -> Sequence[ListeningEvent]:
        """Have samples judged."""
        if isinstance(taken, Stop):
            self._judged.append(taken)
            return ()
        if self._ends.state in (State.WAITING, State.STARTING):
            self._audio.forget_before(self._place(self._ends.frames) - _KEPT_BEFORE_SPEECH)
        self._audio.append(taken)
        try:
            self._judged += await self._voice.feed(taken)
        except EngineError as error:
            # A gate that is gone fails at every piece of a stream: that is told once.
            said, self._deaf = self._deaf, True
            self._start_afresh()
            return () if said else [ListeningFailed(error)]
        self._deaf = False
        return ()

    def _on_frame(self, judged: float | Stop) -> Sequence[ListeningEvent]:
        ends = self._ends
        signal = ends.stop() if isinstance(judged, Stop) else ends.feed(judged)
        if signal is None:
            if self._interim_due():
                # The sound of the last frame goes on in the next.
                self._transcribe(min(ends.end, ends.frames - 1))
            return ()
        return self._on_signal(signal)

    def _on_signal(self, signal: Signal) -> list[ListeningEvent]:
        ends = self._ends
        match signal:
            case Signal.BEGAN:
                self._look_began = self._look_ended = ends.start
                return [SpeechBegan(self._seconds(ends.start))]
            case Signal.PAUSED:
                return self._on_pause()
            case Signal.RESUMED:
                self._transcribing.abandon()
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
        self._look_ended = self._ends.frames
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
        """Tell what the utterance was, and wait for the next."""
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
        )
        self._next_utterance()
        return [ended]

    def _interim_due(self) -> bool:
        every = self._settings.listening.interim_every_s
        if not every or self._ends.state is not State.SPEAKING:
            return False
        if self._transcribing.speech_end is not None:
            return False
        took = (self._look_ended - self._look_began) * FRAME_S
        since = (self._ends.frames - self._look_ended) * FRAME_S
        return since >= max(every, _INTERIM_SHARE * took) and not self._busy()

    def _transcribe(self, speech_end: int) -> None:
        """Have the words up to a frame transcribed, unless just that is under way."""
        ends = self._ends
        if self._transcribing.speech_end == speech_end:
            return
        start = self._place(ends.start) - PRE_ROLL
        audio = self._audio.between(start, self._place(ends.end) + POST_ROLL)
        self._look_began = ends.frames
        self._transcribing.begin(audio, speech_end)

    def _transcribed(self) -> Transcription | None:
        """The transcription of all words so far, if there is one."""
        known = self._known
        return known if known is not None and known.speech_end == self._ends.end else None

    def _accepted(self, transcription: Transcription | None) -> Transcript | None:
        """Its transcript, unless it failed or was noise."""
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
