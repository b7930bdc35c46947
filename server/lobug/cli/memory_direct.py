"""The doors of memory without a server, over the database."""

from __future__ import annotations

from typing import cast

import httpx

from lobug.api import memory
from lobug.cli.direct import DirectTransport
from lobug.memory.manager import MemoryManager
from lobug.settings import Settings


class DirectMemoryTransport(DirectTransport):
    """Opens the database. A search goes by words; vectors follow when a server runs."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, memory.router)

    @property
    def _memory(self) -> MemoryManager:
        return cast("MemoryManager", self.server.memory)

    async def open(self) -> None:
        """Open the database."""
        await self._memory.start(work=False)

    async def before(self, request: httpx.Request) -> None:
        """Analyse what was imported before it is searched: no worker does it here."""
        if request.url.path == "/memory/search":
            await self._memory.analyse_turns()

    async def shut(self) -> None:
        """Close the database; what was erased is gone from the file by then."""
        try:
            await self._memory.compact()
        finally:
            await self._memory.close()
