"""Every sentence of the commands and of their checks stands in a catalogue, and every entry is
used."""

from __future__ import annotations

import ast
import string
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import lobug.cli
import lobug.diagnosis
from lobug.cli.sentences import sentence
from lobug.diagnosis import sentences as diagnosis_sentences

CLI = Path(lobug.cli.__file__).parent
DIAGNOSIS = Path(lobug.diagnosis.__file__).parent
CATALOGUE = {
    f"{table}.{name}": text
    for folder in (CLI, DIAGNOSIS)
    for table, entries in tomllib.loads((folder / "sentences.toml").read_text("utf-8")).items()
    for name, text in entries.items()
}
TREES = {
    path.relative_to(root).as_posix(): ast.parse(path.read_text("utf-8"))
    for folder, root in ((CLI, CLI), (DIAGNOSIS, DIAGNOSIS.parent))
    for path in sorted(folder.rglob("*.py"))
}

MOST_WORDS = 3
"""Words of a string that is no sentence: the name of a column or of a check."""

PAGES = {"config.py", "effective_settings.py", "simulate/soak_server.py"}
"""Modules that hold pieces of the generated pages, or a scripted speaker."""

ALLOWED = (
    "With --protocol ws:",  # headings of help
    "A soak:",
    "end of speech to ",  # names of rows
    "interruption to ",
    "in use by ",
    "database ",
    "removed what onnxruntime",  # a line of the log
    "PRAGMA ",
    "SELECT (SELECT count(*)",
    "The weather is nice today.",  # what doctor's voice says
    "/chat/text -d ",  # commands to try
    " simulate --say ",
)
"""Beginnings of strings that are no sentences to a person."""

HELP = {"Option", "Argument", "Typer"}
"""Calls whose strings are help texts."""


def fields_of(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def calls(tree: ast.Module, *names: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(
            node.func, "id", getattr(node.func, "attr", "")
        ) in set(names):
            yield node


def constants(node: ast.AST) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value


def long_strings(tree: ast.Module) -> Iterator[str]:
    """Strings of several words that are neither docstrings nor help."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
    for call in calls(tree, *HELP):
        skipped |= {id(child) for child in ast.walk(call)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and len(text.split()) > MOST_WORDS:
            yield text


def test_every_sentence_is_used() -> None:
    used = {text for tree in TREES.values() for text in constants(tree)}
    assert set(CATALOGUE) - used == set()


@pytest.mark.parametrize("name", TREES)
def test_every_key_exists_and_gets_its_words(name: str) -> None:
    for call in calls(TREES[name], "sentence"):
        for key in constants(call.args[0]):
            assert key in CATALOGUE
            assert {word.arg for word in call.keywords} == fields_of(CATALOGUE[key]), key


@pytest.mark.parametrize("name", sorted(TREES.keys() - PAGES))
def test_no_sentence_stands_in_the_code(name: str) -> None:
    assert [text for text in long_strings(TREES[name]) if not text.startswith(ALLOWED)] == []


def test_words_are_filled_in() -> None:
    assert diagnosis_sentences.sentence("doctor.ram", gb=3.25) == "3.2 GB of main memory"
    assert (
        sentence("memory.entry", key="home", id=3, content="in {here}") == "home (id 3): in {here}"
    )
