"""Permissions of the data folder, 0700 for folders and 0600 for files; and its hold by a server."""

from __future__ import annotations

import asyncio
import logging
import os
import stat
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lobug.access.addresses import ANY_ADDRESS, is_loopback, local_url
from lobug.access.service import FILE as ACCESS_FILE
from lobug.data_folder.claim import LOCK, RECORD, Claim, Holder
from lobug.memory.exchange.snapshot import SNAPSHOT
from lobug.settings import Settings
from lobug.settings.stored import FILE as SETTINGS_FILE
from lobug.webhooks.outbox import FILE as WEBHOOKS_FILE

log = logging.getLogger(__name__)

OTHERS = 0o077
"""Permission bits of everyone but the owner."""

RENEW_S = 5.0
"""Seconds between two checks whether the folder is still the one that was locked."""


@dataclass(frozen=True, slots=True)
class RestrictedFiles:
    """The result of ``restrict_access``."""

    closed: Sequence[Path]
    """Only their owner can access them now."""
    left: Sequence[tuple[Path, str]]
    """Others can still access them; with the reason."""

    def sentences(self) -> list[str]:
        """Return sentences for a log or a person."""
        sentences = []
        if self.closed:
            sentences.append(
                f"only you can read these now, others could before: {path_list(self.closed)}"
            )
        sentences += [f"others can read {path}: {why}" for path, why in self.left]
        return sentences


def open_paths(settings: Settings) -> list[Path]:
    """Return Lo-Bug's files and folders that others than their owner may read, write or enter."""
    return [path for path in _private(settings) if _mode(path) & OTHERS]


def restrict_access(settings: Settings) -> RestrictedFiles:
    """Remove the permissions of everyone but the owner. Never raises: the result lists what
    failed."""
    closed, left = [], []
    for path in open_paths(settings):
        why = _close(path)
        if why is None:
            closed.append(path)
        else:
            left.append((path, why))
    return RestrictedFiles(closed, left)


def why_not_restrictable(path: Path) -> str | None:
    """Why Lo-Bug must not change the permissions of a file or folder; None: it may."""
    try:
        found = path.stat()
    except OSError as error:
        return error.strerror or str(error)
    if found.st_uid != os.geteuid():
        return "it belongs to another user"
    if stat.S_ISDIR(found.st_mode) and (found.st_mode & stat.S_ISVTX or _holds_home(path)):
        return "the folder is not Lo-Bug's alone; set LOBUG_DATA_DIR to a separate one"
    return None


def _private(settings: Settings) -> Iterator[Path]:
    folder = settings.data_dir
    if folder.is_dir():
        yield folder.resolve()
    database = settings.database_path.resolve()
    places = [
        (database.parent, database.name),
        (folder, ACCESS_FILE),
        (folder, WEBHOOKS_FILE),
        (folder, SNAPSHOT),
        (folder, SETTINGS_FILE),
        (folder, settings.update_key_path.name),
    ]
    for place, name in places:
        try:
            # The file with its write-ahead log, index, backups and lock.
            found = sorted(path for path in place.iterdir() if path.name.startswith(name))
        except OSError:
            continue
        yield from (path for path in found if path.is_file() and not path.is_symlink())
    yield from (path for path in (folder / LOCK, folder / RECORD) if path.is_file())
    for kept in (settings.firmware_dir, settings.prompt_states_dir, settings.tls_dir):
        within = kept.resolve()
        if within.is_dir() and within.is_relative_to(folder.resolve()):
            yield within
            yield from (path for path in sorted(within.rglob("*")) if not path.is_symlink())


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0


def _close(path: Path) -> str | None:
    """Remove the permissions of others from one path; return why they remain, or None."""
    why = why_not_restrictable(path)
    if why is not None:
        return why
    try:
        path.chmod(_mode(path) & ~OTHERS)
    except OSError as error:
        return error.strerror or str(error)
    return "the file system keeps no such rights" if _mode(path) & OTHERS else None


def _holds_home(folder: Path) -> bool:
    try:
        home = Path.home().resolve()
    except (RuntimeError, OSError):
        return False
    return folder in {home, *home.parents}


def path_list(paths: Sequence[Path], most: int = 5) -> str:
    """Return the first paths, and the number of the others, as text."""
    named = ", ".join(str(path) for path in paths[:most])
    return named if len(paths) <= most else f"{named} and {len(paths) - most} more"


@asynccontextmanager
async def hold_data_folder(
    settings: Settings, listens_at: tuple[str, int] | None, *, renew_s: float = RENEW_S
) -> AsyncIterator[Holder]:
    """Hold the data folder for a server, and keep its files private; yields the recorded holder.

    ``listens_at``: the server's host and port, if known. Raises DataFolderInUseError.
    """
    url = None if listens_at is None else local_url(*listens_at)
    # Programs on this computer then use a network address, so they do not count as loopback.
    at_loopback = listens_at is None or _has_loopback(listens_at[0])
    claim = Claim(
        settings,
        "server",
        url=url,
        needs_secret=settings.access.loopback == "token" or not at_loopback,
    )
    await asyncio.to_thread(claim.take)
    renewing = asyncio.create_task(_renew(claim, renew_s))
    try:
        for sentence in (await asyncio.to_thread(restrict_access, settings)).sentences():
            log.warning("%s", sentence)
        yield claim.holder
    finally:
        renewing.cancel()
        with suppress(asyncio.CancelledError):
            await renewing
        await asyncio.to_thread(claim.release)


def _has_loopback(host: str) -> bool:
    return host in ANY_ADDRESS or is_loopback(host)


async def _renew(claim: Claim, every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        await asyncio.to_thread(claim.renew)
