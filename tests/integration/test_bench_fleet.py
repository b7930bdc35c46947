"""`bench/fleet_load.py` runs: devices talk to servers that share a PostgreSQL; all turns count."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support.postgres_server import programs

BENCH = Path(__file__).parents[2] / "bench" / "fleet_load.py"


def test_every_turn_of_two_servers_is_counted() -> None:
    programs()  # skips where there is no PostgreSQL
    done = subprocess.run(
        [
            *(sys.executable, BENCH, "--json", "--servers", "2", "--talking", "2"),
            *("--connected", "4", "--turns", "1", "--spread", "0.5"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    (row,) = json.loads(done.stdout)
    assert (row["servers"], row["talking"], row["turns"]) == ("2", 2, 2)
    assert row["without_audio"] == row["replies_with_faults"] == 0
    assert row["own_share_ms"]["n"] == 2
    assert 0 < row["own_share_ms"]["p50"] <= row["own_share_ms"]["max"]
    assert row["servers_ms"] > 0
    assert row["postgres_ms"] > 0
    assert row["commits"] >= 2
    assert row["log_kb"] > 0
