"""One run of streaming devices: each connects, takes the turns of the plan, and is counted."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lobug.simulator.runs import TurnPlan, UnreachableError, file_words, save_reply
from lobug.simulator.streaming.device import BargeIn, SimulatedWsDevice, TurnFaults
from lobug.simulator.streaming.discovery import (
    DiscoveryError,
    Endpoint,
    Identity,
    identity_of,
)
from lobug.simulator.streaming.link import LinkError
from lobug.simulator.streaming.network import NetworkOptions
from lobug.simulator.streaming.results import WsSummary, WsTurnResult
from lobug.simulator.streaming.session import DeviceKind
from lobug.simulator.streaming.speech import EncodedSpeech
from lobug.simulator.streaming.tools import DeviceTools

ATTEMPTS = 6
"""How often a device tries to connect again after it lost its connection."""


@dataclass(frozen=True, slots=True)
class WsRunOptions:
    """The devices of a run, the faults they provoke, and what is expected of the replies."""

    kind: DeviceKind = field(default_factory=DeviceKind)
    network: NetworkOptions = field(default_factory=NetworkOptions)
    devices: int = 1
    device_id: str | None = None
    """Id of the first device; None: ``FIRST_DEVICE_ID``."""
    tools: bool = False
    until: re.Pattern[str] | None = None
    max_turns: int | None = None
    """Of each device."""
    pause_s: float = 0.0
    """Between two turns of a device, seconds."""
    spread_s: float = 0.0
    """The devices start at random times within this many seconds."""
    idle_s: float = 0.0
    """How long they stay connected after their last turn, seconds."""
    reply_s: float = 30.0
    barge_in_s: float | None = None
    """Interrupt every reply, seconds after its first sample."""
    disconnect_after_s: float | None = None
    """Cut the connection in each device's first turn, seconds after it began to speak."""
    stop_reading_s: float | None = None
    """Stop reading for this long in each device's first turn, seconds."""
    expect_speech: bool = False
    """A turn in which nothing was understood is a failure."""
    expect_voice: bool = False
    """A turn without audio is a failure."""
    replies_dir: Path | None = None
    """Where replies are saved; None: nowhere."""
    seed: int = 0


async def run(
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
        """All turns of one device."""
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
        if device.connected:
            await asyncio.sleep(self._options.idle_s)

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
        turn = replace(turn, problems=(*turn.problems, *unmet(turn, options)))
        if turn.wav and options.replies_dir is not None:
            path = options.replies_dir / reply_name(turn, several=options.devices > 1)
            await asyncio.to_thread(save_reply, path, turn.wav)
            turn = replace(turn, saved=path)
        if turn.ok and self._plan.matches(" ".join(turn.sentences)):
            self.summary.matched = True
        self.summary.turns.append(turn)
        self._on_result(turn)


def unmet(turn: WsTurnResult, options: WsRunOptions) -> list[str]:
    """What the caller expects of a turn beyond the protocol, as sentences. Pure."""
    if not turn.ok or turn.provoked:
        return []
    problems = []
    if options.expect_speech and not turn.heard:
        problems.append("speech was sent but nothing was understood")
    if options.expect_voice and not turn.account.frames:
        problems.append("the reply has no audio")
    return problems


def reply_name(turn: WsTurnResult, *, several: bool) -> str:
    """File name of a reply: its device where there are several, its turn, its words. Pure."""
    name = f"{turn.index:03d}-{file_words(turn.said)}.wav"
    return f"{turn.device.replace(':', '')}-{name}" if several else name
