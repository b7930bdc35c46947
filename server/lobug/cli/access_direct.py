"""The doors of devices and tokens without a server."""

from __future__ import annotations

from lobug.api import device_messages, devices, tokens
from lobug.cli.direct import DirectTransport
from lobug.settings import Settings


class DirectAccessTransport(DirectTransport):
    """Opens the file of devices and tokens, and nothing else."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, devices.router, device_messages.router, tokens.router)

    async def open(self) -> None:
        """Open the file."""
        await self.server.access.start(watch=False)

    async def shut(self) -> None:
        """Close the file."""
        await self.server.access.close()
