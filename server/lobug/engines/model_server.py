"""What the clients of chat models and embedders share: time-outs of streamed replies, the measured
speed of prefill, and addresses of model servers.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import deque
from collections.abc import AsyncGenerator
from statistics import median
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit

from lobug.errors import EngineTimeoutError

T = TypeVar("T")


async def paced(
    source: AsyncGenerator[T], *, engine: str, between_s: float, whole_s: float
) -> AsyncGenerator[T]:
    """Yield what ``source`` yields; raise EngineTimeoutError when it stalls or takes too long.

    Args:
        source: closed when this generator ends, however it ends.
        engine: the job that the error names.
        between_s: longest wait for the first or the next piece, seconds.
        whole_s: longest time for all pieces, seconds, including the consumer's own time.
    """
    clock = asyncio.get_running_loop().time
    end = clock() + whole_s
    try:
        while True:
            try:
                async with asyncio.timeout_at(min(clock() + between_s, end)):
                    piece = await anext(source)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                if clock() >= end:
                    why = f"no whole answer within {whole_s:g} s"
                else:
                    why = f"nothing for {between_s:g} s"
                raise EngineTimeoutError(engine, why) from error
            yield piece
    finally:
        await source.aclose()


FEWEST_TOKENS = 64
"""Shorter prompts are not measured: the overhead of the request would dominate."""

KEPT = 9
"""Number of latest measurements of which the median is taken."""


class PrefillSpeed:
    """The time that a prompt token takes: the median of the last prompts."""

    def __init__(self) -> None:
        self._measured: deque[float] = deque(maxlen=KEPT)

    def note(self, tokens: int, milliseconds: float) -> None:
        """Record a prompt. ``tokens``: those that were computed, not those found in a cache."""
        if tokens >= FEWEST_TOKENS and milliseconds > 0.0:
            self._measured.append(milliseconds / tokens)

    @property
    def ms_per_token(self) -> float | None:
        """Milliseconds per token; None: not measured yet."""
        return median(self._measured) if self._measured else None


def without_password(url: str) -> str:
    """Return ``url`` without user and password, so that it may be shown and logged."""
    parts = urlsplit(url if "//" in url else f"//{url}")
    shown = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    return shown if "//" in url else shown.removeprefix("//")


def is_loopback(url: str) -> bool:
    """Whether ``url`` points at this machine, so that no proxy must be used."""
    host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
