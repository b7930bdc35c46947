"""The real speech engines, loaded once for all tests of a run."""

from __future__ import annotations

import asyncio
import functools

from lobug.engines.silero import SileroGate
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.engines.tts_hibari import HibariVoice
from lobug.settings import Settings

# An engine is bound to no event loop, so each test's own loop may use it. Call these from fixtures
# that are not coroutines: they run a loop of their own to start the engine.


@functools.cache
def settings() -> Settings:
    return Settings(_env_file=None)


@functools.cache
def whisper() -> WhisperSpeechToText:
    engine = WhisperSpeechToText(settings())
    asyncio.run(engine.start())
    return engine


@functools.cache
def gate() -> SileroGate:
    engine = SileroGate(settings())
    asyncio.run(engine.start())
    return engine


@functools.cache
def voice() -> HibariVoice:
    engine = HibariVoice(settings())
    asyncio.run(engine.start())
    return engine
