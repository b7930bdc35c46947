"""Memory when the file is locked, read-only, damaged, full, too new or from the first Lo-Bug."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from lobug.errors import (
    StorageBusyError,
    StorageCorruptError,
    StorageDriverError,
    StorageError,
    StorageFullError,
    StorageNewerError,
    StorageReadOnlyError,
)
from lobug.settings import MemorySettings
from lobug.storage import driver, migrations
from lobug.storage.driver import Connection, connect
from support.faults import writer_of
from support.memory_kit import ADA, Kit, exchange, look, recalled


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "memory.db", settings=MemorySettings(busy_timeout_s=0.05))


@pytest.fixture
def other(kit: Kit) -> Iterator[Connection]:
    """A connection of another program to the same file."""
    connection = connect(str(kit.path), timeout_s=0.05)
    yield connection
    connection.close()


async def test_a_locked_file_is_an_error_for_writes_only_and_passes(
    kit: Kit, other: Connection
) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    before = memory.stats()
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageBusyError):
        await memory.log_user_message(ADA, "I keep goats")
    assert memory.stats() == before
    assert len(await memory.recent_messages(ADA, 9)) == 2
    other.execute("ROLLBACK")
    await exchange(memory, "I keep goats")
    await memory.process_due()
    assert memory.stats().facts == 2
    await memory.close()


async def test_the_worker_outlives_a_locked_file(kit: Kit, other: Connection) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageBusyError):
        await memory.process_due()
    other.execute("ROLLBACK")
    await memory.process_due()
    assert await recalled(memory, "has bees") == ["The user has bees"]
    await memory.close()


async def test_a_full_database_refuses_and_recovers(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await exchange(memory, "I keep bees")

    def limit(pages: int) -> None:
        writer_of(memory).execute(f"PRAGMA max_page_count = {pages}")

    limit(1)
    before = memory.stats()

    async def fill() -> None:
        nonlocal before
        for _ in range(50):
            await memory.log_user_message(ADA, "x" * 4_000)
            before = memory.stats()

    with pytest.raises(StorageFullError) as caught:
        await fill()
    assert caught.value.code == "storage_full"
    assert memory.stats() == before
    assert len(await memory.recent_messages(ADA, 999)) == before.messages
    limit(1_000_000)
    await exchange(memory, "I keep owls")
    await memory.process_due()
    assert "The user has bees" in await recalled(memory, "has bees")
    await memory.close()


@pytest.mark.parametrize("content", [b"not a database at all " * 400, b"SQLite format 3\x00" * 80])
async def test_a_file_that_is_no_database_is_named_and_left_alone(kit: Kit, content: bytes) -> None:
    kit.path.write_bytes(content)
    backup = kit.path.with_name("memory.db.backup-v1-20260101T000000Z")
    backup.write_bytes(b"")
    with pytest.raises(StorageCorruptError) as caught:
        await kit.memory().start(work=False)
    assert str(kit.path) in str(caught.value)
    assert str(backup) in str(caught.value)
    assert kit.path.read_bytes() == content


async def test_a_damaged_page_is_an_error_and_the_file_is_left_alone(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    for number in range(40):
        await exchange(memory, f"Hello {number} " + "x" * 2_000)
    await memory.close()
    content = bytearray(kit.path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)  # every page but the first
    kit.path.write_bytes(content)
    memory = kit.memory()

    async def use() -> None:
        await memory.start(work=False)
        await memory.recent_messages(ADA, 99)

    with pytest.raises(StorageCorruptError):
        await use()
    await memory.close()
    assert kit.path.read_bytes() == bytes(content)


async def test_an_empty_file_beside_backups_is_a_loss_not_a_new_database(kit: Kit) -> None:
    kit.path.write_bytes(b"")
    kit.path.with_name("memory.db.backup-v1-20260101T000000Z").write_bytes(b"x")
    with pytest.raises(StorageCorruptError):
        await kit.memory().start(work=False)
    assert kit.path.read_bytes() == b""


READ_ONLY = """
import asyncio, os, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from lobug.errors import StorageError
from lobug.storage.driver import describe
from support.memory_kit import ADA, Kit
describe()  # everything is imported before the rights to read it are given away
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
async def main():
    memory = Kit(Path(sys.argv[1])).memory()
    try:
        await memory.start(work=False)
        await memory.log_user_message(ADA, "Hello")
    except StorageError as error:
        sys.stdout.write(error.code)
    finally:
        await memory.close()
asyncio.run(main())
"""


@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_cannot_be_written_is_said_so(what: str) -> None:
    """As another user where the tests run as root, who may write everything."""
    tests = str(Path(__file__).parents[1])
    with TemporaryDirectory() as name:  # pytest's own folders are closed to other users
        folder = Path(name)
        path = folder / "memory.db"
        if what == "file":
            connection = connect(str(path), timeout_s=1.0)
            connection.execute("CREATE TABLE x (y)")
            connection.close()
            path.chmod(0o444)
        folder.chmod(0o555)
        try:
            done = subprocess.run(
                [sys.executable, "-c", READ_ONLY, str(path)],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
                env=os.environ | {"PYTHONPATH": os.pathsep.join([tests, *sys.path])},
            )
        finally:
            folder.chmod(0o755)
    assert done.stdout == StorageReadOnlyError.code, done.stderr


async def test_a_file_of_a_newer_program_is_refused_and_untouched(kit: Kit) -> None:
    connection = connect(str(kit.path), timeout_s=1.0)
    connection.execute("CREATE TABLE future (x)")
    connection.execute(f"PRAGMA user_version = {migrations.LATEST + 1}")
    connection.close()
    with pytest.raises(StorageNewerError, match="newer Lo-Bug"):
        await kit.memory().start(work=False)
    assert list(kit.path.parent.glob("*.backup-*")) == []
    assert look(kit.path, "SELECT name FROM sqlite_master") == [("future",)]


async def test_a_file_of_version_1_is_refused_and_untouched(kit: Kit) -> None:
    connection = connect(str(kit.path), timeout_s=1.0)
    connection.execute("CREATE TABLE conversation_log (id INTEGER PRIMARY KEY, user, content)")
    connection.execute("INSERT INTO conversation_log (user, content) VALUES ('ada', 'hello')")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    with pytest.raises(StorageError, match=r"before 0\.1\.0") as refused:
        await kit.memory().start(work=False)
    assert refused.value.code == "storage_failed"
    assert list(kit.path.parent.glob("*.backup-*")) == []
    assert look(kit.path, "PRAGMA user_version") == [(1,)]
    assert look(kit.path, "SELECT user, content FROM conversation_log") == [("ada", "hello")]


async def test_a_file_of_version_2_is_opened_with_every_message(kit: Kit) -> None:
    connection = connect(str(kit.path), timeout_s=1.0)
    for step in migrations.STEPS[:2]:
        step(connection, "owner")
    connection.execute("PRAGMA user_version = 2")
    connection.execute(
        "INSERT INTO conversation_log (user, conversation, role, content, created_at)"
        " VALUES ('ada', 'desk', 'user', 'I keep bees', 10.0)"
    )
    connection.close()
    memory = kit.memory()
    await memory.start(work=False)
    await memory.close()
    assert look(kit.path, "PRAGMA user_version") == [(migrations.LATEST,)]
    assert look(kit.path, "SELECT user, content FROM conversation_log") == [("ada", "I keep bees")]


def first_lobug(path: Path) -> None:
    """A database as the first Lo-Bug wrote it."""
    connection = connect(str(path), timeout_s=1.0)
    connection.executescript("""
        CREATE TABLE conversation_log (
            id INTEGER PRIMARY KEY AUTOINCREMENT, role TEXT NOT NULL, content TEXT NOT NULL,
            created_at REAL NOT NULL, summarized INTEGER NOT NULL DEFAULT 0);
        CREATE VIRTUAL TABLE memory_facts USING vec0 (
            id INTEGER PRIMARY KEY, embedding float[768] distance_metric=cosine,
            +content TEXT, +source TEXT, +fact_type TEXT, +created_at FLOAT);
        CREATE TABLE memory_summaries (
            id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL,
            source_from_id INTEGER NOT NULL, source_to_id INTEGER NOT NULL,
            created_at REAL NOT NULL, incorporated INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE memory_base (
            id INTEGER PRIMARY KEY CHECK (id = 1), content TEXT NOT NULL DEFAULT '',
            updated_at REAL NOT NULL);
        INSERT INTO conversation_log (id, role, content, created_at, summarized)
            VALUES (4, 'user', 'I keep bees', 10.0, 1), (7, 'assistant', 'Nice.', 11.0, 0);
        INSERT INTO memory_summaries (content, source_from_id, source_to_id, created_at)
            VALUES ('The user is fond of plums.', 4, 4, 12.0);
        INSERT INTO memory_base (id, content, updated_at) VALUES (1, 'User Profile: bees', 13.0);
    """)
    for number, (content, kind) in enumerate(
        [("The user keep bees", "personal"), ("The user keep owls", "odd kind")], start=3
    ):
        connection.execute(
            "INSERT INTO memory_facts (id, embedding, content, source, fact_type, created_at)"
            " VALUES (?, ?, ?, 'conversation', ?, 9.5)",
            (number, struct.pack("768f", *[float(number)] * 768), content, kind),
        )
    connection.close()


async def test_a_database_of_the_first_lobug_is_taken_over_whole(kit: Kit) -> None:
    first_lobug(kit.path)
    kit.settings = MemorySettings(legacy_user="ada")
    memory = kit.memory()
    await memory.start(work=False)
    stats = memory.stats()
    assert (stats.messages, stats.facts, stats.summaries, stats.users) == (2, 2, 1, 1)
    assert stats.embedding_backlog == 3  # the summary is found by meaning too
    found = await recalled(memory, "keep bees")
    assert found[0] == "The user keep bees"
    assert (await recalled(memory, "fond of plums"))[0].endswith("The user is fond of plums.")
    await memory.process_due()
    assert memory.stats().embedding_backlog == 0
    assert (await recalled(memory, "keep bees"))[0] == "The user keep bees"
    assert await memory.base_memory("ada") == "## User Profile\n- bees"
    await exchange(memory, "I keep hens")
    await memory.close()
    assert look(kit.path, "SELECT id, user, content, summarized FROM conversation_log") [:2] == [
        (4, "ada", "I keep bees", 1), (7, "ada", "Nice.", 0)
    ]  # fmt: skip
    assert look(kit.path, "SELECT content, fact_type, created_at FROM facts ORDER BY id") == [
        ("The user keep bees", "personal", 9.5),
        ("The user keep owls", "knowledge", 9.5),
        ("The user has hens", "personal", kit.clock()),
    ]
    assert look(kit.path, "SELECT id FROM facts WHERE created_at = 9.5 ORDER BY id") == [(3,), (4,)]
    assert look(kit.path, "SELECT user, source_from_id, incorporated FROM memory_summaries") == [
        ("ada", 4, 0)
    ]
    assert look(kit.path, "SELECT name FROM sqlite_master WHERE name LIKE 'first%'") == []
    (backup,) = kit.path.parent.glob("memory.db.backup-v0-*")
    assert look(backup, "SELECT count(*) FROM memory_facts") == [(2,)]
    assert look(backup, "SELECT content FROM memory_base") == [("User Profile: bees",)]


def test_steps_run_once_in_order_and_a_failing_one_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    connection = connect(str(path), timeout_s=1.0)
    done: list[int] = []

    def step(number: int) -> migrations.Step:
        def work(connection: Connection, _user: str) -> None:
            connection.execute(f"CREATE TABLE t{number} (x)")
            done.append(number)

        return work

    def broken(connection: Connection, _user: str) -> None:
        connection.execute("CREATE TABLE half (x)")
        raise ValueError("broken")

    def run(steps: list[migrations.Step], now: float) -> None:
        migrations.migrate(
            connection,
            path,
            legacy_user="owner",
            backups_keep=2,
            now=now,
            checkpoint=lambda _name: None,
            steps=steps,
        )

    run([step(1)], 0.0)
    with pytest.raises(ValueError, match="broken"):
        run([step(1), step(2), broken], 100.0)
    assert migrations.version_of(connection) == 2
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    assert tables == {"t1", "t2"}
    run([step(1), step(2), step(3)], 200.0)
    run([step(1), step(2), step(3), step(4)], 300.0)
    assert done == [1, 2, 3, 4]
    connection.close()
    assert sorted(file.name for file in tmp_path.glob("*.backup-*")) == [
        "m.db.backup-v2-19700101T000320Z",
        "m.db.backup-v3-19700101T000500Z",
    ]


async def test_a_closed_memory_says_so(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    await memory.start(work=False)
    await memory.close()
    await memory.close()
    with pytest.raises(StorageError, match="not open"):
        await memory.log_user_message(ADA, "Hello")


def test_the_driver_loads_vectors_and_says_which_it_is() -> None:
    report = driver.describe()
    assert report.module in driver.CANDIDATES
    assert report.vec_version.startswith("v0.")
    assert tuple(int(part) for part in report.sqlite_version.split(".")) >= (3, 38, 0)


def test_without_a_driver_that_loads_extensions_the_error_says_what_to_install() -> None:
    with pytest.raises(StorageDriverError, match="pip install pysqlite3"):
        driver.choose(["no_such_module", "sqlite3_without_extensions"])


async def test_the_settings_of_durability_are_in_force(kit: Kit) -> None:
    memory = kit.memory()
    await memory.start(work=False)
    writer = writer_of(memory)
    values = [
        writer.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "foreign_keys")
    ]
    assert values == ["wal", 2, 1]
    await memory.close()
