"""A first day of the installed product: start, speak, learn, stop. A program of its own:

python first_day.py FOLDER     (`watched_network.watch` runs it and records what it sends)

It fails when one of these steps fails.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[1]))

from lobug.vendor_telemetry import SWITCHES
from support.lobug_process import served

FACT = "My name is Alex, and I live in Boston."

PATIENCE_S = 600
"""Longest wait for anything, seconds, on a busy machine."""


def main() -> None:
    """Start, speak, learn, stop. Raises AssertionError when one of them fails."""
    for name in SWITCHES:  # set by the import above; the server has to set them itself
        os.environ.pop(name, None)
    with served(
        Path(sys.argv[1]),
        LOBUG_CHAT__ENGINE="auto",
        LOBUG_EMBEDDINGS__ENGINE="auto",
        LOBUG_CHAT__MAX_TOKENS="16",
        LOBUG_CHAT__TIMEOUT_S=str(PATIENCE_S),
        LOBUG_CHAT__FIRST_TOKEN_TIMEOUT_S=str(PATIENCE_S),
    ) as lobug:
        turns = lobug.turns(
            "--device-id", "porch", "--expect-speech", "--expect-voice", "--timeout",
            str(PATIENCE_S), "--say", FACT,
        )  # fmt: skip
        assert "alex" in turns[0]["transcription"].lower()
        lobug.wait(lambda health: health["memory"]["facts"] >= 1, PATIENCE_S)
        workers = psutil.Process(lobug.process.pid).children(recursive=True)
        assert workers, "the embedded model runs in a process of its own"
        for worker in workers:
            environment = worker.environ()
            assert all(environment.get(name) == value for name, value in SWITCHES.items())


if __name__ == "__main__":
    main()
