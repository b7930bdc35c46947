"""Listens to one stream: finds utterances in it and has them transcribed while they are spoken.

At the first short pause everything so far is transcribed at once, while voice detection goes on.
If nothing more comes that transcript is the utterance's, and by the time the silence is long enough
to be its end it has usually been there for a while.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import dataclass

from lobug.engines.base import (
    STT_SAMPLE_RATE,
    VOICE_FRAME,
    Samples,
    SpeechGate,
    SpeechToText,
    Transcript,
    VoiceStream,
)
from lobug.errors import EngineError, ListenerOverrunError, LobugError
from lobug.settings import Settings
from lobug.turn.endpointing import FRAME_S, Endpointer, ListeningMode, Signal, State
from lobug.turn.hearing import judge
from lobug.turn.listening_events import (
    InterimTranscript,
    ListeningEvent,
    ListeningFailed,
    NothingSaid,
    PauseTranscript,
    SpeechBegan,
    SpeechEnded,
    SpeechResumed,
)
from lobug.turn.utterance_audio import UtteranceAudio

PRE_ROLL_S = 0.3
"""Transcribed before the first voiced frame: soft beginnings ("h", "f") are found late."""
POST_ROLL_S = 0.3
"""Transcribed behind the last voiced frame, as far as it has been heard: soft endings too."""
_INTERIM_SHARE = 3
"""An interim transcript is not made before this many times as long as the last one took has
passed: a long utterance, whose transcription takes longer, does not keep the engine busy."""


@dataclass(frozen=True, slots=True)
class _Stop:
    """The speaker's end says that it is over; in its place among the samples."""


@dataclass(slots=True)
class _Transcribing:
    """A transcription under way."""

    task: asyncio.Task[Transcript]
    speech_end: int
    """The endpointer's ``end`` when it began."""
    begun_at: int
    """The endpointer's ``frames`` then."""
    interim: bool


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
    ) -> None:
        """``busy``: whether the cores are needed for something better than interim transcripts.

        Raises EngineUnavailableError where there is no gate.
        """
        self._stt = stt
        self._settings = settings
        self._mode = mode
        self._busy = busy
        self._voice: VoiceStream = gate.open_stream()
        self._inbox: deque[Samples | _Stop] = deque()
        self._waiting = 0  # samples in the inbox
        self._pushed = 0
        self._news = asyncio.Event()
        self._closed = False
        self._running = False
        self._afresh = False
        self._overrun = False

    def push(self, samples: Samples) -> None:
        """Take the stream's next samples, 16 kHz. Never blocks."""
        raise NotImplementedError

    def stop(self) -> None:
        """What has been pushed so far is the whole utterance: the button was let go."""
        raise NotImplementedError

    def reset(self) -> None:
        """Throw away the current utterance and what waits to be listened to."""
        raise NotImplementedError

    def close(self) -> None:
        """End ``events``. Safe to call twice."""
        raise NotImplementedError

    async def events(self) -> AsyncGenerator[ListeningEvent]:
        """What is noticed, utterance after utterance, until ``close``.

        Handle each event without waiting long: listening goes on when the next is asked for. Close
        the iterator (``aclosing``); once only.
        """
        raise NotImplementedError
        yield
