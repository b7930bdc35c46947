"""firmware/src, which runs on the device alone, is type-checked against our stubs of its libraries.

For each board by two compilers: the PC's for 32 bits, and ARM's, whose uint32_t is an unsigned long
as with ESP-IDF 5. Linking needs the vendor's toolchain.
"""

from __future__ import annotations

import configparser
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support import clang_tidy, cpp_build
from support.cpp_build import FIRMWARE, need, run

BOARDS = ("core2", "cores3")
COMPILERS = {
    "pc": ("g++", "-m32", "-funsigned-char"),
    "arm": ("arm-none-eabi-g++", "-mcpu=cortex-a9"),
}
STRICT = ("-std=gnu++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wformat=2", "-Werror")


def defines(board: str) -> list[str]:
    """The -D flags that platformio.ini gives a board, and what the vendor's tools define."""
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    assert parser.read(FIRMWARE / "platformio.ini", encoding="utf-8")
    section = f"env:{board}"
    text = parser.get(section, "build_flags", fallback="")
    shared = parser.get("env", "build_flags", fallback="")
    text = text.replace("${env.build_flags}", shared)
    assert "${" not in text, text
    flags = [flag for flag in shlex.split(text, comments=True) if flag.startswith("-D")]
    assert flags, f"{section} of platformio.ini defines nothing"
    chip = {"core2": "ESP32", "cores3": "ESP32S3"}[board]
    vendor = ["ESP_PLATFORM", "ARDUINO=10812", "ESP32", "ARDUINO_ARCH_ESP32"]
    return [*flags, *(f"-D{name}" for name in [*vendor, f"CONFIG_IDF_TARGET_{chip}=1"])]


def includes(stubs: str = "-I") -> list[str]:
    """Where headers are: ours, the stubs, and a folder with those that are the same everywhere."""
    shared = cpp_build.BUILDS / "shared-headers"
    shared.mkdir(parents=True, exist_ok=True)
    for name in ("mbedtls", "psa", "sodium"):
        link = shared / name
        if not link.is_symlink():
            link.symlink_to(Path("/usr/include") / name)
    libraries = [f"-I{FIRMWARE / 'lib' / name / 'src'}" for name in ("core", "sockets")]
    return [
        *libraries,
        f"-I{FIRMWARE / 'src'}",
        f"{stubs}{FIRMWARE / 'stubs'}",
        f"-isystem{shared}",
    ]


def device_sources(board: str) -> list[Path]:
    """The sockets are the same code on the chip, with lwIP's headers; no board's flag changes them,
    so they are compiled for one board."""
    found = sorted((FIRMWARE / "src").rglob("*.cpp"))
    if board == BOARDS[0]:
        found += sorted((FIRMWARE / "lib" / "sockets" / "src").rglob("*.cpp"))
    return found


def test_there_is_something_to_check() -> None:
    assert (FIRMWARE / "src" / "main.cpp") in device_sources("core2")


def test_no_flag_of_a_board_changes_the_sockets() -> None:
    core2, cores3 = (set(defines(board)) for board in BOARDS)
    names = {flag.removeprefix("-D").partition("=")[0] for flag in core2 ^ cores3}
    assert names
    for file in (FIRMWARE / "lib").rglob("*.[ch]*"):
        text = file.read_text(encoding="utf-8")
        assert not [name for name in names if name in text], file


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_devices_sources_agree_with_the_libraries(compiler: str, board: str) -> None:
    command = COMPILERS[compiler]
    need(command[0])
    flags = [*command, *STRICT, *defines(board), *includes()]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda source: run(*flags, source), device_sources(board)))


def test_a_call_that_the_library_has_not_is_found(tmp_path: Path) -> None:
    need("g++")
    wrong = tmp_path / "wrong.cpp"
    wrong.write_text("#include <M5Unified.h>\nvoid wrong() { M5.Speaker.sing(); }\n")
    flags = [*COMPILERS["pc"], *STRICT, *defines("core2"), *includes()]
    with pytest.raises(pytest.fail.Exception, match=r"no member named .sing"):
        run(*flags, wrong)


def test_clang_tidy_finds_nothing_in_src() -> None:
    need(clang_tidy.TIDY, clang_tidy.SCANNER)
    files = sorted((FIRMWARE / "src").rglob("*.cpp"))
    assert files
    flags = ["-std=gnu++17", "-m32", "-funsigned-char", *defines("cores3"), *includes()]
    flags = [
        flag.replace(f"-I{FIRMWARE / 'stubs'}", f"-isystem{FIRMWARE / 'stubs'}") for flag in flags
    ]
    database = clang_tidy.write_database(cpp_build.BUILDS / "tidy-src", files, flags)
    rules = FIRMWARE / ".clang-tidy"
    clang_tidy.check(database, rules, within=files, kept=clang_tidy.kept_folder())
