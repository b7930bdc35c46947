"""Speech-to-text and text-to-speech on other machines: one server or several, and the embedded
engine that replaces them while none of them answers.
"""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Generic, TypeVar

import numpy as np

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
from lobug.engines.speech_server import (
    VOICE_RATE,
    RecognitionServer,
    SynthesisServer,
    WatchedRecognizer,
    WatchedSynthesizer,
    transcript_of,
)
from lobug.errors import EngineError, ModelDamagedError
from lobug.settings import SttSettings, TtsSettings

log = logging.getLogger(__name__)

ServerT = TypeVar("ServerT", bound=WatchedRecognizer | WatchedSynthesizer)
SpareT = TypeVar("SpareT", bound=Engine)
T = TypeVar("T")


class _Remote(Generic[ServerT, SpareT]):
    """Servers and the embedded engine that replaces them, if there is one."""

    def __init__(
        self,
        job: str,
        servers: Mapping[str, ServerT],
        spare: SpareT | None,
        settings: SttSettings | TtsSettings,
    ) -> None:
        several = len(servers) > 1
        self._spare = spare
        self._pool = ReplicaPool(
            job,
            servers,
            PoolLimits(
                max_requests=settings.max_requests,
                max_waiting=settings.max_waiting if several else None,
                wait_s=settings.answer_timeout_s if several else math.inf,
                hedge_s=settings.hedge_s,
                whole_s=settings.timeout_s if several else math.inf,
                rests=False,
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
        try:
            await self._pool.close()
        finally:
            if self._spare is not None:
                await self._spare.close()

    def status(self) -> EngineStatus:
        """Ready while anything can be used; degraded unless all servers are and can be replaced."""
        only = self._pool.engines[0] if len(self._pool.engines) == 1 else None
        found = only.status() if only is not None else self._pool.status()
        spare = self._spare.status() if self._spare is not None else None
        spare_ready = spare is not None and spare.ready
        # Without a replacement a server is asked whatever is known of it.
        in_use = "server" if spare is None or self._pool.any_well else "embedded"
        reason = found.reason
        if reason is not None and in_use == "embedded" and spare_ready:
            until = "it answers" if only is not None else "one of them answers"
            reason += f" The embedded engine is used until {until} again."
        elif reason is None and spare is not None and not spare_ready:
            what = only.where if only is not None else "the servers"
            reason = f"Nothing could replace {what}: {spare.reason}."
        return EngineStatus(
            name=found.name,
            model=found.model,
            ready=found.ready or spare_ready,
            degraded=reason is not None,
            reason=reason,
            details={**found.details, "in_use": in_use},
        )

    async def _result(
        self, ask: Callable[[ServerT], Awaitable[T]], ask_spare: Callable[[SpareT], Awaitable[T]]
    ) -> T:
        """The answer of a server, or of the embedded engine where none answers."""
        if self._spare is None:
            return await self._pool.result(ask)
        try:
            return await self._pool.result(ask, only_well=True)
        except EngineError:
            pass  # noted by the pool and its servers
        return await ask_spare(self._spare)

    @property
    def catalog_model(self) -> str | None:
        """The embedded engine's, as of ``CatalogModel``."""
        return self._spare.catalog_model if isinstance(self._spare, CatalogModel) else None

    async def withdraw(self, error: ModelDamagedError) -> None:
        """Stop the embedded engine, because its files are wrong; the servers are used on."""
        if isinstance(self._spare, CatalogModel):
            await self._spare.withdraw(error)


class RemoteSpeechToText(_Remote[WatchedRecognizer, SpeechToText]):
    """``SpeechToText`` on servers."""

    def __init__(
        self,
        servers: Mapping[str, RecognitionServer],
        spare: SpeechToText | None,
        settings: SttSettings,
    ) -> None:
        """``servers``: by address, at least one. ``spare``: the embedded engine; None: nothing
        replaces them."""
        watched = {url: WatchedRecognizer(one, settings) for url, one in servers.items()}
        super().__init__("stt", watched, spare, settings)

    async def transcribe(self, audio: Samples, language: str | None) -> Transcript:
        """Transcribe 16 kHz audio; ``language`` None: detect it."""
        if not audio.size:
            return transcript_of("", language, no_speech_prob=1.0)
        return await self._result(
            lambda server: server.transcribe(audio, language),
            lambda spare: spare.transcribe(audio, language),
        )

    def expect_names(self, names: Sequence[str]) -> None:
        """Let servers and embedded engine prefer these names (``KnowsNames``)."""
        for server in self._pool.engines:
            server.expect_names(names)
        spare: object = self._spare
        if isinstance(spare, KnowsNames):
            spare.expect_names(names)


class RemoteVoice(_Remote[WatchedSynthesizer, TextToSpeech]):
    """``TextToSpeech`` and ``StreamingVoice`` on servers."""

    sample_rate = VOICE_RATE

    def __init__(
        self,
        servers: Mapping[str, SynthesisServer],
        spare: TextToSpeech | None,
        settings: TtsSettings,
    ) -> None:
        """As of ``RemoteSpeechToText``. Raises ValueError when ``spare`` has another rate."""
        if spare is not None and spare.sample_rate != VOICE_RATE:
            raise ValueError(f"the embedded voice has {spare.sample_rate} Hz")
        watched = {url: WatchedSynthesizer(one, settings) for url, one in servers.items()}
        super().__init__("tts", watched, spare, settings)
        self._speed = settings.speed

    def set_speed(self, speed: float) -> None:
        """Speak ``speed`` times as fast as is normal, from the next sentence on; 0.5 to 2. A server
        with one speed speaks on as it did."""
        self._speed = speed
        spare: object = self._spare
        if isinstance(spare, AdjustableVoice):
            spare.set_speed(speed)

    @property
    def voices(self) -> Sequence[str]:
        """Names of the voices that all servers have which tell theirs; empty: none tells."""
        told = [server.voices for server in self._pool.engines if server.voices]
        return [name for name in told[0] if all(name in one for one in told)] if told else ()

    def set_voice(self, name: str) -> None:
        """Let the servers speak with the voice of this name, from the next sentence on; empty:
        their own choice. The embedded voice that replaces them stays the one that it is."""
        for server in self._pool.engines:
            server.set_voice(name)

    async def synthesize(self, sentence: str) -> Samples:
        """Speak one sentence. Empty audio when nothing in it can be spoken."""
        return await self._whole(sentence, 1.0)

    async def stream(self, sentence: str, speed: float) -> AsyncGenerator[Samples]:
        """Yield the speech of one sentence as it comes. Where a server fails in the middle of it
        the embedded voice begins the sentence anew, so that all of it is heard; without an embedded
        voice the error is raised."""
        if not _speakable(sentence):
            return
        rate = self._rate(speed)
        spoken = self._pool.pieces(
            lambda server: server.speak(sentence, rate), only_well=self._spare is not None
        )
        try:
            async with aclosing(spoken) as parts:
                async for part in parts:
                    yield part
        except EngineError:
            if self._spare is None:
                raise
        else:
            return
        yield await _at(self._spare, sentence, speed)

    async def _whole(self, sentence: str, speed: float) -> Samples:
        if not _speakable(sentence):
            return np.zeros(0, np.float32)
        rate = self._rate(speed)
        return await self._result(
            lambda server: server.whole(sentence, rate), lambda spare: _at(spare, sentence, speed)
        )

    def _rate(self, speed: float) -> float:
        return min(2.0, max(0.5, self._speed * speed))


class PacedRemoteVoice(RemoteVoice):
    """A ``RemoteVoice`` whose servers can also speak faster and slower (``PacedVoice``)."""

    async def synthesize_at(self, sentence: str, speed: float) -> Samples:
        """Speak one sentence ``speed`` times as fast; together with ``tts.speed`` 0.5 to 2."""
        return await self._whole(sentence, speed)


async def _at(voice: TextToSpeech, sentence: str, speed: float) -> Samples:
    """A sentence by the embedded voice, as fast as it can be asked to."""
    if speed != 1.0 and isinstance(voice, PacedVoice):
        return await voice.synthesize_at(sentence, speed)
    return await voice.synthesize(sentence)


def _speakable(sentence: str) -> bool:
    return any(character.isalnum() for character in sentence)
