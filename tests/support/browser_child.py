"""A process that pairs a browser and dies at a given point: ``python -m support.browser_child``."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

from lobug.access.service import Access
from lobug.settings import AccessSettings
from support.access_child import say
from support.database_place import place_of


async def live(path: Path, point: str) -> None:
    """Invite a browser, pair it, revoke it."""

    def checkpoint(name: str) -> None:
        if name == point:
            os.kill(os.getpid(), signal.SIGKILL)

    access = Access(
        AccessSettings(), path, clock=time.time, checkpoint=checkpoint, place=place_of(path)
    )
    await access.start()
    say("code", (await access.browsers.invite("ada")).code)
    browser, token = await access.browsers.pair(access.browsers.invitations()[0].code)
    say("session", token)
    await access.browsers.revoke(browser.browser_id)
    say("revoked", browser.browser_id)
    await access.close()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), sys.argv[2]))
