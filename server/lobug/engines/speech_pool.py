"""Speech-to-text and text-to-speech on several servers, and the embedded engine that replaces them
while none of them answers.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Generic, TypeVar

from lobug.engines.base import (
    AdjustableVoice,
    CatalogModel,
    Engine,
    EngineStatus,
    KnowsNames,
    PacedVoice,
    Samples,
    SpeechToText,
    TextToSpeech,
    Transcript,
)
from lobug.engines.places import PoolLimits
from lobug.engines.pool import ReplicaPool
from lobug.engines.remote_speech import (
    VOICE_RATE,
    PacedRemoteVoice,
    RemoteSpeechToText,
    RemoteVoice,
)
from lobug.errors import EngineError, ModelDamagedError
from lobug.settings import SttSettings, TtsSettings

log = logging.getLogger(__name__)

EngineT = TypeVar("EngineT", bound=Engine)
SpareT = TypeVar("SpareT", bound=Engine)
T = TypeVar("T")


class _Replaced(Generic[EngineT, SpareT]):
    """Several servers and the embedded engine that replaces them, if there is one."""

    def __init__(
        self,
        job: str,
        engines: Mapping[str, EngineT],
        spare: SpareT | None,
        settings: SttSettings | TtsSettings,
    ) -> None:
        self._spare = spare
        self._pool = ReplicaPool(
            job,
            engines,
            PoolLimits(
                max_requests=settings.max_requests,
                max_waiting=settings.max_waiting,
                wait_s=settings.answer_timeout_s,
                hedge_s=settings.hedge_s,
                whole_s=settings.timeout_s,
            ),
        )

    async def start(self) -> None:
        """Start everything. Raises EngineError when neither a server nor the embedded engine can be
        used; the servers are probed in the background all the same."""
        spare_error: EngineError | None = None
        if self._spare is not None:
            try:
                await self._spare.start()
            except EngineError as error:
                spare_error = error
                log.warning("%s", error)
        try:
            await self._pool.start()
        except EngineError as error:
            if self._spare is None or spare_error is not None:
                raise
            log.warning("%s", error)

    async def close(self) -> None:
        await self._pool.close()
        if self._spare is not None:
            await self._spare.close()

    @property
    def _asks_servers(self) -> bool:
        """Whether the next request goes to a server. Without a replacement all do."""
        return self._spare is None or self._pool.any_well

    def status(self) -> EngineStatus:
        """Ready while anything can be used; degraded unless all servers are and can be replaced."""
        found = self._pool.status()
        spare = self._spare.status() if self._spare is not None else None
        spare_ready = spare is not None and spare.ready
        in_use = "server" if self._asks_servers else "embedded"
        reason = found.reason
        if reason is not None and in_use == "embedded" and spare_ready:
            reason += " The embedded engine is used until one of them answers again."
        elif reason is None and spare is not None and not spare_ready:
            reason = f"Nothing could replace the servers: {spare.reason}."
        return EngineStatus(
            name=found.name,
            model=found.model,
            ready=found.ready or spare_ready,
            degraded=reason is not None,
            reason=reason,
            details={**found.details, "in_use": in_use},
        )

    async def _result(
        self, ask: Callable[[EngineT], Awaitable[T]], ask_spare: Callable[[SpareT], Awaitable[T]]
    ) -> T:
        """The answer of a server, or of the embedded engine where none answers."""
        if self._asks_servers:
            try:
                return await self._pool.result(ask)
            except EngineError:
                if self._spare is None:
                    raise
        assert self._spare is not None  # noqa: S101 - for the type checker
        return await ask_spare(self._spare)

    @property
    def catalog_model(self) -> str | None:
        """The embedded engine's, as of ``CatalogModel``."""
        return self._spare.catalog_model if isinstance(self._spare, CatalogModel) else None

    async def withdraw(self, error: ModelDamagedError) -> None:
        """Stop the embedded engine, because its files are wrong; the servers are used on."""
        if isinstance(self._spare, CatalogModel):
            await self._spare.withdraw(error)


class SpeechToTextPool(_Replaced[RemoteSpeechToText, SpeechToText]):
    """``SpeechToText`` on several servers."""

    def __init__(
        self,
        engines: Mapping[str, RemoteSpeechToText],
        spare: SpeechToText | None,
        settings: SttSettings,
    ) -> None:
        """``engines``: by address, without a replacement of their own. ``spare``: the embedded
        engine; None: nothing replaces them."""
        super().__init__("stt", engines, spare, settings)

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Transcribe 16 kHz audio; ``language`` None: detect it."""
        return await self._result(
            lambda engine: engine.transcribe(audio, language),
            lambda spare: spare.transcribe(audio, language),
        )

    def expect_names(self, names: Sequence[str]) -> None:
        """Let servers and embedded engine prefer these names (``KnowsNames``)."""
        for engine in self._pool.engines:
            engine.expect_names(names)
        spare: object = self._spare
        if isinstance(spare, KnowsNames):
            spare.expect_names(names)


VoiceT = TypeVar("VoiceT", bound=RemoteVoice)


class _VoicePool(_Replaced[VoiceT, TextToSpeech]):
    """What voices with one speed and with several have in common."""

    sample_rate = VOICE_RATE

    def __init__(
        self, engines: Mapping[str, VoiceT], spare: TextToSpeech | None, settings: TtsSettings
    ) -> None:
        """As of ``SpeechToTextPool``. Raises ValueError when ``spare`` has another rate."""
        if spare is not None and spare.sample_rate != VOICE_RATE:
            raise ValueError(f"the embedded voice has {spare.sample_rate} Hz")
        super().__init__("tts", engines, spare, settings)

    def set_speed(self, speed: float) -> None:
        """Speak ``speed`` times as fast as is normal, from the next sentence on; 0.5 to 2."""
        for engine in self._pool.engines:
            engine.set_speed(speed)
        spare: object = self._spare
        if isinstance(spare, AdjustableVoice):
            spare.set_speed(speed)

    @property
    def voices(self) -> Sequence[str]:
        """Names of the voices that all servers have which tell theirs; empty: none tells."""
        told = [engine.voices for engine in self._pool.engines if engine.voices]
        return [name for name in told[0] if all(name in one for one in told)] if told else ()

    def set_voice(self, name: str) -> None:
        """Let the servers speak with the voice of this name, from the next sentence on."""
        for engine in self._pool.engines:
            engine.set_voice(name)

    async def synthesize(self, sentence: str) -> Samples:
        """Speak one sentence. Empty audio when nothing in it can be spoken."""
        return await self._result(
            lambda engine: engine.synthesize(sentence), lambda spare: spare.synthesize(sentence)
        )

    async def stream(self, sentence: str, speed: float) -> AsyncGenerator[Samples]:
        """Yield the speech of one sentence as it comes. Where a server fails in the middle of it
        the embedded voice begins the sentence anew, so that all of it is heard; without an embedded
        voice the error is raised."""
        if self._asks_servers:
            spoken = self._pool.pieces(lambda engine: engine.stream(sentence, speed))
            try:
                async with aclosing(spoken) as parts:
                    async for part in parts:
                        yield part
            except EngineError:
                if self._spare is None:
                    raise
            else:
                return
        assert self._spare is not None  # noqa: S101 - for the type checker
        yield await _at(self._spare, sentence, speed)


class VoicePool(_VoicePool[RemoteVoice]):
    """``TextToSpeech`` and ``StreamingVoice`` on several servers."""


class PacedVoicePool(_VoicePool[PacedRemoteVoice]):
    """A ``VoicePool`` whose servers can also speak faster and slower (``PacedVoice``)."""

    async def synthesize_at(self, sentence: str, speed: float) -> Samples:
        """Speak one sentence ``speed`` times as fast; together with ``tts.speed`` 0.5 to 2."""
        return await self._result(
            lambda engine: engine.synthesize_at(sentence, speed),
            lambda spare: _at(spare, sentence, speed),
        )


async def _at(voice: TextToSpeech, sentence: str, speed: float) -> Samples:
    """A sentence by the embedded voice, as fast as it can be asked to."""
    if speed != 1.0 and isinstance(voice, PacedVoice):
        return await voice.synthesize_at(sentence, speed)
    return await voice.synthesize(sentence)
