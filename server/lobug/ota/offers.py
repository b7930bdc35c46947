"""Which device is offered which image."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence

from lobug.access.pairing import Introduction
from lobug.errors import LobugError
from lobug.ota.image import FirmwareImage, is_newer, is_same, parse_version
from lobug.ota.library import FirmwareLibrary

log = logging.getLogger(__name__)

APPLICATION = "lobug"
"""How Lo-Bug's firmware names itself. Other firmware runs on boards of the same names, and is never
offered ours."""

MOST_FETCHES = 3
"""How often one device may fetch the same image and come back with another version: an image that
never starts, or was added under a wrong version, must not wear out its flash memory."""

_MOST_REMEMBERED = 1_000


def choose(images: Sequence[FirmwareImage], running: str | None) -> FirmwareImage | None:
    """Of one board's images the one that a device is offered that runs this version: the forced one
    that was added last, if any is forced, else the newest if it is newer. Pure."""
    forced = [image for image in images if image.forced]
    if forced:
        image = max(forced, key=lambda image: image.added_at)
        return None if is_same(image.version, running) else image
    newest = max(images, key=lambda image: parse_version(image.version) or (), default=None)
    return newest if newest is not None and is_newer(newest.version, running) else None


class FirmwareOffers:
    """Offers to devices that may talk, and what became of them."""

    def __init__(self, library: FirmwareLibrary) -> None:
        self.library = library
        self._fetches: OrderedDict[tuple[str, str, float], int] = OrderedDict()

    async def offer(self, device_id: str, device: Introduction) -> FirmwareImage | None:
        """What a paired device is offered that describes itself so; None: nothing. Never raises:
        a device that can talk must not fail for want of a newer firmware."""
        if device.application != APPLICATION or device.board is None:
            return None
        try:
            images = await asyncio.to_thread(self.library.images, device.board)
        except LobugError as error:
            log.warning("no firmware is offered: %s", error)
            return None
        image = choose(images, device.version)
        if image is None:
            return None
        if self._fetches.get(_key(device_id, image), 0) >= MOST_FETCHES:
            log.warning(
                "device %s has fetched firmware %s %s %d times and runs %s all the same: it is not"
                " offered it any more",
                device_id, image.board, image.version, MOST_FETCHES, device.version or "?",
            )  # fmt: skip
            return None
        return image

    def fetched(self, device_id: str, image: FirmwareImage) -> None:
        """A device has been sent the whole of an image."""
        key = _key(device_id, image)
        self._fetches[key] = self._fetches.pop(key, 0) + 1
        while len(self._fetches) > _MOST_REMEMBERED:
            self._fetches.popitem(last=False)
        log.info("device %s has fetched firmware %s %s", device_id, image.board, image.version)


def _key(device_id: str, image: FirmwareImage) -> tuple[str, str, float]:
    return device_id, image.sha256, image.added_at
