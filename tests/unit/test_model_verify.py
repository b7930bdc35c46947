"""What verify finds in real files, and when it need not hash again."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from lobug.models import verify
from lobug.models.catalog import Job, Model, ModelFile
from lobug.models.verify import State

DATA = {"model.bin": b"weights" * 1000, "config.json": b"{}"}
MODEL = Model(
    name="test",
    job=Job.STT,
    files=tuple(
        ModelFile(name, len(data), hashlib.sha256(data).hexdigest()) for name, data in DATA.items()
    ),
    licence="MIT",
    origin="a test",
    languages=("en",),
    description="A test.",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "test"
    path.mkdir()
    for name, data in DATA.items():
        (path / name).write_bytes(data)
    return path


def test_whole(folder: Path) -> None:
    shallow = verify.check_model(folder.parent, MODEL, deep=False)
    assert shallow.ok
    assert not shallow.verified
    assert verify.check_model(folder.parent, MODEL, deep=True).verified
    assert sorted(p.name for p in folder.iterdir()) == sorted(DATA)  # checking writes nothing


@pytest.mark.parametrize(
    ("name", "data", "shallow", "deep"),
    [
        ("model.bin", None, State.MISSING, State.MISSING),
        ("config.json", None, State.MISSING, State.MISSING),
        ("model.bin", b"", State.WRONG_SIZE, State.WRONG_SIZE),
        ("model.bin", DATA["model.bin"][:-1], State.WRONG_SIZE, State.WRONG_SIZE),
        ("config.json", b"[]", State.OK, State.DAMAGED),
    ],
)
def test_what_is_wrong(
    folder: Path, name: str, data: bytes | None, shallow: State, deep: State
) -> None:
    (folder / name).unlink()
    if data is not None:
        (folder / name).write_bytes(data)
    assert verify.check_model(folder.parent, MODEL, deep=False).state is shallow
    found = verify.check_model(folder.parent, MODEL, deep=True)
    assert found.state is deep
    assert not found.verified
    assert str(folder / name) in found.message
    assert "lobug models pull test" in found.message


def test_a_folder_in_the_place_of_a_file_is_missing(folder: Path) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").mkdir()
    assert verify.check_model(folder.parent, MODEL, deep=True).state is State.MISSING


def test_a_model_of_a_package_that_is_not_installed_is_missing(tmp_path: Path) -> None:
    model = Model(**{f: getattr(MODEL, f) for f in MODEL.__slots__} | {"distribution": "no-such"})
    found = verify.check_model(tmp_path, model, deep=True)
    assert found.state is State.MISSING
    assert "no-such" in found.message


def test_a_second_start_need_not_hash(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert verify.ensure_model(folder.parent, MODEL).verified
    monkeypatch.delattr(verify, "sha256_of")
    assert verify.ensure_model(folder.parent, MODEL).verified


def tamper(path: Path, content: bytes) -> None:
    """Other bytes of the same number, and the time of change set back."""
    before = path.stat()
    assert len(content) == before.st_size
    while path.stat().st_ctime_ns == before.st_ctime_ns:  # clocks of file systems tick slowly
        path.write_bytes(content)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_a_file_whose_time_was_set_back_is_hashed_again(folder: Path) -> None:
    assert verify.ensure_model(folder.parent, MODEL).verified
    tamper(folder / "config.json", b"[]")
    assert verify.ensure_model(folder.parent, MODEL).state is State.DAMAGED


def test_whatever_the_record_says_every_byte_is_compared(folder: Path) -> None:
    verify.record(folder.parent, MODEL)
    (folder / "config.json").write_bytes(b"[]")
    verify.record(folder.parent, MODEL)  # as if the whole folder looked unchanged
    assert verify.ensure_model(folder.parent, MODEL).verified
    seen: list[int] = []
    found = verify.examine_model(folder.parent, MODEL, seen.append)
    assert found.state is State.DAMAGED
    assert sum(seen) == MODEL.size
    # The record is gone, so that a pull does not take the model for whole.
    assert verify.ensure_model(folder.parent, MODEL).state is State.DAMAGED


def test_a_file_that_changed_is_hashed_again(folder: Path) -> None:
    assert verify.ensure_model(folder.parent, MODEL).verified
    (folder / "config.json").write_bytes(b"[]")
    os.utime(folder / "config.json", ns=(1, 1))
    assert verify.ensure_model(folder.parent, MODEL).state is State.DAMAGED


@pytest.mark.parametrize("text", ["", "{", "[]", '{"model.bin": []}'])
def test_a_record_that_makes_no_sense_is_ignored(folder: Path, text: str) -> None:
    (folder / verify.STAMP_NAME).write_text(text)
    assert not verify.check_model(folder.parent, MODEL, deep=False).verified
    assert verify.ensure_model(folder.parent, MODEL).verified
    assert verify.check_model(folder.parent, MODEL, deep=False).verified
