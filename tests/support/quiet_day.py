"""A first day of the installed product: start, speak, learn, stop. A program of its own:

python quiet_day.py FOLDER WAV     (`watched_network.watch` runs it where all that leaves is seen)

Prints what was heard, and fails when a part of the day did not happen.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[1]))

from lobug.vendor_telemetry import SWITCHES
from support.served import served

FACT = "My name is Alex, and I live in Boston."


def main() -> None:
    """Live through the day."""
    folder, wav = Path(sys.argv[1]), sys.argv[2]
    for name in SWITCHES:  # set by the import above; the server has to set them itself
        del os.environ[name]
    engines = {"LOBUG_CHAT__ENGINE": "auto", "LOBUG_EMBEDDINGS__ENGINE": "auto"}
    with served(folder, **engines) as lobug:
        spoken = lobug.turns("--expect-speech", "--device-id", "porch", wav)
        print("heard:", spoken[0]["transcription"])
        told = lobug.turns("--expect-speech", "--device-id", "porch", "--say", FACT)
        print("told:", told[0]["transcription"])
        lobug.learned()
        print("facts:", lobug.health()["memory"]["facts"])
        assert lobug.health()["memory"]["facts"] >= 1
        workers = psutil.Process(lobug.process.pid).children(recursive=True)
        assert workers, "the embedded model runs in a process of its own"
        for worker in workers:
            environment = worker.environ()
            assert all(environment.get(name) == value for name, value in SWITCHES.items())
    print("stopped")


if __name__ == "__main__":
    main()
