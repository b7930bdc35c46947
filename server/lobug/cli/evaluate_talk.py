"""``lobug eval talk``: measure how Lo-Bug answers the first words of somebody it does not know."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lobug.cli.evaluate import JsonOption, progress_bar, quiet_memory
from lobug.cli.sentences import sentence
from lobug.cli.terminal import EXIT_USAGE, CommandError, open_console, plain, print_json_line

if TYPE_CHECKING:
    from rich.table import Table

    from lobug.evaluation.locomo_run import Progress
    from lobug.evaluation.talk import Half, Opening, Played
    from lobug.settings import Settings


def talk(
    json_: JsonOption = False,
    half: Annotated[
        str | None,
        typer.Option(
            metavar="HALF",
            help="Only this half: tuned, or held (no personality is ever chosen by it).",
        ),
    ] = None,
    repeat: Annotated[
        int,
        typer.Option(min=1, max=20, metavar="N", help="Say each opening N times."),
    ] = 1,
    failures: Annotated[
        bool,
        typer.Option("--failures", help="Show every reply with a fault, and what is wrong."),
    ] = False,
) -> None:
    """Say 100 openings (questions, small talk, statements, fragments, noise); judge the replies.

    Fixed rules judge: is a question answered, are the personality's examples repeated, is anything
    about the person invented, is the reply too long, in another language, or a stock phrase. Uses
    the chat model, the personality and the sampling of the settings, with an empty memory. Takes
    about three minutes with the embedded model.
    """
    from lobug.cli.effective_settings import load_settings
    from lobug.evaluation.talk import report

    openings = _openings(half)
    settings = load_settings().settings
    total = repeat * sum(len(some) for some in openings.values())
    with quiet_memory(), progress_bar(sentence("eval.openings"), total) as step:
        played = asyncio.run(_run(openings, settings, repeat, step))
    figures = report(played)
    if json_:
        print_json_line(figures)
    else:
        _show(figures, played, failures=failures)


def _openings(half: str | None) -> dict[Half, Sequence[Opening]]:
    from lobug.evaluation.talk import HALVES, load_openings

    if half is not None and half not in HALVES:
        known = ", ".join(HALVES)
        raise CommandError(sentence("eval.unknown_half", name=half, known=known), code=EXIT_USAGE)
    return {one: load_openings(one) for one in HALVES if half in {None, one}}


async def _run(
    openings: Mapping[Half, Sequence[Opening]], settings: Settings, repeat: int, step: Progress
) -> list[Played]:
    from lobug.evaluation.talk_run import play_openings
    from lobug.evaluation.truth_run import started_engines

    async with started_engines(settings) as (chat, embedder):
        return await play_openings(openings, settings, chat, embedder, repeat=repeat, progress=step)


def _show(figures: Mapping[str, Any], played: Sequence[Played], *, failures: bool) -> None:
    console = open_console()
    console.print(_table(figures))
    console.print(sentence("eval.talk_legend"))
    failed = [one for one in played if not one.passed]
    for one in failed if failures else ():
        rules = ", ".join(dict.fromkeys(fault.rule for fault in one.faults))
        line = sentence(
            "eval.fault",
            half=one.half,
            rules=rules,
            said=plain(one.said),
            reply=plain(one.reply.text),
        )
        console.print(line, markup=False, soft_wrap=True)
    if failed and not failures:
        console.print(sentence("eval.faults", count=len(failed)))


def _table(figures: Mapping[str, Any]) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("", no_wrap=True)
    for title in ("openings", "passed", "share"):
        table.add_column(title, justify="right")
    table.add_column("faults")
    for title, row in {**figures["by_kind"], **figures["by_half"]}.items():
        _add_row(table, title, row, style="bold" if title in figures["by_half"] else None)
    if len(figures["by_half"]) > 1:
        _add_row(table, "all", figures, style="bold")
    return table


def _add_row(table: Table, title: str, row: Mapping[str, Any], style: str | None = None) -> None:
    faults = ", ".join(f"{rule} {count}" for rule, count in row["faults"].items())
    share = f"{100 * row['share']:.1f} %"
    table.add_row(title, str(row["openings"]), str(row["passed"]), share, faults, style=style)
