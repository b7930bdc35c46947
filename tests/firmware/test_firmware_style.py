"""clang-format, clang-tidy and cppcheck find nothing in the firmware; and they do look."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from support import clang_tidy, clean_files, cpp_build, cppcheck
from support.cpp_build import FIRMWARE, need, run

RULES = FIRMWARE / ".clang-tidy"
STUBS = FIRMWARE / "stubs"
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
    includes = [*(FIRMWARE / "lib" / name / "src" for name in ("core", "sockets")), STUBS]
    files = sources("lib", "src", "host")
    assert len(files) > 100
    cppcheck.check(files, includes, kept=cppcheck.kept_folder())


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
        clean_files.forget_digests()
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


def test_an_access_out_of_bounds_is_found_by_cppcheck(planted: Path, tmp_path: Path) -> None:
    need("cppcheck")
    with pytest.raises(pytest.fail.Exception, match="arrayIndexOutOfBounds"):
        cppcheck.check([planted], [], kept=tmp_path / "kept")


def test_what_was_clean_is_known_in_another_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that stands before, one that stands behind the system's headers in the alphabet."""
    system = tmp_path / "m" / "system.h"
    keys = set()
    for name in ("a", "z"):
        checkout = tmp_path / name
        file, header = checkout / "firmware" / "one.cpp", checkout / "firmware" / "one.h"
        for path in (file, header, system):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("int one();\n")
        monkeypatch.setattr(clean_files, "ROOT", checkout)
        keys.add(clean_files.key("1", b"", f"check -I{checkout}", file, [system, header]))
    assert len(keys) == 1
    header.write_text("int two();\n")
    clean_files.forget_digests()
    assert clean_files.key("1", b"", f"check -I{checkout}", file, [system, header]) not in keys


def test_cppcheck_reads_again_what_has_changed(tmp_path: Path) -> None:
    need("cppcheck")
    headers = tmp_path / "headers"
    headers.mkdir()
    inner, header = headers / "inner.h", headers / "outer.h"
    file, other = tmp_path / "one.cpp", tmp_path / "other.cpp"
    inner.write_text("int one();\n")
    header.write_text('#include "inner.h"\n')
    file.write_text("#include <outer.h>\nint one() { return 1; }\n")
    other.write_text("int other() { return 2; }\n")

    def check() -> int:
        clean_files.forget_digests()
        return cppcheck.check([file, other], [headers], kept=tmp_path / "kept")

    assert check() == 2
    assert check() == 0
    bad = "int one();\ninline int third() { int values[2] = {1, 2}; return values[2]; }\n"
    inner.write_text(bad)
    for _ in range(2):
        with pytest.raises(pytest.fail.Exception, match="arrayIndexOutOfBounds"):
            check()
    inner.write_text("int one();\n// changed\n")
    assert check() == 1
    other.write_text("int other() { return 3; }\n")
    assert check() == 1
