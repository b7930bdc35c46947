"""What libraries would report to their makers is switched off, and what they stored is removed.

What they do with and without the switches is seen in tests/integration/test_silence.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lobug.vendor_telemetry import SWITCHES, remove_stored_reports

IMPORTED = """
import json, os, sys
import lobug
print(json.dumps([dict(os.environ), "onnxruntime" in sys.modules]))
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of a user, who has another home than whoever runs the tests."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return tmp_path / ".cache"


def own_folder(base: Path) -> Path:
    folder = base / "Microsoft" / "DeveloperTools" / ".onnxruntime"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("before", ["0", None])
def test_the_switches_are_set_before_any_library_is_imported(before: str | None) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in SWITCHES}
    environment = kept | ({} if before is None else dict.fromkeys(SWITCHES, before))
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    variables, imported = json.loads(done.stdout)
    assert {name: variables[name] for name in SWITCHES} == SWITCHES
    assert not imported


def test_only_the_files_of_onnxruntime_are_removed(cache: Path) -> None:
    folder = own_folder(cache)
    for name in ("deviceid", "onnxruntime.db", "onnxruntime.db-wal", "notes.txt"):
        (folder / name).write_text("here")
    (folder.parent / "deviceid").write_text("another program's")
    removed = remove_stored_reports()
    assert {path.name for path in removed} == {"deviceid", "onnxruntime.db", "onnxruntime.db-wal"}
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    assert (folder.parent / "deviceid").read_text() == "another program's"


def test_empty_folders_above_are_removed_but_not_the_cache(cache: Path) -> None:
    (own_folder(cache) / "deviceid").write_text("here")
    assert len(remove_stored_reports()) == 1
    assert cache.is_dir()
    assert list(cache.iterdir()) == []
    assert remove_stored_reports() == []


def test_links_are_left_alone(cache: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "deviceid").write_text("somebody's")
    folder = own_folder(cache)
    (folder / "onnxruntime.db").symlink_to(elsewhere / "deviceid")
    assert remove_stored_reports() == []
    (folder / "onnxruntime.db").unlink()
    folder.rmdir()
    folder.symlink_to(elsewhere)
    assert remove_stored_reports() == []
    assert (elsewhere / "deviceid").read_text() == "somebody's"


def test_a_folder_that_cannot_be_read_is_no_reason_not_to_start(cache: Path) -> None:
    (own_folder(cache) / "deviceid").mkdir()
    (cache / "Microsoft" / "DeveloperTools" / ".onnxruntime" / "onnxruntime.db").mkdir()
    assert remove_stored_reports() == []


def test_the_named_cache_and_the_macs_folder_are_looked_at(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "named"
    for base in (named, cache, tmp_path / "Library" / "Application Support"):
        (own_folder(base) / "deviceid").write_text("here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(named))
    assert {path.relative_to(tmp_path).parts[0] for path in remove_stored_reports()} == {
        "named", ".cache",
    }  # fmt: skip
    monkeypatch.setattr(sys, "platform", "darwin")
    (removed,) = remove_stored_reports()
    assert removed.is_relative_to(tmp_path / "Library")
