"""``lobug doctor``: what works, what does not, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Iterator
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
    """Every check, one after the other, so that each shows as soon as it is done."""
    from lobug.cli.checks import (
        conversation,
        engines,
        machine,
        models,
        openness,
        served,
        storage,
    )
    from lobug.cli.checks.finding import fail, ok, warn
    from lobug.cli.load import DOTENV, load_settings

    yield machine.check_python()
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
    yield machine.check_memory(settings)
    yield machine.check_port(settings)
    yield machine.check_data_folder(settings)
    yield storage.check_driver()
    yield storage.check_database(settings)
    yield storage.check_access(settings)
    yield storage.check_privacy(settings)
    yield from openness.check_openness(settings)
    ollama = served.probe_ollama(settings)
    yield from served.check_ollama(settings, ollama)
    yield from served.check_openai(settings)
    yield from models.check_model_files(settings, ollama)
    yield conversation.check_context(settings)
    yield from engines.check_embeddings(settings)
    yield from engines.check_audio(settings)


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
