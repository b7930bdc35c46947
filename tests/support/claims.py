"""Reads the files of questions and topics about oneself (`tests/data/claim_*.txt`)."""

from __future__ import annotations

from pathlib import Path

from lobug.language.claims import Asked

DATA = Path(__file__).parents[1] / "data"


def data_lines(name: str) -> list[str]:
    """The lines of a file that are neither empty nor comments."""
    text = (DATA / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def asked_of(columns: str) -> Asked:
    """What "subject | relation/kind | value | past" says; the last two may be missing.

    A noun of two words has "_" between them.
    """
    subject, relation, value, past = [*(part.strip() for part in columns.split("|")), "", ""][:4]
    path = tuple(word.replace("_", " ") for word in subject.split())
    name, _, kind = relation.partition("/")
    asked_value = {"": None, "whether": ""}.get(value, value)
    return Asked(path, None if name == "*" else name, kind, asked_value, past == "past")
