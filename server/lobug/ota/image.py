"""Firmware images: their versions, the check of a file's header, and errors. Pure.

Two kinds are kept. An update is the application alone, as a device fetches it over the air. A full
image is the whole beginning of the flash memory, as the page that flashes over USB writes it to
address 0: boot loader, partition table, and the application at the first partition for one.

An ESP32 image begins with a header of 24 bytes: its first byte is 0xE9, and the little-endian
number at offset 12 names the chip.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lobug.errors import InvalidRequestError, LobugError


class FirmwareInvalidError(InvalidRequestError):
    """The file is not such a firmware image for this board or is too large, or the name of the
    board or the version is not valid."""

    code = "firmware_invalid"


class FirmwareExistsError(LobugError):
    """An image for this board and version already exists."""

    code = "firmware_exists"
    status = 409


class FirmwareFolderError(LobugError):
    """The file, or the folder of images, cannot be read or written."""

    code = "firmware_folder"
    status = 503


VERSION_RULE = "one to four numbers with dots between them, such as 2.1.0"

_VERSION = re.compile(r"[0-9]{1,5}(\.[0-9]{1,5}){0,3}", re.ASCII)
"""At most 23 characters: a device stores 24, with the final zero."""


def parse_version(text: str | None) -> tuple[int, ...] | None:
    """Return the numbers of a version without trailing zeros, so that "2.1" equals "2.1.0"; None:
    the text is not a version."""
    if text is None or not _VERSION.fullmatch(text):
        return None
    numbers = [int(number) for number in text.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        del numbers[-1]
    return tuple(numbers)


def is_newer(offered: str, running: str | None) -> bool:
    """Whether ``offered`` is newer than ``running``. False if one is not a version, so that a build
    of the owner's own is never replaced."""
    new, old = parse_version(offered), parse_version(running)
    return new is not None and old is not None and new > old


def is_same(one: str, other: str | None) -> bool:
    return one == other or (parse_version(one) or one) == (parse_version(other) or other)


MAGIC = 0xE9
HEADER_BYTES = 24

CHIPS: Mapping[str, tuple[int, str]] = {
    "m5stack-core2": (0, "ESP32"),
    "m5stack-cores3": (9, "ESP32-S3"),
}
"""Chip of each known board: its number in an image, and its name. The chip of images for other
boards is not checked."""


class FirmwareKind(StrEnum):
    """What an image is for."""

    UPDATE = "update"
    """The application alone: devices that run Lo-Bug are offered it."""
    FULL = "full"
    """Everything that an empty device needs: the owner's page writes it over USB."""


_BOARD = re.compile(r"[a-z0-9][a-z0-9_.-]{0,47}", re.ASCII)


@dataclass(frozen=True, slots=True)
class FirmwareImage:
    """An image that was added."""

    board: str
    version: str
    size: int
    """Bytes."""
    sha256: str
    """Hexadecimal."""
    forced: bool
    """Whether it replaces every other version, newer ones too; only of updates."""
    added_at: float
    """Seconds since the epoch."""
    path: Path
    kind: FirmwareKind = FirmwareKind.UPDATE


def is_board(name: str) -> bool:
    """Whether it is a valid name of a board, and so of a folder."""
    return _BOARD.fullmatch(name) is not None


def is_version(text: str) -> bool:
    """Whether it is a valid version, and so a valid file name."""
    return parse_version(text) is not None


def require_names(board: str, version: str) -> None:
    """Raise FirmwareInvalidError when one of the two is not valid."""
    if not is_board(board):
        raise FirmwareInvalidError(
            f"{board!r} is not a board's name: use lower-case letters, digits and . _ -, such as"
            " m5stack-core2"
        )
    if not is_version(version):
        raise FirmwareInvalidError(f"{version!r} is not a version: {VERSION_RULE}")


TABLE_OFFSET = 0x8000
"""Where a full image has its partition table."""
FULL_HEAD_BYTES = 0x40000
"""What ``require_full_image`` looks at. The application begins at 0x10000 in most layouts."""

_TABLE_END = TABLE_OFFSET + 0xC00
_ENTRY_BYTES = 32
_ALIGNMENT = 0x10000
_ENTRY_MAGIC = b"\xaa\x50"
_BOOT_LOADER_OFFSETS: Mapping[int, int] = {0: 0x1000, 9: 0}
"""Offset of the boot loader, by the number of the chip."""


def require_image(name: str, head: bytes, board: str) -> None:
    """Raise FirmwareInvalidError when the beginning of the file ``name`` is not that of an update
    for ``board``. ``head``: at least ``HEADER_BYTES`` of it; with ``FULL_HEAD_BYTES`` a full image
    is recognized, too."""
    if _first_application(head) is not None:
        raise FirmwareInvalidError(f"{name} is a full image: add it with --full")
    if not _is_image(head):
        raise FirmwareInvalidError(
            f"{name} is not a firmware image of an ESP32: it does not begin with 0xE9 (it has to be"
            " the application alone, firmware.bin, without boot loader and partition table)"
        )
    chip = CHIPS.get(board)
    if chip is not None and _chip_of(head) != chip[0]:
        raise FirmwareInvalidError(f"{name} is not for the chip of {board}, an {chip[1]}")


def require_full_image(name: str, head: bytes, size: int, board: str) -> None:
    """Raise FirmwareInvalidError when the file ``name`` of ``size`` bytes is not a full image for
    ``board``. ``head``: its first ``FULL_HEAD_BYTES``."""
    application = _first_application(head)
    if application is None:
        raise FirmwareInvalidError(
            f"{name} is not a full image: it has no partition table at 0x8000 (merge boot loader,"
            " partition table, boot_app0 and firmware.bin first, with esptool merge_bin)"
        )
    offset, room = application
    image = head[offset : offset + HEADER_BYTES]
    if not _is_image(image):
        raise FirmwareInvalidError(
            f"{name} has no application where its partition table says, at {offset:#x}"
        )
    if size - offset > room:
        raise FirmwareInvalidError(
            f"{name} is larger than its partition for the application: {size - offset} bytes, of"
            f" {room}"
        )
    chip = CHIPS.get(board)
    number = _chip_of(image) if chip is None else chip[0]
    loader = head[_BOOT_LOADER_OFFSETS.get(number, 0) :][:HEADER_BYTES]
    if not _is_image(loader):
        raise FirmwareInvalidError(
            f"{name} has no boot loader at {_BOOT_LOADER_OFFSETS.get(number, 0):#x}"
        )
    if _chip_of(image) != number or _chip_of(loader) != number:
        what = f"an {chip[1]}" if chip else "its own application"
        raise FirmwareInvalidError(f"{name} is not for the chip of {board}, {what}")


def _is_image(head: bytes) -> bool:
    return len(head) >= HEADER_BYTES and head[0] == MAGIC


def _chip_of(header: bytes) -> int:
    return int.from_bytes(header[12:14], "little")


def _first_application(head: bytes) -> tuple[int, int] | None:
    """Offset and size of the first partition for an application in a full image; None: there is no
    partition table, or none for an application."""
    first: tuple[int, int] | None = None
    for at in range(TABLE_OFFSET, min(_TABLE_END, len(head)), _ENTRY_BYTES):
        entry = head[at : at + _ENTRY_BYTES]
        if len(entry) < _ENTRY_BYTES or entry[:2] != _ENTRY_MAGIC:
            break
        offset, size = int.from_bytes(entry[4:8], "little"), int.from_bytes(entry[8:12], "little")
        # Aligned, as the boot loader demands it: code that only looks like a table is none.
        is_application = entry[2] == 0 and size > 0 and offset > 0 and offset % _ALIGNMENT == 0
        if is_application and (first is None or offset < first[0]):
            first = offset, size
    return first
