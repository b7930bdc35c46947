"""Adapters of src that decide something, built as they are, with fakes behind the stubs'
declarations: wifi_keeper.cpp asks the radio for the right things in the right order, chip.cpp names
its board and sends what the lights understand, chip_body.cpp tells StackChan's base and servos what
they understand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support import cpp_build
from support.cpp_build import FIRMWARE, need, run

FLAGS = ("-std=gnu++17", "-O0", "-g1", "-Wall", "-Wextra", "-Werror")
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-sanitize=vptr")


ADAPTERS = {
    "chip": ("chip", "stackchan_base"),
    "chip_body": ("chip_body", "stackchan_base"),
    "wifi_keeper": ("wifi_keeper",),
}
"""By the folder of their test: the files of src that are tested there."""


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_adapter(tmp_path: Path, adapter: str) -> None:
    need("clang++-22")
    here = Path(__file__).parent / adapter
    core = cpp_build.build("checked", "lobug_core") / "liblobug_core.a"
    folders = [FIRMWARE / name for name in ("src", "lib/core/src", "lib/sockets/src", "tests")]
    sources = [
        *(FIRMWARE / "src" / f"{name}.cpp" for name in ADAPTERS[adapter]),
        FIRMWARE / "tests" / "main.cpp",
    ]
    program = tmp_path / f"{adapter}_tests"
    run(
        "clang++-22",
        *FLAGS,
        *SANITIZE,
        *(f"-I{folder}" for folder in (here, *folders)),
        f"-isystem{FIRMWARE / 'stubs'}",
        *sources,
        *sorted(here.glob("*.cpp")),
        core,
        "-o",
        program,
    )
    assert re.search(r"test cases: +[1-9]", run(program))
