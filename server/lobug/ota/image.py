"""Firmware images: their versions, the check of a file's header, and errors. Pure.

An ESP32 application image begins with a header of 24 bytes: its first byte is 0xE9, and the
little-endian number at offset 12 names the chip.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lobug.errors import InvalidRequestError, LobugError


class FirmwareInvalidError(InvalidRequestError):
    """The file is not a firmware image for this board or is too large, or the name of the board or
    the version is not valid."""

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

_BOARD = re.compile(r"[a-z0-9][a-z0-9_.-]{0,47}", re.ASCII)


@dataclass(frozen=True, slots=True)
class FirmwareImage:
    """An image that can be offered to devices."""

    board: str
    version: str
    size: int
    """Bytes."""
    sha256: str
    """Hexadecimal."""
    forced: bool
    """Whether it replaces every other version, newer ones too."""
    added_at: float
    """Seconds since the epoch."""
    path: Path


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


def require_image(name: str, header: bytes, board: str) -> None:
    """Raise FirmwareInvalidError when the header, the first ``HEADER_BYTES`` of the file ``name``,
    is not that of an image for ``board``."""
    if len(header) < HEADER_BYTES or header[0] != MAGIC:
        raise FirmwareInvalidError(
            f"{name} is not a firmware image of an ESP32: it does not begin with 0xE9 (it has to be"
            " the application alone, firmware.bin, without boot loader and partition table)"
        )
    chip = CHIPS.get(board)
    if chip is not None and int.from_bytes(header[12:14], "little") != chip[0]:
        raise FirmwareInvalidError(f"{name} is not for the chip of {board}, an {chip[1]}")
