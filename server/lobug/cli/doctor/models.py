"""Checks of the model files on disk."""

from __future__ import annotations

import shutil

from lobug.cli.doctor.engines import OllamaState, probe_ollama
from lobug.cli.terminal import open_console
from lobug.diagnosis.computer import (
    GB,
    existing_part,
    judge_room,
    unwritable,
)
from lobug.diagnosis.findings import Finding, fail, ok, warn
from lobug.diagnosis.sentences import sentence
from lobug.errors import ModelMissingError
from lobug.models import catalog, verify
from lobug.models.catalog import needed_models
from lobug.models.progress import BarReporter
from lobug.models.verify import ModelCheck
from lobug.settings import Settings


def lacking_models(settings: Settings) -> list[ModelCheck]:
    """The embedded models that the settings need and that are missing or of the wrong size.

    Raises ModelMissingError when the settings name an unknown model.
    """
    checks = [verify.check(settings.models_dir, name) for name in needed_models(settings)]
    return [check for check in checks if not check.ok]


def replaceable_by_ollama(settings: Settings) -> bool:
    """Whether Lo-Bug can think although the embedded chat model is missing."""
    name = settings.chat.ollama_model
    return settings.chat.engine == "auto" and name in probe_ollama(settings).models


def check_model_files(settings: Settings) -> list[Finding]:
    """Check the SHA-256 of every file of the needed models and of those that came with Lo-Bug.

    That takes about a second a gigabyte; a bar on standard error shows the progress. Not to be
    called in an event loop.
    """
    console = open_console(stderr=True)
    reporter = BarReporter(console) if console.is_terminal else None
    return examine_model_files(settings, probe_ollama(settings), reporter)


def examine_model_files(
    settings: Settings, ollama: OllamaState, reporter: BarReporter | None = None
) -> list[Finding]:
    """As ``check_model_files``; ``ollama`` says whether it could replace the chat model."""
    findings = []
    built_in = [model.name for model in catalog.CATALOG.values() if model.installed_with_program]
    for name in (*needed_models(settings), *built_in):
        try:
            check = _hashed(settings, name, reporter)
        except ModelMissingError as error:
            advice = sentence("doctor.model_unknown_advice")
            findings.append(fail(f"model {name}", str(error), advice))
            continue
        findings.append(_judge(settings, name, check, ollama))
    findings.append(_check_models_folder(settings))
    return findings


def _hashed(settings: Settings, name: str, reporter: BarReporter | None) -> ModelCheck:
    """Raises ModelMissingError when no model has that name."""
    if reporter is None:
        return verify.examine(settings.models_dir, name)
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        reporter.advance_to(done)

    reporter.begin(
        sentence("doctor.model_progress", name=name), catalog.get(name).size, 0, brief=True
    )
    try:
        return verify.examine(settings.models_dir, name, advance)
    finally:
        reporter.end()


def _judge(settings: Settings, name: str, check: ModelCheck, ollama: OllamaState) -> Finding:
    label = f"model {name}"
    if check.ok:
        return ok(label, sentence("doctor.model_ok", gb=check.model.size / GB))
    job = check.model.job.value
    spare = (
        job == "chat"
        and settings.chat.engine == "auto"
        and settings.chat.ollama_model in ollama.models
    ) or (job == "stt" and settings.stt.engine != "embedded")
    built_in = check.model.installed_with_program
    advice = sentence("doctor.reinstall" if built_in else "doctor.model_advice")
    return warn(label, check.message, advice) if spare else fail(label, check.message, advice)


def _check_models_folder(settings: Settings) -> Finding:
    folder = settings.models_dir
    wanted = 0
    for name in needed_models(settings):
        if name in catalog.CATALOG and not verify.check(folder, name).ok:
            model = catalog.get(name)
            # While a model is assembled, its download and its file are both on disk.
            wanted += model.size + model.download_size
    if wanted and (problem := unwritable(folder)):
        advice = sentence("doctor.folder_advice", setting="LOBUG_MODELS_DIR")
        return fail("models folder", problem, advice)
    free = shutil.disk_usage(existing_part(folder)).free
    return judge_room("models folder", folder, free, needed=wanted, wanted=wanted)
