"""PlatformIO, in an environment of its own, reads firmware/platformio.ini without a complaint.

Its pins do not go together with the server's. Building needs Espressif's toolchain, which no
package registry has, so this is as far as CI comes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.cpp_build import BUILDS, FIRMWARE, run

LOCK = FIRMWARE / "pio-requirements.txt"
BOARDS = {"core2", "cores3"}


@pytest.fixture(scope="session")
def pio() -> Path:
    """The `pio` of the lock; the network is used for its installation alone."""
    folder = BUILDS / "platformio"
    stamp = folder / "lobug-stamp"
    key = hashlib.sha256(LOCK.read_bytes() + sys.version.encode() + bytes(folder)).hexdigest()
    if not stamp.exists() or stamp.read_text() != key:
        shutil.rmtree(folder, ignore_errors=True)
        # Our own pip installs there, and what is never imported is not compiled: a fifth of the
        # time.
        run(sys.executable, "-m", "venv", "--without-pip", folder)
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
        there = ("--python", folder / "bin" / "python")
        run(*pip, *there, "install", "--quiet", "--no-compile", "--require-hashes", "-r", LOCK)
        stamp.write_text(key)
    return folder / "bin" / "pio"


def config(pio: Path, project: Path, core: Path) -> subprocess.CompletedProcess[str]:
    """`pio project config` without a network, with PlatformIO's own files in `core`."""
    nowhere = "http://127.0.0.1:9"
    return subprocess.run(
        [str(pio), "project", "config", "--json-output", "--project-dir", str(project)],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PLATFORMIO_CORE_DIR": str(core),
            "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
            "PLATFORMIO_SETTING_CHECK_PLATFORMIO_INTERVAL": "999999",
            "HTTP_PROXY": nowhere,
            "HTTPS_PROXY": nowhere,
        },
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="session")
def sections(pio: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    finished = config(pio, FIRMWARE, tmp_path_factory.mktemp("core"))
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return {name: dict(options) for name, options in json.loads(finished.stdout)}


def test_platformio_accepts_the_project(sections: dict[str, dict[str, Any]]) -> None:
    assert {f"env:{board}" for board in BOARDS} <= set(sections)


@pytest.mark.parametrize("board", sorted(BOARDS))
def test_what_is_used_is_pinned(sections: dict[str, dict[str, Any]], board: str) -> None:
    section = sections[f"env:{board}"]
    platform = str(section["platform"])
    assert "@" in platform, platform
    assert not {"^", "~", ">", "<", "*"} & set(platform.partition("@")[2])
    libraries = section["lib_deps"]
    assert libraries
    for library in libraries:
        # name @ version, or an address with #tag; our own folders have no version.
        if "://" in library or "@" in library:
            version = library.rpartition("#")[2] if "://" in library else library.split("@")[-1]
            assert version.strip()[:1].isalnum(), library
            assert version != library, library
        else:
            assert (FIRMWARE / "lib" / library).is_dir() or "=" in library, library


def test_a_broken_project_is_refused(pio: Path, tmp_path: Path) -> None:
    (tmp_path / "platformio.ini").write_text("[env:core2\nplatform = espressif32\n")
    finished = config(pio, tmp_path, tmp_path / "core")
    assert finished.returncode != 0
