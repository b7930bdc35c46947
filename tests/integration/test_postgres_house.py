"""A whole Lo-Bug that keeps everything in PostgreSQL (``LOBUG_DATABASE__URL``)."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from typer.testing import CliRunner

from lobug.cli.app import app as commands
from lobug.cli.direct import DirectMemoryTransport
from lobug.diagnosis.findings import Level
from lobug.diagnosis.postgres import check_postgres, judge
from lobug.diagnosis.running import examine
from lobug.errors import StorageDriverError
from lobug.server import LobugServer
from lobug.settings import DatabaseSettings, Settings
from lobug.storage.places import DatabasePlace
from lobug.storage.postgres.database import PostgresDatabase, PostgresOptions
from lobug.storage.postgres.inspection import Inspection, _is_here, inspect
from lobug.storage.postgres.lease import Standing
from lobug.storage.postgres.schemas import STEPS
from support.app_server import running, settings_for
from support.faults import until
from support.memory_app import quiet_engines
from support.patience import PATIENCE_S
from support.postgres_server import PostgresServer, started
from support.webhook_receiver import SECRET

NEWEST = {name: len(steps) for name, steps in STEPS.items()}
PASSWORD = "geheim"
NOBODY = "http://127.0.0.1:9/nobody"
"""Where nothing listens."""
DEVICE = {"Device-Id": "aa:bb:cc:dd:ee:01", "Client-Id": "c1", "User-Agent": "test/1.0"}


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    server = started(fsync="off", shared_buffers="16MB")
    yield server
    if server.process is not None:
        server.stop()


def url_of(server: PostgresServer, name: str) -> str:
    """Where a new database is, with a password, which this server does not ask for."""
    return server.database(name).replace("lobug@", f"lobug:{PASSWORD}@")


def house(folder: Path, url: str, **sections: Any) -> Settings:
    database = {"url": url, "patience_s": PATIENCE_S}
    return settings_for(folder, database=database, **sections)


async def said(http: httpx.AsyncClient, text: str) -> str:
    answer = await http.post("/chat/text", json={"text": text})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["response"])


async def pair(http: httpx.AsyncClient) -> str:
    """Pair a device. Returns its token."""
    asked = (await http.post("/xiaozhi/ota/", json={}, headers=DEVICE)).json()
    code = asked["activation"]["code"]
    assert (await http.post("/devices/approve", json={"code": code})).status_code == 200
    told = (await http.post("/xiaozhi/ota/", json={}, headers=DEVICE)).json()
    return str(told["websocket"]["token"])


async def waits(server: LobugServer) -> bool:
    """Whether webhooks wait for their receiver."""
    return server.webhooks.waiting > 0


async def healthy(http: httpx.AsyncClient) -> bool:
    return not (await http.get("/health")).json()["degraded"]


async def test_everything_outlives_a_restart_and_nothing_is_in_a_file(
    tmp_path: Path, postgres: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="lobug")
    webhooks = {"url": NOBODY, "secret": SECRET, "events": ["heard"]}
    settings = house(tmp_path, url_of(postgres, "restarted"), webhooks=webhooks)
    async with running(settings, quiet_engines()) as (http, _):
        await said(http, "My sister Hanna lives in Rome.")
        assert "Rome" in await said(http, "Where does my sister live?")
        await said(http, "Set a pasta timer for one hour.")
        token = await pair(http)
        pages = [await http.get(path) for path in ("/health", "/settings", "/web/doctor")]
    async with running(settings, quiet_engines()) as (http, server):
        assert "Rome" in await said(http, "Where does my sister live?")
        (timer,) = (await http.get("/alerts")).json()["alerts"]
        assert timer["label"] == "pasta"
        (device,) = (await http.get("/devices")).json()["devices"]
        assert device["id"] == DEVICE["Device-Id"]
        headers = {**DEVICE, "Authorization": f"Bearer {token}"}
        asked = await http.post("/chat/text", json={"text": "Hello."}, headers=headers)
        assert asked.status_code == 200
        assert server.webhooks.waiting >= 3
        assert (await http.get("/health")).json()["memory"]["messages"] >= 8
    files = [path.name for path in settings.data_dir.rglob("*") if path.is_file()]
    assert not [name for name in files if ".db" in name]
    sampled = await asyncio.to_thread(samples, settings.database.url.get_secret_value())
    assert "alerts.due_at" in sampled
    assert "alerts.label" not in sampled
    assert all(page.status_code == 200 for page in pages)
    assert PASSWORD not in caplog.text + "".join(page.text for page in pages)


async def test_a_database_that_stops_is_said_and_missed_no_longer_than_it_is_gone(
    tmp_path: Path, postgres: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    settings = house(tmp_path, url_of(postgres, "stopped"))
    async with running(settings, quiet_engines()) as (http, _):
        await said(http, "My sister Hanna lives in Rome.")
        await asyncio.to_thread(postgres.stop)
        try:
            answer = await http.post("/chat/text", json={"text": "Where does my sister live?"})
            assert answer.status_code == 503
            assert answer.json()["error"]["code"] == "storage_failed"
            assert answer.json()["response"].startswith("My memory is not working right now.")
            health = (await http.get("/health")).json()
            assert health["status"] == "degraded"
            # Whoever notices first says it: the memory that was asked, or the lease in its turn.
            first = health["degraded"][0]
            assert first.startswith(("memory: ", "database: "))
            assert "/stopped cannot be reached" in first
        finally:
            await asyncio.to_thread(postgres.start)

        await until(lambda: healthy(http))
        assert "Rome" in await said(http, "Where does my sister live?")
    assert PASSWORD not in caplog.text + json.dumps(health) + answer.text


async def test_a_server_that_starts_before_its_database_waits_for_it(
    tmp_path: Path, postgres: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    webhooks = {"url": NOBODY, "secret": SECRET}
    settings = house(tmp_path, url_of(postgres, "late"), webhooks=webhooks)
    await asyncio.to_thread(postgres.stop)
    try:
        async with running(settings, quiet_engines()) as (http, server):
            server.memory_retry_s = 0.1
            health = (await http.get("/health")).json()
            assert health["status"] == "degraded"
            assert "/late cannot be reached" in caplog.text
            assert PASSWORD not in caplog.text
            await asyncio.to_thread(postgres.start)

            await until(lambda: healthy(http))
            await said(http, "My sister Hanna lives in Rome.")
            await until(lambda: waits(server))
            await pair(http)
            await said(http, "Set a pasta timer for one hour.")
    finally:
        if postgres.process is None:
            await asyncio.to_thread(postgres.start)


@pytest.mark.parametrize("away", [False, True], ids=["", "database away at start"])
async def test_words_wait_no_longer_where_webhooks_are_off(
    tmp_path: Path, postgres: PostgresServer, *, away: bool
) -> None:
    url = url_of(postgres, f"off_{away}".lower())
    webhooks = {"url": NOBODY, "secret": SECRET, "events": ["heard"], "include_text": True}
    async with running(house(tmp_path, url, webhooks=webhooks), quiet_engines()) as (http, _):
        await said(http, "Walnuts are for Hanna.")
    assert waiting_words(url)[0] is not None
    if away:
        await asyncio.to_thread(postgres.stop)
    try:
        async with running(house(tmp_path, url), quiet_engines()) as (http, server):
            server.memory_retry_s = 0.1
            if away:
                assert not await healthy(http)
                await asyncio.to_thread(postgres.start)
            await until(lambda: healthy(http))
            await until(lambda: asyncio.to_thread(lambda: not waiting_words(url)))
    finally:
        if postgres.process is None:
            await asyncio.to_thread(postgres.start)


async def test_a_start_opens_everything_at_once(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a start without PostgreSQL waits for it once, not four times."""
    together = threading.Barrier(4, timeout=PATIENCE_S)
    connect = PostgresDatabase._connect

    def wait(database: PostgresDatabase) -> None:
        together.wait()
        connect(database)

    monkeypatch.setattr(PostgresDatabase, "_connect", wait)
    async with running(house(tmp_path, url_of(postgres, "at_once")), quiet_engines()) as (http, _):
        assert await healthy(http)


async def test_forgetting_does_not_open_an_unused_outbox_each_time(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    def count(database: PostgresDatabase, raw: Any) -> None:
        opened.append(database)
        migrate(database, raw)

    migrate = PostgresDatabase.prepare
    monkeypatch.setattr(PostgresDatabase, "prepare", count)
    async with running(house(tmp_path, url_of(postgres, "unused")), quiet_engines()) as (http, _):
        assert len(opened) == 4
        for _ in range(2):
            answer = await http.post("/memory/purge", json={"older_than_days": 1, "confirm": True})
            assert answer.status_code == 200
    assert len(opened) == 4


def waiting_words(url: str) -> list[Any]:
    return rows(url, "SELECT content FROM lobug_webhooks.outbox")


def samples(url: str) -> list[str]:
    """The columns of agenda of which PostgreSQL keeps samples, after it has looked for some."""
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("ANALYZE")
    query = "SELECT tablename || '.' || attname FROM pg_stats WHERE schemaname = 'lobug_agenda'"
    return rows(url, query)


def rows(url: str, query: str) -> list[Any]:
    with psycopg.connect(url) as raw:
        return [row[0] for row in raw.execute(query.encode()).fetchall()]


def test_a_command_without_a_server_uses_it_too(tmp_path: Path, postgres: PostgresServer) -> None:
    settings = house(tmp_path, url_of(postgres, "direct"))
    for _ in range(2):
        with direct(settings) as http:
            added = http.post("/memory/entries", json={"content": "Hanna lives in Rome"})
            found = http.get("/memory/search", params={"q": "Hanna"}).json()
    assert added.status_code < 300, added.text
    assert "Rome" in json.dumps(found)
    assert not list(settings.data_dir.glob("*.db*"))


def test_a_person_moves_from_a_file_to_it_and_back(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    there = house(tmp_path / "there", url_of(postgres, "moved"))
    places = [settings_for(tmp_path / "here"), there, settings_for(tmp_path / "back")]
    with direct(places[0]) as http:
        http.post("/memory/entries", json={"content": "Hanna lives in Rome"}).raise_for_status()
        document = before = http.get("/memory/export").json()
    for settings in places[1:]:
        with direct(settings) as http:
            done = http.post("/memory/import", json=document)
            assert done.status_code == 200, done.text
            document = http.get("/memory/export").json()
            assert [one["content"] for one in document["entries"]] == ["Hanna lives in Rome"]
    assert without_times(document) == without_times(before)


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "exported_at"}


@contextmanager
def direct(settings: Settings) -> Iterator[httpx.Client]:
    """The routes of memory without a server."""
    transport = DirectMemoryTransport(settings)
    with httpx.Client(transport=transport, base_url="http://127.0.0.1") as http:
        yield http


def command(
    monkeypatch: pytest.MonkeyPatch, folder: Path, url: str, *words: str
) -> tuple[int, str]:
    """Run a command with a database. Returns its exit code and all that it printed."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LOBUG_DATA_DIR", str(folder / "data"))
    monkeypatch.setenv("LOBUG_DATABASE__URL", url)
    done = CliRunner().invoke(commands, list(words))
    return done.exit_code, done.output


def test_commands_say_that_there_is_no_database_and_never_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"postgresql://lobug:{PASSWORD}@127.0.0.1:9/house"
    code, printed = command(monkeypatch, tmp_path, url, "memory", "users")
    assert code == 1
    assert "postgresql://127.0.0.1/house cannot be reached" in " ".join(printed.split())
    for words in (["memory", "users", "--json"], ["config"], ["config", "--json"]):
        _, more = command(monkeypatch, tmp_path, url, *words)
        printed += more
    found = list(examine(house(tmp_path, url)))
    assert Level.FAIL in {one.level for one in found if one.name == "database"}
    printed += str(found)
    assert "********" in printed
    assert PASSWORD not in printed
    wrong = f"mysql://lobug:{PASSWORD}@127.0.0.1/house"
    code, printed = command(monkeypatch, tmp_path, wrong, "memory", "users")
    assert code == 1
    assert "it is no address like postgresql://" in printed
    assert PASSWORD not in printed
    with pytest.raises(ValueError, match="it is no address") as raised:
        Settings()
    assert PASSWORD not in str(raised.value)


def test_a_driver_that_is_not_installed_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.startswith("lobug.storage.postgres.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    settings = house(tmp_path, "postgresql://127.0.0.1:9/house")
    with pytest.raises(StorageDriverError, match=r"pip install 'lobug\[postgres\]'") as raised:
        DirectMemoryTransport(settings)
    assert raised.value.code == "storage_driver"
    (finding,) = check_postgres(settings.database)
    assert (finding.level, finding.name) == (Level.FAIL, "database")
    assert "lobug[postgres]" in finding.advice
    code, printed = command(monkeypatch, tmp_path, "postgresql://127.0.0.1:9/x", "memory", "users")
    assert code == 1
    assert "lobug[postgres]" in printed
    assert "Traceback" not in printed


def test_the_password_is_in_no_representation() -> None:
    url = f"postgresql://a:{PASSWORD}@h/x"
    settings = DatabaseSettings.model_validate({"url": url})
    place = DatabasePlace.of(settings)
    assert place.url == url
    assert PASSWORD not in repr((place, settings, PostgresOptions(url)))


def test_without_the_setting_nothing_of_postgresql_is_imported(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from lobug.app import create_app;"
        "from lobug.assembly import with_memory;"
        "from support.app_server import settings_for; from support.memory_app import quiet_engines;"
        f"with_memory(settings_for(Path({str(tmp_path)!r})), quiet_engines().engines());"
        "print([one for one in sys.modules if one.startswith("
        "('psycopg', 'lobug.storage.postgres', 'sqlalchemy.dialects.postgresql'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout == "[]\n"


async def test_there_are_never_more_connections_than_wanted(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    settings = house(tmp_path, url_of(postgres, "counted"))
    async with running(settings, quiet_engines()) as (http, _):
        await asyncio.gather(*(said(http, f"I have {n} hens.") for n in range(8)))
        open_now = await asyncio.to_thread(
            rows,
            postgres.url_of("counted"),
            "SELECT count(*) FROM pg_stat_activity WHERE datname = 'counted'"
            " AND application_name LIKE 'lobug%'",
        )
    assert 2 <= open_now[0] <= settings.database.connections + 1  # that of the lease


# ---- lobug doctor

GOOD = Inspection(
    "postgresql://h/x", "18.1", 180_001, True, "there", True, dict(NEWEST), (), (0, 4), False
)


@pytest.mark.parametrize(
    ("changes", "name", "level", "words"),
    [
        ({}, "database", Level.OK, "postgresql://h/x, PostgreSQL 18.1"),
        ({"version_number": 160_004}, "database", Level.FAIL, "needs 17 or newer"),
        ({"knows_letters": False}, "database", Level.FAIL, "only A to Z as letters"),
        ({"vectors": "addable"}, "pgvector", Level.OK, "at the first start"),
        ({"vectors": "forbidden"}, "pgvector", Level.FAIL, "may not add"),
        ({"vectors": "missing"}, "pgvector", Level.FAIL, "not installed"),
        ({}, "schemas", Level.OK, f"lobug_memory {NEWEST['lobug_memory']}"),
        ({"versions": {}}, "schemas", Level.OK, "made at the first start: lobug_memory"),
        ({"versions": {}, "may_create": False}, "schemas", Level.FAIL, "may not make schemas"),
        ({"may_create": False}, "schemas", Level.OK, f"lobug_memory {NEWEST['lobug_memory']}"),
        ({"versions": {**NEWEST, "lobug_agenda": 9}}, "schemas", Level.FAIL, "lobug_agenda"),
        (
            {"versions": {**NEWEST, "lobug_access": None}, "closed": ("lobug_access",)},
            "schemas",
            Level.FAIL,
            "may not use or change: lobug_access",
        ),
        ({"backlog": (3, 4)}, "claims", Level.WARN, "1 of 4"),
        (
            {"standing": Standing("desk", 3)},
            "servers",
            Level.OK,
            "on desk has the database; others",
        ),
        (
            {"standing": Standing(None, 2, together=2)},
            "servers",
            Level.OK,
            "at once on it: 2",
        ),
        ({"exposed": True}, "encryption", Level.WARN, "unencrypted"),
    ],
)
def test_what_doctor_says(changes: dict[str, Any], name: str, level: Level, words: str) -> None:
    found = {one.name: one for one in judge(replace(GOOD, **changes), NEWEST)}
    assert (found[name].level, words in found[name].message) == (level, True), found[name]


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("192.168.1.7", False),
        ("fe80::1%en0", False),
    ],
)
def test_words_that_stay_on_this_computer_need_no_encryption(address: str, *, here: bool) -> None:
    assert _is_here(address) == here


def test_doctor_tells_of_files_that_no_forgetting_reaches(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    settings = house(tmp_path, url_of(postgres, "files_left"))
    settings.data_dir.mkdir(exist_ok=True)
    assert not [one for one in examine(settings) if one.name == "files"]
    for name in ("agenda.db", "lobug_memory.db-wal", "settings.json"):
        (settings.data_dir / name).write_bytes(b"words")
    (found,) = [one for one in examine(settings) if one.name == "files"]
    assert found.level is Level.WARN
    assert "agenda.db, lobug_memory.db-wal" in found.message
    assert "settings.json" not in found.message


def test_doctor_looks_into_a_database_and_changes_nothing(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = url_of(postgres, "looked_into")
    names = tuple(NEWEST)
    new = inspect(url, names, patience_s=PATIENCE_S)
    assert (new.vectors, new.may_create, set(new.versions.values())) == (
        "addable",
        True,
        {None},
    )
    with psycopg.connect(postgres.url, autocommit=True) as raw:
        raw.execute("CREATE ROLE guest LOGIN")
    guest = url.replace(f"lobug:{PASSWORD}", "guest")
    seen = inspect(guest, names, patience_s=PATIENCE_S)
    assert (seen.vectors, seen.may_create) == ("forbidden", False)
    assert rows(url, "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'lobug%'") == [0]

    DirectMemoryTransport(house(tmp_path, url)).close()
    found = check_postgres(house(tmp_path, url).database)
    assert {one.name: one.level for one in found} == {
        "database": Level.OK,
        "pgvector": Level.OK,
        "schemas": Level.OK,
        "claims": Level.OK,
    }
    assert inspect(guest, names, patience_s=PATIENCE_S).closed == ("lobug_memory",)
