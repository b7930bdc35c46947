"""Runs of simulated devices: the plan of turns, a run by HTTP, a run of streaming devices."""

from __future__ import annotations

import asyncio
import os
import random
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lobug.simulator.device_tools import DeviceTools
from lobug.simulator.discovery import DiscoveryError, Endpoint, Identity, identity_of
from lobug.simulator.http_device import SimulatedDevice
from lobug.simulator.link import LinkError, NetworkOptions
from lobug.simulator.recordings import EncodedSpeech, Recording
from lobug.simulator.results import Result, Summary, TurnResult, WsSummary, WsTurnResult
from lobug.simulator.session import DeviceKind
from lobug.simulator.streaming_device import BargeIn, SimulatedWsDevice, TurnFaults

DEFAULT_MAX_TURNS = 20
"""Turns after which ``--until`` gives up when nothing else is said."""


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """Decides which input is next, and when the run is over.

    Without ``until`` every input is used once (or, with ``max_turns``, over and over up to that
    number of turns). With it, inputs are used in order, over and over, until a response matches.
    """

    inputs: int
    until: re.Pattern[str] | None = None
    max_turns: int | None = None

    @property
    def limit(self) -> int:
        """The most turns that are taken."""
        if self.max_turns is not None:
            return self.max_turns
        if self.until is None:
            return self.inputs
        return max(DEFAULT_MAX_TURNS, self.inputs)

    def matches(self, response: str) -> bool:
        """Whether a response is the one that was waited for."""
        return self.until is not None and self.until.search(response) is not None

    def next_input(self, turns_done: int, *, matched: bool) -> int | None:
        """Index of the input of the next turn; None: the run is over."""
        if matched or self.inputs == 0 or turns_done >= self.limit:
            return None
        return turns_done % self.inputs


class UnreachableError(Exception):
    """The server was not healthy in time; the text says why."""


def file_words(said: str) -> str:
    """What was said, or a recording's name, as part of a file name. Pure."""
    said = re.sub(r"\.(wav|wave)$", "", said.lower())
    words = re.sub(r"[^a-z0-9]+", "-", said).strip("-")[:40].strip("-")
    return words or "reply"


def save_reply(path: Path, wav: bytes) -> None:
    """Write a file that only its owner can read: replies may hold what Lo-Bug knows of a person."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(wav)


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


Input = Recording | str
"""What a turn says: a recording, or text that is typed."""


async def run_http(
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
    turn = replace(turn, problems=(*turn.problems, *unmet_by_reply(turn, options)))
    if turn.wav and options.replies_dir is not None:
        path = options.replies_dir / http_reply_name(turn)
        await asyncio.to_thread(save_reply, path, turn.wav)
        turn = replace(turn, saved=path)
    return turn


def unmet_by_reply(turn: TurnResult, options: RunOptions) -> list[str]:
    """What the caller expects of a turn beyond the contract, as sentences. Pure."""
    if not turn.ok or not turn.spoken:
        return []
    problems = []
    if options.expect_speech and not turn.transcription.strip():
        problems.append("speech was sent but nothing was transcribed")
    if options.expect_voice and turn.action == "respond" and not turn.wav:
        problems.append("the reply has no audio")
    return problems


def http_reply_name(turn: TurnResult) -> str:
    """File name of a reply: its turn and what was said to it. Pure."""
    return f"{turn.index:03d}-{file_words(turn.said)}.wav"


_LOOK_S = 1.0
"""Seconds between two looks whether an idle device is still connected."""

ATTEMPTS = 6
"""How often a device tries to connect again after it lost its connection."""


@dataclass(frozen=True, slots=True)
class WsRunOptions(RunOptions):
    """Options of a run of streaming devices: the devices, and the faults they provoke. Turns are
    counted for each device."""

    kind: DeviceKind = field(default_factory=DeviceKind)
    network: NetworkOptions = field(default_factory=NetworkOptions)
    devices: int = 1
    device_id: str | None = None
    """Id of the first device; None: ``FIRST_DEVICE_ID``."""
    tools: bool = False
    spread_s: float = 0.0
    """The devices start at random times within this many seconds."""
    reply_s: float = 30.0
    """How long a device waits for the next sign of a reply, seconds."""
    barge_in_s: float | None = None
    """Interrupt every reply, seconds after its first sample."""
    disconnect_after_s: float | None = None
    """Cut the connection in each device's first turn, seconds after it began to speak."""
    stop_reading_s: float | None = None
    """Stop reading for this long in each device's first turn, seconds."""
    seed: int = 0


async def run_streaming(
    endpoint_of: Callable[[Identity], Awaitable[Endpoint]],
    inputs: Sequence[EncodedSpeech],
    options: WsRunOptions,
    on_result: Callable[[WsTurnResult], None],
) -> WsSummary:
    """Take the turns of the plan with all devices at once. ``endpoint_of`` finds a device's
    WebSocket and token.

    Raises UnreachableError when no device could connect, OSError when a reply cannot be saved.
    """
    one_run = _Run(endpoint_of, inputs, options, on_result)
    began = asyncio.get_running_loop().time()
    try:
        async with asyncio.TaskGroup() as group:
            for index in range(options.devices):
                group.create_task(one_run.device(index), name=f"simulated device {index + 1}")
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed
    one_run.summary.seconds = asyncio.get_running_loop().time() - began
    if len(one_run.summary.unreachable) == options.devices and not one_run.summary.turns:
        raise UnreachableError(one_run.summary.unreachable[0])
    return one_run.summary


class _Run:
    """What the devices of a run share."""

    def __init__(
        self,
        endpoint_of: Callable[[Identity], Awaitable[Endpoint]],
        inputs: Sequence[EncodedSpeech],
        options: WsRunOptions,
        on_result: Callable[[WsTurnResult], None],
    ) -> None:
        self._endpoint_of = endpoint_of
        self._inputs = inputs
        self._options = options
        self._on_result = on_result
        self._plan = TurnPlan(len(inputs), options.until, options.max_turns)
        self._randomness = random.Random(options.seed)  # noqa: S311 - when a device begins
        pattern = options.until.pattern if options.until is not None else None
        self.summary = WsSummary(options.devices, until=pattern)

    async def device(self, index: int) -> None:
        options = self._options
        await asyncio.sleep(self._randomness.uniform(0.0, options.spread_s))
        identity = identity_of(options.device_id, index)
        try:
            endpoint = await self._endpoint_of(identity)
            device = SimulatedWsDevice(
                identity,
                endpoint,
                options.kind,
                network=options.network,
                tools=DeviceTools() if options.tools else None,
                reply_s=options.reply_s,
                seed=options.seed,
            )
            async with device:
                await device.connect()
                try:
                    await self._take_turns(device)
                finally:
                    self.summary.lost_segments += device.lost_segments
        except (DiscoveryError, LinkError) as error:
            self.summary.unreachable.append(f"{identity.device_id}: {error}")

    async def _take_turns(self, device: SimulatedWsDevice) -> None:
        done = 0
        while True:
            index = self._plan.next_input(done, matched=self.summary.matched)
            if index is None:
                break
            if done:
                await asyncio.sleep(self._options.pause_s)
            if not device.connected:
                await self._connect_again(device)
            await self._take(await device.turn(self._inputs[index], self._faults(done, index)))
            done += 1
            if (follow_up := await device.follow_up()) is not None:
                await self._take(follow_up)
                done += 1
        if not device.connected and self._options.disconnect_after_s is not None:
            # Also when no turn is left: the run shows whether the server takes the device back.
            await self._connect_again(device)
        if device.connected or self._options.idle_s:
            await self._stay(device)

    async def _stay(self, device: SimulatedWsDevice) -> None:
        """Stay connected, as our firmware does when the server ends an idle connection, and take
        what is said unasked."""
        until = asyncio.get_running_loop().time() + self._options.idle_s
        listening = asyncio.ensure_future(device.unasked())
        try:
            while (left_s := until - asyncio.get_running_loop().time()) > 0:
                if not device.connected:
                    await self._connect_again(device)
                await asyncio.wait([listening], timeout=min(left_s, _LOOK_S))
                if listening.done():
                    await self._take(listening.result())
                    listening = asyncio.ensure_future(device.unasked())
        finally:
            listening.cancel()

    async def _connect_again(self, device: SimulatedWsDevice) -> None:
        await device.connect_again(ATTEMPTS)
        self.summary.reconnections += 1

    def _faults(self, done: int, index: int) -> TurnFaults:
        options = self._options
        barge_in = None
        if options.barge_in_s is not None:
            words = self._inputs[(index + 1) % len(self._inputs)]
            barge_in = BargeIn(options.barge_in_s, words)
        return TurnFaults(
            barge_in=barge_in,
            disconnect_after_s=options.disconnect_after_s if done == 0 else None,
            stop_reading_s=options.stop_reading_s if done == 0 else None,
        )

    async def _take(self, turn: WsTurnResult) -> None:
        options = self._options
        turn = replace(turn, problems=(*turn.problems, *unmet_by_turn(turn, options)))
        if turn.wav and options.replies_dir is not None:
            path = options.replies_dir / streaming_reply_name(turn, several=options.devices > 1)
            await asyncio.to_thread(save_reply, path, turn.wav)
            turn = replace(turn, saved=path)
        if turn.ok and self._plan.matches(" ".join(turn.sentences)):
            self.summary.matched = True
        (self.summary.unasked if turn.unasked else self.summary.turns).append(turn)
        self._on_result(turn)


def unmet_by_turn(turn: WsTurnResult, options: WsRunOptions) -> list[str]:
    """What the caller expects of a turn beyond the protocol, as sentences. Pure."""
    if not turn.ok or turn.provoked or turn.unasked:
        return []
    problems = []
    if options.expect_speech and not turn.heard:
        problems.append("speech was sent but nothing was understood")
    if options.expect_voice and not turn.account.frames:
        problems.append("the reply has no audio")
    return problems


def streaming_reply_name(turn: WsTurnResult, *, several: bool) -> str:
    """File name of a reply: its device where there are several, its turn, its words. Pure."""
    words = f"unasked {turn.sentences[0]}" if turn.unasked and turn.sentences else turn.said
    name = f"{turn.index:03d}-{file_words(words)}.wav"
    return f"{turn.device.replace(':', '')}-{name}" if several else name
