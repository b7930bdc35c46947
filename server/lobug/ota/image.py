"""Why an image could not be added or removed.

Versions of firmware: dotted numbers. Pure.

A firmware image: what is known of it, and whether a file can be one. Pure.

The layout is that of the ESP32's application images: a header of 24 bytes that begins with 0xE9 and
names the chip in the little-endian number at offset 12."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lobug.errors import InvalidRequestError, LobugError


class FirmwareInvalidError(InvalidRequestError):
    """It is no firmware image for this board, is too large, or board or version are none."""

    code = "firmware_invalid"


class FirmwareExistsError(LobugError):
    """There is an image for this board and version already."""

    code = "firmware_exists"
    status = 409


class FirmwareFolderError(LobugError):
    """The file or the folder of images cannot be read or written."""

    code = "firmware_folder"
    status = 503


VERSION_RULE = "one to four numbers with dots between them, such as 2.1.0"

_VERSION = re.compile(r"[0-9]{1,5}(\.[0-9]{1,5}){0,3}", re.ASCII)
"""At most 23 characters: a device keeps 24."""


def parse_version(text: str | None) -> tuple[int, ...] | None:
    """What a version is compared by; None: it is none. "2.1" is the same as "2.1.0"."""
    if text is None or not _VERSION.fullmatch(text):
        return None
    numbers = [int(number) for number in text.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        del numbers[-1]
    return tuple(numbers)


def is_newer(offered: str, running: str | None) -> bool:
    """Whether one version is newer than the other. What is no version is neither newer nor older:
    a build of somebody's own is never replaced."""
    new, old = parse_version(offered), parse_version(running)
    return new is not None and old is not None and new > old


def is_same(one: str, other: str | None) -> bool:
    """Whether two versions are the same."""
    return one == other or (parse_version(one) or one) == (parse_version(other) or other)


MAGIC = 0xE9
HEADER_BYTES = 24

CHIPS: Mapping[str, tuple[int, str]] = {
    "m5stack-core2": (0, "ESP32"),
    "m5stack-cores3": (9, "ESP32-S3"),
}
"""The chip of each board that is known here, by its number in an image. Other boards' images are
not looked at for it."""

_BOARD = re.compile(r"[a-z0-9][a-z0-9_.-]{0,47}", re.ASCII)


@dataclass(frozen=True, slots=True)
class FirmwareImage:
    """An image that devices may be given."""

    board: str
    version: str
    size: int
    """Bytes."""
    sha256: str
    """Hexadecimal."""
    forced: bool
    """Whether every other version gives way to it, newer ones too."""
    added_at: float
    """Seconds since the epoch."""
    path: Path


def is_board(name: str) -> bool:
    """Whether it is the name of a board, and so can be that of a folder."""
    return _BOARD.fullmatch(name) is not None


def is_version(text: str) -> bool:
    """Whether it is a version, and so can be the name of a file."""
    return parse_version(text) is not None


def require_names(board: str, version: str) -> None:
    """Raises FirmwareInvalidError."""
    if not is_board(board):
        raise FirmwareInvalidError(
            f"{board!r} is no board: small letters, digits and . _ - are, such as m5stack-core2"
        )
    if not is_version(version):
        raise FirmwareInvalidError(f"{version!r} is no version: {VERSION_RULE}")


def require_image(name: str, header: bytes, board: str) -> None:
    """``name`` of the file, its first ``HEADER_BYTES``. Raises FirmwareInvalidError."""
    if len(header) < HEADER_BYTES or header[0] != MAGIC:
        raise FirmwareInvalidError(
            f"{name} is no firmware image of an ESP32: it does not begin with 0xE9 (it has to be"
            " the application alone, firmware.bin, without boot loader and partition table)"
        )
    chip = CHIPS.get(board)
    if chip is not None and int.from_bytes(header[12:14], "little") != chip[0]:
        raise FirmwareInvalidError(f"{name} is not for the chip of {board}, an {chip[1]}")
