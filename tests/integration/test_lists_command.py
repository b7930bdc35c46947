"""`lobug lists` and `lobug notes` as a person runs them, without a server."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from icalendar import Calendar
from typer.testing import CliRunner, Result

from lobug.cli.app import app


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working directory, and none of the developer's own settings."""
    for name in tuple(os.environ):
        if name.upper().startswith("LOBUG_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("LOBUG_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("LOBUG_PORT", "1")  # nothing listens there


def lobug(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_a_list_is_filled_shown_exported_and_cleared(tmp_path: Path) -> None:
    assert "no lists yet" in lobug("lists", "show").output
    assert (
        "added to shopping: milk, two eggs"
        in lobug("lists", "add", "groceries", "milk", "two eggs").output
    )
    again = lobug("lists", "add", "shopping", "Milk", "--json")
    assert [item["content"] for item in json.loads(again.stdout)["present"]] == ["milk"]
    assert "two eggs" in lobug("lists", "show", "shopping").output
    exported = tmp_path / "list.ics"
    assert lobug("lists", "export", "shopping", str(exported), "--format", "ics").exit_code == 0
    todos = Calendar.from_ical(exported.read_bytes()).walk("VTODO")
    assert [str(todo["SUMMARY"]) for todo in todos] == ["milk", "two eggs"]
    removed = lobug("lists", "remove", "shopping", "milk", "wine")
    assert removed.exit_code == 1
    assert "taken off shopping: milk" in removed.output
    assert "not on shopping: wine" in removed.output
    assert lobug("lists", "clear", "shopping").exit_code == 2  # nobody is there to agree
    assert "- [ ] two eggs" in lobug("lists", "export", "shopping").output
    assert "empty now" in lobug("lists", "clear", "shopping", "--yes").output
    assert lobug("lists", "delete", "shopping", "--yes").exit_code == 0
    missing = lobug("lists", "show", "shopping")
    assert (missing.exit_code, "list_not_found" in missing.output) == (1, True)


def test_a_list_may_have_a_slash_in_its_name() -> None:
    assert "added to mum/dad: flowers" in lobug("lists", "add", "mum/dad", "flowers").output
    assert "flowers" in lobug("lists", "show", "mum/dad").output
    assert "# mum/dad" in lobug("lists", "export", "mum/dad").output
    assert "deleted" in lobug("lists", "delete", "mum/dad", "--yes").output


def test_an_export_replaces_no_file_unasked(tmp_path: Path) -> None:
    lobug("lists", "add", "shopping", "milk")
    kept = tmp_path / "keep.md"
    kept.write_text("precious")
    refused = lobug("lists", "export", "shopping", "keep.md")
    assert (refused.exit_code, "already exists" in refused.output) == (1, True)
    assert kept.read_text() == "precious"
    written = lobug("lists", "export", "shopping", "keep.md", "--force")
    assert "written: keep.md" in written.output
    assert "- [ ] milk" in kept.read_text()
    assert "- [ ] milk" in lobug("lists", "export", "shopping", "-").stdout
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize("name", [".", "..", "", " "])
def test_what_is_no_name_is_refused_in_a_sentence(name: str) -> None:
    for command in (["show"], ["export"], ["clear", "--yes"], ["delete", "--yes"]):
        refused = lobug("lists", *command, name)
        assert (refused.exit_code, refused.output) == (2, "lobug: a list needs a name\n")
    assert lobug("lists", "add", name, "milk").exit_code == 2


def test_a_note_is_kept_shown_and_removed() -> None:
    assert "no notes" in lobug("notes", "show").output
    assert "noted as 1" in lobug("notes", "add", "the meter reads 4512").output
    assert "4512" in lobug("notes", "show", "--about", "meters").output
    assert "no notes" in lobug("notes", "show", "--about", "boiler").output
    assert "deleted: the meter reads 4512" in lobug("notes", "remove", "1").output
    assert lobug("notes", "remove", "1").exit_code == 1
