"""firmware/src against the real headers of the pinned libraries, for each board.

    scripts/firmware_headers.sh DIR

DIR has these, at these tags; nothing of them belongs into this repository:

    DIR/arduino-esp32   github.com/espressif/arduino-esp32, 2.0.17. Its tools/sdk has the headers of
                        ESP-IDF 4.4.7 as they were built for each chip. PlatformIO's package
                        framework-arduinoespressif32 3.20017 is the same, and has been linked with.
    DIR/M5Unified       github.com/m5stack/M5Unified, at the version that platformio.ini pins
    DIR/M5GFX           github.com/m5stack/M5GFX, at the version that platformio.ini pins

clang parses every file of src and of lib/sockets for Xtensa, with the include paths, definitions
and settings that PlatformIO gives GCC, and prints what it does not accept. Then every member that
stubs/M5Unified.h declares is looked for in M5's headers (firmware_stubs.py), since CI has only the
stubs. Nothing is linked, and no code is made.

Exit code 0: all agree, 1: something does not, 2: something is missing here.
"""

from __future__ import annotations

import argparse
import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import firmware_stubs
from firmware_pins import PinError, read_library, read_pins

FIRMWARE = Path(__file__).parents[1] / "firmware"
CLANG = "clang++-22"
ARDUINO = (2, 0, 17)
NEWLIB = Path("/usr/include/newlib")
LIBRARIES = ("WiFi", "Wire", "SPI", "FS", "SD")
"""Of the Arduino core: what our sources or M5's headers include."""


class HeadersError(Exception):
    """Something is missing; the text is a sentence for a person."""


@dataclass(frozen=True)
class Board:
    """What PlatformIO's own file of a board says, as far as headers depend on it."""

    environment: str
    chip: str
    variant: str
    memory_type: str
    """Of flash and PSRAM: which sdkconfig.h is read. platformio.ini may say another."""
    machine: str
    """The macro by which sources ask what they are compiled for."""


BOARDS = (
    Board("core2", "esp32", "m5stack_core2", "dio_qspi", "ARDUINO_M5STACK_Core2"),
    Board("cores3", "esp32s3", "m5stack_cores3", "qio_qspi", "ARDUINO_M5STACK_CORES3"),
)


def project() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(FIRMWARE / "platformio.ini", encoding="utf-8")
    return parser


def board_flags(parser: configparser.ConfigParser, board: Board) -> list[str]:
    """The -D and -std flags of platformio.ini. GCC's own options for the chip are left out."""
    shared = parser.get("env", "build_flags", fallback="")
    text = parser.get(f"env:{board.environment}", "build_flags", fallback=shared)
    flags = shlex.split(text.replace("${env.build_flags}", shared), comments=True)
    return [flag for flag in flags if flag.startswith(("-D", "-std="))]


def check(folder: Path) -> None:
    """Raises HeadersError when a source is missing or is of another version."""
    if shutil.which(CLANG) is None:
        raise HeadersError(f"{CLANG} is missing: see scripts/firmware-packages.sh.")
    if not (NEWLIB / "stdio.h").is_file():
        raise HeadersError(f"{NEWLIB} is missing: see scripts/firmware-packages.sh.")
    version_header = folder / "arduino-esp32" / "cores" / "esp32" / "esp_arduino_version.h"
    version = ".".join(str(part) for part in ARDUINO)
    if not version_header.is_file():
        raise HeadersError(f"{version_header} is missing: put arduino-esp32 {version} there.")
    figures = re.findall(
        r"#define ESP_ARDUINO_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)",
        version_header.read_text(encoding="utf-8"),
    )
    if tuple(int(figure) for figure in figures) != ARDUINO:
        raise HeadersError(f"arduino-esp32 is {'.'.join(figures)}, not {version}.")
    for name, pinned in read_pins((FIRMWARE / "platformio.ini").read_text("utf-8")).items():
        manifest = folder / name / "library.json"
        if not manifest.is_file():
            raise HeadersError(f"{manifest} is missing: put {name} {pinned} there.")
        found = read_library(json.loads(manifest.read_text(encoding="utf-8"))).version
        if found != pinned:
            raise HeadersError(f"{name} is {found}, and platformio.ini pins {pinned}.")


def include_paths(folder: Path, board: Board, memory_type: str) -> list[Path]:
    """Where headers are, in the order in which the core's own build script names them."""
    core = folder / "arduino-esp32"
    script = core / "tools" / f"platformio-build-{board.chip}.py"
    if not script.is_file():
        raise HeadersError(f"{script} is missing.")
    found = [
        core.joinpath(*re.findall(r'"([^"]+)"', parts))
        for parts in re.findall(
            r'join\(FRAMEWORK_DIR, ("tools", "sdk", [^()]*"include"[^()]*)\)',
            script.read_text(encoding="utf-8"),
        )
    ]
    if len(found) < 50:
        raise HeadersError(f"{script} names {len(found)} folders of headers: is it whole?")
    return [
        *found,
        core / "tools" / "sdk" / board.chip / memory_type / "include",
        core / "cores" / "esp32",
        core / "variants" / board.variant,
        *(core / "libraries" / name / "src" for name in LIBRARIES),
        *(folder / name / "src" for name in ("M5Unified", "M5GFX")),
    ]


def command(folder: Path, parser: configparser.ConfigParser, board: Board) -> list[str]:
    """clang for a board, but for the source."""
    memory_type = parser.get(
        f"env:{board.environment}",
        "board_build.arduino.memory_type",
        fallback=board.memory_type,
    )
    resources = subprocess.run(
        [CLANG, "-print-resource-dir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    cpp = sorted((NEWLIB / "c++").glob("*/arm-none-eabi"))[-1]
    system = (cpp.parent, cpp, Path(resources) / "include")
    ours = (FIRMWARE / "src", *(FIRMWARE / "lib" / name / "src" for name in ("core", "sockets")))
    return [
        *(CLANG, "--target=xtensa", "-fsyntax-only", "-nostdinc", "-nostdinc++"),
        *("-Os", "-funsigned-char", "-fexceptions", "-fno-rtti", "-ferror-limit=0"),
        *board_flags(parser, board),
        *("-DESP_PLATFORM", "-DESP32", "-DARDUINO_ARCH_ESP32", "-DARDUINO=10812", "-D_GNU_SOURCE"),
        *(
            "-DHAVE_CONFIG_H",
            "-DF_CPU=240000000L",
            f"-D{board.machine}",
            "-D_POSIX_READER_WRITER_LOCKS",
        ),
        '-DMBEDTLS_CONFIG_FILE="mbedtls/esp_config.h"',
        f'-DARDUINO_BOARD="{board.environment}"',
        f'-DARDUINO_VARIANT="{board.variant}"',
        *("-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-sign-compare"),
        *(f"-I{path}" for path in ours),
        *(f"-isystem{path}" for path in system),
        *(f"-isystem{path}" for path in include_paths(folder, board, memory_type)),
        f"-isystem{NEWLIB}",
    ]


def device_sources() -> list[Path]:
    """All that is compiled for the device alone; the core has no header of the vendor's."""
    folders = (FIRMWARE / "src", FIRMWARE / "lib" / "sockets" / "src")
    return [source for folder in folders for source in sorted(folder.rglob("*.cpp"))]


def compile_all(folder: Path, board: Board, sources: Sequence[Path]) -> tuple[int, str]:
    """How many of the files clang does not accept, and what it says of all of them."""
    base = command(folder, project(), board)

    def one(source: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*base, str(source)], capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(2) as pool:
        finished = list(pool.map(one, sources))
    refused = [run for run in finished if run.returncode != 0]
    return len(refused), "".join(run.stderr for run in finished)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the fetched sources")
    folder: Path = parser.parse_args(arguments).folder
    try:
        check(folder)
        wrong = 0
        for board in BOARDS:
            refused, said = compile_all(folder, board, device_sources())
            sys.stdout.write(said)
            sys.stdout.write(f"{board.environment}: {refused} files are not accepted\n")
            wrong += refused
    except (HeadersError, PinError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    differing = firmware_stubs.compare_folders([folder / "M5Unified", folder / "M5GFX"])
    return 1 if wrong or differing else 0


if __name__ == "__main__":
    sys.exit(main())
