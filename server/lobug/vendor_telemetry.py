"""Telemetry of dependencies: it is switched off, and stored reports are removed.

docs/access.md lists every dependency that could send telemetry, and how that is checked.
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
    # the processor and the system to its maker ten seconds after its import. It reads this variable
    # at its import; disable_telemetry_events() would be too late for the first report.
    "ORT_DISABLE_TELEMETRY": "1",
    # huggingface_hub (inside faster-whisper): only `lobug models pull` downloads models.
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    # FastAPI and mcp send OpenTelemetry traces to OTEL_EXPORTER_OTLP_ENDPOINT if its SDK is
    # installed.
    "OTEL_SDK_DISABLED": "true",
    # For libraries that are not listed here (https://donottrack.sh).
    "DO_NOT_TRACK": "1",
}
"""Environment variables, and the values that switch telemetry off."""

_FOLDER: Final = Path("Microsoft", "DeveloperTools", ".onnxruntime")
_DATABASE: Final = "onnxruntime.db"
_FILES: Final = (
    "deviceid",
    *(f"{_DATABASE}{end}" for end in ("", "-journal", "-wal", "-shm", ".ses")),
)


def switch_off() -> None:
    """Set the switches for this process and its children. Call it before any of the libraries is
    imported. It replaces values that a shell or a service has set.
    """
    os.environ.update(SWITCHES)


def remove_stored_reports() -> list[Path]:
    """Remove what onnxruntime's telemetry stored for this user: a device id and unsent reports.

    Earlier versions of Lo-Bug left them there. Only files with onnxruntime's names in its own
    folder are removed, and folders above it that are then empty. Returns the removed files; files
    that cannot be removed stay.
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
            with contextlib.suppress(OSError):  # not empty: it holds other files
                for empty in (folder, *folder.parents[:2]):
                    empty.rmdir()
    return removed


def _bases() -> list[Path]:
    """Return the folders in which onnxruntime may have made its own."""
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home
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
