"""A simulated streaming device with a scripted server, for tests of the simulator."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from lobug.simulator.discovery import Endpoint, identity_of
from lobug.simulator.recordings import encode_speech
from lobug.simulator.results import WsTurnResult
from lobug.simulator.session import DeviceKind
from lobug.simulator.streaming_device import SimulatedWsDevice, TurnFaults
from support.scripted_ws import (
    Conversation,
    Script,
    ScriptedWs,
    scripted_ws,
    tone,
)

SOUND = tone(0.3)
SPEECH = encode_speech("hello.wav", SOUND)
"""5 packets; the last voiced sample is at 0.2 s."""
LISTEN_AUTO = "listen start auto"


@asynccontextmanager
async def device_at(
    server: ScriptedWs, kind: DeviceKind | None = None, **options: Any
) -> AsyncIterator[SimulatedWsDevice]:
    version = options.pop("version", 1)
    endpoint = Endpoint(server.url, options.pop("token", ""), version)
    async with SimulatedWsDevice(identity_of(None, 0), endpoint, kind, **options) as device:
        await device.connect()
        yield device


def answering(packets: list[bytes], turns: int = 1) -> Script:
    """Answers each utterance at once with these packets."""

    async def script(conversation: Conversation) -> None:
        for _ in range(turns):
            await conversation.read_until("listen", state="start")
            await conversation.read_packets(len(SPEECH.packets))
            await conversation.send("stt", text="hello bug")
            await conversation.send("llm", emotion="happy", text="🙂")
            await conversation.speak("Hello!", packets)

    return script


async def one_turn(
    script: Script, kind: DeviceKind | None = None, faults: TurnFaults | None = None, **more: Any
) -> WsTurnResult:
    async with scripted_ws(script) as server, device_at(server, kind, **more) as device:
        return await device.turn(SPEECH, faults or TurnFaults())


async def nothing_more(_conversation: Conversation) -> None:
    pass
