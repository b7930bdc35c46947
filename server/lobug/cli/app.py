"""All commands of ``lobug``. Each imports its libraries only when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from lobug.cli import (
    announce,
    chat,
    config,
    doctor,
    evaluate,
    evaluate_deeds,
    evaluate_talk,
    evaluate_truth,
    mcp,
    serve,
    simulate,
    skills,
    turns,
)
from lobug.cli.alerts import alerts_app
from lobug.cli.browsers import browsers_app
from lobug.cli.database import database_app
from lobug.cli.devices import devices_app
from lobug.cli.evaluate import eval_app
from lobug.cli.firmware import firmware_app
from lobug.cli.lists import lists_app
from lobug.cli.memory import memory_app
from lobug.cli.models import models_app
from lobug.cli.notes import notes_app
from lobug.cli.terminal import SentenceGroup
from lobug.cli.tls import tls_app
from lobug.cli.tokens import tokens_app
from lobug.cli.webhooks import webhooks_app
from lobug.cli.wyoming import wyoming_app

app = typer.Typer(
    cls=SentenceGroup,
    name="lobug",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,  # locals hold what people said, and secrets
)
app.command()(serve.serve)
app.command()(chat.chat)
app.command()(simulate.simulate)
app.command()(announce.announce)
app.command()(mcp.mcp)
app.command()(turns.turns)
app.command()(skills.skills)
app.command()(doctor.doctor)
app.add_typer(config.config_app, name="config")
app.add_typer(models_app, name="models")
eval_app.command("locomo")(evaluate.locomo)
eval_app.command("deeds")(evaluate_deeds.deeds)
eval_app.command("talk")(evaluate_talk.talk)
eval_app.command("truth")(evaluate_truth.truth)
app.add_typer(eval_app, name="eval")
app.add_typer(memory_app, name="memory")
app.add_typer(database_app, name="database")
app.add_typer(alerts_app, name="alerts")
app.add_typer(lists_app, name="lists")
app.add_typer(notes_app, name="notes")
app.add_typer(devices_app, name="devices")
app.add_typer(tokens_app, name="tokens")
app.add_typer(wyoming_app, name="wyoming")
app.add_typer(tls_app, name="tls")
app.add_typer(browsers_app, name="browsers")
app.add_typer(firmware_app, name="firmware")
app.add_typer(webhooks_app, name="webhooks")


def _version(wanted: bool) -> None:
    if wanted:
        from lobug import __version__

        typer.echo(f"lobug {__version__}")
        raise typer.Exit


@app.callback()
def _lobug(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """A voice companion for M5Stack devices that thinks on a computer you control."""
