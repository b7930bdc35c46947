"""``lobug simulate --protocol http``: a run of a device with the first firmware, and its output."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import typer
from rich import box
from rich.markup import escape
from rich.table import Table as RichTable

from lobug.cli.sentences import sentence
from lobug.cli.simulate.options import MotionOptions
from lobug.cli.terminal import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_UNREACHABLE,
    CommandError,
    open_console,
    print_json_line,
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
    output: HttpJsonLines | HttpTable = HttpJsonLines() if simulation.as_json else HttpTable()
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
            sentence("simulate.not_healthy_start", url=simulation.server.url, problems=error),
            code=EXIT_UNREACHABLE,
        ) from error
    except BrokenPipeError:
        raise  # whoever read the output has ended
    except OSError as error:
        raise CommandError(sentence("simulate.reply_not_saved", error=error)) from error
    output.summary(summary)
    return summary.ok


class HttpJsonLines:
    """One JSON object a line on standard output."""

    def result(self, result: Result) -> None:
        print_json_line(result.record())

    def summary(self, summary: Summary) -> None:
        print_json_line(summary.record())


class HttpTable:
    """For people: each turn as it happens, then a table of the times."""

    def __init__(self) -> None:
        self._console = open_console(soft_wrap=True)
        self._said: set[str] = set()
        self._greeted = False

    def result(self, result: Result) -> None:
        """Print turns, and of health and sensors only what is wrong."""
        match result:
            case TurnResult():
                self._turn(result)
            case HealthResult():
                if not self._greeted and not result.problems:
                    line = sentence("simulate.server_there", seconds=result.seconds)
                    self._console.print(line, style="dim")
                    self._greeted = True
                self._beat("simulate.health_failed", result.problems)
                self._degraded(result.degraded)
            case SensorResult():
                self._beat("simulate.sensors_failed", result.problems)

    def summary(self, summary: Summary) -> None:
        """Print the times, and whether all was well."""
        if summary.turns:
            self._console.print(_time_table(summary))
        record = summary.record()
        parts = [
            sentence(one if count == 1 else many, count=count, failed=failed)
            for one, many, count, failed in (
                (
                    "simulate.count_turn",
                    "simulate.count_turns",
                    len(summary.turns),
                    summary.failed_turns,
                ),
                (
                    "simulate.count_health_check",
                    "simulate.count_health_checks",
                    summary.health_checks,
                    summary.health_failures,
                ),
                (
                    "simulate.count_sensor_report",
                    "simulate.count_sensor_reports",
                    summary.sensor_reports,
                    summary.sensor_failures,
                ),
            )
        ]
        if summary.turns and record["p50_s"] is not None:
            parts.append(sentence("simulate.percentiles", p50=record["p50_s"], p95=record["p95_s"]))
        self._console.print("; ".join(parts))
        if summary.until is not None:
            key = "simulate.response_matched" if summary.matched else "simulate.no_response_matched"
            line = escape(sentence(key, pattern=repr(summary.until)))
            self._console.print(line, style=None if summary.matched else "red")
        if not summary.turns:
            self._console.print(sentence("simulate.nothing_said"))

    def _turn(self, turn: TurnResult) -> None:
        number = sentence("simulate.turn", number=turn.index)
        heading = f"[bold]{number}[/bold]  {escape(turn.said)}"
        if turn.spoken:
            heading += f"  [dim]{sentence('simulate.of_speech', seconds=turn.recording_s)}[/dim]"
        self._console.print(heading)
        if turn.spoken:
            nothing = f"[dim]{sentence('simulate.nothing')}[/dim]"
            self._console.print(f"  heard   {escape(turn.transcription) or nothing}")
        if turn.response or turn.action:
            self._console.print(f"  {turn.action or 'reply':<7} {escape(turn.response)}")
        if turn.saved is not None and turn.wav_info is not None:
            self._console.print(f"  saved   {escape(str(turn.saved))}")
        for problem in turn.problems:
            self._console.print(f"  [red]failed  {escape(problem)}[/red]")

    def _beat(self, key: str, problems: tuple[str, ...]) -> None:
        for problem in problems:
            self._console.print(escape(sentence(key, problem=problem)), style="red")

    def _degraded(self, sentences: tuple[str, ...]) -> None:
        for said in sentences:
            if said not in self._said:  # each only once, not with every health check
                line = sentence("simulate.server_says", sentence=said)
                self._console.print(escape(line), style="yellow")
                self._said.add(said)


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
