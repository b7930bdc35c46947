"""Several servers on one PostgreSQL: one answers, the others stand ready."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg
import pytest

from lobug.errors import StorageError, StorageHeldError
from lobug.settings import Settings
from lobug.storage.connection import Connection, PostgresConnection
from lobug.storage.postgres import hosts as hosts_module
from lobug.storage.postgres import lease as lease_module
from lobug.storage.postgres.address import Address
from lobug.storage.postgres.database import PostgresDatabase, PostgresOptions
from lobug.storage.postgres.inspection import inspect
from lobug.storage.postgres.lease import Lease, LeaseOptions, Standing
from lobug.storage.postgres.membership import Membership
from lobug.storage.statements import run
from support.app_server import running, settings_for
from support.device_client import device
from support.faults import assert_problem, say, until
from support.memory_app import quiet_engines
from support.patience import PATIENCE_S
from support.postgres_server import PostgresServer, started
from support.programs import Program

PROGRAM = Path(__file__).parents[1] / "support" / "leased_server.py"
LASTING_S = 600.0


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    server = started(fsync="off", shared_buffers="16MB")
    yield server
    server.stop()


def lease_of(url: str, name: str, lasts_s: float = LASTING_S) -> Lease:
    """One that is not renewed by itself: ``start`` is for servers."""
    return Lease(LeaseOptions(f"lobug {name}", lasts_s, name), Address.of(url), PATIENCE_S)


def opened_with(lease: Lease, url: str) -> PostgresDatabase:
    options = PostgresOptions(url, patience_s=PATIENCE_S, lease=lease)
    return PostgresDatabase(options, clock=lambda: 0.0)


def house(folder: Path, url: str) -> Settings:
    return settings_for(folder, database={"url": url, "patience_s": PATIENCE_S})


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as raw:
        return raw.execute(query.encode()).fetchall()


def age(url: str) -> None:
    """Let it seem that whoever has the lease has not renewed it for long."""
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("UPDATE lobug_lease.lease SET renewed_until = now() - interval '1 hour'")


def parameters(connection: Connection) -> dict[str, str]:
    """How libpq connects."""
    assert isinstance(connection, PostgresConnection)
    return connection.raw.info.get_parameters()


def end_sessions(url: str, name: str) -> None:
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE application_name = %s",
            (name,),
        )


def insert(connection: Connection) -> None:
    run(connection, "INSERT INTO turn_owners (\"user\") VALUES ('ada')")


def test_it_is_one_server_s_until_that_gives_it_back(postgres: PostgresServer) -> None:
    url = postgres.database("given_back")
    one, other = lease_of(url, "one"), lease_of(url, "other")
    told: list[StorageError | None] = []
    other.changed = lambda: told.append(other.fault)
    one.attempt()
    one.attempt()
    one.require()
    other.attempt()
    other.attempt()
    with pytest.raises(StorageHeldError, match="the server on one"):
        other.require()
    one.close()
    other.attempt()
    other.require()
    first, second = told
    assert isinstance(first, StorageHeldError)
    assert second is None
    third = lease_of(url, "third")
    third.attempt()
    with pytest.raises(StorageHeldError, match="the server on other"):
        third.require()
    other.close()
    with pytest.raises(StorageError, match="given back"):
        other.require()


def test_who_has_it_is_shown(postgres: PostgresServer) -> None:
    url = postgres.database("shown")
    options = [LeaseOptions(f"lobug {n:016x}", LASTING_S, f"computer {n}") for n in (1, 2)]
    one, other = (Lease(each, Address.of(url), PATIENCE_S) for each in options)
    assert inspect(url, (), patience_s=PATIENCE_S).standing == Standing(None, 0)
    one.attempt()
    other.attempt()
    assert inspect(url, (), patience_s=PATIENCE_S).standing == Standing("computer 1", 2)
    other.close()
    one.close()
    assert inspect(url, (), patience_s=PATIENCE_S).standing == Standing(None, 0)


def test_it_is_free_when_its_server_is_gone(postgres: PostgresServer) -> None:
    url = postgres.database("gone")
    one, other = lease_of(url, "one"), lease_of(url, "other")
    one.attempt()
    end_sessions(url, "lobug one lease")
    other.attempt()
    other.require()
    one.attempt()
    assert isinstance(one.fault, StorageHeldError)
    other.close()


async def test_who_has_lost_it_cannot_write_any_more(postgres: PostgresServer) -> None:
    """Not even in a transaction that began before, as of a server that was frozen meanwhile."""
    url = postgres.database("frozen")
    one, other = lease_of(url, "one"), lease_of(url, "other")
    one.attempt()
    database = opened_with(one, url)
    await database.open(lambda _: None)
    begun, go_on = threading.Event(), threading.Event()

    def freeze(connection: Connection) -> None:
        insert(connection)
        begun.set()
        assert go_on.wait(PATIENCE_S)

    writing = asyncio.ensure_future(database.write("slow", freeze))
    await asyncio.to_thread(begun.wait, PATIENCE_S)
    await asyncio.to_thread(other.attempt)
    assert other.fault is not None
    await asyncio.to_thread(age, url)
    await asyncio.to_thread(other.attempt)
    other.require()
    go_on.set()
    with pytest.raises(StorageError):
        await writing
    # It does not know yet; its new sessions are refused all the same.
    assert one.fault is None
    with pytest.raises(StorageHeldError, match="other"):
        await database.write("late", insert)
    with pytest.raises(StorageHeldError, match="other"):
        await database.read(lambda _: None)
    assert rows(url, "SELECT * FROM lobug_memory.turn_owners") == []
    await database.close()
    other.close()


async def test_a_session_that_was_made_too_late_is_refused(postgres: PostgresServer) -> None:
    url = postgres.database("late")
    one, other = lease_of(url, "one"), lease_of(url, "other")
    one.attempt()
    with Address.of(url).connect(PATIENCE_S, program=one.holder) as raw:
        one.require_holder(raw)
        age(url)
        with Address.of(url).connect(PATIENCE_S, program="a stranger") as stranger:
            other.attempt()
            other.require()
            assert stranger.execute("SELECT 1").fetchone() == (1,)
        with pytest.raises(psycopg.OperationalError):
            raw.execute("SELECT 1")
    with (
        Address.of(url).connect(PATIENCE_S, program=one.holder) as raw,
        pytest.raises(StorageHeldError),
    ):
        one.require_holder(raw)
    other.close()


def test_a_session_of_one_s_own_that_was_cut_off_is_replaced(postgres: PostgresServer) -> None:
    """The network drops the session with the lock, and PostgreSQL does not know it yet."""
    url = postgres.database("cut_off")
    lease = lease_of(url, "one")
    lease.attempt()
    assert lease._raw is not None
    held, lease._raw = lease._raw, None
    lease.attempt()
    lease.require()
    assert lease.times_taken == 1
    with pytest.raises(psycopg.OperationalError):
        held.execute("SELECT 1")
    lease.close()


def test_who_takes_over_ends_the_sessions_of_all_before(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those of a server whose successor was gone before it could."""
    url = postgres.database("chain")
    one, other, third = (lease_of(url, name) for name in ("one", "other", "third"))
    one.attempt()
    kept = Address.of(url).connect(PATIENCE_S, program=one.holder)
    end_sessions(url, "lobug one lease")
    calls = list[object]()

    def fails_later(_raw: object, names: Sequence[str]) -> bool:
        calls.append(names)
        return len(calls) == 1

    with monkeypatch.context() as patched:
        patched.setattr(lease_module, "end_sessions", fails_later)
        other.attempt()
    assert "do not end" in str(other.fault)
    assert kept.execute("SELECT 1").fetchone() == (1,)
    end_sessions(url, "lobug other lease")
    third.attempt()
    third.require()
    with pytest.raises(psycopg.OperationalError):
        kept.execute("SELECT 1")
    third.close()


async def test_what_was_read_before_another_had_it_is_not_used(postgres: PostgresServer) -> None:
    url = postgres.database("anew")
    one, other = lease_of(url, "one"), lease_of(url, "other")
    one.attempt()
    database = opened_with(one, url)
    await database.open(lambda _: None)
    await asyncio.to_thread(age, url)
    await asyncio.to_thread(other.attempt)
    other.close()
    await asyncio.to_thread(one.attempt)
    one.require()
    with pytest.raises(StorageHeldError, match="opened anew"):
        await database.read(lambda _: None)
    await database.close()
    await database.open(lambda _: None)
    await database.write("insert", insert)
    await database.close()
    one.close()


async def test_to_renew_it_waits_for_no_disk_and_no_standby(postgres: PostgresServer) -> None:
    """Another server could not write either, so it must not take over and be slow in its turn."""
    url = postgres.database("waiting")
    one, other = lease_of(url, "one"), lease_of(url, "other")
    one.attempt()
    postgres.set("synchronous_standby_names", "nobody")
    try:
        with psycopg.connect(url, autocommit=True) as raw:
            raw.execute("SET synchronous_commit = off")
            raw.execute("UPDATE lobug_lease.lease SET renewed_until = now() - interval '1 hour'")
        await asyncio.wait_for(asyncio.to_thread(one.attempt), PATIENCE_S)
        one.require()
        other.attempt()
        assert isinstance(other.fault, StorageHeldError)
    finally:
        postgres.set("synchronous_standby_names", "")
    other.close()
    one.close()


@pytest.mark.parametrize("kind", [Lease, Membership])
async def test_a_lock_on_its_row_costs_nobody_the_lease(
    postgres: PostgresServer, kind: type[Lease], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_module, "LONGEST_WAIT_S", 0.3, raising=False)
    url = postgres.database(f"locked_{kind.__name__.lower()}")
    lease = kind(LeaseOptions("lobug one", LASTING_S, "one"), Address.of(url), PATIENCE_S)
    lease.attempt()
    session, renewed_at = lease._raw, lease._renewed_at
    with psycopg.connect(url) as locking:
        locking.execute("LOCK TABLE lobug_lease.lease IN SHARE MODE")
        if kind is Membership:
            locking.execute("LOCK TABLE lobug_lease.servers IN SHARE MODE")
        async with asyncio.timeout(PATIENCE_S / 4):
            await asyncio.to_thread(lease.attempt)
        lease.require()
        assert lease._renewed_at == renewed_at, "it was not renewed"
    lease.attempt()
    lease.require()
    assert lease._renewed_at > renewed_at
    assert lease._raw is session
    assert lease.times_taken == 1
    lease.close()


async def test_a_server_follows_to_the_standby_that_was_promoted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Though the old primary is silent and keeps what was asked of it, not refusing anything. The
    server stays there when the old primary comes back, which stands first in the address."""
    monkeypatch.setattr(hosts_module, "HEAD_START_S", 0.01)
    monkeypatch.setattr(hosts_module, "AGAIN_S", 0.01)
    primary = started(fsync="off", shared_buffers="16MB")
    standby = primary.standby()
    primary.database("followed")
    url = f"postgresql://lobug@/followed?host={primary.folder},{standby.folder}&port=5432,5432"
    where = "SELECT current_setting('unix_socket_directories')"
    lease = Lease(LeaseOptions("lobug one", LASTING_S, "one"), Address.of(url), LASTING_S)
    lease.attempt()
    database = opened_with(lease, url)
    await database.open(lambda _: None)
    await database.write("insert", insert)
    given_up = await database.read(lambda c: parameters(c)["tcp_user_timeout"])
    assert given_up == str(round(LASTING_S * 1000)), "not later than the lease"
    primary.stop(signal.SIGKILL)
    lease.attempt()
    with pytest.raises(StorageError) as raised:
        lease.require()
    assert f"{primary.folder}/" in str(raised.value)
    assert "standby" in str(raised.value)
    primary.start()
    lease.attempt()
    assert lease.times_taken == 1, "nobody else had it"

    assert primary.process is not None
    computer = psutil.Process(primary.process.pid)
    frozen = [computer, *computer.children()]
    frozen_now = threading.Event()

    def hang(connection: Connection) -> None:
        for process in reversed(frozen):
            process.suspend()
        frozen_now.set()
        run(connection, "SELECT 1")

    hanging = asyncio.ensure_future(database.write("hang", hang))
    await asyncio.to_thread(frozen_now.wait, PATIENCE_S)
    connecting = asyncio.ensure_future(asyncio.to_thread(database._own_connection))
    lease._drop()  # as if the silence had lasted too long
    following = asyncio.ensure_future(asyncio.to_thread(lease.attempt))
    try:
        await asyncio.to_thread(standby.promote)
        async with asyncio.timeout(PATIENCE_S):
            await following
            lease.require()
            assert lease.times_taken == 2
            for lost in (hanging, connecting):
                with pytest.raises((StorageError, psycopg.OperationalError)):
                    await lost
        assert computer.status() == psutil.STATUS_STOPPED, "it has refused nothing"
    finally:
        for process in frozen:
            process.resume()
    primary.stop(signal.SIGKILL)

    with pytest.raises(StorageHeldError, match="opened anew"):
        await database.read(lambda _: None)
    await database.close()
    primary.start()
    await database.open(lambda _: None)
    assert await database.read(lambda c: run(c, where).scalar()) == str(standby.folder)
    kept = 'SELECT "user" FROM turn_owners'
    assert await database.read(lambda c: run(c, kept).scalar()) == "ada"
    await database.write("delete", lambda c: run(c, "DELETE FROM turn_owners"))
    await database.close()
    lease.close()
    primary.stop(signal.SIGQUIT)
    standby.stop(signal.SIGQUIT)


async def test_it_has_run_out_when_it_could_not_be_renewed_for_as_long_as_it_lasts(
    postgres: PostgresServer,
) -> None:
    """Before the server has heard why: another one may have it by then."""
    url = postgres.database("run_out")
    one, other = lease_of(url, "one"), lease_of(url, "other")
    one.attempt()
    assert one.left_s > 0.0
    told: list[StorageError | None] = []
    one.changed = lambda: told.append(one.fault)
    one._renewed_at -= LASTING_S
    with pytest.raises(StorageError, match="has not answered"):
        one.require()
    one.attempt()
    one.require()
    assert told == [None]
    one._renewed_at -= LASTING_S
    age(url)
    other.attempt()
    other.require()
    one.attempt()
    assert isinstance(told[-1], StorageHeldError)
    other.close()
    one.close()


async def ready(http: httpx.AsyncClient) -> bool:
    return (await http.get("/ready")).status_code == 200


async def test_a_second_server_stands_ready_and_takes_over(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.database("two")
    async with running(house(tmp_path / "b", url), quiet_engines()) as (second, _):
        pass  # the tables are made
    first_house = running(house(tmp_path / "a", url), quiet_engines())
    first, _ = await first_house.__aenter__()
    async with running(house(tmp_path / "b", url), quiet_engines()) as (second, _):
        assert await ready(first)
        assert (await say(first, "My sister Hanna lives in Rome.")).status_code == 200
        assert_problem(await second.get("/ready"), 503, "storage_held")
        assert_problem(await say(second), 503, "storage_held")
        health = (await second.get("/health")).json()
        assert health["status"] == "degraded"
        assert "lobug_stands_by 1.0" in (await second.get("/metrics")).text
        (why,) = health["degraded"]
        assert why.startswith("database: the server on ")
        await first_house.__aexit__(None, None, None)

        await until(lambda: ready(second))
        answer = await say(second, "Where does my sister live?")
        assert "Rome" in answer.json()["response"]
        assert (await second.get("/health")).json()["status"] == "ok"


async def test_a_server_that_lost_it_sends_its_devices_away_and_comes_back(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.database("lost")
    other = lease_of(url, "other")
    async with running(house(tmp_path, url), quiet_engines()) as (http, _):
        async with device(str(http.base_url)) as client:
            assert (await say(http, "My sister Hanna lives in Rome.")).status_code == 200
            while other.fault is not None:  # unless it renews in between
                await asyncio.to_thread(age, url)
                await asyncio.to_thread(other.attempt)
            async with asyncio.timeout(PATIENCE_S):
                await client.closed.wait()
            assert client.socket.close_code == 1001
        assert_problem(await http.get("/ready"), 503, "storage_held")
        assert_problem(await say(http), 503, "storage_held")
        other.close()
        await until(lambda: ready(http))
        answer = await say(http, "Where does my sister live?")
        assert "Rome" in answer.json()["response"]


async def test_a_killed_server_is_replaced_and_no_word_is_lost(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.database("killed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Program([str(PROGRAM), str(tmp_path / "a"), str(port), url], output=tmp_path / "log")
    address = f"http://127.0.0.1:{port}"
    try:
        async with httpx.AsyncClient(base_url=address, timeout=PATIENCE_S) as first:
            await until(lambda: answers(first))
            async with running(house(tmp_path / "b", url), quiet_engines()) as (second, _):
                assert not await ready(second)
                assert (await say(first, "My sister Hanna lives in Rome.")).status_code == 200
                program.send_signal(signal.SIGKILL)
                await until(lambda: ready(second))
                answer = await say(second, "Where does my sister live?")
                assert "Rome" in answer.json()["response"]
    finally:
        program.kill()


async def answers(http: httpx.AsyncClient) -> bool:
    try:
        return await ready(http)
    except httpx.TransportError:
        return False
