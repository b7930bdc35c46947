"""clang-format, clang-tidy and cppcheck find nothing in the firmware; and they do look."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from support import clang_tidy, cpp_build
from support.cpp_build import FIRMWARE, need, run

CPPCHECK = (
    "cppcheck",
    "--std=c++17",
    "--language=c++",
    "--enable=warning,performance,portability",
    "--inline-suppr",
    "--suppress=missingInclude",
    "--suppress=containerOutOfBounds",  # 2.10 takes std::array<T, N + 1> for N long; ASan does not
    "--error-exitcode=1",
    "--quiet",
    "-j2",
)
RULES = FIRMWARE / ".clang-tidy"
STUBS = FIRMWARE / "stubs"
STUB_FLAGS = ("-std=c++17", "-m32", "-funsigned-char", f"-isystem{STUBS}", "-DESP_PLATFORM")
CODE = {".cpp", ".h", ".ino"}


def sources(*folders: str, suffixes: frozenset[str] = frozenset({".cpp"})) -> list[Path]:
    return sorted(
        path
        for folder in folders
        for path in (FIRMWARE / folder).rglob("*")
        if path.suffix in suffixes
    )


def test_every_file_is_formatted() -> None:
    need("clang-format-22")
    files = sources(".", suffixes=frozenset(CODE))
    assert len(files) > 50
    run("clang-format-22", "--dry-run", "--Werror", *files)


def test_clang_tidy_finds_nothing() -> None:
    """With the flags of the checked build, which compiles all but src/; that is checked in
    test_firmware_src.py."""
    need(clang_tidy.TIDY, clang_tidy.SCANNER)
    database = cpp_build.configure("tidy") / "compile_commands.json"
    within = [FIRMWARE / "lib", FIRMWARE / "host"]
    clang_tidy.check(database, RULES, within=within, kept=clang_tidy.kept_folder())


def test_cppcheck_finds_nothing() -> None:
    need("cppcheck")
    includes = [f"-I{FIRMWARE / 'lib' / name / 'src'}" for name in ("core", "sockets")]
    folders = [FIRMWARE / name for name in ("lib", "src", "host")]
    assert run(*CPPCHECK, *includes, f"-I{STUBS}", *folders).strip() == ""


CORE = FIRMWARE / "lib" / "core" / "src" / "lobug"
CATALOGUE = {CORE / "sentences.h", *(CORE / "language").glob("*.h")}
"""What is said in English alone, and the tables of each language."""
SENTENCE = re.compile(r'"[A-Z][^"\\]* [^"\\]*[.!?]"')
"""A string that a person might read: a capital, several words, an end."""


def test_every_sentence_stands_in_the_catalogue() -> None:
    """Descriptions of tools are for chat models, and stay beside the tools."""
    for name in ("language/english.h", "language/german.h", "language/spanish.h"):
        assert len(SENTENCE.findall((CORE / name).read_text(encoding="utf-8"))) > 50
    allowed = {*CATALOGUE, CORE / "tools" / "tools.cpp"}
    found = [
        f"{path.relative_to(FIRMWARE)}: {sentence}"
        for path in sources("lib", "src", suffixes=frozenset(CODE))
        if path not in allowed
        for line in path.read_text(encoding="utf-8").splitlines()
        if not line.lstrip().startswith(("//", "static_assert", "#"))
        for sentence in SENTENCE.findall(line)
    ]
    assert not found, "\n".join(found)


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder with the firmware's rules and one bad file."""
    for name in (".clang-format", ".clang-tidy"):
        shutil.copy(FIRMWARE / name, tmp_path)
    folder = tmp_path / "firmware" / "lib"
    folder.mkdir(parents=True)
    (folder / "bad.cpp").write_text(
        "int third(const int* from) {\n"
        "    int values[2] = {from[0], from[1]};\n"
        "    return values[2];\n"
        "}\n"
    )
    return folder / "bad.cpp"


def test_bad_format_is_found(planted: Path) -> None:
    need("clang-format-22")
    with pytest.raises(pytest.fail.Exception, match="code should be clang-formatted"):
        run("clang-format-22", "--dry-run", "--Werror", planted)


def test_a_bad_habit_is_found_by_clang_tidy(planted: Path) -> None:
    need("clang-tidy-22")
    with pytest.raises(pytest.fail.Exception, match="warnings-as-errors"):
        run("clang-tidy-22", planted, "--", "-std=c++17")


def test_clang_tidy_reads_again_what_has_changed(tmp_path: Path) -> None:
    need(clang_tidy.TIDY, clang_tidy.SCANNER)
    folder = tmp_path / "firmware" / "lib"
    folder.mkdir(parents=True)
    header, file, other = folder / "one.h", folder / "one.cpp", folder / "other.cpp"
    good = "int one();\n"
    header.write_text(good)
    file.write_text('#include "one.h"\n\nint one() {\n  return 1;\n}\n')
    other.write_text("static_assert(sizeof(int) == 4);\n")
    database = tmp_path / "compile_commands.json"
    rules = tmp_path / ".clang-tidy"
    rules.write_bytes(RULES.read_bytes())

    def check(flag: str = "-O1") -> int:
        """How many files clang-tidy read. A digest is remembered only as long as one check."""
        clang_tidy._digest.cache_clear()
        entries = [
            {
                "directory": str(tmp_path),
                "file": str(path),
                "command": f"clang++-22 -std=c++17 {flag} -c {path} -o {path}.o",
            }
            for path in (file, other)
        ]
        database.write_text(json.dumps(entries))
        return clang_tidy.check(database, rules, within=[folder], kept=tmp_path / "kept")

    assert check() == 2
    assert check() == 0
    assert check("-O2") == 2
    header.write_text(
        good + "inline int two(bool is) {\n  if (is)\n\n    return 2;\n  return 3;\n}\n"
    )
    with pytest.raises(pytest.fail.Exception, match="google-readability-braces"):
        check()
    with pytest.raises(pytest.fail.Exception, match="google-readability-braces"):
        check()
    header.write_text(good)
    assert check() == 0
    rules.write_text(rules.read_text() + "  readability-function-size.StatementThreshold: 100\n")
    assert check() == 2


def test_an_access_out_of_bounds_is_found_by_cppcheck(planted: Path) -> None:
    need("cppcheck")
    with pytest.raises(pytest.fail.Exception, match="arrayIndexOutOfBounds"):
        run(*CPPCHECK, planted)
