"""Voice detection in a stream: Silero VAD v6, one frame after the other, as it comes inside
faster-whisper.

The model is a small recurrent net. It takes frames of 512 samples, each behind the last 64 of the
frame before, and hands its state (h, c) from call to call, so a stream gives the very
probabilities that the whole clip would. One session serves all streams. On one core of the
machine it was measured on, a frame costs 0.09 ms alone, 0.06 in twos and 0.035 in a second's batch;
it stands for 32 ms of sound.

The speech gate: Silero VAD v6, as it comes inside faster-whisper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lobug.engines.base import (
    STT_SAMPLE_RATE,
    VOICE_FRAME,
    EngineStatus,
    Samples,
    SpeechSpan,
    VoiceStream,
)
from lobug.engines.worker_thread import Abandoned, WorkerThread
from lobug.errors import EngineError, ModelMissingError
from lobug.settings import Settings

_CONTEXT = 64
"""Samples of the frame before that the model sees again."""
_STATE = (1, 1, 128)
"""Shape of h and of c."""
_MOST_FRAMES = 32
"""Frames, a second of sound, judged in one go: a long stream lets others in between."""
_TIMEOUT_S = 30.0
"""A second of sound takes about a millisecond."""


def _nothing() -> NDArray[np.float32]:
    return np.zeros(_STATE, np.float32)


@dataclass(slots=True)
class _Heard:
    """What the model remembers of a stream, and the samples that fill no frame yet."""

    h: NDArray[np.float32] = field(default_factory=_nothing)
    c: NDArray[np.float32] = field(default_factory=_nothing)
    context: Samples = field(default_factory=lambda: np.zeros(_CONTEXT, np.float32))
    rest: Samples = field(default_factory=lambda: np.zeros(0, np.float32))


class SileroStream:
    """VoiceStream by Silero. ``thread`` is shared by all streams."""

    def __init__(self, thread: WorkerThread) -> None:
        self._thread = thread
        self._heard = _Heard()

    async def feed(self, audio: Samples) -> Sequence[float]:
        """The voice probability of each frame that ``audio``, 16 kHz, completes.

        Raises EngineUnavailableError, EngineTimeoutError, EngineError. After a failure or a
        cancellation call ``reset``: a part of ``audio`` may have been judged.
        """
        heard = self._heard
        audio = np.concatenate([heard.rest, audio])
        whole = len(audio) // VOICE_FRAME * VOICE_FRAME
        heard.rest = audio[whole:].copy()
        found: list[float] = []
        for start in range(0, whole, _MOST_FRAMES * VOICE_FRAME):
            piece = audio[start : min(whole, start + _MOST_FRAMES * VOICE_FRAME)]
            found += await self._thread.run(partial(_judge, heard, piece), _TIMEOUT_S)
        return found

    def reset(self) -> None:
        """Forget the stream so far."""
        self._heard = _Heard()


def load(abandoned: Abandoned) -> None:
    """Load and warm the model. Takes a second: run it in a thread. Raises ImportError, OSError,
    RuntimeError."""
    _judge(_Heard(), np.zeros(VOICE_FRAME, np.float32), abandoned)


def _judge(heard: _Heard, audio: Samples, _: Abandoned) -> list[float]:
    """The probabilities of whole frames; ``heard`` then holds the state behind them."""
    # Imported late: it takes a second, and this runs in the thread.
    from faster_whisper.vad import get_vad_model  # noqa: PLC0415

    session: Any = get_vad_model().session
    sound = np.concatenate([heard.context, audio])
    frames = np.lib.stride_tricks.sliding_window_view(sound, _CONTEXT + VOICE_FRAME)[::VOICE_FRAME]
    probabilities, heard.h, heard.c = session.run(
        None, {"input": np.ascontiguousarray(frames), "h": heard.h, "c": heard.c}
    )
    heard.context = sound[-_CONTEXT:]
    return [float(p) for p in probabilities.reshape(-1)]


_REINSTALL = "reinstall Lo-Bug's environment: delete .venv, then `make run`"
"""A minute of audio takes well under a second."""

_JOIN_SILENCE_MS = 300
"""A pause shorter than this, between two words, does not end a span."""


class SileroGate:
    """SpeechGate by Silero. It fires on no noise, tone or chord, where simpler gates do."""

    def __init__(self, settings: Settings) -> None:
        self._threshold = settings.stt.gate_threshold
        self._thread = WorkerThread("gate")
        self._streams = WorkerThread("gate")
        """Of its own, so that live speech never waits behind a long recording."""
        self._ready = False
        self._reason: str | None = "not started"

    async def start(self) -> None:
        """Load and warm the model. Raises ModelMissingError, EngineError."""
        if self._ready:
            return
        self._thread.open()
        self._streams.open()
        try:
            await self._thread.run(self._load, _TIMEOUT_S)
        except EngineError as error:
            self._reason = str(error)
            raise
        self._ready, self._reason = True, None

    async def close(self) -> None:
        """Free the threads; the model, 2 MB, stays with the library."""
        self._thread.close()
        self._streams.close()
        self._ready, self._reason = False, "closed"

    def status(self) -> EngineStatus:
        """The state as last known."""
        fault = self._thread.fault or self._streams.fault
        return EngineStatus(
            name="silero",
            model="silero-vad-v6",
            ready=self._ready,
            degraded=fault is not None,
            reason=self._reason or fault,
        )

    async def find_speech(self, audio: Samples) -> Sequence[SpeechSpan]:
        """The stretches of speech in 16 kHz audio, without padding around them."""
        return await self._thread.run(lambda _: self._find(audio), _TIMEOUT_S)

    def open_stream(self) -> VoiceStream:
        """A stream of its own."""
        return SileroStream(self._streams)

    def _load(self, abandoned: Abandoned) -> None:
        try:
            load(abandoned)
            self._find(np.zeros(STT_SAMPLE_RATE, np.float32))
        except (ImportError, OSError, RuntimeError) as fault:
            message = f"the speech gate cannot be loaded ({fault}); {_REINSTALL}"
            raise ModelMissingError("gate", message) from fault

    def _find(self, audio: Samples) -> list[SpeechSpan]:
        # Imported late: it takes a second, and this runs in the thread.
        from faster_whisper.vad import VadOptions, get_speech_timestamps  # noqa: PLC0415

        if not len(audio):
            return []
        options = VadOptions(
            threshold=self._threshold,
            min_silence_duration_ms=_JOIN_SILENCE_MS,
            speech_pad_ms=0,  # the length of speech is judged, so nothing may be added to it
        )
        found = get_speech_timestamps(audio, options, STT_SAMPLE_RATE)
        return [SpeechSpan(span["start"], min(span["end"], len(audio))) for span in found]
