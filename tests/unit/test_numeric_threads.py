"""Numeric work of Lo-Bug's own process stays on the thread that asked for it."""

from __future__ import annotations

import os
import subprocess
import sys

COUNT = """
import lobug
import numpy, psutil
square = numpy.ones((800, 800), numpy.float32)
before = psutil.Process().num_threads()
square @ square
print(psutil.Process().num_threads(), before)
"""


def test_blas_starts_no_threads() -> None:
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    counted = subprocess.run(
        [sys.executable, "-c", COUNT], env=environment, capture_output=True, text=True, check=True
    )
    assert set(counted.stdout.split()) == {"1"}
