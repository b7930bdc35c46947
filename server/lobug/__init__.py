"""Lo-Bug: a voice companion that lives in an M5Stack and thinks on its owner's computer."""

import os
from importlib.metadata import PackageNotFoundError, version

from lobug.vendor_telemetry import switch_off

# Before any library is imported: they read their switches once.
switch_off()

# Before numpy is imported: its BLAS takes every core and waits in loops, even for a single
# sentence. One thread is never slower here; beside two other busy processes on two cores it
# embedded 32 sentences in 0.06 to 0.09 s instead of 0.4 to 0.8 s.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

try:
    __version__ = version("lobug")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0.0.0+source"
