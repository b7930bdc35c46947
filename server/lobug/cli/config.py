"""``lobug config``: the effective settings, and the generated pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from lobug.cli.faults import CommandError


def config(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    docs: Annotated[
        bool,
        typer.Option("--docs", help="Write the generated pages of docs/, and .env.example."),
    ] = False,
    check_docs: Annotated[
        bool, typer.Option("--check-docs", help="Fail when those files are not up to date.")
    ] = False,
    root: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="Root of the source tree, for --docs and --check-docs."
        ),
    ] = Path(),
) -> None:
    """Show the effective settings and where each comes from; secrets are masked."""
    if docs or check_docs:
        _pages(context.find_root().command, root, check_only=check_docs)
    else:
        _values(as_json=as_json)


def _pages(command: Any, root: Path, *, check_only: bool) -> None:
    from lobug.cli import pages  # loads pydantic

    if not (root / "pyproject.toml").is_file():
        raise CommandError(f"{root.absolute()} is not the root of the source tree (see --root)")
    generated = pages.generated_pages(command)
    if check_only:
        stale = pages.drifted(root, generated)
        if stale:
            raise CommandError(f"out of date: {', '.join(stale)}; run `lobug config --docs`")
        typer.echo("the generated pages are up to date")
        return
    written = pages.write(root, generated)
    typer.echo(f"written: {', '.join(written)}" if written else "nothing had changed")


def _values(*, as_json: bool) -> None:
    from lobug.cli.faults import warn
    from lobug.cli.load import load_settings  # loads pydantic

    loaded = load_settings()
    rows = loaded.values()
    if as_json:
        document = {
            row.setting.env: {
                "value": row.value,
                "source": row.source,
                "secret": row.setting.secret,
            }
            for row in rows
        }
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table("setting", "value", "source", box=None, header_style="bold")
        for row in rows:
            style = "" if row.source == "default" else "bold green"
            table.add_row(
                Text(row.setting.env, style), Text(row.value, style), Text(row.source, style)
            )
        Console().print(table)
    warn(*loaded.warnings)
