"""Keeps what Lo-Bug remembers readable by its owner alone: folders 0700, files 0600.

A data folder for as long as a server runs: private, and nobody else's to write to."""

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

log = logging.getLogger(__name__)

OTHERS = 0o077
"""The rights of all but the owner."""


@dataclass(frozen=True, slots=True)
class Mended:
    """What was done about files and folders that others could read."""

    closed: Sequence[Path]
    """Only their owner can read them now."""
    left: Sequence[tuple[Path, str]]
    """Still open, and why."""

    def sentences(self) -> list[str]:
        """For a log, or a person."""
        said = []
        if self.closed:
            said.append(f"only you can read these now, others could before: {names(self.closed)}")
        said += [f"others can read {path}: {why}" for path, why in self.left]
        return said


def open_to_others(settings: Settings) -> list[Path]:
    """What of Lo-Bug's data anybody but its owner may read, write or enter."""
    return [path for path in _private(settings) if _mode(path) & OTHERS]


def mend(settings: Settings) -> Mended:
    """Take everybody else's rights away. Never raises: what cannot be closed is told."""
    closed, left = [], []
    for path in open_to_others(settings):
        why = _close(path)
        if why is None:
            closed.append(path)
        else:
            left.append((path, why))
    return Mended(closed, left)


def why_not_ours(path: Path) -> str | None:
    """Why the rights of a file or folder are not Lo-Bug's to change; None: they are."""
    try:
        found = path.stat()
    except OSError as error:
        return error.strerror or str(error)
    if found.st_uid != os.geteuid():
        return "it belongs to another user"
    if stat.S_ISDIR(found.st_mode) and (found.st_mode & stat.S_ISVTX or _holds_home(path)):
        return "the folder is not Lo-Bug's alone; set LOBUG_DATA_DIR to one of its own"
    return None


def _private(settings: Settings) -> Iterator[Path]:
    folder = settings.data_dir
    if folder.is_dir():
        yield folder.resolve()
    database = settings.database_path.resolve()
    places = [(database.parent, database.name), (folder, ACCESS_FILE), (folder, SNAPSHOT)]
    for place, name in places:
        try:
            # With its log, its index, its backups and its lock.
            beside = sorted(path for path in place.iterdir() if path.name.startswith(name))
        except OSError:
            continue
        yield from (path for path in beside if path.is_file() and not path.is_symlink())
    yield from (path for path in (folder / LOCK, folder / RECORD) if path.is_file())
    images = settings.firmware_dir.resolve()
    if images.is_dir() and images.is_relative_to(folder.resolve()):
        yield images
        yield from (path for path in sorted(images.rglob("*")) if not path.is_symlink())


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0


def _close(path: Path) -> str | None:
    """Why others can still read it; None: they cannot any more."""
    why = why_not_ours(path)
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


def names(paths: Sequence[Path], most: int = 5) -> str:
    """The first of them, and how many more there are."""
    named = ", ".join(str(path) for path in paths[:most])
    return named if len(paths) <= most else f"{named} and {len(paths) - most} more"


RENEW_S = 5.0
"""Seconds between two looks whether the folder is still the one that was locked."""


@asynccontextmanager
async def kept(
    settings: Settings, listens_at: tuple[str, int] | None, *, renew_s: float = RENEW_S
) -> AsyncIterator[Holder]:
    """Hold the data folder for a server that listens there; yields what others find noted. Raises
    DataFolderInUseError."""
    url = None if listens_at is None else local_url(*listens_at)
    # Who reaches the server by an address of the network alone is at no loopback address.
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
        for sentence in (await asyncio.to_thread(mend, settings)).sentences():
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
