"""A streaming device in software: connects, takes turns, and measures by its own clock.

For a benchmark of many devices in one process: encode what is said once (``encode_speech``), give
it to any number of devices, and ``await device.turn(speech)``.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from lobug.concurrency import Backoff
from lobug.devices.messages import ListenMode
from lobug.engines.base import Samples
from lobug.simulator.device_audio import SpeakerAccount
from lobug.simulator.device_tools import DeviceTools
from lobug.simulator.discovery import Endpoint, Identity
from lobug.simulator.link import LinkError, NetworkOptions, open_link
from lobug.simulator.protocol import Event, State
from lobug.simulator.recordings import EncodedSpeech, encode_speech, reply_wav
from lobug.simulator.results import WsTurnResult
from lobug.simulator.session import DeviceKind, PendingTurn, Session

HELLO_S = 10.0
"""How long a device waits for the server's hello, seconds; the firmware's patience."""

BACKOFF = Backoff(first_s=0.5, longest_s=30.0)
"""Between attempts to connect."""
"""Pause before the first new attempt to connect, and the longest; it doubles."""


@dataclass(frozen=True, slots=True)
class BargeIn:
    """The speaker interrupts the reply."""

    after_s: float
    """Seconds into the reply, from its first sample."""
    speech: EncodedSpeech | None = None
    """What is said then: needed in manual mode, and in realtime mode unless a button is pressed.
    Its own turn is taken with ``follow_up``."""


@dataclass(frozen=True, slots=True)
class TurnFaults:
    """Faults that a turn provokes on purpose."""

    barge_in: BargeIn | None = None
    disconnect_after_s: float | None = None
    """Cut the connection without a goodbye, seconds after recording began."""
    stop_reading_s: float | None = None
    """From the reply's first packet on read nothing for this long, seconds."""


NO_FAULTS = TurnFaults()


def backoff_s(attempt: int, randomness: random.Random) -> float:
    """Seconds to wait before attempt ``attempt`` (from 1) to connect again. Random, so that the
    devices of a house do not all connect at once. Pure."""
    return BACKOFF.pause_s(attempt, chance=randomness.random())


class SimulatedWsDevice:
    """A device with the open firmware. An async context manager that closes the connection.

    ``reply_s``: how long it waits for the next sign of a reply before it gives a turn up, seconds.
    ``reaction_s``: the same, once the server has sent a face and no speech: it may be all.
    ``tools``: what the server may use; None: the device has none.
    """

    def __init__(
        self,
        identity: Identity,
        endpoint: Endpoint,
        kind: DeviceKind | None = None,
        *,
        network: NetworkOptions | None = None,
        tools: DeviceTools | None = None,
        reply_s: float = 30.0,
        reaction_s: float = 5.0,
        hello_s: float = HELLO_S,
        seed: int = 0,
    ) -> None:
        self.identity = identity
        self.kind = kind or DeviceKind()
        self.tools = tools
        self._endpoint = endpoint
        self._network = network or NetworkOptions()
        self._reply_s = reply_s
        self._reaction_s = reaction_s
        self._hello_s = hello_s
        self._randomness = random.Random(f"{seed}/{identity.device_id}")  # noqa: S311 - a model
        self._session: Session | None = None
        self._follow_up: PendingTurn | None = None
        self._turns = 0
        self._lost_segments = 0
        self._unasked: asyncio.Queue[tuple[Session, PendingTurn]] = asyncio.Queue()

    async def __aenter__(self) -> SimulatedWsDevice:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    @property
    def connected(self) -> bool:
        """Whether there is a connection, as far as the device knows."""
        return self._session is not None and not self._session.closed

    @property
    def lost_segments(self) -> int:
        """How many segments the network model has lost so far."""
        here = self._session.link.lost_segments if self._session is not None else 0
        return self._lost_segments + here

    async def connect(self) -> None:
        """Open the connection and exchange hellos. Raises LinkError."""
        await self.close()
        session = Session(self.kind, self._endpoint.version, self.tools)
        session.link = await open_link(
            self._endpoint.url,
            self._headers(),
            self._network,
            self._randomness,
            session.on_message,
            session.on_close,
        )
        self._session = session
        session.on_unasked = lambda turn: self._unasked.put_nowait((session, turn))
        session.say_hello()
        try:
            await asyncio.wait_for(session.hello, self._hello_s)
        except TimeoutError as error:
            await self.close()
            raise LinkError(f"no hello from the server within {self._hello_s:g} s") from error
        except LinkError:
            await self.close()
            raise

    async def connect_again(self, attempts: int) -> int:
        """Connect after the connection was lost, with growing pauses. Returns how many attempts it
        took. Raises LinkError when all have failed."""
        for attempt in range(1, attempts + 1):
            try:
                await self.connect()
            except LinkError:
                if attempt == attempts:
                    raise
                await asyncio.sleep(backoff_s(attempt, self._randomness))
            else:
                return attempt
        raise LinkError("no attempt was allowed")

    async def close(self) -> None:
        """End the connection. Safe to call twice."""
        session, self._session = self._session, None
        self._follow_up = None
        if session is not None:
            session.end()
            await session.link.close()
            self._lost_segments += session.link.lost_segments

    async def turn(
        self, speech: EncodedSpeech | Samples, faults: TurnFaults = NO_FAULTS
    ) -> WsTurnResult:
        """Say something and wait until the reply is played. Samples are 16 kHz.

        What goes wrong is a problem of the result, never an exception. When nothing comes, the
        device ends the connection. Raises LinkError when there is none.
        """
        if not isinstance(speech, EncodedSpeech):
            speech = await asyncio.to_thread(encode_speech, "speech", speech, self.kind.codec)
        session = self._open_session()
        provoked = _FaultTimers(session, faults, self._interrupt)
        turn = session.begin_turn(speech, provoked.recording_began, provoked.reply_began)
        provoked.turn = turn
        if session.machine.state is State.IDLE:
            session.press(self._wake_event())
        try:
            return await self._outcome(session, turn, speech)
        finally:
            provoked.cancel()

    async def follow_up(self) -> WsTurnResult | None:
        """The turn of the speech that interrupted the last turn; None: nothing interrupted it."""
        turn, self._follow_up = self._follow_up, None
        if turn is None or self._session is None:
            return None
        return await self._outcome(self._session, turn, None)

    async def unasked(self) -> WsTurnResult:
        """What the server says next without being asked, or has said since the last call; waits for
        its end."""
        session, turn = await self._unasked.get()
        return await self._result(session, turn, await turn.done)

    def _open_session(self) -> Session:
        if self._session is None or self._session.closed:
            raise LinkError("the device is not connected")
        return self._session

    def _headers(self) -> dict[str, str]:
        token = self._endpoint.token
        headers = {} if not token else {"Authorization": f"Bearer {token}"}
        return headers | {
            "Protocol-Version": str(self._endpoint.version),
            "Device-Id": self.identity.device_id,
            "Client-Id": self.identity.client_id,
        }

    def _wake_event(self) -> Event:
        if self.kind.mode is ListenMode.MANUAL:
            return Event.HELD
        return Event.BUTTON if self.kind.wake_word is None else Event.WAKE_WORD

    async def _outcome(
        self, session: Session, turn: PendingTurn, speech: EncodedSpeech | None
    ) -> WsTurnResult:
        loop = asyncio.get_running_loop()
        recorded_by = loop.time() + (speech.seconds if speech is not None else 0.0)
        while not turn.done.done():
            recorder = turn.recorder
            reacted = bool(recorder.emotions) and recorder.speaking_at is None
            patience_s = min(self._reaction_s, self._reply_s) if reacted else self._reply_s
            left_s = max(session.last_heard_at, recorded_by) + patience_s - loop.time()
            if left_s > 0:
                await asyncio.wait([turn.done], timeout=min(left_s, self._reaction_s))
                continue
            session.give_up(turn)
            if not reacted:
                recorder.problem(f"nothing came from the server for {self._reply_s:g} s")
                # As a user would switch it off: a late reply must not answer the next turn.
                await self.close()
        return await self._result(session, turn, turn.done.result())

    async def _result(
        self, session: Session, turn: PendingTurn, account: SpeakerAccount
    ) -> WsTurnResult:
        self._turns += 1
        result = turn.recorder.result(self.identity.device_id, self._turns, account)
        if turn.recorder.packets:
            packets = turn.recorder.packets
            sound = await asyncio.to_thread(reply_wav, packets, session.downlink)
            result = replace(result, wav=sound)
        return result

    def _interrupt(self, session: Session, turn: PendingTurn, speech: EncodedSpeech | None) -> None:
        """Interrupt the reply, as ``BargeIn`` says; nothing when the reply is over."""
        if session.machine.state is not State.SPEAKING or turn.recorder.complete:
            return
        recorder = turn.recorder
        now = asyncio.get_running_loop().time()
        if self.kind.mode is ListenMode.REALTIME and speech is not None:
            start_s = speech.speech_start_s

            def begun(at: float) -> None:
                recorder.interrupted_at = at + start_s

            self._follow_up = session.begin_turn(speech, begun)
            return
        recorder.interrupted_at = now
        if self.kind.mode is ListenMode.MANUAL:
            if speech is not None:
                self._follow_up = session.begin_turn(speech)
            session.press(Event.HELD)
        else:
            session.press(self._wake_event())


class _FaultTimers:
    """Timers that provoke the faults of a turn."""

    turn: PendingTurn

    def __init__(
        self,
        session: Session,
        faults: TurnFaults,
        interrupt: Callable[[Session, PendingTurn, EncodedSpeech | None], None],
    ) -> None:
        self._session = session
        self._faults = faults
        self._interrupt = interrupt
        self._loop = asyncio.get_running_loop()
        self._timers: list[asyncio.TimerHandle] = []

    def recording_began(self, at: float) -> None:
        """Start the timer of the disconnection. ``at``: when recording began."""
        if self._faults.disconnect_after_s is not None:
            when = at + self._faults.disconnect_after_s
            self._timers.append(self._loop.call_at(when, self._disconnect))

    def reply_began(self, at: float) -> None:
        """Start the faults of the reply. ``at``: when its first sample is played."""
        barge_in, pause_s = self._faults.barge_in, self._faults.stop_reading_s
        if barge_in is not None:
            when = at + barge_in.after_s
            self._timers.append(self._loop.call_at(when, self._barge_in, barge_in))
        if pause_s is not None:
            self.turn.recorder.provoked = True
            self._session.link.stop_reading()
            # Not cancelled with the turn: the device must read again when a turn is given up.
            self._loop.call_later(pause_s, self._session.link.read_on)

    def cancel(self) -> None:
        """Cancel the timers: the turn is over."""
        for timer in self._timers:
            timer.cancel()

    def _barge_in(self, barge_in: BargeIn) -> None:
        self._interrupt(self._session, self.turn, barge_in.speech)

    def _disconnect(self) -> None:
        self.turn.recorder.provoked = True
        self._session.link.cut()
