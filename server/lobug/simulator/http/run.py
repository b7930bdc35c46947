"""One run of the simulator: health, turns by the plan, and a summary."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lobug.simulator.http.device import SimulatedDevice
from lobug.simulator.http.results import Result, Summary, TurnResult
from lobug.simulator.recordings import Recording
from lobug.simulator.runs import TurnPlan, UnreachableError, file_words, save_reply

Input = Recording | str
"""What a turn says: a recording, or text that is typed."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run: when it ends, and what is expected of the replies."""

    until: re.Pattern[str] | None = None
    max_turns: int | None = None
    pause_s: float = 0.0
    """Wait between two turns, seconds."""
    wait_s: float = 0.0
    """How long the server may take to become healthy, seconds."""
    idle_s: float = 0.0
    """How long the device stays on after the last turn, seconds."""
    expect_speech: bool = False
    """A recording that is not transcribed is a failure."""
    expect_voice: bool = False
    """A spoken turn that is answered without audio is a failure."""
    replies_dir: Path | None = None
    """Where reply WAVs are saved; None: nowhere."""


async def run(
    make_device: Callable[[Callable[[Result], None]], SimulatedDevice],
    inputs: Sequence[Input],
    options: RunOptions,
    on_result: Callable[[Result], None],
) -> Summary:
    """Take the turns of the plan with the device that ``make_device`` makes.

    ``make_device`` gets the callback for the device's results. Every result, also of a turn, goes
    to ``on_result``.

    Raises UnreachableError when the server is not healthy at the start, OSError when a reply
    cannot be saved.
    """
    plan = TurnPlan(len(inputs), options.until, options.max_turns)
    summary = Summary(until=options.until.pattern if options.until else None)

    def take(result: Result) -> None:
        summary.add(result)
        on_result(result)

    async with make_device(take) as device:
        health = await device.wait_until_healthy(options.wait_s)
        if health.problems:
            raise UnreachableError("; ".join(health.problems))
        device.switch_on()
        await device.send_sensors()
        while (index := plan.next_input(len(summary.turns), matched=summary.matched)) is not None:
            if summary.turns:
                await asyncio.sleep(options.pause_s)
            turn = await _take_turn(device, inputs[index], options)
            summary.matched = turn.ok and plan.matches(turn.response)
            take(turn)
        await asyncio.sleep(options.idle_s)
    return summary


async def _take_turn(device: SimulatedDevice, said: Input, options: RunOptions) -> TurnResult:
    if isinstance(said, str):
        turn = await device.type(said)
    else:
        turn = await device.speak(said)
    turn = replace(turn, problems=(*turn.problems, *unmet(turn, options)))
    if turn.wav and options.replies_dir is not None:
        path = options.replies_dir / reply_name(turn)
        await asyncio.to_thread(save_reply, path, turn.wav)
        turn = replace(turn, saved=path)
    return turn


def unmet(turn: TurnResult, options: RunOptions) -> list[str]:
    """What the caller expects of a turn beyond the contract, as sentences. Pure."""
    if not turn.ok or not turn.spoken:
        return []
    problems = []
    if options.expect_speech and not turn.transcription.strip():
        problems.append("speech was sent but nothing was transcribed")
    if options.expect_voice and turn.action == "respond" and not turn.wav:
        problems.append("the reply has no audio")
    return problems


def reply_name(turn: TurnResult) -> str:
    """File name of a reply: its turn and what was said to it. Pure."""
    return f"{turn.index:03d}-{file_words(turn.said)}.wav"
