"""Checks of the engines in this process: can they be loaded, and do they work together?"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence

from lobug.audio.resample import resample
from lobug.cli.checks.finding import Finding, fail, ok, warn
from lobug.engines.base import (
    STT_SAMPLE_RATE,
    Engine,
    Samples,
    SpeechGate,
    SpeechToText,
    TextToSpeech,
)
from lobug.errors import EngineError
from lobug.settings import Settings

REINSTALL = "Reinstall: delete .venv, then `make run`."

LIBRARIES = ("av", "soxr", "ctranslate2", "faster_whisper", "hibari", "xllamacpp")
"""Native libraries that an installation may have broken: each is imported once."""

SENTENCE = "The weather is nice today."
"""The sentence that the voice says and speech-to-text should hear."""


def check_libraries(names: Sequence[str] = LIBRARIES) -> list[Finding]:
    """Whether the libraries of the embedded engines can be imported."""
    broken = []
    for name in names:
        try:
            importlib.import_module(name)
        except (ImportError, OSError) as error:
            broken.append(fail(f"library {name}", f"cannot be loaded: {error}", REINSTALL))
    return broken or [ok("libraries", f"{', '.join(names)} load")]


def check_audio(settings: Settings) -> list[Finding]:
    """Load voice, speech gate and speech-to-text, and let them transcribe what the voice says."""
    findings = check_libraries()
    if any(finding.advice for finding in findings):
        return findings
    # After the libraries are known to load: these modules import them.
    from lobug.engines.selection import choose_tts
    from lobug.engines.silero import SileroGate
    from lobug.engines.stt_whisper import WhisperSpeechToText

    voice, _why = choose_tts(settings)
    gate, ears = SileroGate(settings), WhisperSpeechToText(settings)
    return findings + asyncio.run(try_audio(voice, gate, ears))


def check_embeddings(settings: Settings) -> list[Finding]:
    """Load the embedded embedding model, if the settings may need it, and use it once."""
    if settings.embeddings.engine not in {"auto", "embedded"}:
        return []
    from lobug.engines.embed_embedded import EmbeddedEmbedder

    async def embed() -> Finding:
        engine = EmbeddedEmbedder(settings.embeddings)
        finding = await _try("embeddings", engine)
        try:
            await engine.embed([SENTENCE])
        except EngineError as error:
            finding = fail("embeddings", str(error), REINSTALL)
        finally:
            await engine.close()
        return finding

    return [asyncio.run(embed())]


async def try_audio(voice: TextToSpeech, gate: SpeechGate, ears: SpeechToText) -> list[Finding]:
    """Start each engine; if all are ready, speak a sentence and transcribe it."""
    engines: dict[str, Engine] = {"voice": voice, "speech gate": gate, "speech-to-text": ears}
    findings = []
    try:
        for name, engine in engines.items():
            findings.append(await _try(name, engine))
        if all(engine.status().ready for engine in engines.values()):
            findings.append(await _round_trip(voice, gate, ears))
    finally:
        for engine in engines.values():
            await engine.close()
    return findings


async def _try(name: str, engine: Engine) -> Finding:
    try:
        await engine.start()
    except EngineError as error:
        advice = engine.status().reason or "Run `lobug models pull`, then `lobug doctor` again."
        if name == "voice":
            return warn(name, f"{error}; replies are text only", advice)
        return fail(name, str(error), advice)
    status = engine.status()
    label = f"{status.name} {status.model}" if status.model else status.name
    if status.degraded or not status.ready:
        return warn(name, f"{label}: {status.reason or 'not ready'}", "See docs/configuration.md.")
    return ok(name, label)


async def _round_trip(voice: TextToSpeech, gate: SpeechGate, ears: SpeechToText) -> Finding:
    name = "hearing itself"
    try:
        spoken = await voice.synthesize(SENTENCE)
        audio: Samples = resample(spoken, voice.sample_rate, STT_SAMPLE_RATE)
        if not await gate.find_speech(audio):
            return warn(name, f"the speech gate hears nothing in {SENTENCE!r}", REINSTALL)
        heard = (await ears.transcribe(audio, "en")).text.strip()
    except EngineError as error:
        return fail(name, str(error), REINSTALL)
    if not heard:
        return warn(name, f"nothing was understood of {SENTENCE!r}", REINSTALL)
    return ok(name, f"said {SENTENCE!r}, heard {heard!r}")
