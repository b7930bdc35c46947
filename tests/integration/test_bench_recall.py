"""`make bench ARGS="--recall"` runs and says what it promises; how fast is for people to read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "bench.py"


@pytest.mark.models
def test_the_curve_has_a_point_for_each_size_and_every_way_of_searching() -> None:
    done = subprocess.run(
        [sys.executable, BENCH, "--recall", "--sizes", "40,90", "--questions", "4", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    document = json.loads(done.stdout)["recall"]
    assert [point["turns"] for point in document["sizes"]] == [40, 90]
    for point, real in zip(document["sizes"], (True, False), strict=True):
        assert set(point["ms"]) == {"search", "a turn's context", "plain KNN", "plain full text"}
        assert all(0.0 < way["p50"] <= way["p95"] <= way["max"] for way in point["ms"].values())
        assert point["insertion_turns_per_s"] > 0
        assert point["bytes_a_turn"] > 0
        assert point["embedded_for_real"] is real
