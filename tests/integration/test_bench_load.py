"""The load part of `make bench ARGS="--streaming"` runs and counts all that it is to count."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LOAD = Path(__file__).parents[2] / "bench" / "streaming_load.py"


def test_every_turn_under_load_has_a_share_and_all_of_its_sound() -> None:
    numbers = {"connected": 6, "talking": 2, "pcm": 1, "turns": 1, "spread": 0.2, "idle": 0.2}
    done = subprocess.run(
        [sys.executable, LOAD, *(f"--{name}={number}" for name, number in numbers.items())],
        capture_output=True,
        text=True,
        check=True,
    )
    document = json.loads(done.stdout)
    devices = document["devices"]
    assert (devices["turns"], devices["without_audio"]) == (3, 0)
    assert devices["replies_with_faults"] == devices["dropped"] == devices["overflowed"] == 0
    assert devices["problems"] == {}
    assert document["own_share_ms"]["n"] == 3
    assert 0 < document["own_share_ms"]["p50"] <= document["own_share_strict_ms"]["max"] + 1
    assert document["loop_lag_ms"]["n"] > 100
    assert document["resident_mb"]["most"] >= document["resident_mb"]["end"]
