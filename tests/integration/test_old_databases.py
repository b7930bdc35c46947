"""Databases that older programs wrote: opened by this one, nothing in them is missing.

What is in a fixture is read with plain SQL from the restored file, what this program finds in it
from its commands: neither goes through a module of the package.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from behaviour_databases import FOLDER, counts, restore
from behaviour_dialogue import PERSON_SETTINGS
from behaviour_server import Checkout
from support.programs import run as command

CHECKOUT = Checkout(Path(__file__).parents[2])
HOUSEHOLD = "household:"
FIRST = "first-design"
TALKED = ("0.1.0", "schema-4")
"""Those that were written by talking."""
FIXTURES = (FIRST, *TALKED)

talked = pytest.mark.parametrize("opened", TALKED, indirect=True)

PARTS = {
    "messages": "conversation_log",
    "sessions": "sessions",
    "projects": "projects",
    "tasks": "project_tasks",
    "recalls": "recalls",
}
"""Parts of an export, and the tables that older programs kept them in."""


def query(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as file:
        return list(file.execute(sql))


@dataclass(frozen=True)
class Opened:
    """A database before it was opened, and what this program said of it then."""

    before: Path
    after: Path
    exports: Mapping[str, Mapping[str, Any]]
    markdown: Mapping[str, str]
    devices: Mapping[str, Any]
    tokens: Sequence[Mapping[str, Any]]


def run(data: Path, *arguments: str) -> str:
    done = command(
        ["lobug", *arguments],
        env=CHECKOUT.environment(data, **PERSON_SETTINGS),
        cwd=data.parent,  # without a .env
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def users(data: Path) -> list[str]:
    return [row["user"] for row in json.loads(run(data, "memory", "users", "--json"))["users"]]


@pytest.fixture(scope="module", params=FIXTURES)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    folder = tmp_path_factory.mktemp("old")
    before, after = folder / "before", folder / "after"
    for data in (before, after):
        restore(FOLDER / request.param, data)
    people = users(after)
    export = ("memory", "export", "--user")
    return Opened(
        before,
        after,
        {user: json.loads(run(after, *export, user)) for user in people},
        {user: run(after, *export, user, "--format", "markdown") for user in people},
        json.loads(run(after, "devices", "list", "--json")),
        json.loads(run(after, "tokens", "list", "--json"))["tokens"],
    )


def test_there_is_a_database_of_every_kind() -> None:
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == set(FIXTURES)


@pytest.mark.parametrize(("fixture", "version"), [(FIRST, 0), ("0.1.0", 3), ("schema-4", 4)])
def test_a_database_has_the_version_of_its_program(fixture: str, version: int) -> None:
    script = (FOLDER / fixture / "lobug_memory.sql").read_text()
    assert f"PRAGMA user_version = {version};" in script


@talked
def test_every_row_of_memory_is_there(opened: Opened) -> None:
    memory, found = opened.before / "lobug_memory.db", opened.exports
    rows = {
        part: Counter(user for (user,) in query(memory, f"SELECT user FROM {table}"))
        for part, table in PARTS.items()
    }
    said = Counter(query(memory, "SELECT user, role, content, created_at FROM conversation_log"))
    known = Counter(
        query(
            memory,
            f"SELECT iif(user = '{HOUSEHOLD}', told_by, user), key, content, layer, category,"
            " scope, status, reason, source, said_at, importance FROM memories",
        )
    )
    assert min(len(rows["messages"]), len(said), len(known)) > 3

    for part, expected in rows.items():
        assert Counter({user: len(found[user][part]) for user in expected}) == expected, part
    assert said == Counter(
        (user, row["role"], row["content"], row["created_at"])
        for user, document in found.items()
        for row in document["messages"]
    )
    assert known == Counter(
        (
            user,
            *(entry[name] for name in "key content layer category scope status reason".split()),
            *(entry[name] for name in "source said_at importance".split()),
        )
        for user, document in found.items()
        for entry in document["entries"]
    )


@talked
def test_every_device_and_token_is_there(opened: Opened) -> None:
    access, shown = opened.before / "access.db", opened.devices
    devices = query(access, "SELECT device_id, name, user FROM devices")
    waiting = query(access, "SELECT device_id, code FROM pairings")
    tokens = query(access, "SELECT token_id, name, user, conversation, owner FROM api_tokens")
    assert min(len(devices), len(waiting), len(tokens)) > 0

    assert Counter((d["id"], d["name"], d["user"]) for d in shown["devices"]) == Counter(devices)
    assert Counter((w["id"], w["code"]) for w in shown["waiting"]) == Counter(waiting)
    assert Counter(
        (t["id"], t["name"], t["user"], t["conversation"], t["owner"]) for t in opened.tokens
    ) == Counter(tokens)


@pytest.mark.parametrize("opened", [FIRST], indirect=True)
def test_the_first_design_is_taken_over(opened: Opened) -> None:
    memory, document = opened.before / "lobug_memory.db", opened.exports["owner"]
    said = query(
        memory,
        "SELECT role, content, created_at FROM conversation_log WHERE role <> 'system' ORDER BY id",
    )
    facts = [text for (text,) in query(memory, "SELECT value00 FROM memory_facts_auxiliary")]
    summaries = [text for (text,) in query(memory, "SELECT content FROM memory_summaries")]
    assert (len(said), len(facts), len(summaries)) == (9, 5, 2)

    assert [(m["role"], m["content"], m["created_at"]) for m in document["messages"]] == said
    by_layer: dict[str, list[str]] = {}
    for entry in document["entries"]:
        by_layer.setdefault(entry["layer"], []).append(entry["content"])
    assert by_layer["knowledge"] == facts
    assert [text.partition("] ")[2] for text in by_layer["archive"]] == summaries
    assert by_layer["identity"] == ["keeps bees", "likes honey cake", "moved to Évora in May"]


def test_the_words_are_in_what_is_to_be_read(opened: Opened) -> None:
    for user, document in opened.exports.items():
        shown = opened.markdown[user].replace("\\", "")
        for entry in document["entries"]:
            if entry["status"] == "active":
                # Markdown shows the time of an entry beside it.
                assert entry["content"].rpartition("] ")[2] in shown, (user, entry)


def test_opening_again_changes_no_row(opened: Opened) -> None:
    once = counts(opened.after)
    assert set(users(opened.after)) == set(opened.exports)
    assert counts(opened.after) == once
    for path in opened.after.glob("*.db"):
        assert query(path, "PRAGMA integrity_check") == [("ok",)], path
