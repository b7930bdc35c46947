"""``lobug simulate --protocol http``: a device with the first firmware."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import typer

from lobug.cli.faults import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_UNREACHABLE, CommandError
from lobug.cli.simulate.http_output import JsonLines, Output, Table
from lobug.cli.simulate.options import MotionOptions
from lobug.simulator.http_device import SimulatedDevice
from lobug.simulator.requests import SensorModel, ServerAddress, Timeouts
from lobug.simulator.results import Result
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
    output: Output = JsonLines() if simulation.as_json else Table()
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
