"""The devices of ``streaming_load``, in a process of their own, so that their work does not slow
the server's event loop.

The process connects all devices and prints ``connected``. On a line on standard input they talk,
and it prints one JSON object. On the next line it ends.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import random
import sys
import wave
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack

import numpy as np

from lobug.devices.frames import AudioCodec
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.simulator.discovery import Endpoint, identity_of
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


async def main() -> None:
    """Connect, talk, end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True, help="of the WebSocket")
    parser.add_argument("--connected", type=int, required=True, help="devices in all")
    parser.add_argument("--talking", type=int, required=True, help="those that talk Opus")
    parser.add_argument("--pcm", type=int, required=True, help="those that talk PCM")
    parser.add_argument("--turns", type=int, required=True, help="of each device that talks")
    parser.add_argument("--spread", type=float, required=True, help="they begin within, seconds")
    options = parser.parse_args()
    codecs = [AudioCodec.OPUS] * (options.connected - options.pcm)
    codecs += [AudioCodec.PCM] * options.pcm
    async with AsyncExitStack() as stack:
        devices = []
        for index, codec in enumerate(codecs):
            kind = DeviceKind(codec=codec, keep_audio=True)
            endpoint = Endpoint(options.url)
            device = SimulatedWsDevice(identity_of(None, index), endpoint, kind)
            devices.append(await stack.enter_async_context(device))
            await device.connect()
        print("connected", flush=True)
        await _next_command()
        talking = devices[: options.talking] + devices[options.connected - options.pcm :]
        speech = {codec: spoken(codec) for codec in AudioCodec}
        randomness = random.Random(1)  # noqa: S311 - when a device speaks
        turns = await asyncio.gather(
            *(_talk(d, speech[d.kind.codec], options, randomness) for d in talking)
        )
        print(json.dumps(summary([turn for some in turns for turn in some])), flush=True)
        await _next_command()


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
    options: argparse.Namespace,
    randomness: random.Random,
) -> list[WsTurnResult]:
    await asyncio.sleep(randomness.uniform(0.0, options.spread))
    results = []
    for _ in range(options.turns):
        if not device.connected:
            await device.connect_again(3)
        results.append(await device.turn(speech))
        await asyncio.sleep(randomness.uniform(0.0, PAUSE_S))
    return results


async def _next_command() -> None:
    await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main())
