"""Storage that fails, seen by a device: a stable code, nothing lost, and it works again by itself.

The real application on a real socket over real files; only the engines follow a script.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest

from lobug.errors import (
    StorageCorruptError,
    StorageError,
    StorageFullError,
    StorageReadOnlyError,
)
from lobug.settings import Settings
from lobug.storage import migrations
from lobug.storage.driver import Connection, connect, typed
from support.app_server import ScriptedEngines, running, settings_for
from support.faults import (
    Disk,
    PageLimit,
    SmallDisk,
    assert_problem,
    degraded,
    impatient,
    may_mount,
    mounted,
    say,
    until,
    until_ok,
)
from support.scripted import ScriptedChatModel
from support.wav import pcm16, tone

AUDIO = {"audio": ("recording.wav", pcm16(tone(1.0)), "audio/wav")}


def quick_settings(folder: Path) -> Settings:
    return settings_for(folder, memory={"busy_timeout_s": 0.05})


def talker() -> ScriptedEngines:
    """Answers turns and finds no facts."""
    return ScriptedEngines(
        chat=ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "Okay.")
    )


def other_connection(path: Path) -> Connection:
    """A connection of another program. By the same SQLite library: two of them in one process
    would not see each other's locks, and break them."""
    return connect(str(path), timeout_s=1.0)


def log_of(path: Path) -> list[tuple[str, str]]:
    with closing(other_connection(path)) as connection:
        return connection.execute(
            "SELECT role, content FROM conversation_log ORDER BY id"
        ).fetchall()


async def make_database(settings: Settings, words: str = "Hello") -> None:
    """A database with one exchange in it, closed properly."""
    async with impatient(settings, talker()) as (client, _):
        assert (await say(client, words)).status_code == 200


async def ask(client: httpx.AsyncClient, door: str) -> httpx.Response:
    if door == "text":
        return await say(client, "Hello.")
    return await client.post("/chat/audio", files=AUDIO, headers={"Device-Id": "desk"})


@pytest.mark.parametrize("door", ["text", "audio"])
async def test_a_database_that_another_process_locks(tmp_path: Path, door: str) -> None:
    settings = quick_settings(tmp_path)
    async with impatient(settings, talker()) as (client, server):
        assert (await say(client, "Before")).status_code == 200
        with closing(other_connection(settings.database_path)) as other:
            other.execute("BEGIN EXCLUSIVE")
            before = server.memory.stats().messages
            body = assert_problem(await ask(client, door), 503, "storage_busy")
            assert body["transcription"] == "Hello."
            assert "lock" in await degraded(client, "memory")
            assert server.memory.stats().messages == before
            other.execute("ROLLBACK")
        await until_ok(client)
        assert (await ask(client, door)).status_code == 200
        assert server.priority.turns == 0
    assert log_of(settings.database_path) == [
        ("user", "Before"),
        ("assistant", "Okay."),
        ("user", "Hello."),
        ("assistant", "Okay."),
    ]


async def test_a_lock_at_the_start_is_waited_out(tmp_path: Path) -> None:
    settings = quick_settings(tmp_path)
    await make_database(settings)
    async with impatient(settings, talker()) as (client, _):
        assert (await client.get("/health")).json()["memory"]["messages"] == 2
    with closing(other_connection(settings.database_path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        async with impatient(settings, talker()) as (client, server):
            assert "lock" in await degraded(client, "memory")
            assert_problem(await say(client), 503, "storage_busy")
            other.execute("ROLLBACK")
            report = await until_ok(client)
            assert report["memory"]["messages"] == 2
            assert (await say(client)).json() == {"response": "Okay."}
            assert server.memory.stats().messages == 4


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "no database": lambda _: b"this is no database " * 400,
    "only a header": lambda content: content[:16] * 200,
    "every page but the first": lambda content: content[:4096] + os.urandom(len(content) - 4096),
    "cut off": lambda content: content[: len(content) // 2],
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_file_is_named_and_left_alone(tmp_path: Path, damage: str) -> None:
    settings = quick_settings(tmp_path)
    path = settings.database_path
    await make_database(settings)
    good = path.read_bytes()
    path.write_bytes(DAMAGES[damage](good))
    damaged = path.read_bytes()
    async with impatient(settings, talker()) as (client, server):
        sentence = await degraded(client, "memory")
        assert str(path) in sentence
        assert "damaged" in sentence
        for _ in range(2):
            assert_problem(await say(client), 503, "storage_corrupt")
        assert_problem(await ask(client, "audio"), 503, "storage_corrupt")
        assert path.read_bytes() == damaged
        assert server.priority.turns == 0
        # Sensors need no memory.
        assert (await client.post("/context/sensors", json={})).status_code == 200
        # The owner puts a backup in its place; nobody restarts anything.
        path.with_name("good").write_bytes(good)
        path.with_name("good").replace(path)
        report = await until_ok(client)
        assert report["memory"]["messages"] == 2
        assert (await say(client)).status_code == 200
    assert len(log_of(path)) == 4


async def test_a_database_of_a_newer_version_is_refused_and_untouched(tmp_path: Path) -> None:
    settings = quick_settings(tmp_path)
    path = settings.database_path
    await make_database(settings)
    with closing(connect(str(path), timeout_s=1.0)) as connection:
        connection.execute(f"PRAGMA user_version = {migrations.LATEST + 1}")
    newer = path.read_bytes()
    async with impatient(settings, talker()) as (client, _):
        assert "newer Lo-Bug" in await degraded(client, "memory")
        assert_problem(await say(client), 503, "storage_newer")
    assert path.read_bytes() == newer


async def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    settings = quick_settings(tmp_path)
    (tmp_path / "data").write_text("a file where the folder should be")
    async with impatient(settings, talker()) as (client, _):
        assert str(settings.database_path) in await degraded(client, "memory")
        assert_problem(await say(client), 503, "storage_read_only")
        (tmp_path / "data").unlink()
        await until_ok(client)
        assert (await say(client)).status_code == 200


AS_NOBODY = """
import asyncio, os, sys
from pathlib import Path
from support.faults import degraded, impatient, say
from support.app_server import ScriptedEngines, settings_for

async def ask(folder):
    async with impatient(settings_for(folder), ScriptedEngines()) as (client, _):
        return await say(client), (await client.get("/health")).json()

asyncio.run(ask(Path(sys.argv[1])))  # so that all is imported while it may be read
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
answer, health = asyncio.run(ask(Path(sys.argv[2])))
assert health["status"] == "degraded" and "memory: " in health["degraded"][0], health
assert answer.status_code == 503 and answer.json()["response"], answer.text
sys.stdout.write(answer.json()["error"]["code"])
"""


@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_may_not_be_written(tmp_path: Path, what: str) -> None:
    """As another user where the tests run as root, who may write everything."""
    tests = str(Path(__file__).parents[1])
    with TemporaryDirectory() as name:  # pytest's own folders are closed to other users
        folder = Path(name)
        data = folder / "data"
        data.mkdir()
        if what == "file":
            with closing(other_connection(data / "lobug_memory.db")) as connection:
                connection.execute("CREATE TABLE x (y)")
            (data / "lobug_memory.db").chmod(0o444)
        folder.chmod(0o755)
        data.chmod(0o555)
        try:
            done = subprocess.run(
                [sys.executable, "-c", AS_NOBODY, str(tmp_path), str(folder)],
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
                env=os.environ | {"PYTHONPATH": os.pathsep.join([tests, *sys.path])},
            )
        finally:
            data.chmod(0o755)
    assert done.stdout == StorageReadOnlyError.code, done.stderr


DISKS: list[type[Disk]] = [PageLimit, SmallDisk] if may_mount() else [PageLimit]


@pytest.fixture(params=DISKS, ids=lambda kind: kind.__name__)
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    if request.param is PageLimit:
        folder.mkdir()
        yield PageLimit(folder)
        return
    with mounted(folder):
        yield SmallDisk(folder)


async def test_a_disk_that_fills_up_in_a_conversation(disk: Disk) -> None:
    settings = quick_settings(disk.folder)
    acknowledged: list[str] = []

    async def all_acknowledged_is_there() -> bool:
        stored = [content for role, content in log_of(settings.database_path) if role == "user"]
        return [words for words in stored if words in acknowledged] == acknowledged

    async with running(settings, talker()) as (client, server):
        disk.fill(server)
        for number in range(300):
            words = f"{number} " + "x" * 4_000
            answer = await say(client, words)
            if answer.status_code != 200:
                break
            acknowledged.append(words)
        assert_problem(answer, 503, "storage_full")
        assert "no room" in await degraded(client, "memory")
        assert await all_acknowledged_is_there()
        assert server.priority.turns == 0
        if isinstance(disk, SmallDisk):
            with pytest.raises(StorageFullError):
                await server.memory.check()
        disk.make_room(server)
        await server.memory.check()
        assert (await client.get("/health")).json()["status"] == "ok"
        assert (await say(client, "The last words")).status_code == 200
        acknowledged.append("The last words")
    assert await all_acknowledged_is_there()


@pytest.mark.parametrize(("free", "expected"), [(0, StorageFullError), (10**9, StorageError)])
def test_where_no_room_is_left_no_error_of_the_disk_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, expected: type[StorageError]
) -> None:
    """On a full disk SQLite cannot make the file that a log's readers share, and says IOERR."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: shutil._ntuple_diskusage(1, 1, free))
    assert type(typed(error, tmp_path / "lists.db")) is expected


@pytest.mark.parametrize("what", ["deleted", "replaced"])
async def test_a_file_that_is_taken_away_while_in_use(tmp_path: Path, what: str) -> None:
    """What is written to a file without a name is lost: that must not be acknowledged."""
    settings = quick_settings(tmp_path)
    path = settings.database_path
    await make_database(settings, "From the backup")
    backup = path.read_bytes()
    async with impatient(settings, talker()) as (client, server):
        assert (await say(client, "Before")).status_code == 200
        if what == "deleted":
            for file in settings.data_dir.iterdir():
                file.unlink()
        else:
            path.with_name("backup").write_bytes(backup)
            path.with_name("backup").replace(path)
        assert_problem(await say(client, "Lost"), 503, "storage_failed")
        await until_ok(client)

        async def counted() -> bool:
            memory = (await client.get("/health")).json()["memory"]
            return bool(memory["messages"] == (0 if what == "deleted" else 2))

        await until(counted)
        assert (await say(client, "After")).status_code == 200
        assert server.priority.turns == 0
    said = [content for role, content in log_of(path) if role == "user"]
    assert said == (["After"] if what == "deleted" else ["From the backup", "After"])


async def test_damage_that_is_found_while_running(tmp_path: Path) -> None:
    # Nothing is extracted meanwhile: what is written in between would mend a part of the damage.
    settings = settings_for(tmp_path, memory={"busy_timeout_s": 0.05, "idle_delay_s": 3_600.0})
    path = settings.database_path
    async with impatient(settings, talker()) as (client, server):
        for number in range(4):
            assert (await say(client, f"{number} " + "x" * 4_000)).status_code == 200
        with closing(other_connection(path)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(4_096)
            file.write(os.urandom(size - 4_096))
        damaged = path.read_bytes()
        for _ in range(2):
            assert_problem(await say(client), 503, "storage_corrupt")
        with pytest.raises(StorageCorruptError):
            await server.memory.check()
        assert "damaged" in await degraded(client, "memory")
    assert path.read_bytes() == damaged


async def test_a_backup_that_cannot_be_made_does_not_keep_the_server_from_starting(
    tmp_path: Path,
) -> None:
    settings = quick_settings(tmp_path)
    path = settings.database_path
    path.parent.mkdir()
    with closing(other_connection(path)) as connection:
        connection.execute("CREATE TABLE first_lobug (x)")
    obstacle = path.with_name(f"{path.name}.partial-backup")
    obstacle.mkdir()
    async with impatient(settings, talker()) as (client, _):
        assert str(obstacle) in await degraded(client, "memory")
        assert (await say(client)).status_code == 503
        with closing(other_connection(path)) as connection:
            assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [
                ("first_lobug",)
            ], "nothing is migrated without a backup"
        obstacle.rmdir()
        await until_ok(client)
        assert (await say(client)).status_code == 200


async def test_storage_that_fails_after_the_model_has_answered(tmp_path: Path) -> None:
    """What cannot be kept is not said: the device hears of the failure, and may say it again."""
    settings = quick_settings(tmp_path)
    path = settings.database_path
    locks: list[Connection] = []

    def lock_while_answering(_: object, options: object) -> str:
        if getattr(options, "json_schema", None):
            return "[]"
        if not locks:
            locks.append(other_connection(path))
            locks[0].execute("BEGIN IMMEDIATE")
        return "I will remember."

    scripted = ScriptedEngines(chat=ScriptedChatModel(lock_while_answering))
    async with impatient(settings, scripted) as (client, server):
        body = assert_problem(await ask(client, "audio"), 503, "storage_busy")
        assert body["transcription"] == "Hello."
        assert "remember" not in body["response"]
        with closing(locks[0]) as lock:
            lock.execute("ROLLBACK")
        await until_ok(client)
        assert (await say(client, "Again")).json() == {"response": "I will remember."}
        turns = [call for call in scripted.chat.calls if call.options.json_schema is None]
        assert "I will remember." not in turns[-1].prompt, "nobody has heard it"
        assert server.priority.turns == 0
    assert log_of(path) == [
        ("user", "Hello."),
        ("user", "Again"),
        ("assistant", "I will remember."),
    ]
