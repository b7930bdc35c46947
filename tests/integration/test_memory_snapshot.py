"""Import of a ``sessions.json`` snapshot: any of its shapes, once, in the background."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lobug.errors import ImportInvalidError
from lobug.memory.exchange import import_
from lobug.memory.exchange.snapshot import SNAPSHOT, SnapshotSource, parse
from lobug.memory.model import Imported
from lobug.storage import migrations
from lobug.storage.database import no_checkpoint
from lobug.storage.driver import Connection, connect
from support.erasure_kit import ADA, NOW, messages, within
from support.memory_kit import Kit, exchange, look

SESSION: dict[str, Any] = {
    "id": "abc",
    "channel_type": "whatsapp",
    "channel_id": "+4912345",
    "user_id": "whatsapp:+4912345@s.whatsapp.net",
    "created_at": "2026-01-02T03:04:05Z",
    "last_active": "2026-01-02T04:00:00+00:00",
    "summary": {"summary": "They spoke of bees.", "message_count": 2},
    "messages": [
        {"message_type": "system", "content": "You are PicoBot."},
        {"message_type": "user", "content": "I keep bees.", "created_at": "2026-01-02T03:04:06Z"},
        {"message_type": "tool", "content": "{}", "tool_call_id": "1"},
        {
            "message_type": "assistant",
            "content": [{"type": "text", "text": "How"}, {"type": "image"}, "many?"],
            "created_at": 1_767_323_047_000,
        },
    ],
}


@pytest.fixture
def connection() -> Iterator[Connection]:
    found = connect(":memory:", timeout_s=1.0)
    found.execute("PRAGMA foreign_keys = ON")
    migrations.migrate(
        found, Path("m.db"), legacy_user="ada", backups_keep=1, now=NOW, checkpoint=no_checkpoint
    )
    yield found
    found.close()


def bring(connection: Connection, document: object) -> Imported:
    return within(connection, lambda c: import_.import_parsed(c, ADA, import_.parse(document), NOW))


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in SESSION.items() if name not in names}


@pytest.mark.parametrize(
    "document",
    [
        {"sessions": [SESSION]},
        {"sessions": {"abc": without("id")}},
        [SESSION],
        {"abc": without("id")},
        [without("messages") | {"history": SESSION["messages"]}],
    ],
)
def test_each_shape_is_read(connection: Connection, document: object) -> None:
    assert bring(connection, document) == Imported(sessions=1, messages=2, skipped=2)
    assert bring(connection, document) == Imported(skipped=5)
    rows = connection.execute(
        "SELECT user, conversation, role, content, created_at, reply_to FROM conversation_log"
    ).fetchall()
    where = ("ada", "ada/import:whatsapp:+4912345")
    assert rows == [
        (*where, "user", "I keep bees.", 1_767_323_046.0, None),
        (*where, "assistant", "How\nmany?", 1_767_323_047.0, 1),
    ]
    assert connection.execute(
        "SELECT user, channel, external_id, started_at, ended_at, summary FROM sessions"
    ).fetchall() == [
        ("ada", "whatsapp", "abc", 1_767_323_045.0, 1_767_326_400.0, "They spoke of bees.")
    ]


def test_a_session_without_a_name_is_known_by_what_is_in_it(connection: Connection) -> None:
    session = without("id")
    assert bring(connection, [session]).sessions == 1
    assert bring(connection, [session]).sessions == 0
    session["messages"] = [*session["messages"], {"role": "user", "content": "And goats."}]
    assert bring(connection, [session]).sessions == 1
    (last,) = connection.execute(
        "SELECT created_at FROM conversation_log ORDER BY id DESC LIMIT 1"
    ).fetchone()
    assert last == 1_767_323_047.0  # when that was said is not known: after what was before it


def test_messages_are_in_the_order_of_their_numbers(connection: Connection) -> None:
    rows = [
        {"role": "user", "content": "second", "seq_order": 2},
        {"role": "human", "content": "first", "seq_order": 1},
    ]
    bring(connection, [{"id": "x", "messages": rows}])
    assert messages(connection) == ["first", "second"]


@pytest.mark.parametrize(
    "document",
    [
        {"sessions": 7},
        {"sessions": [7]},
        {"sessions": [{"messages": 7}]},
        {"sessions": [{"messages": [7]}]},
        {"sessions": [{"messages": [{"content": "x"}]}]},
        {"sessions": [{"messages": [{"role": "user", "content": 7}]}]},
        {"sessions": [{"messages": [{"role": "user", "content": "\ud800"}]}]},
        {"sessions": [{"messages": [{"role": "user", "content": "x" * 1_000_001}]}]},
        {"sessions": [{"messages": [{"role": "user", "content": "x", "created_at": "soon"}]}]},
        {"sessions": [{"messages": [{"role": "user", "content": "x", "created_at": -1}]}]},
        {"sessions": [{"messages": [{"role": "user", "content": "x", "created_at": True}]}]},
        {"sessions": [{"messages": [{"role": "user", "content": "x", "created_at": 1e300}]}]},
        {"sessions": [{"id": "x" * 501}]},
        {"sessions": [{"id": ["x"]}]},
        {"sessions": [{"user_id": {}}]},
        {"sessions": [SESSION, {"messages": [{"role": "user", "content": 7}]}]},
    ],
)
def test_a_snapshot_with_a_fault_changes_nothing(connection: Connection, document: object) -> None:
    with pytest.raises(ImportInvalidError) as raised:
        bring(connection, document)
    assert len(str(raised.value)) < 200
    assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (0,)


def test_whose_a_session_is() -> None:
    source = SnapshotSource(Path(SNAPSHOT), {"device:Desk": "ada"}, "owner")
    for user_id, user in {
        "DEVICE:desk": "ada", "tui:local": "tui:local", None: "owner", "household:": "owner",
        " x": "owner", "x" * 201: "owner",
    }.items():  # fmt: skip
        assert source.user_of(user_id) == user
    assert parse({"sessions": []}) == []


def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db", snapshot=SnapshotSource(tmp_path / SNAPSHOT))


async def test_it_is_imported_after_the_start_and_renamed(tmp_path: Path) -> None:
    (tmp_path / SNAPSHOT).write_text(json.dumps({"sessions": [SESSION]}))
    memory = kit(tmp_path).memory()
    await memory.start(work=False)
    assert memory.stats().messages == 0
    await memory.process_due()
    assert memory.stats().messages == 2
    await memory.close()
    assert not (tmp_path / SNAPSHOT).exists()
    assert (tmp_path / f"{SNAPSHOT}.migrated").exists()
    assert look(tmp_path / "memory.db", "SELECT DISTINCT user FROM conversation_log") == [
        ("whatsapp:+4912345@s.whatsapp.net",)
    ]


@pytest.mark.parametrize("text", ["no JSON", "[" * 100_000, '{"sessions": [7]}', '"\\ud800"'])
async def test_one_that_cannot_be_read_stays_and_blocks_nothing(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    path = tmp_path / SNAPSHOT
    path.write_text(text)
    memory = kit(tmp_path).memory()
    await memory.start(work=False)
    await exchange(memory, "I keep goats.")
    await memory.process_due()
    assert memory.stats().facts == 1
    await memory.close()
    assert path.read_text() == text
    assert f"{path} was not imported and stays: import_invalid" in caplog.text
    assert text not in caplog.text
