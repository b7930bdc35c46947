"""The folder of firmware images: ``BOARD/VERSION.bin`` and its record ``BOARD/VERSION.json``.

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
    HEADER_BYTES,
    FirmwareExistsError,
    FirmwareFolderError,
    FirmwareImage,
    FirmwareInvalidError,
    is_board,
    is_version,
    parse_version,
    require_image,
    require_names,
)

log = logging.getLogger(__name__)

_CHUNK = 1 << 20
_UNFINISHED = ".adding-"


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

    def images(self, board: str | None = None) -> list[FirmwareImage]:
        """Return the images of one board or of all, ordered by board and version. Broken images are
        left out and logged. Raises FirmwareFolderError."""
        if board is not None and not is_board(board):
            return []
        with _typed_errors("the firmware images cannot be read"):
            records = sorted(self._folder.glob(f"{board or '*'}/*.json"))
        found = [self._read(path) for path in records]
        images = [image for image in found if image is not None]
        return sorted(images, key=lambda image: (image.board, parse_version(image.version) or ()))

    def find(self, board: str, version: str) -> FirmwareImage:
        """Return an image. Raises FirmwareUnknownError."""
        image = None
        if is_board(board) and is_version(version):
            image = self._read(self._folder / board / f"{version}.json")
        if image is None:
            raise FirmwareUnknownError("there is no firmware image for this board and version")
        return image

    def open(self, board: str, version: str) -> tuple[FirmwareImage, BinaryIO]:
        """Return an image and its open file. Raises FirmwareUnknownError."""
        image = self.find(board, version)
        try:
            content = image.path.open("rb")
        except OSError as error:
            raise FirmwareUnknownError(f"{image.path.name} cannot be read") from error
        if os.fstat(content.fileno()).st_size != image.size:
            content.close()
            raise FirmwareUnknownError(f"{image.path.name} is not what was added")
        return image, content

    def add(self, source: Path, board: str, version: str, *, forced: bool = False) -> FirmwareImage:
        """Copy an image into the folder; atomic, even if the computer fails meanwhile. Raises
        FirmwareInvalidError, FirmwareExistsError, FirmwareFolderError."""
        require_names(board, version)
        with _typed_errors(f"{source} cannot be added"), _open_file(source) as content:
            if os.fstat(content.fileno()).st_size > self._max_bytes:
                raise self._too_large(source)
            place = self._folder / board
            place.mkdir(parents=True, exist_ok=True)
            with self._locked():
                record = place / f"{version}.json"
                if record.exists():
                    raise FirmwareExistsError(
                        f"{board} {version} is there already; another image needs another version,"
                        f" or first: lobug firmware remove {board} {version}"
                    )
                for left_over in place.glob(f"{_UNFINISHED}*"):
                    left_over.unlink()
                self._copy(content, source, place, version, forced=forced)
        return self.find(board, version)

    def remove(self, board: str, version: str) -> FirmwareImage:
        """Remove an image. Raises FirmwareUnknownError, FirmwareFolderError."""
        image = self.find(board, version)
        with _typed_errors(f"{board} {version} cannot be removed"), self._locked():
            image.path.with_suffix(".json").unlink(missing_ok=True)
            image.path.unlink(missing_ok=True)
            with suppress(OSError):  # the folder holds other images
                image.path.parent.rmdir()
        return image

    def _copy(
        self, content: BinaryIO, source: Path, place: Path, version: str, *, forced: bool
    ) -> None:
        header = content.read(HEADER_BYTES)
        require_image(source.name, header, place.name)
        digest = hashlib.sha256()
        size = 0
        with _written(place / f"{version}.bin") as out:
            chunk = header
            while chunk:
                size += len(chunk)
                if size > self._max_bytes:
                    raise self._too_large(source)
                digest.update(chunk)
                out.write(chunk)
                chunk = content.read(_CHUNK)
        record = _Record(
            size=size, sha256=digest.hexdigest(), forced=forced, added_at=self._clock()
        )
        with _written(place / f"{version}.json") as out:
            out.write(record.model_dump_json(indent=2).encode() + b"\n")

    def _read(self, path: Path) -> FirmwareImage | None:
        board, version = path.parent.name, path.stem
        if not (is_board(board) and is_version(version)):
            return None
        image = path.with_suffix(".bin")
        try:
            record = _Record.model_validate_json(path.read_bytes())
            size = image.stat().st_size
        except FileNotFoundError:
            return None
        except (OSError, ValidationError):
            log.warning("the firmware image %s %s cannot be read", board, version)
            return None
        if size != record.size:
            log.warning("the firmware image %s %s is not what was added", board, version)
            return None
        return FirmwareImage(
            board, version, size, record.sha256, record.forced, record.added_at, image
        )

    def _too_large(self, source: Path) -> FirmwareInvalidError:
        return FirmwareInvalidError(
            f"{source.name} is larger than {self._max_bytes} bytes (firmware.max_image_bytes)"
        )

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self._folder / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


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
