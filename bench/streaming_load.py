"""Lo-Bug's own share of a streamed turn, under load: engines that cost nothing, many devices.

The server runs in this process and the devices in another one (``load_devices``). First nobody is
connected, then all are and nothing is said, then some talk. ``socket_timing`` defines the own
share. Prints one JSON object; ``streaming_bench`` shows it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from bench_server import listening, spread
from load_devices import Devices, Talk, devices_of
from lobug.app import create_app
from lobug.assembly import with_memory
from lobug.server import LobugServer
from lobug.settings import Settings
from lobug.simulator.soak.engines import instant_engines
from lobug.telemetry.telemetry import watch_loop
from socket_timing import SocketTiming, stream_of_this_connection

LAG_EVERY_S = 0.005
"""Interval of the measurements of the event loop's lag, seconds."""

_SETTLE_S = 2.0


async def main() -> None:
    """Run it once and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connected", type=int, default=100, help="devices in all (100)")
    parser.add_argument("--talking", type=int, default=20, help="that talk Opus (20)")
    parser.add_argument("--pcm", type=int, default=2, help="that talk PCM, besides (2)")
    parser.add_argument("--turns", type=int, default=10, help="of each that talks (10)")
    parser.add_argument(
        "--spread",
        type=float,
        default=5.0,
        help="seconds within which they begin, so that their turns do not keep step (5)",
    )
    parser.add_argument("--idle", type=float, default=15.0, help="seconds of idleness, twice (15)")
    parser.add_argument(
        "--speculate",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="prepare replies at pauses; without it all work comes after the endpoint",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lobug-load-") as folder:
        settings = Settings(data_dir=Path(folder), port=0)
        heeded = settings.listening.model_copy(update={"speculate": options.speculate})
        settings = settings.model_copy(update={"listening": heeded})
        print(json.dumps(await measure(settings, options)), flush=True)


async def measure(settings: Settings, options: argparse.Namespace) -> dict[str, Any]:
    """All figures. Seconds, unless a name says otherwise."""

    async def assemble(settings: Settings) -> LobugServer:
        return with_memory(settings, instant_engines(stream_of_this_connection))

    watch = SocketTiming(create_app(settings, assembler=assemble))
    async with listening(watch) as url:
        await asyncio.sleep(_SETTLE_S)
        nobody = await _idle(options.idle)
        _tell(f"{options.connected} devices connect ...")
        async with devices_of([url], options.connected, options.pcm) as devices:
            await asyncio.sleep(_SETTLE_S)
            connected = await _idle(options.idle)
            _tell(f"{options.talking} of them talk, and {options.pcm} in PCM ...")
            wanted = Talk(options.talking, options.pcm, options.turns, options.spread)
            talk = await _talk(devices, wanted, watch)
    devices_idle = max(1, options.connected)
    return {
        "connected": options.connected,
        "talking": options.talking,
        "talking_pcm": options.pcm,
        "turns_each": options.turns,
        "speculate": options.speculate,
        "idle": {
            "cpu_percent_nobody": nobody["cpu_percent"],
            "cpu_percent_connected": connected["cpu_percent"],
            "kb_each": (connected["resident_mb"] - nobody["resident_mb"]) * 1000 / devices_idle,
        },
        **talk,
    }


async def _talk(devices: Devices, talk: Talk, watch: SocketTiming) -> dict[str, Any]:
    me = psutil.Process()
    lags_s: list[float] = []
    watching = asyncio.create_task(watch_loop(lags_s.append, LAG_EVERY_S))
    before_s, began = _cpu_s(me), time.monotonic()
    resident_mb = [_resident_mb(me)]
    replying = asyncio.create_task(devices.talk(talk))
    while not replying.done():
        await asyncio.wait([replying], timeout=1.0)
        resident_mb.append(_resident_mb(me))
    took_s = time.monotonic() - began
    used_s = _cpu_s(me) - before_s
    watching.cancel()
    await asyncio.wait([watching])
    report = replying.result()
    del report["seconds"]
    shares = watch.shares()
    first_audio = report.pop("first_audio_s")
    half = len(resident_mb) // 2
    return {
        "seconds": took_s,
        "own_share_ms": spread([1000 * share.seconds for share in shares]),
        "own_share_strict_ms": spread([1000 * share.strict_s for share in shares]),
        "loop_lag_ms": spread([1000 * lag for lag in lags_s]),
        "first_audio_s": spread(first_audio),
        "cpu_percent": 100 * used_s / took_s,
        "resident_mb": {
            "begin": resident_mb[0],
            "middle": resident_mb[half],
            "end": resident_mb[-1],
            "most": max(resident_mb),
        },
        "devices": report,
    }


async def _idle(seconds: float) -> dict[str, float]:
    """CPU, percent of one core, and memory of this process while nothing is said."""
    me = psutil.Process()
    before_s, began = _cpu_s(me), time.monotonic()
    await asyncio.sleep(seconds)
    used_s = _cpu_s(me) - before_s
    return {
        "cpu_percent": 100 * used_s / (time.monotonic() - began),
        "resident_mb": _resident_mb(me),
    }


def _cpu_s(process: psutil.Process) -> float:
    return float(sum(process.cpu_times()[:2]))


def _resident_mb(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / 1e6


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    asyncio.run(main())
