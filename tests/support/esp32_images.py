"""Files that look like firmware of an ESP32."""

from __future__ import annotations

import random
from pathlib import Path

CHIP_AT = 12


def image_bytes(size: int = 4096, *, chip: int = 0, seed: int = 1) -> bytes:
    """Return the header of an application image followed by arbitrary bytes."""
    content = bytearray(random.Random(seed).randbytes(size))
    content[0] = 0xE9
    content[CHIP_AT : CHIP_AT + 2] = chip.to_bytes(2, "little")
    return bytes(content)


def image_file(folder: Path, content: bytes | None = None, name: str = "firmware.bin") -> Path:
    """Write such an image to a file."""
    path = folder / name
    path.write_bytes(image_bytes() if content is None else content)
    return path


def full_image_bytes(
    size: int = 0x12000, *, chip: int = 0, room: int = 0x640000, application: int = 0x10000
) -> bytes:
    """Return a merged image: boot loader, partition table with two applications, application."""
    content = bytearray(b"\xff" * size)
    loader = {0: 0x1000, 9: 0}.get(chip, 0)
    content[loader : loader + 64] = image_bytes(64, chip=chip)
    entries = (
        _entry(1, 2, 0x9000, 0x5000, b"nvs"),
        _entry(0, 0x10, application, room, b"app0"),
        _entry(0, 0x11, application + room, room, b"app1"),
    )
    table = b"".join(entries)
    content[0x8000 : 0x8000 + len(table)] = table
    if application < size:
        content[application:] = image_bytes(size - application, chip=chip)
    return bytes(content)


def _entry(kind: int, subtype: int, offset: int, size: int, label: bytes) -> bytes:
    return (
        b"\xaa\x50"
        + bytes((kind, subtype))
        + offset.to_bytes(4, "little")
        + size.to_bytes(4, "little")
        + label.ljust(16, b"\0")
        + bytes(4)
    )
