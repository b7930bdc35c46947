"""scripts/firmware_headers.sh finds what the real headers refuse. Our stubs stand for them here."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.cpp_build import FIRMWARE, ROOT, need

sys.path.append(str(ROOT / "scripts"))

import firmware_headers
import firmware_stubs
from firmware_headers import BOARDS, HeadersError
from firmware_pins import read_pins

PINS = read_pins((FIRMWARE / "platformio.ini").read_text(encoding="utf-8"))
STUBS = FIRMWARE / "stubs"
CHIP = FIRMWARE / "src" / "chip.cpp"


def fetched(folder: Path) -> Path:
    """A DIR as a person would fetch it, with the stubs for contents."""
    arduino = folder / "arduino-esp32"
    core = arduino / "cores" / "esp32"
    shutil.copytree(STUBS, core)
    version = zip(("MAJOR", "MINOR", "PATCH"), firmware_headers.ARDUINO, strict=True)
    (core / "esp_arduino_version.h").write_text(
        "".join(f"#define ESP_ARDUINO_VERSION_{name}   {number}\n" for name, number in version)
    )
    (arduino / "tools").mkdir()
    for board in BOARDS:
        start = f'        join(FRAMEWORK_DIR, "tools", "sdk", "{board.chip}", "include", '
        lines = [f'{start}"part{number}"),' for number in range(60)]
        (arduino / "tools" / f"platformio-build-{board.chip}.py").write_text("\n".join(lines))
    for name, pinned in PINS.items():
        source = folder / name / "src"
        source.mkdir(parents=True)
        (folder / name / "library.json").write_text(json.dumps({"name": name, "version": pinned}))
    shutil.move(core / "M5Unified.h", folder / "M5Unified" / "src" / "M5Unified.h")
    return folder


def without(folder: Path, line: str) -> Path:
    """The same, after the libraries have lost something that our sources use."""
    header = folder / "M5Unified" / "src" / "M5Unified.h"
    text = header.read_text()
    assert text.count(line) == 1
    header.write_text(text.replace(line, ""))
    return folder


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.environment)
def test_sources_that_the_headers_accept_pass(
    tmp_path: Path, board: firmware_headers.Board
) -> None:
    need("clang++-22", "arm-none-eabi-g++")
    refused, said = firmware_headers.compile_all(fetched(tmp_path), board, [CHIP])
    assert (refused, said) == (0, "")


def test_a_board_that_the_library_does_not_name_is_found(tmp_path: Path) -> None:
    """The fault that there was: boards that the other library's headers did not have."""
    need("clang++-22", "arm-none-eabi-g++")
    folder = without(fetched(tmp_path), "  board_M5StackCoreS3SE,\n")
    refused, said = firmware_headers.compile_all(folder, BOARDS[1], [CHIP])
    assert refused == 1
    assert "board_M5StackCoreS3SE" in said


def test_a_member_of_a_stub_that_the_library_has_not_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = fetched(tmp_path)
    libraries = [folder / name for name in PINS]
    assert firmware_stubs.compare_folders(libraries) == 0
    without(folder, "  void setVolume(std::uint8_t master_volume);\n")
    assert firmware_stubs.compare_folders(libraries) == 1
    assert "Speaker_Class::setVolume: no such member" in capsys.readouterr().out


def test_a_stub_without_members_is_no_agreement(tmp_path: Path) -> None:
    (tmp_path / "empty.h").write_text("// nothing\n")
    assert firmware_stubs.compare_folders([STUBS], tmp_path / "empty.h") == 1


def test_every_source_of_the_device_is_looked_at() -> None:
    sources = firmware_headers.device_sources()
    assert CHIP in sources
    assert FIRMWARE / "lib" / "sockets" / "src" / "lobug_sockets" / "tls_connection.cpp" in sources


def test_what_is_missing_or_of_another_version_is_named(tmp_path: Path) -> None:
    need("clang++-22", "arm-none-eabi-g++")
    script = ROOT / "scripts" / "firmware_headers.sh"
    finished = subprocess.run([script, tmp_path], capture_output=True, text=True, check=False)
    assert finished.returncode == 2
    assert "put arduino-esp32 2.0.17 there" in finished.stderr

    folder = fetched(tmp_path / "there")
    firmware_headers.check(folder)
    manifest = folder / "M5GFX" / "library.json"
    manifest.write_text(json.dumps({"name": "M5GFX", "version": "0.0.1"}))
    with pytest.raises(HeadersError, match=r"M5GFX is 0\.0\.1, and platformio\.ini pins"):
        firmware_headers.check(folder)
    manifest.unlink()
    with pytest.raises(HeadersError, match="put M5GFX"):
        firmware_headers.check(folder)
    version = folder / "arduino-esp32" / "cores" / "esp32" / "esp_arduino_version.h"
    version.write_text(version.read_text().replace("17", "14"))
    with pytest.raises(HeadersError, match=r"arduino-esp32 is 2\.0\.14, not 2\.0\.17"):
        firmware_headers.check(folder)


def test_a_build_script_that_names_hardly_any_headers_is_refused(tmp_path: Path) -> None:
    folder = fetched(tmp_path)
    (folder / "arduino-esp32" / "tools" / "platformio-build-esp32.py").write_text("# empty\n")
    with pytest.raises(HeadersError, match="is it whole"):
        firmware_headers.include_paths(folder, BOARDS[0], "dio_qspi")
