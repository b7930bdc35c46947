"""Fuzz everything in the firmware that reads bytes from outside (`make fuzz`).

    python scripts/firmware_fuzz.py                    5 minutes each, two at a time
    python scripts/firmware_fuzz.py --seconds 60 url   one of them, for a minute

Each first replays its seeds (firmware/fuzz/corpus). What it finds is printed in hex and makes the
exit code 1. Inputs that reach new code stay in build/firmware/fuzzing, so that the next run goes on
from there.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FIRMWARE = Path(__file__).parents[1] / "firmware"
SEEDS = FIRMWARE / "fuzz" / "corpus"
BUILDS = FIRMWARE.parent / "build" / "firmware"
CLANG = "clang++-22"
OPTIONS = (
    f"-DCMAKE_CXX_COMPILER={CLANG}",
    "-DCMAKE_BUILD_TYPE=Debug",
    "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1",
    "-DLOBUG_SANITIZE=address,undefined",
    "-DLOBUG_FUZZ=ON",
    "-DCMAKE_UNITY_BUILD=ON",
)
"""CMake's, of a build with fuzzers."""


@dataclass(frozen=True)
class Fuzzed:
    """How one run ended."""

    fault: str | None
    """What went wrong, with the input in hex; None when nothing did."""
    inputs: int
    edges: int
    """Of the program, that its inputs reached."""


def fuzz(program: Path, seeds: Path, work: Path, seconds: int) -> Fuzzed:
    """Run one libFuzzer program.

    Replays `seeds` (a folder, which may be missing) before anything else, and keeps everything it
    makes in `work`.
    """
    corpus = work / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    if seeds.is_dir():
        shutil.copytree(seeds, corpus, dirs_exist_ok=True)
    known = set(work.glob("*-*"))
    finished = subprocess.run(
        [
            str(program),
            f"-max_total_time={seconds}",
            "-timeout=10",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
            f"-artifact_prefix={work}/",
            str(corpus),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=seconds + 120,
        check=False,
    )
    executed = re.findall(r"^stat::number_of_executed_units: +(\d+)", finished.stdout, re.MULTILINE)
    reached = re.findall(r"^#\d+.* cov: (\d+)", finished.stdout, re.MULTILINE)
    inputs, edges = (int(found[-1]) if found else 0 for found in (executed, reached))
    fault = None
    if finished.returncode != 0:
        found = [
            f"{path.name}, input in hex: {path.read_bytes().hex()}"
            for path in sorted(set(work.glob("*-*")) - known)
        ]
        tail = "\n".join(finished.stdout.splitlines()[-60:])
        fault = f"{program.name} ended with {finished.returncode}\n{tail}\n" + "\n".join(found)
    elif inputs < 100:
        fault = f"{program.name} tried hardly anything: {inputs} inputs"
    return Fuzzed(fault, inputs, edges)


def fuzzers(folder: Path) -> dict[str, Path]:
    """The programs in the folder of a build, by what they read."""
    return {
        path.name.removeprefix("fuzz_"): path
        for path in sorted(folder.glob("fuzz_*"))
        if path.is_file() and path.stat().st_mode & 0o100
    }


def build(folder: Path) -> None:
    """Bring all fuzzers up to date. Raises CalledProcessError."""
    configure = ["cmake", "-S", FIRMWARE, "-B", folder, "-G", "Ninja", "-Wno-dev"]
    compile_all = ["cmake", "--build", folder, "--parallel", "2", "--target", "fuzzers"]
    for command in ([*configure, "-DBUILD_TESTING=OFF", *OPTIONS], compile_all):
        subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def main(arguments: Sequence[str] | None = None) -> int:
    """1 when something was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all unless given")
    parser.add_argument("--seconds", type=int, default=300, help="for each (300)")
    options = parser.parse_args(arguments)

    print("Building the fuzzers", flush=True)
    folder = BUILDS / "fuzz"
    try:
        build(folder)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        print(f"{error}\nscripts/firmware-packages.sh installs what is needed.", file=sys.stderr)
        return 2
    programs = fuzzers(folder)
    if unknown := set(options.names) - set(programs):
        parser.error(f"no fuzzer for {', '.join(sorted(unknown))}; there are {', '.join(programs)}")

    def one(name: str) -> str | None:
        print(f"{name}: {options.seconds} s", flush=True)
        run = fuzz(programs[name], SEEDS / name, BUILDS / "fuzzing" / name, options.seconds)
        outcome = "FAILED" if run.fault else "nothing found"
        print(f"{name}: {outcome}, {run.inputs:,} inputs, {run.edges:,} edges", flush=True)
        return run.fault

    with ThreadPoolExecutor(2) as pool:
        faults = [fault for fault in pool.map(one, options.names or programs) if fault]
    print("\n\n".join(faults) if faults else "No fuzzer found anything.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
