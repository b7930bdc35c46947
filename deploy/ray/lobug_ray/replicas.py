"""The replicas: one engine of Lo-Bug's own in each process. Knows no Ray."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from lobug.engines.base import Engine, Samples, Transcript
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.engines.tts_hibari import HibariVoice
from lobug.errors import EngineError, ModelDamagedError
from lobug.models import catalog, verify
from lobug.models.catalog import Job
from lobug.settings import Settings
from lobug_ray.configuration import SpeechConfig

T = TypeVar("T")
EngineT = TypeVar("EngineT", bound=Engine)

_VOICE = "hibari"
"""The voice's name in the catalog."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An EngineError on its way to the door. Ray would send the exception with its traceback, as a
    class of its own making."""

    code: str
    message: str


def fault_of(error: EngineError) -> Fault:
    """What is sent for an error."""
    return Fault(error.code, str(error).removeprefix(f"{error.engine}: "))


def error_of(fault: Fault, job: str) -> EngineError:
    """The error that was sent. Pure."""
    return _CLASSES.get(fault.code, EngineError)(job, fault.message)


def _descendants(kind: type[EngineError]) -> list[type[EngineError]]:
    return [kind, *(one for child in kind.__subclasses__() for one in _descendants(child))]


_CLASSES = {kind.code: kind for kind in _descendants(EngineError)}


class _Replica(Generic[EngineT]):
    """An engine, loaded from files whose SHA-256 is that of the catalog."""

    def __init__(self, engine: EngineT, settings: Settings, model: str, job: Job) -> None:
        """Return when it can be asked. Raises EngineError: Ray tries again, and says why."""
        self._engine = engine
        verify_model(settings, model, job)
        # Ray calls this on a running event loop; an engine belongs to none.
        with ThreadPoolExecutor(1) as starting:
            starting.submit(lambda: asyncio.run(engine.start())).result()

    async def check_health(self) -> None:
        """Raise what is wrong; Ray then replaces this process."""
        status = self._engine.status()
        if not status.ready or status.degraded:
            raise RuntimeError(status.reason or "the engine is not ready")

    async def _answer(self, work: Awaitable[T]) -> T | Fault:
        try:
            return await work
        except EngineError as error:
            return fault_of(error)


def verify_model(settings: Settings, name: str, job: Job) -> None:
    """Hash a model's files. Raises ModelDamagedError, ModelMissingError (also for a model with
    another job); nothing is downloaded."""
    model = catalog.get(name, job)
    found = verify.check(settings.models_dir, model.name, deep=True)
    if not found.ok:
        raise ModelDamagedError(job.value, found.message)


def verify_models(config: SpeechConfig) -> None:
    """``verify_model`` for all that a configuration needs."""
    settings = config.settings()
    verify_model(settings, config.hearing.model, Job.STT)
    verify_model(settings, _VOICE, Job.TTS)


class Hearing(_Replica[WhisperSpeechToText]):
    """``SpeechToText``."""

    def __init__(self, config: SpeechConfig) -> None:
        settings = config.settings()
        model = config.hearing.model
        super().__init__(WhisperSpeechToText(settings), settings, model, Job.STT)

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript | Fault:
        """As of ``SpeechToText``."""
        return await self._answer(self._engine.transcribe(audio, language))


class Voice(_Replica[HibariVoice]):
    """``PacedVoice``."""

    def __init__(self, config: SpeechConfig) -> None:
        settings = config.settings()
        super().__init__(HibariVoice(settings), settings, _VOICE, Job.TTS)

    async def synthesize_at(self, sentence: str, speed: float) -> Samples | Fault:
        """As of ``PacedVoice``."""
        return await self._answer(self._engine.synthesize_at(sentence, speed))
