"""The unit tests of the firmware's core in every build, and the fuzzers of its parsers."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support import cpp_build
from support.cpp_build import FIRMWARE, ROOT, need, run

sys.path.append(str(ROOT / "scripts"))

import firmware_fuzz
from firmware_fuzz import fuzz

PARSERS = {"console", "discovery", "dns", "form", "http", "improv", "json", "mcp", "messages",
           "servo_bus", "url", "version", "websocket"}  # fmt: skip
"""What reads bytes from outside; each has a fuzzer."""


def test_cases(folder: Path) -> dict[str, int]:
    """Runs CTest; how many test cases each of its tests had."""
    output = run("ctest", "--test-dir", folder, "--parallel", "2", "--output-on-failure", "-V")
    names = dict(re.findall(r"^(\d+): Test command: .*/(\w+_tests\S* .*)$", output, re.MULTILINE))
    counts = re.findall(r"^(\d+): \[doctest\] test cases: +(\d+) \|", output, re.MULTILINE)
    return {names[number]: int(count) for number, count in counts}


# Its name is no test's; functions declare no attributes.
test_cases.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("configuration", "programs"),
    [
        ("checked", ()),
        ("m32", ("core_tests",)),
        ("threads", ("core_tests",)),
        ("arm", ("core_tests",)),
    ],
    ids=["checked", "m32", "threads", "arm"],
)
def test_unit_tests(configuration: str, programs: Sequence[str]) -> None:
    folder = cpp_build.build(configuration, *programs)
    counts = test_cases(folder)
    assert counts
    assert all(counts.values())


def test_the_way_for_a_newcomer() -> None:
    """What README.md says: a plain build, its tests, and nothing else needed."""
    need(*cpp_build.TOOLS["host"])
    with cpp_build.alone("host"):
        output = run("make", "firmware")
    assert re.search(r"100% tests passed, 0 tests failed out of [1-9]", output)


def seconds_each() -> int:
    """How long each fuzzer runs after its seeds; `make fuzz` is for minutes."""
    default = "5" if os.environ.get("CI") == "true" else "2"
    return int(os.environ.get("LOBUG_FUZZ_SECONDS") or default)


def test_every_parser_is_fuzzed(tmp_path: Path) -> None:
    folder = cpp_build.build("checked")
    programs = firmware_fuzz.fuzzers(folder)
    absent = {parser for parser in PARSERS if not any(name.startswith(parser) for name in programs)}
    assert not absent, f"no fuzzer for {sorted(absent)}"

    def one(name: str) -> str | None:
        seeds = firmware_fuzz.SEEDS / name
        assert any(seeds.iterdir()), name
        return fuzz(programs[name], seeds, tmp_path / name, seconds_each()).fault

    with ThreadPoolExecutor(2) as pool:
        failures = [failure for failure in pool.map(one, programs) if failure]
    assert not failures, "\n\n".join(failures)


def test_a_fuzzer_that_finds_something_prints_it_in_hex(tmp_path: Path) -> None:
    need("clang++-22")
    source = tmp_path / "planted.cpp"
    source.write_text(
        "#include <cstddef>\n#include <cstdint>\n"
        'extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {\n'
        "  if (size > 1 && data[0] == 0xAB && data[1] == 0x12) __builtin_trap();\n"
        "  return 0;\n}\n"
    )
    program = tmp_path / "planted"
    run("clang++-22", "-g1", "-O1", "-fsanitize=fuzzer,address,undefined", source, "-o", program)
    failure = fuzz(program, tmp_path / "no-seeds", tmp_path / "work", 20).fault
    assert failure is not None
    assert "input in hex: ab12" in failure


@pytest.mark.parametrize("found", [None, "input in hex: ab12"])
def test_make_fuzz_tells_what_each_fuzzer_did(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], found: str | None
) -> None:
    runs = []

    def known(program: Path, seeds: Path, work: Path, seconds: int) -> firmware_fuzz.Fuzzed:
        runs.append((program.name, seeds.name, work.name, seconds))
        return firmware_fuzz.Fuzzed(found if program.name == "fuzz_url" else None, 1_000, 20)

    programs = {name: Path(f"fuzz_{name}") for name in PARSERS}
    monkeypatch.setattr(firmware_fuzz, "build", lambda _: None)
    monkeypatch.setattr(firmware_fuzz, "fuzzers", lambda _: programs)
    monkeypatch.setattr(firmware_fuzz, "fuzz", known)
    assert firmware_fuzz.main(["--seconds", "7"]) == (1 if found else 0)
    assert {run[1] for run in runs} == PARSERS
    assert {run[3] for run in runs} == {7}
    printed = capsys.readouterr().out
    assert "dns: nothing found, 1,000 inputs, 20 edges" in printed
    assert (found or "No fuzzer found anything.") in printed.splitlines()[-1]


def test_a_failed_unit_test_fails_the_run(tmp_path: Path) -> None:
    """A copy of the firmware with one wrong test: CTest must say so, and name it."""
    need("cmake", "ninja")
    copy = tmp_path / "firmware"
    shutil.copytree(FIRMWARE / "cmake", copy / "cmake")
    shutil.copy(FIRMWARE / "CMakeLists.txt", copy)
    (copy / "lib" / "core" / "src").mkdir(parents=True)
    (copy / "lib" / "core" / "src" / "one.cpp").write_text("int one();\nint one() { return 1; }\n")
    (copy / "tests" / "planted").mkdir(parents=True)
    shutil.copy(FIRMWARE / "tests" / "main.cpp", copy / "tests")
    (copy / "tests" / "planted" / "test_one.cpp").write_text(
        '#include <doctest/doctest.h>\nint one();\nTEST_CASE("wrong") { CHECK(one() == 2); }\n'
    )
    folder = tmp_path / "build"
    run("cmake", "-G", "Ninja", "-S", copy, "-B", folder)
    run("cmake", "--build", folder, "--parallel", "2")
    with pytest.raises(pytest.fail.Exception, match=r"CHECK\( 1 == 2 \)"):
        run("ctest", "--test-dir", folder, "--output-on-failure")


def test_the_folder_of_the_builds_is_ignored_by_git() -> None:
    need("git")
    assert run("git", "check-ignore", "build/firmware/checked", cwd=ROOT).strip()
