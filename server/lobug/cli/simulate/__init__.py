"""``lobug simulate``: a Core2 in software, for people without one and for CI."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lobug.cli.connection import own_secret
from lobug.cli.faults import EXIT_FAILED, EXIT_UNREACHABLE, EXIT_USAGE, CommandError
from lobug.cli.simulate import options as ws
from lobug.cli.terminal import ServerOption, server_address

if TYPE_CHECKING:
    from lobug.engines.base import TextToSpeech
    from lobug.simulator.microphone import Recording
    from lobug.simulator.run import Input, RunOptions
    from lobug.simulator.wire import ServerAddress, Timeouts

REPEAT_PAUSE_S = 3.0
"""Default pause between turns with --until: background memory work runs only while nobody talks."""


def simulate(
    context: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Recordings to speak: WAV files of any rate, or folders of them.",
            show_default=False,
        ),
    ] = None,
    server: ServerOption = None,
    protocol: ws.ProtocolOption = ws.Protocol.http,
    say: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Speak this, with the embedded voice. Repeatable.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Send this as text, without speech. Repeatable.",
            show_default=False,
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="Take turns, over and over, until a response matches (upper and lower case are"
            " the same). No match is a failure.",
        ),
    ] = None,
    max_turns: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Take at most so many turns; beyond the inputs they are repeated. Default: every"
            " input once; with --until 20, or every input once when those are more.",
            show_default=False,
        ),
    ] = None,
    pause: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="Wait between two turns. Default: 0, with --until 3.",
            show_default=False,
        ),
    ] = None,
    wait: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="SECONDS", help="How long the server may take to become healthy."
        ),
    ] = 0.0,
    idle: Annotated[
        float,
        typer.Option(min=0.0, metavar="SECONDS", help="How long to stay on after the last turn."),
    ] = 0.0,
    timeout: Annotated[
        float,
        typer.Option(min=0.001, metavar="SECONDS", help="How long the device waits for a reply."),
    ] = 30.0,
    device_id: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Send this as Device-Id. The first firmware sends none."),
    ] = None,
    replies_dir: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder in which reply WAVs are saved.")
    ] = Path("replies"),
    expect_speech: Annotated[
        bool, typer.Option("--expect-speech", help="Fail when a recording is not transcribed.")
    ] = False,
    expect_voice: Annotated[
        bool, typer.Option("--expect-voice", help="Fail when a reply has no audio.")
    ] = False,
    tap: Annotated[bool, typer.Option("--tap", help="The device is tapped at the start.")] = False,
    shake: Annotated[bool, typer.Option("--shake", help="The device is being shaken.")] = False,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Seed of the sensor noise, and of the network.")
    ] = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line, a summary last.")
    ] = False,
    mode: ws.ModeOption = ws.Mode.auto,
    format_: ws.FormatOption = ws.Format.opus,
    frames: ws.FramesOption = None,
    devices: ws.DevicesOption = 1,
    spread: ws.SpreadOption = 0.0,
    wake_word: ws.WakeWordOption = None,
    tools: ws.ToolsOption = False,
    buffer_frames: ws.BufferOption = 40,
    loss: ws.LossOption = 0.0,
    jitter: ws.JitterOption = 0.0,
    latency: ws.LatencyOption = 0.0,
    barge_in: ws.BargeInOption = None,
    disconnect_after: ws.DisconnectOption = None,
    slow_reader: ws.SlowReaderOption = None,
    discovery: ws.DiscoveryOption = False,
    token: ws.TokenOption = None,
    state: ws.StateOption = None,
    approve_within: ws.ApproveWithinOption = 120.0,
    soak: ws.SoakOption = None,
    real_time: ws.RealTimeOption = False,
) -> None:
    """Be a device: speak, and check every reply.

    With the HTTP contract it checks health, sends sensors every 5 s, sends what the first firmware
    sends, byte for byte, and fails for what it could not use. With --protocol ws it is a device
    with the open firmware: it speaks in real time and measures by its own clock.

    Takes the files first, then what --say, then what --text gives.

    Exit codes: 0 every turn worked; 1 a turn, a health check or a sensor report failed, or
    --until was not reached; 2 the command line or a recording is wrong; 3 the server is not
    healthy at the start, or no device could connect.
    """
    if soak is not None or real_time:
        from lobug.cli.simulate.soak import simulate_soak

        simulate_soak(context, soak, devices, seed, real_time=real_time, as_json=as_json)
        return
    from lobug.simulator.run import RunOptions
    from lobug.simulator.wire import Timeouts

    options = RunOptions(
        until=_pattern(until),
        max_turns=max_turns,
        pause_s=pause if pause is not None else (REPEAT_PAUSE_S if until is not None else 0.0),
        wait_s=wait,
        idle_s=idle,
        expect_speech=expect_speech,
        expect_voice=expect_voice,
        replies_dir=replies_dir,
    )
    if until is not None and not (files or say or text):
        raise CommandError(
            "--until needs something to say: a WAV file, --say or --text", code=EXIT_USAGE
        )
    choices = ws.WsChoices(
        mode,
        format_,
        frames,
        devices,
        spread,
        wake_word,
        tools,
        buffer_frames,
        loss,
        jitter,
        latency,
        barge_in,
        disconnect_after,
        slow_reader,
        discovery,
        token,
        state,
        approve_within,
    )
    address = server_address(server)
    address = replace(address, token=own_secret(address.url))
    if protocol is ws.Protocol.ws:
        from lobug.cli.simulate.streaming import WsCommand, simulate_ws

        if text or tap or shake:
            raise CommandError(
                "--text, --tap and --shake are of the HTTP contract; speak with --say",
                code=EXIT_USAGE,
            )
        command = WsCommand(address, choices, options, timeout, device_id, seed, as_json)
        simulate_ws(command, asyncio.run(_recordings(files or [], say or [])))
        return
    choices.refuse_for_http()
    recordings = asyncio.run(_recordings(files or [], say or []))
    inputs: list[Input] = [*recordings, *(text or [])]
    session = _Session(address, device_id, Timeouts(turn_s=timeout), (tap, shake, seed))
    try:
        ok = asyncio.run(session.run(inputs, options, as_json=as_json))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    if not ok:
        raise typer.Exit(EXIT_FAILED)


class _Session:
    """One run: the device, and where its results are printed."""

    def __init__(
        self,
        server: ServerAddress,
        device_id: str | None,
        timeouts: Timeouts,
        sensors: tuple[bool, bool, int],
    ) -> None:
        from lobug.simulator.sensors import SensorModel

        tapped, shaken, seed = sensors
        self._sensors = SensorModel(seed=seed, tapped=tapped, shaken=shaken)
        self._device_id = device_id
        self._timeouts = timeouts
        self._server = server

    async def run(self, inputs: Sequence[Input], options: RunOptions, *, as_json: bool) -> bool:
        """Take the turns; whether all was well."""
        from lobug.cli.simulate.output import JsonLines, Output, Table
        from lobug.simulator.device import SimulatedDevice
        from lobug.simulator.results import Result
        from lobug.simulator.run import UnreachableError, run

        output: Output = JsonLines() if as_json else Table()

        def device(report: Callable[[Result], None]) -> SimulatedDevice:
            return SimulatedDevice(
                self._server,
                device_id=self._device_id,
                sensors=self._sensors,
                timeouts=self._timeouts,
                on_result=report,
            )

        try:
            summary = await run(device, inputs, options, output.result)
        except UnreachableError as error:
            raise CommandError(
                f"no healthy Lo-Bug server at {self._server.url}: {error}."
                " Start one with `lobug serve`, or name another with --server.",
                code=EXIT_UNREACHABLE,
            ) from error
        except OSError as error:
            raise CommandError(f"a reply cannot be saved: {error}") from error
        output.summary(summary)
        return summary.ok


def _voice() -> TextToSpeech:
    """The embedded voice, also where the settings give the server none."""
    from lobug.cli.load import load_settings
    from lobug.engines.selection import choose_tts

    settings = load_settings().settings
    tts = settings.tts.model_copy(update={"engine": "hibari"})
    voice, _why = choose_tts(settings.model_copy(update={"tts": tts}))
    return voice


def _pattern(until: str | None) -> re.Pattern[str] | None:
    if until is None:
        return None
    try:
        return re.compile(until, re.IGNORECASE)
    except re.error as error:
        raise CommandError(
            f"--until {until!r} is not a regular expression: {error}", code=EXIT_USAGE
        ) from error


async def _recordings(files: Sequence[Path], say: Sequence[str]) -> list[Recording]:
    """Everything that is to be spoken, recorded before the first turn so that turns are timed
    without it."""
    from lobug.errors import AudioError
    from lobug.simulator import microphone

    recordings: list[Recording] = []
    try:
        for path in microphone.find_recordings(files):
            try:
                recordings.append(await microphone.from_file(path))
            except (AudioError, OSError) as error:
                raise CommandError(f"{path} cannot be read: {error}", code=EXIT_USAGE) from error
    except ValueError as error:
        raise CommandError(str(error), code=EXIT_USAGE) from error
    if say:
        recordings += await microphone.from_voice(say, _voice())
    return recordings
