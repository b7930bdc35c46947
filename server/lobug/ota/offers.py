"""Offers of firmware images to devices."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence

from lobug.access.devices import Introduction
from lobug.errors import LobugError
from lobug.ota.image import FirmwareImage, is_newer, is_same, parse_version
from lobug.ota.library import FirmwareLibrary
from lobug.ota.signing import Signed, UpdateKey

log = logging.getLogger(__name__)

APPLICATION = "lobug"
"""The name that Lo-Bug's firmware reports. Other firmware runs on the same boards, and is never
offered an image."""

MOST_FETCHES = 3
"""How often one device may fetch the same image and still report another version: an image that
never starts, or was added under a wrong version, must not wear out the flash memory."""

_MOST_REMEMBERED = 1_000


def choose(images: Sequence[FirmwareImage], running: str | None) -> FirmwareImage | None:
    """Return the image to offer to a device that runs this version; ``images``: those of its board.

    It is the forced image that was added last; without a forced one, the newest image if it is
    newer. Pure.
    """
    forced = [image for image in images if image.forced]
    if forced:
        image = max(forced, key=lambda image: image.added_at)
        return None if is_same(image.version, running) else image
    newest = max(images, key=lambda image: parse_version(image.version) or (), default=None)
    return newest if newest is not None and is_newer(newest.version, running) else None


class FirmwareOffers:
    """Decides on offers to devices, and counts how often each image was fetched."""

    def __init__(self, library: FirmwareLibrary, key: UpdateKey) -> None:
        self.library = library
        self._key = key
        self._fetches: OrderedDict[tuple[str, str, float], int] = OrderedDict()

    async def offer(self, device_id: str, device: Introduction) -> FirmwareImage | None:
        """Return the image to offer to a paired device; None: none. Never raises: a device must
        work even when its update fails."""
        image = await self.newer(device)
        if image is None:
            return None
        if self._fetches.get(_key(device_id, image), 0) >= MOST_FETCHES:
            log.warning(
                "device %s has fetched firmware %s %s %d times and still runs %s: it is not"
                " offered again",
                device_id, image.board, image.version, MOST_FETCHES, device.version or "?",
            )  # fmt: skip
            return None
        return image

    async def signed(self, image: FirmwareImage | None, nonce: str) -> Signed | None:
        """Return the key of updates, and the signature of the image that is offered; None: there is
        no key, so nothing can be offered to a device that verifies. Never raises."""
        try:
            return await asyncio.to_thread(self._key.sign, image, nonce)
        except LobugError as error:
            log.warning("no firmware is offered to devices that verify signatures: %s", error)
            return None

    async def newer(self, device: Introduction) -> FirmwareImage | None:
        """Return the image that replaces what a device runs; None: there is none, or it does not
        run Lo-Bug's firmware. Never raises."""
        if device.application != APPLICATION or device.board is None:
            return None
        try:
            images = await asyncio.to_thread(self.library.images, device.board)
        except LobugError as error:
            log.warning("no firmware is offered: %s", error)
            return None
        return choose(images, device.version)

    def fetched(self, device_id: str, image: FirmwareImage) -> None:
        """Count that a device has fetched an image completely."""
        key = _key(device_id, image)
        self._fetches[key] = self._fetches.pop(key, 0) + 1
        while len(self._fetches) > _MOST_REMEMBERED:
            self._fetches.popitem(last=False)
        log.info("device %s has fetched firmware %s %s", device_id, image.board, image.version)


def _key(device_id: str, image: FirmwareImage) -> tuple[str, str, float]:
    return device_id, image.sha256, image.added_at
