"""What was erased is not in any byte on the disk, and the file shrinks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
import pytest_asyncio

from lobug.memory.erasure.forget import forget_entries, forget_text
from lobug.memory.erasure.purge import purge
from lobug.memory.index import entry_index
from lobug.memory.model import Purge
from lobug.storage import compaction
from lobug.storage.compaction import CompactionError, compact, copy_of
from lobug.storage.driver import Connection, connect
from lobug.storage.sqlite_database import DatabaseOptions, SqliteDatabase
from support.erasure_kit import (
    ADA,
    ADA_DESK,
    BOB_DESK,
    MODEL,
    NOW,
    bytes_of,
    contents,
    distilled,
    know,
    messages,
    say,
    sum_up,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest_asyncio.fixture
async def database(path: Path) -> AsyncIterator[SqliteDatabase]:
    opened = SqliteDatabase(DatabaseOptions(path), clock=lambda: NOW)
    await opened.open(lambda _connection: None)
    yield opened
    await opened.close()


def is_clean(path: Path, *secrets: str) -> bool:
    found = bytes_of(path).lower()
    return not any(secret.encode() in found for secret in secrets)


def size_of(path: Path) -> int:
    return path.stat().st_size


def fill(connection: Connection, first: int, last: int, word: str = "plain") -> None:
    for number in range(first, last):
        message = say(connection, f"I keep {word} thing{number}.", f"Keep thing{number}, then.")
        know(connection, f"The user keeps thing{number}", key=f"thing_{number}", message=message)


async def test_nothing_that_was_forgotten_is_left_in_any_byte(
    database: SqliteDatabase, path: Path
) -> None:
    def work(connection: Connection) -> int:
        fill(connection, 0, 40)
        message = say(connection, "My phrase is Zanzibarix.", "Zanzibarix it is, Wunderlich.")
        phrase = know(
            connection, "The user's phrase is Zanzibarix", key="phrase_zanzibarix",
            message=message, tags=("zanzibarix",),
        )  # fmt: skip
        fill(connection, 40, 80)
        summary = sum_up(connection, "[x] They spoke of Zanzibarix.", message - 2, message + 3)
        distilled(connection, "Phrase: Zanzibarix", "line_zanzibarix", phrase, summary)
        connection.execute("UPDATE sessions SET summary = 'About Zanzibarix.'")
        connection.execute(
            "INSERT INTO project_tasks (user, title, state, created_at)"
            " VALUES ('ada', 'Ask for Zanzibarix', 'Zanzibarix was asked for.', 1)"
        )
        connection.execute(
            "INSERT INTO recalls (user, conversation, query, created_at, took_ms)"
            " VALUES ('ada', 'c', 'what is zanzibarix', 1, 1)"
        )
        return phrase

    phrase = await database.write("fill", work)
    path.with_name(f"{path.name}.backup-v1-20260101T000000Z").write_text("Zanzibarix")
    path.with_name(f"{path.name}-wal.of-replaced").write_text("Zanzibarix")
    snapshot = path.with_name("sessions.json.migrated")
    snapshot.write_text("Zanzibarix")
    vector = await database.read(
        lambda connection: connection.execute(
            "SELECT embedding FROM memory_facts WHERE id = ?", (phrase,)
        ).fetchone()[0]
    )
    assert not is_clean(path, "zanzibarix")
    assert vector in bytes_of(path)

    await database.write("forget", lambda c: forget_entries(c, ADA, [phrase], NOW))
    assert await compact(database, copies=[snapshot])

    assert is_clean(path, "zanzibarix", "wunderlich")
    assert vector not in bytes_of(path)
    assert not snapshot.exists()
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "memory.db", "memory.db-shm", "memory.db-wal",
    ]  # fmt: skip
    assert not await compact(database), "it was done"
    await usable(database)


async def usable(database: SqliteDatabase) -> None:
    """The connections, their virtual tables and the indexes go on working."""

    def work(connection: Connection) -> int:
        message = say(connection, "I keep a hedgehog.")
        return know(connection, "The user keeps a hedgehog", key="hedgehog", message=message)

    entry_id = await database.write("after", work)

    def look(connection: Connection) -> None:
        found = connection.execute(
            "SELECT rowid FROM memories_text WHERE memories_text MATCH 'hedgehog'"
        ).fetchall()
        assert found == [(entry_id,)]
        index = entry_index.find(connection, MODEL)
        assert index is not None
        own = np.random.default_rng(entry_id).standard_normal(index.dimension).astype("f4")
        assert entry_index.nearest(connection, index, "ada", own, 1)[0].fact_id == entry_id
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []

    await database.read(look)
    await database.write("look", look)


async def test_the_file_shrinks(database: SqliteDatabase, path: Path) -> None:
    def work(connection: Connection) -> None:
        for number in range(2_500):
            owner = ADA_DESK if number % 2 else BOB_DESK
            message = say(connection, f"I keep thing{number}.", "Good.", conversation_key=owner)
            know(
                connection, f"The user keeps thing{number}", key=f"thing_{number}",
                message=message, user=owner.user, told_by=owner.user,
            )  # fmt: skip

    await database.write("fill", work)
    await database.write("note", lambda connection: compaction.note(connection, NOW))
    await compact(database)
    full = size_of(path)
    # Every second of what is left too: no chunk of vec0 becomes empty by that.
    await database.write("purge", lambda c: purge(c, ADA, Purge(user=True), NOW))
    await compact(database)
    assert size_of(path) < 0.6 * full  # each table has a page at least
    half = size_of(path)

    def every_second(connection: Connection) -> None:
        index = entry_index.find(connection, MODEL)
        assert index is not None
        for (entry_id,) in connection.execute(
            "SELECT id FROM memories WHERE id % 4 = 1"
        ).fetchall():
            entry_index.remove(connection, entry_id)
        compaction.note(connection, NOW)

    size = "SELECT count(*) FROM memory_facts_chunks"
    before = await database.read(lambda c: c.execute(size).fetchone()[0])
    await database.write("remove", every_second)
    assert await database.read(lambda c: c.execute(size).fetchone()[0]) == before
    await compact(database)
    assert await database.read(lambda c: c.execute(size).fetchone()[0]) <= before / 2 + 1
    assert size_of(path) < half
    assert await database.read(lambda c: len(contents(c, "bob"))) == 1_250
    await usable(database)


def test_repacking_keeps_every_row_and_its_bytes(tmp_path: Path) -> None:
    connection = connect(str(tmp_path / "v.db"), timeout_s=1.0)
    for kind, wrap in (("float", "?"), ("int8", "vec_int8(?)"), ("bit", "vec_bit(?)")):
        connection.execute(
            f"CREATE VIRTUAL TABLE v_{kind} USING vec0 (id INTEGER PRIMARY KEY, owner TEXT"
            f" PARTITION KEY, embedding {kind}[8], +content TEXT, +at FLOAT, chunk_size=8)"
        )
        width = {"float": 32, "int8": 8, "bit": 1}[kind]
        for number in range(1, 101):
            blob = (np.full(8, number, dtype="<f4").tobytes() if kind == "float"
                    else bytes([number] * width))  # fmt: skip
            connection.execute(
                f"INSERT INTO v_{kind} VALUES (?, ?, {wrap}, ?, ?)",
                (number, f"owner{number % 3}", blob, f"content {number}", number / 2),
            )
        connection.execute(f"DELETE FROM v_{kind} WHERE id % 2 = 0")
    rows = {
        table.name: connection.execute(f"SELECT * FROM {table.name} ORDER BY id").fetchall()
        for table in compaction.vector_tables(connection)
    }
    assert [len(found) for found in rows.values()] == [50, 50, 50]
    steps = 0
    while compaction.repack(connection, 2):
        steps += 1
        assert steps < 1_000
    for name, found in rows.items():
        assert connection.execute(f"SELECT * FROM {name} ORDER BY id").fetchall() == found
        (chunks,) = connection.execute(f"SELECT count(*) FROM {name}_chunks").fetchone()
        assert chunks <= 50 / 8 + 3
    near = connection.execute(
        "SELECT id FROM v_float WHERE embedding MATCH ? AND k = 1 AND owner = 'owner1'",
        (np.full(8, 7, dtype="<f4").tobytes(),),
    ).fetchall()
    assert near == [(7,)]
    connection.close()


async def test_what_is_written_meanwhile_is_not_lost(database: SqliteDatabase, path: Path) -> None:
    await database.write("fill", lambda connection: fill(connection, 0, 30))
    await database.write("forget", lambda c: forget_text(c, ADA, "thing3", NOW))
    late: list[int] = []
    loop = asyncio.get_running_loop()

    def meddle(point: str) -> None:
        if point == "compact.copied" and not late:
            connection = connect(str(path), timeout_s=1.0)
            connection.execute("UPDATE conversation_log SET content = 'late' WHERE id = 20")
            connection.close()
            late.append(loop.time() > 0)

    assert await compact(database, checkpoint=meddle)
    assert late
    assert (await database.read(messages))[19] == "late"
    assert is_clean(path, "thing3.", "thing3,")


async def test_a_database_that_is_never_quiet_is_left_as_it_is(
    database: SqliteDatabase, path: Path
) -> None:
    await database.write("fill", lambda connection: fill(connection, 0, 5))
    await database.write("forget", lambda c: forget_text(c, ADA, "thing3", NOW))

    def meddle(point: str) -> None:
        if point == "compact.copied":
            connection = connect(str(path), timeout_s=1.0)
            connection.execute("UPDATE conversation_log SET speaker = coalesce(speaker, '') || 'x'")
            connection.close()

    with pytest.raises(CompactionError, match="never_quiet"):
        await compact(database, checkpoint=meddle)
    assert not copy_of(path).exists()
    assert await database.read(compaction.noted) is not None
    assert await compact(database)


async def test_cancelled_while_it_copies_it_leaves_the_file_whole(
    database: SqliteDatabase, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "PAGES_AT_ONCE", 1)
    await database.write("fill", lambda connection: fill(connection, 0, 200))
    await database.write("forget", lambda c: forget_text(c, ADA, "thing3", NOW))
    before = await database.read(messages)
    reached = asyncio.Event()
    loop = asyncio.get_running_loop()
    put_in_place = compaction._put_in_place

    def slow(connection: Connection, stop: Event, **how: Any) -> bool:
        loop.call_soon_threadsafe(reached.set)
        assert stop.wait(30.0)
        return put_in_place(connection, stop, **how)

    monkeypatch.setattr(compaction, "_put_in_place", slow)
    running = asyncio.ensure_future(compact(database))
    await reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    monkeypatch.setattr(compaction, "_put_in_place", put_in_place)
    assert await database.read(messages) == before
    assert await database.read(compaction.noted) is not None
    assert not copy_of(path).exists()
    assert await compact(database)
    assert await database.read(messages) == before
    await usable(database)


async def test_forgetting_while_it_runs_notes_another_one(database: SqliteDatabase) -> None:
    await database.write("fill", lambda connection: fill(connection, 0, 5))
    await database.write("forget", lambda c: forget_text(c, ADA, "thing3", NOW))
    first = await database.read(compaction.noted)

    def meddle(point: str) -> None:
        if point == "compact.copies_deleted":
            connection = connect(str(database.path), timeout_s=1.0)
            compaction.note(connection, NOW)
            connection.close()

    assert await compact(database, checkpoint=meddle)
    second = await database.read(compaction.noted)
    assert second is not None
    assert second != first
