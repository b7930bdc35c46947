"""What `lobug memory` decides and writes without a server."""

from __future__ import annotations

import stat
import unicodedata
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.cli.memory.client import choose_user, moment
from lobug.cli.memory.erasure import forgotten
from lobug.cli.memory.files import write_private
from lobug.cli.terminal import CommandError, plain, plain_lines, when

YOU = "address:127.0.0.1"


@pytest.mark.parametrize(
    ("known", "named", "creates", "chosen"),
    [
        ([], None, False, YOU),
        (["ada"], None, False, "ada"),
        (["ada"], None, True, "ada"),
        (["ada", YOU], None, False, YOU),
        (["ada", "bob"], "bob", False, "bob"),
        ([], "eve", True, "eve"),
    ],
)
def test_whose_memory_is_meant(
    known: list[str], named: str | None, *, creates: bool, chosen: str
) -> None:
    assert choose_user(known, YOU, named, creates) == chosen


@pytest.mark.parametrize(
    ("known", "named", "creates", "sentence"),
    [
        (["ada", "bob"], None, False, "several people are remembered"),
        (["ada", "bob"], None, True, "name one with --user: ada, bob"),
        (["ada", "bob"], "bop", False, "nothing is remembered about bop; known users: ada, bob"),
        ([], "bop", False, "nothing is remembered about bop"),
    ],
)
def test_whose_memory_is_not_clear(
    known: list[str], named: str | None, *, creates: bool, sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        choose_user(known, YOU, named, creates)


def test_times_of_a_person_are_local() -> None:
    local = datetime(2026, 3, 1).astimezone()
    assert datetime.fromisoformat(moment("--since", "2026-03-01") or "") == local
    assert moment("--since", "2026-03-01T12:00:00+02:00") is not None
    assert moment("--since", "1700000000") == "1700000000.0"
    assert moment("--since", None) is None
    assert when(local.isoformat()) == "2026-03-01 00:00"
    assert when(None) == ""
    for wrong in ("soon", "", "2026-02-30"):
        with pytest.raises(CommandError, match="--since"):
            moment("--since", wrong)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines\tand  more", "two lines and more"),
        ("\x1b[31mred\x1b[0m", "\ufffd[31mred\ufffd[0m"),
        ("\u202eevil", "\ufffdevil"),
        ("مرحبا 👩‍🚀", "مرحبا 👩‍🚀"),
    ],
)
def test_memories_do_not_steer_the_terminal(text: str, shown: str) -> None:
    assert plain(text) == shown


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    for shown in (plain(text), *plain_lines(text).split("\n")):
        assert not [c for c in shown if unicodedata.category(c) == "Cc"]


def test_what_would_go_is_said_in_words() -> None:
    gone = {"entries": [1, 2], "keys": ["pet"], "messages": 1, "derived": 0}
    assert forgotten(gone) == "2 versions of memories and 1 message (pet)"
    none = {"entries": [], "keys": [], "messages": 0, "derived": 0}
    assert forgotten(none) == "nothing"
    every = {"entries": [1], "keys": [], "messages": 2, "derived": 3}
    assert forgotten(every) == "1 version of a memory, 2 messages and 3 texts derived from them"


def test_an_export_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "memory.json"
    file.write_text("old")
    file.chmod(0o644)
    write_private(file, b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(CommandError, match="cannot be written"):
        write_private(tmp_path / "nowhere" / "memory.json", b"x")
