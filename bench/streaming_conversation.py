"""Conversations of a simulated device in real time: how long it waits for an answer.

The real application with its engines answers over a real socket. The device speaks recorded
sentences in real time and measures by its own clock. It waits for the end of a reply before it
speaks again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from lobug.access.callers import device_key
from lobug.conversation.prompt import make_persona, prefix
from lobug.conversation.registry import conversation_of
from lobug.engines.base import SHARED_PREFIX_LANE
from lobug.memory.model import ConversationKey
from lobug.server import LobugServer
from lobug.settings import Settings
from lobug.simulator.discovery import SOCKET_PATH, Endpoint, identity_of
from lobug.simulator.results import WsTurnResult
from lobug.simulator.streaming_device import SimulatedWsDevice
from lobug.turn.timeline import Outcome, Timeline, TurnCounts
from recorded_speech import Said
from sequential_server import SequentialServer, SequentialTurn

STAGES = (
    "transcript",
    "recall",
    "first_token",
    "first_piece",
    "first_audio",
    "endpoint",
    "first_audio_sent",
)
"""Stages of a timeline, in the usual order of their ends. Times are seconds after the last voiced
sample that the server found. Work that was prepared at a pause ends before the endpoint."""

REST_S = 3.0
"""Pause after a sequential turn, seconds: background work that it interrupted, such as reading a
prompt ahead, must not slow the streamed turn."""

MOST_APART_S = 0.35
"""Seconds by which the server may find the end of speech earlier than the gate in the whole clip.
If it is earlier, the server did not hear the whole clip: a pause that ends an utterance is
longer."""

_STORED_S = 5.0
"""How long a turn may take to be stored once it is played."""

Progress = Callable[[str], None]
"""Callback for progress messages."""


@dataclass(frozen=True, slots=True)
class StreamedTurn:
    """One turn by the device's clock. Seconds."""

    said: str
    first_audio_s: float | None
    """From the last voiced sample, as the gate finds it in the whole clip, to the first sample
    that the loudspeaker plays; None: there was none, or ``too_early``."""
    first_audio_after_sound_s: float | None
    """The same from the last 10 ms that are not silent (``ws_speech.speech_bounds``)."""
    first_packet_s: float | None
    """From the gate's last voiced sample until the first audio packet came."""
    too_early: bool
    """The server ended the utterance before everything was said; there are no times then."""
    problems: tuple[str, ...]


@dataclass(slots=True)
class Speculation:
    """Replies prepared at pauses, over several turns."""

    started: int = 0
    discarded: int = 0
    wasted_s: float = 0.0
    """Seconds from the start of each discarded preparation to its end; not CPU time."""

    def add(self, counts: TurnCounts) -> None:
        """Add the counts of a turn."""
        self.started += counts.speculations_started
        self.discarded += counts.speculations_discarded
        self.wasted_s += counts.wasted_s


@dataclass(slots=True)
class Conversation:
    """Measurements of one conversation."""

    turns: list[StreamedTurn] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=dict)
    """Times of all answered turns, by stage."""
    speculation: Speculation = field(default_factory=Speculation)
    sequential: list[tuple[SequentialTurn, StreamedTurn]] = field(default_factory=list)
    """Turns of the sequential server, each with the streamed turn of the same clip."""

    @property
    def answered(self) -> list[float]:
        """First audio of the turns that have one, seconds."""
        return [t.first_audio_s for t in self.turns if t.first_audio_s is not None]


async def converse(
    server: LobugServer,
    url: str,
    clips: Sequence[Said],
    turns: int,
    sequential: int,
    report: Progress,
) -> Conversation:
    """Hold a conversation of ``turns`` answered turns, if there are clips enough.

    The sequential server answers ``sequential`` of the clips too, evenly spread: each just before
    the streamed conversation, with the same history and memory.
    """
    await _wait_until_read(server)
    measured = Conversation()
    every = max(1, turns // sequential) if sequential else 0
    name = identity_of(None, 0).device_id
    async with AsyncExitStack() as stack:
        device = await stack.enter_async_context(device_of(url, 0))
        await device.connect()
        sequential_server = SequentialServer(server, _owner(server, name))
        sequential_device = (
            await stack.enter_async_context(sequential_server.serving()) if sequential else None
        )
        for n, said in enumerate(clips):
            if len(measured.answered) >= turns:
                break
            theirs = None
            # From the second half of a stretch on, so that the conversation has a history.
            if (
                sequential_device is not None
                and n % every == every // 2
                and len(measured.sequential) < sequential
            ):
                theirs = await sequential_server.turn(sequential_device, said)
                report(f"sequential: {_shown(theirs.first_audio_s)}")
                await asyncio.sleep(REST_S)
            ours = await streamed(server, device, said)
            measured.turns.append(ours)
            if theirs is not None:
                measured.sequential.append((theirs, ours))
            report(f"turn {len(measured.answered)} of {turns}: {_shown(ours.first_audio_s)}")
    for timeline in timelines(server, name):
        measured.speculation.add(timeline.counts)
        if timeline.outcome is Outcome.RESPOND:
            _add_stages(measured.stages, timeline)
    return measured


@dataclass(slots=True)
class Compared:
    """The same clips with speculation and without it."""

    with_s: list[float] = field(default_factory=list)
    """First audio, seconds, of clips that were answered both ways."""
    without_s: list[float] = field(default_factory=list)
    speculation: Speculation = field(default_factory=Speculation)
    too_early: int = 0
    """Turns, with and without, that the server ended before everything was said."""
    unanswered: int = 0
    """Clips that were not answered both with and without speculation."""


class SpeculationRun:
    """Two devices at one server: one with ``listening.speculate``, one without.

    An async context manager; each device takes ``warm_up`` as its first turn, unmeasured.
    """

    def __init__(self, server: LobugServer, url: str, warm_up: Said) -> None:
        self._server = server
        self._warm_up = warm_up
        self._devices = {True: device_of(url, 1), False: device_of(url, 2)}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> SpeculationRun:
        """Connect both."""
        usual = self._server.settings
        try:
            for speculate, device in self._devices.items():
                # A connection keeps the settings of its beginning.
                self._server.settings = _speculating(usual, speculate=speculate)
                await self._stack.enter_async_context(device)
                await device.connect()
                await device.turn(self._warm_up.speech)
        finally:
            self._server.settings = usual
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Disconnect both."""
        await self._stack.aclose()

    async def compare(self, clips: Sequence[Said], report: Progress) -> Compared:
        """Speak each clip with speculation and without it; which is first alternates."""
        compared = Compared()
        name = self._devices[True].identity.device_id
        known = {timeline.id for timeline in timelines(self._server, name)}
        for n, said in enumerate(clips):
            found: dict[bool, StreamedTurn] = {}
            for speculate in (True, False) if n % 2 == 0 else (False, True):
                found[speculate] = await streamed(self._server, self._devices[speculate], said)
            report(
                f"clip {n + 1} of {len(clips)}: {_shown(found[True].first_audio_s)},"
                f" without speculation {_shown(found[False].first_audio_s)}"
            )
            ours, theirs = found[True].first_audio_s, found[False].first_audio_s
            compared.too_early += found[True].too_early + found[False].too_early
            if ours is None or theirs is None:
                compared.unanswered += 1
            else:
                compared.with_s.append(ours)
                compared.without_s.append(theirs)
        for timeline in timelines(self._server, name):
            if timeline.id not in known:
                compared.speculation.add(timeline.counts)
        return compared


def device_of(url: str, index: int) -> SimulatedWsDevice:
    """A device of its own that talks to the server at ``url``."""
    endpoint = Endpoint(url.replace("http://", "ws://", 1) + SOCKET_PATH)
    return SimulatedWsDevice(identity_of(None, index), endpoint, reply_s=60.0)


async def streamed(server: LobugServer, device: SimulatedWsDevice, said: Said) -> StreamedTurn:
    """Speak a clip, and wait until the reply has been played and stored."""
    if not device.connected:
        await device.connect_again(3)
    name = device.identity.device_id
    before = len(timelines(server, name))
    result = await device.turn(said.speech)
    found = timelines(server, name)[before:]
    until = time.monotonic() + _STORED_S
    while result.first_audio_s is not None and not found and time.monotonic() < until:
        await asyncio.sleep(0.05)
        found = timelines(server, name)[before:]
    return turn_of(said, result, found[0].timings() if found else {})


def turn_of(said: Said, result: WsTurnResult, timings: Mapping[str, float]) -> StreamedTurn:
    """A device's result, counted from the gate's last voiced sample. ``timings``: the server's own,
    from where it saw the end of speech. Pure."""
    first_audio_s = result.first_audio_s
    too_early = result.cut_short_s is not None
    if first_audio_s is not None:
        first_audio_s += said.after_gate_s
        # If the server answers only a part, it counts from the end of that part.
        sent_s = timings.get("first_audio_sent", first_audio_s)
        too_early = too_early or sent_s - first_audio_s > MOST_APART_S

    def time_of(seconds: float | None) -> float | None:
        return None if too_early else seconds

    packet_s = result.first_packet_s
    return StreamedTurn(
        said.clip.name,
        time_of(first_audio_s),
        time_of(result.first_audio_s),
        time_of(None if packet_s is None else packet_s + said.after_gate_s),
        too_early,
        result.problems,
    )


def timelines(server: LobugServer, device: str) -> list[Timeline]:
    """Timelines of a device's turns, oldest first."""
    kept = server.telemetry.turns.newest(server.settings.telemetry.turns_kept)
    found = [turn.timeline for turn in kept if turn.timeline.device.lower() == device.lower()]
    return found[::-1]


async def _wait_until_read(server: LobugServer) -> None:
    """Wait until the model has read the personality, which it does after every start."""
    settings = server.settings.conversation
    persona = make_persona(settings.persona, ignore_and_react=settings.ignore_and_react)
    await server.engines.chat.prefill(prefix(persona, ""), SHARED_PREFIX_LANE)


def _owner(server: LobugServer, device: str) -> ConversationKey:
    return conversation_of(device_key(device), server.settings.conversation.users)


def _speculating(settings: Settings, *, speculate: bool) -> Settings:
    listening = settings.listening.model_copy(update={"speculate": speculate})
    return settings.model_copy(update={"listening": listening})


def _add_stages(stages: dict[str, list[float]], timeline: Timeline) -> None:
    timings = timeline.timings()
    for stage in STAGES:
        if stage in timings:
            stages.setdefault(stage, []).append(timings[stage])


def _shown(seconds: float | None) -> str:
    return "no time" if seconds is None else f"{seconds:.2f} s"
