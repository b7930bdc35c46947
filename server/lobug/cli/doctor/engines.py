"""Checks of the engines, embedded and on other servers: can they be loaded, do they answer?"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lobug.cli.terminal import CommandError
from lobug.diagnosis.findings import Finding, fail, ok, warn
from lobug.diagnosis.sentences import sentence
from lobug.engines.base import (
    SERVERS,
    STT_SAMPLE_RATE,
    Engine,
    Samples,
    SpeechGate,
    SpeechToText,
    TextToSpeech,
)
from lobug.engines.model_server import without_password
from lobug.errors import EngineError
from lobug.settings import Settings

LIBRARIES = ("av", "soxr", "ctranslate2", "faster_whisper", "hibari", "xllamacpp")
"""Native libraries that an installation may have broken: each is imported once."""

SUMMARY_FAULT = "summaries: "
"""Opens the sentence of `/health` about summaries."""

SENTENCE = "The weather is nice today."
"""The sentence that the voice says and speech-to-text should hear."""


def check_libraries(names: Sequence[str] = LIBRARIES) -> list[Finding]:
    """Whether the libraries of the embedded engines can be imported."""
    broken = []
    for name in names:
        try:
            importlib.import_module(name)
        except (ImportError, OSError) as error:
            broken.append(
                fail(
                    f"library {name}",
                    sentence("doctor.library_broken", error=error),
                    sentence("doctor.reinstall"),
                )
            )
    return broken or [ok("libraries", sentence("doctor.libraries", names=", ".join(names)))]


def check_audio(settings: Settings) -> list[Finding]:
    """Load voice, speech gate and speech-to-text, and let them transcribe what the voice says."""
    findings = check_libraries()
    if any(finding.advice for finding in findings):
        return findings
    # After the libraries are known to load: these modules import them.
    from lobug.engines.selection import choose_stt, choose_tts
    from lobug.engines.silero import SileroGate

    voice, _ = choose_tts(settings)
    ears, _ = choose_stt(settings)
    gate = SileroGate(settings)
    return findings + asyncio.run(try_audio(voice, gate, ears))


def check_embeddings(settings: Settings) -> list[Finding]:
    """Load the embedded embedding model, if the settings may need it, and use it once."""
    if settings.embeddings.engine not in {"auto", "embedded"}:
        return []
    from lobug.engines.embed_embedded import EmbeddedEmbedder

    async def embed() -> Finding:
        engine = EmbeddedEmbedder(settings.embeddings)
        finding = await _try_embedded("embeddings", engine)
        try:
            await engine.embed([SENTENCE])
        except EngineError as error:
            finding = fail("embeddings", str(error), sentence("doctor.reinstall"))
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
            findings.append(await _try_embedded(name, engine))
            findings += [
                _judge_server(name, one) for one in engine.status().details.get(SERVERS, ())
            ]
        if all(engine.status().ready for engine in engines.values()):
            findings.append(await _round_trip(voice, gate, ears))
    finally:
        for engine in engines.values():
            await engine.close()
    return findings


async def _try_embedded(name: str, engine: Engine) -> Finding:
    try:
        await engine.start()
    except EngineError as error:
        advice = engine.status().reason or sentence("doctor.engine_advice")
        if name == "voice":
            return warn(name, sentence("doctor.no_voice", error=error), advice)
        return fail(name, str(error), advice)
    status = engine.status()
    label = f"{status.name} {status.model}" if status.model else status.name
    if status.degraded or not status.ready:
        reason = status.reason or sentence("doctor.engine_not_ready")
        message = sentence("doctor.engine_degraded", engine=label, reason=reason)
        return warn(name, message, sentence("doctor.engine_degraded_advice"))
    return ok(name, label)


def _judge_server(name: str, server: Mapping[str, Any]) -> Finding:
    """Judge one of several servers, as ``ReplicaPool.status`` describes it. Pure."""
    if server["ready"]:
        return ok(name, sentence("doctor.answers", name=server["server"]))
    reason = server["reason"] or sentence("doctor.engine_not_ready")
    return warn(name, reason, sentence("doctor.server_away_advice"))


async def _round_trip(voice: TextToSpeech, gate: SpeechGate, ears: SpeechToText) -> Finding:
    from lobug.audio.resample import resample  # a library that may be broken

    name, reinstall = "hearing itself", sentence("doctor.reinstall")
    try:
        spoken = await voice.synthesize(SENTENCE)
        audio: Samples = resample(spoken, voice.sample_rate, STT_SAMPLE_RATE)
        if not await gate.find_speech(audio):
            return warn(name, sentence("doctor.gate_deaf", words=repr(SENTENCE)), reinstall)
        heard = (await ears.transcribe(audio, "en")).text.strip()
    except EngineError as error:
        return fail(name, str(error), reinstall)
    if not heard:
        return warn(name, sentence("doctor.nothing_heard", words=repr(SENTENCE)), reinstall)
    return ok(name, sentence("doctor.heard", words=repr(SENTENCE), heard=repr(heard)))


@dataclass(frozen=True, slots=True)
class OllamaState:
    """Whether an Ollama server answers, and which of the wanted models it has."""

    answers: bool
    models: frozenset[str] = frozenset()
    """The wanted models that it has, as the settings name them."""


def probe_ollama(settings: Settings) -> OllamaState:
    """Ask every Ollama server, and return what they have together. Not to be called in an event
    loop."""
    states = probe_each_ollama(settings).values()
    models = frozenset[str]().union(*(state.models for state in states))
    return OllamaState(any(state.answers for state in states), models)


def probe_each_ollama(settings: Settings) -> dict[str, OllamaState]:
    """Ask every Ollama server, within ``ollama.probe_timeout_s``; by host. Not to be called in an
    event loop."""
    from lobug.engines.ollama import OllamaProbes

    wanted = {settings.chat.ollama_model, settings.memory.embedding_model}
    if settings.consolidation_provider == "ollama" and settings.memory.consolidation_model:
        wanted.add(settings.memory.consolidation_model)

    async def ask() -> dict[str, OllamaState]:
        probes = OllamaProbes(settings.ollama)
        await probes.refresh()
        return {
            host: OllamaState(probe.reachable, frozenset(filter(probe.has, wanted)))
            for host, probe in probes.by_host.items()
        }

    return asyncio.run(ask())


def check_ollama(settings: Settings) -> list[Finding]:
    """Check each Ollama server, if the settings use it. Not to be called in an event loop."""
    jobs = [
        (job, name)
        for job, engine, name in (
            ("chat", settings.chat.engine, settings.chat.ollama_model),
            ("embeddings", settings.embeddings.engine, settings.memory.embedding_model),
        )
        if engine in {"auto", "ollama"}
    ]
    if settings.consolidation_provider == "ollama":
        model = settings.memory.consolidation_model or settings.chat.ollama_model
        jobs.append(("consolidation", model))
    must = "ollama" in {settings.chat.engine, settings.embeddings.engine}
    if not jobs:
        return judge_ollama(settings.ollama.host, OllamaState(answers=False), jobs, must=must)
    return [
        finding
        for host, state in probe_each_ollama(settings).items()
        for finding in judge_ollama(host, state, jobs, must=must)
    ]


def judge_ollama(
    host: str, ollama: OllamaState, jobs: Sequence[tuple[str, str]], *, must: bool
) -> list[Finding]:
    """Judge Ollama. ``jobs``: pairs of job and model name; ``must``: no other engine may do them.
    Pure."""
    if not jobs:
        return [ok("ollama", sentence("doctor.ollama_unused"))]
    if not ollama.answers:
        if must:
            message = sentence("doctor.ollama_silent", host=host)
            return [fail("ollama", message, sentence("doctor.ollama_silent_advice"))]
        return [ok("ollama", sentence("doctor.ollama_silent_embedded", host=host))]
    findings = [ok("ollama", sentence("doctor.answers", name=host))]
    for job, name in jobs:
        if name in ollama.models:
            findings.append(ok(f"ollama {job}", name))
        else:
            level = fail if must else warn
            advice = "doctor.ollama_model_advice" if must else "doctor.ollama_model_spare_advice"
            message = sentence("doctor.ollama_model_missing", name=name)
            findings.append(level(f"ollama {job}", message, sentence(advice, name=name)))
    return findings


def check_openai(settings: Settings) -> list[Finding]:
    """The OpenAI-compatible servers that the settings name."""
    from lobug.engines.openai import OpenAIChat, OpenAIEmbedder
    from lobug.engines.selection import each_address

    findings = []
    if settings.chat.engine == "openai":
        for chat in each_address(settings.chat, "openai_base_url").values():
            where = chat.openai_base_url
            findings.append(asyncio.run(_try_openai("openai chat", OpenAIChat(chat), where)))
    if settings.embeddings.engine == "openai":
        for one in each_address(settings.embeddings, "openai_base_url").values():
            embedder = OpenAIEmbedder(settings.model_copy(update={"embeddings": one}))
            where = one.openai_base_url
            findings.append(asyncio.run(_try_openai("openai embeddings", embedder, where)))
    return findings


def check_summaries(settings: Settings) -> Finding:
    """Who writes summaries, and whether the running server, if there is one, lets the model."""
    name, memory = "summaries", settings.memory
    if not memory.enable_summarization:
        return ok(name, sentence("doctor.summaries_off"))
    if not memory.generates_summaries:
        return ok(name, sentence("doctor.summaries_copied"))
    fault = summary_fault()
    if fault:
        return warn(name, fault, sentence("doctor.summaries_advice"))
    return ok(name, sentence("doctor.summaries_generated"))


def summary_fault() -> str:
    """Why the running server copies sentences instead of generating summaries; empty: it generates
    them, or none runs."""
    import httpx

    from lobug.cli.connection import server_address, token_header

    try:
        url = server_address(None).url
        health = httpx.get(f"{url}/health", headers=token_header(url), timeout=2.0, trust_env=False)
        degraded = health.json().get("degraded", [])
    except (CommandError, httpx.HTTPError, ValueError):
        return ""
    found = (str(one) for one in degraded if str(one).startswith(SUMMARY_FAULT))
    return next(found, "").removeprefix(SUMMARY_FAULT)


async def _try_openai(name: str, engine: Engine, url: str) -> Finding:
    try:
        await engine.start()
    except EngineError as error:
        section = "CHAT" if name.endswith("chat") else "EMBEDDINGS"
        return fail(name, str(error), sentence("doctor.openai_advice", section=section))
    finally:
        await engine.close()
    model = sentence("doctor.model_at", model=engine.status().model, url=without_password(url))
    return ok(name, sentence("doctor.answers", name=model))
