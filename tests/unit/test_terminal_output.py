"""What is printed is what stands there: fingerprints and addresses hold names of emoji."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import lobug
from lobug.cli import terminal

FINGERPRINT = "21:A7:CD:85:AB:12:ID:SA:CL:B:8:M:00"
"""With ``:CD:``, ``:AB:``, ``:ID:``, ``:SA:``, ``:CL:``, ``:B:`` and ``:M:``, all of them emoji."""


def test_a_fingerprint_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.console().print(FINGERPRINT, markup=False)
    terminal.show_table(["Where", "What"], [(FINGERPRINT, FINGERPRINT)], nothing="")
    terminal.warn(FINGERPRINT)
    printed = capsys.readouterr()
    assert printed.out.count(FINGERPRINT) == 3
    assert printed.err.count(FINGERPRINT) == 1


def test_every_command_opens_its_console_where_emoji_are_off() -> None:
    package = Path(lobug.__file__).parent
    opened = [
        (path.relative_to(package).as_posix(), [keyword.arg for keyword in call.keywords])
        for path in sorted(package.rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "Console"
    ]
    loud = [(path, names) for path, names in opened if "quiet" not in names]
    assert [path for path, names in loud if "emoji" not in names] == []
    assert len(loud) == 1
