"""Progress reporters of a pull: a bar for a terminal, lines for a log."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

_STEP_PERCENT = 10


def reporter_for(console: Console) -> BarReporter | LineReporter:
    """Return a bar for a terminal, a few plain lines for anything else (a log, a pipe)."""
    return BarReporter(console) if console.is_terminal else LineReporter(console)


class BarReporter:
    """A progress bar with bytes, speed and remaining time."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress: Progress | None = None
        self._task = TaskID(0)

    def note(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False)

    def begin(self, what: str, total: int, done: int, *, brief: bool = False) -> None:
        """Show a bar for ``what``; ``total`` and ``done`` in bytes. A brief bar is removed at the
        end."""
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=brief,
        )
        self._progress.start()
        self._task = self._progress.add_task(what, total=total, completed=done)

    def advance_to(self, done: int) -> None:
        """Move the bar to ``done`` bytes."""
        if self._progress is not None:
            self._progress.update(self._task, completed=done)

    def end(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


class LineReporter:
    """Prints one line for each tenth of the bytes, so that a log stays readable."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._what = ""
        self._total = 1
        self._shown = 0
        self._brief = False

    def note(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def begin(self, what: str, total: int, done: int, *, brief: bool = False) -> None:
        """Print what begins; ``total`` and ``done`` in bytes."""
        self._what = what
        self._brief = brief
        self._total = max(total, 1)
        self._shown = self._step(done)
        share = f"{done / 1e6:.0f} of " if done else ""
        self.note(f"{what}: {share}{total / 1e6:.0f} MB")

    def advance_to(self, done: int) -> None:
        """Print a line when another tenth is reached."""
        step = self._step(done)
        if step > self._shown and not self._brief:
            self._shown = step
            self.note(f"{self._what}: {step} %")

    def end(self) -> None:
        """Do nothing."""

    def _step(self, done: int) -> int:
        return int(done * 100 / self._total) // _STEP_PERCENT * _STEP_PERCENT
