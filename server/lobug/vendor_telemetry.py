"""What libraries would report to their makers: switched off, and what they stored is removed.

docs/access.md lists every dependency that could, and how that is checked.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from pathlib import Path
from typing import Final

SWITCHES: Final = {
    # onnxruntime (the voice, the speech gate): sends a hashed device id, the interpreter's path,
    # the processor and the system to its maker, ten seconds after it was imported. Reads this once,
    # when it is imported; its own disable_telemetry_events() comes too late for the first report.
    "ORT_DISABLE_TELEMETRY": "1",
    # huggingface_hub (inside faster-whisper): models are pulled by `lobug models pull` alone.
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    # FastAPI and mcp trace through OpenTelemetry to where OTEL_EXPORTER_OTLP_ENDPOINT says, once
    # somebody installs its SDK.
    "OTEL_SDK_DISABLED": "true",
    # What a library that is not known here may honour (https://donottrack.sh).
    "DO_NOT_TRACK": "1",
}
"""Environment variables and the values that mean silence."""

_FOLDER: Final = Path("Microsoft", "DeveloperTools", ".onnxruntime")
_DATABASE: Final = "onnxruntime.db"
_FILES: Final = (
    "deviceid",
    *(f"{_DATABASE}{end}" for end in ("", "-journal", "-wal", "-shm", ".ses")),
)


def switch_off() -> None:
    """Set the switches for this process and those that it starts.

    Has to run before any of the libraries is imported. Values that are there already are replaced:
    nothing leaves the house, also where a shell or a service says otherwise.
    """
    os.environ.update(SWITCHES)


def remove_stored_reports() -> list[Path]:
    """Remove what onnxruntime's telemetry stored for this user: a device id and unsent reports.

    Earlier Lo-Bugs left them there. Only files of the names that onnxruntime writes, in the folder
    that is its own, and folders above it that are empty then. Returns the removed files; what
    cannot be removed stays.
    """
    removed: list[Path] = []
    for base in _bases():
        folder = base / _FOLDER
        if folder.is_symlink():
            continue
        found = [path for path in map(folder.joinpath, _FILES) if _is_own_file(path)]
        for path in found:
            with contextlib.suppress(OSError):
                path.unlink()
                removed.append(path)
        if found:
            with contextlib.suppress(OSError):  # not empty: somebody else's files
                for empty in (folder, *folder.parents[:2]):
                    empty.rmdir()
    return removed


def _bases() -> list[Path]:
    """Where onnxruntime looks for a place for its folder."""
    try:
        home = Path.home()
    except RuntimeError:  # a user without one
        return []
    if sys.platform == "darwin":
        return [home / "Library" / "Application Support"]
    named = os.environ.get("XDG_CACHE_HOME", "")
    bases = [home / ".cache", *([Path(named)] if Path(named).is_absolute() else [])]
    return list(dict.fromkeys(bases))


def _is_own_file(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid()
