"""``lobug doctor``: what works, what does not, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from lobug.cli.faults import EXIT_FAILED, CommandError

if TYPE_CHECKING:
    from lobug.cli.checks.finding import Finding


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look at everything that Lo-Bug needs; each line says what to do.

    Exit code 1 when anything is marked `fail`.
    """
    findings = []
    for finding in examine():
        findings.append(finding)
        if not as_json:
            _show(finding)
    failed = sum(finding.level.value == "fail" for finding in findings)
    if as_json:
        document = {"ok": failed == 0, "findings": [finding.record() for finding in findings]}
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
    if failed:
        raise typer.Exit(EXIT_FAILED)


def examine() -> Iterator[Finding]:
    """Run every check in turn, and yield findings as they come. Never raises: a check that breaks
    is a finding like any other."""
    from lobug.cli.checks.finding import fail, ok, warn
    from lobug.cli.load import DOTENV, load_settings

    yield from _look("python", "machine", "check_python")
    try:
        loaded = load_settings()
    except CommandError as error:
        for sentence in error.sentences:
            yield fail(
                "settings", sentence, "Correct it; docs/configuration.md lists all settings."
            )
        return
    origin = f"{DOTENV.absolute()} and the environment" if DOTENV.is_file() else "the environment"
    yield ok("settings", f"read from {origin}; `lobug config` shows them")
    for sentence in loaded.warnings:
        yield warn("settings", sentence, "Correct the name or remove it.")
    settings = loaded.settings
    yield from _look("memory", "machine", "check_memory", settings)
    yield from _look("port", "machine", "check_port", settings)
    yield from _look("data folder", "machine", "check_data_folder", settings)
    yield from _look("sqlite", "storage", "check_driver")
    yield from _look("database", "storage", "check_database", settings)
    yield from _look("access", "storage", "check_access", settings)
    yield from _look("privacy", "storage", "check_privacy", settings)
    yield from _look("who may talk", "configuration", "check_openness", settings)
    yield from _look("ollama", "served", "check_ollama", settings)
    yield from _look("openai", "served", "check_openai", settings)
    yield from _look("models", "models", "check_model_files", settings)
    yield from _look("context window", "configuration", "check_context", settings)
    yield from _look("embeddings", "engines", "check_embeddings", settings)
    yield from _look("audio", "engines", "check_audio", settings)


def _look(name: str, module: str, function: str, *arguments: object) -> Iterator[Finding]:
    """The findings of one function of ``lobug.cli.checks``. Imported only here, so that a missing
    library breaks the checks that need it, and no other."""
    from lobug.cli.checks.finding import Finding, fail

    try:
        check = getattr(import_module(f"lobug.cli.checks.{module}"), function)
        found = check(*arguments)
        findings: list[Finding] = [found] if isinstance(found, Finding) else list(found)
    except Exception as error:  # noqa: BLE001 - doctor is run because something is broken
        what = f"this could not be looked at ({type(error).__name__}: {error})"
        findings = [fail(name, what, "Reinstall: delete .venv, then `make run`.")]
    yield from findings


def _show(finding: Finding) -> None:
    from rich.console import Console
    from rich.text import Text

    colour = {"ok": "green", "warn": "yellow", "fail": "red"}[finding.level.value]
    line = Text.assemble(
        (f"{finding.level.value:<5}", colour), f"{finding.name:<26} ", finding.message
    )
    console = Console(highlight=False, soft_wrap=True)
    console.print(line)
    if finding.advice:
        console.print(Text(f"{'':<5}{'':<26} → {finding.advice}", "bold"))
