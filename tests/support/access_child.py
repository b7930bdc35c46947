"""A process that pairs a device and dies at a given point: ``python -m support.access_child``."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

from lobug.access.rules import Credentials
from lobug.access.service import Access
from lobug.settings import AccessSettings
from support.database_place import place_of


def say(*words: str) -> None:
    """Print an acknowledgement: what it says must be durable."""
    print(*words, flush=True)  # noqa: T201 - it is how this process talks


async def live(path: Path, point: str) -> None:
    """Pair a device, use its token for the first time, revoke it."""

    def checkpoint(name: str) -> None:
        if name == point:
            os.kill(os.getpid(), signal.SIGKILL)

    access = Access(
        AccessSettings(), path, clock=time.time, checkpoint=checkpoint, place=place_of(path)
    )
    await access.start()
    found = await access.devices.discover("aa:bb", "mine", description="", address="10.0.0.1")
    assert found.pairing is not None
    say("code", found.pairing.code)
    await access.devices.approve(found.pairing.code, name="Desk")
    say("approved")
    found = await access.devices.discover("aa:bb", "mine", description="", address="10.0.0.1")
    assert found.token is not None
    say("token", found.token)
    access.authenticate(Credentials("10.0.0.1", authorization=f"Bearer {found.token}"))
    await access.check()
    say("used")
    await access.devices.revoke("aa:bb")
    say("revoked")
    await access.close()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), sys.argv[2]))
