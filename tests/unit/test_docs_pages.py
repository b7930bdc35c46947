"""The pages for developers name files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server" / "lobug"
PAGES = ("docs/architecture.md", "CONTRIBUTING.md", "README.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_module_that_a_page_names_exists(page: str) -> None:
    named = set(
        re.findall(r"`(?:server/lobug/)?(\w[\w/]*/(?:[\w/]+\.\w+)?)`", (ROOT / page).read_text())
    )
    assert named
    # A path is said from the root or from the package; a file alone follows its folder's.
    absent = {path for path in named if not (ROOT / path).exists() and not (SERVER / path).exists()}
    assert not absent


@pytest.mark.parametrize("page", [*PAGES, "MEMORY.md", "docs/kubernetes.md", "docs/ray.md"])
def test_every_link_within_the_repository_leads_somewhere(page: str) -> None:
    path = ROOT / page
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", path.read_text())
    assert links
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_every_decision_has_its_row() -> None:
    folder = ROOT / "docs" / "decisions"
    pages = {path.name for path in folder.glob("*.md")} - {"README.md"}
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (folder / "README.md").read_text()))
    assert pages == listed
