"""One device of a soak, with its owner: carries out the plan, by HTTP or by WebSocket."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx
import numpy as np

from lobug.audio import wav
from lobug.devices.frames import AudioCodec
from lobug.engines.base import STT_SAMPLE_RATE
from lobug.simulator import protocol, requests
from lobug.simulator.discovery import (
    DeviceStore,
    DiscoveryError,
    Endpoint,
    Identity,
    discover,
    identity_of,
    socket_url,
)
from lobug.simulator.http_device import SimulatedDevice
from lobug.simulator.link import Closed, LinkError, NetworkOptions, open_link
from lobug.simulator.recordings import EncodedSpeech, Recording, encode_speech
from lobug.simulator.requests import SensorModel, ServerAddress, Timeouts
from lobug.simulator.results import (
    HealthResult,
    Result,
    SensorResult,
    TurnResult,
    WsTurnResult,
)
from lobug.simulator.session import DeviceKind
from lobug.simulator.soak.plan import Action, Transport, transport_of
from lobug.simulator.streaming_device import (
    NO_FAULTS,
    BargeIn,
    SimulatedWsDevice,
    TurnFaults,
)

BEFORE_S, SPEECH_S, AFTER_S = 0.3, 0.9, 0.1
"""Parts of an utterance, seconds: silence, sound, silence."""

REPLY_S = 30.0
"""How long a device waits for a reply, real seconds."""

_ATTEMPTS = 4
_NAMES = "Rex Minka Bella Max Luna Coco Nala Sam".split()
_KINDS = "dog cat parrot rabbit".split()


@dataclass(slots=True)
class Tally:
    """Counts over all devices of a soak."""

    actions: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    """Sensor reports and health checks."""
    turns: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    """Unprovoked failures, by sentence."""
    uneven: int = 0
    """Turns whose audio came too late or too early for a device's buffer: a busy computer."""
    repeated: int = 0
    """Turns that began just as the server ended an idle connection."""

    def failed(self, action: str, why: str) -> None:
        self.failures[f"{action}: {why}"] += 1


@dataclass(frozen=True, slots=True)
class Sounds:
    """The utterance of all devices, encoded once."""

    recording: Recording
    packets: Mapping[AudioCodec, EncodedSpeech]

    @classmethod
    def make(cls) -> Sounds:
        """A tone between silences. Takes a moment: not for the event loop."""
        samples = np.zeros(round((BEFORE_S + SPEECH_S + AFTER_S) * STT_SAMPLE_RATE), np.float32)
        start, count = round(BEFORE_S * STT_SAMPLE_RATE), round(SPEECH_S * STT_SAMPLE_RATE)
        samples[start : start + count] = 0.3 * np.sin(np.arange(count) * 0.1)
        return cls(
            Recording("a tone", wav.encode(samples, STT_SAMPLE_RATE), len(samples) / 16_000),
            {codec: encode_speech("a tone", samples, codec) for codec in AudioCodec},
        )


class ForwardedIdentity(Identity):
    """A device behind a proxy: it needs approval although it runs on this computer."""

    def headers(self) -> dict[str, str]:
        """The headers of any device, and the proxy's."""
        return {**Identity.headers(self), "X-Forwarded-For": "192.0.2.7"}


class SoakDevice:
    """A device and its owner. An async context manager. Its actions do not raise: failures are
    counted in the tally."""

    def __init__(
        self, index: int, server: ServerAddress, sounds: Sounds, tally: Tally, seed: int
    ) -> None:
        self.index = index
        self.transport = transport_of(index)
        self._server = server
        self._sounds = sounds
        self._tally = tally
        self._chance = random.Random(f"{seed}/device/{index}")  # noqa: S311 - a model of people
        self.identity = identity_of(None, index)
        self._http = SimulatedDevice(
            server,
            device_id=self.identity.device_id,
            sensors=SensorModel(seed=seed + index),
            timeouts=Timeouts(turn_s=REPLY_S, health_s=REPLY_S, sensors_s=REPLY_S),
            on_result=self._heartbeat,
        )
        self._codec = AudioCodec.OPUS if index % 4 == 1 else AudioCodec.PCM
        endpoint = Endpoint(socket_url(server.url))
        self._socket = self._streaming(self.identity, endpoint)
        self._owner = httpx.AsyncClient(
            base_url=server.url,
            headers={"Device-Id": self.identity.device_id},
            timeout=REPLY_S,
            trust_env=False,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    async def __aenter__(self) -> SoakDevice:
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.hang_up()
        await self._owner.aclose()
        await self._http.__aexit__(None, None, None)

    async def do(self, action: Action) -> None:
        """Carry out an action, and count a failure."""
        self._tally.actions[action.value] += 1
        actions: dict[Action, Callable[[], Awaitable[None]]] = {
            Action.TYPE: self._type,
            Action.SPEAK: self._speak,
            Action.TELL: self._tell,
            Action.REMEMBER: self._remember,
            Action.FORGET: self._forget,
            Action.SEARCH: self._search,
            Action.EXPORT: self._export,
            Action.HALF_SENT: self._half_sent,
            Action.INTERRUPT: self._interrupt,
            Action.BREAK_OFF: self._break_off,
            Action.HANG_UP: self.hang_up,
            Action.VANISH: self._vanish,
            Action.PAIR: self._pair,
        }
        try:
            await actions[action]()
        except (LinkError, DiscoveryError, httpx.HTTPError, OSError, TimeoutError) as error:
            # Without the port, so that equal failures count as one.
            why = str(error).replace(self._server.url, "the server") or type(error).__name__
            self._tally.failed(action.value, why)

    async def beat(self) -> None:
        await self._http.send_sensors()

    async def check_health(self) -> None:
        await self._http.check_health()

    async def hang_up(self) -> None:
        """End the connection, if there is one."""
        await self._socket.close()

    # -- by HTTP ---------------------------------------------------------------------------------

    async def _type(self) -> None:
        await self._say(f"What is {self._chance.randrange(100)} and one?")

    async def _tell(self) -> None:
        await self._say(f"I have a {self._pet()}.")

    async def _remember(self) -> None:
        await self._say(f"Remember that I have a {self._pet()}.")

    async def _forget(self) -> None:
        await self._say(f"Forget that I have a {self._pet()}.")
        await self._say("Yes.")

    async def _search(self) -> None:
        self._checked("search", await self._owner.get(f"/memory/search?q={quote(self._pet())}"))

    async def _export(self) -> None:
        self._checked("export", await self._owner.get("/memory/export"))

    async def _half_sent(self) -> None:
        request = requests.audio_request(
            self._server, self._sounds.recording.wav, self.identity.device_id
        )
        head = "".join(f"{name}: {value}\r\n" for name, value in request.headers)
        url = httpx.URL(self._server.url)
        _, writer = await asyncio.open_connection(url.host, url.port)
        try:
            writer.write(f"POST {request.path} HTTP/1.1\r\n{head}\r\n".encode())
            writer.write(request.body[: len(request.body) // 2])
            await writer.drain()
        finally:
            writer.transport.abort()

    async def _say(self, text: str) -> None:
        self._http_turn(await self._http.type(text))

    def _http_turn(self, turn: TurnResult) -> None:
        self._tally.turns += 1
        for problem in turn.problems:
            self._tally.failed("turn", problem)

    def _heartbeat(self, result: Result) -> None:
        self._tally.requests += 1
        if isinstance(result, SensorResult | HealthResult):
            for problem in result.problems:
                self._tally.failed("heartbeat", problem)

    def _pet(self) -> str:
        return f"{self._chance.choice(_KINDS)} named {self._chance.choice(_NAMES)}"

    def _checked(self, action: str, response: httpx.Response) -> None:
        if response.status_code != 200:
            self._tally.failed(action, f"status {response.status_code}")

    # -- by WebSocket ----------------------------------------------------------------------------

    def _streaming(self, identity: Identity, endpoint: Endpoint) -> SimulatedWsDevice:
        kind = DeviceKind(codec=self._codec)
        return SimulatedWsDevice(identity, endpoint, kind, reply_s=REPLY_S)

    async def _speak(self) -> None:
        if self.transport is Transport.SOCKET:
            await self._talk(self._socket, NO_FAULTS)
        else:
            self._http_turn(await self._http.speak(self._sounds.recording))

    async def _interrupt(self) -> None:
        await self._talk(self._socket, TurnFaults(barge_in=BargeIn(0.4)))

    async def _break_off(self) -> None:
        after_s = self._chance.uniform(0.2, SPEECH_S + 2.0)
        await self._talk(self._socket, TurnFaults(disconnect_after_s=after_s))

    async def _vanish(self) -> None:
        def ignore(*_heard: object) -> None:
            """Received messages do not matter."""

        closed: asyncio.Future[Closed] = asyncio.get_running_loop().create_future()
        link = await open_link(
            socket_url(self._server.url),
            {
                "Protocol-Version": "1",
                "Device-Id": self.identity.device_id,
                "Client-Id": self.identity.client_id,
            },
            NetworkOptions(),
            self._chance,
            ignore,
            closed.set_result,
        )
        try:
            if self._chance.random() < 0.5:
                link.send(protocol.hello(1, self._codec.value, tools=False, echo_cancelling=False))
            await asyncio.sleep(0.2)
            link.cut()
            await asyncio.wait_for(closed, REPLY_S)
        finally:
            await link.close()

    async def _pair(self) -> None:
        identity = ForwardedIdentity(*_paired_name(self.index))
        codes: list[str] = []

        async def approve(_seconds: float) -> None:
            """The owner, while the device waits before it asks again."""
            while codes:
                answer = await self._owner.post("/devices/approve", json={"code": codes.pop()})
                self._checked("approve", answer)
            await asyncio.sleep(0.05)

        endpoint = await discover(
            self._server.url,
            identity,
            DeviceStore(None),
            show_code=lambda code, _message: codes.append(code),
            give_up_s=REPLY_S,
            pause=approve,
        )
        try:
            async with self._streaming(identity, endpoint) as device:
                await self._talk(device, NO_FAULTS)
        finally:
            path = f"/devices/{quote(identity.device_id)}"
            self._checked("revoke", await self._owner.delete(path))

    async def _talk(self, device: SimulatedWsDevice, faults: TurnFaults) -> None:
        speech = self._sounds.packets[self._codec]
        if not device.connected:
            await device.connect_again(_ATTEMPTS)
        try:
            turn = await device.turn(speech, faults)
            hung_up = turn.closed is not None and not turn.heard and not turn.provoked
        except LinkError:
            hung_up = True
        if hung_up:
            # The server ended the idle connection just as the device began.
            self._tally.repeated += 1
            await device.connect_again(_ATTEMPTS)
            turn = await device.turn(speech, faults)
        self._ws_turn(turn)

    def _ws_turn(self, turn: WsTurnResult) -> None:
        self._tally.turns += 1
        if turn.provoked:
            return
        answered = bool(turn.sentences) or turn.interrupted_silence_s is not None
        if answered and turn.closed is None and not turn.alerts:
            self._tally.uneven += bool(turn.problems)
            return
        for problem in turn.problems or ("nothing was answered",):
            self._tally.failed("turn", problem)


def _paired_name(index: int) -> tuple[str, str]:
    """Device-Id and Client-Id of the identity with which a device is paired again and again."""
    twin = identity_of("02:4c:6f:42:76:01", index)
    return twin.device_id, twin.client_id
