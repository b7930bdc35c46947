"""The lock of a data folder, which allows one writer, and the record of who holds it.

``server.lock`` is locked by ``flock`` while a program writes: by a server as long as it runs, by a
command while it has a file open. The kernel releases the lock when the process ends, so a killed
process leaves none behind. ``server.json``, which only its owner may read, says who holds the lock;
it is meaningless while the lock is free.

A database outside the data folder has its own lock file next to it (``NAME.lock``).
"""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
import secrets
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from lobug.errors import DataFolderInUseError
from lobug.settings import Settings

log = logging.getLogger(__name__)

LOCK = "server.lock"
RECORD = "server.json"

WAIT_S: dict[str, float] = {"server": 1.0, "command": 10.0}
"""How long to wait for a holder of each kind, seconds: a server keeps running, a command ends."""

RETRY_S = 0.05

_TAKEN = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}
"""Errors of ``flock`` when another process has the lock. Other errors: locking is not supported."""

HolderKind = Literal["server", "command"]


@dataclass(frozen=True, slots=True)
class Holder:
    """The program that holds a data folder."""

    kind: HolderKind = "server"
    pid: int | None = None
    """None: unknown."""
    url: str | None = None
    """Where a server answers callers at this computer; None: unknown, or not a server."""
    instance: str = ""
    """Random, new at every start. A server that answers at ``url`` with this value in
    ``Lobug-Instance`` is this one."""
    secret: str = field(default="", repr=False)
    """The bearer token with which a program at this computer is the owner; empty: it needs none."""

    def __str__(self) -> str:
        """For example "a Lo-Bug server (process 4711)"."""
        name = "a Lo-Bug server" if self.kind == "server" else "another command"
        return name if self.pid is None else f"{name} (process {self.pid})"


def lock_files(settings: Settings) -> list[Path]:
    """Return the files to lock before any data of these settings is written."""
    files = [settings.data_dir / LOCK]
    database = settings.database_path.resolve()
    if database.parent != settings.data_dir.resolve():
        files.append(database.with_name(f"{database.name}.lock"))
    return files


def holder_of(settings: Settings) -> Holder | None:
    """Return who holds the data folder now; None: no program, as far as can be seen."""
    if not any(_is_locked(path) for path in lock_files(settings)):
        return None
    return _read(settings.data_dir / RECORD) or Holder()


def require_free(settings: Settings) -> None:
    """Raise DataFolderInUseError when a program holds the data folder and does not release it soon.

    Another program may still take it afterwards: only ``Claim.take`` decides.
    """
    claim = Claim(settings, "server")
    claim.take()
    claim.release()


class Claim:
    """The right to write to a data folder. ``take`` first, ``release`` last.

    ``needs_secret``: whether callers at this computer have to prove that they can read the folder.
    Calls block for a moment, ``take`` as long as it waits.
    """

    def __init__(
        self,
        settings: Settings,
        kind: HolderKind,
        *,
        url: str | None = None,
        needs_secret: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._sleep = sleep
        self._locks: dict[Path, int] = {}
        self.holder = Holder(
            kind,
            os.getpid(),
            url,
            secrets.token_hex(8),
            secrets.token_urlsafe(32) if needs_secret else "",
        )

    def take(self) -> None:
        """Lock the folder and write its record. Raises DataFolderInUseError when another program
        holds it and does not release it soon.

        Where locking is impossible (a folder that cannot be written, a file system without locks)
        it is logged, and the program runs without a lock.
        """
        for path in lock_files(self._settings):
            try:
                self._wait_for(path)
            except DataFolderInUseError:
                self.release()
                raise
            except OSError as error:
                log.warning("%s cannot be locked: %s", path, error.strerror)
        try:
            self._write_record()
        except OSError as error:
            log.warning("%s could not be written: %s", RECORD, error)

    def renew(self) -> None:
        """Lock files again that were replaced, for example by restoring a backup of the folder.

        A file that cannot be locked, or that another process has locked, is tried again by the next
        call.
        """
        for path in [path for path in lock_files(self._settings) if not self._is_ours(path)]:
            try:
                if self._lock(path):
                    self._write_record()
                    log.warning("%s was not locked any more; it is locked again", path)
            except OSError as error:
                log.debug("%s cannot be locked: %s", path, error.strerror)

    def release(self) -> None:
        """Release the locks and remove the record. Safe to call twice."""
        record = self._settings.data_dir / RECORD
        if self._locks and (_read(record) or Holder()).instance == self.holder.instance:
            try:
                record.unlink(missing_ok=True)
            except OSError as error:
                log.warning("%s could not be removed: %s", record, error.strerror)
        while self._locks:
            os.close(self._locks.popitem()[1])

    def _wait_for(self, path: Path) -> None:
        waited = 0.0
        while not self._lock(path):
            holder = _read(self._settings.data_dir / RECORD) or Holder()
            if waited >= WAIT_S[holder.kind]:
                raise DataFolderInUseError(_in_use(self._settings, holder))
            self._sleep(RETRY_S)
            waited += RETRY_S

    def _lock(self, path: Path) -> bool:
        """Lock a file; False: another process has it locked. Raises OSError where locking is
        impossible."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(handle)
            if error.errno not in _TAKEN:
                raise
            return False
        before = self._locks.pop(path, None)
        if before is not None:
            os.close(before)
        self._locks[path] = handle
        return True

    def _is_ours(self, path: Path) -> bool:
        handle = self._locks.get(path)
        if handle is None:
            return False
        try:
            return os.path.samestat(os.fstat(handle), path.stat())
        except OSError:
            return False

    def _write_record(self) -> None:
        """Write who holds the folder. Raises OSError."""
        record = self._settings.data_dir / RECORD
        # A temporary file has mode 0600, and gets its name only when it is complete.
        handle, name = tempfile.mkstemp(prefix=f".{RECORD}.", dir=record.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(asdict(self.holder), file)
            Path(name).replace(record)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _is_locked(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        # A shared lock: two programs that check at the same time do not see each other as a writer.
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in _TAKEN
    finally:
        os.close(handle)
    return False


def _read(record: Path) -> Holder | None:
    """Return the recorded holder; None: there is no valid record."""
    try:
        found = json.loads(record.read_bytes())
        kind: HolderKind = "command" if found["kind"] == "command" else "server"
        url = found["url"]
        return Holder(
            kind,
            int(found["pid"]),
            None if url is None else str(url),
            str(found["instance"]),
            str(found["secret"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _in_use(settings: Settings, holder: Holder) -> str:
    where = f" It answers at {holder.url}." if holder.url else ""
    return (
        f"{holder} uses the data folder {settings.data_dir}, and only one program at a time may"
        f" write to it.{where} Nothing was changed. Use that one or stop it, or set LOBUG_DATA_DIR"
        " to another folder."
    )
