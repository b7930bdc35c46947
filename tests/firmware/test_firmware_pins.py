"""The pinned libraries go together by their own word, and all that is written names the pins."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.cpp_build import FIRMWARE, ROOT

sys.path.append(str(ROOT / "scripts"))

from firmware_pins import (
    FACTS,
    Library,
    PinError,
    contradictions,
    read_facts,
    read_library,
    read_pins,
    refresh,
    satisfies,
)

PINS = read_pins((FIRMWARE / "platformio.ini").read_text(encoding="utf-8"))
GRAPHICS = Library("M5GFX", "0.2.17", {})


def test_the_pins_contradict_nothing_that_the_libraries_declare() -> None:
    assert contradictions(PINS, read_facts(FACTS.read_text(encoding="utf-8"))) == []


def test_pins_that_a_library_refuses_are_found() -> None:
    """As they were: M5Unified 0.2.14 names boards that M5GFX 0.2.17 has not."""
    newer = Library("M5Unified", "0.2.14", {"M5GFX": ">=0.2.20"})
    pins = {"M5Unified": "0.2.14", "M5GFX": "0.2.17"}
    assert contradictions(pins, [newer, GRAPHICS]) == [
        "M5Unified 0.2.14 needs M5GFX >=0.2.20, not 0.2.17."
    ]


def test_a_pin_of_which_nothing_is_known_is_found_and_what_is_not_pinned_any_more() -> None:
    older = Library("M5Unified", "0.2.10", {"M5GFX": ">=0.2.15"})
    pins = {"M5Unified": "0.2.11", "M5GFX": "0.2.17"}
    assert contradictions(pins, [older, GRAPHICS]) == [
        "libraries.json has facts of M5Unified 0.2.10, which is not pinned.",
        "libraries.json has no facts of M5Unified 0.2.11, which is pinned.",
    ]


def test_a_dependency_that_is_left_to_chance_is_found() -> None:
    unified = Library("M5Unified", "0.2.11", {"M5GFX": ">=0.2.17"})
    assert contradictions({"M5Unified": "0.2.11"}, [unified]) == [
        "M5Unified 0.2.11 needs M5GFX, which is not pinned."
    ]


@pytest.mark.parametrize(
    ("version", "wanted", "fits"),
    [
        ("0.2.17", ">=0.2.17", True),
        ("0.2.9", ">=0.2.17", False),
        ("0.10.0", ">0.9", True),
        ("1.2.3", "1.2.3", True),
        ("1.2.4", "=1.2.3", False),
        ("1.9.0", "^1.2", True),
        ("2.0.0", "^1.2", False),
        ("0.2.9", "^0.2.3", True),
        ("0.3.0", "^0.2.3", False),
        ("1.2.9", "~1.2.3", True),
        ("1.3.0", "~1.2.3", False),
        ("1.9.0", "~1", True),
        ("1.5.0", ">=1.2, !=1.5.0, <2", False),
        ("1.6.0", ">=1.2, !=1.5.0, <2", True),
        ("7.1.0", "*", True),
    ],
)
def test_ranges_are_read_as_platformio_reads_them(version: str, wanted: str, fits: bool) -> None:
    assert satisfies(version, wanted) is fits


@pytest.mark.parametrize("wanted", ["latest", ">=", "1.x", "https://example.org/lib.git"])
def test_a_range_that_is_not_understood_is_no_agreement(wanted: str) -> None:
    with pytest.raises(PinError):
        satisfies("1.0.0", wanted)


def test_two_pins_of_one_library_are_refused() -> None:
    with pytest.raises(PinError, match=r"0\.1\.0 and to 0\.2\.0"):
        read_pins("[a]\nlib_deps = x/Lib@0.1.0\n[b]\nlib_deps = x/Lib@0.2.0\n")
    with pytest.raises(PinError):
        read_pins("[a]\nlib_deps =\n")


@pytest.mark.parametrize(
    "declared", [{"M5GFX": ">=0.2.17"}, [{"name": "M5GFX", "version": ">=0.2.17"}]]
)
def test_both_forms_of_a_librarys_dependencies_are_read(declared: object) -> None:
    library = read_library({"name": "M5Unified", "version": "0.2.11", "dependencies": declared})
    assert library.dependencies == {"M5GFX": ">=0.2.17"}


def checkouts(folder: Path, unified: str) -> Path:
    """What a person has fetched: two libraries, M5Unified in that version."""
    manifests = {
        "M5GFX": {"name": "M5GFX", "version": "0.2.17", "headers": "M5GFX.h"},
        "M5Unified": {
            "name": "M5Unified",
            "version": unified,
            "dependencies": [{"name": "M5GFX", "version": ">=0.2.17"}],
        },
    }
    for name, manifest in manifests.items():
        (folder / name).mkdir()
        (folder / name / "library.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def test_the_facts_are_written_from_checkouts_at_the_pins_alone(tmp_path: Path) -> None:
    pins = {"M5Unified": "0.2.11", "M5GFX": "0.2.17"}
    text = refresh(checkouts(tmp_path, "0.2.11"), pins)
    assert contradictions(pins, read_facts(text)) == []
    with pytest.raises(PinError, match=r"is of M5Unified 0\.2\.11, not 0\.2\.12"):
        refresh(tmp_path, {**pins, "M5Unified": "0.2.12"})
    with pytest.raises(PinError, match="missing"):
        refresh(tmp_path, {**pins, "Other": "1.0.0"})


def test_the_facts_are_kept_as_the_script_writes_them() -> None:
    text = FACTS.read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=2) + "\n"


def test_the_script_says_so_and_fails(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "firmware_pins.py"
    good = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (good.returncode, good.stdout) == (0, "")
    bad = subprocess.run(
        [sys.executable, script, tmp_path], capture_output=True, text=True, check=False
    )
    assert bad.returncode == 1
    assert "is missing" in bad.stdout


def test_whatever_names_a_librarys_version_names_the_pinned_one() -> None:
    """The guide, comments and stubs: the Arduino IDE's user types what stands there."""
    files = [
        file
        for file in (*FIRMWARE.rglob("*.md"), *FIRMWARE.rglob("*.h"), *FIRMWARE.rglob("*.cpp"))
        if "corpus" not in file.parts
    ]
    assert FIRMWARE / "README.md" in files
    seen = set()
    for file in files:
        text = file.read_text(encoding="utf-8")
        for name, version in re.findall(r"\*?(M5Unified|M5GFX)\*? (\d+\.\d+\.\d+)", text):
            assert version == PINS[name], f"{file}: {name} {version}"
            seen.add((file.name, name))
    assert {("README.md", "M5Unified"), ("README.md", "M5GFX"), ("main.cpp", "M5GFX")} <= seen
