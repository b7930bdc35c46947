"""A data folder for as long as a server runs: private, and nobody else's to write to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from lobug.access.addresses import ANY_ADDRESS, is_loopback, local_url
from lobug.data_folder.claim import Claim, Holder
from lobug.data_folder.privacy import mend
from lobug.settings import Settings

log = logging.getLogger(__name__)

RENEW_S = 5.0
"""Seconds between two looks whether the folder is still the one that was locked."""


@asynccontextmanager
async def kept(
    settings: Settings, listens_at: tuple[str, int] | None, *, renew_s: float = RENEW_S
) -> AsyncIterator[Holder]:
    """Hold the data folder for a server that listens there; yields what others find noted. Raises
    DataFolderInUseError."""
    url = None if listens_at is None else local_url(*listens_at)
    # Who reaches the server by an address of the network alone is at no loopback address.
    at_loopback = listens_at is None or _has_loopback(listens_at[0])
    claim = Claim(
        settings,
        "server",
        url=url,
        needs_secret=settings.access.loopback == "token" or not at_loopback,
    )
    await asyncio.to_thread(claim.take)
    renewing = asyncio.create_task(_renew(claim, renew_s))
    try:
        for sentence in (await asyncio.to_thread(mend, settings)).sentences():
            log.warning("%s", sentence)
        yield claim.holder
    finally:
        renewing.cancel()
        with suppress(asyncio.CancelledError):
            await renewing
        await asyncio.to_thread(claim.release)


def _has_loopback(host: str) -> bool:
    return host in ANY_ADDRESS or is_loopback(host)


async def _renew(claim: Claim, every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        await asyncio.to_thread(claim.renew)
