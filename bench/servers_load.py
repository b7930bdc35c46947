"""Several servers that answer at once, under load: 1, 2 and 4 of them on one PostgreSQL.

People talk to the server that their device is connected to. The rate of all rises in steps, until
fewer are answered than ask.
The engines follow a script, so what is measured are servers and database alone: how many turns a
second, what a turn costs in processor time, transactions, bytes of the write-ahead log, and what a
connected device costs in memory.

python bench/servers_load.py [--servers 1 2 4] [--seconds 15] [--devices 150]

Everything runs on this computer, the talkers too: more servers than cores show what sharing costs,
not what more computers would give.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
from rich.console import Console
from rich.table import Table

from load_server import THINGS
from server_processes import Server, reading, running
from support.device_client import device
from support.postgres_server import started

PROGRAM = Path(__file__).parents[1] / "tests" / "support" / "leased_server.py"
GOAL_MS = 20.0
RATES = (5, 10, 20, 30, 40, 60, 80, 120)
"""Turns a second of all people together."""
PEOPLE = 200
WARMING = 20
"""Devices that are connected before memory is measured."""
# Nobody says the same again soon: what was read of a sentence is kept for a while.
SAID = (
    "My neighbour has a new {thing}, and it is blue.",
    "Where did we go with the {thing} last summer?",
    "I think the soup needs more salt, and the {thing} a new coat of paint.",
    "What did I tell you about the {thing}?",
)


@dataclass
class Talk:
    """What came of a stretch of talk."""

    took_ms: list[float] = field(default_factory=list)
    failed: int = 0
    late: int = 0
    """Sentences that had to wait for the one before of the same person."""


class Talker:
    """Somebody at a device, with a connection that is kept open."""

    def __init__(self, name: str, port: int) -> None:
        self._name, self._port = name, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._said = hash(name) % 1000

    async def talk(self, every_s: float, until: float, talk: Talk) -> None:
        """Say a sentence every so often; as soon as the one before was answered if that is late."""
        loop = asyncio.get_running_loop()
        due = loop.time() + every_s * ((hash(self._name) & 0xFFFF) / 0xFFFF)
        while due < until:
            await asyncio.sleep(max(0.0, due - loop.time()))
            talk.late += loop.time() - due > every_s
            if self._streams is not None and self._streams[0].at_eof():
                await self.close()  # the server closes what is not used for long
            began = time.perf_counter()
            if await self._say():
                talk.took_ms.append(1000.0 * (time.perf_counter() - began))
            else:
                talk.failed += 1
            due += every_s

    async def _say(self) -> bool:
        self._said += 1
        said = SAID[self._said % len(SAID)].format(thing=THINGS[self._said % len(THINGS)])
        body = json.dumps({"text": said}).encode()
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(
            f"POST /chat/text HTTP/1.1\r\nHost: 127.0.0.1\r\nDevice-Id: {self._name}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = head.partition("content-length:")[2].partition("\r\n")[0]
        await reader.readexactly(int(length))
        return head.startswith("http/1.1 200")

    async def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def talk_at(servers: Sequence[Server], rate: float, seconds: float) -> Talk:
    talkers = [
        Talker(f"person-{number}", servers[number % len(servers)].port) for number in range(PEOPLE)
    ]
    talk = Talk()
    until = asyncio.get_running_loop().time() + seconds
    try:
        await asyncio.gather(*(one.talk(PEOPLE / rate, until, talk) for one in talkers))
    finally:
        for one in talkers:
            await one.close()
    return talk


async def memory_of_devices(server: Server, count: int) -> float:
    """Kilobytes of main memory for each connected device."""
    async with AsyncExitStack() as stack:
        before = 0
        for number in range(WARMING + count):
            if number == WARMING:  # what the first ones cost is loaded once
                before = server.process.memory_info().rss
            mac = f"02:00:00:00:{number // 256:02x}:{number % 256:02x}"
            await stack.enter_async_context(device(server.address, mac))
        await asyncio.sleep(1.0)
        return (server.process.memory_info().rss - before) / 1024 / max(count, 1)


async def measure(counts: Sequence[int], seconds: float, devices: int) -> None:
    console = Console(width=130)
    table = Table(
        "servers",
        "turns/s",
        "answered",
        "p50, ms",
        "p95, ms",
        "failed",
        "servers' CPU, ms a turn",
        "PostgreSQL's CPU, ms a turn",
        "commits a turn",
        "log, kB a turn",
    )
    postgres = started(fsync="on", synchronous_commit="on", shared_buffers="128MB")
    held_kb = 0.0
    try:
        for count in counts:
            url = postgres.database(f"load_{count}")
            with (
                tempfile.TemporaryDirectory() as folder,
                running(PROGRAM, count, url, Path(folder)) as servers,
            ):
                for one in servers:
                    await one.until_ready()
                if not held_kb and devices:
                    held_kb = await memory_of_devices(servers[0], devices)
                await talk_at(servers, RATES[0], PEOPLE / RATES[0])  # everybody is known
                for rate in RATES:
                    before = reading(servers, postgres, url)
                    began = time.monotonic()
                    talk = await talk_at(servers, rate, seconds)
                    spent = time.monotonic() - began
                    cost = reading(servers, postgres, url).since(before)
                    turns = max(1, len(talk.took_ms))
                    p50, p95 = np.percentile(talk.took_ms or [0.0], [50, 95])
                    table.add_row(
                        str(count),
                        str(rate),
                        f"{turns / spent:.1f}",
                        f"{p50:.1f}",
                        f"{p95:.1f}",
                        str(talk.failed),
                        f"{1000 * cost.servers_s / turns:.1f}",
                        f"{1000 * cost.postgres_s / turns:.1f}",
                        f"{cost.commits / turns:.1f}",
                        f"{cost.wal_bytes / turns / 1024:.1f}",
                    )
                    console.print(f"{count} servers, {rate} turns/s: p95 {p95:.1f} ms")
                    if turns / spent < 0.8 * rate or talk.failed:
                        break  # it takes no more
    finally:
        postgres.stop()
    console.print(table)
    console.print(
        f"{os.cpu_count()} cores for all of it; {PEOPLE} people; goal: p95 of {GOAL_MS:.0f} ms."
        f" A connected device: {held_kb:.0f} kB of a server's memory."
    )


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--servers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--devices", type=int, default=150)
    options = parser.parse_args()
    asyncio.run(measure(options.servers, options.seconds, options.devices))


if __name__ == "__main__":
    main()
