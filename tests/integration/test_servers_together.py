"""Several servers that answer at once on one PostgreSQL (``database.servers = all``)."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from lobug.access.callers import Revoked
from lobug.access.service import FILE, Access
from lobug.errors import PersonElsewhereError, StorageBusyError, StorageError, StorageHeldError
from lobug.memory.model import ConversationKey, MemoryScope, Purge
from lobug.server import LobugServer
from lobug.settings import AccessSettings, Settings
from lobug.storage.connection import Connection
from lobug.storage.places import DatabasePlace
from lobug.storage.postgres import lease as lease_module
from lobug.storage.postgres.address import Address
from lobug.storage.postgres.database import PostgresDatabase, PostgresOptions
from lobug.storage.postgres.inspection import inspect
from lobug.storage.postgres.lease import Lease, LeaseOptions
from lobug.storage.postgres.membership import Membership
from lobug.storage.postgres.schemas import STEPS
from lobug.storage.postgres.shared_people import SharedPeople
from lobug.storage.statements import run
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import DeviceClient, device
from support.device_client import until as asked_until
from support.faults import assert_problem, say, until
from support.memory_app import quiet_engines
from support.patience import PATIENCE_S
from support.postgres_server import PostgresServer, started
from support.programs import Program

PROGRAM = Path(__file__).parents[1] / "support" / "leased_server.py"
LASTING_S = 600.0
DESK, HALL = "aa:bb:cc:dd:ee:01", "aa:bb:cc:dd:ee:02"
ADA = {f"device:{name}": "ada" for name in (DESK, HALL, "desk", "hall")}


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    server = started(fsync="off", shared_buffers="16MB")
    yield server
    server.stop()


def house(folder: Path, url: str, **more: Any) -> Settings:
    database = {"url": url, "patience_s": PATIENCE_S, "servers": "all"}
    return settings_for(
        folder,
        database={**database, **more.pop("database", {})},
        conversation={"users": ADA},
        **more,
    )


@dataclass
class Both:
    """Two servers on one database."""

    clients: list[httpx.AsyncClient]
    servers: list[LobugServer]
    engines: list[ScriptedEngines]

    def prompts(self, place: int) -> list[str]:
        """What the chat model of a server was asked to answer."""
        calls = self.engines[place].chat.calls
        return [call.prompt for call in calls if not call.options.json_schema]


@asynccontextmanager
async def both(folder: Path, url: str, **more: Any) -> AsyncIterator[Both]:
    engines = [quiet_engines(), quiet_engines()]
    async with (
        running(house(folder / "a", url, **more), engines[0]) as (first, one),
        running(house(folder / "b", url, **more), engines[1]) as (second, other),
    ):
        yield Both([first, second], [one, other], engines)


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as raw:
        return raw.execute(query.encode()).fetchall()


def change(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute(statement.encode())


async def words(http: httpx.AsyncClient, text: str, name: str = "desk") -> str:
    answer = await say(http, text, name)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["response"])


# Members.


def membership_of(url: str, name: str) -> Membership:
    """One that is not renewed by itself."""
    return Membership(LeaseOptions(f"lobug {name}", LASTING_S, name), Address.of(url), PATIENCE_S)


def insert(connection: Connection) -> None:
    run(connection, "INSERT INTO turn_owners (\"user\") VALUES ('ada')")


def test_all_are_members_and_none_beside_one_that_answers_alone(postgres: PostgresServer) -> None:
    url = postgres.database("members")
    one, other = membership_of(url, "one"), membership_of(url, "other")
    alone = Lease(LeaseOptions("lobug alone", LASTING_S, "alone"), Address.of(url), PATIENCE_S)
    for each in (one, other):
        each.attempt()
        each.require()
    alone.attempt()
    with pytest.raises(StorageHeldError):
        alone.require()
    assert inspect(url, (), patience_s=PATIENCE_S).standing.together == 2
    for each in (one, other):
        each.close()
    assert rows(url, "SELECT name FROM lobug_lease.servers") == []
    alone.attempt()
    alone.require()
    one = membership_of(url, "one")
    one.attempt()
    with pytest.raises(StorageHeldError, match="the server on alone"):
        one.require()
    alone.close()
    while one.fault is not None:  # until the session of the other one has ended
        one.attempt()
    one.close()


async def test_who_does_not_answer_is_ended_and_cannot_write_any_more(
    postgres: PostgresServer,
) -> None:
    """Not even in a transaction that began before, as of a server that was frozen meanwhile."""
    url = postgres.database("frozen")
    one, other = membership_of(url, "one"), membership_of(url, "other")
    for each in (one, other):
        each.attempt()
    database = PostgresDatabase(
        PostgresOptions(url, patience_s=PATIENCE_S, lease=one), clock=lambda: 0.0
    )
    await database.open(lambda _: None)
    change(url, "INSERT INTO lobug_lease.people VALUES ('ada', 'lobug one')")
    begun, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work(connection: Connection) -> None:
        insert(connection)
        loop.call_soon_threadsafe(begun.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        insert(connection)

    writing = asyncio.ensure_future(database.write("work", work))
    await begun.wait()
    change(url, "UPDATE lobug_lease.servers SET renewed_until = now() WHERE name = 'lobug one'")
    # PostgreSQL itself has run for long enough.
    other._options = LeaseOptions("lobug other", 0.01, "other")
    await asyncio.to_thread(other.attempt)
    go_on.set()
    with pytest.raises(Exception, match=r"cannot be reached|taken over"):
        await writing
    assert rows(url, "SELECT * FROM lobug_memory.turn_owners") == []
    assert rows(url, "SELECT * FROM lobug_lease.people") == []
    with pytest.raises(Exception, match="taken over"):
        await database.write("work", insert)
    times = one.times_taken
    one.attempt()
    one.require()
    assert one.times_taken == times + 1
    with pytest.raises(StorageHeldError, match="opened anew"):
        await database.write("work", insert)
    await database.close()
    await database.open(lambda _: None)
    await database.write("work", insert)
    await database.close()
    for each in (one, other):
        each.close()


async def test_a_server_that_is_frozen_in_a_write_holds_up_the_others_for_less_than_a_takeover(
    postgres: PostgresServer,
) -> None:
    url = postgres.database("held_up")
    one, other = membership_of(url, "one"), membership_of(url, "other")
    for each in (one, other):
        each.attempt()
    one._renewed_at += LASTING_S  # it is held, however short it lasts
    one._options = LeaseOptions("lobug one", 4.0, "one")
    databases = [
        PostgresDatabase(
            PostgresOptions(url, patience_s=PATIENCE_S, lease=lease), clock=lambda: 0.0
        )
        for lease in (one, other)
    ]
    for database in databases:
        await database.open(lambda _: None)
    begun, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def freeze(connection: Connection) -> None:
        insert(connection)
        loop.call_soon_threadsafe(begun.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        run(connection, "SELECT 1")

    def limit(connection: Connection) -> Any:
        shown = "SELECT current_setting('idle_in_transaction_session_timeout')"
        return run(connection, shown).scalar()

    assert await databases[0].write("insert", limit) == "2s"
    assert await databases[0].write("forget", limit) == "0", "it may compare for long"
    frozen = asyncio.ensure_future(databases[0].write("freeze", freeze))
    await begun.wait()
    await databases[1].write("insert", insert)
    go_on.set()
    with pytest.raises(StorageBusyError):
        await frozen
    assert rows(url, 'SELECT "user" FROM lobug_memory.turn_owners') == [("ada",)]
    for database in databases:
        await database.close()
    for each in (one, other):
        each.close()


async def test_a_server_that_is_frozen_while_it_ends_another_one_keeps_nobody_from_going_on(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.database("frozen_ending")
    gone, frozen = membership_of(url, "gone"), membership_of(url, "frozen")
    for each in (gone, frozen):
        each.attempt()
    change(url, "INSERT INTO lobug_lease.people VALUES ('ada', 'lobug gone')")
    change(url, "UPDATE lobug_lease.servers SET ended = true WHERE name = 'lobug gone'")
    assert frozen._raw is not None
    ask, begun, go_on = frozen._raw.execute, threading.Event(), threading.Event()

    def freeze(query: Any, *parameters: Any) -> Any:
        answer = ask(query, *parameters)
        if "DELETE" in query:
            begun.set()
            assert go_on.wait(PATIENCE_S)
        return answer

    monkeypatch.setattr(frozen._raw, "execute", freeze)
    freezing = asyncio.ensure_future(asyncio.to_thread(frozen.attempt))
    try:
        assert await asyncio.to_thread(begun.wait, PATIENCE_S)
        async with asyncio.timeout(PATIENCE_S / 4), people_of(url, "other") as other:
            assert await other.has("ada")
            await asyncio.to_thread(other._membership.attempt)
            other._membership.require()
    finally:
        go_on.set()
        await freezing
    frozen.require()
    frozen.close()


async def test_who_was_with_a_server_that_another_one_ended_alone_can_come_again(
    postgres: PostgresServer,
) -> None:
    url = postgres.database("orphans")
    killed = membership_of(url, "killed")
    killed.attempt()
    change(url, "INSERT INTO lobug_lease.people VALUES ('ada', 'lobug killed')")
    change(url, "INSERT INTO lobug_lease.devices VALUES ('desk', 'lobug killed')")
    assert killed._raw is not None
    killed._raw.close()  # as the kernel closes the sessions of a killed server
    alone = Lease(LeaseOptions("lobug alone", LASTING_S, "alone"), Address.of(url), PATIENCE_S)
    while alone.fault is not None:
        alone.attempt()
    alone.close()
    async with people_of(url, "one") as one:
        assert await one.devices_elsewhere() == frozenset()
        assert await one.has("ada")


async def test_a_lock_that_stays_costs_nobody_the_membership(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_module, "LONGEST_WAIT_S", 0.3)
    url = postgres.database("stays")
    gone, late, one = (membership_of(url, name) for name in ("gone", "late", "one"))
    for each in (gone, late, one):
        each.attempt()
    for person, server in (("ada", "gone"), ("bob", "late")):
        change(url, f"INSERT INTO lobug_lease.people VALUES ('{person}', 'lobug {server}')")
    change(url, "UPDATE lobug_lease.servers SET ended = true WHERE name <> 'lobug one'")
    with (
        closing(Address.of(url).connect(PATIENCE_S, program="lobug late")) as frozen,
        closing(Address.of(url).connect(PATIENCE_S)) as stranger,
    ):
        for raw, person in ((frozen, "ada"), (stranger, "bob")):
            raw.execute("BEGIN")
            raw.execute("DELETE FROM lobug_lease.people WHERE person = %s", (person,))
        session, renewed_at = one._raw, one._renewed_at
        async with asyncio.timeout(PATIENCE_S / 4):
            await asyncio.to_thread(one.attempt)
        one.require()
        assert one._raw is session
        assert one._renewed_at > renewed_at
        async with people_of(url, "other", handover_s=1.0) as other:
            assert await other.has("ada"), "who had a lock on her was ended, too"
            with pytest.raises(PersonElsewhereError):
                await _held(other, "bob")
            assert await other.has("cleo")
            stranger.execute("ROLLBACK")
            await asyncio.to_thread(one.attempt)
            assert await other.has("bob")
    one.close()


async def test_a_lock_does_not_hide_that_the_database_is_another_one(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_module, "LONGEST_WAIT_S", 0.2)
    url = postgres.database("another")
    one = membership_of(url, "one")
    one.attempt()
    one._drop()
    one._taken_at = (Address.of(url), "the timeline before")
    with psycopg.connect(url) as locking:
        locking.execute("LOCK TABLE lobug_lease.servers IN SHARE MODE")
        async with asyncio.timeout(PATIENCE_S / 4):
            await asyncio.to_thread(one.attempt)
    assert isinstance(one.fault, StorageBusyError)
    one.attempt()
    one.require()
    assert one.times_taken == 2
    one.close()


async def test_who_was_killed_is_ended_though_no_standby_confirms_it(
    postgres: PostgresServer,
) -> None:
    """Else whoever ends it renews nothing meanwhile, and all end one another afterwards."""
    url = postgres.database("unconfirmed")
    change(url, "ALTER DATABASE unconfirmed SET synchronous_commit = on")
    killed = membership_of(url, "killed")
    one = Membership(LeaseOptions("lobug one", 1.0, "one"), Address.of(url), PATIENCE_S)
    for each in (killed, one):
        each.attempt()
    assert killed._raw is not None
    killed._raw.close()  # as the kernel closes the sessions of a killed server
    change(url, "INSERT INTO lobug_lease.people VALUES ('ada', 'lobug killed')")
    change(
        url,
        "UPDATE lobug_lease.servers SET renewed_until = now() - interval '1 hour'"
        " WHERE name = 'lobug killed'",
    )
    await asyncio.sleep(1.1)  # until it is not the session of the one that was away
    postgres.set("synchronous_standby_names", "nobody")
    try:
        async with asyncio.timeout(PATIENCE_S / 4):
            await asyncio.to_thread(one.attempt)
        one.require()
        assert rows(url, "SELECT name FROM lobug_lease.servers") == [("lobug one",)]
        assert rows(url, "SELECT person FROM lobug_lease.people") == []
    finally:
        postgres.set("synchronous_standby_names", "")
    one.close()


async def test_what_servers_tell_each_other_waits_for_a_slow_disk_and_no_renewal_does(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever tells something waits until what is told before is committed."""
    monkeypatch.setattr(lease_module, "LONGEST_WAIT_S", 0.2)
    url = postgres.database("told")
    change(url, "ALTER DATABASE told SET synchronous_commit = off")
    gone, one = membership_of(url, "gone"), membership_of(url, "one")
    for each in (gone, one):
        each.attempt()
    told: list[str] = []

    def tell_durably() -> None:
        with closing(Address.of(url).connect(PATIENCE_S, program="slow")) as raw:
            raw.execute("SET synchronous_commit = on")
            with raw.transaction():
                raw.execute("INSERT INTO lobug_lease.people VALUES ('ada', 'slow')")
                raw.execute("SELECT pg_notify('lobug', 'slow')")

    async def slow() -> bool:
        query = "SELECT wait_event FROM pg_stat_activity WHERE application_name = 'slow'"
        return (await asyncio.to_thread(rows, url, query)) == [("SyncRep",)]

    async with people_of(url, "other") as other, people_of(url, "third") as third:
        third.follow(
            arrived=lambda _: None,
            stop_work=lambda _: None,
            left=lambda _: None,
            told=lambda news, *_: told.append(news),
        )
        postgres.set("synchronous_standby_names", "nobody")
        try:
            telling = asyncio.ensure_future(asyncio.to_thread(tell_durably))
            await until(slow)
            other.tell("agenda")
            change(url, "UPDATE lobug_lease.servers SET ended = true WHERE name = 'lobug gone'")
            async with asyncio.timeout(PATIENCE_S / 4):
                await asyncio.to_thread(one.attempt)
            one.require()
            assert ("lobug gone",) not in rows(url, "SELECT name FROM lobug_lease.servers")
            await asyncio.sleep(0.5)
            assert await slow()
        finally:
            postgres.set("synchronous_standby_names", "")
        await telling
        await asyncio.to_thread(one.attempt)
        await asked_until(lambda: {"agenda", "left"} <= set(told))
    one.close()


async def test_a_server_s_sessions_wait_for_a_lock_for_part_of_a_takeover(
    postgres: PostgresServer,
) -> None:
    def limit(raw: psycopg.Connection[Any]) -> Any:
        return raw.execute("SELECT current_setting('lock_timeout')").fetchone()

    address = Address.of(postgres.database("part"))
    for lasts_s, expected in ((4.0, "500ms"), (LASTING_S, "2s")):
        member = Membership(LeaseOptions("lobug one", lasts_s, "one"), address, PATIENCE_S)
        await asyncio.to_thread(member.attempt)
        member._renewed_at += LASTING_S  # it is held, however short it lasts
        people = SharedPeople(member, address, PATIENCE_S, PATIENCE_S)
        await people.start()
        assert member._raw is not None
        assert limit(member._raw) == (expected,)
        assert await people._in_session(limit) == (expected,)
        await people.close()
        member.close()


async def test_nothing_is_migrated_while_a_server_of_another_version_writes(
    postgres: PostgresServer,
) -> None:
    url = postgres.database("versions")
    old, new = membership_of(url, "old"), membership_of(url, "new")
    old.attempt()
    steps = STEPS["lobug_memory"]
    options = PostgresOptions(url, patience_s=PATIENCE_S, lease=old)
    database = PostgresDatabase(options, clock=lambda: 0.0)
    await database.open(lambda _: None)
    new.attempt()
    change(url, "UPDATE lobug_lease.servers SET knows = 'less' WHERE name = 'lobug old'")

    def more(connection: Connection) -> None:
        run(connection, "ALTER TABLE turn_owners ADD COLUMN more integer")

    newer = PostgresDatabase(replace(options, lease=new, steps=[*steps, more]), clock=lambda: 0.0)
    with pytest.raises(StorageError, match="the server on old is of another version"):
        await newer.open(lambda _: None)
    await database.write("insert", insert)
    await database.close()
    old.close()
    await newer.open(lambda _: None)
    assert rows(url, "SELECT more FROM lobug_memory.turn_owners") == [(None,)]
    await newer.close()
    new.close()


# People.


@asynccontextmanager
async def people_of(
    url: str, name: str, handover_s: float = PATIENCE_S
) -> AsyncIterator[SharedPeople]:
    member = membership_of(url, name)
    await asyncio.to_thread(member.attempt)
    people = SharedPeople(member, Address.of(url), PATIENCE_S, handover_s)
    await people.start()
    try:
        yield people
    finally:
        await people.close()
        await asyncio.to_thread(member.close)


async def test_a_person_is_with_one_server_and_comes_when_that_is_done(
    postgres: PostgresServer,
) -> None:
    url = postgres.database("people")
    async with people_of(url, "one") as one, people_of(url, "other") as other:
        came: list[str] = []
        other.follow(
            arrived=came.append,
            stop_work=lambda _: None,
            left=lambda _: None,
            told=lambda *_: None,
        )
        assert await one.has("ada")
        assert not await other.has("ada")
        assert await other.has("bob")
        assert not await one.has("bob")
        async with one.hold("ada"):
            coming = asyncio.ensure_future(_held(other, "ada"))
            await asked_until(lambda: "ada" in one._leaving)
            async with one.hold("ada", joining=True):  # what is under way may need her once more
                assert not coming.done()
            with pytest.raises(PersonElsewhereError):
                async with one.work("ada"):
                    pass
            again = asyncio.ensure_future(_held(one, "ada"))
        await coming
        await again
        assert came == ["bob", "ada"]
    assert rows(url, "SELECT * FROM lobug_lease.people") == []


async def test_a_device_that_comes_back_unnoticed_is_shown_where_it_is(
    postgres: PostgresServer,
) -> None:
    """Also one whose first note was written while nobody heard the answer."""
    url = postgres.database("presence")
    async with people_of(url, "one") as one, people_of(url, "other") as other:

        async def shows(where: SharedPeople, *devices: str) -> bool:
            return await where.devices_elsewhere() == set(devices)

        one.note_device("desk", connected=True)
        await until(partial(shows, other, "desk"))
        other.note_device("desk", connected=True)  # it has lost its Wi-Fi
        await until(partial(shows, one, "desk"))
        one.note_device("desk", connected=True)  # and replaces its older connection
        await until(partial(shows, other, "desk"))
        other.note_device("desk", connected=False)
        other.note_device("hall", connected=True)
        await until(partial(shows, one, "hall"))
        assert await shows(other, "desk")

        write, lost = one._presence._in_session, asyncio.Event()

        async def lose_answer(work: Callable[[psycopg.Connection[Any]], None]) -> None:
            one._presence._in_session = write
            await write(work)
            one.note_device("loft", connected=False)
            lost.set()
            raise StorageError("the connection is lost")

        one._presence._in_session = lose_answer
        one.note_device("loft", connected=True)
        async with asyncio.timeout(PATIENCE_S):
            await lost.wait()
        await until(partial(shows, other, "desk"))


async def test_who_is_asked_for_at_the_moment_of_a_new_beginning_can_come_again(
    postgres: PostgresServer,
) -> None:
    url = postgres.database("beginning")
    async with people_of(url, "one") as one:
        assert await one.has("ada")
        one._let_go("ada")
        await one.reset()
        async with asyncio.timeout(PATIENCE_S):
            await _held(one, "ada")


async def test_never_have_two_servers_the_same_person(postgres: PostgresServer) -> None:
    """Also where an answer of the database comes late, after the other one has asked."""
    url = postgres.database("never_two")
    async with AsyncExitStack() as stack:
        all_three = [await stack.enter_async_context(people_of(url, f"s{n}")) for n in range(3)]
        inside = [0, 0, 0]

        async def hold_again_and_again(place: int, pause_s: float) -> None:
            for _ in range(25):
                async with all_three[place].hold("ada"):
                    inside[place] += 1
                    assert sum(count > 0 for count in inside) == 1
                    await asyncio.sleep(0.002)
                    inside[place] -= 1
                await asyncio.sleep(pause_s)

        for each in all_three:
            each._in_session = partial(_late, each._in_session)  # type: ignore[method-assign]
        await asyncio.gather(
            *(hold_again_and_again(place, pause) for place in range(3) for pause in (0.0, 0.01))
        )


async def _late(ask: Any, work: Any) -> Any:
    """The answer of the database, once everything else has gone on."""
    answer = await ask(work)
    await asyncio.sleep(0.01)
    return answer


async def test_who_waits_for_too_long_is_told_so(postgres: PostgresServer) -> None:
    url = postgres.database("patience")
    async with people_of(url, "one") as one, people_of(url, "other", 0.3) as other:
        async with one.hold("ada"):
            with pytest.raises(PersonElsewhereError):
                await _held(other, "ada")
        await _held(other, "bob")


async def _held(people: SharedPeople, person: str) -> None:
    async with people.hold(person):
        await asyncio.sleep(0)


# Whole servers.


async def test_a_conversation_goes_on_at_whichever_server(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.database("goes_on")
    async with both(tmp_path, url) as servers:
        for http in servers.clients:
            assert (await http.get("/ready")).status_code == 200
        said = [f"This is sentence {number}." for number in range(6)]
        for number, text in enumerate(said):
            await words(servers.clients[number % 2], text)
        last = servers.prompts(1)[-1]
        assert [text for text in said if text in last] == said
        assert (await words(servers.clients[0], "My sister Hanna lives in Rome.")) != ""
        assert "Rome" in await words(servers.clients[1], "Where does my sister live?", "hall")
        answers = await asyncio.gather(
            *(words(servers.clients[n % 2], f"At once {n}.") for n in range(8))
        )
        assert len(answers) == 8
        await words(servers.clients[0], "And now?")
        last = servers.prompts(0)[-1]
        assert all(f"At once {n}." in last for n in range(4, 8))
        for http in servers.clients:
            assert (await http.get("/health")).json()["degraded"] == []


async def test_a_turn_waits_for_the_same_person_s_turn_elsewhere_and_for_nobody_else_s(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.database("waits")
    async with both(tmp_path, url) as servers:
        gate = asyncio.Event()
        servers.engines[0].chat._replies = lambda _messages, options: (
            "[]" if options.json_schema else [gate, "First."]
        )
        first = asyncio.ensure_future(words(servers.clients[0], "I am the first."))
        await until(lambda: _asked(servers, 0))
        second = asyncio.ensure_future(words(servers.clients[1], "I am the second.", "hall"))
        assert await words(servers.clients[1], "I am somebody else.", "kitchen") == "Okay."
        assert not second.done()
        gate.set()
        assert await first == "First."
        assert await second == "Okay."
        stored = rows(
            url,
            "SELECT role, content FROM lobug_memory.conversation_log WHERE \"user\" = 'ada'"
            " ORDER BY id",
        )
        assert [content for _, content in stored] == [
            "I am the first.",
            "First.",
            "I am the second.",
            "Okay.",
        ]


async def _asked(servers: Both, place: int) -> bool:
    return bool(servers.prompts(place))


async def test_what_is_forgotten_at_one_is_gone_at_the_other(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.database("forgotten")
    async with both(tmp_path, url) as servers:
        one, other = servers.clients
        await words(one, "My secret word is xylophone.")
        await words(one, "Hello.", "hall")
        held = servers.servers[0].conversations.get(ConversationKey("ada", "ada/device:desk"))
        assert "xylophone" in str(held.memory.messages())
        found = await other.post(
            "/memory/forget",
            json={"text": "xylophone", "confirm": True},
            headers={"Device-Id": "desk"},
        )
        assert found.status_code == 200, found.text

        async def dropped() -> bool:
            return "xylophone" not in str(held.memory.messages())

        await until(dropped)
        asked = len(servers.prompts(0))
        await words(one, "What is it?")
        assert all("xylophone" not in prompt for prompt in servers.prompts(0)[asked:])


async def test_an_alert_rings_where_the_device_is(tmp_path: Path, postgres: PostgresServer) -> None:
    url = postgres.database("rings")
    async with (
        both(tmp_path, url) as servers,
        device(str(servers.clients[0].base_url), DESK) as desk,
    ):
        told = await words(servers.clients[1], "Set a timer for one second.", "desk")
        assert "timer" in told.lower()
        await desk.until_said("tts", state="start")
        await desk.until(lambda: bool(desk.audio()))


async def test_an_alert_that_rang_where_nobody_was_is_not_told_again_once_it_was_heard(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.database("heard")
    waiting = "SELECT count(*) FROM lobug_agenda.waiting_speech"

    async def noted() -> bool:
        return (await asyncio.to_thread(rows, url, waiting)) == [(1,)]

    async with both(tmp_path, url) as servers:
        await words(servers.clients[1], "Set a timer for one second.", "desk")
        await until(noted)
        async with device(str(servers.clients[0].base_url), DESK) as desk:
            await desk.until(lambda: bool(desk.audio()))

            async def dropped() -> bool:
                return not await noted()

            await until(dropped)


async def test_what_rings_goes_on_when_its_person_types_at_another_server(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lobug.agenda.schedule.CHECK_S", LASTING_S)
    url = postgres.database("rings_on")
    async with (
        both(tmp_path, url) as servers,
        device(str(servers.clients[0].base_url), DESK) as desk,
    ):
        await words(servers.clients[0], "Set a timer for one second.", "desk")
        await desk.until(lambda: bool(desk.audio()))
        await words(servers.clients[1], "Hello.", "hall")
        rung = [message["state"] for message in desk.messages("tts")].count("start")
        await desk.until_said("tts", count=rung + 1, state="start")


DINNER = "Dinner is ready."


def heard_by(client: DeviceClient) -> list[str]:
    """The sentences that a device was sent."""
    return [message["text"] for message in client.messages("tts") if "text" in message]


async def announce(http: httpx.AsyncClient, **body: Any) -> dict[str, Any]:
    answer = await http.post("/announce", json={"text": DINNER, **body})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def until_known_elsewhere(servers: Both, place: int, *devices: str) -> None:
    """Return once a server knows that devices are connected to the other one."""
    people = servers.servers[place].memory.kept_in.people

    async def known() -> bool:
        return await people.devices_elsewhere() >= set(devices)

    await until(known)


@pytest.mark.parametrize("audience", [{"user": "ada"}, {"device": DESK}, {}])
async def test_what_may_not_wait_is_said_at_another_server(
    tmp_path: Path, postgres: PostgresServer, audience: dict[str, str]
) -> None:
    url = postgres.database("_".join(("not_wait", *audience)))
    async with (
        both(tmp_path, url) as servers,
        device(str(servers.clients[1].base_url), DESK) as desk,
    ):
        await until_known_elsewhere(servers, 0, DESK)
        told = await announce(servers.clients[0], **audience, wait=False)
        assert told == {"status": "waits", "said_on": [], "waits_for": ["ada"]}
        await desk.until_said("tts", state="sentence_start", text=DINNER)


async def test_who_has_devices_at_two_servers_hears_it_on_all_of_them(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.database("on_all")
    async with (
        both(tmp_path, url) as servers,
        device(str(servers.clients[0].base_url), HALL) as hall,
        device(str(servers.clients[1].base_url), DESK) as desk,
    ):
        await until_known_elsewhere(servers, 0, DESK)
        told = await announce(servers.clients[0], user="ada")
        assert told == {"status": "said", "said_on": [HALL], "waits_for": ["ada"]}
        await desk.until_said("tts", state="stop")

        await until(partial(_nothing_waits, url))
        assert heard_by(hall) == heard_by(desk) == [DINNER]


async def test_what_is_for_one_device_is_said_there_though_its_person_is_elsewhere(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """And what is said meanwhile where the person is comes to its end first."""
    url = postgres.database("own_device")
    async with (
        both(tmp_path, url) as servers,
        device(str(servers.clients[0].base_url), HALL) as hall,
        device(str(servers.clients[1].base_url), DESK) as desk,
    ):
        await until_known_elsewhere(servers, 0, DESK)
        await until_known_elsewhere(servers, 1, HALL)
        await words(servers.clients[0], "Hello.", HALL)
        waiting = servers.servers[0].agenda.waiting
        at_each: list[dict[str | None, float | None]] = [
            {f"ada/device:{place}": None} for place in (DESK, HALL)
        ]
        await waiting.announce("ada", DINNER, at_each[0])
        await waiting.announce("ada", "The post is here.", at_each[1])
        await until(partial(_nothing_waits, url))
        assert heard_by(desk) == [DINNER]
        assert heard_by(hall) == ["The post is here."]


async def _nothing_waits(url: str) -> bool:
    query = "SELECT count(*) FROM lobug_agenda.waiting_speech"
    return (await asyncio.to_thread(rows, url, query)) == [(0,)]


async def test_background_work_takes_nobody_away(tmp_path: Path, postgres: PostgresServer) -> None:
    url = postgres.database("work")
    async with both(tmp_path, url) as servers:
        one, other = servers.servers
        people = one.memory.kept_in.people
        assert await people.has("ada")
        await words(servers.clients[1], "Set a timer.")
        assert not await people.has("ada")
        with pytest.raises(PersonElsewhereError):
            async with people.work("ada"):
                pass
        answer = await words(servers.clients[1], "Five minutes.")
        assert "five minutes" in answer.lower()
        assert await other.memory.kept_in.people.has("ada")


async def test_what_is_refused_is_not_half_done(tmp_path: Path, postgres: PostgresServer) -> None:
    url = postgres.database("refused")
    async with both(tmp_path, url, database={"handover_s": 1.0}) as servers:
        one, other = servers.servers
        await words(servers.clients[0], "Put milk on the shopping list.")
        async with one.memory.kept_in.people.hold("ada"):
            with pytest.raises(PersonElsewhereError):
                await other.memory.purge(MemoryScope("ada", None), Purge(user=True))
        assert rows(url, "SELECT content FROM lobug_agenda.list_items") == [("milk",)]
        await other.memory.purge(MemoryScope("ada", None), Purge(user=True))
        assert rows(url, "SELECT content FROM lobug_agenda.list_items") == []


async def test_a_server_that_was_ended_finishes_nothing_afterwards(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """Its turn that waits for the model meanwhile fails, instead of writing beside the others'."""
    url = postgres.database("ended")
    async with both(tmp_path, url) as servers:
        gate = asyncio.Event()
        servers.engines[0].chat._replies = lambda _messages, options: (
            "[]" if options.json_schema else [gate, "Too late."]
        )
        turn = asyncio.ensure_future(say(servers.clients[0], "I am the first."))
        await until(lambda: _asked(servers, 0))
        place = servers.servers[0].memory.kept_in
        assert place.lease is not None
        times = place.lease.times_taken
        ended = "UPDATE lobug_lease.servers SET ended = true WHERE name = "
        change(url, f"{ended}'{place.lease.holder}'")
        await asked_until(lambda: place.lease is not None and place.lease.times_taken > times)
        assert await words(servers.clients[1], "I am the second.") == "Okay."
        gate.set()
        assert (await turn).status_code == 503
        servers.engines[0].chat._replies = ["Okay."]
        await until(lambda: _talks(servers.clients[0]))
        stored = rows(url, "SELECT content FROM lobug_memory.conversation_log ORDER BY id")
        assert ("Too late.",) not in stored
        assert stored[:3] == [("I am the first.",), ("I am the second.",), ("Okay.",)]


async def test_a_server_that_hears_nothing_from_postgresql_lets_its_people_go_to_the_others(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """When these may take over, and not only when it has heard why."""
    url = postgres.database("silent")
    async with (
        both(tmp_path, url) as servers,
        device(str(servers.clients[0].base_url), DESK) as desk,
    ):
        one, other = servers.clients
        await words(one, "My sister Hanna lives in Rome.")
        lease = servers.servers[0].memory.kept_in.lease
        assert lease is not None
        with lease._using:  # its thread waits for PostgreSQL
            lease._renewed_at -= lease.lasts_s
            assert_problem(await one.get("/ready"), 503, "storage_failed")
            assert (await say(one, "Can you hear me?")).status_code == 503
            lease.changed()
            async with asyncio.timeout(PATIENCE_S):
                await desk.closed.wait()
            assert desk.socket.close_code == 1001
            ended = "UPDATE lobug_lease.servers SET ended = true WHERE name = "
            change(url, f"{ended}'{lease.holder}'")
            assert "Rome" in await words(other, "Where does my sister live?")
        # It may talk for a moment, until it has heard that it was ended.
        await until(lambda: _knows_the_town(one))


async def _knows_the_town(http: httpx.AsyncClient) -> bool:
    answer = await say(http, "Where does my sister live?")
    return answer.status_code == 200 and "Rome" in answer.json()["response"]


async def _talks(http: httpx.AsyncClient) -> bool:
    return (await say(http, "And now?", "kitchen")).status_code == 200


async def test_a_device_at_another_server_is_shown_and_can_be_revoked(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.database("revoked")
    async with both(tmp_path, url) as servers:
        one, other = servers.clients
        identity = {"Device-Id": DESK, "Client-Id": "test", "User-Agent": "test/1.0"}
        asked = (await one.post("/xiaozhi/ota/", json={}, headers=identity)).json()
        code = asked["activation"]["code"]
        assert (await one.post("/devices/approve", json={"code": code})).status_code == 200
        told = (await one.post("/xiaozhi/ota/", json={}, headers=identity)).json()
        token = {"Authorization": f"Bearer {told['websocket']['token']}"}

        async def shows(http: httpx.AsyncClient, *, connected: bool, elsewhere: bool) -> bool:
            known = (await http.get("/devices")).json()["devices"]
            found = [(one["connected"], one["at_another_server"]) for one in known]
            return found == [(connected, elsewhere)]

        away = partial(shows, other, connected=False, elsewhere=False)
        await until(away)
        async with device(str(one.base_url), DESK, headers=token) as desk:
            await until(partial(shows, other, connected=True, elsewhere=True))
            assert await shows(one, connected=True, elsewhere=False)
            gone = await other.delete(f"/devices/{DESK}")
            assert gone.status_code == 200, gone.text
            async with asyncio.timeout(PATIENCE_S):
                await desk.closed.wait()
            await until(away)


async def test_a_revocation_that_could_not_be_read_at_first_counts_all_the_same(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """The database tells of it once, while its tables are locked."""
    place = DatabasePlace(postgres.database("busy"), patience_s=0.3)
    async with AsyncExitStack() as stack:
        one, other = (
            Access(AccessSettings(), tmp_path / FILE, clock=lambda: 0.0, refresh_s=600, place=place)
            for _ in range(2)
        )
        for access in (one, other):
            await access.start()
            stack.push_async_callback(access.close)
        asked = partial(one.devices.discover, DESK, "test", description="desk", address="::1")
        pairing = (await asked()).pairing
        assert pairing is not None
        await one.devices.approve(pairing.code)
        token = (await asked()).token
        assert token is not None
        await other.check()
        revoked: list[Revoked] = []
        other.when_revoked(revoked.append)
        await one.devices.revoke(DESK)
        with psycopg.connect(place.url or "") as locking:
            locking.execute("LOCK TABLE lobug_access.devices")
            with pytest.raises(StorageBusyError):
                await other.check()
        await other.check()
        assert [gone.device_id for gone in revoked] == [DESK]


async def test_facts_are_extracted_once(tmp_path: Path, postgres: PostgresServer) -> None:
    url = postgres.database("once")
    async with both(tmp_path, url) as servers:
        for number in range(12):
            name = f"device-{number}"
            await words(servers.clients[number % 2], f"Yesterday we hiked to N{number}.", name)

        async def done() -> bool:
            query = "SELECT count(*) FROM lobug_memory.background_tasks WHERE kind = 'extract'"
            return (await asyncio.to_thread(rows, url, query)) == [(0,)]

        await until(done)
        calls = [
            call
            for engines in servers.engines
            for call in engines.chat.calls
            if call.options.json_schema and "N1" in call.prompt
        ]
        asked = [call for call in calls if call.finished]
        for number in (10, 11):
            assert sum(f"N{number}." in call.prompt for call in asked) == 1


async def test_a_killed_server_s_people_and_work_are_taken_over(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.database("killed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(PROGRAM), str(tmp_path / "a"), str(port), url, "all"]
    program = Program(command, output=tmp_path / "log")
    try:
        async with (
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S) as first,
            running(house(tmp_path / "b", url), quiet_engines()) as (second, _),
        ):
            await until(lambda: answers(first))
            await words(first, "My sister Hanna lives in Rome.", "kitchen")
            program.send_signal(signal.SIGKILL)
            assert "Rome" in await words(second, "Where does my sister live?", "kitchen")

            async def done() -> bool:
                query = "SELECT count(*) FROM lobug_memory.background_tasks WHERE kind = 'extract'"
                return (await asyncio.to_thread(rows, url, query)) == [(0,)]

            await until(done)
            assert len(rows(url, "SELECT name FROM lobug_lease.servers")) == 1
    finally:
        program.kill()


async def answers(http: httpx.AsyncClient) -> bool:
    try:
        return (await http.get("/ready")).status_code == 200
    except httpx.TransportError:
        return False


async def test_a_person_who_is_kept_elsewhere_gets_a_sentence(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.database("kept")
    async with both(tmp_path, url, database={"handover_s": 1.0}) as servers:
        async with servers.servers[0].memory.kept_in.people.hold("ada"):
            assert_problem(await say(servers.clients[1]), 503, "person_elsewhere")
        assert await words(servers.clients[1], "And now?") == "Okay."
