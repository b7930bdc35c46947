"""``lobug models``: list the embedded models, fetch them, check them."""

from __future__ import annotations

from typing import Annotated

import typer

from lobug.cli.effective_settings import load_settings
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    CommandError,
    SentenceGroup,
    open_console,
)
from lobug.models import catalog, fetch, verify
from lobug.models.catalog import Model, needed_models
from lobug.models.progress import reporter_for
from lobug.settings import Settings

models_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="The embedded models: list, fetch and check them.",
)

_Names = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME]...", help="Names as in `lobug models list`.")
]


@models_app.command("list")
def list_models() -> None:
    """Show every embedded model: its purpose, whether it is here, size, licence, languages."""
    settings = load_settings().settings
    wanted = needed_models(settings)
    console = open_console(soft_wrap=True)
    for model in catalog.CATALOG.values():
        state = _state(verify.check(settings.models_dir, model.name), wanted)
        size = sentence("models.size", mb=model.size / 1e6)
        console.print(f"{model.name:<27} {model.job:<11} {size:>8}  {state}", markup=False)
        console.print(f"    {model.description}", style="dim", markup=False)
        languages = (
            sentence("models.many_languages")
            if "multi" in model.languages
            else ", ".join(model.languages)
        )
        terms = sentence(
            "models.origin", origin=model.origin, licence=model.licence, languages=languages
        )
        console.print(f"    {terms}", style="dim", markup=False)
    console.print("\n" + sentence("models.folder", folder=settings.models_dir), markup=False)


@models_app.command("pull")
def pull_models(
    names: _Names = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Fetch every model of the list, also those not in use.")
    ] = False,
) -> None:
    """Fetch models; without a name, those that the settings need.

    Continues where an interrupted pull stopped; needs no network for models that are here.
    """
    settings = load_settings().settings
    if names and everything:
        raise CommandError(sentence("models.names_or_all"))
    chosen = tuple(catalog.CATALOG) if everything else tuple(names or needed_models(settings))
    for name in chosen:
        catalog.get(name)  # raises for a wrong name before the first download
    console = open_console()
    reporter = reporter_for(console)
    try:
        for name in chosen:
            fetched = fetch.pull(settings.models_dir, name, reporter)
            outcome = "models.fetched" if fetched else "models.already_here"
            reporter.note(sentence(outcome, name=name))
    except KeyboardInterrupt as error:
        raise CommandError(
            sentence("models.interrupted"),
            code=EXIT_INTERRUPTED,
        ) from error


@models_app.command("verify")
def verify_models(names: _Names = None) -> None:
    """Compare every file's SHA-256; without a name, all models that are here or needed."""
    settings = load_settings().settings
    chosen = tuple(names) if names else _here_or_needed(settings)
    console = open_console()
    troubles = 0
    for name in chosen:
        found = verify.examine(settings.models_dir, name)
        if found.ok:
            line = sentence("models.ok", name=name, files=len(found.files))
            console.print(line, markup=False, highlight=False)
        else:
            troubles += 1
            console.print(found.message, markup=False, highlight=False, soft_wrap=True)
    if troubles:
        raise typer.Exit(EXIT_FAILED)


def _here_or_needed(settings: Settings) -> tuple[str, ...]:
    needed = set(needed_models(settings))

    def counts(model: Model) -> bool:
        return (
            model.installed_with_program
            or model.name in needed
            or catalog.model_dir(settings.models_dir, model.name).is_dir()
        )

    return tuple(model.name for model in catalog.CATALOG.values() if counts(model))


def _state(found: verify.ModelCheck, wanted: tuple[str, ...]) -> str:
    if found.model.installed_with_program:
        return sentence("models.with_program") if found.ok else str(found.state)
    if found.ok:
        return sentence("models.here" if found.verified else "models.here_unverified")
    nothing = all(f.state is verify.State.MISSING for f in found.files)
    if nothing:
        return sentence("models.needed" if found.model.name in wanted else "models.not_pulled")
    return sentence("models.broken", state=found.state)
