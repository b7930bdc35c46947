"""``lobug simulate --protocol ws``: streaming devices in software, and the output of their run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from lobug.audio.decode import decode
from lobug.cli.sentences import sentence
from lobug.cli.simulate.options import StreamingOptions
from lobug.cli.terminal import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_UNREACHABLE,
    EXIT_USAGE,
    CommandError,
    open_console,
    print_json_line,
)
from lobug.devices.frames import AudioCodec
from lobug.devices.messages import ListenMode
from lobug.simulator.discovery import (
    DeviceStore,
    DiscoveryError,
    Endpoint,
    Identity,
    discover,
    socket_url,
)
from lobug.simulator.http_device import SimulatedDevice
from lobug.simulator.link import NetworkOptions
from lobug.simulator.recordings import MAX_FILE_SECONDS, EncodedSpeech, Recording, encode_speech
from lobug.simulator.requests import ServerAddress
from lobug.simulator.results import WsSummary, WsTurnResult, percentile
from lobug.simulator.runs import RunOptions, UnreachableError, WsRunOptions, run_streaming
from lobug.simulator.session import DeviceKind

_SERVER_PATIENCE_S = 120.0
"""Seconds without a message after which devices and server end a connection."""


@dataclass(frozen=True, slots=True)
class StreamingSimulation:
    """A run of streaming devices, as the command line asks for it."""

    server: ServerAddress
    options: StreamingOptions
    run: RunOptions
    """What runs of both protocols have."""
    reply_s: float
    """How long a device waits for a reply, seconds."""
    device_id: str | None
    seed: int
    as_json: bool


def simulate_streaming(simulation: StreamingSimulation, recordings: Sequence[Recording]) -> None:
    """Take the turns; raises typer.Exit with the exit code of ``lobug simulate``."""
    simulation.options.check()
    if simulation.run.pause_s >= _SERVER_PATIENCE_S:
        raise CommandError(
            sentence("simulate.pause_too_long", seconds=_SERVER_PATIENCE_S), code=EXIT_USAGE
        )
    if not recordings and not simulation.options.discovery and not simulation.run.idle_s:
        raise CommandError(sentence("simulate.nothing_to_say"), code=EXIT_USAGE)
    output: WsJsonLines | WsTable = WsJsonLines() if simulation.as_json else WsTable()
    options = run_options(simulation)
    taken: list[WsTurnResult] = []
    try:
        ok = asyncio.run(_run(simulation, recordings, options, output, taken))
    except KeyboardInterrupt:
        output.summary(WsSummary(options.devices, turns=taken))
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if not ok:
        raise typer.Exit(EXIT_FAILED)


def run_options(simulation: StreamingSimulation) -> WsRunOptions:
    """The run that the command line asks for. Pure."""
    choices, shared = simulation.options, simulation.run
    return WsRunOptions(
        **asdict(shared),
        kind=DeviceKind(
            mode=ListenMode(choices.mode.value),
            codec=AudioCodec(choices.format_.value),
            wake_word=choices.wake_word,
            buffer_frames=choices.buffer_frames,
            # Decoding what nobody listens to would cost the devices of a load test their time.
            keep_audio=choices.devices == 1,
        ),
        network=NetworkOptions(choices.loss, choices.jitter / 1000, choices.latency / 1000),
        devices=choices.devices,
        device_id=simulation.device_id,
        tools=choices.tools,
        spread_s=choices.spread,
        reply_s=simulation.reply_s,
        barge_in_s=choices.barge_in,
        disconnect_after_s=choices.disconnect_after,
        stop_reading_s=choices.slow_reader,
        seed=simulation.seed,
    )


async def _run(
    simulation: StreamingSimulation,
    recordings: Sequence[Recording],
    options: WsRunOptions,
    output: WsJsonLines | WsTable,
    taken: list[WsTurnResult],
) -> bool:

    def report(turn: WsTurnResult) -> None:
        if not turn.unasked:
            taken.append(turn)
        output.result(turn)

    inputs = [await _encoded(recording, options) for recording in recordings]
    async with SimulatedDevice(simulation.server) as early:
        health = await early.wait_until_healthy(simulation.run.wait_s)
    if health.problems:
        problems = "; ".join(health.problems)
        raise CommandError(
            sentence("simulate.not_healthy", url=simulation.server.url, problems=problems),
            code=EXIT_UNREACHABLE,
        )
    try:
        store = DeviceStore(simulation.options.state)

        async def endpoint_of(identity: Identity) -> Endpoint:
            return await _endpoint(simulation, identity, store, output)

        summary = await run_streaming(endpoint_of, inputs, options, report)
    except DiscoveryError as error:
        raise CommandError(str(error)) from error
    except UnreachableError as error:
        raise CommandError(
            sentence("simulate.unreachable", url=simulation.server.url, error=error),
            code=EXIT_UNREACHABLE,
        ) from error
    except BrokenPipeError:
        raise  # whoever read the output has ended
    except OSError as error:
        raise CommandError(sentence("simulate.file_failed", error=error)) from error
    output.summary(summary)
    return summary.ok


async def _endpoint(
    simulation: StreamingSimulation,
    identity: Identity,
    store: DeviceStore,
    output: WsJsonLines | WsTable,
) -> Endpoint:
    """Where a device talks, and with which token."""

    choices, url = simulation.options, simulation.server.url
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
        token = choices.token or (kept.token if kept is not None else simulation.server.token)
        endpoint = Endpoint(socket_url(url), token)
    return endpoint if choices.frames is None else replace(endpoint, version=choices.frames)


async def _encoded(recording: Recording, options: WsRunOptions) -> EncodedSpeech:

    samples = await decode(recording.wav, max_seconds=MAX_FILE_SECONDS)
    try:
        return await asyncio.to_thread(encode_speech, recording.name, samples, options.kind.codec)
    except ValueError as error:
        raise CommandError(
            sentence("simulate.bad_recording", name=recording.name, error=error), code=EXIT_USAGE
        ) from error


_TIMES: dict[str, Callable[[WsTurnResult], float | None]] = {
    "end of speech to first audio": lambda turn: turn.first_audio_s,
    "end of speech to transcript": lambda turn: turn.transcript_s,
    "end of speech to `tts start`": lambda turn: turn.speaking_s,
    "interruption to silence": lambda turn: turn.interrupted_silence_s,
}


class WsJsonLines:
    """One JSON object a line on standard output."""

    def code(self, device_id: str, code: str) -> None:
        """Print it at once: a test approves it."""
        print_json_line({"event": "activation", "device": device_id, "code": code})

    def result(self, turn: WsTurnResult) -> None:
        print_json_line(turn.record())

    def summary(self, summary: WsSummary) -> None:
        print_json_line(summary.record())


class WsTable:
    """For people: a few lines a turn, then the times."""

    def __init__(self) -> None:
        self._console = open_console(soft_wrap=True)

    def code(self, device_id: str, code: str) -> None:
        """Print the code of the device's screen, and the command that approves it."""
        shown = f"[bold]{escape(code)}[/bold]"
        line = sentence(
            "simulate.shows_code", device=escape(device_id), shown=shown, code=escape(code)
        )
        self._console.print(line)

    def result(self, turn: WsTurnResult) -> None:
        """Print the words, what was understood, the reply, and the problems."""
        say = self._console.print
        if turn.unasked:
            line = sentence("simulate.unasked", seconds=turn.account.seconds)
            say(f"[bold]{escape(turn.device)}[/bold]  {line}")
            self._reply(turn)
            self._problems(turn)
            return
        first = sentence("simulate.no_audio")
        if turn.first_audio_s is not None:
            first = sentence("simulate.first_audio", seconds=turn.first_audio_s)
        number = sentence("simulate.turn", number=turn.index)
        length = sentence("simulate.of_speech", seconds=turn.speech_s)
        say(
            f"[bold]{escape(turn.device)} {number}[/bold]  {escape(turn.said)}"
            f"  [dim]{length}[/dim]  {first}"
        )
        nothing = f"[dim]{sentence('simulate.nothing')}[/dim]"
        say(f"  heard   {escape(turn.heard) or nothing}")
        self._reply(turn)

    def _reply(self, turn: WsTurnResult) -> None:
        say = self._console.print
        if turn.sentences:
            say(f"  reply   {escape(' '.join(turn.sentences))}")
        if turn.interrupted_silence_s is not None:
            after = sentence("simulate.silent_after", ms=1000 * turn.interrupted_silence_s)
            say(f"  silent  {after}")
        if turn.saved is not None:
            say(f"  saved   {escape(str(turn.saved))}")
        if turn.provoked and turn.closed:
            say(f"  ended   {escape(turn.closed)}")
        self._problems(turn)

    def _problems(self, turn: WsTurnResult) -> None:
        for problem in turn.problems:
            self._console.print(f"  [red]failed  {escape(problem)}[/red]")

    def summary(self, summary: WsSummary) -> None:
        """Print times, playback figures, and whether all was well."""
        say = self._console.print
        if summary.turns:
            say(_time_table(summary))
        record = summary.record()
        many = "simulate.one_device" if summary.devices == 1 else "simulate.devices"
        turns = "simulate.count_turn" if len(summary.turns) == 1 else "simulate.count_turns"
        playback = sentence(
            "simulate.playback",
            packets=record["packets"],
            starvations=record["starvations"],
            starved_s=record["starved_s"],
            overflowed=record["overflowed"],
            dropped=record["dropped"],
            out_of_order=record["out_of_order"],
            lost=summary.lost_segments,
            reconnections=summary.reconnections,
        )
        say(
            f"{sentence(many, count=summary.devices)},"
            f" {sentence(turns, count=len(summary.turns), failed=summary.failed_turns)}; {playback}"
        )
        for reason in summary.unreachable:
            say(f"[red]{escape(reason)}[/red]")
        if summary.until is not None:
            key = "simulate.reply_matched" if summary.matched else "simulate.no_reply_matched"
            line = escape(sentence(key, pattern=repr(summary.until)))
            say(line, style=None if summary.matched else "red")
        if summary.unasked:
            count = len(summary.unasked)
            key = "simulate.unasked_once" if count == 1 else "simulate.unasked_often"
            say(sentence(key, count=count))
        elif not summary.turns:
            say(sentence("simulate.nothing_spoken"))


def _time_table(summary: WsSummary) -> Table:
    table = Table(box=box.SIMPLE)
    for name in ("seconds", "p50", "p95", "longest", "turns"):
        table.add_column(name, justify="left" if name == "seconds" else "right")
    for name, of in _TIMES.items():
        times = list(summary.times(of))
        if times:
            row = (percentile(times, 0.5), percentile(times, 0.95), max(times))
            table.add_row(name, *(f"{value:.2f}" for value in row), str(len(times)))
    return table
