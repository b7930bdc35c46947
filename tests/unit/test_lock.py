"""The locks cover what pyproject.toml asks for, by hash, and name no place."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = PROJECT["dependency-groups"]
LOCKS = {
    "requirements.txt": [*PROJECT["project"]["dependencies"], *GROUPS["build"]],
    "requirements-postgres.txt": [
        *PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"]["postgres"],
        *GROUPS["build"],
    ],
    "requirements-dev.txt": [
        *PROJECT["project"]["dependencies"],
        *GROUPS["build"],
        *GROUPS["dev"],
    ],
    "deploy/ray/requirements.txt": [
        *PROJECT["project"]["dependencies"],
        *GROUPS["build"],
        *re.findall(r"^ray.*$", (ROOT / "deploy/ray/requirements.in").read_text(), re.MULTILINE),
    ],
}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def pins(name: str) -> dict[str, set[str]]:
    """Package to its versions: more than one where platforms need different ones."""
    found: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([a-z0-9-]+)==([^\s;]+)", read(name), re.MULTILINE):
        found.setdefault(package, set()).add(version)
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_is_locked_in_a_version_that_fits(name: str) -> None:
    locked = pins(name)
    for text in LOCKS[name]:
        wanted = Requirement(text)
        versions = locked[canonicalize_name(wanted.name)]
        assert all(Version(version) in wanted.specifier for version in versions), text


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_has_hashes(name: str) -> None:
    blocks = re.split(r"^(?=[a-z0-9])", read(name), flags=re.MULTILINE)[1:]
    assert len(blocks) > 50
    assert all("    --hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_index_and_no_place(name: str) -> None:
    text = read(name)
    assert "://" not in text
    assert "index-url" not in text
    assert "find-links" not in text
    assert not re.search(r"(^|[\s=])/\w", text)


@pytest.mark.parametrize("name", LOCKS)
def test_each_lock_holds_what_the_server_needs(name: str) -> None:
    everything = pins(name)
    for package, versions in pins("requirements.txt").items():
        # There is no Ray for Intel Macs, which alone need older versions of some packages.
        assert everything[package] <= versions
        assert everything[package] == versions or name.startswith("deploy/ray/")


def test_ray_is_in_no_lock_but_its_own() -> None:
    assert [name for name in LOCKS if "ray" in pins(name)] == ["deploy/ray/requirements.txt"]


def test_ray_and_the_tools_of_its_tests_agree() -> None:
    with_ray, tools = pins("deploy/ray/requirements.txt"), pins("requirements-dev.txt")
    assert all(with_ray[name] <= tools[name] for name in with_ray.keys() & tools.keys())


def test_help_lists_every_target_of_the_makefile() -> None:
    makefile = read("Makefile")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony is not None
    documented = re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE)
    assert sorted(documented) == sorted(phony[1].split())
    assert {"help", "run", "test", "bench", "lint", "lock", "models", "clean"} <= set(documented)


def test_ci_runs_lint_and_test_and_nothing_else() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & stat.S_IXUSR
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines == ["#!/bin/sh", "set -eu", "make lint", "make test"]


@pytest.mark.parametrize("name", LOCKS)
def test_what_is_locked_in_several_versions_is_known_to_work_in_each(name: str) -> None:
    """CI runs one Python: what another Python gets in another version is not tested there.

    numpy and onnxruntime drop old Pythons and Intel Macs; the whole suite was run on both.
    """
    several = {package for package, versions in pins(name).items() if len(versions) > 1}
    assert several <= {"numpy", "onnxruntime"}
