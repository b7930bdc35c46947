"""The devices of ``streaming_load`` and ``fleet_load``, in a process of their own, so that their
work does not slow a server's event loop.

The process connects all devices and prints ``connected``. On a line of JSON on standard input
(``Talk``) some of them talk, and it prints one JSON object. On an empty line it ends.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import random
import sys
import time
import wave
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lobug.devices.frames import AudioCodec
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.simulator.discovery import SOCKET_PATH, Endpoint, identity_of
from lobug.simulator.recordings import EncodedSpeech, encode_speech
from lobug.simulator.results import WsTurnResult
from lobug.simulator.session import DeviceKind
from lobug.simulator.soak.engines import STEPS
from lobug.simulator.streaming_device import SimulatedWsDevice
from stepped_tone import missing

BEFORE_S, SPEECH_S, AFTER_S = 0.3, 1.2, 0.1
"""Parts of every device's utterance, seconds: silence, sound, silence."""

PAUSE_S = 0.6
"""Longest pause of a device between two turns, seconds."""


@dataclass(frozen=True, slots=True)
class Talk:
    """Who talks, and how much."""

    talking: int
    """Devices that talk Opus."""
    pcm: int
    """Devices that talk PCM, besides."""
    turns: int
    """Of each of them."""
    spread: float
    """They begin within so many seconds."""


@dataclass(frozen=True, slots=True)
class Devices:
    """The process of the devices."""

    process: asyncio.subprocess.Process

    async def talk(self, talk: Talk) -> dict[str, Any]:
        """Let some of them talk. Returns what came of it (``summary``), and the seconds it took."""
        await self.say(json.dumps(asdict(talk)))
        found: dict[str, Any] = json.loads(await self.line())
        return found

    async def say(self, command: str) -> None:
        """Send a command; an empty one ends the process."""
        assert self.process.stdin is not None  # noqa: S101 - for the type checker
        self.process.stdin.write(f"{command}\n".encode())
        await self.process.stdin.drain()

    async def line(self) -> bytes:
        """Its next line. Ends this program where there is none."""
        assert self.process.stdout is not None  # noqa: S101 - for the type checker
        line = await self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the devices' process ended early, with {await self.process.wait()}")
        return line


@asynccontextmanager
async def devices_of(urls: Sequence[str], connected: int, pcm: int = 0) -> AsyncIterator[Devices]:
    """Devices of servers, once all are connected: each next one at the next server. ``pcm`` of them
    talk PCM, the others Opus."""
    sockets = [url.replace("http://", "ws://", 1) + SOCKET_PATH for url in urls]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        __file__,
        *("--url", *sockets, f"--connected={connected}", f"--pcm={pcm}"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 24,
    )
    devices = Devices(process)
    try:
        if await devices.line() != b"connected\n":
            raise SystemExit("the devices could not connect")
        yield devices
        await devices.say("")
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def main() -> None:
    """Connect, talk as often as is asked for, end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True, nargs="+", help="of the WebSocket of each server")
    parser.add_argument("--connected", type=int, required=True, help="devices in all")
    parser.add_argument("--pcm", type=int, required=True, help="those that talk PCM")
    options = parser.parse_args()
    codecs = [AudioCodec.OPUS] * (options.connected - options.pcm)
    codecs += [AudioCodec.PCM] * options.pcm
    async with AsyncExitStack() as stack:
        devices = []
        for index, codec in enumerate(codecs):
            kind = DeviceKind(codec=codec, keep_audio=True)
            endpoint = Endpoint(options.url[index % len(options.url)])
            device = SimulatedWsDevice(identity_of(None, index), endpoint, kind)
            devices.append(await stack.enter_async_context(device))
            await device.connect()
        print("connected", flush=True)
        speech = {codec: spoken(codec) for codec in AudioCodec}
        randomness = random.Random(1)  # noqa: S311 - when a device speaks
        while command := (await asyncio.to_thread(sys.stdin.readline)).strip():
            talk = Talk(**json.loads(command))
            talking = devices[: talk.talking] + devices[len(devices) - talk.pcm :]
            began = time.monotonic()
            turns = await asyncio.gather(
                *(_talk(device, speech[device.kind.codec], talk, randomness) for device in talking)
            )
            seconds = time.monotonic() - began
            found = summary([turn for some in turns for turn in some])
            print(json.dumps({"seconds": seconds, **found}), flush=True)


def spoken(codec: AudioCodec) -> EncodedSpeech:
    """The utterance of every device."""
    samples = np.zeros(round((BEFORE_S + SPEECH_S + AFTER_S) * STT_SAMPLE_RATE), np.float32)
    start, count = round(BEFORE_S * STT_SAMPLE_RATE), round(SPEECH_S * STT_SAMPLE_RATE)
    samples[start : start + count] = 0.3 * np.sin(np.arange(count) * 0.1)
    return encode_speech("a tone", samples, codec)


def summary(turns: Sequence[WsTurnResult]) -> dict[str, object]:
    """Figures over all turns of all devices. Pure."""
    problems = Counter(problem for turn in turns for problem in turn.problems)
    faults = Counter(fault for turn in turns if turn.wav for fault in _faults(turn.wav))
    accounts = [turn.account for turn in turns]
    return {
        "turns": len(turns),
        "without_audio": sum(turn.first_audio_s is None for turn in turns),
        "first_audio_s": [t.first_audio_s for t in turns if t.first_audio_s is not None],
        "packets": sum(account.frames for account in accounts),
        "replies_with_faults": sum(bool(_faults(turn.wav)) for turn in turns if turn.wav),
        "faults": dict(faults),
        "out_of_order": sum(turn.out_of_order for turn in turns),
        "dropped": sum(turn.dropped for turn in turns),
        "overflowed": sum(account.overflowed for account in accounts),
        "starvations": sum(account.starvations for account in accounts),
        "problems": dict(problems),
    }


def _faults(reply: bytes) -> list[str]:
    sound, rate = _samples(reply)
    return missing(sound, rate, STEPS)


def _samples(reply: bytes) -> tuple[Samples, int]:
    with wave.open(io.BytesIO(reply)) as opened:
        pcm = np.frombuffer(opened.readframes(opened.getnframes()), "<i2")
        return pcm.astype(np.float32) / np.float32(32768), opened.getframerate()


async def _talk(
    device: SimulatedWsDevice,
    speech: EncodedSpeech,
    talk: Talk,
    randomness: random.Random,
) -> list[WsTurnResult]:
    await asyncio.sleep(randomness.uniform(0.0, talk.spread))
    results = []
    for _ in range(talk.turns):
        if not device.connected:
            await device.connect_again(3)
        results.append(await device.turn(speech))
        await asyncio.sleep(randomness.uniform(0.0, PAUSE_S))
    return results


if __name__ == "__main__":
    asyncio.run(main())
