"""``settings.json`` in ``data_dir``: the settings that were changed while the server ran."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lobug.errors import StorageError, StorageFullError, StorageReadOnlyError

FILE = "settings.json"
VERSION = 1
MAX_BYTES = 1024 * 1024


class StoredSettingsError(Exception):
    """The file cannot be used; the text is a sentence for a person."""


def read(folder: Path) -> dict[str, object]:
    """The stored values by the settings' names; empty where there is no file. Raises
    StoredSettingsError."""
    path = folder / FILE
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StoredSettingsError(f"{path} cannot be read: {error.strerror}") from error
    if len(content) > MAX_BYTES:
        raise StoredSettingsError(f"{path} is larger than {MAX_BYTES} bytes")
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise StoredSettingsError(f"{path} is not valid JSON") from error
    values = document.get("settings") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(values, dict):
        raise StoredSettingsError(f"{path} does not hold settings")
    if document.get("version") != VERSION:
        raise StoredSettingsError(f"{path} was written by another version of Lo-Bug")
    return values


def set_aside(folder: Path) -> Path | None:
    """Rename a file that cannot be used, so that it is not overwritten. Returns its new path, which
    no file had before; None: it cannot be renamed."""
    for number in range(1, 1000):
        aside = folder / f"{FILE}.broken-{number}"
        if os.path.lexists(aside):
            continue
        try:
            (folder / FILE).rename(aside)
        except OSError:
            return None
        return aside
    return None


def write(folder: Path, values: Mapping[str, object]) -> None:
    """Replace the file. It is durable when this returns, and at no moment half written. Raises
    StorageError."""
    document = {"version": VERSION, "settings": dict(values)}
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f"{FILE}.", suffix=".new", dir=folder)  # 0600
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=2, sort_keys=True)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(folder / FILE)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        _sync_folder(folder)
    except OSError as error:
        raise _storage_error(error, folder / FILE) from error


def _sync_folder(folder: Path) -> None:
    """Make the renaming durable, where the system lets folders be opened."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _storage_error(error: OSError, path: Path) -> StorageError:
    message = f"{path} cannot be written: {error.strerror}"
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StorageFullError(message)
    if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
        return StorageReadOnlyError(message)
    return StorageError(message)
