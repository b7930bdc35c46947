"""Turns of different people are written side by side in PostgreSQL, and nothing is missed by it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from lobug.errors import StorageError
from lobug.memory import embedding, log, turns
from lobug.memory.model import ConversationKey
from lobug.memory.service import Memory
from lobug.storage.connection import Connection
from lobug.storage.postgres.database import PostgresDatabase, PostgresOptions
from lobug.storage.statements import run
from support import postgres
from support.faults import until
from support.foreign_writes import changed
from support.memory_kit import ADA, BOB, Kit, exchange, recalled, started
from support.patience import PATIENCE_S


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """The name of a database of its own."""
    with postgres.in_use():
        yield tmp_path / "memory.db"


@asynccontextmanager
async def opened(path: Path, connections: int = 8) -> AsyncIterator[PostgresDatabase]:
    url = postgres.place_of(path).url
    assert url is not None
    options = PostgresOptions(url, connections=connections, patience_s=PATIENCE_S)
    database = PostgresDatabase(options, clock=lambda: 1.0)
    await database.open(lambda _: None)
    try:
        yield database
    finally:
        await database.close()


class Held:
    """A write that has done its work and is not committed yet."""

    def __init__(self) -> None:
        self._begun, self._go_on = threading.Event(), threading.Event()
        self._task: asyncio.Task[object] | None = None

    async def begin(
        self, database: PostgresDatabase, work: Callable[[Connection], object], of: str | None
    ) -> None:
        def held(connection: Connection) -> object:
            result = work(connection)
            self._begun.set()
            assert self._go_on.wait(PATIENCE_S)
            return result

        self._task = asyncio.ensure_future(database.write("held", held, of=of))
        assert await asyncio.to_thread(self._begun.wait, PATIENCE_S)

    async def commit(self) -> None:
        self._go_on.set()
        assert self._task is not None
        await self._task


async def test_people_of_one_server_do_not_wait_for_each_other(path: Path) -> None:
    async with opened(path) as database:
        slow = Held()
        await slow.begin(database, lambda _: None, "ada")
        await database.write("quick", lambda _: None, of="bob")
        await slow.commit()


async def test_own_writes_are_never_taken_for_those_of_others(path: Path) -> None:
    async with opened(path) as database:
        await changed(database)
        slow = Held()
        await slow.begin(database, lambda _: None, "ada")
        found: list[bool] = []

        async def look() -> None:
            found.extend([await changed(database) for _ in range(20)])

        await asyncio.gather(
            look(), *(database.write("own", lambda _: None, of=f"p{n}") for n in range(40))
        )
        await slow.commit()
        assert not any([*found, await changed(database)])
        async with opened(path) as other:
            await other.write("foreign", lambda _: None, of="ada")
        assert await changed(database)
        assert not await changed(database)


async def test_a_commit_that_fails_is_taken_for_a_change_once(path: Path) -> None:
    def broken(connection: Connection) -> None:
        run(connection, "CREATE TABLE child (id bigint REFERENCES turn_words (id)"
            " DEFERRABLE INITIALLY DEFERRED)")  # fmt: skip
        run(connection, "INSERT INTO child VALUES (1)")

    async with opened(path) as database:
        await database.write("whole", lambda _: None, of="ada")
        await changed(database)
        with pytest.raises(StorageError):
            await database.write("broken", broken, of="ada")
        assert await changed(database), "nobody knows whether it was committed"
        assert not await changed(database)
        await database.write("whole", lambda _: None, of="ada")
        assert not await changed(database)


async def test_a_commit_that_is_lost_is_noticed_beside_others(path: Path) -> None:
    """As in a crash, in which one is lost that was answered, and others go on."""
    async with opened(path) as database:
        await database.write("embed", lambda _: None)
        await changed(database)
        with postgres.opened(path) as connection:
            connection.execute("UPDATE written SET writes = writes - 1 WHERE writes > 0")
        async with opened(path) as other:
            await other.write("foreign", lambda _: None)
        assert await changed(database)
        assert not await changed(database)


async def test_a_turn_waits_as_long_as_this_servers_own_write_lasts(path: Path) -> None:
    """Longer than for another server's: an import takes minutes."""
    url = postgres.place_of(path).url
    assert url is not None
    options = PostgresOptions(url, connections=8, patience_s=0.2)
    database = PostgresDatabase(options, clock=lambda: 1.0)
    await database.open(lambda _: None)
    long = Held()
    await long.begin(database, lambda _: None, None)
    turn = asyncio.ensure_future(database.write("log", lambda _: None, of="ada"))
    await database.read(lambda c: run(c, "SELECT CAST(pg_sleep(0.5) AS text)").scalar())
    assert not turn.done()
    await long.commit()
    await turn
    await database.close()


async def test_what_can_be_made_again_does_not_wait_for_the_disk(path: Path) -> None:
    def durable(connection: Connection) -> object:
        return run(connection, "SHOW synchronous_commit").scalar()

    async with opened(path) as database:
        assert await database.write("embed", durable) == "off"
        assert await database.write("reply", durable, of="ada") == "on"
        assert await database.write("forget", durable) == "on"


def kit(path: Path) -> Kit:
    """One with several threads for people's writes."""
    return Kit(path, place=replace(postgres.place_of(path), connections=16))


def database_of(memory: Memory) -> PostgresDatabase:
    database = memory._database
    assert isinstance(database, PostgresDatabase)
    return database


def saying(
    memory: Memory, text: str, conversation_key: ConversationKey = ADA
) -> Callable[[Connection], object]:
    """The write of a user's message."""

    def work(connection: Connection) -> object:
        return turns.log_user_message(
            connection,
            memory._scheduler,
            conversation_key,
            text,
            said_at=memory._clock(),
            speaker=None,
            now=memory._clock(),
            referents=(),
        )

    return work


def waits(path: Path, writes: int = 1) -> bool:
    """Whether so many writes wait for others."""
    with postgres.opened(path) as connection:
        return bool(
            run(
                connection,
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND wait_event_type = 'Lock'",
            ).scalar()
            == writes
        )


async def test_common_words_make_nobody_wait(path: Path) -> None:
    async with started(kit(path)) as memory:
        await exchange(memory, "The soup is hot", conversation_key=ADA)
        slow = Held()
        await slow.begin(database_of(memory), saying(memory, "The soup is cold"), "ada")
        await exchange(memory, "The soup is hot", conversation_key=BOB)
        await slow.commit()
        found = await memory._database.read(
            lambda c: run(
                c,
                "SELECT sum(p.uses) FROM turn_postings p JOIN turn_words w ON w.id = p.word_id"
                " WHERE w.word = 'soup'",
            ).scalar()
        )
    assert found == 3


async def test_all_who_say_a_new_word_wait_for_the_first_alone(path: Path) -> None:
    async with started(kit(path)) as memory:
        database = database_of(memory)
        first = Held()
        await first.begin(database, saying(memory, "A xylophone"), "ada")
        others = [(Held(), BOB), (Held(), ConversationKey("carl", "carl-desk"))]
        begun = asyncio.gather(
            *(
                held.begin(database, saying(memory, "A xylophone", key), key.user)
                for held, key in others
            )
        )
        await until(lambda: asyncio.to_thread(waits, path, 2))
        await first.commit()
        await begun  # neither of the two is committed
        for held, _ in others:
            await held.commit()


@pytest.mark.parametrize("deleted_first", [True, False])
async def test_a_word_that_one_says_while_anothers_last_use_goes_stays_or_is_made_again(
    path: Path, deleted_first: bool
) -> None:
    async with started(kit(path)) as memory:
        message = await memory.log_user_message(BOB, "A xylophone on television")

        def not_meant(connection: Connection) -> None:
            log.mark_not_meant(connection, BOB.user, [message])

        says = saying(memory, "My xylophone is red")
        first, then = (not_meant, says) if deleted_first else (says, not_meant)
        of_first, of_then = ("bob", "ada") if deleted_first else ("ada", "bob")
        slow = Held()
        await slow.begin(database_of(memory), first, of_first)
        other = asyncio.ensure_future(database_of(memory).write("other", then, of=of_then))
        await until(lambda: asyncio.to_thread(waits, path))
        await slow.commit()
        await other
        uses = await memory._database.read(
            lambda c: run(
                c,
                'SELECT o."user", p.uses FROM turn_postings p JOIN turn_words w'
                " ON w.id = p.word_id JOIN turn_owners o ON o.id = p.owner"
                " WHERE w.word = 'xylophone'",
            ).all()
        )
        assert [tuple(row) for row in uses] == [("ada", 1)]
        assert await recalled(memory, "What colour is my xylophone?", conversation_key=ADA)


@pytest.mark.parametrize("most_unsettled", [0, embedding.MOST_UNSETTLED])
async def test_a_fact_that_is_committed_late_is_embedded(
    path: Path, monkeypatch: pytest.MonkeyPatch, most_unsettled: int
) -> None:
    """Its id is lower than that of a fact that is in the index already."""
    monkeypatch.setattr(embedding, "MOST_UNSETTLED", most_unsettled)
    async with started(kit(path)) as memory, opened(path) as other:
        await memory.log_user_message(
            BOB, "My sister is called Ines"
        )  # a new word makes others wait
        while await memory._embedding.step():
            pass
        slow = Held()
        await slow.begin(other, saying(memory, "My sister is called Ines"), "ada")
        await memory.log_user_message(BOB, "My brother is called Rui")
        embedder = memory._embedding
        embedding_bob = asyncio.ensure_future(embedder.step())
        if most_unsettled:  # Bob's is written beside the write under way
            assert await embedding_bob
            await slow.commit()
        else:  # it has read what there is, and waits for the write under way
            await until(lambda: asyncio.to_thread(waits, path))
            await slow.commit()
            assert await embedding_bob
        while await embedder.step():
            pass
        unembedded = await memory._database.read(
            lambda c: run(
                c,
                "SELECT content FROM memories WHERE layer = 'knowledge' AND id NOT IN"
                " (SELECT memory_id FROM memory_vectors)",
            ).scalars()
        )
        assert unembedded == []
        assert await recalled(memory, "What is my sister called?", conversation_key=ADA)


async def test_writes_of_one_person_keep_their_order(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the first one meets a slow connection, and nobody waits for it any more."""
    done: list[str] = []
    begun, go_on = threading.Event(), threading.Event()
    connection_of = PostgresDatabase._connection

    def slow(database: PostgresDatabase, failures: int, begin: bytes) -> object:
        if not begun.is_set():
            begun.set()
            assert go_on.wait(PATIENCE_S)
        return connection_of(database, failures, begin)

    async with opened(path) as database:
        monkeypatch.setattr(PostgresDatabase, "_connection", slow)

        async def write(name: str, *, everybody: bool = False) -> None:
            await database.write(name, lambda _: done.append(name), of="ada", everybody=everybody)

        first = asyncio.ensure_future(write("first"))
        await asyncio.to_thread(begun.wait, PATIENCE_S)
        first.cancel()
        others = asyncio.gather(write("second"), write("third", everybody=True), write("fourth"))
        await database.write("other", lambda _: done.append("other"), of="bob")
        go_on.set()
        await others
    assert done == ["other", "first", "second", "third", "fourth"]
