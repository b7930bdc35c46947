"""``lobug simulate --protocol ws``: streaming devices in software."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from lobug.cli.faults import EXIT_FAILED, EXIT_UNREACHABLE, EXIT_USAGE, CommandError
from lobug.cli.simulate.options import WsChoices

if TYPE_CHECKING:
    from lobug.cli.simulate.streaming_output import WsOutput
    from lobug.simulator.microphone import Recording
    from lobug.simulator.run import RunOptions
    from lobug.simulator.streaming.discovery import DeviceStore, Endpoint, Identity
    from lobug.simulator.streaming.results import WsTurnResult
    from lobug.simulator.streaming.run import WsRunOptions
    from lobug.simulator.streaming.speech import EncodedSpeech
    from lobug.simulator.wire import ServerAddress


@dataclass(frozen=True, slots=True)
class WsCommand:
    """What the command line says to a run of streaming devices."""

    server: ServerAddress
    choices: WsChoices
    shared: RunOptions
    """What both protocols have."""
    reply_s: float
    device_id: str | None
    seed: int
    as_json: bool


def simulate_ws(command: WsCommand, recordings: Sequence[Recording]) -> None:
    """Take the turns; ends with the exit code of ``lobug simulate``."""
    from lobug.cli.simulate.streaming_output import WsJsonLines, WsTable
    from lobug.simulator.streaming.results import WsSummary

    command.choices.check()
    if command.shared.pause_s >= _SERVER_PATIENCE_S:
        raise CommandError(
            f"--pause must be under {_SERVER_PATIENCE_S:g} s: the connection ends", code=EXIT_USAGE
        )
    if not recordings and not command.choices.discovery and not command.shared.idle_s:
        raise CommandError(
            "nothing to say: name a WAV file or use --say; --discovery or --idle alone only pair"
            " the device or keep it connected",
            code=EXIT_USAGE,
        )
    output: WsOutput = WsJsonLines() if command.as_json else WsTable()
    options = run_options(command)
    taken: list[WsTurnResult] = []
    try:
        ok = asyncio.run(_run(command, recordings, options, output, taken))
    except KeyboardInterrupt:
        output.summary(WsSummary(options.devices, turns=taken))
        raise typer.Exit(130) from None
    if not ok:
        raise typer.Exit(EXIT_FAILED)


_SERVER_PATIENCE_S = 120.0
"""Seconds without a word after which devices and server give a connection up."""


def run_options(command: WsCommand) -> WsRunOptions:
    """The run that the command line asks for. Pure."""
    from lobug.devices.frames import AudioCodec
    from lobug.devices.messages import ListenMode
    from lobug.simulator.streaming.network import NetworkOptions
    from lobug.simulator.streaming.run import WsRunOptions
    from lobug.simulator.streaming.session import DeviceKind

    choices, shared = command.choices, command.shared
    return WsRunOptions(
        kind=DeviceKind(
            mode=ListenMode(choices.mode.value),
            codec=AudioCodec(choices.format.value),
            wake_word=choices.wake_word,
            buffer_frames=choices.buffer_frames,
            # Decoding what nobody listens to would cost the devices of a load test their time.
            keep_audio=choices.devices == 1,
        ),
        network=NetworkOptions(choices.loss, choices.jitter / 1000, choices.latency / 1000),
        devices=choices.devices,
        device_id=command.device_id,
        tools=choices.tools,
        until=shared.until,
        max_turns=shared.max_turns,
        pause_s=shared.pause_s,
        spread_s=choices.spread,
        idle_s=shared.idle_s,
        reply_s=command.reply_s,
        barge_in_s=choices.barge_in,
        disconnect_after_s=choices.disconnect_after,
        stop_reading_s=choices.slow_reader,
        expect_speech=shared.expect_speech,
        expect_voice=shared.expect_voice,
        replies_dir=shared.replies_dir,
        seed=command.seed,
    )


async def _run(
    command: WsCommand,
    recordings: Sequence[Recording],
    options: WsRunOptions,
    output: WsOutput,
    taken: list[WsTurnResult],
) -> bool:
    from lobug.simulator.device import SimulatedDevice
    from lobug.simulator.run import UnreachableError
    from lobug.simulator.streaming.discovery import DeviceStore, DiscoveryError
    from lobug.simulator.streaming.run import run

    def report(turn: WsTurnResult) -> None:
        taken.append(turn)
        output.result(turn)

    inputs = [await _encoded(recording, options) for recording in recordings]
    async with SimulatedDevice(command.server) as early:
        health = await early.wait_until_healthy(command.shared.wait_s)
    if health.problems:
        raise CommandError(
            f"no healthy Lo-Bug server at {command.server.url}: {'; '.join(health.problems)}",
            code=EXIT_UNREACHABLE,
        )
    try:
        store = DeviceStore(command.choices.state)

        async def endpoint_of(identity: Identity) -> Endpoint:
            return await _endpoint(command, identity, store, output)

        summary = await run(endpoint_of, inputs, options, report)
    except DiscoveryError as error:
        raise CommandError(str(error)) from error
    except UnreachableError as error:
        raise CommandError(
            f"no device could talk to {command.server.url}: {error}", code=EXIT_UNREACHABLE
        ) from error
    except OSError as error:
        raise CommandError(f"a file cannot be read or written: {error}") from error
    output.summary(summary)
    return summary.ok


async def _endpoint(
    command: WsCommand, identity: Identity, store: DeviceStore, output: WsOutput
) -> Endpoint:
    """Where a device talks, and with which token."""
    from dataclasses import replace

    from lobug.simulator.streaming.discovery import Endpoint, discover, socket_url

    choices, url = command.choices, command.server.url
    if choices.discovery:
        endpoint = await discover(
            url,
            identity,
            store,
            show_code=lambda code, _message: output.code(identity.device_id, code),
            give_up_s=choices.approve_within,
        )
    else:
        kept = store.load(identity)
        token = choices.token or (kept.token if kept is not None else command.server.token)
        endpoint = Endpoint(socket_url(url), token)
    return endpoint if choices.frames is None else replace(endpoint, version=choices.frames)


async def _encoded(recording: Recording, options: WsRunOptions) -> EncodedSpeech:
    from lobug.audio.decode import decode
    from lobug.simulator.microphone import MAX_FILE_SECONDS
    from lobug.simulator.streaming.speech import encode_speech

    samples = await decode(recording.wav, max_seconds=MAX_FILE_SECONDS)
    try:
        return await asyncio.to_thread(encode_speech, recording.name, samples, options.kind.codec)
    except ValueError as error:
        raise CommandError(f"{recording.name}: {error}", code=EXIT_USAGE) from error
