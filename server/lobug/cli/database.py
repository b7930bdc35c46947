"""``lobug database move``: everything from the files to PostgreSQL, or back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from lobug.cli.effective_settings import load_settings
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    CommandError,
    SentenceGroup,
    open_console,
    plain,
    show_table,
    warn,
)
from lobug.settings import DatabaseSettings, Settings

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from lobug.database_move.move import Outcome, Stage
    from lobug.database_move.sides import Source, Target

database_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Where memory, agenda, devices and webhooks are kept: files, or PostgreSQL"
    " (docs/operations.md).",
)

FILES, POSTGRES = "files", "postgres"

STAGES = {"copy": "database.copy", "index": "database.index", "compare": "database.compare"}
"""What is said of each stage of a move."""


@database_app.callback()
def _database() -> None:
    """Keep ``move`` a command of its own: typer takes an only one for the group."""


@database_app.command("move")
def move(
    to: Annotated[
        str,
        typer.Option(
            metavar="files|postgres|URL",
            help="Where to: `files` (from the PostgreSQL of LOBUG_DATABASE__URL), `postgres` (from"
            " the files to that of LOBUG_DATABASE__URL), or the address of another PostgreSQL;"
            " other programs see an address on the command line.",
            show_default=False,
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be copied, and change nothing.")
    ] = False,
    restart: Annotated[
        bool,
        typer.Option(
            "--restart",
            help="Delete what a move that was broken off has copied, and begin again.",
        ),
    ] = False,
) -> None:
    """Move everything from the files of the data folder to PostgreSQL, or back.

    Copies memory, agenda, devices with tokens and browsers, and waiting webhooks to a place that is
    empty, and compares every row. What was moved from stays as it was. No server may run meanwhile.
    A move that was broken off goes on when the command is given again.
    """
    from lobug.data_folder.claim import Claim
    from lobug.data_folder.permissions import restrict_access

    settings = load_settings().settings
    database = _address(settings, to)
    console = open_console(soft_wrap=True)
    claim = Claim(settings, "command")
    claim.take()
    try:
        if not dry_run:
            warn(*restrict_access(settings).sentences())
        _require_fit(database)
        with _sides(settings, database, to_files=to == FILES) as (source, target):
            console.print(sentence("database.from", place=source.place), markup=False)
            console.print(sentence("database.to", place=target.place), markup=False)
            if dry_run:
                _show_plan(source, target, console)
                return
            outcome = run_move(source, target, restart=restart)
    except KeyboardInterrupt as error:
        raise CommandError(sentence("database.interrupted"), code=EXIT_INTERRUPTED) from error
    finally:
        claim.release()
    _show_outcome(outcome, console, to_files=to == FILES)


def run_move(
    source: Source,
    target: Target,
    *,
    restart: bool = False,
) -> Outcome:
    """Move, and show how far it is on standard error."""
    from lobug.database_move.move import Move

    with _shown(open_console(stderr=True)) as progress:
        move = Move(source, target, progress, clock=time.time)
        return move.run(move.prepare(restart=restart))


def _address(settings: Settings, to: str) -> DatabaseSettings:
    """The PostgreSQL of the move, on whichever side. Raises CommandError."""
    from pydantic import ValidationError

    known = settings.database
    if to in (FILES, POSTGRES):
        if not known.url.get_secret_value():
            which = "database.no_source" if to == FILES else "database.no_target"
            raise CommandError(sentence(which), code=EXIT_USAGE)
        return known
    try:
        given = DatabaseSettings.model_validate({**known.model_dump(), "url": to})
    except ValidationError as error:
        raise CommandError(sentence("database.bad_address"), code=EXIT_USAGE) from error
    if not to:
        raise CommandError(sentence("database.bad_address"), code=EXIT_USAGE)
    return given


def _require_fit(database: DatabaseSettings) -> None:
    """Raises CommandError where the PostgreSQL lacks something, StorageDriverError where the driver
    is not installed."""
    from lobug.diagnosis.postgres import check_postgres
    from lobug.storage.places import needing_driver

    with needing_driver():
        import lobug.storage.postgres.database  # noqa: F401
    failed = [
        sentence("database.finding", message=found.message, advice=found.advice)
        for found in check_postgres(database)
        if found.level == "fail"
    ]
    if failed:
        raise CommandError(*failed)


@contextmanager
def _sides(
    settings: Settings, database: DatabaseSettings, *, to_files: bool
) -> Iterator[tuple[Source, Target]]:
    """Both sides, open. Raises StorageError."""
    from lobug.database_move.files import FileSource, FileTarget
    from lobug.database_move.house import house_databases
    from lobug.database_move.postgres import PostgresSource, PostgresTarget

    houses = house_databases(settings)
    url, patience_s = database.url.get_secret_value(), database.patience_s
    with ExitStack() as stack:
        if to_files:
            yield (
                stack.enter_context(PostgresSource(houses, url, patience_s)),
                stack.enter_context(FileTarget(houses, settings.data_dir, clock=time.time)),
            )
        else:
            yield (
                stack.enter_context(FileSource(houses, settings.data_dir)),
                stack.enter_context(
                    PostgresTarget(houses, url, patience_s=patience_s, clock=time.time)
                ),
            )


def _show_plan(source: Source, target: Target, console: Console) -> None:
    from lobug.database_move.move import Finished, Move, planned, shown_time

    found = Move(source, target, _Lines(console), clock=time.time).prepare()
    tables = planned(source)
    rows = [(one.database, one.rows, one.table) for one in tables if one.rows]
    show_table(("database", "rows", "table"), rows, "")
    if isinstance(found, Finished):
        line = sentence("database.done_before", when=shown_time(found.note.completed_at))
    else:
        total = sum(one.rows for one in tables)
        line = sentence("database.nothing_changed", tables=len(rows), rows=total)
        if target.notes():
            console.print(sentence("database.goes_on"))
    console.print(line)


def _show_outcome(outcome: Outcome, console: Console, *, to_files: bool) -> None:
    from lobug.database_move.move import shown_time

    rows, tables = outcome.rows, outcome.tables
    if outcome.completed_before is not None:
        when = shown_time(outcome.completed_before)
        console.print(
            sentence("database.completed_before", when=when, rows=rows, tables=tables), markup=False
        )
        return
    lines = [sentence("database.completed", rows=rows, tables=tables)]
    if outcome.resumed:
        lines.insert(0, sentence("database.resumed", rows=outcome.resumed))
    if outcome.nul_texts and not to_files:
        lines.append(sentence("database.nul", count=outcome.nul_texts))
    lines.append(sentence("database.source_left"))
    lines.append(sentence("database.use_files" if to_files else "database.use_postgres"))
    console.print("\n".join(lines), markup=False)


@contextmanager
def _shown(console: Console) -> Iterator[_Bar | _Lines]:
    """A bar for a terminal, a line for each stage for anything else."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    ) as progress:
        yield _Bar(progress)


class _Bar:
    """One bar for each stage."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None

    def begin(self, stage: Stage, total: int, done: int) -> None:
        self._end()
        self._task = self._progress.add_task(
            sentence(STAGES[stage]), total=total or None, completed=done
        )

    def advance(self, rows: int) -> None:
        if self._task is not None:
            self._progress.advance(self._task, rows)

    def _end(self) -> None:
        if self._task is not None:
            task = self._progress.tasks[self._task]
            self._progress.update(self._task, total=task.total or 1, completed=task.total or 1)


class _Lines:
    """The name of each stage, on a line."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def begin(self, stage: Stage, total: int, done: int) -> None:
        self._console.print(plain(sentence(STAGES[stage])), markup=False)

    def advance(self, rows: int) -> None:
        pass
