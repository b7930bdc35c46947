"""Engines that are replicas of Ray's, behind Lo-Bug's own protocols."""

from __future__ import annotations

import asyncio
from typing import Any

from ray.exceptions import RayActorError, RayError
from ray.serve.exceptions import BackPressureError, RayServeException
from ray.serve.handle import DeploymentHandle

from lobug.engines.base import EngineStatus, Samples, Transcript
from lobug.engines.tts_hibari import SAMPLE_RATE
from lobug.errors import EngineBusyError, EngineUnavailableError
from lobug_ray.replicas import Fault, error_of

_ATTEMPTS = 2
"""How often a request is made whose replica dies of it or beside it. Neither hearing nor speaking
changes anything, so it may be made again; but one that kills its replica must not kill them all."""


class _RemoteEngine:
    def __init__(self, job: str, handle: DeploymentHandle) -> None:
        self._job = job
        self._handle = handle

    async def start(self) -> None:
        """Do nothing: Ray has started the replicas."""

    async def close(self) -> None:
        """Do nothing: Ray stops them."""

    def status(self) -> EngineStatus:
        """Always ready: only a request finds out."""
        return EngineStatus(name=_NAME, model="", ready=True, degraded=False, reason=None)

    async def _ask(self, method: str, *arguments: Any) -> Any:
        """What a replica answers. Raises EngineError."""
        for attempt in range(1, _ATTEMPTS + 1):
            response = getattr(self._handle, method).remote(*arguments)
            try:
                answer = await response
            except asyncio.CancelledError:
                response.cancel()
                raise
            except BackPressureError:
                raise EngineBusyError(self._job, "too many requests wait for a replica") from None
            except RayActorError:
                if attempt == _ATTEMPTS:
                    raise EngineUnavailableError(self._job, "its replicas die") from None
            except (RayError, RayServeException) as error:
                # Its text may hold what was asked.
                what = type(error).__name__
                raise EngineUnavailableError(self._job, f"Ray answers {what}") from None
            else:
                if isinstance(answer, Fault):
                    raise error_of(answer, self._job)
                return answer
        raise AssertionError("unreachable")


_NAME = "ray"


class RemoteHearing(_RemoteEngine):
    """``SpeechToText``."""

    def __init__(self, handle: DeploymentHandle) -> None:
        super().__init__("stt", handle)

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """As of ``SpeechToText``."""
        transcript: Transcript = await self._ask("transcribe", audio, language)
        return transcript


class RemoteVoice(_RemoteEngine):
    """``TextToSpeech`` and ``PacedVoice``."""

    sample_rate = SAMPLE_RATE

    def __init__(self, handle: DeploymentHandle) -> None:
        super().__init__("tts", handle)

    async def synthesize(self, sentence: str) -> Samples:
        """As of ``TextToSpeech``."""
        return await self.synthesize_at(sentence, 1.0)

    async def synthesize_at(self, sentence: str, speed: float) -> Samples:
        """As of ``PacedVoice``."""
        samples: Samples = await self._ask("synthesize_at", sentence, speed)
        return samples
