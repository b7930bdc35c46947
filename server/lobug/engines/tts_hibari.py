"""The embedded voice: hibari, English, 24 kHz, from the files of its package alone."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np

from lobug.engines.base import EngineStatus, Samples
from lobug.engines.worker_thread import Abandoned, ThreadEngine
from lobug.errors import ModelMissingError
from lobug.settings import Settings

VOICE = "heart"
"""The voice inside the package; the library would download any other."""

SAMPLE_RATE = 24_000
_LOAD_TIMEOUT_S = 60.0
_SEED = 0
"""The model's breath is random noise; with a fixed seed a sentence always sounds the same."""

_LONGEST_PART = 200
"""Most characters synthesized at once, 12 s of speech. Memory grows with the square of the length:
10 000 characters without a full stop took 5 GB and 37 s."""

_CLAUSE_END = re.compile(r"(?<=[.,;:!?…\u2014])\s+")
_REINSTALL = "reinstall Lo-Bug's environment: delete .venv, then `make run`"


def voice_file() -> Path | None:
    """The voice's model file; None when the package is not installed or incomplete."""
    package = importlib.util.find_spec("hibari")
    if package is None or package.origin is None:
        return None
    path = Path(package.origin).parent / "assets" / "hibari.onnx"
    return path if path.is_file() else None


class HibariVoice(ThreadEngine[Any]):
    """TextToSpeech by hibari."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("tts", _LOAD_TIMEOUT_S)
        self._settings = settings.tts
        self._speed = settings.tts.speed

    @property
    def sample_rate(self) -> int:
        return SAMPLE_RATE

    def status(self) -> EngineStatus:
        """The state as last known; degraded when replies have no sound."""
        return EngineStatus(
            name="hibari",
            model=VOICE,
            ready=self._loaded is not None,
            degraded=self._loaded is None or self._thread.fault is not None,
            reason=self._reason or self._thread.fault,
            details={"sample_rate": SAMPLE_RATE, "speed": self._speed},
        )

    def set_speed(self, speed: float) -> None:
        """Speak ``speed`` times as fast as is normal, from the next sentence on; 0.5 to 2."""
        self._speed = speed

    async def synthesize(self, sentence: str) -> Samples:
        """Speak one sentence, 24 kHz. Empty audio when it has no English words."""
        return await self.synthesize_at(sentence, 1.0)

    async def synthesize_at(self, sentence: str, speed: float) -> Samples:
        """Speak one sentence ``speed`` times as fast; together with ``tts.speed`` 0.5 to 2."""
        voice = self._loaded
        rate = min(2.0, max(0.5, self._speed * speed))
        return await self._thread.run(
            lambda abandoned: self._speak(voice, sentence, rate, abandoned),
            self._settings.timeout_s,
        )

    def _load(self, abandoned: Abandoned) -> Any:
        path = voice_file()
        if path is None:
            raise ModelMissingError("tts", f"the voice is not installed; {_REINSTALL}")
        try:
            # Imported here, on the worker thread: the import takes half a second.
            from hibari import Hibari  # noqa: PLC0415

            voice = Hibari(voice=VOICE, model=str(path), threads=1)
            voice("Hello.", seed=_SEED)
        except Exception as fault:  # onnxruntime raises bare classes of its own
            message = f"the voice cannot be loaded ({fault}); {_REINSTALL}"
            raise ModelMissingError("tts", message) from fault
        return voice

    def _speak(self, voice: Any, sentence: str, rate: float, abandoned: Abandoned) -> Samples:
        if voice is None:
            raise ModelMissingError("tts", "the voice is not loaded")
        spoken: list[Samples] = [np.zeros(0, np.float32)]
        for part in parts(sentence):
            if abandoned.is_set():
                break
            spoken.append(voice(part, speed=rate, seed=_SEED))
        return np.clip(np.concatenate(spoken), -1.0, 1.0)


def parts(text: str) -> list[str]:
    """Cut a text into parts of at most 200 characters, between clauses or else between words."""
    found: list[str] = []
    part = ""
    for clause in _CLAUSE_END.split(text.strip()):
        for fitting in _fitting(clause):
            if part and len(part) + 1 + len(fitting) > _LONGEST_PART:
                found.append(part)
                part = fitting
            else:
                part = f"{part} {fitting}" if part else fitting
    return [*found, part] if part else found


def _fitting(clause: str) -> list[str]:
    """Return the clause, or its words if it is too long; a word that is too long is cut."""
    if len(clause) <= _LONGEST_PART:
        return [clause]
    return [
        word[at : at + _LONGEST_PART]
        for word in clause.split()
        for at in range(0, len(word), _LONGEST_PART)
    ]
