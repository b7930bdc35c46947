"""The folder of firmware images: ``BOARD/VERSION.bin`` and its record ``BOARD/VERSION.json``, of a
full image ``VERSION-full.bin`` and ``VERSION-full.json``.

An image without a record is ignored: the record is written last and removed first. A lock keeps
programs from writing at the same time; reading needs none.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, Field, ValidationError

from lobug.errors import FirmwareUnknownError
from lobug.ota.image import (
    FULL_HEAD_BYTES,
    FirmwareExistsError,
    FirmwareFolderError,
    FirmwareImage,
    FirmwareInvalidError,
    FirmwareKind,
    is_board,
    is_version,
    parse_version,
    require_full_image,
    require_image,
    require_names,
)

log = logging.getLogger(__name__)

_CHUNK = 1 << 20
_UNFINISHED = ".adding-"
_FULL = "-full"
"""Ends the name of a full image's files. No version ends so."""
_BEFORE_APPLICATION = 0x10000
"""Bytes of boot loader and partition table, by which a full image may be larger than an update."""


class _Record(BaseModel):
    """The content of an image's record file."""

    size: int = Field(gt=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    forced: bool
    added_at: float


class FirmwareLibrary:
    """The images on disk. Every method does file I/O; nothing is cached."""

    def __init__(
        self, folder: Path, *, max_bytes: int, clock: Callable[[], float] = time.time
    ) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._clock = clock

    def images(
        self, board: str | None = None, kind: FirmwareKind = FirmwareKind.UPDATE
    ) -> list[FirmwareImage]:
        """Return the images of one kind, of one board or of all, ordered by board and version.
        Broken images are left out and logged. Raises FirmwareFolderError."""
        if board is not None and not is_board(board):
            return []
        with _typed_errors("the firmware images cannot be read"):
            records = sorted(self._folder.glob(f"{board or '*'}/*.json"))
        found = [self._read(path) for path in records if _kind_of(path) is kind]
        images = [image for image in found if image is not None]
        return sorted(images, key=lambda image: (image.board, parse_version(image.version) or ()))

    def find(
        self, board: str, version: str, kind: FirmwareKind = FirmwareKind.UPDATE
    ) -> FirmwareImage:
        """Return an image. Raises FirmwareUnknownError."""
        image = None
        if is_board(board) and is_version(version):
            image = self._read(_record_of(self._folder / board, version, kind))
        if image is None:
            what = "full image" if kind is FirmwareKind.FULL else "firmware image"
            raise FirmwareUnknownError(f"there is no {what} for this board and version")
        return image

    def open(
        self, board: str, version: str, kind: FirmwareKind = FirmwareKind.UPDATE
    ) -> tuple[FirmwareImage, BinaryIO]:
        """Return an image and its open file. Raises FirmwareUnknownError."""
        image = self.find(board, version, kind)
        try:
            content = image.path.open("rb")
        except OSError as error:
            raise FirmwareUnknownError(f"{image.path.name} cannot be read") from error
        if os.fstat(content.fileno()).st_size != image.size:
            content.close()
            raise FirmwareUnknownError(f"{image.path.name} is not what was added")
        return image, content

    def add(
        self,
        source: Path,
        board: str,
        version: str,
        *,
        kind: FirmwareKind = FirmwareKind.UPDATE,
        forced: bool = False,
    ) -> FirmwareImage:
        """Copy an image into the folder; atomic, even if the computer fails meanwhile. Raises
        FirmwareInvalidError, FirmwareExistsError, FirmwareFolderError."""
        require_names(board, version)
        with _typed_errors(f"{source} cannot be added"), _open_file(source) as content:
            size = os.fstat(content.fileno()).st_size
            if size > self._most(kind):
                raise self._too_large(source, kind)
            place = self._folder / board
            place.mkdir(parents=True, exist_ok=True)
            with self._locked():
                record = _record_of(place, version, kind)
                if record.exists():
                    full = " --full" if kind is FirmwareKind.FULL else ""
                    raise FirmwareExistsError(
                        f"{board} {version} is there already; another image needs another version,"
                        f" or first: lobug firmware remove {board} {version}{full}"
                    )
                for left_over in place.glob(f"{_UNFINISHED}*"):
                    left_over.unlink()
                head = content.read(FULL_HEAD_BYTES)
                if kind is FirmwareKind.FULL:
                    require_full_image(source.name, head, size, board)
                else:
                    require_image(source.name, head, board)
                self._copy(head, content, source, record, kind, forced=forced)
        return self.find(board, version, kind)

    def remove(
        self, board: str, version: str, kind: FirmwareKind = FirmwareKind.UPDATE
    ) -> FirmwareImage:
        """Remove an image. Raises FirmwareUnknownError, FirmwareFolderError."""
        image = self.find(board, version, kind)
        with _typed_errors(f"{board} {version} cannot be removed"), self._locked():
            image.path.with_suffix(".json").unlink(missing_ok=True)
            image.path.unlink(missing_ok=True)
            with suppress(OSError):  # the folder holds other images
                image.path.parent.rmdir()
        return image

    def _copy(
        self,
        head: bytes,
        content: BinaryIO,
        source: Path,
        record: Path,
        kind: FirmwareKind,
        *,
        forced: bool,
    ) -> None:
        """Write what was read of the file and the rest of it, and then its record."""
        digest = hashlib.sha256()
        size = 0
        with _written(record.with_suffix(".bin")) as out:
            chunk = head
            while chunk:
                size += len(chunk)
                if size > self._most(kind):
                    raise self._too_large(source, kind)
                digest.update(chunk)
                out.write(chunk)
                chunk = content.read(_CHUNK)
        added = _Record(size=size, sha256=digest.hexdigest(), forced=forced, added_at=self._clock())
        with _written(record) as out:
            out.write(added.model_dump_json(indent=2).encode() + b"\n")

    def _read(self, path: Path) -> FirmwareImage | None:
        board, version = path.parent.name, path.stem.removesuffix(_FULL)
        kind = _kind_of(path)
        if not (is_board(board) and is_version(version)):
            return None
        image = path.with_suffix(".bin")
        try:
            record = _Record.model_validate_json(path.read_bytes())
            size = image.stat().st_size
        except FileNotFoundError:
            return None
        except (OSError, ValidationError):
            log.warning("the firmware image %s %s cannot be read", board, path.stem)
            return None
        if size != record.size:
            log.warning("the firmware image %s %s is not what was added", board, path.stem)
            return None
        return FirmwareImage(
            board, version, size, record.sha256, record.forced, record.added_at, image, kind
        )

    def _most(self, kind: FirmwareKind) -> int:
        return self._max_bytes + (_BEFORE_APPLICATION if kind is FirmwareKind.FULL else 0)

    def _too_large(self, source: Path, kind: FirmwareKind) -> FirmwareInvalidError:
        return FirmwareInvalidError(
            f"{source.name} is larger than {self._most(kind)} bytes (firmware.max_image_bytes)"
        )

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self._folder / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _record_of(place: Path, version: str, kind: FirmwareKind) -> Path:
    return place / f"{version}{_FULL if kind is FirmwareKind.FULL else ''}.json"


def _kind_of(record: Path) -> FirmwareKind:
    return FirmwareKind.FULL if record.stem.endswith(_FULL) else FirmwareKind.UPDATE


def _open_file(source: Path) -> BinaryIO:
    if not stat.S_ISREG(source.stat().st_mode):
        raise FirmwareInvalidError(f"{source} is not a file")
    return source.open("rb")


@contextmanager
def _written(path: Path) -> Iterator[BinaryIO]:
    """Write a file that gets its name only when all of it is on the disk."""
    handle, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        unfinished.replace(path)
        _sync(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _typed_errors(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FirmwareFolderError(f"{what}: {error.strerror or error}") from error
