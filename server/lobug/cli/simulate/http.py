"""``lobug simulate --protocol http``: a run of a device with the first firmware, and its output."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from lobug.cli.simulate.options import MotionOptions
from lobug.cli.terminal import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_UNREACHABLE,
    CommandError,
)
from lobug.simulator.http_device import SimulatedDevice
from lobug.simulator.requests import SensorModel, ServerAddress, Timeouts
from lobug.simulator.results import (
    HealthResult,
    Result,
    SensorResult,
    Summary,
    TurnResult,
)
from lobug.simulator.runs import Input, RunOptions, UnreachableError, run_http


@dataclass(frozen=True, slots=True)
class HttpSimulation:
    """A run of an HTTP device, as the command line asks for it."""

    server: ServerAddress
    motion: MotionOptions
    run: RunOptions
    reply_s: float
    """How long the device waits for a reply, seconds."""
    device_id: str | None
    seed: int
    as_json: bool


def simulate_http(simulation: HttpSimulation, inputs: Sequence[Input]) -> None:
    """Take the turns; raises typer.Exit with the exit code of ``lobug simulate``."""
    try:
        ok = asyncio.run(_run(simulation, inputs))
    except KeyboardInterrupt:
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if not ok:
        raise typer.Exit(EXIT_FAILED)


async def _run(simulation: HttpSimulation, inputs: Sequence[Input]) -> bool:
    """Whether all went well. Raises CommandError."""
    output: HttpOutput = HttpJsonLines() if simulation.as_json else HttpTable()
    motion = simulation.motion

    def device(report: Callable[[Result], None]) -> SimulatedDevice:
        return SimulatedDevice(
            simulation.server,
            device_id=simulation.device_id,
            sensors=SensorModel(seed=simulation.seed, tapped=motion.tap, shaken=motion.shake),
            timeouts=Timeouts(turn_s=simulation.reply_s),
            on_result=report,
        )

    try:
        summary = await run_http(device, inputs, simulation.run, output.result)
    except UnreachableError as error:
        raise CommandError(
            f"no healthy Lo-Bug server at {simulation.server.url}: {error}."
            " Start one with `lobug serve`, or name another with --server.",
            code=EXIT_UNREACHABLE,
        ) from error
    except OSError as error:
        raise CommandError(f"a reply cannot be saved: {error}") from error
    output.summary(summary)
    return summary.ok


class HttpOutput(Protocol):
    """Where results go as they happen."""

    def result(self, result: Result) -> None:
        """A health check, a sensor report or a turn."""

    def summary(self, summary: Summary) -> None:
        """The run is over."""


class HttpJsonLines:
    """One JSON object a line on standard output."""

    def result(self, result: Result) -> None:
        """Print it at once: the reader of the pipe may be waiting for it."""
        self._print(result.record())

    def summary(self, summary: Summary) -> None:
        """Print the summary, the last line."""
        self._print(summary.record())

    def _print(self, record: dict[str, object]) -> None:
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
        sys.stdout.flush()


class HttpTable:
    """For people: each turn as it happens, then a table of the times."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False, soft_wrap=True)
        self._said: set[str] = set()
        self._greeted = False

    def result(self, result: Result) -> None:
        """Print turns, and of health and sensors only what is wrong."""
        match result:
            case TurnResult():
                self._turn(result)
            case HealthResult():
                if not self._greeted and not result.problems:
                    self._console.print(f"[dim]the server is there ({result.seconds:.2f} s)[/dim]")
                    self._greeted = True
                self._beat("health check", result.problems)
                self._degraded(result.degraded)
            case SensorResult():
                self._beat("sensor report", result.problems)

    def summary(self, summary: Summary) -> None:
        """Print the times, and whether all was well."""
        if summary.turns:
            self._console.print(_time_table(summary))
        record = summary.record()
        line = "; ".join(
            f"{count} {what}{'' if count == 1 else 's'}, {failed} failed"
            for what, count, failed in (
                ("turn", len(summary.turns), summary.failed_turns),
                ("health check", summary.health_checks, summary.health_failures),
                ("sensor report", summary.sensor_reports, summary.sensor_failures),
            )
        )
        if summary.turns and record["p50_s"] is not None:
            line += f"; p50 {record['p50_s']} s, p95 {record['p95_s']} s"
        self._console.print(line)
        if summary.until is not None:
            self._console.print(
                f"a response matched {escape(repr(summary.until))}"
                if summary.matched
                else f"[red]no response matched {escape(repr(summary.until))}[/red]"
            )
        if not summary.turns:
            self._console.print("Nothing was said: give WAV files, --say or --text.")

    def _turn(self, turn: TurnResult) -> None:
        heading = f"[bold]turn {turn.index}[/bold]  {escape(turn.said)}"
        if turn.spoken:
            heading += f"  [dim]({turn.recording_s:.1f} s of speech)[/dim]"
        self._console.print(heading)
        if turn.spoken:
            self._console.print(f"  heard   {escape(turn.transcription) or '[dim]nothing[/dim]'}")
        if turn.response or turn.action:
            self._console.print(f"  {turn.action or 'reply':<7} {escape(turn.response)}")
        if turn.saved is not None and turn.wav_info is not None:
            self._console.print(f"  saved   {escape(str(turn.saved))}")
        for problem in turn.problems:
            self._console.print(f"  [red]failed  {escape(problem)}[/red]")

    def _beat(self, what: str, problems: tuple[str, ...]) -> None:
        for problem in problems:
            self._console.print(f"[red]{what} failed: {escape(problem)}[/red]")

    def _degraded(self, sentences: tuple[str, ...]) -> None:
        for sentence in sentences:
            if sentence not in self._said:  # each only once, not with every health check
                self._console.print(f"[yellow]the server says: {escape(sentence)}[/yellow]")
                self._said.add(sentence)


def _time_table(summary: Summary) -> RichTable:
    table = RichTable(box=box.SIMPLE)
    for name in ("turn", "speech s", "first byte s", "whole turn s", "reply audio s", "result"):
        table.add_column(name, justify="left" if name == "result" else "right")
    for turn in summary.turns:
        table.add_row(
            str(turn.index),
            f"{turn.recording_s:.1f}" if turn.spoken else "-",
            "-" if turn.first_byte_s is None else f"{turn.first_byte_s:.2f}",
            f"{turn.seconds:.2f}",
            "-" if turn.wav_info is None else f"{turn.wav_info.seconds:.1f}",
            (turn.action or "ok") if turn.ok else "[red]failed[/red]",
        )
    return table
