"""Time-outs of a reply that arrives in pieces."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TypeVar

from lobug.errors import EngineTimeoutError

T = TypeVar("T")


async def paced(
    source: AsyncGenerator[T], *, engine: str, between_s: float, whole_s: float
) -> AsyncGenerator[T]:
    """Pass ``source`` on, and give up when it stalls or takes too long.

    Args:
        source: closed when this generator ends, however it ends.
        engine: the job that the error names.
        between_s: longest wait for the first or the next piece, seconds.
        whole_s: longest time for all of them, seconds, the consumer's own time included.

    Raises EngineTimeoutError.
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
