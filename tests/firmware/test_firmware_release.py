"""What the owner's workflow does with a build: a build of zeros stands for PlatformIO's here."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from lobug.ota.image import CHIPS
from support.cpp_build import FIRMWARE, ROOT, need, run
from support.esp32_images import image_bytes

sys.path.append(str(ROOT / "scripts"))

import firmware_release
from firmware_release import BOARDS, ReleaseError, section_sizes

VERSION = firmware_release.firmware_version((FIRMWARE / "src" / "version.h").read_text())
WORKFLOW = ROOT / ".github" / "workflows" / "firmware.yml"


def elf_of(sections: dict[str, int]) -> bytes:
    """A linked image's headers: an ELF file whose sections have those sizes and no content."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in sections) + b".shstrtab\0"
    rows = [struct.pack("<10I", *[0] * 10)]
    at = 1
    for name, size in sections.items():
        rows.append(struct.pack("<10I", at, 8, 3, 0, 52, size, 0, 0, 4, 0))
        at += len(name) + 1
    rows.append(struct.pack("<10I", at, 3, 0, 0, 52, len(names), 0, 0, 1, 0))
    head = b"\x7fELF\x01\x01\x01" + bytes(9)
    head += struct.pack("<2H5I6H", 2, 94, 1, 0, 0, 52 + len(names), 0, 52, 0, 0, 40, len(rows), 0)
    # The last two figures of the head: how many sections, and which of them has the names.
    head = head[:48] + struct.pack("<2H", len(rows), len(rows) - 1)
    return head + names + b"".join(rows)


class Build:
    """A firmware folder with what PlatformIO leaves of one board, and its packages."""

    def __init__(self, folder: Path, board: str) -> None:
        self.board = board
        self.firmware = folder / "firmware"
        self.packages = folder / "packages"
        self.out = folder / "out"
        self.made = self.firmware / ".pio" / "build" / board
        self.made.mkdir(parents=True)
        (self.firmware / "src").mkdir()
        for name in ("src/version.h", "partitions.csv", "budget.toml"):
            shutil.copy(FIRMWARE / name, self.firmware / name)
        chip = BOARDS[board].chip
        self.write("firmware.bin", image_bytes(200_000, chip=chip))
        self.write("bootloader.bin", image_bytes(20_000, chip=chip, seed=2))
        self.write("partitions.bin", b"\xaa\x50" + bytes(3070))
        self.write("firmware.elf", elf_of({".dram0.data": 20_000, ".dram0.bss": 30_000}))
        boot_app = self.packages / "framework-arduinoespressif32" / "tools" / "partitions"
        boot_app.mkdir(parents=True)
        (boot_app / "boot_app0.bin").write_bytes(b"\x01" * 8192)

    def write(self, name: str, content: bytes) -> None:
        (self.made / name).write_bytes(content)

    def collect(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                *(sys.executable, ROOT / "scripts" / "firmware_release.py", "collect", self.board),
                *("--firmware", self.firmware, "--packages", self.packages, "--out", self.out),
            ],
            capture_output=True,
            text=True,
            check=False,
        )

    def refusal(self) -> str:
        finished = self.collect()
        assert finished.returncode == 1, finished.stdout
        assert not self.out.exists()
        return finished.stderr


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path, "core2")


@pytest.mark.parametrize("board", sorted(BOARDS))
def test_a_build_becomes_an_update_a_full_image_and_a_manifest(tmp_path: Path, board: str) -> None:
    build = Build(tmp_path, board)
    finished = build.collect()
    assert finished.returncode == 0, finished.stderr
    name = BOARDS[board].name
    stem = f"lobug-{VERSION}-{name}"
    assert {file.name for file in build.out.iterdir()} == {
        f"{stem}.bin",
        f"{stem}-full.bin",
        f"{stem}.json",
    }
    application = (build.made / "firmware.bin").read_bytes()
    assert (build.out / f"{stem}.bin").read_bytes() == application
    full = (build.out / f"{stem}-full.bin").read_bytes()
    loader_at = {"core2": 0x1000, "cores3": 0}[board]
    assert full[loader_at : loader_at + 20_000] == (build.made / "bootloader.bin").read_bytes()
    assert full[0x8000:0x8002] == b"\xaa\x50"
    assert set(full[0x9000:0xE000]) == {0xFF}  # a new device has no settings
    assert full[0xE000:0x10000] == b"\x01" * 8192
    assert full[0x10000:] == application
    manifest = json.loads((build.out / f"{stem}.json").read_text())
    assert manifest["version"] == VERSION
    assert manifest["board"] == name
    assert manifest["builds"] == [
        {
            "chipFamily": {"core2": "ESP32", "cores3": "ESP32-S3"}[board],
            "parts": [{"path": f"{stem}-full.bin", "offset": 0}],
        }
    ]
    assert manifest["full"]["sha256"] == hashlib.sha256(full).hexdigest()
    assert manifest["update"]["size"] == len(application)
    assert (manifest["flash_bytes"], manifest["ram_bytes"]) == (200_000, 50_000)


def test_the_boards_are_those_that_the_server_and_the_firmware_know() -> None:
    chip_cpp = (FIRMWARE / "src" / "chip.cpp").read_text()
    for board in BOARDS.values():
        assert CHIPS[board.name][0] == board.chip
        assert f'"{board.name}"' in chip_cpp


def test_an_image_that_takes_too_much_flash_or_ram_is_refused(build: Build) -> None:
    build.write("firmware.elf", elf_of({".dram0.data": 50_000, ".dram0.bss": 50_000}))
    assert "100000 bytes of ram, allowed 98304" in build.refusal()
    build.write("firmware.elf", elf_of({".dram0.bss": 50_000, ".flash.text": 9_000_000}))
    build.write("firmware.bin", image_bytes(3_300_000))
    assert "3300000 bytes of flash, allowed 3276800" in build.refusal()


def test_an_image_that_is_larger_than_its_slot_is_refused(build: Build) -> None:
    layout = (build.firmware / "partitions.csv").read_text()
    (build.firmware / "partitions.csv").write_text(layout.replace("0x640000", "0x30000", 1))
    assert "firmware.bin has 200000 bytes, its slot 196608" in build.refusal()


@pytest.mark.parametrize("name", ["firmware.bin", "bootloader.bin"])
def test_an_image_for_another_chip_is_refused(build: Build, name: str) -> None:
    build.write(name, image_bytes(chip=9))
    assert f"{name} is for another chip than ESP32" in build.refusal()
    build.write(name, b"no image")
    assert f"{name} is no image" in build.refusal()


def test_a_boot_loader_that_reaches_into_the_partition_table_is_refused(build: Build) -> None:
    build.write("bootloader.bin", image_bytes(30_000))
    assert "reaches over 0x8000" in build.refusal()


@pytest.mark.parametrize("name", ["firmware.bin", "bootloader.bin", "partitions.bin"])
def test_a_part_that_was_not_built_is_named(build: Build, name: str) -> None:
    (build.made / name).unlink()
    assert name in build.refusal()


@pytest.mark.parametrize(
    "elf", [b"", b"\x7fELF\x02\x01" + bytes(60), elf_of({".dram0.bss": 1})[:90]]
)
def test_what_is_no_linked_image_has_no_sizes(build: Build, elf: bytes) -> None:
    build.write("firmware.elf", elf)
    assert "firmware.elf is" in build.refusal()


def test_sizes_are_read_as_the_compilers_own_tool_reads_them(tmp_path: Path) -> None:
    """Of a file that was not made by this test's idea of ELF."""
    need("arm-none-eabi-g++", "arm-none-eabi-size")
    source = tmp_path / "sized.cpp"
    source.write_text(
        'int zeros[100] __attribute__((section(".dram0.bss")));\n'
        'int ones[25] __attribute__((section(".dram0.data"))) = {1};\n'
    )
    run("arm-none-eabi-g++", "-c", source, "-o", tmp_path / "sized.o")
    sizes = section_sizes((tmp_path / "sized.o").read_bytes())
    assert sizes[".dram0.data"] == 100
    assert sizes[".dram0.bss"] == 400
    told = run("arm-none-eabi-size", "-A", tmp_path / "sized.o")
    rows = dict(re.findall(r"^(\.\S+)\s+(\d+)", told, re.MULTILINE))
    assert {name: int(size) for name, size in rows.items()}.items() <= sizes.items()


def test_a_release_has_the_tag_of_its_sources() -> None:
    firmware_release.check_tag(f"firmware-{VERSION}", VERSION)
    for tag in (f"v{VERSION}", "firmware-0.0.1", f"firmware-{VERSION}-rc1", ""):
        with pytest.raises(ReleaseError):
            firmware_release.check_tag(tag, VERSION)
    assert firmware_release.main(["check-tag", f"firmware-{VERSION}"]) == 0
    assert firmware_release.main(["check-tag", "firmware-0.0.1"]) == 1


# The workflow itself.


@pytest.fixture
def workflow() -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe", pure=True).load(WORKFLOW)
    return loaded


def steps_of(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def schema_check(file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *(sys.executable, "-m", "check_jsonschema"),
            *("--builtin-schema", "vendor.github-workflows", str(file)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_workflow_is_one(tmp_path: Path) -> None:
    good = schema_check(WORKFLOW)
    assert good.returncode == 0, good.stdout + good.stderr
    text = WORKFLOW.read_text(encoding="utf-8")
    (tmp_path / "bad.yml").write_text(text.replace("runs-on:", "run-on:", 1))
    assert schema_check(tmp_path / "bad.yml").returncode != 0


def test_it_builds_every_board(workflow: dict[str, Any]) -> None:
    assert set(workflow["jobs"]["build"]["strategy"]["matrix"]["board"]) == set(BOARDS)


def test_it_may_read_alone_and_write_only_to_make_a_release(workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in workflow["jobs"]["build"]
    release = workflow["jobs"]["release"]
    assert release["permissions"] == {"contents": "write"}
    assert release["if"] == "github.ref_type == 'tag'"
    assert release["needs"] == "build"


def test_every_action_is_pinned_to_a_commit(workflow: dict[str, Any]) -> None:
    used = [step["uses"] for step in steps_of(workflow) if "uses" in step]
    assert used
    for action in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action), action


def test_its_steps_are_single_commands_without_a_strangers_text(workflow: dict[str, Any]) -> None:
    """Names of branches and pull requests come from anybody: they reach a shell as variables."""
    commands = [step["run"] for step in steps_of(workflow) if "run" in step]
    assert commands
    for command in commands:
        assert "\n" not in command.strip()
        assert "${{" not in command
        for script in re.findall(r"(?:scripts|firmware)/\S+\.(?:py|txt)", command):
            assert (ROOT / script).is_file(), script


def test_its_scripts_need_nothing_but_python(workflow: dict[str, Any]) -> None:
    commands = " ".join(step.get("run", "") for step in steps_of(workflow))
    for script in set(re.findall(r"scripts/\S+\.py", commands)):
        finished = subprocess.run(
            [sys.executable, "-I", "-S", ROOT / script, "--help"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stderr
