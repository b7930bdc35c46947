"""Memory in PostgreSQL, where a file has nothing alike: several servers, faults, what is left."""

from __future__ import annotations

import asyncio
import random
import re
import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lobug.access.tables import metadata as access_tables
from lobug.agenda.tables import metadata as agenda_tables
from lobug.errors import (
    StorageBusyError,
    StorageError,
    StorageNewerError,
    StorageReadOnlyError,
    StorageRefusedError,
)
from lobug.memory.index.entry_index import word_scores
from lobug.memory.model import ConversationKey, Filter, MemoryScope, Purge
from lobug.memory.statistics import count_entries
from lobug.storage.connection import Connection, PostgresConnection
from lobug.storage.database import Database
from lobug.storage.index_tables import turn_index
from lobug.storage.places import DatabasePlace
from lobug.storage.postgres import database as postgres_database
from lobug.storage.postgres.address import Address
from lobug.storage.postgres.connections import run_plain
from lobug.storage.postgres.database import PostgresDatabase, PostgresOptions
from lobug.storage.postgres.inspection import _encrypted, inspect
from lobug.storage.postgres.locks import EVERYBODY, lock_class
from lobug.storage.postgres.schemas import STEPS
from lobug.storage.sqlite_database import DatabaseOptions
from lobug.storage.statements import run
from lobug.webhooks.outbox import metadata as webhook_tables
from support import postgres
from support.faults import until
from support.foreign_writes import changed
from support.memory_kit import ADA, BOB, Kit, exchange, opened, started
from support.patience import PATIENCE_S
from support.postgres_server import PostgresServer
from support.postgres_server import started as started_server
from support.postgres_tables import create_tables

NOW = 1_700_000_000.0
DECLARED = {
    "memory": turn_index.metadata,
    "access": access_tables,
    "agenda": agenda_tables,
    "webhooks": webhook_tables,
}
"""The tables of each schema."""


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """The name of a database of its own."""
    with postgres.in_use():
        yield tmp_path / "memory.db"


@pytest.fixture
def durable() -> Iterator[PostgresServer]:
    """A server of its own that waits for the disk, as one that people rely on does."""
    server = started_server(fsync="on")
    try:
        yield server
    finally:
        server.stop()


def server_of(path: Path) -> PostgresDatabase:
    """What another server has of the same database."""
    options = PostgresOptions(url_of(path), connections=4, patience_s=PATIENCE_S)
    return PostgresDatabase(options, clock=lambda: NOW)


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def url_of(path: Path) -> str:
    url = postgres.place_of(path).url
    assert url is not None
    return url


async def opened_by(path: Path, servers: int) -> list[PostgresDatabase]:
    """The same database, opened by several servers."""
    found = [server_of(path) for _ in range(servers)]
    for one in found:
        await one.open(lambda _: None)
    return found


async def close(*databases: Database) -> None:
    for one in databases:
        await one.close()


def add(name: str) -> Callable[[Connection], int]:
    """Work that adds one to a number, slowly: what it has read must still hold when it writes."""

    def work(connection: Connection) -> int:
        before = run(
            connection, 'SELECT words FROM turn_owners WHERE "user" = :user', user=name
        ).scalar()
        run(connection, "SELECT CAST(pg_sleep(0.005) AS text)").scalar()
        run(
            connection,
            'UPDATE turn_owners SET words = :after WHERE "user" = :user',
            after=before + 1,
            user=name,
        )
        return int(before)

    return work


@pytest.mark.parametrize("person", [None, "ada"])
async def test_writes_of_two_servers_follow_one_another(path: Path, person: str | None) -> None:
    one, other = await opened_by(path, 2)
    await one.write(
        "make", lambda c: run(c, "INSERT INTO turn_owners (\"user\") VALUES ('ada')") and None
    )
    await asyncio.gather(
        *(server.write("add", add("ada"), of=person) for server in (one, other) for _ in range(20))
    )
    row = await other.read(lambda c: run(c, "SELECT words FROM turn_owners").scalar())
    assert row == 40
    await close(one, other)


async def test_a_write_of_one_person_does_not_wait_for_that_of_another(path: Path) -> None:
    one, other = await opened_by(path, 2)
    begun, go_on = threading.Event(), threading.Event()

    def wait(_: Connection) -> None:
        begun.set()
        assert go_on.wait(PATIENCE_S)

    slow = asyncio.ensure_future(one.write("slow", wait, of="ada"))
    await asyncio.to_thread(begun.wait, PATIENCE_S)
    await other.write("quick", lambda _: None, of="bob")
    assert not slow.done()
    same = asyncio.ensure_future(other.write("same", lambda _: None, of="ada"))
    everybody = asyncio.ensure_future(other.write("all", lambda _: None))
    await other.read(lambda c: run(c, "SELECT CAST(pg_sleep(0.2) AS text)").scalar())
    assert not same.done()
    assert not everybody.done()
    go_on.set()
    await asyncio.gather(slow, same, everybody)
    await close(one, other)


async def test_two_that_wait_for_each_other_both_succeed(path: Path) -> None:
    one, other = await opened_by(path, 2)
    await one.write(
        "make",
        lambda c: run(c, "INSERT INTO turn_owners (\"user\") VALUES ('ada'), ('bob')") and None,
    )
    met = threading.Barrier(2)

    def cross(*names: str) -> Callable[[Connection], None]:
        first = [True]

        def work(connection: Connection) -> None:
            for at, name in enumerate(names):
                run(
                    connection,
                    'UPDATE turn_owners SET words = words + 1 WHERE "user" = :user',
                    user=name,
                )
                if at == 0 and first.pop():
                    met.wait(PATIENCE_S)
                first.append(False)

        return work

    await asyncio.gather(
        one.write("one", cross("ada", "bob"), of="first"),
        other.write("other", cross("bob", "ada"), of="second"),
    )
    words = await one.read(lambda c: run(c, "SELECT words FROM turn_owners").scalars())
    assert words == [2, 2]
    await close(one, other)


async def test_what_another_server_writes_is_noticed(path: Path) -> None:
    one, other = await opened_by(path, 2)
    await changed(one)  # that the other one has opened it
    await one.write("own", lambda _: None)
    assert not await changed(one)
    await other.write("foreign", lambda _: None)
    assert await changed(one)
    assert not await changed(one)
    await close(one, other)


async def test_a_write_whose_answer_is_lost_is_noticed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (database,) = await opened_by(path, 1)

    def commit_and_die(raw: psycopg.Connection[Any], statements: bytes) -> None:
        run_plain(raw, statements)
        if statements.endswith(b"COMMIT"):
            raw.close()
            raise psycopg.OperationalError("the connection is lost")

    def insert(connection: Connection) -> int:
        done = run(connection, "INSERT INTO turn_owners (\"user\") VALUES ('ada')")
        return int(done.rowcount)

    told: list[int] = []
    with monkeypatch.context() as patched:
        patched.setattr(postgres_database, "run_plain", commit_and_die)
        with pytest.raises(StorageError, match="is lost"):
            await database.write("lost", insert, told.append)
    assert told == []
    assert await database.read(lambda c: run(c, "SELECT count(*) FROM turn_owners").scalar()) == 1
    assert await changed(database)
    assert not await changed(database)
    await close(database)


async def test_a_backup_that_is_put_back_is_noticed(path: Path) -> None:
    (database,) = await opened_by(path, 1)
    with opened(path) as connection:
        before = connection.execute("SELECT server, writes FROM written").fetchall()
    await database.write("own", lambda _: None)
    assert not await changed(database)
    with opened(path) as connection:
        connection.execute("DELETE FROM written")
        connection.executemany("INSERT INTO written (server, writes) VALUES (%s, %s)", before)
    assert await changed(database)
    assert not await changed(database)
    await close(database)


async def test_a_write_beside_the_opening_is_noticed(path: Path) -> None:
    (other,) = await opened_by(path, 1)
    database = server_of(path)
    opening = asyncio.get_running_loop()

    def first(_: Connection) -> None:
        # Cannot be committed before this one: it waits for the lock.
        writes.append(asyncio.run_coroutine_threadsafe(write(), opening))

    async def write() -> None:
        await other.write("foreign", lambda _: None)

    writes: list[Future[None]] = []
    await database.open(first)
    await asyncio.wrap_future(writes[0])
    assert await changed(database)
    await close(database, other)


async def test_a_change_that_could_not_be_counted_is_taken_note_of_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns would fail, one after another, for the sake of counts."""
    told: list[str | None] = []

    async def fail() -> None:
        raise StorageError("no connection is left")

    async with started(Kit(path)) as here, started(Kit(path)) as there:
        await exchange(there, "I keep nine hens", conversation_key=ADA)
        here.changed = told.append
        monkeypatch.setattr(here._counting, "everything", fail)
        with pytest.raises(StorageError, match="no connection"):
            await here.refresh()
        await here.refresh()
        assert told == [None]


async def test_two_memories_of_one_database_know_the_same(path: Path) -> None:
    async with started(Kit(path)) as here, started(Kit(path)) as there:
        await asyncio.gather(
            *(exchange(here, f"I keep {n} hens", conversation_key=ADA) for n in range(5)),
            *(exchange(there, f"I keep {n} owls", conversation_key=BOB) for n in range(5)),
        )
        await here.process_due()
        ada = {
            hit.content
            for hit in await here.search(MemoryScope("ada", None), "hens owls", Filter(), limit=20)
        }
        bob = {
            hit.content
            for hit in await there.search(MemoryScope("bob", None), "hens owls", Filter(), limit=20)
        }
    assert any("hens" in content for content in ada)
    assert not any("owls" in content for content in ada)
    assert any("owls" in content for content in bob)
    assert not any("hens" in content for content in bob)


async def test_a_first_count_that_fails_is_made_up_for(path: Path) -> None:
    async with started(Kit(path)) as memory:
        await exchange(memory, "I keep nine hens")
    failed = threading.Event()

    def fail_once(name: str) -> None:
        if name == "recount.counted" and not failed.is_set():
            failed.set()
            raise psycopg.OperationalError("the connection is lost")

    memory = Kit(path, checkpoint=fail_once).memory()
    await memory.start()
    assert failed.is_set()

    async def counted() -> bool:
        return memory.stats().messages == 2

    await until(counted)
    await memory.close()


async def test_a_turn_that_is_logged_while_entries_are_counted_counts(path: Path) -> None:
    counting, go_on = threading.Event(), threading.Event()

    def wait(name: str) -> None:
        if name == "recount.counted" and counted:
            counting.set()
            assert go_on.wait(PATIENCE_S)

    counted: list[int] = []
    async with started(Kit(path, checkpoint=wait)) as memory:
        await exchange(memory, "I keep nine hens")
        counted.append(memory.stats().messages)
        recount = asyncio.ensure_future(memory._counting._count(count_entries))
        assert await asyncio.to_thread(counting.wait, PATIENCE_S)
        await exchange(memory, "I keep two owls")
        go_on.set()
        await recount
        assert memory.stats().messages == 4


async def test_counting_that_takes_long_keeps_nobody_waiting(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lobug.memory.counting.PATIENCE_S", 0.01)
    async with started(Kit(path)) as memory:
        await exchange(memory, "I keep nine hens")
    go_on = threading.Event()

    def wait(name: str) -> None:
        if name == "recount.counted":
            assert go_on.wait(PATIENCE_S)

    async with started(Kit(path, checkpoint=wait)) as memory:
        assert not memory.stats().counted
        await memory.purge(MemoryScope(ADA.user, None), Purge(user=True))
        assert not memory.stats().counted
        go_on.set()
        await memory.process_due()
        assert memory.stats().counted
        assert (memory.stats().messages, memory.stats().users) == (0, 0)


@pytest.mark.usefixtures("path")
async def test_the_tables_are_made_once_by_servers_that_start_together() -> None:
    url = postgres.server().database("test_together")
    servers = [
        PostgresDatabase(PostgresOptions(url, schema="made"), clock=lambda: NOW) for _ in range(4)
    ]
    await asyncio.gather(*(one.open(lambda _: None) for one in servers))
    versions = [
        await one.read(lambda c: run(c, "SELECT version FROM schema_version").scalars())
        for one in servers
    ]
    assert versions == [[len(STEPS["lobug_memory"])]] * 4
    await close(*servers)


@contextmanager
def locked(url: str, schema: str) -> Iterator[None]:
    """Hold the lock of everybody, as a server does that writes or migrates and does not end."""
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("SELECT pg_advisory_lock(%s, %s)", (lock_class(schema), EVERYBODY))
        yield


@pytest.mark.parametrize("schema", ["lobug_memory", "not_made_yet"])
async def test_opening_does_not_wait_without_end(
    path: Path, monkeypatch: pytest.MonkeyPatch, schema: str
) -> None:
    monkeypatch.setattr("lobug.storage.postgres.migration.MIGRATION_PATIENCE_S", 0.2)
    options = PostgresOptions(url_of(path), schema=schema, patience_s=0.2)
    database = PostgresDatabase(options, clock=lambda: NOW)
    with locked(url_of(path), schema), pytest.raises(StorageBusyError):
        await database.open(lambda _: None)
    await database.open(lambda _: None)
    await close(database)


async def test_a_current_schema_is_opened_while_another_server_migrates_or_writes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until its first transaction, which waits as every write does."""
    database = server_of(path)
    freed = threading.Event()
    counted = database._count_foreign

    def count(failures: int) -> tuple[int, int]:
        freed.set()
        return counted(failures)

    monkeypatch.setattr(database, "_count_foreign", count)
    with locked(url_of(path), "lobug_memory"):
        opening = asyncio.ensure_future(database.open(lambda _: None))
        assert await asyncio.to_thread(freed.wait, PATIENCE_S)
        assert not opening.done()
    await opening
    await close(database)


@pytest.mark.usefixtures("path")
async def test_pgvector_may_be_in_a_schema_of_its_own(tmp_path: Path) -> None:
    url = postgres.server().database("test_elsewhere")
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute('CREATE SCHEMA "Their extensions"')
        raw.execute('CREATE EXTENSION vector SCHEMA "Their extensions"')
    async with started(Kit(tmp_path / "unused", place=DatabasePlace(url))) as memory:
        await exchange(memory, "I keep hens.")
        await memory.process_due()
        assert await memory.search(MemoryScope("ada", None), "hens", Filter(), limit=5)
    with psycopg.connect(url) as raw:
        row = raw.execute("SELECT count(*) FROM lobug_memory.memory_facts").fetchone()
    assert row == (1,)
    found = await asyncio.to_thread(inspect, url, ("lobug_memory",), patience_s=PATIENCE_S)
    assert (found.vectors, found.versions) == (
        "there",
        {"lobug_memory": len(STEPS["lobug_memory"])},
    )


@pytest.mark.usefixtures("path")
async def test_only_memory_needs_pgvector(tmp_path: Path) -> None:
    url = postgres.server().database("test_without_vectors")
    for name in DECLARED:
        if name != "memory":
            place = DatabasePlace(url)
            database = place.database(name, DatabaseOptions(tmp_path), clock=lambda: NOW)
            await database.open(lambda _: None)
            await database.close()
    with psycopg.connect(url) as raw:
        assert raw.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone() is None


async def test_settings_of_the_database_neither_break_it_off_nor_lose_what_was_promised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = started_server(
        fsync="off",
        synchronous_commit="off",
        statement_timeout="60s",
        listen_addresses="127.0.0.1",
        port=str(free_port()),
    )
    limits: list[str] = []

    def look(connection: Connection) -> None:
        limits.extend(connection.execute("SHOW statement_timeout").fetchone())

    try:
        server.database("strict")
        url = f"postgresql://lobug@127.0.0.1:{server.settings['port']}/strict"
        options = PostgresOptions(url, steps=(*STEPS["lobug_memory"], look))
        database = PostgresDatabase(options, clock=lambda: NOW)
        await database.open(lambda _: None)
        assert limits == ["0"]
        shown = await database.read(
            lambda c: run(
                c,
                "SELECT concat_ws(' ', current_setting('synchronous_commit'),"
                " current_setting('tcp_keepalives_idle'),"
                " current_setting('tcp_keepalives_interval'),"
                " current_setting('tcp_keepalives_count'), current_setting('statement_timeout'))",
            ).scalar()
        )
        assert shown == "on 10 5 3 1min"
        found = await asyncio.to_thread(inspect, url, ("lobug_memory",), patience_s=PATIENCE_S)
        assert not found.exposed
        with psycopg.connect(url) as raw:
            assert not _encrypted(raw)
        connect_once = database._own_connection

        def watched() -> psycopg.Connection[Any]:
            raw = connect_once()
            execute = raw.execute

            def watch(statement: Any, *parameters: Any) -> Any:
                if "VACUUM" in str(statement):
                    limits.extend(execute("SHOW statement_timeout").fetchone() or ())
                return execute(statement, *parameters)

            monkeypatch.setattr(raw, "execute", watch)
            return raw

        monkeypatch.setattr(database, "_own_connection", watched)
        limits.clear()
        await database.vacuum()
        assert set(limits) == {"0"}
        await close(database)
    finally:
        await asyncio.to_thread(server.stop)


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        ("SELECT 1 / 0", "DivisionByZero"),
        ("SELECT pg_terminate_backend(pg_backend_pid())", "cannot be reached"),
    ],
)
async def test_a_migration_that_fails_halfway_leaves_nothing(
    path: Path, failure: str, said: str
) -> None:
    """The program of before goes on. Of several steps those before the failure are done, and a
    program that is mended goes on from there."""

    def with_steps(*steps: Callable[[Connection], None]) -> PostgresDatabase:
        options = PostgresOptions(url_of(path), steps=(*STEPS["lobug_memory"], *steps))
        return PostgresDatabase(options, clock=lambda: NOW)

    def fails(connection: Connection) -> None:
        connection.execute("DELETE FROM turn_owners")
        connection.execute("CREATE TABLE half (id bigint)")
        connection.execute(failure)

    def added(connection: Connection) -> None:
        connection.execute("CREATE TABLE added (id bigint)")

    def found(connection: Connection) -> object:
        query = (
            "SELECT concat_ws(' ', to_regclass('half')::text, to_regclass('added')::text,"
            ' (SELECT min("user") FROM turn_owners))'
        )
        return run(connection, query).scalar()

    async def refuses(broken: PostgresDatabase) -> None:
        with pytest.raises(StorageError, match=said):
            await broken.open(lambda _: None)
        assert broken.fault is not None

    database = server_of(path)
    await database.open(lambda c: run(c, "INSERT INTO turn_owners (\"user\") VALUES ('ada')"))
    await close(database)
    await refuses(with_steps(fails))
    await database.open(lambda _: None)
    assert await database.read(found) == "ada"
    await close(database)
    await refuses(with_steps(added, fails))
    mended = with_steps(added, lambda _: None)
    await mended.open(lambda _: None)
    assert await mended.read(found) == "added ada"
    await close(mended)


@pytest.mark.usefixtures("path")
async def test_words_of_turns_of_an_earlier_version_are_kept_together() -> None:
    url = postgres.server().database("test_of_version_3")
    steps = STEPS["lobug_memory"]
    before = PostgresDatabase(PostgresOptions(url, steps=steps[:3]), clock=lambda: NOW)
    await before.open(lambda _: None)
    await before.write(
        "fill",
        lambda connection: connection.execute(
            'INSERT INTO conversation_log ("user", conversation, role, content, created_at)'
            " SELECT 'ada', 'a', 'user', 'tea', 1.0 FROM generate_series(1, 131);"
            "INSERT INTO turn_words (id, word, stem, uses) VALUES (4, 'tea', 'tea', 1),"
            " (5, 'pot', 'pot', 1);"
            "UPDATE turn_index SET words = '[4,5,4]' WHERE message_id <= 130;"
            "UPDATE turn_index SET words = '[4]' WHERE message_id = 1"
        ),
    )
    await close(before)
    now = PostgresDatabase(PostgresOptions(url), clock=lambda: NOW)
    await now.open(lambda _: None)
    found = await now.read(
        lambda connection: run(
            connection,
            "SELECT word_id, block, uses, turns[1:1], turns[cardinality(turns):] FROM turn_postings"
            " ORDER BY word_id, block",
        ).all()
    )
    await close(now)

    def posting(message_id: int, words: int) -> list[int]:
        return [message_id * 65_536 + words]

    assert found == [
        (4, 0, 255, posting(1, 1), posting(128, 3)),
        (4, 1, 4, posting(129, 3), posting(130, 3)),
        (5, 0, 128, posting(2, 3), posting(129, 3)),
        (5, 1, 1, posting(130, 3), posting(130, 3)),
    ]


@pytest.mark.usefixtures("path")
async def test_words_of_entries_of_an_earlier_version_are_found() -> None:
    url = postgres.server().database("test_of_version_5")
    steps = STEPS["lobug_memory"]
    before = PostgresDatabase(PostgresOptions(url, steps=steps[:5]), clock=lambda: NOW)
    long = "".join(random.Random(7).choices("0123456789abcdef", k=2_000))
    words = [
        "hens",
        "na\u00efve \u201cowls\u201d",
        "stra\u00dfe",
        "\u043c\u043e\u0441\u043a\u0432\u0430",
        "\u6771\u4eac",
        long,
        "x" * 9_000,
    ]

    def fill(connection: Connection) -> None:
        for number, word in enumerate(words, start=1):
            run(
                connection,
                'INSERT INTO memories ("user", told_by, layer, category, key, content, source,'
                " said_at, created_at, updated_at, valid_from) VALUES ('ada', 'ada', 'knowledge',"
                " 'knowledge', :key, :content, 'user', 1, 1, 1, 1)",
                key=f"entry_{number}",
                content=f"This is about {word}, and geese",
            )

    def rows(connection: Connection) -> list[str]:
        return run(connection, "SELECT ctid::text FROM memory_tokens ORDER BY memory_id").scalars()

    async def holders(asked: str) -> set[int]:
        return set(await now.read(lambda connection: word_scores(connection, ["ada"], [asked])))

    await before.open(lambda _: None)
    await before.write("fill", fill)
    were = await before.read(rows)
    await close(before)
    now = PostgresDatabase(PostgresOptions(url), clock=lambda: NOW)
    await now.open(lambda _: None)
    for number, word in enumerate(words, start=1):
        assert await holders(word) == {number}
    assert await holders("geese") == set(range(1, len(words) + 1))
    are = await now.read(rows)
    unchanged = [word for word, one, other in zip(words, were, are, strict=True) if one == other]
    assert unchanged == ["hens", "na\u00efve \u201cowls\u201d"]
    await close(now)


async def test_a_database_of_a_newer_program_is_refused(path: Path) -> None:
    with opened(path) as connection:
        connection.execute("UPDATE schema_version SET version = 99")
    with pytest.raises(StorageNewerError, match="newer Lo-Bug"):
        await server_of(path).open(lambda _: None)


async def test_a_server_that_is_not_there_is_said_without_its_password() -> None:
    url = "postgresql://ada:geheim@127.0.0.1:9/memory"
    database = PostgresDatabase(PostgresOptions(url), clock=lambda: NOW)
    with pytest.raises(StorageError) as raised:
        await database.open(lambda _: None)
    assert "127.0.0.1" in str(raised.value)
    assert "geheim" not in str(raised.value)
    assert "geheim" not in database.place
    with pytest.raises(StorageError):
        await database.read(lambda c: run(c, "SELECT 1").scalar())


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:p%zz@127.0.0.1/memory",
        "postgresql://ada:pa@zz@127.0.0.1/memory",
        "postgresql://ada:pa/zz@127.0.0.1/memory",
        "postgresql://ada:12/pazz@127.0.0.1/memory",
        "postgresql://ada:/zz@127.0.0.1/memory",
        "postgresql://ada:p@ss/zz@127.0.0.1/memory",
        "postgresql://ada:12\ud800zz@127.0.0.1/memory",
    ],
)
async def test_an_address_that_cannot_be_read_is_not_shown(url: str) -> None:
    database = PostgresDatabase(PostgresOptions(url), clock=lambda: NOW)
    with pytest.raises(StorageError, match="cannot be read") as raised:
        await database.open(lambda _: None)
    assert "zz" not in str(raised.value) + database.place


@pytest.mark.parametrize(
    ("address", "hosts"),
    [
        ("//a/n", [("a", None, None)]),
        ("//a:1,b/n", [("a", None, "1"), ("b", None, None)]),
        ("//a,b/n?port=7", [("a", None, "7"), ("b", None, "7")]),
        ("///n?hostaddr=::1,127.0.0.1", [(None, "::1", None), (None, "127.0.0.1", None)]),
        ("//a,a/n?hostaddr=::1,::2", [("a", "::1", None), ("a", "::2", None)]),
        ("///n?host=/x,/y&port=1,2", [("/x", None, "1"), ("/y", None, "2")]),
        ("//a,b,c/n?port=1,2", [("a,b,c", None, "1,2")]),
        ("//a,b/n?target_session_attrs=any", [("a,b", None, ",")]),
        ("//a,b/n?load_balance_hosts=random", [("a,b", None, ",")]),
    ],
)
def test_hosts_are_asked_one_by_one_where_one_of_them_is_the_primary(
    address: str, hosts: list[tuple[str | None, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[tuple[str | None, ...]]()

    def away(**options: str | None) -> None:
        asked.append(tuple(options.get(name) for name in ("host", "hostaddr", "port")))
        raise psycopg.OperationalError("nobody answers")

    monkeypatch.setattr(psycopg.Connection, "connect", away)
    with pytest.raises(psycopg.OperationalError, match="nobody answers"):
        Address.of(f"postgresql:{address}").connect(PATIENCE_S)
    assert asked == hosts


# Mostly of what an address is made of.
@given(st.text(st.sampled_from("@/:?#&=%[],19az") | st.characters(), min_size=4))
@example("12/abSECRET")
@example("12?dbname=SECRET&user=x")
@example("a@SECRET?user=")
@example("1234\0")
def test_no_password_is_part_of_what_is_shown(password: str) -> None:
    shown = Address.of(f"postgresql://u:{password}@h/n").place
    assert shown in {"postgresql://", "postgresql://h/n"}


async def test_what_is_under_way_is_finished_before_it_closes(path: Path) -> None:
    (database,) = await opened_by(path, 1)
    writes = [asyncio.ensure_future(database.write("one", lambda _: None)) for _ in range(30)]
    await asyncio.sleep(0)
    await database.close()
    assert await asyncio.gather(*writes) == [None] * 30


async def connections_of(path: Path) -> int:
    """How many servers of PostgreSQL work for Lo-Bug in a database."""
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND application_name = 'lobug'"
    )
    with opened(path) as connection:
        name = run(connection, "SELECT current_database()").scalar()
        return int(connection.execute(query, (name,)).fetchone()[0])


async def test_it_is_opened_once_however_many_ask_and_closed_whoever_opens(path: Path) -> None:
    before = set(threading.enumerate())
    database = server_of(path)
    calls: list[None] = []

    def first(_: Connection) -> str:
        calls.append(None)
        return "opened"

    assert await asyncio.gather(*(database.open(first) for _ in range(3))) == ["opened", None, None]
    assert len(calls) == 1
    await database.close()
    opening = asyncio.ensure_future(database.open(first))
    await asyncio.sleep(0)
    await asyncio.gather(database.close(), database.close())
    assert await opening == "opened"
    assert not database.is_open

    async def all_gone() -> bool:  # PostgreSQL takes a moment to notice
        return await connections_of(path) == 0

    await until(all_gone)
    left = set(threading.enumerate()) - before
    assert not [thread.name for thread in left if thread.name.startswith("lobug_memory-")]


async def test_work_aside_is_called_off_even_where_postgresql_does_not_hear_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (database,) = await opened_by(path, 1)
    begun, go_on = threading.Event(), threading.Event()

    def work(_: Connection) -> None:
        begun.set()
        assert go_on.wait(PATIENCE_S)

    def fails(_: psycopg.Connection[Any]) -> None:
        go_on.set()
        raise psycopg.OperationalError("gone")

    monkeypatch.setattr(psycopg.Connection, "cancel_safe", fails)
    reading = asyncio.ensure_future(database.aside(work))
    await asyncio.to_thread(begun.wait, PATIENCE_S)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await close(database)


async def test_what_is_read_aside_is_of_one_state_and_changes_nothing(path: Path) -> None:
    one, other = await opened_by(path, 2)
    begun, go_on = threading.Event(), threading.Event()

    def count(connection: Connection) -> tuple[int, int]:
        first = run(connection, "SELECT count(*) FROM turn_owners").scalar()
        begun.set()
        assert go_on.wait(PATIENCE_S)
        return first, run(connection, "SELECT count(*) FROM turn_owners").scalar()

    reading = asyncio.ensure_future(one.aside(count))
    await asyncio.to_thread(begun.wait, PATIENCE_S)
    await other.write(
        "make", lambda c: run(c, "INSERT INTO turn_owners (\"user\") VALUES ('ada')") and None
    )
    go_on.set()
    assert await reading == (0, 0)
    with pytest.raises(StorageReadOnlyError):
        await one.aside(lambda c: run(c, "DELETE FROM turn_owners"))
    await close(one, other)


async def test_a_restarted_server_fails_nothing_that_comes_after(
    durable: PostgresServer,
) -> None:
    database = PostgresDatabase(
        PostgresOptions(durable.database("again"), patience_s=PATIENCE_S), clock=lambda: NOW
    )
    await database.open(lambda _: None)
    await asyncio.gather(*(database.read(lambda c: run(c, "SELECT 1").scalar()) for _ in range(9)))
    with pytest.raises(StorageError, match="cannot be reached"):
        await database.write("stopped", lambda _: durable.stop())  # its end has no answer
    await asyncio.to_thread(durable.start)
    for _ in range(9):
        assert await database.read(lambda c: run(c, "SELECT 1").scalar()) == 1
    await close(database)


@pytest.mark.parametrize("what", ["read", "write", "changed_by_others"])
async def test_what_queues_up_while_it_is_away_waits_for_one_attempt(
    path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    options = PostgresOptions(url_of(path), connections=2, patience_s=PATIENCE_S)
    database = PostgresDatabase(options, clock=lambda: NOW)
    await database.open(lambda _: None)
    attempts, go_on = [0], threading.Event()

    def away(*_: object, **__: object) -> None:
        attempts[0] += 1
        assert go_on.wait(PATIENCE_S)
        raise psycopg.OperationalError("nobody answers")

    def ask() -> Awaitable[object]:
        if what == "changed_by_others":
            return changed(database)
        return (
            database.read(lambda _: None) if what == "read" else database.write("w", lambda _: None)
        )

    connections = database._connections
    assert connections is not None
    connections._drop()
    with monkeypatch.context() as patched:
        patched.setattr(psycopg.Connection, "connect", away)
        asked = [asyncio.ensure_future(ask()) for _ in range(9)]
        await asyncio.sleep(0)
        go_on.set()
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert {str(one) for one in answers} == {str(answers[0])}
        assert "nobody answers" in str(answers[0])
        assert attempts == [1]
        with pytest.raises(StorageError):
            await ask()
        assert attempts == [2], "what asks later tries again"
    await ask()
    await close(database)


async def test_a_standby_is_not_used_unless_the_address_says_so(durable: PostgresServer) -> None:
    url = durable.database("followed")
    await asyncio.to_thread(durable.stop)
    signal_file = durable.data / "standby.signal"
    await asyncio.to_thread(signal_file.touch)
    await asyncio.to_thread(durable.start)
    with pytest.raises(psycopg.OperationalError, match="standby"):
        Address.of(url).connect(PATIENCE_S)
    with Address.of(f"{url}&target_session_attrs=any").connect(PATIENCE_S) as raw:
        assert raw.execute("SELECT pg_is_in_recovery()").fetchone() == (True,)


async def test_a_database_that_may_only_be_read_says_so(path: Path) -> None:
    database = server_of(path)
    await database.open(lambda _: None)
    with opened(path) as connection:
        name = run(connection, "SELECT current_database()").scalar()
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with pytest.raises(StorageReadOnlyError):
        await database.check()
    assert isinstance(database.fault, StorageReadOnlyError)
    assert await database.read(lambda c: run(c, "SELECT 1").scalar()) == 1
    await close(database)


async def test_a_write_that_waits_too_long_for_another_server_is_refused(path: Path) -> None:
    (one,) = await opened_by(path, 1)
    other = PostgresDatabase(PostgresOptions(url_of(path), patience_s=0.3), clock=lambda: NOW)
    await other.open(lambda _: None)
    begun, go_on = threading.Event(), threading.Event()

    def hold(_: Connection) -> bool:
        begun.set()
        return go_on.wait(PATIENCE_S)

    try:
        holder = asyncio.ensure_future(one.write("hold", hold, of="ada"))
        await asyncio.to_thread(begun.wait, PATIENCE_S)
        with pytest.raises(StorageBusyError):
            await other.write("wait", lambda _: None, of="ada")
        assert await other.read(lambda c: run(c, "SELECT 1").scalar()) == 1
    finally:
        go_on.set()
    assert await holder
    await other.write("again", lambda _: None, of="ada")
    assert other.fault is None
    await close(one, other)


async def test_a_text_with_the_character_nul_is_kept(path: Path) -> None:
    async with started(Kit(path)) as memory:
        await memory.log_user_message(ADA, "be\x00fore")
        (said,) = await memory.recent_messages(ADA, 9)
    assert said.content == "be\ufffdfore"


async def test_words_stand_in_no_error(path: Path) -> None:
    database = server_of(path)
    await database.open(lambda _: None)
    with pytest.raises(StorageError) as raised:
        await database.write(
            "wrong",
            lambda c: run(
                c,
                'INSERT INTO projects ("user", name, status, created_at)'
                " VALUES ('ada', :name, 'secret words', 1)",
                name="secret words",
            ),
        )
    assert "secret" not in str(raised.value)
    await close(database)


@pytest.mark.parametrize(
    "statement",
    [
        # More than an index takes, what a rule of the table forbids, a number that is none.
        """INSERT INTO projects ("user", name, created_at)
        SELECT 'ada', string_agg(CAST(random() AS text), ''), 1 FROM generate_series(1, 999)""",
        """INSERT INTO projects ("user", name, status, created_at) VALUES ('ada', 'a', 'x', 1)""",
        "SELECT CAST(current_database() AS bigint)",
    ],
)
async def test_a_database_that_does_not_take_something_is_not_said_to_be_away(
    path: Path, statement: str
) -> None:
    (database,) = await opened_by(path, 1)
    with pytest.raises(StorageRefusedError, match="does not take") as raised:
        await database.write("wrong", lambda c: run(c, statement) and None)
    assert "reached" not in str(raised.value)
    await database.write("right", lambda _: None)
    assert database.fault is None
    await close(database)


async def test_nothing_of_what_was_forgotten_is_in_the_tables(path: Path) -> None:
    kit = Kit(path)
    async with started(kit) as memory:
        for number in range(20):
            await exchange(memory, f"I keep {number} hens.")
        await exchange(memory, "I like Zanzibarix.")
        await memory.process_due()
        await memory.forget_text(MemoryScope("ada", "ada-desk"), "Zanzibarix")
        await memory.compact()
    with opened(path) as connection:
        (name,) = (run(connection, "SELECT current_database()").scalar(),)
        assert isinstance(connection, PostgresConnection)
        connection.execute("CHECKPOINT")
        (number,) = connection.execute(
            "SELECT oid FROM pg_database WHERE datname = %s", (name,)
        ).fetchone()
    folder = postgres.server().data / "base" / str(number)
    held = [file for file in folder.iterdir() if b"zanzibarix" in file.read_bytes().lower()]
    assert held == []


async def make_schemas(path: Path) -> None:
    """Make all schemas in the database that stands for a file."""
    for name in DECLARED:
        place = DatabasePlace(url_of(path))
        database = place.database(name, DatabaseOptions(path), clock=lambda: NOW)
        await database.open(lambda _: None)
        await database.close()


MADE = {
    "columns": """
        SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
               pg_get_expr(d.adbin, d.adrelid), l.collname
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
        LEFT JOIN pg_collation l ON l.oid = a.attcollation
        WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped""",
    "conditions": """
        SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = to_regclass(%s)""",
    "indexes": """
        SELECT replace(pg_get_indexdef(indexrelid), current_schema() || '.', '')
        FROM pg_index WHERE indrelid = to_regclass(%s)""",
}
"""What makes up a table. The order of its columns is not part of it: later ones stand last."""


def made(connection: Connection, search_path: str, table: str) -> dict[str, set[Any]]:
    connection.execute(f"SET search_path = {search_path}")
    return {
        what: set(connection.execute(query, (table,)).fetchall()) for what, query in MADE.items()
    }


@pytest.mark.parametrize("name", DECLARED)
async def test_the_steps_make_the_tables_that_are_declared(path: Path, name: str) -> None:
    await make_schemas(path)
    tables = DECLARED[name]
    with opened(path) as connection:
        connection.execute("CREATE SCHEMA declared")
        connection.execute(f"SET search_path = declared, lobug_{name}")
        create_tables(connection, tables)
        for table in tables.tables:
            there = made(connection, f"declared, lobug_{name}", table)
            assert there["columns"]
            assert made(connection, f"lobug_{name}", table) == there, table
        known = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = %s::regnamespace",
            (f"lobug_{name}",),
        ).fetchall()
    others = {table for (table,) in known} - set(tables.tables) - {"schema_version", "written"}
    # Written by hand: what PostgreSQL has in place of SQLite's text indexes.
    assert others == ({"memory_tokens", "turn_postings"} if name == "memory" else set())


UNINDEXED = """
SELECT c.conrelid::regclass || '.' || a.attname FROM pg_constraint c
JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
WHERE c.contype = 'f' AND NOT EXISTS (
    SELECT 1 FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1]
    AND coalesce(pg_get_expr(i.indpred, i.indrelid), '') IN
        ('', format('(%I IS NOT NULL)', a.attname)))
"""
"""Columns that hold numbers of another table, without an index to find them by."""


async def test_nothing_that_is_deleted_makes_postgresql_read_a_whole_table(path: Path) -> None:
    await make_schemas(path)
    with opened(path) as connection:
        unindexed = {column for (column,) in connection.execute(UNINDEXED).fetchall()}
    # A set of vectors is deleted once after a change of the embedding model, and little waits to be
    # said.
    assert unindexed == {"turn_word_vectors.set_id", "lobug_agenda.waiting_speech.alert_id"}


OF_THE_INDEX = """
SELECT (SELECT array_agg(word ORDER BY word) FROM turn_words),
       (SELECT count(*) FROM turn_owners), (SELECT count(*) FROM turn_index),
       (SELECT count(*) FROM turn_vectors), (SELECT count(*) FROM turn_codes),
       (SELECT count(*) FROM turn_postings), (SELECT sum(uses) FROM turn_postings),
       (SELECT count(*) FROM turn_word_vectors)
"""


async def test_of_somebody_who_is_forgotten_nothing_stays_in_the_index(path: Path) -> None:
    async with started(Kit(path)) as memory:
        await exchange(memory, "My neighbour keeps hens.", conversation_key=BOB)
        await memory.process_due()
        with opened(path) as connection:
            before = connection.execute(OF_THE_INDEX).fetchone()
        for said in ("I keep hens and geese.", "The geese are loud.", "The hens are not."):
            await exchange(memory, said)
        await memory.process_due()
        await memory.purge(MemoryScope(ADA.user, None), Purge(user=True))
        with opened(path) as connection:
            assert connection.execute(OF_THE_INDEX).fetchone() == before
        hits = await memory.search(MemoryScope(BOB.user, None), "hens", Filter(), turns=True)
        assert "My neighbour keeps hens." in [hit.content for hit in hits if hit.kind == "turn"]


HARMLESS = re.compile(
    # who, where, and what kind: names that Lo-Bug gives
    r".*\.(user|told_by|conversation|kind|status|state|role|source|layer|category|scope|reason"
    r"|fact_type|channel|relation|reader|model_id)"
    # numbers: of words, of what a score consists of; what is left of erased words
    r"|turn_index\.words|recall_hits\.parts|tombstones\.(salt|digest)"
    r"|vector_indexes\.name|written\.server"
)
"""Columns with no words of anybody's, of which PostgreSQL may keep samples."""

SAMPLED = """
SELECT c.relname || '.' || a.attname, a.attstattarget
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_index i ON i.indexrelid = c.oid
WHERE (c.relkind = 'r' OR i.indkey[a.attnum - 1] = 0)  -- 0: it is computed
AND n.nspname LIKE 'lobug\\_%%' AND a.attnum > 0 AND NOT a.attisdropped
AND format_type(a.atttypid, NULL) NOT IN
    ('bigint', 'integer', 'smallint', 'double precision', 'boolean')
"""


async def test_no_words_are_kept_as_samples_for_the_planner(path: Path) -> None:
    async with started(Kit(path)) as memory:
        await exchange(memory, "I keep hens.")
        await memory.process_due()
    await make_schemas(path)
    with opened(path) as connection:
        kept = dict(connection.execute(SAMPLED).fetchall())
    sampled = {column for column, target in kept.items() if target != 0}
    assert {column for column in sampled if not HARMLESS.fullmatch(column)} == set()
    assert {
        "memory_facts.embedding",
        "memories_once.digest_of",
        "outbox.content",
        "devices.name",
        "notes.content",
    } <= set(kept)


async def test_writes_go_on_while_it_is_compacted_and_a_turn_can_stop_that(path: Path) -> None:
    (database,) = await opened_by(path, 1)
    with psycopg.connect(url_of(path)) as raw:
        raw.execute("LOCK TABLE lobug_memory.memories IN ACCESS SHARE MODE")  # it waits for that
        compacting = asyncio.ensure_future(database.vacuum())

        async def waits() -> bool:
            query = (
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"
            )
            return bool(await database.read(lambda c: run(c, query).scalar()))

        await until(waits)
        await database.write("meanwhile", lambda _: None)
        compacting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await compacting
        assert not await waits()
    assert database.fault is None
    await database.vacuum()
    await close(database)


async def test_a_large_table_is_not_rewritten_and_can_be_used_meanwhile(path: Path) -> None:
    options = PostgresOptions(url_of(path), patience_s=PATIENCE_S, rewrite_bytes=16_384)
    database = PostgresDatabase(options, clock=lambda: NOW)
    await database.open(lambda _: None)

    def fill(connection: Connection) -> None:
        run(
            connection,
            "INSERT INTO turn_owners (\"user\") SELECT 'user ' || n FROM generate_series(1, 900) n",
        )

    await database.write("fill", fill)
    await database.write("erase", lambda c: run(c, "DELETE FROM turn_owners WHERE id % 3 > 0"))
    kept = "SELECT CAST(relfilenode AS text) FROM pg_class WHERE oid = CAST(:name AS regclass)"

    def files(connection: Connection) -> tuple[str, str]:
        small, large = (
            run(connection, kept, name=f"lobug_memory.{name}").scalar()
            for name in ("sessions", "turn_owners")
        )
        return small, large

    before = await database.read(files)
    await database.vacuum()
    after = await database.read(files)
    assert before[0] != after[0], "the small one is rewritten"
    assert before[1] == after[1]
    with psycopg.connect(url_of(path), autocommit=True) as raw:
        raw.execute("SELECT pg_stat_force_next_flush()")
        (dead,) = raw.execute(
            "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'turn_owners'"
            " AND schemaname = 'lobug_memory'"
        ).fetchone() or (None,)
    assert dead == 0, "the rows that were deleted are gone from the large one too"
    await close(database)


async def test_tables_of_another_owner_are_named_and_the_others_are_compacted(path: Path) -> None:
    (database,) = await opened_by(path, 1)
    with opened(path) as connection:
        connection.execute(
            "DROP ROLE IF EXISTS tenant; CREATE ROLE tenant LOGIN;"
            "GRANT ALL ON SCHEMA lobug_memory TO tenant;"
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA lobug_memory TO tenant;"
            "ALTER TABLE sessions OWNER TO tenant"
        )
        kept = "SELECT CAST(relfilenode AS text) FROM pg_class WHERE relname = :name"
        before = [run(connection, kept, name=n).scalar() for n in ("sessions", "memories")]
    tenant = PostgresDatabase(
        PostgresOptions(url_of(path).replace("lobug@", "tenant@"), patience_s=PATIENCE_S),
        clock=lambda: NOW,
    )
    await tenant.open(lambda _: None)
    with pytest.raises(StorageReadOnlyError, match=r"may not rewrite .*memories"):
        await tenant.vacuum()
    with opened(path) as connection:
        after = [run(connection, kept, name=n).scalar() for n in ("sessions", "memories")]
    assert before[0] != after[0]
    assert before[1] == after[1]
    await close(database, tenant)
    with opened(path) as connection:
        connection.execute("DROP OWNED BY tenant CASCADE; DROP ROLE tenant")


async def test_acknowledged_words_survive_the_kill_of_postgresql(durable: PostgresServer) -> None:
    url = durable.database("words")
    memory = Kit(Path("unused"), place=DatabasePlace(url)).memory()
    await memory.start(work=False)
    acknowledged: list[str] = []
    speakers = [ConversationKey(name, "desk") for name in ("ada", "bob", "eve")]

    async def talk(key: ConversationKey) -> None:
        for number in range(200):
            said = f"{key.user} said {number}"
            try:
                await memory.log_user_message(key, said)
            except StorageError:
                return
            acknowledged.append(said)
            if len(acknowledged) == 40:
                await asyncio.to_thread(durable.stop, signal.SIGKILL)

    await asyncio.gather(*(talk(key) for key in speakers))
    assert len(acknowledged) >= 40
    with pytest.raises(StorageError):
        await memory.log_user_message(ADA, "Nobody hears this.")
    await asyncio.to_thread(durable.start)
    for _ in range(600):
        try:
            await memory.log_user_message(ADA, "It goes on.")
            break
        except StorageError:
            await asyncio.sleep(0.1)
    else:
        pytest.fail("it never found the database again")
    await memory.close()
    with psycopg.connect(url, options="-c search_path=lobug_memory") as raw:
        kept = {row[0] for row in raw.execute("SELECT content FROM conversation_log").fetchall()}
    assert set(acknowledged) | {"It goes on."} <= kept
    assert not [said for said in kept if not re.fullmatch(r"\w+ said \d+|It goes on\.", said)]
