"""Waiting for what happens over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from homeassistant.core import HomeAssistant

LONGEST_S = 30.0


async def until(condition: Callable[[], object], hass: HomeAssistant | None = None) -> None:
    """Return once the condition is met."""
    async with asyncio.timeout(LONGEST_S):
        while not condition():
            await asyncio.sleep(0.02)
            if hass is not None:
                await hass.async_block_till_done(wait_background_tasks=False)
