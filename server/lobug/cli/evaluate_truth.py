"""``lobug eval truth``: measure whether what Lo-Bug believes keeps up with what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lobug.cli.evaluate import JsonOption, progress_bar, quiet_memory
from lobug.cli.sentences import sentence
from lobug.cli.terminal import EXIT_USAGE, CommandError, open_console, plain, print_json_line

if TYPE_CHECKING:
    from rich.table import Table

    from lobug.evaluation.locomo_run import Progress
    from lobug.evaluation.truth import Pace, Scenario, TruthKind, TruthSet
    from lobug.evaluation.truth_judge import PlayedScenario
    from lobug.settings import Settings

SET_TITLES: Mapping[str, str] = {"ours": "ours", "other": "by other hands"}

COLUMNS = {
    "scenarios": "played",
    "passed": "passed",
    "share": "share",
    "replies": "replies",
    "without_model": "no model",
    "within_50_ms": "in 50 ms",
    "p50_ms": "p50 ms",
    "p95_ms": "p95 ms",
}


def truth(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="A TOML file with scenarios, in the form of those in"
            " server/lobug/evaluation/data/truth. Default: those, and the set by other hands.",
            show_default=False,
        ),
    ] = None,
    json_: JsonOption = False,
    set_: Annotated[
        str | None,
        typer.Option(
            "--set",
            metavar="SET",
            help="Only this set: ours, or other (written by other hands, never tuned on).",
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="Only this kind, such as correct or forget."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only N scenarios, spread over all sets and kinds."),
    ] = None,
    burst: Annotated[
        bool | None,
        typer.Option(
            "--burst/--settled",
            help="Never, or always, let background work catch up after what is said."
            " Default: as each scenario says.",
            show_default=False,
        ),
    ] = None,
    failures: Annotated[
        bool,
        typer.Option("--failures", help="Show every expectation that was not met."),
    ] = False,
) -> None:
    """Play short conversations about what changes, is corrected, is to be forgotten or is asked.

    Judges the replies, what memory holds afterwards, and the bytes in the data folder. Uses the
    chat model, the embedder and the memory of the settings, each scenario in a temporary data
    folder. With the embedded models this takes about half a minute for each scenario.
    """
    from lobug.cli.effective_settings import load_settings
    from lobug.evaluation.truth import sample
    from lobug.evaluation.truth_judge import report

    kind = _kind(only)
    sets = _sets(set_) if file is None else {}
    if file is not None and set_ is not None:
        raise CommandError(sentence("eval.set_of_file"), code=EXIT_USAGE)
    everything = list(sets.values()) if file is None else [_read(file)]
    scenarios = [[one for one in some if kind in {None, one.kind}] for some in everything]
    if not any(scenarios):
        raise CommandError(sentence("eval.none_of_kind", kind=only), code=EXIT_USAGE)
    chosen = sample(scenarios, limit)
    pace: Pace | None = None if burst is None else "burst" if burst else "settled"
    settings = load_settings().settings
    with quiet_memory(), progress_bar(sentence("eval.scenarios"), len(chosen)) as step:
        outcomes = asyncio.run(_run(chosen, settings, pace, step))
    ids = {which: {scenario.id for scenario in some} for which, some in sets.items()}
    figures = report(outcomes, ids)
    if json_:
        print_json_line(figures)
    else:
        _show(figures, outcomes, failures=failures)


def _kind(name: str | None) -> TruthKind | None:
    from lobug.evaluation.truth import KINDS

    found = next((kind for kind in KINDS if kind == name), None)
    if name is not None and found is None:
        known = ", ".join(KINDS)
        raise CommandError(sentence("eval.unknown_kind", name=name, known=known), code=EXIT_USAGE)
    return found


def _sets(name: str | None) -> dict[TruthSet, list[Scenario]]:
    """Lo-Bug's own scenarios by set; all sets, or the one of this name."""
    from lobug.evaluation.truth import FOLDERS, load_sets

    if name is not None and name not in FOLDERS:
        known = ", ".join(FOLDERS)
        raise CommandError(sentence("eval.unknown_set", name=name, known=known), code=EXIT_USAGE)
    return {which: some for which, some in load_sets().items() if name in {None, which}}


def _read(file: Path) -> list[Scenario]:
    from lobug.evaluation.truth import TruthError, read

    try:
        return read(file)
    except TruthError as error:
        raise CommandError(plain(error), code=EXIT_USAGE) from error


async def _run(
    chosen: Sequence[Scenario], settings: Settings, pace: Pace | None, step: Progress
) -> list[PlayedScenario]:
    from lobug.evaluation.truth_run import play_all, started_engines

    async with started_engines(settings) as (chat, embedder):
        return await play_all(chosen, settings, chat, embedder, pace=pace, progress=step)


def _show(
    figures: Mapping[str, Any], outcomes: Sequence[PlayedScenario], *, failures: bool
) -> None:
    console = open_console()
    console.print(_table(figures))
    console.print(sentence("eval.truth_legend"))
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed if failures else ():
        for failure in outcome.failures:
            line = sentence(
                "eval.failure", scenario=outcome.id, step=failure.step, wrong=plain(failure.wrong)
            )
            if failure.said:
                line = f"{line} - {plain(failure.said)} - {plain(failure.reply)}"
            console.print(line, markup=False, soft_wrap=True)
    if failed and not failures:
        console.print(sentence("eval.failures", count=len(failed)))


def _table(figures: Mapping[str, Any]) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("kind", no_wrap=True)
    for title in COLUMNS.values():
        table.add_column(title, justify="right")
    by_set = figures["by_set"]
    blocks = {SET_TITLES[which]: some for which, some in by_set.items()} or {"all": figures}
    for title, some in blocks.items():
        for kind, row in some["by_kind"].items():
            _add_row(table, kind, row)
        _add_row(table, title, some, style="bold")
    if len(by_set) > 1:
        _add_row(table, "all", figures, style="bold")
    return table


def _add_row(table: Table, title: str, row: Mapping[str, Any], style: str | None = None) -> None:
    table.add_row(title, *(_cell(name, row[name]) for name in COLUMNS), style=style)


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    return f"{100 * value:.1f} %" if name in {"share", "within_50_ms"} else str(value)
