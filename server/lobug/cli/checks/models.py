"""Model files, and the Ollama server that may stand in for one of them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass

import httpx

from lobug.cli.checks.finding import Finding, fail, ok, warn
from lobug.cli.checks.machine import GB, existing_part, judge_room, unwritable
from lobug.errors import ModelMissingError
from lobug.models import catalog, verify
from lobug.models.needed import needed_models
from lobug.models.verify import ModelCheck
from lobug.settings import Settings


@dataclass(frozen=True, slots=True)
class OllamaState:
    """What an Ollama server says of itself."""

    models: tuple[str, ...] = ()
    failure: str | None = None
    """Why it could not be asked; None: it answers."""

    def has(self, name: str) -> bool:
        """Whether it has the model; a name without a tag means ``latest``."""
        return (name if ":" in name else f"{name}:latest") in self.models or name in self.models


def probe_ollama(settings: Settings) -> OllamaState:
    """Ask the server for its models, within ``ollama.probe_timeout_s``."""
    url = settings.ollama.host.rstrip("/")
    if "://" not in url:
        url = f"http://{url}"
    try:
        answer = httpx.get(f"{url}/api/tags", timeout=settings.ollama.probe_timeout_s)
        answer.raise_for_status()
        names = tuple(str(model["name"]) for model in answer.json()["models"])
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return OllamaState(failure=str(error) or type(error).__name__)
    except (ValueError, KeyError, TypeError):
        return OllamaState(failure="what answers there is not Ollama")
    return OllamaState(models=names)


def lacking_models(settings: Settings) -> list[ModelCheck]:
    """The embedded models that the settings need and that are missing or of the wrong size.

    Raises ModelMissingError when the settings name a model that there is not.
    """
    checks = [verify.check(settings.models_dir, name) for name in needed_models(settings)]
    return [check for check in checks if not check.ok]


def replaceable_by_ollama(settings: Settings) -> bool:
    """Whether Lo-Bug can think although the embedded chat model is missing."""
    return settings.chat.engine == "auto" and probe_ollama(settings).has(settings.chat.ollama_model)


def check_model_files(settings: Settings, ollama: OllamaState) -> list[Finding]:
    """Each embedded model that the settings need, by presence and size."""
    findings = []
    for name in needed_models(settings):
        try:
            check = verify.check(settings.models_dir, name)
        except ModelMissingError as error:
            advice = "Choose one of `lobug models list`."
            findings.append(fail(f"model {name}", str(error), advice))
            continue
        findings.append(_judge(settings, name, check, ollama))
    findings.append(_check_models_folder(settings))
    return findings


def _judge(settings: Settings, name: str, check: ModelCheck, ollama: OllamaState) -> Finding:
    label = f"model {name}"
    if check.ok:
        size = f"{check.model.size / GB:.2f} GB"
        state = "verified" if check.verified else "there; `lobug models verify` checks every byte"
        return ok(label, f"{size}, {state}")
    spare = (
        check.model.job.value == "chat"
        and settings.chat.engine == "auto"
        and ollama.has(settings.chat.ollama_model)
    )
    advice = "Run `lobug models pull`."
    return warn(label, check.message, advice) if spare else fail(label, check.message, advice)


def _check_models_folder(settings: Settings) -> Finding:
    folder = settings.models_dir
    wanted = 0
    for name in needed_models(settings):
        if name in catalog.CATALOG and not verify.check(folder, name).ok:
            model = catalog.get(name)
            # While it is put together, what was downloaded and the file lie side by side.
            wanted += model.size + model.download_size
    if wanted and (problem := unwritable(folder)):
        advice = "Give it to the user who runs Lo-Bug, or set LOBUG_MODELS_DIR to another folder."
        return fail("models folder", problem, advice)
    free = shutil.disk_usage(existing_part(folder)).free
    return judge_room("models folder", folder, free, needed=wanted, wanted=wanted)


def check_ollama(settings: Settings, ollama: OllamaState) -> list[Finding]:
    """The Ollama server, as far as the settings want it."""
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
    """``jobs`` are pairs of job and model name; ``must``: nothing else may do them. Pure."""
    if not jobs:
        return [ok("ollama", "not used by these settings")]
    if ollama.failure is not None:
        message = f"{host} does not answer ({ollama.failure})"
        if must:
            advice = "Start it (`ollama serve`), correct LOBUG_OLLAMA__HOST, or use other engines."
            return [fail("ollama", message, advice)]
        return [ok("ollama", f"{message}; the embedded engines are used")]
    findings = [ok("ollama", f"{host} answers, {len(ollama.models)} models")]
    for job, name in jobs:
        if ollama.has(name):
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
