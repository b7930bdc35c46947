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
