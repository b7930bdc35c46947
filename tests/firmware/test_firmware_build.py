"""The unit tests of the firmware's core in every build, and the fuzzers of its parsers."""

from __future__ import annotations

import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support import cpp_build
from support.cpp_build import FIRMWARE, ROOT, need, run
from support.cpp_fuzz import fuzz

pytestmark = pytest.mark.timeout(1200)

PARSERS = {"console", "discovery", "dns", "form", "http", "json", "mcp", "messages", "url",
           "version", "websocket"}  # fmt: skip
"""What reads bytes from outside; each has a fuzzer."""


def test_cases(folder: Path) -> dict[str, int]:
    """Runs CTest; how many test cases each of its tests had."""
    output = run("ctest", "--test-dir", folder, "--parallel", "2", "--output-on-failure", "-V")
    names = dict(re.findall(r"^(\d+): Test command: .*/(\w+_tests\S* .*)$", output, re.MULTILINE))
    counts = re.findall(r"^(\d+): \[doctest\] test cases: +(\d+) \|", output, re.MULTILINE)
    return {names[number]: int(count) for number, count in counts}


# Its name is no test's; functions declare no attributes.
test_cases.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("configuration", ["checked", "m32", "threads", "arm"])
def test_unit_tests(configuration: str) -> None:
    folder = cpp_build.build(configuration)
    counts = test_cases(folder)
    assert counts
    assert all(counts.values())


def test_the_way_for_a_newcomer() -> None:
    """What README.md says: a plain build, its tests, and nothing else needed."""
    need("cmake", "ninja", "make")
    output = run("make", "firmware")
    assert re.search(r"100% tests passed, 0 tests failed out of [1-9]", output)


def seconds_each() -> int:
    """How long each fuzzer runs: 30 s under CI, a moment elsewhere."""
    default = "30" if os.environ.get("CI") == "true" else "3"
    return int(os.environ.get("LOBUG_FUZZ_SECONDS") or default)


def test_every_parser_is_fuzzed(tmp_path: Path) -> None:
    folder = cpp_build.build("checked")
    names = sorted(
        path.name.removeprefix("fuzz_")
        for path in folder.glob("fuzz_*")
        if path.is_file() and os.access(path, os.X_OK)
    )
    absent = {parser for parser in PARSERS if not any(name.startswith(parser) for name in names)}
    assert not absent, f"no fuzzer for {sorted(absent)}"

    def one(name: str) -> str | None:
        seeds = FIRMWARE / "fuzz" / "corpus" / name
        return fuzz(folder / f"fuzz_{name}", seeds, tmp_path / name, seconds_each())

    with ThreadPoolExecutor(2) as pool:
        failures = [failure for failure in pool.map(one, names) if failure]
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
    failure = fuzz(program, tmp_path / "no-seeds", tmp_path / "work", 20)
    assert failure is not None
    assert "input in hex: ab12" in failure


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
