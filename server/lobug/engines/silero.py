"""The speech gate: Silero VAD v6, as it comes inside faster-whisper, for clips and for streams.

The model is a small recurrent net. It takes frames of 512 samples (32 ms), each behind the last 64
of the frame before, and passes its state (h, c) from call to call, so a stream yields the same
probabilities as the whole clip. One session serves all streams. Measured on one core, a frame
costs 0.09 ms alone, 0.06 ms in pairs and 0.035 ms in batches of a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

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
from lobug.engines.worker_thread import Abandoned, ThreadEngine, WorkerThread
from lobug.errors import ModelMissingError
from lobug.settings import Settings

_CONTEXT = 64
"""Samples of the frame before that the model sees again."""
_STATE = (1, 1, 128)
"""Shape of h and of c."""
_MOST_FRAMES = 32
"""Frames, a second of sound, judged in one piece of work: other streams run between two pieces."""
_TIMEOUT_S = 30.0
"""Of loading and of each piece of work. A second of sound takes about a millisecond, a minute well
under a second."""
_JOIN_SILENCE_MS = 300
"""A pause shorter than this, between two words, does not end a span."""
_REINSTALL = "reinstall Lo-Bug's environment: delete .venv, then `make run`"


def _zero_state() -> NDArray[np.float32]:
    return np.zeros(_STATE, np.float32)


@dataclass(slots=True)
class _StreamState:
    """State of one stream."""

    h: NDArray[np.float32] = field(default_factory=_zero_state)
    c: NDArray[np.float32] = field(default_factory=_zero_state)
    context: Samples = field(default_factory=lambda: np.zeros(_CONTEXT, np.float32))
    """The last samples of the frame before."""
    rest: Samples = field(default_factory=lambda: np.zeros(0, np.float32))
    """Samples that do not fill a frame yet."""


class SileroStream:
    """VoiceStream by Silero. ``thread`` is shared by all streams."""

    def __init__(self, thread: WorkerThread) -> None:
        self._thread = thread
        self._state = _StreamState()

    async def feed(self, audio: Samples) -> Sequence[float]:
        """Return the voice probability of each frame that ``audio``, 16 kHz, completes.

        Raises EngineUnavailableError, EngineTimeoutError, EngineError. After a failure or a
        cancellation call ``reset``: a part of ``audio`` may have been judged.
        """
        state = self._state
        audio = np.concatenate([state.rest, audio])
        whole = len(audio) // VOICE_FRAME * VOICE_FRAME
        state.rest = audio[whole:].copy()
        found: list[float] = []
        for start in range(0, whole, _MOST_FRAMES * VOICE_FRAME):
            piece = audio[start : min(whole, start + _MOST_FRAMES * VOICE_FRAME)]
            found += await self._thread.run(partial(_judge, state, piece), _TIMEOUT_S)
        return found

    def reset(self) -> None:
        """Discard the stream so far."""
        self._state = _StreamState()


def load(abandoned: Abandoned) -> None:
    """Load and warm the model. Takes a second: run it in a thread. Raises ImportError, OSError,
    RuntimeError."""
    _judge(_StreamState(), np.zeros(VOICE_FRAME, np.float32), abandoned)


def _judge(state: _StreamState, audio: Samples, _: Abandoned) -> list[float]:
    """Return the voice probabilities of whole frames, and update ``state``."""
    # Imported here, on the worker thread: the import takes a second.
    from faster_whisper.vad import get_vad_model  # noqa: PLC0415

    session: Any = get_vad_model().session
    sound = np.concatenate([state.context, audio])
    frames = np.lib.stride_tricks.sliding_window_view(sound, _CONTEXT + VOICE_FRAME)[::VOICE_FRAME]
    probabilities, state.h, state.c = session.run(
        None, {"input": np.ascontiguousarray(frames), "h": state.h, "c": state.c}
    )
    state.context = sound[-_CONTEXT:]
    return [float(p) for p in probabilities.reshape(-1)]


class SileroGate(ThreadEngine[Literal[True]]):
    """SpeechGate by Silero. Unlike simpler gates it ignores noise, tones and chords.

    The library keeps the loaded model (2 MB), so ``_load`` returns nothing but success.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__("gate", _TIMEOUT_S)
        self._threshold = settings.stt.gate_threshold
        self._streams = WorkerThread("gate")
        """A second thread, so that live speech never waits behind a long recording."""

    async def start(self) -> None:
        """Load and warm the model. Raises ModelMissingError, EngineError."""
        self._streams.open()
        await super().start()

    async def close(self) -> None:
        await super().close()
        self._streams.close()

    def status(self) -> EngineStatus:
        fault = self._thread.fault or self._streams.fault
        return EngineStatus(
            name="silero",
            model="silero-vad-v6",
            ready=self._loaded is not None,
            degraded=fault is not None,
            reason=self._reason or fault,
        )

    async def find_speech(self, audio: Samples) -> Sequence[SpeechSpan]:
        """Find the spans of speech in 16 kHz audio, without padding around them."""
        return await self._thread.run(lambda _: self._find(audio), _TIMEOUT_S)

    def open_stream(self) -> VoiceStream:
        return SileroStream(self._streams)

    def _load(self, abandoned: Abandoned) -> Literal[True]:
        try:
            load(abandoned)
            self._find(np.zeros(STT_SAMPLE_RATE, np.float32))
        except (ImportError, OSError, RuntimeError) as fault:
            message = f"the speech gate cannot be loaded ({fault}); {_REINSTALL}"
            raise ModelMissingError("gate", message) from fault
        return True

    def _find(self, audio: Samples) -> list[SpeechSpan]:
        # Imported here, on the worker thread: the import takes a second.
        from faster_whisper.vad import VadOptions, get_speech_timestamps  # noqa: PLC0415

        if not len(audio):
            return []
        options = VadOptions(
            threshold=self._threshold,
            min_silence_duration_ms=_JOIN_SILENCE_MS,
            speech_pad_ms=0,  # callers judge the length of speech, so it must not be padded
        )
        found = get_speech_timestamps(audio, options, STT_SAMPLE_RATE)
        return [SpeechSpan(span["start"], min(span["end"], len(audio))) for span in found]
