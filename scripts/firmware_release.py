"""What PlatformIO has built for one board, checked and put together for a release.

    python scripts/firmware_release.py check-tag firmware-2.0.0
    python scripts/firmware_release.py collect core2 --packages ~/.platformio/packages --out DIR

`collect` looks at the linked image in firmware/.pio/build/BOARD: is it for that chip, do flash and
RAM keep to firmware/budget.toml? It leaves in DIR, for version V and the board's name B:

    lobug-V-B.bin        the application, for updates: `lobug firmware add`
    lobug-V-B-full.bin   all that an empty device needs, for address 0
    lobug-V-B.json       a manifest in the form of ESP Web Tools, with sizes and SHA-256 of both

Exit code 1, with a sentence, when something is missing or too large; nothing is left in DIR then.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import struct
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FIRMWARE = Path(__file__).parents[1] / "firmware"
RAM_SECTIONS = (".dram0.data", ".dram0.bss", ".noinit")
"""As PlatformIO counts it."""
TABLE_OFFSET = 0x8000


class ReleaseError(Exception):
    """The build is not fit for a release; the text is a sentence for a person."""


@dataclass(frozen=True)
class Board:
    """What is particular to the chip of an environment of platformio.ini."""

    name: str
    """As updates are filed under, and as the firmware calls itself (src/chip.cpp)."""
    family: str
    """As ESP Web Tools calls the chip."""
    chip: int
    """Number of the chip in an image's header, at 12."""
    loader_offset: int


BOARDS = {
    "core2": Board("m5stack-core2", "ESP32", 0, 0x1000),
    "cores3": Board("m5stack-cores3", "ESP32-S3", 9, 0),
}


def firmware_version(text: str) -> str:
    """The version in src/version.h. Raises ReleaseError."""
    match = re.search(r'kFirmwareVersion = "([^"]+)"', text)
    if match is None:
        raise ReleaseError("version.h names no version.")
    return match[1]


def check_tag(tag: str, version: str) -> None:
    """Raises ReleaseError when a release's tag is not that of the sources' version."""
    if tag != f"firmware-{version}":
        raise ReleaseError(f"The tag is {tag}, and the sources are firmware-{version}.")


def section_sizes(elf: bytes) -> dict[str, int]:
    """Name to bytes of the sections of a 32-bit little-endian ELF file. Raises ReleaseError."""
    try:
        if elf[:6] != b"\x7fELF\x01\x01":
            raise ReleaseError("firmware.elf is no ELF file of a chip with 32 bits.")
        (table,) = struct.unpack_from("<I", elf, 32)
        entry_bytes, count, names_at = struct.unpack_from("<3H", elf, 46)
        headers = [
            struct.unpack_from("<10I", elf, table + index * entry_bytes) for index in range(count)
        ]
        names = headers[names_at][4]
        found: dict[str, int] = {}
        for header in headers:
            start = names + header[0]
            name = elf[start : elf.index(b"\0", start)].decode("ascii")
            found[name] = found.get(name, 0) + header[5]
    except (struct.error, ValueError, IndexError) as error:
        raise ReleaseError("firmware.elf is damaged.") from error
    return found


def check_sizes(elf: bytes, application: bytes, budget: Mapping[str, int]) -> dict[str, int]:
    """Bytes of flash and RAM. Raises ReleaseError when one of them breaks its budget."""
    sections = section_sizes(elf)
    if not set(sections) & set(RAM_SECTIONS):
        raise ReleaseError("firmware.elf is not linked: it has no memory of the chip's.")
    sizes = {
        "flash": len(application),
        "ram": sum(sections.get(name, 0) for name in RAM_SECTIONS),
    }
    for name, size in sizes.items():
        if size > budget[name]:
            raise ReleaseError(f"The image takes {size} bytes of {name}, allowed {budget[name]}.")
    return sizes


def partitions(text: str) -> dict[str, tuple[int, int]]:
    """Name to offset and size, in bytes, from partitions.csv."""
    rows = csv.reader(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return {row[0].strip(): (int(row[3].strip(), 0), int(row[4].strip(), 0)) for row in rows if row}


def check_image(content: bytes, board: Board, what: str) -> None:
    """Raises ReleaseError when that is no image for the board's chip."""
    if len(content) < 24 or content[0] != 0xE9:
        raise ReleaseError(f"{what} is no image of an ESP32.")
    if int.from_bytes(content[12:14], "little") != board.chip:
        raise ReleaseError(f"{what} is for another chip than {board.family}.")


def merge(parts: Mapping[int, bytes]) -> bytes:
    """One image for address 0; what lies between the parts is erased. Raises ReleaseError."""
    merged = bytearray()
    for offset, content in sorted(parts.items()):
        if len(merged) > offset:
            raise ReleaseError(f"Something reaches over {offset:#x}, where another part begins.")
        merged += b"\xff" * (offset - len(merged)) + content
    return bytes(merged)


def collect(
    board: Board, build: Path, boot_app: Path, layout: str, version: str, budget: Mapping[str, int]
) -> dict[str, bytes]:
    """Names and contents of what belongs to a release. Raises ReleaseError."""
    application = _read(build / "firmware.bin")
    loader = _read(build / "bootloader.bin")
    table = _read(build / "partitions.bin")
    check_image(application, board, "firmware.bin")
    check_image(loader, board, "bootloader.bin")
    if table[:2] != b"\xaa\x50":
        raise ReleaseError("partitions.bin is no partition table.")
    sizes = check_sizes(_read(build / "firmware.elf"), application, budget)
    places = partitions(layout)
    offset, room = places["app0"]
    if len(application) > room:
        raise ReleaseError(f"firmware.bin has {len(application)} bytes, its slot {room}.")
    full = merge(
        {
            board.loader_offset: loader,
            TABLE_OFFSET: table,
            places["otadata"][0]: _read(boot_app),
            offset: application,
        }
    )
    stem = f"lobug-{version}-{board.name}"
    manifest = {
        "name": "Lo-Bug",
        "version": version,
        "new_install_prompt_erase": True,
        "builds": [
            {"chipFamily": board.family, "parts": [{"path": f"{stem}-full.bin", "offset": 0}]}
        ],
        # What ESP Web Tools does not read.
        "board": board.name,
        "flash_bytes": sizes["flash"],
        "ram_bytes": sizes["ram"],
        "update": _file(f"{stem}.bin", application),
        "full": _file(f"{stem}-full.bin", full),
    }
    return {
        f"{stem}.bin": application,
        f"{stem}-full.bin": full,
        f"{stem}.json": (json.dumps(manifest, indent=2) + "\n").encode(),
    }


def _file(name: str, content: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    return {"path": name, "size": len(content), "sha256": digest}


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ReleaseError(f"{file} cannot be read: build the firmware first.") from error


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check and collect a build of the firmware.")
    commands = parser.add_subparsers(dest="command", required=True)
    tagged = commands.add_parser("check-tag", help="is TAG that of the sources' version?")
    tagged.add_argument("tag")
    collected = commands.add_parser("collect", help="check one board's build, gather its files")
    collected.add_argument("board", choices=sorted(BOARDS))
    collected.add_argument("--firmware", type=Path, default=FIRMWARE, help="the project's folder")
    collected.add_argument("--packages", type=Path, required=True, help="PlatformIO's packages")
    collected.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    firmware: Path = getattr(options, "firmware", FIRMWARE)
    try:
        version = firmware_version((firmware / "src" / "version.h").read_text(encoding="utf-8"))
        if options.command == "check-tag":
            check_tag(options.tag, version)
            return 0
        framework = options.packages / "framework-arduinoespressif32"
        files = collect(
            BOARDS[options.board],
            firmware / ".pio" / "build" / options.board,
            framework / "tools" / "partitions" / "boot_app0.bin",
            (firmware / "partitions.csv").read_text(encoding="utf-8"),
            version,
            tomllib.loads((firmware / "budget.toml").read_text(encoding="utf-8"))["image"],
        )
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (options.out / name).write_bytes(content)
        print(f"{len(content):>9} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
