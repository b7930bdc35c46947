"""``lobug simulate --soak HOURS``: whether a server grows while many devices use it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import typer

from lobug.cli.sentences import sentence
from lobug.cli.simulate.options import SoakOptions
from lobug.cli.terminal import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    CommandError,
    open_console,
    print_json_line,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from lobug.simulator.soak.flatness import Measurement, MeasureVerdict
    from lobug.simulator.soak.plan import SoakRunOptions
    from lobug.simulator.soak.runner import SoakResult

_OPTIONS = {"soak", "real_time", "devices", "seed", "as_json"}
"""The options of ``lobug simulate`` that a soak has."""

_NAMES = {
    "resident_mb": "resident memory, MB",
    "malloc_mb": "in use by malloc, MB",
    "blocks": "in use by Python, blocks",
    "objects": "Python objects",
    "descriptors": "open descriptors",
    "tasks": "asyncio tasks",
    "threads": "threads",
    "connections": "devices connected",
    "pending_tasks": "background work left",
    "files": "data files",
    "rows": "database rows a turn",
    "database_kb": "database kB a turn",
}


_OUTCOMES = {
    "flat": "flat",
    "grows": "[red]grows[/red]",
    "unknown": "not known",
    "shown": "not judged",
}


def simulate_soak(
    context: typer.Context, soak: SoakOptions, devices: int, seed: int, *, as_json: bool
) -> None:
    """Run a soak; raises typer.Exit with the exit code of ``lobug simulate``."""
    from lobug.simulator.soak import plan
    from lobug.simulator.soak.runner import SoakError

    given = {name for name in context.params if _was_given(context, name)}
    _refuse_others(given)
    hours = soak.soak
    if hours is None:
        raise CommandError(sentence("soak.needs_hours"), code=EXIT_USAGE)
    usual = plan.SoakRunOptions(hours)
    options = plan.SoakRunOptions(
        hours,
        devices=devices if "devices" in given else usual.devices,
        factor=1.0 if soak.real_time else plan.COMPRESSED,
        seed=seed,
        rests=plan.RESTS,
        server=plan.SERVER,
    )
    try:
        result = _run_as_json(options) if as_json else _run_for_people(options)
    except ValueError as error:
        raise CommandError(str(error), code=EXIT_USAGE) from error
    except SoakError as error:
        raise CommandError(str(error)) from error
    except KeyboardInterrupt:
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if not result.ok:
        raise typer.Exit(EXIT_FAILED)


def _was_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _refuse_others(given: set[str]) -> None:
    """Raise CommandError for an option that a soak does not use. Above all --server: a soak fills a
    memory with chatter, so it talks only to a server of its own."""
    if "server" in given:
        raise CommandError(sentence("soak.own_server"), code=EXIT_USAGE)
    others = sorted(given - _OPTIONS)
    if others:
        name = others[0].rstrip("_").replace("_", "-")
        what = sentence("soak.a_recording") if name == "files" else f"--{name}"
        raise CommandError(sentence("soak.no_meaning", what=what), code=EXIT_USAGE)


def _run_as_json(options: SoakRunOptions) -> SoakResult:
    from lobug.simulator.soak.runner import run

    def measured(one: Measurement) -> None:
        record: dict[str, object] = {"event": "rest", "at_s": round(one.at_s), "turns": one.turns}
        print_json_line({**record, **one.values})

    result = asyncio.run(run(options, measured))
    print_json_line(result.record())
    return result


def _run_for_people(options: SoakRunOptions) -> SoakResult:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from lobug.simulator.soak.runner import run

    console = open_console(soft_wrap=True)
    actions = len(options.plan())
    pace = sentence("soak.in_real_time")
    if options.factor != 1:
        pace = sentence("soak.faster", factor=options.factor)
    console.print(
        sentence(
            "soak.plan",
            hours=_hours(options.hours),
            devices=options.devices,
            pace=pace,
            actions=actions,
            minutes=_minutes(options.real_s),
        )
    )
    progress = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=console
    )
    with progress:
        bar = progress.add_task(sentence("soak.starting"), total=1.0)

        def measured(one: Measurement) -> None:
            memory = one.values.get("resident_mb")
            shown = sentence("soak.at_rest", hours=one.at_s / 3600, turns=one.turns)
            if memory is not None:
                shown += sentence("soak.resident", mb=memory)
            progress.update(bar, description=shown)
            if not console.is_terminal:
                console.print(shown)

        def over(share: float) -> None:
            progress.update(bar, completed=share)

        result = asyncio.run(run(options, measured, over))
    _show(console, result)
    return result


def _show(console: Console, result: SoakResult) -> None:
    tally = result.tally
    console.print(_table(result.verdicts))
    console.print(
        sentence(
            "soak.done",
            turns=tally.turns,
            requests=tally.requests,
            measurements=len(result.measurements),
            minutes=_minutes(result.seconds),
        )
    )
    console.print(", ".join(f"{action} {count}" for action, count in sorted(tally.actions.items())))
    if tally.uneven:
        console.print(sentence("soak.uneven", count=tally.uneven))
    for problem in result.problems:
        console.print(f"failed  {problem}", style="red", markup=False)
    if result.ok:
        console.print(sentence("soak.flat"), style="green")


def _table(verdicts: list[MeasureVerdict]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    table.add_column("held at rest")
    for name in ("at first", "2nd quarter", "last quarter", "highest", "may grow by"):
        table.add_column(name, justify="right")
    table.add_column("")
    for verdict in verdicts:
        tolerance = verdict.tolerance
        ends = (verdict.first, verdict.highest)
        first, highest = ("", "") if tolerance.per_turn else map(_number, ends)
        table.add_row(
            _NAMES.get(tolerance.name, tolerance.name),
            first,
            _number(verdict.before),
            _number(verdict.after),
            highest,
            _number(verdict.allowed),
            _OUTCOMES[verdict.outcome],
        )
    return table


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1_000 or value == round(value) else f"{value:,.1f}"


def _hours(hours: float) -> str:
    return sentence("soak.hour") if hours == 1 else sentence("soak.hours", hours=hours)


def _minutes(seconds: float) -> str:
    if seconds < 120:
        return sentence("soak.seconds", seconds=seconds)
    return sentence("soak.minutes", minutes=seconds / 60)
