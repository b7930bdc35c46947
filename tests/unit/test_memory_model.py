"""A field of an entry is declared once: what is derived from it, or repeats it, keeps up."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

import pytest
import typer

from lobug.cli.memory import memory_app
from lobug.http.memory import entries, projects, queries, transfer
from lobug.memory import model
from lobug.memory.exchange.document_format import EntryRow

NAMES = [field.name for field in fields(model.Entry)]


@pytest.mark.parametrize(
    ("answer", "of"),
    [
        (entries.MemoryEntry, model.Entry),
        (queries.MemorySession, model.Session),
        (projects.MemoryProject, model.Project),
        (projects.MemoryTask, model.ProjectTask),
        (queries.MemoryUser, model.RememberedUser),
        (transfer.MemoryImported, model.Imported),
    ],
)
def test_an_answer_has_the_fields_of_its_value(answer: Any, of: Any) -> None:
    properties = answer.model_json_schema()["properties"]
    assert list(properties) == [field.name for field in fields(of)]
    assert all(shown["description"] for shown in properties.values())


def test_times_are_answered_as_text() -> None:
    properties = entries.MemoryEntry.model_json_schema()["properties"]
    assert properties["said_at"]["format"] == "date-time"
    assert {"type": "null"} in properties["valid_until"]["anyOf"]
    assert properties["importance"]["type"] == "number"


def test_an_export_has_every_field_of_an_entry() -> None:
    """Ids are positions in the document, and the user is named once for all entries."""
    ours = {name.removesuffix("_id") for name in NAMES} - {"user"}
    own = {"incorporated", "compared", "distilled_from"}
    assert set(EntryRow.model_fields) == ours | own


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("layer", get_args(model.Layer)),
        ("category", get_args(model.Category)),
        ("scope", get_args(model.EntryScope)),
        ("status", (*get_args(model.Status), "all")),
    ],
)
def test_the_command_line_offers_every_value(option: str, values: tuple[str, ...]) -> None:
    group: Any = typer.main.get_command(memory_app)
    command = group.commands["list"]
    (offered,) = [each for each in command.params if each.name == option]
    shown, _ = offered.get_help_record(typer.Context(command))
    assert shown == f"--{option} <{'|'.join(values)}>"
