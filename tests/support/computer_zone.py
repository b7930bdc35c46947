"""A computer in another time zone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def computer_in(zone: str) -> Iterator[None]:
    """Move this process to a time zone for a while; ``zone`` as the variable TZ has it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        try:
            yield
        finally:
            patch.undo()
            time.tzset()
