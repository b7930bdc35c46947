"""Lets the event loop go first where inference shares its cores."""

from __future__ import annotations

import contextlib
import os
import sys
import threading

INFERENCE_NICENESS = 5
"""Of the threads that compute. Tried once, one setting after the other in one process, two turns at
once on two cores: the event loop's stall fell from 2.5 to 1.4 ms at p95 and from 5.4 to 3.9 ms
at p99. That says little about the rare long stalls: 42 ms were seen with it too. Desktops and
services weigh sessions against one another, so it counts mostly among Lo-Bug's own threads."""


def be_nice() -> None:
    """Put the calling thread, and all that it starts, behind threads of ordinary priority.

    Linux only: elsewhere niceness belongs to the whole process.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):  # forbidden in some sandboxes, and only a courtesy
            # Root may go forward too: where all of Lo-Bug was started as nicer, stay so.
            niceness = max(os.getpriority(os.PRIO_PROCESS, thread), INFERENCE_NICENESS)
            os.setpriority(os.PRIO_PROCESS, thread, niceness)
