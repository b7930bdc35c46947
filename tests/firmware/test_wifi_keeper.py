"""src/wifi_keeper.cpp, which runs on the device alone, asks the radio for the right things in the
right order: built as it is, with fakes behind the stubs' declarations."""

from __future__ import annotations

import re
from pathlib import Path

from support import cpp_build
from support.cpp_build import FIRMWARE, need, run

HERE = Path(__file__).parent / "wifi_keeper"
FLAGS = ("-std=gnu++17", "-O0", "-g1", "-Wall", "-Wextra", "-Werror")
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-sanitize=vptr")


def test_wifi_keeper(tmp_path: Path) -> None:
    need("clang++-22")
    core = cpp_build.build("checked", "lobug_core") / "liblobug_core.a"
    folders = [FIRMWARE / name for name in ("src", "lib/core/src", "lib/sockets/src", "tests")]
    sources = [FIRMWARE / "src" / "wifi_keeper.cpp", FIRMWARE / "tests" / "main.cpp"]
    program = tmp_path / "wifi_keeper_tests"
    run(
        "clang++-22",
        *FLAGS,
        *SANITIZE,
        *(f"-I{folder}" for folder in (HERE, *folders)),
        f"-isystem{FIRMWARE / 'stubs'}",
        *sources,
        *sorted(HERE.glob("*.cpp")),
        core,
        "-o",
        program,
    )
    assert re.search(r"test cases: +[1-9]", run(program))
