"""Recordings of behaviour: what is volatile is left out, and nothing else is overlooked."""

from __future__ import annotations

import sqlite3
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from behaviour import commands_in
from behaviour_comparison import Normaliser, differences
from behaviour_databases import dump, restore


def test_two_runs_are_equal() -> None:
    def run(turn: str, port: int) -> Any:
        return Normaliser({"/tmp/here": "<folder>"}, "1.2").value({
            "turn": turn, "again": f"after {turn}", "url": f"http://127.0.0.1:{port}/",
            "path": "/tmp/here/x", "version": "1.2", "uptime_s": float(port),
            "timings": {"stored": 0.1, "done": port / 7}, "at": time.time(),
            "text": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", "score": 1 + port / 1e9,
        })  # fmt: skip

    first = run("0123456789ab", 8001)
    assert first == run("ba9876543210", 9002)
    assert first["again"] == "after <turn#1>"
    assert first["at"] == first["text"] == "<now>"


@pytest.mark.parametrize(
    "value", [1.5, 7, True, None, "a word", "2024-05-01T10:00:00Z", 1714557600.0, ["x", {"y": 0}]]
)
def test_what_is_not_volatile_stays(value: Any) -> None:
    assert Normaliser().value({"key": value}) == {"key": value}


def test_what_a_fixture_holds_stays() -> None:
    normal = Normaliser()
    normal.known = "ctx_1_0123456789ab"
    assert normal.text("ctx_1_0123456789ab ctx_2_ba9876543210") == (
        "ctx_1_0123456789ab ctx_<context#1>"
    )


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["a: 1 -> 2"]),
        ({"a": 1}, {"a": 1.0}, ["a: 1 -> 1.0"]),
        ({"a": 1}, {"a": True}, ["a: 1 -> True"]),
        ({"a": {"b": "x"}}, {"a": {}}, ["a > b: 'x' -> gone"]),
        ({"a": []}, {"a": [], "c": 0}, ["c: was not there -> 0"]),
        ({"a": ["x", "z"]}, {"a": ["x", "y", "z"]}, ["a[1]: was not there -> 'y'"]),
        ({"a": ["x", "y"]}, {"a": ["x"]}, ["a[1]: 'y' -> gone"]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, ["a[0] > b: 1 -> 2"]),
    ],
)
def test_each_difference_is_a_line(before: Any, after: Any, found: list[str]) -> None:
    assert list(differences(before, after)) == found


def test_help_names_its_commands() -> None:
    page = "╭─ Commands ──╮\n│ talk   Say  │\n│        it.  │\n│ a-b    Do   │\n╰─────────────╯\n"
    assert list(commands_in(page)) == ["talk", "a-b"]


def test_a_dump_makes_the_same_database(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with closing(sqlite3.connect(path)) as file:
        file.executescript("""
            CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT, data BLOB);
            CREATE TABLE u (name TEXT PRIMARY KEY) WITHOUT ROWID;
            CREATE VIRTUAL TABLE f USING fts5 (words);
            CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO f VALUES (new.text); END;
            CREATE INDEX i ON t (text);
            INSERT INTO t (text, data) VALUES ('it''s' || char(10) || 'two', zeroblob(99)),
                ('bees', CAST(X'00ff' || zeroblob(40) AS BLOB)), ('', NULL);
            INSERT INTO u VALUES ('x');
            DELETE FROM t WHERE text = '';
            PRAGMA user_version = 7;
        """)
    (tmp_path / "one.sql").write_text("\n".join(dump(path)) + "\n")
    restore(tmp_path, tmp_path / "again")
    copy = tmp_path / "again" / "one.db"
    assert list(dump(copy)) == list(dump(path))
    with closing(sqlite3.connect(copy)) as file:
        assert file.execute("SELECT rowid FROM f WHERE f MATCH 'bees'").fetchall() == [(2,)]
        assert file.execute("INSERT INTO t (text) VALUES ('new') RETURNING id").fetchall() == [(4,)]
