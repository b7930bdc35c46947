"""English stands in `language/` alone, and every sentence and list of its data files is used."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import lobug
from lobug.errors import SPOKEN, LobugError
from lobug.language import language_of
from lobug.language.protocol import Completeness

SERVER = Path(lobug.__file__).parent
ENGLISH = SERVER / "language" / "en"
SENTENCES = tomllib.loads((ENGLISH / "sentences.toml").read_text(encoding="utf-8"))
LISTS = tomllib.loads((ENGLISH / "words.toml").read_text(encoding="utf-8"))

MOST = 4
MOST_QUOTED = 8
"""Words of English that may stand together elsewhere; more may where each is a string of its own:
those are names of fields and columns."""

ALLOWED = {
    "storage/migrations/": "SQL, and names of columns between bars",
}
"""Beginnings of paths that may hold English words, with the reason."""


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SERVER.rglob("*.py")):
        name = path.relative_to(SERVER).as_posix()
        if not name.startswith("language/"):
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def all_words(tree: object) -> Iterator[str]:
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield str(key)
            yield from all_words(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from all_words(value)
    else:
        yield from str(tree).split()


KNOWN = frozenset(word.lower() for word in all_words(LISTS))


def constants(nodes: list[ast.expr | None]) -> list[str]:
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def groups(node: ast.AST) -> Iterator[list[str]]:
    """The words of a node that look like a list of words."""
    if isinstance(node, ast.Set | ast.List | ast.Tuple):
        yield constants([*node.elts])
    elif isinstance(node, ast.Dict):
        yield constants([*node.keys])
    elif isinstance(node, ast.Attribute) and node.attr == "split":
        yield from (text.split() for text in constants([node.value]))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "|" in node.value:
        yield re.findall(r"(?<![\w ])[A-Za-z'?]+(?= ?[|)])", node.value.replace("\\b", " "))


def word_lists(tree: ast.Module) -> Iterator[tuple[int, list[str]]]:
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if id(node) in documentation:
            continue
        for group in groups(node):
            english = [word for word in group if word.lower().strip("?") in KNOWN]
            quoted = isinstance(node, ast.Set | ast.List | ast.Tuple | ast.Dict)
            most = MOST_QUOTED if quoted else MOST
            if len(english) > most and len(english) > len(group) / 2:
                yield getattr(node, "lineno", 0), english


def test_no_word_list_of_english_stands_outside_the_language_room() -> None:
    found = {
        f"{name}:{line}": words
        for name, tree in sources()
        if not name.startswith(tuple(ALLOWED))
        for line, words in word_lists(tree)
    }
    assert found == {}


def errors() -> list[type[LobugError]]:
    for module in pkgutil.walk_packages(lobug.__path__, "lobug."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found = [LobugError]
    for error in found:
        found.extend(error.__subclasses__())
    return [error for error in found if error.__module__.startswith("lobug.")]


def test_every_error_code_has_a_sentence_and_every_sentence_an_error() -> None:
    assert {error.code for error in errors()} == set(SPOKEN)


def test_an_error_says_the_sentence_of_its_code() -> None:
    assert all(error.spoken == SPOKEN[error.code] for error in errors())


def test_an_error_without_a_sentence_of_its_own_says_that_of_its_base() -> None:
    class OneOffError(LobugError):
        code = "one_off"

    assert OneOffError.spoken == LobugError.spoken


@pytest.mark.parametrize("sentence", SPOKEN.values())
def test_a_sentence_of_an_error_is_whole(sentence: str) -> None:
    assert re.fullmatch(r"[A-Z][^{}\n]+[.?]", sentence)


@pytest.mark.parametrize(
    ("table", "modules"),
    [
        ("replies", ("language/en/replies.py",)),
        ("talk", ("language/en/talk.py",)),
        ("claim_answers", ("language/en/claims/answers.py",)),
        ("recitation", ("language/en/claims/recitation.py",)),
        ("citing", ("language/en/citing.py",)),
        ("pairing", ("http/devices/discovery.py", "devices/waiting_devices.py")),
        ("house", ("turn/house_turn.py", "conversation/refusals.py")),
        ("skills", ("skills/registry.py",)),
    ],
)
def test_every_sentence_is_used(table: str, modules: tuple[str, ...]) -> None:
    source = "".join((SERVER / module).read_text(encoding="utf-8") for module in modules)
    assert [key for key in SENTENCES[table] if f'"{key}"' not in source] == []


def test_every_table_of_sentences_has_a_reader() -> None:
    expected = {
        "replies",
        "claim_answers",
        "recitation",
        "citing",
        "pairing",
        "errors",
        "house",
        "talk",
        "skills",
    }
    assert set(SENTENCES) == expected


def test_every_word_list_is_used() -> None:
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in (SERVER / "language").rglob("*.py")
    )
    source = re.sub(r"\s+", " ", source)
    unused = [
        f"{section}.{name}"
        for section, lists in LISTS.items()
        for name in lists
        if f'"{section}", "{name}"' not in source
    ]
    assert unused == []


def test_every_folder_is_a_language_under_its_code() -> None:
    folders = [path.parent.name for path in (SERVER / "language").glob("*/language.py")]
    assert folders == ["en"]
    for code in folders:
        assert language_of(code).code == code
        assert language_of(code).commands is not None


@pytest.mark.parametrize("code", ["xx", "", "../en", "en/", "EN", "english"])
def test_of_a_language_without_a_folder_nothing_is_known(code: str) -> None:
    found = language_of(code)
    assert found.commands is None
    assert found.completeness("my sister's name is") is Completeness.OPEN
    assert found.spoken_form("3 km  , bitte \U0001f642") == "3 km, bitte"
