"""The speech gate: Silero VAD v6, as it comes inside faster-whisper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lobug.engines.base import STT_SAMPLE_RATE, EngineStatus, Samples, SpeechSpan, VoiceStream
from lobug.engines.voice_stream import SileroStream, load
from lobug.engines.worker_thread import Abandoned, WorkerThread
from lobug.errors import EngineError, ModelMissingError
from lobug.settings import Settings

_REINSTALL = "reinstall Lo-Bug's environment: delete .venv, then `make run`"
_TIMEOUT_S = 30.0
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
