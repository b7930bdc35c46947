"""How long a test waits for what must happen."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 60.0
"""Longest wait for an event, seconds. It guards against hanging and measures nothing, so it is
long: on a machine that does much else an answer may take half a minute."""


def wait_until(
    condition: Callable[[], bool], what: str = "the condition", seconds: float = PATIENCE_S
) -> None:
    """Poll until ``condition`` holds; fail, naming ``what``, if that takes too long."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.02)
