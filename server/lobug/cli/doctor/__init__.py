"""``lobug doctor``: what works, what does not, and what to do about it.

Each module of this package checks one area.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Annotated

import typer

from lobug.cli.terminal import EXIT_FAILED, CommandError, open_console, print_json
from lobug.diagnosis.findings import Finding, fail, ok, warn
from lobug.diagnosis.sentences import sentence


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check everything that Lo-Bug needs; each problem comes with what to do about it.

    Exit code 1 if anything is marked `fail`.
    """
    findings = []
    for finding in examine():
        findings.append(finding)
        if not as_json:
            _show(finding)
    failed = sum(finding.level.value == "fail" for finding in findings)
    if as_json:
        document = {"ok": failed == 0, "findings": [finding.record() for finding in findings]}
        print_json(document)
    if failed:
        raise typer.Exit(EXIT_FAILED)


def examine() -> Iterator[Finding]:
    """Run every check in turn, and yield findings as they come. Never raises: a check that breaks
    is a finding like any other."""
    from lobug.cli.effective_settings import DOTENV, load_settings

    yield from _check("python", "diagnosis.computer", "check_python")
    try:
        loaded = load_settings()
    except CommandError as error:
        for problem in error.sentences:
            yield fail("settings", problem, sentence("doctor.settings_advice"))
        return
    origin = sentence("doctor.settings_from_environment")
    if DOTENV.is_file():
        origin = sentence("doctor.settings_from_file", path=DOTENV.absolute())
    yield ok("settings", sentence("doctor.settings_read", origin=origin))
    for problem in loaded.warnings:
        yield warn("settings", problem, sentence("doctor.unknown_setting_advice"))
    settings = loaded.settings
    yield from _check("memory", "diagnosis.computer", "check_memory", settings)
    yield from _check("port", "cli.doctor.network", "check_port", settings)
    yield from _check("https", "cli.doctor.https", "check_https", settings)
    yield from _check("wyoming", "cli.doctor.network", "check_wyoming", settings)
    yield from _check("data folder", "diagnosis.computer", "check_data_folder", settings)
    yield from _check("sqlite", "diagnosis.storage", "check_driver")
    if settings.database.url.get_secret_value():
        postgres = settings.database
        yield from _check("database", "diagnosis.postgres", "check_postgres", postgres)
        yield from _check("files", "diagnosis.storage", "check_files_left", settings)
    else:
        yield from _check("database", "diagnosis.storage", "check_database", settings)
        yield from _check("claims", "diagnosis.storage", "check_claims", settings)
        yield from _check("access", "diagnosis.storage", "check_access", settings)
    yield from _check("privacy", "diagnosis.storage", "check_privacy", settings)
    yield from _check("who may talk", "diagnosis.computer", "check_openness", settings)
    yield from _check("ollama", "cli.doctor.engines", "check_ollama", settings)
    yield from _check("openai", "cli.doctor.engines", "check_openai", settings)
    yield from _check("home assistant", "cli.doctor.home", "check_home", settings)
    yield from _check("summaries", "cli.doctor.engines", "check_summaries", settings)
    yield from _check("webhooks", "cli.doctor.webhooks", "check_webhooks", settings)
    yield from _check("models", "cli.doctor.models", "check_model_files", settings)
    yield from _check("context window", "diagnosis.context", "check_context", settings)
    yield from _check("embeddings", "cli.doctor.engines", "check_embeddings", settings)
    yield from _check("audio", "cli.doctor.engines", "check_audio", settings)


def _check(name: str, module: str, function: str, *arguments: object) -> Iterator[Finding]:
    """The findings of one function; ``module`` is a part of ``lobug``. Imported only here, so that
    a missing library breaks the checks that need it, and no other."""
    try:
        check = getattr(import_module(f"lobug.{module}"), function)
        found = check(*arguments)
        findings: list[Finding] = [found] if isinstance(found, Finding) else list(found)
    except Exception as error:  # noqa: BLE001 - doctor is run because something is broken
        what = sentence("doctor.check_failed", error=f"{type(error).__name__}: {error}")
        findings = [fail(name, what, sentence("doctor.reinstall"))]
    yield from findings


def _show(finding: Finding) -> None:
    from rich.text import Text

    colour = {"ok": "green", "warn": "yellow", "fail": "red"}[finding.level.value]
    line = Text.assemble(
        (f"{finding.level.value:<5}", colour), f"{finding.name:<26} ", finding.message
    )
    console = open_console(soft_wrap=True)
    console.print(line)
    if finding.advice:
        console.print(Text(f"{'':<5}{'':<26} → {finding.advice}", "bold"))
