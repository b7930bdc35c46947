"""Devices that talk to 1, 2 and 4 servers: how many turns a second with an own share of 20 ms.

The devices are the simulator's: they send Opus at the speed of speech, and play the reply. The
servers answer at once, on one PostgreSQL; with 0 servers it is one on SQLite. More and more devices
talk, until the 95th percentile of a turn's own share (``socket_timing``) is over three times the
goal. All engines cost nothing. Turns a second are those of a whole row, with the seconds in which
devices begin and end one after another; for most of a row it is a little more.

python bench/fleet_load.py [--servers 0 1 2 4] [--talking 5 10 20] [--connected 100] [--turns 5]

Everything runs on this computer, the devices too: more servers than cores show what sharing costs,
not what more computers would give.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import httpx
from rich.console import Console
from rich.table import Table

from bench_server import machine, spread
from load_devices import Talk, devices_of
from server_processes import Server, reading, running
from support.postgres_server import PostgresServer, started

PROGRAM = Path(__file__).with_name("load_server.py")
GOAL_MS = 20.0
TALKING = (5, 10, 20, 30, 40, 60)
COLUMNS = (
    "servers", "talking", "turns/s", "own share, ms: p50", "p95", "p99", "servers' CPU, ms a turn",
    "PostgreSQL's CPU, ms", "commits", "log, kB", "without sound or with faults",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """What came of so many talkers at so many servers. ``postgres_ms``, ``commits``
    and ``log_kb`` mean nothing with SQLite."""

    servers: str
    talking: int
    turns: int
    seconds: float
    own_share_ms: Mapping[str, float | int | None]
    servers_ms: float
    """Processor time of the servers, for each turn."""
    postgres_ms: float
    commits: float
    """For each turn."""
    log_kb: float
    """Written to the write-ahead log for each turn."""
    without_audio: int
    replies_with_faults: int

    def cells(self) -> list[str]:
        """As the table shows it."""
        shares = [self.own_share_ms[of] for of in ("p50", "p95", "p99")]
        return [
            self.servers,
            str(self.talking),
            f"{self.turns / self.seconds:.1f}",
            *("" if share is None else f"{share:.1f}" for share in shares),
            f"{self.servers_ms:.0f}",
            f"{self.postgres_ms:.0f}",
            f"{self.commits:.1f}",
            f"{self.log_kb:.0f}",
            f"{self.without_audio + self.replies_with_faults} of {self.turns}",
        ]


async def own_shares(servers: Sequence[Server]) -> list[float]:
    """Of all turns since the last call, milliseconds."""
    shares: list[float] = []
    for one in servers:
        async with httpx.AsyncClient(base_url=one.address, trust_env=False) as http:
            shares += (await http.get("/own-shares")).json()
    return shares


async def measure(options: argparse.Namespace, console: Console) -> list[Row]:
    """Measure each number of servers; tells of each row as it comes."""
    rows: list[Row] = []
    postgres = started(fsync="on", synchronous_commit="on", shared_buffers="128MB")
    try:
        for count in options.servers:
            url = postgres.database(f"load_{count}") if count else ""
            with (
                tempfile.TemporaryDirectory() as folder,
                running(PROGRAM, max(1, count), url, Path(folder)) as servers,
            ):
                for one in servers:
                    await one.until_ready()
                async for row in _rows(servers, postgres, url, options):
                    console.print(", ".join(row.cells()))
                    rows.append(row)
    finally:
        postgres.stop()
    return rows


async def _rows(
    servers: Sequence[Server], postgres: PostgresServer, url: str, options: argparse.Namespace
) -> AsyncGenerator[Row]:
    """More and more of the devices talk, until it is far over the goal."""
    async with devices_of([one.address for one in servers], options.connected) as devices:
        for talking in options.talking:
            await devices.talk(Talk(talking, 0, 1, options.spread))  # everybody is known
            await own_shares(servers)
            before = reading(servers, postgres, url or postgres.url)
            said = await devices.talk(Talk(talking, 0, options.turns, options.spread))
            cost = reading(servers, postgres, url or postgres.url).since(before)
            shares = spread(await own_shares(servers))
            turns = said["turns"]
            yield Row(
                servers=str(len(servers)) if url else "1, SQLite",
                talking=talking,
                turns=turns,
                seconds=said["seconds"],
                own_share_ms=shares,
                servers_ms=1000 * cost.servers_s / turns,
                postgres_ms=1000 * cost.postgres_s / turns,
                commits=cost.commits / turns,
                log_kb=cost.wal_bytes / turns / 1024,
                without_audio=said["without_audio"],
                replies_with_faults=said["replies_with_faults"],
            )
            if (shares["p95"] or 0.0) > 3 * GOAL_MS:
                break


def main() -> None:
    """Read the arguments, measure, and show it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--servers", type=int, nargs="+", default=[0, 1, 2, 4], help="0: SQLite")
    parser.add_argument("--talking", type=int, nargs="+", default=list(TALKING))
    parser.add_argument("--connected", type=int, default=100)
    parser.add_argument("--turns", type=int, default=5, help="of each that talks (5)")
    parser.add_argument("--spread", type=float, default=5.0, help="they begin within, seconds (5)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    if max(options.talking) > options.connected:
        parser.error("more devices would talk than are connected")
    console = Console(width=150, stderr=True)
    rows = asyncio.run(measure(options, console))
    if options.json:
        print(json.dumps([asdict(row) for row in rows]))
        return
    table = Table(*COLUMNS)
    for row in rows:
        table.add_row(*row.cells())
    Console(width=150).print(table)
    console.print(f"{machine()}; {options.connected} devices connected, {options.turns} turns each")


if __name__ == "__main__":
    main()
