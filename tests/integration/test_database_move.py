"""``lobug database move``: everything from the files to PostgreSQL and back, on the real ones."""

from __future__ import annotations

import asyncio
import hashlib
import random
import re
import shutil
import signal
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from psycopg import sql
from typer.testing import CliRunner, Result

from lobug.cli.app import app as commands
from lobug.cli.direct import DirectMemoryTransport
from lobug.data_folder.claim import Claim
from lobug.database_move.files import DERIVATIONS as FILE_DERIVATIONS
from lobug.database_move.files import moving
from lobug.database_move.house import HouseDatabase, house_databases
from lobug.database_move.postgres import DERIVATIONS as POSTGRES_DERIVATIONS
from lobug.database_move.postgres import NAME, PATIENT, PostgresSource
from lobug.errors import (
    MoveDifferenceError,
    MoveTargetError,
    StorageBusyError,
    StorageNewerError,
    StorageOlderError,
    StorageReadOnlyError,
    StorageUnfinishedError,
)
from lobug.memory.model import Draft, Filter, MemoryScope
from lobug.memory.service import Memory
from lobug.settings import Settings
from lobug.storage.database import MOVE_TABLE
from lobug.storage.driver import connect
from lobug.storage.places import DatabasePlace
from lobug.storage.postgres.database import PostgresDatabase, PostgresOptions
from lobug.storage.postgres.migration import TABLES as OWN_TABLES
from lobug.storage.postgres.schemas import STEPS
from lobug.storage.sqlite_database import DatabaseOptions
from support import moved_house, postgres, programs
from support.memory_kit import exchange, started
from support.moved_house import answers, build, house_of, kit_of, moved, settings_of, sides
from support.patience import PATIENCE_S

CHILD = str(Path(moved_house.__file__))
_numbers = count(1)


def new_database() -> str:
    """Where an empty database is."""
    return postgres.server().database(f"move_{next(_numbers)}")


@dataclass(frozen=True)
class Moved:
    """A house that was moved to PostgreSQL, and from there to files again."""

    folder: Path
    url: str
    back: Path
    there: Result
    again: Result
    files_before: dict[str, str]
    files_after: dict[str, str]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house in files. Nobody changes it."""
    folder = tmp_path_factory.mktemp("house")
    asyncio.run(build(folder))
    return folder


@pytest.fixture(scope="module")
def round_trip(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Moved:
    """The house, moved by the command there and back."""
    url, back = new_database(), tmp_path_factory.mktemp("back")
    before = digests(house)
    there = command(house, "--to", url)
    after = digests(house)
    again = command(back, "--to", "files", LOBUG_DATABASE__URL=url)
    return Moved(house, url, back, there, again, before, after)


def copy_of(url: str) -> str:
    """A copy of a database that a test may change."""
    template = re.sub(r".*/(\w+)\?.*", r"\1", url)
    return postgres.server().database(f"move_{next(_numbers)}", template)


def command(folder: Path, *words: str, **environment: str) -> Result:
    """Run ``lobug database move`` on the data folder of a house."""
    data = settings_of(folder).data_dir
    env = {"LOBUG_DATA_DIR": str(data), "LOBUG_DATABASE__PATIENCE_S": "20", **environment}
    return CliRunner().invoke(commands, ["database", "move", *words], env=env)


def digests(folder: Path) -> dict[str, str]:
    """The files of the databases and what is in them, byte by byte."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(settings_of(folder).data_dir.glob("*.db*"))
    }


def rows(url: str, query: str) -> list[Any]:
    with psycopg.connect(url) as raw:
        return raw.execute(query.encode()).fetchall()


def rows_of(url: str) -> dict[str, list[Any]]:
    """All tables of a house in PostgreSQL, whatever they are, but what tells of moves and
    writes."""
    found = {}
    with psycopg.connect(url) as raw:
        tables = raw.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE 'lobug%'"
        ).fetchall()
        for schema, table in tables:
            if table not in {MOVE_TABLE, "written", "schema_version"}:
                query = sql.SQL("SELECT t::text FROM {} t ORDER BY 1")
                found[f"{schema}.{table}"] = raw.execute(
                    query.format(sql.Identifier(schema, table))
                ).fetchall()
    return found


def file_rows(folder: Path) -> dict[str, list[Any]]:
    """All tables of a house in files that people can read, indexes of words and vectors too."""
    found = {}
    for one in house_databases(settings_of(folder)):
        connection = connect(str(one.path), timeout_s=PATIENCE_S)
        for (table,) in connection.execute(
            "SELECT name FROM pragma_table_list WHERE type IN ('table', 'virtual')"
            " AND schema = 'main' AND name NOT LIKE 'sqlite_schema'"
        ).fetchall():
            if table not in {MOVE_TABLE, "turn_text"}:
                query = f'SELECT * FROM "{table}"'
                found[f"{one.name}.{table}"] = sorted(
                    map(repr, connection.execute(query).fetchall())
                )
        connection.close()
    return found


def test_all_is_moved_there_and_back_and_nothing_is_changed_here(round_trip: Moved) -> None:
    assert round_trip.there.exit_code == 0, round_trip.there.output
    assert round_trip.again.exit_code == 0, round_trip.again.output
    told = re.search(r"Moved: (\d+) rows in (\d+) tables", round_trip.there.output)
    assert told is not None
    assert int(told[1]) > 1000
    assert told[0] in round_trip.again.output
    assert "set LOBUG_DATABASE__URL" in round_trip.there.output
    assert "remove LOBUG_DATABASE__URL" in round_trip.again.output
    assert round_trip.files_before == round_trip.files_after
    assert len(round_trip.files_before) == 4
    assert file_rows(round_trip.back) == file_rows(round_trip.folder)
    assert not list(settings_of(round_trip.back).data_dir.glob("*.moving*"))


def test_what_is_found_and_exported_is_the_same(round_trip: Moved, tmp_path: Path) -> None:
    shutil.copytree(round_trip.folder, tmp_path / "copy")
    shutil.copytree(round_trip.back, tmp_path / "back")
    settings = settings_of(tmp_path / "nowhere")
    url = copy_of(round_trip.url)
    there = settings.model_copy(update={"database": settings.database.model_validate({"url": url})})
    for user in ("ada", "bob"):
        document = exported(settings_of(tmp_path / "copy"), user)
        assert len(document) > 10_000
        assert exported(there, user) == document
        assert exported(settings_of(tmp_path / "back"), user) == document
    expected = asyncio.run(answers(tmp_path / "copy"))
    assert all(len(found) >= 8 for found in expected)
    assert asyncio.run(answers(tmp_path / "back")) == expected
    assert asyncio.run(answers(tmp_path, DatabasePlace(url))) == expected


def exported(settings: Settings, user: str) -> bytes:
    """The export of a person, without its own time."""
    transport = DirectMemoryTransport(settings)
    with httpx.Client(transport=transport, base_url="http://127.0.0.1") as http:
        answer = http.get("/memory/export", params={"user": user})
        assert answer.status_code == 200, answer.text
        return re.sub(rb'"exported_at":[^,]*,', b"", answer.content)


OBJECTS = """
SELECT n.nspname || '.' || t.relname || ' ' || c.conname || ' ' || pg_get_constraintdef(c.oid)
FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
JOIN pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname LIKE 'lobug%'
UNION ALL SELECT pg_get_triggerdef(g.oid) || ' ' || g.tgenabled::text FROM pg_trigger g
WHERE NOT g.tgisinternal
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname LIKE 'lobug%'
UNION ALL SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname LIKE 'lobug%'
ORDER BY 1
"""


def test_nothing_is_left_out_of_the_tables_nor_taken_away_from_them(
    round_trip: Moved, tmp_path: Path
) -> None:
    """Whoever declares a new table, or keeps another index, finds it missing here."""
    url = new_database()
    for one in house_databases(settings_of(tmp_path)):
        make_schema(url, one)
    fresh = {name for (name,) in rows(url, OBJECTS)}
    found = {name for (name,) in rows(round_trip.url, OBJECTS)}
    assert fresh <= found
    assert {re.sub(r".*(memory_facts|move_progress).*", r"\1", name) for name in found - fresh} == {
        "memory_facts",
        MOVE_TABLE,
    }
    own = {
        re.split(r"[ (]", text.removeprefix("CREATE TABLE IF NOT EXISTS "))[0]
        for text in OWN_TABLES
    }
    derived = {one.name for one in POSTGRES_DERIVATIONS}
    for one in house_databases(settings_of(round_trip.back)):
        tables = rows(
            round_trip.url, f"SELECT tablename FROM pg_tables WHERE schemaname = '{one.schema}'"
        )
        declared = set(one.tables.tables)
        known = declared | own | {MOVE_TABLE}
        if one.has_indexes:
            known |= derived | {"memory_facts"}
        assert {name for (name,) in tables} == known
        assert made_by_migrations(one) == objects_of_file(one.path)


def made_by_migrations(one: HouseDatabase) -> set[tuple[str, str]]:
    connection = connect(":memory:", timeout_s=1.0)
    for step in one.steps:
        step(connection, "")
    found = connection.execute("SELECT name, sql FROM sqlite_master").fetchall()
    connection.close()
    assert {name for name, _ in found} >= set(one.tables.tables)
    derived = {one.name for one in FILE_DERIVATIONS} | {"turn_terms"}
    virtual = {name for name, text in found if "VIRTUAL TABLE" in (text or "")}
    assert virtual == (derived if one.has_indexes else set())
    return set(found)


def objects_of_file(path: Path) -> set[tuple[str, str]]:
    connection = connect(str(path), timeout_s=PATIENCE_S)
    found = connection.execute("SELECT name, sql FROM sqlite_master").fetchall()
    if path.name.startswith("lobug"):
        for text in ("memories_text", "turn_text"):
            connection.execute(f"INSERT INTO {text} ({text}, rank) VALUES ('integrity-check', 1)")
    connection.close()
    ours = re.compile(rf"(sqlite_autoindex_)?(memory_facts|{MOVE_TABLE})")
    return {(name, text) for name, text in found if not ours.match(name)}


def make_schema(url: str, one: HouseDatabase) -> None:
    open_as_server(one, url)


def open_as_server(one: HouseDatabase, url: str | None) -> None:
    """Open a database and close it."""

    async def open_once() -> None:
        file = DatabaseOptions(one.path, steps=one.steps)
        database = DatabasePlace(url).database(one.name, file, clock=lambda: 0.0)
        await database.open(lambda _: None)
        await database.close()

    asyncio.run(open_once())


def test_ids_are_not_given_again_on_either_side(round_trip: Moved) -> None:
    """Of alerts the third was deleted."""
    added = (
        "INSERT INTO {}notes (\"user\", content, created_at) VALUES ('ada', 'x', 1) RETURNING id"
    )
    with psycopg.connect(copy_of(round_trip.url)) as raw:
        assert raw.execute(added.format("lobug_agenda.").encode()).fetchone() == (4,)
        raw.rollback()
    connection = connect(
        str(settings_of(round_trip.back).data_dir / "agenda.db"), timeout_s=PATIENCE_S
    )
    connection.execute("BEGIN")
    assert connection.execute(added.format("")).fetchone() == (4,)
    connection.execute("ROLLBACK")
    connection.close()


def test_a_second_move_compares_and_copies_nothing(round_trip: Moved, tmp_path: Path) -> None:
    """As after a crash between the last step and its announcement."""
    there = command(round_trip.folder, "--to", "postgres", LOBUG_DATABASE__URL=round_trip.url)
    back = command(round_trip.back, "--to", "files", LOBUG_DATABASE__URL=round_trip.url)
    for done in (there, back):
        assert done.exit_code == 0, done.output
        assert "completed at 20" in done.output
        assert "Nothing was copied now; both were compared again" in done.output
    # What was written since, on either side, would be lost with the source.
    url, folder = copy_of(round_trip.url), tmp_path / "back"
    with psycopg.connect(url) as raw:
        raw.execute("UPDATE lobug_agenda.notes SET content = 'new' WHERE id = 2")
    shutil.copytree(round_trip.back, folder)
    with moved_house.opened(house_of(folder, "agenda")) as connection:
        connection.execute("DELETE FROM notes WHERE id = 2")
    there = command(round_trip.folder, "--to", url)
    back = command(folder, "--to", "files", LOBUG_DATABASE__URL=round_trip.url)
    for done in (there, back):
        assert done.exit_code == 1
        assert "notes differs at id 2" in done.output
        assert "Nothing was copied" in done.output
    assert rows(url, "SELECT content FROM lobug_agenda.notes WHERE id = 2") == [("new",)]


KILLS = [
    ("postgres", "move.batch", 17),  # within a table
    ("files", "move.batch", 9),
    ("files", "move.noted", 2),  # of four files two are said to be whole
    ("files", "move.named", 1),  # and one has its name
]


@pytest.mark.parametrize(("direction", "point", "occurrence"), KILLS)
def test_a_move_that_was_killed_goes_on_and_ends_the_same(
    round_trip: Moved, tmp_path: Path, direction: str, point: str, occurrence: int
) -> None:
    to_files = direction == "files"
    folder = tmp_path if to_files else round_trip.folder
    url = round_trip.url if to_files else new_database()
    words = [CHILD, str(folder), url, direction, point, str(occurrence)]
    child = programs.run(words)
    assert child.returncode == -signal.SIGKILL, child.stderr
    for one in house_databases(settings_of(folder)):  # also those that have all, or nothing
        with pytest.raises(StorageUnfinishedError):
            open_as_server(one, None if to_files else url)
    if point == "move.named":
        with pytest.raises(StorageUnfinishedError, match="had got their names"):
            moved(folder, url, direction, restart=True)
    outcome, progress = moved(folder, url, direction, batch_rows=60)
    if point == "move.named":
        assert outcome.completed_before is not None
    else:
        assert 0 < outcome.resumed <= outcome.rows
        assert progress.stages[0] == ("copy", outcome.rows, outcome.resumed)
        assert progress.stages[-1] == ("compare", outcome.rows, 0)
        assert progress.rows == outcome.rows
    if to_files:
        assert file_rows(folder) == file_rows(round_trip.folder)
        assert not list(settings_of(folder).data_dir.glob("*.moving*"))
    else:
        assert rows_of(url) == rows_of(round_trip.url)
        make_schema(url, house_of(folder, "memory"))  # opens


class StoppedError(Exception):
    """Ends a move at a border."""


@pytest.mark.parametrize("direction", ["postgres", "files"])
def test_stopped_again_and_again_at_borders_it_ends_the_same(
    round_trip: Moved, tmp_path: Path, direction: str
) -> None:
    to_files = direction == "files"
    folder, url = (tmp_path, round_trip.url) if to_files else (round_trip.folder, new_database())
    stops = 0
    while True:
        try:
            moved(folder, url, direction, stopping_after(14), batch_rows=40)
            break
        except StoppedError:
            stops += 1
    assert stops > 3
    if to_files:
        assert file_rows(folder) == file_rows(round_trip.folder)
    else:
        assert rows_of(url) == rows_of(round_trip.url)


def stopping_after(borders: int) -> Callable[[str], None]:
    left = borders

    def stop(name: str) -> None:
        nonlocal left
        left -= name != "move.comparing"  # which begins anew each time
        if not left:
            raise StoppedError

    return stop


MESSAGE = (
    'INSERT INTO conversation_log ("user", conversation, role, content, created_at)'
    " VALUES ('ada', 'c', 'user', 'violins on the quarry', 1)"
)
MEMORY = (
    'INSERT INTO memories ("user", told_by, layer, category, key, content, source, said_at,'
    " created_at, updated_at, valid_from)"
    " VALUES ('ada', 'ada', 'knowledge', 'knowledge', 'k', 'bees', 'user', 1, 1, 1, 1)"
)


def test_what_changed_since_it_was_copied_is_told_and_nothing_is_said_to_be_whole(
    house: Path, tmp_path: Path
) -> None:
    folder, url = tmp_path / "house", new_database()
    shutil.copytree(house, folder)
    memory = house_of(folder, "memory")
    with moved_house.opened(memory) as connection:
        connection.execute(MEMORY)
    with pytest.raises(StoppedError):
        moved(folder, url, "postgres", stopping_at("move.compared"))
    change = "UPDATE notes SET content = {} WHERE id = 2"
    with moved_house.opened(house_of(folder, "agenda")) as connection:
        connection.execute(change.format("'a' || char(0) || 'b'"))
    with pytest.raises(MoveDifferenceError, match=r"^notes differs at id 2: "):
        moved(folder, url, "postgres")
    with psycopg.connect(url) as raw:
        raw.execute(b"UPDATE lobug_agenda.notes SET content = 'a\xef\xbf\xbdb' WHERE id = 2")
        raw.execute("DELETE FROM lobug_webhooks.outbox WHERE id = 2")
    with pytest.raises(MoveDifferenceError, match=r"^outbox differs at id 2: "):
        moved(folder, url, "postgres")
    with moved_house.opened(memory) as connection:  # a newer one in place of one that was copied
        connection.execute(
            "UPDATE memories SET status = 'past', reason = 'superseded' WHERE key = 'k'"
        )
        connection.execute(MEMORY)
    with pytest.raises(MoveDifferenceError, match=r"breaks the rule memories_key.*--restart"):
        moved(folder, url, "postgres")
    with pytest.raises(StorageUnfinishedError):
        make_schema(url, house_of(folder, "memory"))
    done = command(folder, "--to", url, "--restart")
    assert done.exit_code == 0, done.output
    assert "there now: 1." in done.output
    assert rows(url, "SELECT content FROM lobug_agenda.notes WHERE id = 2") == [("a\ufffdb",)]
    assert rows(url, "SELECT count(*) FROM lobug_memory.memories") == [
        (len(file_rows(folder)["memory.memories"]),)
    ]


@pytest.mark.parametrize("direction", ["postgres", "files"])
def test_what_came_to_the_source_since_is_moved_as_well(
    round_trip: Moved, tmp_path: Path, direction: str
) -> None:
    """Killed when triggers and links were back: what they make must not be made twice."""
    folder = tmp_path / "house"
    if direction == "postgres":
        shutil.copytree(round_trip.folder, folder)
        url = new_database()
    else:
        url = copy_of(round_trip.url)
    words = [CHILD, str(folder), url, direction, "move.comparing", "9"]
    child = programs.run(words)
    assert child.returncode == -signal.SIGKILL, child.stderr
    if direction == "postgres":
        with moved_house.opened(house_of(folder, "memory")) as connection:
            connection.execute(MESSAGE)
    else:
        with psycopg.connect(url) as raw:
            raw.execute("SET search_path = lobug_memory, public")
            raw.execute(MESSAGE)
    outcome, _ = moved(folder, url, direction)
    assert outcome.rows - 5 < outcome.resumed < outcome.rows
    if direction == "postgres":
        assert rows(url, OBJECTS) == rows(round_trip.url, OBJECTS)
        indexed = (
            "SELECT count(*) FROM lobug_memory.turn_index i JOIN lobug_memory.conversation_log"
        )
        assert rows(url, f"{indexed} l ON l.id = i.message_id WHERE l.conversation = 'c'") == [(1,)]
    else:
        memory = house_of(folder, "memory")
        assert made_by_migrations(memory) == objects_of_file(memory.path)
        open_as_server(memory, None)


def test_a_file_that_another_program_has_open_gets_no_name(
    round_trip: Moved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in its log would be lost with its old name."""
    monkeypatch.setattr("lobug.database_move.files.TIMEOUT_S", 0.1)
    others = ExitStack()

    def open_file(name: str) -> None:
        if name == "move.compared":
            path = moving(house_of(tmp_path, "access").path)
            connection = connect(str(path), timeout_s=PATIENCE_S)
            others.callback(connection.close)
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()

    with others, pytest.raises(StorageBusyError):
        moved(tmp_path, round_trip.url, "files", open_file)
    assert not list(settings_of(tmp_path).data_dir.glob("*.db"))
    outcome, _ = moved(tmp_path, round_trip.url, "files")
    assert outcome.completed_before is not None
    assert file_rows(tmp_path) == file_rows(round_trip.folder)


@pytest.mark.parametrize("direction", ["postgres", "files"])
def test_a_move_that_an_older_version_began_is_begun_again(
    round_trip: Moved, tmp_path: Path, direction: str
) -> None:
    to_files = direction == "files"
    folder, url = (tmp_path, round_trip.url) if to_files else (round_trip.folder, new_database())
    point = "move.comparing" if to_files else "move.marked"
    with pytest.raises(StoppedError):
        moved(folder, url, direction, stopping_at(point))
    agenda = house_of(folder, "agenda")
    if to_files:
        connection = connect(str(moving(agenda.path)), timeout_s=PATIENCE_S)
        connection.execute("PRAGMA user_version = 1")
        connection.close()
    else:
        for one in house_databases(settings_of(folder)):
            with pytest.raises(StorageUnfinishedError):  # though there are no tables yet
                make_schema(url, one)
        with pytest.raises(StoppedError):
            moved(folder, url, direction, stopping_at("move.comparing"))
        with psycopg.connect(url) as raw:
            raw.execute("UPDATE lobug_agenda.schema_version SET version = version - 1")
            raw.execute("DROP TABLE lobug_agenda.notes CASCADE")
    with pytest.raises(StorageOlderError, match="--restart"):
        moved(folder, url, direction)
    moved(folder, url, direction, restart=True)
    if to_files:
        assert file_rows(folder) == file_rows(round_trip.folder)
    else:
        assert rows_of(url) == rows_of(round_trip.url)


def test_whoever_does_not_own_the_tables_changes_nothing(house: Path) -> None:
    url = new_database()
    make_schema(url, house_of(house, "memory"))
    make_schema(url, house_of(house, "agenda"))
    with psycopg.connect(url) as raw:
        raw.execute("CREATE ROLE mover LOGIN")
        for schema in ("lobug_memory", "lobug_agenda"):
            for what in (f"SCHEMA {schema}", f"ALL TABLES IN SCHEMA {schema}"):
                raw.execute(f"GRANT ALL ON {what} TO mover".encode())
        raw.execute("GRANT CREATE ON DATABASE " + raw.info.dbname + " TO mover")
    with pytest.raises(StorageReadOnlyError, match="does not own the tables "):
        moved(house, url.replace("lobug@", "mover@"), "postgres")
    make_schema(url, house_of(house, "memory"))  # opens
    assert rows(url, "SELECT nspname FROM pg_namespace WHERE nspname = 'lobug_webhooks'") == []


def test_no_limit_of_time_ends_a_long_move() -> None:
    url = new_database()
    limits = "SELECT name FROM pg_settings WHERE name LIKE '%\\_timeout' AND setting <> '0'"
    with psycopg.connect(url, autocommit=True) as raw:
        for name in ("statement", "transaction", "idle_in_transaction_session", "idle_session"):
            raw.execute(f"ALTER DATABASE {raw.info.dbname} SET {name}_timeout = '1h'".encode())
    with psycopg.connect(url, autocommit=True) as raw:
        before = {name for (name,) in raw.execute(limits.encode())}
        raw.execute(PATIENT, (NAME,))
        after = {name for (name,) in raw.execute(limits.encode())}
    assert len(before - after) == 4
    assert not {name for name in after if "statement" in name or "transaction" in name}


def test_long_texts_are_not_held_in_memory_all_at_once(tmp_path: Path) -> None:
    url, agenda = new_database(), house_of(tmp_path, "agenda")
    make_schema(url, agenda)
    with psycopg.connect(url) as raw:
        raw.execute(
            'INSERT INTO lobug_agenda.notes ("user", content, created_at)'
            " SELECT 'ada', repeat('x', 1000000), 1 FROM generate_series(1, 40)"
        )
    with PostgresSource([agenda], url, PATIENCE_S) as source:
        (reader,) = source.readers()
        notes = next(part for part in reader.parts() if part.table == "notes")
        tracemalloc.start()
        lengths = sum(len(row[2]) for row in reader.rows(notes))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert lengths == 40_000_000
    assert most < 20_000_000


def test_a_word_as_long_as_a_message_is_moved_and_found(tmp_path: Path) -> None:
    dice = random.Random(7)
    key = "".join(dice.choices("0123456789abcdef", k=3_000))
    home = "".join(chr(dice.randint(0x4E00, 0x9FA0)) for _ in range(1_400))
    scope = MemoryScope("ada", None)

    async def found(memory: Memory) -> list[str]:
        hits = await memory.search(scope, f"{key} hens", Filter(), limit=5)
        return sorted(hit.content[:16] for hit in hits)

    async def fill() -> list[str]:
        kit = kit_of(tmp_path)
        kit.settings = kit.settings.model_copy(update={"max_content_chars": 8_000})
        async with started(kit) as memory:
            await memory.store(scope, Draft(content=f"The long key is {key}"))
            await memory.store(scope, Draft(content="The hens are loud"))
            await exchange(memory, f"I live in {home}")
            return await found(memory)

    async def look(place: DatabasePlace) -> list[str]:
        async with started(kit_of(tmp_path, place)) as memory:
            return await found(memory)

    url = new_database()
    before = asyncio.run(fill())
    assert before == ["The hens are lou", "The long key is "]
    moved_there = command(tmp_path, "--to", url)
    assert moved_there.exit_code == 0, moved_there.output
    assert asyncio.run(look(DatabasePlace(url))) == before


def stopping_at(point: str) -> Callable[[str], None]:
    def stop(name: str) -> None:
        if name == point:
            raise StoppedError

    return stop


@contextmanager
def holding(settings: Settings) -> Iterator[None]:
    """What a server does with its data folder."""
    claim = Claim(settings, "server")
    claim.take()
    try:
        yield
    finally:
        claim.release()


def test_a_dry_run_shows_the_tables_and_changes_nothing(
    house: Path, round_trip: Moved, tmp_path: Path
) -> None:
    url, before = new_database(), digests(house)
    there = command(house, "--to", url, "--dry-run")
    back = command(tmp_path, "--to", "files", "--dry-run", LOBUG_DATABASE__URL=round_trip.url)
    for done in (there, back):
        assert done.exit_code == 0, done.output
        assert "Nothing was changed." in done.output
        assert re.search(r"^agenda +2 +notes *$", done.output, re.MULTILINE)
        assert "speech_speeds" in done.output
    assert rows(url, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'lobug%'") == []
    assert digests(house) == before
    assert digests(tmp_path) == {}


def test_no_server_may_run_on_either_side(house: Path, tmp_path: Path) -> None:
    url = new_database()
    with holding(settings_of(house)):
        done = command(house, "--to", url)
    assert done.exit_code == 1
    assert "uses the data folder" in done.output
    options = PostgresOptions(
        url, schema="lobug_agenda", steps=STEPS["lobug_agenda"], vectors=False
    )

    async def with_server(work: Callable[[], None]) -> None:
        server = PostgresDatabase(options, clock=lambda: 0.0)
        await server.open(lambda _: None)
        await asyncio.to_thread(work)
        await server.close()

    def refused() -> None:
        for folder, direction in ((house, "postgres"), (tmp_path, "files")):
            with pytest.raises(StorageBusyError, match="server or command uses"):
                moved(folder, url, direction)

    asyncio.run(with_server(refused))
    # Nor may one begin to write while a move is under way.
    with sides(house, url, "postgres"), pytest.raises(StorageBusyError):
        asyncio.run(with_server(lambda: None))
    assert rows(url, "SELECT nspname FROM pg_namespace WHERE nspname = 'lobug_memory'") == []


def test_what_is_not_empty_is_left_alone(house: Path, round_trip: Moved, tmp_path: Path) -> None:
    shutil.copytree(house, tmp_path / "there")
    before = digests(tmp_path / "there")
    done = command(tmp_path / "there", "--to", "files", LOBUG_DATABASE__URL=round_trip.url)
    assert done.exit_code == 1
    assert "is not empty" in done.output
    assert digests(tmp_path / "there") == before
    url = new_database()
    make_schema(url, house_of(house, "agenda"))
    with psycopg.connect(url) as raw:
        raw.execute(
            "INSERT INTO lobug_agenda.notes (\"user\", content, created_at) VALUES ('a', 'b', 1)"
        )
    with pytest.raises(MoveTargetError, match=r"lobug_agenda\.notes"):
        moved(house, url, "postgres")
    with psycopg.connect(url) as raw:  # what a server's first start makes is empty
        raw.execute("DELETE FROM lobug_agenda.notes")
    moved(house, url, "postgres")
    # A move from elsewhere does not take part in it.
    with pytest.raises(MoveTargetError):
        moved(tmp_path / "there", url, "postgres")


def test_a_move_from_elsewhere_does_not_go_on_with_this_one(house: Path, tmp_path: Path) -> None:
    shutil.copytree(house, tmp_path / "other")
    url = new_database()
    with pytest.raises(StoppedError):
        moved(house, url, "postgres", stopping_after(3))
    with pytest.raises(StorageUnfinishedError, match=re.escape(str(settings_of(house).data_dir))):
        moved(tmp_path / "other", url, "postgres")
    with pytest.raises(StorageUnfinishedError, match="was broken off"):
        moved(tmp_path / "back", url, "files")


@pytest.mark.parametrize(("version", "error"), [(1, StorageOlderError), (99, StorageNewerError)])
def test_only_this_version_is_moved(
    house: Path, tmp_path: Path, version: int, error: type[Exception]
) -> None:
    folder, url = tmp_path / "house", new_database()
    shutil.copytree(house, folder)
    with moved_house.opened(house_of(folder, "agenda")) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(error, match=f"version {version}"):
        moved(folder, url, "postgres")
    make_schema(url, house_of(folder, "agenda"))
    with psycopg.connect(url) as raw:
        raw.execute(f"UPDATE lobug_agenda.schema_version SET version = {version - 1}".encode())
    with pytest.raises(error):
        moved(tmp_path / "back", url, "files")


def test_what_postgresql_lacks_is_said_as_doctor_says_it(house: Path) -> None:
    url = new_database()
    with psycopg.connect(url) as raw:
        raw.execute("CREATE ROLE stranger LOGIN")
    done = command(house, "--to", url.replace("lobug@", "stranger:geheim@"))
    assert done.exit_code == 1
    assert "pgvector" in done.output
    assert "geheim" not in done.output
    assert rows(url, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'lobug%'") == []


def test_wrong_words_are_refused_before_anything_is_done(tmp_path: Path) -> None:
    for words, said in (
        (("--to", "mysql://x"), "--to takes"),
        (("--to", "files"), "names no PostgreSQL to move from"),
        (("--to", "postgres"), "names no PostgreSQL to move to"),
    ):
        done = command(tmp_path, *words)
        assert done.exit_code == 2
        assert said in done.output
    nothing = command(tmp_path, "--to", new_database())
    assert nothing.exit_code == 1
    assert "there is nothing to move" in nothing.output
