"""The integration's files fit together."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

HERE = Path(__file__).parents[1]
COMPONENT = HERE / "custom_components" / "lobug"


def words(language: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (COMPONENT / "translations" / f"{language}.json").read_text()
    )
    return found


def leaves(node: dict[str, Any], path: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in node.items():
        where = f"{path}.{key}"
        found.update(leaves(value, where) if isinstance(value, dict) else {where: value})
    return found


@pytest.mark.parametrize("language", ["de", "es"])
def test_translations_have_the_same_keys_and_placeholders(language: str) -> None:
    english, other = leaves(words("en")), leaves(words(language))
    assert english.keys() == other.keys()
    holes = re.compile(r"\{\w+\}|`[^`]*`")
    for key, text in english.items():
        assert sorted(holes.findall(text)) == sorted(holes.findall(other[key])), key


def test_every_key_that_the_code_uses_is_translated() -> None:
    code = "\n".join(path.read_text() for path in COMPONENT.glob("*.py"))
    english = words("en")
    used = set(re.findall(r'translation_key="(\w+)"', code))
    known = {*english["exceptions"], *(k for rows in english["entity"].values() for k in rows)}
    assert used
    assert used <= known
    assert set(re.findall(r'"(spoken_(?!by)\w+)"', code)) <= set(english["exceptions"])
    steps = set(re.findall(r'step_id="(\w+)"', code))
    persons = english["config_subentries"]["person"]["step"]
    assert steps <= {*english["config"]["step"], *persons, *english["options"]["step"]}


def test_the_action_is_described() -> None:
    fields = set(yaml.safe_load((COMPONENT / "services.yaml").read_text())["announce"]["fields"])
    assert fields == set(words("en")["services"]["announce"]["fields"])


def test_versions_agree() -> None:
    manifest = json.loads((COMPONENT / "manifest.json").read_text())
    addon = yaml.safe_load((HERE / "addon" / "config.yaml").read_text())
    project = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text())["project"]
    assert manifest["version"] == addon["version"]
    assert manifest["version"] == project["version"]
    assert manifest["zeroconf"] == ["_lobug._tcp.local."]


def test_nothing_is_needed_that_home_assistant_does_not_have() -> None:
    """The manifest names no requirements, so nothing else may be imported."""
    known = {"aiohttp", "homeassistant", "probatio"}
    for path in COMPONENT.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            for name in names:
                root = name.split(".")[0]
                assert root in known or root in sys.stdlib_module_names, path.name
