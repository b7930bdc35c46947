"""MEMORY.md promises a test for every term of the designs: each one that it names exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (?P<design>[\w, ]+) \| (?P<term>.+) \| (?P<here>.+) \| (?P<test>.+) \|$")
NAMED = re.compile(r"`(?P<path>tests/[\w/]+\.py)(?:::(?P<name>\w+))?`")
DESIGNS = {"000, 001", "001", "002", "003", "004", "field"}


def rows() -> list[re.Match[str]]:
    text = (ROOT / "MEMORY.md").read_text(encoding="utf-8")
    table = text.partition("| Design | Its term | Here | Test |\n|---|---|---|---|\n")[2]
    lines = table.partition("\n\n")[0].splitlines()
    found = [ROW.match(line) for line in lines]
    assert all(found), [line for line, row in zip(lines, found, strict=True) if row is None]
    return [row for row in found if row is not None]


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    }


def test_every_design_is_in_the_map() -> None:
    assert {row["design"] for row in rows()} == DESIGNS
    assert len(rows()) >= 50


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row['design']}: {row['term'][:40]}")
def test_a_row_names_a_test_that_exists(row: re.Match[str]) -> None:
    named = NAMED.fullmatch(row["test"])
    assert named is not None, row["test"]
    path = ROOT / named["path"]
    known = names_in(path)
    assert known
    assert named["name"] is None or named["name"] in known
