"""``lobug eval``: how well memory recalls, in figures."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer
from rich.console import Console

from lobug.cli.faults import EXIT_FAILED, EXIT_USAGE, CommandError, SentenceGroup

if TYPE_CHECKING:
    from rich.table import Table

    from lobug.evaluation.cases import Case, CaseCategory
    from lobug.settings import Settings

eval_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Measure how well memory recalls.",
)

JsonOption = Annotated[bool, typer.Option("--json", help="Print the figures as one JSON object.")]

COLUMNS = {
    "questions": "asked",
    "recall@10": "R@10",
    "all@10": "all@10",
    "mrr": "MRR",
    "in_order": "order",
    "forbidden": "leaks",
    "floor_nothing": "silent",
    "floor_something": "speaks",
    "evidence_in_prompt": "prompt",
    "ms_per_query": "ms",
}
LEGEND = (
    "order: what is new stands above what is out of date; leaks: what must not be recalled; silent:"
    " nothing to the prompt where nothing fits; speaks: something where something fits; prompt: the"
    " evidence was in it"
)


@eval_app.command("cases")
def cases(
    json_: JsonOption = False,
    category: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only this category, such as update or two_people."),
    ] = None,
    misses: Annotated[
        bool, typer.Option("--misses", help="Show every question that went wrong, and why.")
    ] = False,
) -> None:
    """Tell Lo-Bug's own recall cases to an empty memory and ask what it remembers.

    Uses the memory and the embedder of the settings, in a temporary database. About two minutes.
    Fails when anything was recalled that must not be: another person's words, or what was
    corrected or forgotten.
    """
    from lobug.cli.load import load_settings
    from lobug.evaluation.cases import load_cases

    chosen = load_cases(_category(category))
    settings = load_settings().settings
    with quiet_memory(), progress_bar("cases", len(chosen)) as step:
        figures = asyncio.run(_run(chosen, settings, step))
    if json_:
        sys.stdout.write(json.dumps(figures, ensure_ascii=False) + "\n")
    else:
        _show(figures, misses=misses)
    if figures["forbidden"]:
        raise typer.Exit(EXIT_FAILED)


@contextmanager
def quiet_memory() -> Iterator[None]:
    """Only errors: what memory cannot sum up without a chat model is no news in an evaluation."""
    logger = logging.getLogger("lobug.memory")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


class Step(Protocol):
    """So many pieces of the work are done."""

    def __call__(self, pieces: int = 1, /) -> None:
        """Move the bar."""


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Step]:
    """A bar on standard error while something long runs; nothing where that is no terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    with Progress(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=total)
        yield lambda pieces=1: progress.advance(task, pieces)


def _category(name: str | None) -> CaseCategory | None:
    from typing import get_args

    from lobug.evaluation.cases import CaseCategory

    known: tuple[CaseCategory, ...] = get_args(CaseCategory)
    if name is None:
        return None
    for category in known:
        if category == name:
            return category
    raise CommandError(
        f"There is no category {name}. The categories are {', '.join(known)}.", code=EXIT_USAGE
    )


async def _run(chosen: list[Case], settings: Settings, step: Step) -> dict[str, Any]:
    from lobug.evaluation.cases import load_worlds
    from lobug.evaluation.figures import report
    from lobug.evaluation.product import ProductMaker, started_embedder
    from lobug.evaluation.running import run_cases

    async with started_embedder(settings) as embedder:
        answers = await run_cases(
            chosen,
            load_worlds(),
            ProductMaker(settings.memory, embedder),
            progress=lambda case: step(),
        )
    return report(answers)


def _show(figures: Mapping[str, Any], *, misses: bool) -> None:
    console = Console(highlight=False)
    console.print(_table(figures))
    console.print(LEGEND)
    if misses:
        for miss in figures["misses"]:
            line = f"{miss['case']}: {miss['question']} - {'; '.join(miss['wrong'])}"
            console.print(line, markup=False, soft_wrap=True)
    elif figures["misses"]:
        console.print(f"{len(figures['misses'])} questions went wrong; --misses shows them.")


def _table(figures: Mapping[str, Any]) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("category")
    for title in COLUMNS.values():
        table.add_column(title, justify="right")
    for category, row in figures["by_category"].items():
        table.add_row(category, *(_cell(row[name]) for name in COLUMNS))
    table.add_section()
    table.add_row("all", *(_cell(figures[name]) for name in COLUMNS))
    return table


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.2f}"
