"""A server that leaks, for the soak's tests. A program of its own:

python leaking_soak_server.py KIND TOLD     (KIND: descriptor, task or nothing)
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from lobug.cli.simulate.soak_server import (
    SoakChat,
    read_arguments,
    serve,
    soak_engines,
)
from lobug.engines.base import ChatMessage, ChatOptions

KEPT: list[object] = []


class LeakingChat(SoakChat):
    """Leaves something open after each answer."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        match self._kind:
            case "descriptor":
                os.open(os.devnull, os.O_RDONLY)
            case "task":
                KEPT.append(asyncio.create_task(asyncio.Event().wait()))
        async for word in super().stream(messages, options):
            yield word


if __name__ == "__main__":
    leak = sys.argv.pop(1)
    serve(read_arguments(), replace(soak_engines(), chat=LeakingChat(leak)))
