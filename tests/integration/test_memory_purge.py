"""Purging a session, a user, what is old: their rows go, everybody else's stay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lobug.errors import MemoryContentError, MemoryNotFoundError
from lobug.memory import jobs
from lobug.memory.erasure.purge import DAY_S, preview, purge
from lobug.memory.exchange.export import export
from lobug.memory.model import HOUSEHOLD, Forgotten, Purge
from lobug.storage import migrations
from lobug.storage.database import no_checkpoint
from lobug.storage.driver import Connection, connect
from support.erasure_kit import (
    ADA,
    BOB,
    BOB_DESK,
    NOW,
    all_text,
    contents,
    distilled,
    know,
    messages,
    say,
    sum_up,
    within,
)


@pytest.fixture
def connection() -> Iterator[Connection]:
    opened = connect(":memory:", timeout_s=1.0)
    opened.execute("PRAGMA foreign_keys = ON")
    migrations.migrate(
        opened, Path("m.db"), legacy_user="ada", backups_keep=1, now=NOW, checkpoint=no_checkpoint
    )
    yield opened
    assert opened.execute("PRAGMA foreign_key_check").fetchall() == []
    opened.close()


def purged(connection: Connection, what: Purge) -> Forgotten:
    """What was erased, which is what was announced. Raises as ``purge`` does."""
    announced = within(connection, lambda c: preview(c, ADA, what, NOW))
    gone = within(connection, lambda c: purge(c, ADA, what, NOW))
    assert gone == announced
    return gone


def two_sessions(connection: Connection) -> tuple[int, int]:
    """The first message of each."""
    first = say(connection, "I keep bees.", "Bees!", at=NOW - 5 * DAY_S)
    second = say(connection, "I keep goats.", "Goats!", at=NOW)
    jobs.wait_for_reply(connection, "ada", first, NOW, NOW)
    bees = know(connection, "The user keeps bees", key="bees", message=first, at=NOW - 5 * DAY_S)
    know(connection, "The user keeps goats", key="goats", message=second)
    summary = sum_up(connection, "[x] Bees and goats.", first, second + 1, at=NOW - 5 * DAY_S)
    distilled(connection, "Keeps bees", "line_bees", bees, summary)
    distilled(connection, "Keeps goats", "line_goats", summary)
    connection.execute(
        "INSERT INTO recalls (user, conversation, message_id, query, created_at, took_ms)"
        " VALUES ('ada', 'ada/device:desk', ?, NULL, ?1, 1),"
        " ('ada', 'ada/device:desk', NULL, 'bees', ?2, 1)",
        (first, NOW - 5 * DAY_S),
    )
    return first, second


def test_a_session(connection: Connection) -> None:
    _, second = two_sessions(connection)
    gone = purged(connection, Purge(session=1))
    assert gone.keys == ("bees",)
    assert (gone.messages, gone.derived) == (2, 2)
    assert messages(connection) == ["I keep goats.", "Goats!"]
    assert contents(connection) == ["The user keeps goats", "Keeps goats"]
    assert "bees" not in all_text(connection)
    assert connection.execute("SELECT id FROM sessions").fetchall() == [(2,)]
    assert connection.execute("SELECT count(*) FROM recalls").fetchone() == (0,)
    # What is left of the summary's messages is summed up anew; nothing is extracted any more.
    assert connection.execute(
        "SELECT kind, up_to_id FROM background_tasks ORDER BY kind"
    ).fetchall() == [("compact", None), ("summarize", second + 1)]


def test_nobody_elses_session(connection: Connection) -> None:
    say(connection, "I keep bees.", conversation_key=BOB_DESK)
    for session in (1, 2, 0, -1, 2**80):
        with pytest.raises(MemoryNotFoundError):
            purged(connection, Purge(session=session))


def test_a_user(connection: Connection) -> None:
    say(connection, "I keep owls.", conversation_key=BOB_DESK)
    know(connection, "The user keeps owls", key="owls", user="bob", told_by="bob")
    before = export(connection, BOB, NOW)
    first, _ = two_sessions(connection)
    know(connection, "The gate has a code", key="gate", user=HOUSEHOLD, scope="household",
         message=first)  # fmt: skip
    connection.execute("INSERT INTO projects VALUES ('ada', 'hives', '', 'active', 1)")
    connection.execute(
        "INSERT INTO project_tasks (user, title, created_at, archived_as)"
        " VALUES ('ada', 'Honey', 1, (SELECT max(id) FROM memories WHERE user = 'ada'))"
    )
    gone = purged(connection, Purge(user=True))
    assert len(gone.entries) == 5
    assert gone.messages == 4
    assert export(connection, BOB, NOW) == before
    assert contents(connection, HOUSEHOLD) == ["The gate has a code"]
    for table in ("sessions", "conversation_log", "memories", "projects", "project_tasks",
                  "recalls", "background_tasks"):  # fmt: skip
        rows = connection.execute(f"SELECT count(*) FROM {table} WHERE user = 'ada'").fetchone()
        assert rows == (0,), table
    assert connection.execute(
        "SELECT count(*) FROM memory_facts WHERE user = 'ada'"
    ).fetchone() == (0,)


def test_what_is_old(connection: Connection) -> None:
    _, second = two_sessions(connection)
    gone = purged(connection, Purge(older_than_days=2))
    assert (gone.keys, gone.messages) == (("ctx_1",), 2)
    assert messages(connection) == ["I keep goats.", "Goats!"]
    assert contents(connection) == [
        "The user keeps bees", "The user keeps goats", "Keeps bees", "Keeps goats",
    ]  # fmt: skip
    assert connection.execute("SELECT id FROM sessions").fetchall() == [(2,)]
    assert connection.execute("SELECT count(*) FROM recalls").fetchone() == (0,)
    assert connection.execute(
        "SELECT kind, up_to_id FROM background_tasks ORDER BY kind"
    ).fetchall() == [("compact", None), ("summarize", second + 1)]
    assert purged(connection, Purge(older_than_days=2)) == Forgotten()


def test_the_summary_of_a_session_that_goes_on_says_nothing_of_what_is_old(
    connection: Connection,
) -> None:
    first = say(connection, "I keep bees.", "Bees!", at=NOW - 5 * DAY_S)
    connection.execute("UPDATE sessions SET last_active_at = ?, summary = 'Bees.'", (NOW,))
    sum_up(connection, "[x] Bees.", first, first + 1, at=NOW - 5 * DAY_S)
    connection.execute("UPDATE memories SET session_id = 1")
    purged(connection, Purge(older_than_days=2))
    assert connection.execute("SELECT summary FROM sessions").fetchall() == [("",)]


@pytest.mark.parametrize(
    "what",
    [
        Purge(),
        Purge(session=1, user=True),
        Purge(user=True, older_than_days=1),
        Purge(older_than_days=-1),
        Purge(older_than_days=float("nan")),
        Purge(older_than_days=float("inf")),
    ],
)
def test_one_thing_at_a_time(connection: Connection, what: Purge) -> None:
    two_sessions(connection)
    before = all_text(connection)
    with pytest.raises(MemoryContentError):
        purged(connection, what)
    assert all_text(connection) == before
