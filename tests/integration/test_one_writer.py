"""One program at a time writes to a data folder, and what others change all the same is noticed."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lobug.cli.app import app
from lobug.data_folder.claim import LOCK, RECORD, Claim, holder_of
from lobug.errors import DataFolderInUseError, StorageError
from lobug.settings import Settings
from lobug.storage.compaction import compact, note
from lobug.storage.driver import connect
from lobug.storage.sqlite_database import DatabaseOptions, SqliteDatabase
from support.app_server import ScriptedEngines, running, settings_for
from support.foreign_writes import changed
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.scripted_serve import lobug, scripted_serve

SAID = "I collect glass hedgehogs."


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_for(tmp_path)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """A command in this process, on the data folder of ``settings``."""
    for name in tuple(os.environ):
        if name.upper().startswith("LOBUG_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("LOBUG_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("LOBUG_PORT", "9")  # nobody serves Lo-Bug at the discard port
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


@pytest.fixture
def held(settings: Settings) -> Iterator[Callable[..., Claim]]:
    """Hold the data folder as somebody else would: ``flock`` tells open files apart, not
    processes."""
    claims: list[Claim] = []

    def hold(kind: str = "server", url: str | None = None) -> Claim:
        claim = Claim(settings, "server" if kind == "server" else "command", url=url)
        claim.take()
        claims.append(claim)
        return claim

    yield hold
    for claim in claims:
        claim.release()


def quiet_chat() -> ScriptedEngines:
    chat = ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "I see.")
    return ScriptedEngines(chat=chat)


# ---- a real server and real commands


def test_what_a_command_forgets_is_in_no_later_prompt(tmp_path: Path) -> None:
    """The server is at another port than the settings say; the command finds it all the same."""
    with scripted_serve(tmp_path) as server:
        server.say(SAID)
        server.say("Which animals are on my shelf?")
        assert "glass hedgehogs" in server.prompts[-1], "it is in the prompts until then"
        done = server.lobug("memory", "forget", "--text", "glass hedgehogs", "--yes")
        assert done.returncode == 0, done.stderr
        assert "erased:" in done.stdout
        server.say("And now?")
        assert "hedgehogs" not in server.prompts[-1]
        listed = server.lobug("devices", "list")
        assert "No device is paired." in listed.stdout, listed.stderr


def test_a_second_server_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    with scripted_serve(tmp_path) as server:
        second = lobug(
            tmp_path, "serve", "--port", "0", LOBUG_MODELS_DIR=str(tmp_path / "no models")
        )
        assert second.returncode == 1
        for word in (
            f"a Lo-Bug server (process {server.process.pid})",
            f"uses the data folder {tmp_path / 'data'}",
            f"It answers at {server.url}.",
            "LOBUG_DATA_DIR",
        ):
            assert word in second.stderr
        assert "Traceback" not in second.stderr
        server.say(SAID)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(PATIENCE_S)
        assert (tmp_path / "data" / RECORD).exists(), "nobody has cleaned up"
        after = lobug(tmp_path, "memory", "users")
        assert after.returncode == 0, after.stderr
        assert "address:127.0.0.1" in after.stdout
    with scripted_serve(tmp_path) as again:
        assert again.say("Are you back?") == "I see."


# ---- who holds the folder


def test_a_server_that_does_not_answer_is_told_of_and_nothing_changes(
    command: Callable[..., Result], held: Callable[..., Claim], tmp_path: Path
) -> None:
    good = command("memory", "add", "The user sails", "--user", "ada")
    assert good.exit_code == 0, good.output
    before = (tmp_path / "data" / "lobug_memory.db").read_bytes()
    held(url="http://127.0.0.1:9")
    for arguments in (
        ("memory", "forget", "--text", "sails", "--user", "ada", "--yes"),
        ("devices", "list"),
        ("tokens", "create", "laptop"),
    ):
        refused = command(*arguments)
        assert refused.exit_code == 3
        assert "does not answer at http://127.0.0.1:9" in refused.stderr
        assert "Nothing was changed." in refused.stderr
    assert (tmp_path / "data" / "lobug_memory.db").read_bytes() == before
    assert not (tmp_path / "data" / "access.db").exists()


def test_a_server_that_has_not_said_where_it_answers(
    command: Callable[..., Result], held: Callable[..., Claim]
) -> None:
    held()
    refused = command("memory", "users")
    assert refused.exit_code == 3
    assert "has not said where it answers" in refused.stderr
    assert str(os.getpid()) in refused.stderr


def test_another_server_at_the_noted_address_is_not_taken_for_it(
    command: Callable[..., Result], held: Callable[..., Claim], tmp_path: Path
) -> None:
    """As with a data folder that a container shares with its host."""
    with scripted_serve(tmp_path / "other") as other:
        other.say(SAID)
        held(url=other.url)
        refused = command("memory", "users")
        assert refused.exit_code == 3
        assert "but a different server answers" in refused.stderr
        assert "address:127.0.0.1" not in refused.output


def test_a_command_waits_for_another_and_gives_up_in_the_end(
    settings: Settings, held: Callable[..., Claim]
) -> None:
    first = held("command")
    slept: list[float] = []

    def ends_soon(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            first.release()

    second = Claim(settings, "command", sleep=ends_soon)
    second.take()
    assert len(slept) == 3
    slept.clear()
    with pytest.raises(DataFolderInUseError, match=r"another command \(process \d+\)"):
        Claim(settings, "server", sleep=slept.append).take()
    assert sum(slept) == pytest.approx(10.0)
    second.release()
    assert holder_of(settings) is None


def test_the_note_says_who_and_is_the_owners_alone(settings: Settings) -> None:
    assert holder_of(settings) is None
    claim = Claim(settings, "server", url="http://127.0.0.1:8321", needs_secret=True)
    claim.take()
    assert holder_of(settings) == claim.holder
    assert claim.holder.pid == os.getpid()
    assert len(claim.holder.secret) == 43
    assert claim.holder.secret not in repr(claim.holder)
    for name in (LOCK, RECORD):
        assert stat.S_IMODE((settings.data_dir / name).stat().st_mode) == 0o600
    claim.release()
    claim.release()
    assert holder_of(settings) is None
    assert not (settings.data_dir / RECORD).exists()


def test_a_note_that_cannot_be_read_still_keeps_others_out(
    settings: Settings, held: Callable[..., Claim]
) -> None:
    held()
    for content in ("", "{", "[]", '{"kind": "server"}', json.dumps({"pid": "x"})):
        (settings.data_dir / RECORD).write_text(content)
        found = holder_of(settings)
        assert found is not None
        assert (found.pid, found.url) == (None, None)


def test_a_database_outside_of_the_folder_has_its_own_lock(tmp_path: Path) -> None:
    shared = {"db_path": tmp_path / "elsewhere" / "memory.db"}
    one = settings_for(tmp_path / "one", memory=shared)
    two = settings_for(tmp_path / "two", memory=shared)
    claim = Claim(one, "server")
    claim.take()
    assert holder_of(two) is not None
    with pytest.raises(DataFolderInUseError):
        Claim(two, "server", sleep=lambda _seconds: None).take()
    claim.release()
    assert holder_of(two) is None


def test_a_folder_that_was_replaced_is_locked_anew(settings: Settings) -> None:
    claim = Claim(settings, "server", url="http://127.0.0.1:8321")
    claim.take()
    settings.data_dir.rename(settings.data_dir.with_name("old"))
    shutil.copytree(settings.data_dir.with_name("old"), settings.data_dir)
    assert holder_of(settings) is None, "the copy of a lock is none"
    claim.renew()
    assert holder_of(settings) == claim.holder
    claim.release()


def test_a_folder_that_cannot_be_written_does_not_keep_a_server_from_starting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "data").write_text("a file, and no folder")
    claim = Claim(settings_for(tmp_path), "server")
    claim.take()
    assert "cannot be locked" in caplog.text
    caplog.clear()
    claim.renew()
    assert caplog.text == "", "said once, and never that it is locked"
    (tmp_path / "data").unlink()
    claim.renew()
    assert "it is locked again" in caplog.text
    assert holder_of(settings_for(tmp_path)) == claim.holder
    claim.release()


# ---- what others change all the same


@pytest.fixture
def database(tmp_path: Path) -> SqliteDatabase:
    return SqliteDatabase(DatabaseOptions(tmp_path / "memory.db"), clock=lambda: 1_700_000_000.0)


async def test_only_what_others_write_counts_as_changed(database: SqliteDatabase) -> None:
    await database.open(lambda _connection: None)
    assert not await changed(database)
    for round_ in range(3):
        await database.write("note", lambda c: note(c, 0.0))
        await database.read(lambda c: c.execute("SELECT 1").fetchone())
        await database.aside(lambda c: c.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone())
        assert await compact(database)
        assert not await changed(database), round_
    other = connect(str(database.path), timeout_s=1.0)
    other.execute("PRAGMA user_version")
    assert not await changed(database), "reading is no change"
    note(other, 0.0)
    assert await changed(database)
    assert not await changed(database), "once"
    other.close()
    await database.close()


DELETING = """
other = sqlite3.connect(sys.argv[1])
other.execute("PRAGMA foreign_keys = OFF")
other.execute("DELETE FROM conversation_log")
other.execute("DELETE FROM memory_lengths")
other.execute("DELETE FROM memories")
other.commit()
other.close()
"""
BACKING_UP = """
source, target = sqlite3.connect(sys.argv[1]), sqlite3.connect(sys.argv[2])
source.backup(target)
target.close()
source.close()
"""


async def elsewhere(program: str, *paths: Path) -> None:
    """Run a program in a process of its own: two SQLite libraries in one process drop each other's
    locks, and one cuts off files that the other has mapped."""
    command = [sys.executable, "-c", f"import sqlite3, sys\n{program}", *map(str, paths)]
    await asyncio.to_thread(subprocess.run, command, check=True)


async def test_what_another_program_deletes_is_in_no_later_prompt(settings: Settings) -> None:
    scripted = quiet_chat()
    async with running(settings, scripted) as (client, server):
        await client.post("/chat/text", json={"text": SAID})
        assert server.memory.stats().messages == 2
        await elsewhere(DELETING, settings.database_path)
        await client.post("/chat/text", json={"text": "Which animals are on my shelf?"})
        asked = "Which animals are on my shelf"
        turn = next(call for call in reversed(scripted.chat.calls) if asked in call.prompt)
        assert "hedgehogs" not in turn.prompt
        assert server.memory.stats().messages == 2, "counted anew"


async def test_a_restored_backup_is_what_the_next_prompts_are_made_of(settings: Settings) -> None:
    scripted = quiet_chat()
    async with running(settings, scripted) as (client, server):
        server.memory_retry_s = 0.05
        await client.post("/chat/text", json={"text": "My boat is called Elsa."})
        backup = settings.data_dir / "backup.db"
        await elsewhere(BACKING_UP, settings.database_path, backup)
        await client.post("/chat/text", json={"text": SAID})
        backup.replace(settings.database_path)
        until = time.monotonic() + 60
        while True:
            answer = await client.post("/chat/text", json={"text": "What do you know?"})
            if answer.status_code == 200 and server.memory.stats().messages == 4:
                break
            assert time.monotonic() < until, answer.text
            await asyncio.sleep(0.05)
        turn = next(c for c in reversed(scripted.chat.calls) if "What do you know" in c.prompt)
        assert "Elsa" in turn.prompt
        assert "hedgehogs" not in turn.prompt


async def test_a_replaced_file_is_noticed_without_a_write(database: SqliteDatabase) -> None:
    await database.open(lambda _connection: None)
    database.path.replace(database.path.with_name("moved.db"))
    with pytest.raises(StorageError, match="moved, replaced or deleted"):
        await changed(database)
    assert database.fault is not None
    await database.close()
