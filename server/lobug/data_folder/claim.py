"""One writer for a data folder: a lock, and a note of who holds it and where it answers.

``server.lock`` is locked by ``flock`` for as long as somebody writes: a server for its whole life,
a command while it has a file open. The kernel ends the lock with the process, so what a killed
process leaves behind is no lock. ``server.json``, which only its owner may read, says who holds it;
it means nothing while the lock is free.

A database outside of the data folder has a lock of its own beside it (``NAME.lock``).
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
"""How long the holder is waited for, by what it is, seconds: a server stays, a command ends."""

LOOK_AGAIN_S = 0.05

_TAKEN = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}
"""What ``flock`` fails with where somebody else has the lock. All else: there are no locks."""

HolderKind = Literal["server", "command"]


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a data folder."""

    kind: HolderKind = "server"
    pid: int | None = None
    """None: it has not said."""
    url: str | None = None
    """Where a server answers callers at this computer; None: it has not said, or is none."""
    instance: str = ""
    """Random, new at every start: what answers at ``url`` with it in ``Lobug-Instance`` is this
    server."""
    secret: str = field(default="", repr=False)
    """What a program at this computer has to send as bearer token to be its owner; empty: it needs
    none."""

    def __str__(self) -> str:
        """Such as "a Lo-Bug server (process 4711)"."""
        what = "a Lo-Bug server" if self.kind == "server" else "another command"
        return what if self.pid is None else f"{what} (process {self.pid})"


def lock_files(settings: Settings) -> list[Path]:
    """What has to be locked before anything of these settings is written."""
    files = [settings.data_dir / LOCK]
    database = settings.database_path.resolve()
    if database.parent != settings.data_dir.resolve():
        files.append(database.with_name(f"{database.name}.lock"))
    return files


def holder_of(settings: Settings) -> Holder | None:
    """Who holds the data folder now; None: nobody, as far as can be seen."""
    if not any(_is_locked(path) for path in lock_files(settings)):
        return None
    return _read(settings.data_dir / RECORD) or Holder()


def require_free(settings: Settings) -> None:
    """Raises DataFolderInUseError when somebody holds the data folder and goes on to do so. What is
    then started may still be too late: only ``Claim.take`` decides."""
    claim = Claim(settings, "server")
    claim.take()
    claim.release()


class Claim:
    """The right to write to a data folder. ``take`` first, ``release`` last.

    ``needs_secret``: whether callers at this computer have to show that they may read the folder.
    Calls block for a moment, ``take`` for as long as it waits.
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
        """Lock the folder and note who holds it. Raises DataFolderInUseError when somebody else
        does and goes on to do so.

        Where nothing can be locked (a folder that cannot be written, a file system without locks)
        that is logged, and there is no lock.
        """
        for path in lock_files(self._settings):
            try:
                self._wait_for(path)
            except DataFolderInUseError:
                self.release()
                raise
            except OSError as error:
                log.warning("%s cannot be locked, so nobody is kept out: %s", path, error.strerror)
        try:
            self._note()
        except OSError as error:
            log.warning("nobody can find this server by its data folder: %s", error)

    def renew(self) -> None:
        """Lock anew what somebody has put in the folder's place since, as with a restored backup.

        A place that cannot be locked, or that another process has locked meanwhile, is left and
        looked at the next time.
        """
        for path in [path for path in lock_files(self._settings) if not self._is_ours(path)]:
            try:
                if self._lock(path):
                    self._note()
                    log.warning("%s was not locked any more; it is locked again", path)
            except OSError as error:
                log.debug("%s cannot be locked: %s", path, error.strerror)

    def release(self) -> None:
        """Let others write. Safe to call twice."""
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
            self._sleep(LOOK_AGAIN_S)
            waited += LOOK_AGAIN_S

    def _lock(self, path: Path) -> bool:
        """Whether it is locked now; False: somebody else has it. Raises OSError where it cannot
        be."""
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

    def _note(self) -> None:
        """Say who holds the folder. Raises OSError."""
        record = self._settings.data_dir / RECORD
        # Made with mode 0600, and whole before it has its name.
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
        # Shared: two who look at the same time do not take each other for a writer.
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in _TAKEN
    finally:
        os.close(handle)
    return False


def _read(record: Path) -> Holder | None:
    """What the holder has noted; None: nothing that can be read."""
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
