"""Recall on PostgreSQL beside recall on SQLite: the same LoCoMo conversations, told to both.

PYTHONPATH=server:tests python bench/recall_databases.py PATH

Prints what `lobug eval locomo` prints of both, and how long a search took. PostgreSQL comes from a
wheel, without a service.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from lobug.evaluation import locomo
from lobug.evaluation.locomo_run import examine, report
from lobug.evaluation.product import started_embedder
from lobug.settings import Settings
from lobug.storage.places import FILES, DatabasePlace
from support.postgres_server import PostgresServer, started

SHOWN = {
    "recall@5": "R@5",
    "recall@10": "R@10",
    "recall@20": "R@20",
    "mrr": "MRR",
    "ndcg@10": "nDCG@10",
}
"""Figures of a report, and what they are called in the table."""


def no_progress(_done: int = 1, /) -> None:
    """For a run without a bar."""


def new_databases(server: PostgresServer) -> Callable[[], DatabasePlace]:
    """A function that makes an empty database at each call."""
    numbers = itertools.count(1)
    return lambda: DatabasePlace(server.database(f"conversation_{next(numbers)}"))


async def measure(path: Path) -> None:
    """Measure both, one after the other, and print the figures side by side."""
    conversations = locomo.read(path).conversations
    settings = Settings()
    server = started(shared_buffers="128MB")
    sides: dict[str, Callable[[], DatabasePlace]] = {
        "SQLite": lambda: FILES,
        "PostgreSQL": new_databases(server),
    }
    table = Table("", *SHOWN.values(), "search p50, ms", "p95, ms")
    async with started_embedder(settings) as embedder:
        for name, places in sides.items():
            runs = await examine(
                conversations, settings.memory, embedder, no_progress, places=places
            )
            figures = report(runs, embedder=embedder.model_id)
            times = sorted(asked.took_ms for run in runs for asked in run.asked)
            spread = (times[len(times) // 2], times[int(len(times) * 0.95)])
            cells = [f"{figures[one]:.3f}" for one in SHOWN]
            table.add_row(name, *cells, *(f"{one:.1f}" for one in spread))
    server.stop()
    Console().print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="a folder of conversations, or one file")
    asyncio.run(measure(parser.parse_args().path))
