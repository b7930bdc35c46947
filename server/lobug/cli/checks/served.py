"""Checks of engines on other servers: Ollama and OpenAI-compatible ones."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from lobug.cli.checks.finding import Finding, fail, ok, warn
from lobug.engines.base import Engine
from lobug.errors import EngineError
from lobug.settings import Settings


@dataclass(frozen=True, slots=True)
class OllamaState:
    """Whether Ollama answers, and which of the wanted models it has."""

    answers: bool
    models: frozenset[str] = frozenset()
    """The wanted models that it has, as the settings name them."""


def probe_ollama(settings: Settings) -> OllamaState:
    """Ask Ollama, within ``ollama.probe_timeout_s``. Not to be called in an event loop."""
    from lobug.engines.ollama import OllamaProbe

    wanted = {settings.chat.ollama_model, settings.memory.embedding_model}

    async def ask() -> OllamaState:
        probe = OllamaProbe(settings.ollama)
        await probe.refresh()
        return OllamaState(probe.reachable, frozenset(filter(probe.has, wanted)))

    return asyncio.run(ask())


def check_ollama(settings: Settings) -> list[Finding]:
    """Check the Ollama server, if the settings use it. Not to be called in an event loop."""
    ollama = probe_ollama(settings)
    jobs = [
        (job, name)
        for job, engine, name in (
            ("chat", settings.chat.engine, settings.chat.ollama_model),
            ("embeddings", settings.embeddings.engine, settings.memory.embedding_model),
        )
        if engine in {"auto", "ollama"}
    ]
    must = "ollama" in {settings.chat.engine, settings.embeddings.engine}
    return judge_ollama(settings.ollama.host, ollama, jobs, must=must)


def judge_ollama(
    host: str, ollama: OllamaState, jobs: Sequence[tuple[str, str]], *, must: bool
) -> list[Finding]:
    """Judge Ollama. ``jobs``: pairs of job and model name; ``must``: no other engine may do them.
    Pure."""
    if not jobs:
        return [ok("ollama", "not used by these settings")]
    if not ollama.answers:
        message = f"nothing like Ollama answers at {host}"
        if must:
            advice = "Start it (`ollama serve`), correct LOBUG_OLLAMA__HOST, or use other engines."
            return [fail("ollama", message, advice)]
        return [ok("ollama", f"{message}; the embedded engines are used")]
    findings = [ok("ollama", f"{host} answers")]
    for job, name in jobs:
        if name in ollama.models:
            findings.append(ok(f"ollama {job}", name))
        else:
            level = fail if must else warn
            findings.append(
                level(
                    f"ollama {job}",
                    f"{name} is not there",
                    f"Run `ollama pull {name}`"
                    + ("." if must else "; until then the embedded engine is used."),
                )
            )
    return findings


def check_openai(settings: Settings) -> list[Finding]:
    """The OpenAI-compatible servers that the settings name."""
    from lobug.engines.openai import OpenAIChat, OpenAIEmbedder

    findings = []
    if settings.chat.engine == "openai":
        findings.append(asyncio.run(_try("openai chat", OpenAIChat(settings.chat))))
    if settings.embeddings.engine == "openai":
        findings.append(asyncio.run(_try("openai embeddings", OpenAIEmbedder(settings))))
    return findings


async def _try(name: str, engine: Engine) -> Finding:
    try:
        await engine.start()
    except EngineError as error:
        section = "CHAT" if name.endswith("chat") else "EMBEDDINGS"
        advice = f"Start that server, or correct LOBUG_{section}__OPENAI_BASE_URL and _MODEL."
        return fail(name, str(error), advice)
    finally:
        await engine.close()
    return ok(name, f"{engine.status().model} answers")
