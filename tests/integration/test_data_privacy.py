"""Nobody but its owner can read what Lo-Bug keeps: at creation, mended later, and looked at."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lobug.cli.app import app
from lobug.data_folder.permissions import restrict_access
from lobug.diagnosis import storage
from lobug.diagnosis.findings import Level
from lobug.settings import Settings
from lobug.simulator.runs import save_reply
from lobug.storage import compaction
from lobug.storage.sqlite_database import DatabaseOptions, SqliteDatabase
from support.app_server import ScriptedEngines, running, settings_for
from support.scripted import ScriptedChatModel


@pytest.fixture(autouse=True)
def careless() -> Iterator[None]:
    """A umask that takes nothing away: what is private is so by Lo-Bug's own doing."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_for(tmp_path)


def modes(folder: Path) -> dict[str, int]:
    """By path: the rights of everything in a folder, and of itself."""
    found = [folder, *folder.rglob("*")]
    return {
        str(path.relative_to(folder.parent)): stat.S_IMODE(path.stat().st_mode) for path in found
    }


def open_ones(folder: Path) -> dict[str, str]:
    return {name: oct(mode) for name, mode in modes(folder).items() if mode & 0o077}


async def test_what_a_server_makes_is_private_while_it_runs_and_afterwards(
    settings: Settings,
) -> None:
    chat = ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "I see.")
    async with running(settings, ScriptedEngines(chat=chat)) as (client, server):
        await client.post("/chat/text", json={"text": "I keep a diary."})
        await client.post("/tokens", json={"name": "laptop"})
        names = modes(settings.data_dir).keys()
        assert {f"data/lobug_memory.db{end}" for end in ("", "-wal", "-shm")} <= names
        assert {"data/access.db", "data/access.db-wal"} <= names
        assert open_ones(settings.data_dir) == {}
        await server.close()
    assert open_ones(settings.data_dir) == {}


async def test_copies_of_the_database_are_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, str] = {}

    def look(name: str) -> None:
        seen.update({f"{name} {path}": mode for path, mode in open_ones(tmp_path / "data").items()})
        seen[name] = "passed"

    path = tmp_path / "data" / "memory.db"
    database = SqliteDatabase(DatabaseOptions(path), clock=lambda: 0.0, checkpoint=look)
    await database.open(lambda _connection: None)
    await database.write("note", lambda c: compaction.note(c, 0.0))
    assert await compaction.compact(database, checkpoint=look)
    # As an update does: the file is of an older version, so it is backed up first.
    await database.close()
    options = DatabaseOptions(path, steps=(*DatabaseOptions(path).steps, lambda *_: None))
    newer = SqliteDatabase(options, clock=lambda: 0.0, checkpoint=look)
    await newer.open(lambda _connection: None)
    await newer.close()
    assert [name for name in modes(tmp_path / "data") if ".backup-v" in name]
    assert {"compact.copied", "migrate.backed_up"} <= seen.keys()
    assert set(seen.values()) == {"passed"}, seen
    assert open_ones(tmp_path / "data") == {}


@pytest.fixture
def opened(settings: Settings) -> Path:
    """A data folder as earlier versions left it."""
    folder = settings.data_dir
    (folder / "firmware" / "m5stack-core2").mkdir(parents=True)
    names = (
        "lobug_memory.db",
        "lobug_memory.db-wal",
        "lobug_memory.db.backup-v1-x",
        "access.db",
        "sessions.json.migrated",
        "firmware/m5stack-core2/1.0.0.bin",
    )
    for name in names:
        (folder / name).touch(0o644)
    (folder / "notes.txt").touch(0o644)
    folder.chmod(0o755)
    return folder


def without_backups(folder: Path) -> None:
    """Beside a backup an empty database would be a loss."""
    for copy in folder.glob("lobug_memory.db?*"):
        copy.unlink()


async def test_a_start_takes_away_what_others_could_read(
    settings: Settings, opened: Path, caplog: pytest.LogCaptureFixture
) -> None:
    without_backups(opened)
    with caplog.at_level(logging.WARNING, "lobug.data_folder"):
        async with running(settings, ScriptedEngines()):
            assert open_ones(opened) == {"data/notes.txt": "0o644"}, "not one of Lo-Bug's files"
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("only you can read these now, others could before: ")
    assert str(opened) in said
    assert "lobug_memory.db" in said
    caplog.clear()
    with caplog.at_level(logging.WARNING, "lobug.data_folder"):
        async with running(settings, ScriptedEngines()):
            pass
    assert caplog.records == [], "nothing to mend, nothing said"


def test_a_command_without_a_server_does_so_too(
    opened: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_backups(opened)
    monkeypatch.setenv("LOBUG_DATA_DIR", str(opened))
    monkeypatch.setenv("LOBUG_PORT", "9")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["memory", "add", "The user sails", "--user", "ada"])
    assert done.exit_code == 0, done.output
    assert "only you can read these now" in done.stderr
    exported = tmp_path / "ada.json"
    assert CliRunner().invoke(app, ["memory", "export", str(exported)]).exit_code == 0
    assert stat.S_IMODE(exported.stat().st_mode) == 0o600
    assert open_ones(opened) == {"data/notes.txt": "0o644"}


def test_the_doctor_says_what_others_can_read(settings: Settings, opened: Path) -> None:
    found = storage.check_privacy(settings)
    assert (found.name, found.level) == ("privacy", Level.WARN)
    assert str(opened / "access.db") in found.message
    assert "notes.txt" not in found.message
    assert "Start Lo-Bug" in found.advice
    mended = restrict_access(settings)
    assert mended.left == []
    assert len(mended.closed) == 9
    after = storage.check_privacy(settings)
    assert after.level is Level.OK
    assert open_ones(opened) == {"data/notes.txt": "0o644"}


def test_a_folder_that_is_not_lobugs_alone_is_left_and_told_of(
    settings: Settings, opened: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(opened))
    mended = restrict_access(settings)
    assert [path for path, _why in mended.left] == [opened]
    assert "not Lo-Bug's alone" in mended.sentences()[-1]
    assert stat.S_IMODE(opened.stat().st_mode) == 0o755
    assert not stat.S_IMODE((opened / "access.db").stat().st_mode) & 0o077
    found = storage.check_privacy(settings)
    assert found.level is Level.WARN
    assert "chmod -R go=" in found.advice


def test_a_file_of_somebody_else_is_left_and_told_of(
    settings: Settings, opened: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    mended = restrict_access(settings)
    assert mended.closed == []
    assert {why for _path, why in mended.left} == {"it belongs to another user"}
    assert stat.S_IMODE(opened.stat().st_mode) == 0o755


def test_a_file_system_without_rights_is_told_of(
    settings: Settings, opened: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "chmod", lambda *_: None)
    mended = restrict_access(settings)
    assert mended.closed == []
    assert {why for _path, why in mended.left} == {"the file system keeps no such rights"}
    for sentence in mended.sentences():
        assert sentence.startswith("others can read "), "nothing is claimed that was not done"


def test_a_link_is_not_followed_out_of_the_folder(settings: Settings, tmp_path: Path) -> None:
    settings.data_dir.mkdir()
    public = tmp_path / "public.txt"
    public.touch(0o644)
    (settings.data_dir / "access.db-old").symlink_to(public)
    restrict_access(settings)
    assert stat.S_IMODE(public.stat().st_mode) == 0o644


def test_saved_replies_of_the_simulator_are_private(tmp_path: Path) -> None:
    reply = tmp_path / "replies" / "001.wav"
    save_reply(reply, b"RIFF")
    save_reply(reply, b"RI")
    assert reply.read_bytes() == b"RI"
    assert stat.S_IMODE(reply.stat().st_mode) == 0o600
