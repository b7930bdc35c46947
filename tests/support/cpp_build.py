"""The firmware's host builds, each made once and kept under build/firmware.

A build that is there is only brought up to date, so a second run of the tests takes seconds. Two
runs at once wait for each other.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import firmware_fuzz

ROOT = Path(__file__).parents[2]
FIRMWARE = ROOT / "firmware"
BUILDS = ROOT / "build" / "firmware"

CONFIGURATIONS: Mapping[str, Sequence[str]] = {
    # 64 bits with everything watched: unit tests, fuzzers, the simulated device.
    "checked": firmware_fuzz.OPTIONS,
    # The same files, each compiled by itself as clang-tidy reads it; never built.
    "tidy": (
        *firmware_fuzz.OPTIONS,
        "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON",
        "-DCMAKE_UNITY_BUILD=OFF",
    ),
    # The chip's pointer size and its unsigned char. Clang takes half of g++'s time for it.
    "m32": (
        "-DCMAKE_CXX_COMPILER=clang++-22",
        "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1",
        "-DLOBUG_SANITIZE=address,undefined",
        "-DLOBUG_M32=ON",
        "-DCMAKE_UNITY_BUILD=ON",
    ),
    # What crosses between threads.
    "threads": (
        "-DCMAKE_CXX_COMPILER=clang++-22",
        "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1",
        "-DLOBUG_SANITIZE=thread",
        "-DCMAKE_UNITY_BUILD=ON",
    ),
    # Another machine altogether, run by qemu; g++'s warnings in 32 bits. The pictures are drawn in
    # half of the time that -Os takes in qemu, and -O2 lets g++ warn of more.
    "arm": (
        f"--toolchain={FIRMWARE / 'arm' / 'toolchain.cmake'}",
        "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_CXX_FLAGS_DEBUG=-O2 -g1",
        "-DCMAKE_UNITY_BUILD=ON",
    ),
    # What `make firmware` makes: whatever compiler and generator CMake takes by itself. Each file
    # is compiled alone, which shows that it includes what it needs.
    "host": (),
}
"""Name to CMake's options."""

TOOLS: Mapping[str, Sequence[str]] = {
    "checked": ("cmake", "ninja", "clang++-22"),
    "tidy": ("cmake", "ninja", "clang++-22"),
    "m32": ("cmake", "ninja", "clang++-22"),
    "threads": ("cmake", "ninja", "clang++-22"),
    "arm": ("cmake", "ninja", "arm-none-eabi-g++", "qemu-arm"),
    "host": ("cmake", "make", "c++"),
}


def need(*tools: str) -> None:
    """Skip a test where a tool is missing; under CI that is a failure (tests/conftest.py)."""
    absent = [tool for tool in tools if shutil.which(tool) is None]
    if absent:
        pytest.skip(
            f"missing: {', '.join(absent)} (scripts/firmware-packages.sh says how to get them)"
        )


def run(*command: str | Path, cwd: Path = ROOT, seconds: float = 1800) -> str:
    """The output of a command; a failed one fails the test with its last 100 lines.

    Other tests come first: a compiler can wait, while somebody talks to a model in real time.
    """
    finished = subprocess.run(
        ["nice", "-n", "10", *(str(part) for part in command)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=seconds,
        check=False,
    )
    if finished.returncode != 0:
        tail = "\n".join(finished.stdout.splitlines()[-100:])
        pytest.fail(f"{' '.join(map(str, command))}\nended with {finished.returncode}:\n{tail}")
    return finished.stdout


@cache
def configure(configuration: str) -> Path:
    """The folder of a build with its compile_commands.json; nothing is compiled."""
    need(*TOOLS[configuration])
    folder = BUILDS / configuration
    with alone(configuration):
        options = CONFIGURATIONS[configuration]
        generator = () if configuration == "host" else ("-G", "Ninja")
        run("cmake", "-S", FIRMWARE, "-B", folder, "-Wno-dev", *generator, *options)
    return folder


@cache
def build(configuration: str, *targets: str) -> Path:
    """The folder of an up-to-date build of `targets`, or of all. LOBUG_FIRMWARE_BUILD, a folder,
    stands in for the checked one."""
    given = os.environ.get("LOBUG_FIRMWARE_BUILD")
    if given and configuration == "checked":
        return Path(given)
    folder = configure(configuration)
    with alone(configuration):
        chosen = [part for target in targets for part in ("--target", target)]
        run("cmake", "--build", folder, "--parallel", "2", *chosen)
    return folder


@contextmanager
def alone(configuration: str) -> Iterator[None]:
    """Lock a build, so that one process at a time changes it."""
    BUILDS.mkdir(parents=True, exist_ok=True)
    with (BUILDS / f"{configuration}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
